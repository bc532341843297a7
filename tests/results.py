"""Results made by hand, so that rendering is tested apart from computing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.notes import Note
from gradcli.result import Agreement, Alias, ClosedForm, Jacobian, Leaf, Pass, Result, Tensor

AGREED = Agreement(0.0, 2.1e-10)


def array(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, dtype=np.float64)


def tensor(name: str, value: Any, gradient: Any = None, text: str = "", dtype: str = "float64") -> Tensor:
    whole = array(value)
    return Tensor(name, whole.shape, dtype, whole, None if gradient is None else array(gradient), text)


def form(index: str, matrix: str | None = None, latex: str = "") -> ClosedForm:
    return ClosedForm(index, matrix, latex or index)


def leaf(
    name: str, value: Any, gradient: Any, jacobian: Jacobian | None = None, closed: ClosedForm | None = None,
    agreement: Agreement = AGREED, dtype: str = "float64",
) -> Leaf:  # fmt: skip
    return Leaf(tensor(name, value, gradient, dtype=dtype), jacobian, closed, agreement)


def docs_example(**changes: Any) -> Result:
    """S01: three elementwise terms, a given upstream gradient."""
    g = [0.1, 1.0, 0.0001]
    fields: dict[str, Any] = {
        "name": None,
        "program": "y = 3*a + 2*b*b + log(c)",
        "device": "cpu",
        "root": tensor("y", [22.791759469228055, 39.945910149055315, 61.07944154167984], g),
        "passes": (Pass("y", array(g), "given"),),
        "leaves": (
            leaf("a", [1, 2, 3], [0.30000000000000004, 3.0, 0.00030000000000000003],
                 Jacobian("diagonal", form("3·δ(i,j)", "3 I", r"3\,I"), "3"), form("3*g[j]", "3 g", "3\\,g")),
            leaf("b", [3, 4, 5], [1.2000000000000002, 16.0, 0.002],
                 Jacobian("diagonal", form("4*b[i]·δ(i,j)", "diag(4 b)", r"\operatorname{diag}(4 b)"), "4*b"),
                 form("4*b[j]*g[j]", "4 b∘g", r"4\,b \circ g")),
            leaf("c", [6, 7, 8], [0.016666666666666666, 0.14285714285714285, 1.25e-05],
                 Jacobian("diagonal", form("1/c[i]·δ(i,j)", "diag(1/c)", r"\operatorname{diag}(1/c)"), "1/c"),
                 form("g[j]/c[j]", "g/c", "g/c")),
        ),
    }  # fmt: skip
    return Result(**{**fields, **changes})


def full_jacobian() -> Result:
    """S09: three outputs of three scalars, small enough for the matrix equation."""
    entries = [["x2*x3", "x1*x3", "x1*x2"], ["1", "1", "1"], ["1", "x3", "x2"]]
    numbers = [[6, 3, 2], [1, 1, 1], [1, 3, 2]]
    gradients = [1.1, 1.4, 1.0]
    leaves = tuple(
        leaf(f"x{k + 1}", k + 1, gradients[k],
             Jacobian("terms", form("…·δ(i,0) + …"), None, [row[k] for row in entries],
                      array([row[k] for row in numbers])),
             form("g[1] + g[2] + …"))
        for k in range(3)
    )  # fmt: skip
    program = "y = [x1*x2*x3, x1 + x2 + x3, x1 + x2*x3]"
    g = [0.1, 0.2, 0.3]
    root = tensor("y", [6, 6, 7], g, program[4:])
    return Result(None, program, "cpu", root, (Pass("y", array(g), "given"),), leaves)


def two_passes(zero_grad: bool = False) -> Result:
    """S04: two backward passes over one graph of scalars, adding up or zeroed between."""
    first = {"a": array(3), "b": array(4), "c": array(1)}
    second = first if zero_grad else {name: 2 * value for name, value in first.items()}
    return docs_example(
        root=tensor("y", 5.0, 1.0),
        passes=(Pass("y", array(1), "given", first), Pass("y", array(1), "given", second)),
        leaves=tuple(leaf(name, 1, float(value)) for name, value in second.items()),
        zero_grad=zero_grad,
    )


def reaching() -> Result:
    """S07: a chain through an intermediate vector; what reaches it is shown."""
    program = "y = [x**2, 3*x, exp(x)]; z = y[0]*y[1] + y[2]"
    y = tensor("y", [1, 3, 2.718281828459045], [3, 1, 1], "[x**2, 3*x, exp(x)]")
    z = tensor("z", 5.718281828459045, 1.0, "y[0]*y[1] + y[2]")
    x = leaf("x", 1, 11.718281828459045, Jacobian("dense", form("exp(x) + 9*x**2")), form("g*(exp(x) + 9*x**2)"))
    return Result(None, program, "cpu", z, (Pass("z", array(1), "implicit-one"),), (x,), (y,))


def large(count: int = 1000) -> Result:
    """A long vector, whose middle is left out of texts."""
    values = np.arange(float(count))
    x = Leaf(Tensor("x", (count,), "float64", values, 2 * values),
             Jacobian("dense", form("2*x[j]", "2 x")), form("2*g*x[j]", "2 g x"),
             Agreement(1e-16, None))  # fmt: skip
    root = tensor("y", float((values**2).sum()), 1.0, "sum(x**2)")
    return Result(None, "y = sum(x**2)", "cpu", root, (Pass("y", array(1), "implicit-one"),), (x,))


def not_finite() -> Result:
    """NaN and infinities in a float32 value and gradient, with the note that explains them."""
    x = leaf("x", [100, 0.1], ["nan", "-inf"], None, None, Agreement(), "float32")
    root = tensor("y", ["inf", 0.7443966865539551], [1, 1], "log(1 + exp(x))", "float32")
    note = Note("overflow", "exp(x) is inf in float32 at x[0] = 100. Write softplus(x).", "x", (0,), explains=True)
    return Result(None, "y = log(1 + exp(x))", "cpu", root, (Pass("y", array(1, 1), "ones"),), (x,), notes=(note,))


def disagreeing(explained: bool = False) -> Result:
    """A leaf whose three derivatives differ."""
    apart = Agreement(0.5, 0.25, False, explained, array(1, 4), array(1, 3))
    return docs_example(leaves=(leaf("a", [1, 2], [1, 2], None, None, apart), leaf("b", [1, 2], [3, 4])))


def rich_in_text() -> Result:
    """Everything that carries text: name, loss, legend, notes on use, brackets that markup would eat."""
    return docs_example(
        name="b[i] and [bold]µ[/bold]",
        loss="sum(y*y)",
        legend=(
            Alias("t1", "var(X, 0, -1, keepdim=True)"),
            Alias("t2", "b[0] + sqrt(t1)"),
            Alias("t3", "not spoken of"),
        ),
        listing=("ḡS = ḡa Vᵀ", "ḡX = ḡS W", "ḡt2 = ḡX/t1"),
        notes=(
            Note("unused-input", "d is given but not used."),
            Note("kink", "b[0] is a kink."),
        ),
    )


ALL = (
    docs_example, full_jacobian, two_passes, reaching, large, not_finite, disagreeing, rich_in_text,
)  # fmt: skip

"""LaTeX, Markdown, HTML and what a PyTorch session prints."""

from __future__ import annotations

import re

import numpy as np
import pytest
import results

from gradcli.language import parse
from gradcli.render import html, latex, markdown, tex, torch_session
from gradcli.render.look import Look
from gradcli.render.typeset import expression, statements


@pytest.mark.parametrize(
    ("program", "set_in_latex"),
    [
        ("3*a + 2*b*b + log(c)", r"3 \, a + 2 \, b \, b + \log\left(c\right)"),
        ("(a + b)*c", r"\left(a + b\right) \, c"),
        ("a/(b + c)", r"\frac{a}{b + c}"),
        ("-x**2", r"-x^{2}"),
        ("(a*b)**c", r"\left(a \, b\right)^{c}"),
        ("2^3^x", r"2^{3^{x}}"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("1e-5*x*2", r"10^{-5} \, x \cdot 2"),
        ("pi*alpha + x1", r"\pi \, \alpha + x_{1}"),
        ("x[0, 1:]", r"{x}_{0,1{:}}"),
        ("[a, 2*b]", r"\begin{bmatrix} a \\ 2 \, b \end{bmatrix}"),
        ("[[a, b], [c, d]]", r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}"),
        ("A.T @ W_q", r"A^{\top} \, W_{q}"),
        ("sqrt(abs(x))", r"\sqrt{\left\lvert x \right\rvert}"),
        ("softmax(X, dim=1)", r"\operatorname{softmax}\left(X, \mathrm{dim}{=}1\right)"),
        ("where(x > 0, x, 0)", r"\operatorname{where}\left(x > 0, x, 0\right)"),
    ],
)
def test_programs_are_typeset(program, set_in_latex):
    assert expression(parse(program)) == set_in_latex


def test_statements_are_used_by_name():
    assert statements(parse("h = tanh(x); z = h*h")) == [
        ("h", r"\tanh\left(x\right)"),
        ("z", r"h \, h"),
    ]


@pytest.mark.parametrize(
    ("name", "set_in_latex"),
    [("x", "x"), ("x12", "x_{12}"), ("loss", r"\mathrm{loss}"), ("α", r"\alpha"), ("Ω", r"\Omega"),
     ("λ", r"\lambda"), ("beta1", r"\beta_{1}"), ("W_q", "W_{q}"), ("a_b_c", "a_{b,c}"), ("y_", "y'"),
     ("conv2d", r"\mathrm{conv2d}"), ("ж", r"\text{ж}")],
)  # fmt: skip
def test_names(name, set_in_latex):
    assert tex.name(name) == set_in_latex


def test_numbers_and_tensors():
    assert tex.value("1.25e-05") == r"1.25 \times 10^{-5}"
    assert tex.tensor(np.array([np.nan, -np.inf, 1.0]), Look()) == (
        r"\begin{bmatrix} \mathrm{NaN} & -\infty & 1 \end{bmatrix}"
    )
    assert tex.tensor(np.arange(9.0), Look()).count("&") == 6
    assert tex.tensor(np.ones((20, 2)), Look()).count(r"\vdots") == 1


def test_latex_of_the_docs_example():
    shown = latex.render(results.docs_example(), Look(precision=3))
    assert (
        shown
        == r"""% y = 3*a + 2*b*b + log(c)  (float64 on cpu)
\begin{align*}
y &= 3 \, a + 2 \, b \, b + \log\left(c\right) \\
y &= \begin{bmatrix} 22.8 & 39.9 & 61.1 \end{bmatrix} \\
\frac{\partial y}{\partial a} &= 3\,I \\
\frac{\partial y}{\partial b} &= \operatorname{diag}(4 b) \\
\frac{\partial y}{\partial c} &= \operatorname{diag}(1/c) \\
g &= \begin{bmatrix} 0.1 & 1 & 0.0001 \end{bmatrix} \\
\frac{\partial L}{\partial a} &= 3\,g = \begin{bmatrix} 0.3 & 3 & 0.0003 \end{bmatrix} \\
\frac{\partial L}{\partial b} &= 4\,b \circ g = \begin{bmatrix} 1.2 & 16 & 0.002 \end{bmatrix} \\
\frac{\partial L}{\partial c} &= g/c = \begin{bmatrix} 0.0167 & 0.143 & 1.25 \times 10^{-5} \end{bmatrix}
\end{align*}
"""
    )


@pytest.mark.parametrize("make", results.ALL)
def test_latex_is_balanced(make):
    body = re.sub("(?m)^%.*$", "", latex.render(make(), Look()))
    assert body.count("{") == body.count("}")
    assert body.count(r"\left") == body.count(r"\right")
    assert re.findall(r"\\begin\{(\w+\*?)\}", body).count("align*") == 1
    assert sorted(re.findall(r"\\begin\{(\w+)", body)) == sorted(re.findall(r"\\end\{(\w+)", body))
    assert r"\\ \end{align" not in " ".join(body.split())


def test_latex_notes_are_comments():
    assert latex.render(results.not_finite(), Look()).endswith(
        "\\end{align*}\n% note: exp(x) is inf in float32 at x[0] = 100. Write softplus(x).\n"
    )


def test_markdown_of_the_docs_example():
    shown = markdown.render(results.docs_example(), Look())
    assert shown.startswith("### `y = 3*a + 2*b*b + log(c)`\n\n")
    assert r"| `b` | $\operatorname{diag}(4 b)$ | `[1.2, 16, 0.002]` | $4\thinspace b \circ g$ |" in shown
    assert "- ✓ torch, the closed form and finite differences agree within 1e-8\n" in shown


@pytest.mark.parametrize("make", results.ALL)
def test_markdown_tables_have_as_many_cells_in_each_row(make):
    rows = [line for line in markdown.render(make(), Look()).splitlines() if line.startswith("| ")]
    counts = {re.sub(r"\\\|", "", row).count("|") for row in rows}
    assert counts <= {3, 5}


def test_markdown_escapes_what_users_wrote():
    shown = markdown.render(results.docs_example(name="a|b *c* <i>"), Look())
    assert shown.startswith("### a\\|b \\*c\\* \\<i\\>\n")


def test_html_escapes_and_typesets():
    shown = html.render(results.docs_example(name="<script>"), Look())
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
    assert r"<td>\(\operatorname{diag}(4 b)\)</td><td><code>[1.2, 16, 0.002]</code></td>" in shown


def test_results_show_themselves():
    result = results.docs_example()
    assert str(result).endswith("agree within 1e-8")
    assert result._repr_html_().startswith("<div>")
    assert result._repr_latex_().startswith(r"\begin{align*}")


def test_torch_prints_what_a_session_prints():
    assert torch_session.render(results.docs_example(), Look()) == (
        ">>> a.grad\ntensor([3.0000e-01, 3.0000e+00, 3.0000e-04], dtype=torch.float64)\n"
        ">>> b.grad\ntensor([1.2000e+00, 1.6000e+01, 2.0000e-03], dtype=torch.float64)\n"
        ">>> c.grad\ntensor([1.6667e-02, 1.4286e-01, 1.2500e-05], dtype=torch.float64)\n"
    )
    assert torch_session.render(results.not_finite(), Look()) == ">>> x.grad\ntensor([nan, -inf])\n"


def test_torch_prints_each_pass_and_leaves_its_settings_alone():
    import torch

    torch.set_printoptions(precision=2)
    try:
        shown = torch_session.render(results.two_passes(), Look())
        assert repr(torch.tensor(0.12345)) == "tensor(0.12)"
    finally:
        torch.set_printoptions(profile="default")
    assert "# pass 2 of backward, from y\n>>> a.grad\ntensor(6., dtype=torch.float64)\n" in shown


def test_torch_prints_long_tensors_whole_when_asked():
    assert "..." in torch_session.render(results.large(2000), Look())
    assert "..." not in torch_session.render(results.large(2000), Look(full=True))

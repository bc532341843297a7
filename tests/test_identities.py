"""Textbook identities of matrix calculus, with the text that is printed.

Of a scalar the derivative is printed in the leaf's shape; of anything else it is the Jacobian, rows over the output's
elements and columns over the leaf's, both row by row.  A leaf written dX means the differential.  Sections in the
comments are those of Petersen and Pedersen, The Matrix Cookbook (2012).
"""

from __future__ import annotations

import re
from functools import cache

import pytest
import torch
from printed_formulas import Printed, check, point

from gradcli.language import parse

SHAPES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("x", "y", "z", "a", "b", "t", "mu", "p", "q", "w", "beta", "gamma"), (3,)),
    **dict.fromkeys(("A", "B", "C", "D", "W", "X", "Sigma"), (3, 3)),
    **dict.fromkeys(("s", "m", "lam", "sigma"), ()),
    "M": (4, 3), "v": (4,), "Z": (4, 3), "Q": (4, 2), "K": (5, 2), "V": (5, 2),
}  # fmt: skip

# fmt: off
IDENTITIES: list[tuple[str, str, str | None]] = [
    # traces (The Matrix Cookbook, 2.5)
    ("trace(X)", "X", "I"),
    ("trace(A@X)", "X", "Aᵀ"),
    ("trace(X.T@A)", "X", "A"),
    ("trace(A@X@B)", "X", "Aᵀ Bᵀ"),
    ("trace(A@X.T@B)", "X", "B A"),
    ("trace(X@X)", "X", "2 Xᵀ"),
    ("trace(X.T@X)", "X", "2 X"),
    ("trace(X.T@A@X)", "X", "(A + Aᵀ) X"),
    ("trace(X.T@A@X)", "A", "X Xᵀ"),
    ("trace(A@X@B@X.T)", "X", "A X B + Aᵀ X Bᵀ"),
    ("trace(X@X@X)", "X", "3 Xᵀ Xᵀ"),
    ("trace(kron(X, B))", "X", "tr(B) I"),
    ("trace(inv(X)@A)", "X", "-X⁻ᵀ Aᵀ X⁻ᵀ"),
    ("trace(inv(X)@A)", "A", "X⁻ᵀ"),
    ("trace(A@inv(X)@B)", "X", "-X⁻ᵀ Aᵀ Bᵀ X⁻ᵀ"),
    # determinants and inverses (2.1, 2.2)
    ("det(X)", "X", "cofactor(X)"),
    ("det(A@X@B)", "X", "Aᵀ cofactor(A X B) Bᵀ"),
    ("log(det(X))", "X", "X⁻ᵀ"),
    ("logdet(X)", "X", "X⁻ᵀ"),
    ("logdet(X.T@X)", "X", "2 X (Xᵀ X)⁻¹"),
    ("logdet(X@X.T)", "X", "2 (X Xᵀ)⁻¹ X"),
    ("3*logdet(X@X.T)*sum(x)", "X", "6 sum(x) (X Xᵀ)⁻¹ X"),
    ("slogdet(A@X)", "X", "Aᵀ (A X)⁻ᵀ"),
    ("inv(X)", "X", "-X⁻¹ ⊗ X⁻ᵀ"),
    ("inv(X)", "dX", "dy = -X⁻¹ dX X⁻¹"),
    ("inv(X)@a", "X", "-X⁻¹ ⊗ (X⁻¹ a)ᵀ"),
    ("a@inv(X)@b", "X", "-X⁻ᵀ a bᵀ X⁻ᵀ"),
    ("a@inv(X)@b", "a", "X⁻¹ b"),
    ("a@solve(X, b)", "X", "-X⁻ᵀ a solve(X, b)ᵀ"),
    ("a@solve(X, b)", "b", "X⁻ᵀ a"),
    # linear and bilinear forms (2.4.1)
    ("a@x", "x", "a"),
    ("x@A@y", "x", "A y"),
    ("x@A@y", "y", "Aᵀ x"),
    ("x@A@y", "A", "x yᵀ"),
    ("a@X@b", "X", "a bᵀ"),
    ("a@X.T@b", "X", "b aᵀ"),
    ("outer(x, y)@z", "y", "x zᵀ"),
    # quadratic forms (2.4.2) and least squares
    ("dot(x, x)", "x", "2 x"),
    ("x@A@x", "x", "(A + Aᵀ) x"),
    ("x@A@x", "A", "x xᵀ"),
    ("(x - a)@A@(x - a)", "x", "(A + Aᵀ) (x - a)"),
    ("(x - a)@A@(x - a)", "a", "(A + Aᵀ) (a - x)"),
    ("a@X.T@X@b", "X", "X (a bᵀ + b aᵀ)"),
    ("a@X.T@A@X@b", "X", "Aᵀ X a bᵀ + A X b aᵀ"),
    ("(A@x + a)@C@(D@x + b)", "x", "Dᵀ Cᵀ (A x + a) + Aᵀ C (D x + b)"),
    ("(A@x + a)@C@(D@x + b)", "A", "C (D x + b) xᵀ"),
    ("sum((A@x - b)**2)", "x", "2 Aᵀ (A x - b)"),
    ("sum((A@x - b)**2)", "A", "2 (A x - b) xᵀ"),
    ("sum((A@x - b)**2)", "b", "2 (b - A x)"),
    ("0.5*norm(A@x - b)**2", "x", "Aᵀ (A x - b)"),
    ("mean((M@x - v)**2)", "x", "Mᵀ (M x - v)/2"),
    ("x@A@x/(x@x)", "x", "((A + Aᵀ) x - 2 y x)/(xᵀ x)"),
    ("sum((X@a - b)**2) + lam*sum(a**2)", "a", "2 (lam a + Xᵀ (X a - b))"),
    ("sum((X@a - b)**2) + lam*sum(a**2)", "lam", "sum(a**2)"),
    # norms
    ("norm(x)", "x", "x/norm(x)"),
    ("norm(x - a)", "x", "(x - a)/norm(x - a)"),
    ("norm(x - a)", "a", "(a - x)/norm(x - a)"),
    ("norm(x)**2", "x", "2 x"),
    ("x/norm(x)", "x", "(I - x xᵀ/norm(x)**2)/norm(x)"),
    ("norm(X)", "X", "X/norm(X)"),
    ("norm(X)**2", "X", "2 X"),
    ("norm(A@X@B - C)**2", "X", "2 Aᵀ (A X B - C) Bᵀ"),
    ("sum((X - X.T)**2)", "X", "4 (X - Xᵀ)"),
    ("sum(abs(A@x - b))", "x", "Aᵀ sign(A x - b)"),
    ("dot(x, y)/(norm(x)*norm(y))", "x", "(y - (xᵀ y) x/norm(x)**2)/(norm(x) norm(y))"),
    # the softmax family
    ("softmax(x)", "x", "diag(softmax(x)) - softmax(x) softmax(x)ᵀ"),
    ("exp(x)/sum(exp(x))", "x", "diag(y) - y yᵀ"),
    ("log_softmax(x)", "x", "I - 𝟏₃ softmax(x)ᵀ"),
    ("logsumexp(x)", "x", "softmax(x)"),
    ("logsumexp(A@x)", "x", "Aᵀ softmax(A x)"),
    ("logsumexp(A@x)", "A", "softmax(A x) xᵀ"),
    ("softmax(W@x + b)", "b", "diag(y) - y yᵀ"),
    ("softmax(W@x + b)", "x", "(diag(y) - y yᵀ) W"),
    ("softmax(W@x + b)", "W", "(diag(y) - y yᵀ) ⊗ xᵀ"),
    ("-sum(t*log_softmax(x))", "x", "sum(t) softmax(x) - t"),
    ("-sum(p*log(p))", "p", "-log(p) - 1"),
    ("sum(p*log(p/q))", "p", "log(p/q) + 1"),
    ("sum(p*log(p/q))", "q", "-p/q"),
    ("softmax(X, dim=1)", "dX", "dy = y∘dX - diag((y∘dX) 𝟏) y"),
    # products
    ("A@x", "x", "A"),
    ("A@x", "A", "I₃ ⊗ xᵀ"),
    ("A@X@B", "X", "A ⊗ Bᵀ"),
    ("A@X@B", "dX", "dy = A dX B"),
    ("X.T@X", "X", "(I₃ ⊗ Xᵀ) K + Xᵀ ⊗ I₃"),
    ("X.T@X", "dX", "dy = Xᵀ dX + dXᵀ X"),
    ("X@X", "X", "I₃ ⊗ Xᵀ + X ⊗ I₃"),
    ("X@X", "dX", "dy = dX X + X dX"),
    ("A*X", "X", "diag(vec(A))"),
    ("A*X", "dX", "dy = A∘dX"),
    ("kron(X, A)", "X", None),
    ("kron(X, A)", "dX", "dy = dX ⊗ A"),
    ("diag(x)@A", "A", "diag(x) ⊗ I₃"),
    ("outer(x, y)", "x", "I₃ ⊗ y"),
    ("outer(x, y)", "y", "x ⊗ I₃"),
    # statistics
    ("mean(x)", "x", "𝟏/3"),
    ("var(x)", "x", "x - mean(x)"),
    ("std(x)", "x", "(x - mean(x))/(2 std(x))"),
    ("-0.5*(x - mu)@inv(Sigma)@(x - mu)", "x", "0.5 (Sigma⁻¹ + Sigma⁻ᵀ) (mu - x)"),
    ("-0.5*(x - mu)@inv(Sigma)@(x - mu)", "mu", "0.5 (Sigma⁻¹ + Sigma⁻ᵀ) (x - mu)"),
    ("-0.5*(x - mu)@inv(Sigma)@(x - mu)", "Sigma", "0.5 Sigma⁻ᵀ (x - mu) (x - mu)ᵀ Sigma⁻ᵀ"),
    ("-0.5*logdet(Sigma) - 0.5*(x - mu)@inv(Sigma)@(x - mu)",
     "Sigma", "0.5 (Sigma⁻ᵀ (x - mu) (x - mu)ᵀ Sigma⁻ᵀ - Sigma⁻ᵀ)"),
    ("-0.5*sum((x - m)**2)/sigma**2 - 3*log(sigma)", "x", "(m - x)/sigma**2"),
    ("-0.5*sum((x - m)**2)/sigma**2 - 3*log(sigma)", "m", "sum(x - m)/sigma**2"),
    ("-0.5*sum((x - m)**2)/sigma**2 - 3*log(sigma)", "sigma", "(sum((x - m)**2)/sigma**2 - 3)/sigma"),
    ("sum(softplus(Z@w) - v*(Z@w))", "w", "Zᵀ (sigmoid(Z w) - v)"),
    ("-sum(v*log(sigmoid(Z@w)) + (1 - v)*log(1 - sigmoid(Z@w)))", "w", "Zᵀ (sigmoid(Z w) - v)"),
    ("sum(exp(Z@w) - v*(Z@w))", "w", "Zᵀ (exp(Z w) - v)"),
    # networks
    ("sigmoid(x)", "x", "diag(sigmoid(x)∘(1 - sigmoid(x)))"),
    ("tanh(W@x + b)", "b", "diag(1 - tanh(W x + b)**2)"),
    ("tanh(W@x + b)", "x", "diag(1 - tanh(W x + b)**2) W"),
    ("tanh(W@x + b)", "W", "diag(1 - tanh(W x + b)**2) ⊗ xᵀ"),
    ("relu(W@x)", "x", "diag([W x > 0]) W"),
    ("x*sigmoid(x)", "x", "diag((1 + x∘(1 - sigmoid(x)))∘sigmoid(x))"),
    ("h = tanh(W@x + a); A@h + b", "x", "A diag(1 - h**2) W"),
    ("h = tanh(W@x + a); A@h + b", "W", "(A diag(1 - h**2)) ⊗ xᵀ"),
    ("h = tanh(W@x + a); A@h + b", "A", "I₃ ⊗ hᵀ"),
    ("(x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5)", "x", "(I - y yᵀ/3 - 𝟏₃ 𝟏₃ᵀ/3)/sqrt(t1 + 1e-5)"),
    ("h = (x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5); gamma*h + beta",
     "x", "diag(gamma) (I - h hᵀ/3 - 𝟏₃ 𝟏₃ᵀ/3)/sqrt(t1 + 1e-5)"),
    ("h = (x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5); gamma*h + beta", "gamma", "diag(h)"),
    ("S = softmax(Q@K.T/sqrt(2), dim=1); S@V", "V", "S ⊗ I₂"),
    ("S = softmax(Q@K.T/sqrt(2), dim=1); S@V", "dV", "dy = S dV"),
    ("S = softmax(Q@K.T/sqrt(2), dim=1); S@V", "dQ", "dy = (S∘(dQ Kᵀ) - diag((S∘(dQ Kᵀ)) 𝟏) S) V/sqrt(2)"),
    ("S = softmax(Q@K.T/sqrt(2), dim=1); S@V",
     "Q", "blocks δ(i1,j1) · (Vᵀ (diag(S[i1,:]) - S[i1,:] S[i1,:]ᵀ) K/sqrt(2))"),
    ("cumsum(x)", "x", "L"),
    ("S = softmax(Q@K.T/sqrt(2), dim=1); S@V", "K", None),
]
# fmt: on

LATEX = {
    ("a@inv(X)@b", "X"): r"-X^{-\top}\,a\,b^{\top}\,X^{-\top}",
    ("x@A@x", "x"): r"\left(A + A^{\top}\right)\,x",
    ("sum((A@x - b)**2)", "x"): r"2\,A^{\top}\,\left(A\,x - b\right)",
    ("x/norm(x)", "x"): (
        r"\frac{1}{\left\lVert x \right\rVert}\,\left(I - \frac{x\,x^{\top}}{\left\lVert x \right\rVert^{2}}\right)"
    ),
    ("softmax(x)", "x"): (
        r"\operatorname{diag}\left(\operatorname{softmax}\left(x\right)\right)"
        r" - \operatorname{softmax}\left(x\right)\,\operatorname{softmax}\left(x\right)^{\top}"
    ),
    ("sigmoid(x)", "x"): (
        r"\operatorname{diag}\left(\operatorname{sigmoid}\left(x\right)"
        r" \odot \left(1 - \operatorname{sigmoid}\left(x\right)\right)\right)"
    ),
    ("A@X@B", "X"): r"A \otimes B^{\top}",
    ("-0.5*sum((x - m)**2)/sigma**2 - 3*log(sigma)", "x"): r"\frac{m - x}{\sigma^{2}}",
    ("-0.5*(x - mu)@inv(Sigma)@(x - mu)", "mu"): (
        r"0.5\,\left(\Sigma^{-1} + \Sigma^{-\top}\right)\,\left(x - \mu\right)"
    ),
    ("h = tanh(W@x + a); A@h + b", "x"): r"A\,\operatorname{diag}\left(1 - h^{2}\right)\,W",
}


@cache
def identity(program: str) -> Printed:
    """A program at a point where its square matrices are far from singular, what is printed of it read back."""
    inputs = point(**{name: SHAPES[name] for name in parse(program, defined=frozenset(SHAPES)).leaves})
    for name, value in inputs.items():
        if value.shape == (3, 3):
            inputs[name] = value @ value.T / 3 + torch.eye(3, dtype=torch.float64) + value / 10
    return check(program, inputs)


def forms(program: str, leaf: str) -> tuple[str | None, str]:
    """What is printed: matrix notation or the differential, and LaTeX."""
    step = leaf.startswith("d") and leaf not in SHAPES
    record = identity(program).forms.leaves[leaf[1:] if step else leaf].jacobian_record(False)
    assert record is not None
    return record.differential if step else record.form.matrix, record.form.latex


@pytest.mark.parametrize(("program", "leaf", "text"), IDENTITIES, ids=[f"{p} by {leaf}" for p, leaf, _ in IDENTITIES])
def test_identity(program: str, leaf: str, text: str | None) -> None:
    assert forms(program, leaf)[0] == text


def test_nearly_all_have_matrix_notation_and_fit_a_line() -> None:
    texts = [text for _, _, text in IDENTITIES if text is not None]
    assert len(IDENTITIES) >= 100
    assert len(texts) >= 0.95 * len(IDENTITIES)
    assert sum(len(text) <= 80 for text in texts) >= 0.95 * len(texts)
    assert max(map(len, texts)) <= 90


@pytest.mark.parametrize(("program", "leaf"), LATEX, ids=[f"{p} by {leaf}" for p, leaf in LATEX])
def test_latex(program: str, leaf: str) -> None:
    assert forms(program, leaf)[1] == LATEX[program, leaf]


def flaw(latex: str) -> str | None:
    r"""What is wrong with a piece of LaTeX: braces, \left and \right, scripts, signs of other notations."""
    depth, pairs, previous = 0, [], ""
    for token in re.findall(r"\\[a-zA-Z]+|\\.|.", latex):
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return "a brace closes that was never opened"
        if token == r"\left":
            pairs.append(depth)
        elif token == r"\right" and (not pairs or pairs.pop() != depth):
            return r"\left and \right do not match"
        if token in ("_", "^") and previous in ("_", "^", "", " "):
            return f"a script on nothing at {token}"
        if ord(token[0]) > 127 or token in ("*", "@"):
            return f"{token} is no LaTeX"
        previous = token
    if re.search(r"\^\{[^{}]*\}\^|_\{[^{}]*\}_", latex):
        return "two scripts of one kind in a row"
    return "a brace is never closed" if depth else r"\left without \right" if pairs else None


@pytest.mark.parametrize("program", dict.fromkeys(program for program, _, _ in IDENTITIES))
def test_latex_is_well_formed(program: str) -> None:
    at = identity(program)
    for name in at.names:
        leaf = at.forms.leaves[name]
        for form in (leaf.jacobian_record(False).form, leaf.gradient_record()):  # type: ignore[union-attr]
            assert form is not None
            assert flaw(form.latex) is None, form.latex


@pytest.mark.parametrize(
    "latex", ["{x", "x}", r"\left(x", r"\left({x\right)}", "_{1}", "x^{2}^{3}", "x * y", "xᵀ", r"\frac{1}{2", "x__1"]
)
def test_flaws_are_found(latex: str) -> None:
    assert flaw(latex) is not None

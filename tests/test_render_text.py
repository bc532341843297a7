"""The text that people read at a terminal."""

from __future__ import annotations

import math
import re

import pytest
import results

from gradcli.render.cells import width
from gradcli.render.look import Look
from gradcli.render.text import render
from gradcli.result import Alias, Jacobian, Pass

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def text(result, **look):
    return render(result, Look(**look))


def test_docs_example_is_the_picture_of_the_readme():
    assert (
        text(results.docs_example())
        == """\
y = 3*a + 2*b*b + log(c)                                          float64 on cpu
  = [22.7918, 39.9459, 61.0794]

leaf   ∂y/∂leaf    gradient = g·∂y/∂leaf             in closed form
a      3 I         [0.3, 3, 0.0003]                  3 g
b      diag(4 b)   [1.2, 16, 0.002]                  4 b∘g
c      diag(1/c)   [0.0166667, 0.142857, 1.25e-05]   g/c

g = [0.1, 1, 0.0001] is the upstream gradient ∂L/∂y.
✓ torch, the closed form and finite differences agree within 1e-8
"""
    )


def test_small_jacobian_is_a_matrix_equation():
    assert """
                       ⎡x2·x3  x1·x3  x1·x2⎤   ⎡6 3 2⎤
    ∂y/∂(x1, x2, x3) = ⎢  1      1      1  ⎥ = ⎢1 1 1⎥      g·J = [1.1, 1.4, 1]
                       ⎣  1     x3     x2  ⎦   ⎣1 3 2⎦
""" in text(results.full_jacobian())


def test_matrix_equation_breaks_in_two_where_it_is_narrow():
    shown = text(results.full_jacobian(), width=60)
    assert "    ∂y/∂(x1, x2, x3) = ⎢  1      1      1  ⎥\n" in shown
    assert "= ⎢1 1 1⎥      g·J = [1.1, 1.4, 1]\n" in shown


def test_matrix_equation_in_numbers_only_when_asked():
    shown = text(results.full_jacobian(), jacobian="values")
    assert "x2·x3" not in shown
    assert "    ∂y/∂(x1, x2, x3) = ⎢1 1 1⎥      g·J = [1.1, 1.4, 1]\n" in shown


def test_a_matrix_that_is_asked_for_and_too_wide_is_a_list_of_entries():
    long = "a_rather_long_name*another_rather_long_name"
    table, numbers = [[long, "0"], ["0", long]], [[6.0, 0.0], [0.0, 6.0]]
    form = results.form("…", None)
    leaf = results.leaf("x", [1, 2], [6, 6], Jacobian("terms", form, None, table, results.array(numbers)))
    wide = results.docs_example(leaves=(leaf,), root=results.tensor("y", [1, 2], [1, 1]))
    assert f"""
    ∂y[0]/∂x[0] = {long} = 6
    ∂y[1]/∂x[1] = {long} = 6
    all other entries are 0
""" in text(wide, jacobian="matrix")
    assert f"⎡{long.replace('*', '·')}" in text(wide, jacobian="matrix", width=200)
    assert "    ∂y/∂x = ⎡6 0⎤" in text(wide, jacobian="values", precision=3)


def test_no_matrix_equation_when_formulas_are_asked():
    assert "⎢" not in text(results.full_jacobian(), jacobian="formula")


def test_passes_add_up_line_by_line():
    shown = text(results.two_passes())
    assert "leaf   sum of 2 passes\na      6\nb      8\nc      2\n" in shown
    assert "pass 1 from y with g = 1: a.grad = 3, b.grad = 4, c.grad = 1\n" in shown
    assert "pass 2 from y with g = 1: a.grad = 6, b.grad = 8, c.grad = 2\n" in shown
    assert "(gradients add up from pass to pass)" in shown


def test_passes_that_are_zeroed_between():
    shown = text(results.two_passes(zero_grad=True))
    assert "leaf   gradient after the last pass\na      3\n" in shown
    assert "(zeroed between passes)" in shown


def test_statements_show_what_reaches_them():
    shown = text(results.reaching())
    assert shown.startswith("y = [x**2, 3*x, exp(x)] ")
    assert "\nz = y[0]*y[1] + y[2]\n  = 5.71828\n" in shown
    assert "statement   gradient that reaches it\ny           [3, 1, 1]\n" in shown
    assert "g = 1 because z is one number.\n" in shown


def test_value_is_named_when_the_root_is_not_the_last_statement():
    shown = text(results.docs_example(program="y = 3*a + 2*b*b + log(c); z = sum(y)"))
    assert "\ny = [22.7918, 39.9459, 61.0794]\n" in shown


def test_long_tensors_show_their_ends_and_shape():
    assert "[0, 2, 4, …, 1994, 1996, 1998]  (1000,)" in text(results.large())


def test_full_shows_every_element():
    shown = text(results.large(40), full=True)
    assert "…" not in shown
    assert re.sub(r"\s+", " ", shown).count(", ") >= 39


def test_nan_and_infinities_are_words():
    shown = text(results.not_finite())
    assert "  = [inf, 0.744397]\n" in shown
    assert "x      [nan, -inf]\n" in shown
    assert "g = [1, 1] by default, so this is the gradient of sum(y).\n" in shown
    assert "note: exp(x) is inf in float32 at x[0] = 100. Write softplus(x).\n" in shown


def test_disagreement_shows_the_numbers():
    shown = text(results.disagreeing())
    assert "✓ torch, the closed form and finite differences agree for b within 1e-8\n" in shown
    assert (
        """
✗ a: the derivatives differ
    torch        [1, 2]
    closed form  [1, 4]  (off by 0.5)
    differences  [1, 3]  (off by 0.25)
"""
        in shown
    )


def test_explained_disagreement_is_no_failure_sign():
    shown = text(results.disagreeing(explained=True))
    assert "✗" not in shown
    assert "≠ a: the derivatives differ, which a note explains\n" in shown


def test_less_usual_signs_are_explained():
    form = results.form("[x[j] == max(x)]*δ(i,j)", "L e0 𝟏ᵀ + ties(x, y) I")
    closed = results.form("[x[j] == max(x)]*g", None)
    leaves = (results.leaf("x", 1, 1, Jacobian("dense", form), closed),)
    shown = " ".join(text(results.docs_example(leaves=leaves)).split())
    assert "where 𝟏 is all ones; e0, e1, … are unit vectors; L has ones on and below its diagonal" in shown
    assert "[…] is 1 where it holds, else 0; ties is how many elements" in shown
    assert "where" not in text(results.docs_example())


def test_a_sign_that_is_a_leaf_is_not_explained():
    leaves = (results.leaf("L", 1, 1, Jacobian("dense", results.form("L", "L L"))),)
    assert "where L" not in text(results.docs_example(leaves=leaves))


def test_upstream_gradients_of_every_shape():
    def shown(value, source):
        return text(results.docs_example(passes=(Pass("y", results.array(value), source),)))

    assert "g = [[1, 2],\n     [3, 4]]\n    is the upstream gradient ∂L/∂y.\n" in shown([[1, 2], [3, 4]], "given")
    assert "g = 1 everywhere by default, so this is the gradient of sum(y).\n" in shown([[1, 1]], "ones")
    assert "g = [2, 4] = ∂L/∂y, worked out from the loss L.\n" in shown([2, 4], "loss")


def test_legend_listing_loss_and_name():
    shown = text(results.rich_in_text())
    assert shown.startswith("b[i] and [bold]µ[/bold]\n")
    assert "\nL = sum(y*y)\ny = [22.7918, 39.9459, 61.0794]\n" in shown
    assert "with t1 = var(X, 0, -1, keepdim=True)\n     t2 = b[0] + sqrt(t1)\n" in shown
    assert "not spoken of" not in shown
    assert "  ḡS = ḡa Vᵀ\n  ḡX = ḡS W\n" in shown
    assert "ḡh is the gradient that reaches h" in " ".join(shown.split())


def test_usage_notes_can_go_elsewhere():
    assert "note: d is given but not used." in text(results.rich_in_text())
    shown = text(results.rich_in_text(), usage_notes=False)
    assert "note: d is given" not in shown
    assert "note: b[0] is a kink." in shown


def test_quiet_is_one_line_a_leaf():
    shown = text(results.docs_example(), quiet=True)
    assert shown == "a = [0.3, 3, 0.0003]\nb = [1.2, 16, 0.002]\nc = [0.0166667, 0.142857, 1.25e-05]\n"


def test_verbose_has_values_and_the_largest_difference():
    shown = text(results.reaching(), verbose=True, precision=10, width=100)
    assert "leaf   value   ∂z/∂leaf" in shown
    assert "y           [1, 3, 2.718281828]   [3, 1, 1]\n" in shown
    assert "(largest difference 2.1e-10)" in shown


@pytest.mark.parametrize("make", results.ALL)
@pytest.mark.parametrize("cells", [40, 80, 200])
def test_lines_fit_the_width(make, cells):
    for line in text(make(), width=cells).splitlines():
        assert width(line) <= cells


def test_narrow_tables_become_blocks():
    shown = text(results.docs_example(), width=40)
    assert "a\n  ∂y/∂a        3 I\n  gradient     [0.3, 3, 0.0003]\n  closed form  3 g\n" in shown


@pytest.mark.parametrize("make", results.ALL)
def test_ascii_where_nothing_else_can_be_shown(make):
    assert text(make(), unicode=False).isascii()


def test_ascii_spelling_and_alignment():
    shown = text(results.full_jacobian(), unicode=False)
    assert "    dy/d(x1, x2, x3) = [  1      1      1  ] = [1 1 1]      g*J = [1.1, 1.4, 1]\n" in shown
    assert "ok: torch, the closed form" in shown
    assert "b      diag(4 b)   [1.2, 16, 0.002]                  4 b.*g\n" in text(
        results.docs_example(), unicode=False
    )


@pytest.mark.parametrize("make", results.ALL)
def test_colour_changes_nothing_but_colour(make):
    painted = text(make(), colour=True)
    assert "\x1b[" in painted
    assert ANSI.sub("", painted) == text(make())


def test_a_program_cannot_repaint_the_terminal():
    assert "\x1b" not in text(results.docs_example(name="\x1b[2J"))
    assert "\\x1b[2J" in text(results.docs_example(name="\x1b[2J"))


def test_agreement_on_nan_says_so():
    leaf = results.leaf("a", [1, 2], [math.nan, 1])
    shown = text(results.docs_example(leaves=(leaf,)))
    assert "✓ torch, the closed form and finite differences agree within 1e-8, nan included\n" in shown


def test_without_leaves():
    assert "\nThere are no leaves, so there is nothing to differentiate by.\n" in text(results.docs_example(leaves=()))


def test_a_program_with_a_g_of_its_own_has_another_letter_for_the_upstream_gradient():
    result = results.docs_example(legend=(Alias("v", "∂L/∂y"),))
    shown = text(result)
    assert "gradient = v·∂y/∂leaf" in shown and "v = [0.1, 1, 0.0001] is the upstream gradient" in shown
    assert "with v" not in shown and result.g == "v"

"""The pipeline from problem to result: roots, passes, losses, leaves, Jacobians, devices."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import gradcli
from gradcli.solve import formulas

solve = gradcli.differentiate


def refused(*args, **kwargs) -> str:
    """The message and hint of the error."""
    with pytest.raises(gradcli.GradcliError) as caught:
        solve(*args, **kwargs)
    return f"{caught.value.message} | {caught.value.hint}"


def codes(result: gradcli.Result) -> list[str]:
    return [note.code for note in result.notes]


# ---- roots and passes ----


def test_a_scalar_root_needs_no_upstream():
    result = solve("sum(x**2)", {"x": [1, 2]})
    assert result.passes[0].source == "implicit-one"
    assert result.gradients["x"].tolist() == [2, 4]


@pytest.mark.parametrize("shape", ["x", "x*ones(1)", "x*ones(1,1)"])
def test_any_root_of_one_element_counts_as_scalar(shape):
    result = solve(shape, {"x": 3})
    assert (result.passes[0].source, float(result.gradients["x"]), result.notes) == ("implicit-one", 1, ())


def test_a_vector_root_without_upstream_is_summed_and_said():
    result = solve("x**2", {"x": [1, 2]})
    assert result.passes[0].source == "ones"
    assert result.gradients["x"].tolist() == [2, 4]
    assert "y has shape (2,)" in result.notes[0].message and "sum(y)" in result.notes[0].message


def test_of_names_the_root():
    result = solve("y = x**2; z = 3*y", {"x": 2}, of="y")
    assert (result.root.name, float(result.root.value), float(result.gradients["x"])) == ("y", 4, 4)
    assert result.intermediates == ()


def test_a_pass_from_a_named_node_makes_it_the_root():
    result = solve("y = x**2; z = sum(y)", {"x": [1, 2]}, grad={"y": [1, 10]})
    assert (result.root.name, result.gradients["x"].tolist()) == ("y", [2, 40])


def test_gradients_reach_every_statement():
    result = solve("a = x*x; b = 3*a; c = sum(b)", {"x": [1, 2]})
    assert {name: value.tolist() for name, value in result.reaching.items()} == {"a": [3, 3], "b": [1, 1]}
    assert result.root.gradient.tolist() == 1


def test_what_reaches_adds_up_over_passes():
    two = solve("a = 2*x; y = a*a", {"x": 3}, grad=[{"y": 1}, {"y": 10}])
    assert float(two.reaching["a"]) == 12 * 11
    assert [float(one.gradients["x"]) for one in two.passes] == [24, 264]
    zeroed = solve("a = 2*x; y = a*a", {"x": 3}, grad=[{"y": 1}, {"y": 10}], zero_grad=True)
    assert float(zeroed.reaching["a"]) == 120
    assert [float(one.gradients["x"]) for one in zeroed.passes] == [24, 240]


def test_conditions_and_places_are_refused_as_roots():
    assert "condition" in refused("x > 0", {"x": [1]})
    assert "whole numbers" in refused("argmax(x)", {"x": [1, 2]})


def test_a_constant_program_has_no_leaves():
    result = solve("2 + 3")
    assert (float(result.root.value), result.leaves, result.agrees) == (5, (), None)


# ---- upstream gradients ----


def test_mismatched_upstream_is_refused_with_both_shapes():
    said = refused("x*x", {"x": [1, 2, 3]}, grad=[1, 2])
    assert "(2,)" in said and "(3,)" in said


def test_smaller_upstream_is_not_broadcast():
    said = refused("x*x", {"x": [[1, 2], [3, 4]]}, grad=[1, 1])
    assert "(2,)" in said and "(2, 2)" in said
    assert "(1,)" in refused("x*x", {"x": [1, 2]}, grad=[1])


def test_expand_adds_up_the_weights():
    result = solve("3*a", {"a": [2]}, grad=[0.1, 1, 1e-4], expand=True)
    assert result.gradients["a"].tolist() == pytest.approx([3.3003])
    assert codes(result) == ["expanded"]
    assert "[1.1001]" in result.notes[0].message
    assert result.passes[0].upstream.tolist() == pytest.approx([1.1001])


def test_expand_that_is_not_needed_says_nothing():
    result = solve("3*a", {"a": [2, 3]}, grad=[1, 2], expand=True)
    assert (result.gradients["a"].tolist(), result.notes) == ([3, 6], ())


def test_expand_does_not_shrink():
    assert "(2,)" in refused("3*a", {"a": [1, 2]}, grad=1, expand=True)


# ---- losses ----


def test_a_loss_is_worked_out_and_shown():
    result = solve("x*[1, 2]", {"x": 3}, loss="sum(y**2)")
    assert result.passes[0].upstream.tolist() == [6, 12]
    assert float(result.gradients["x"]) == 30
    assert (result.passes[0].source, result.agrees) == ("loss", True)
    assert "sum(y**2)" in result.loss


def test_a_loss_may_speak_of_inputs_that_the_program_does_not_use():
    result = solve("W@x", {"W": [[1, 2]], "x": [3, 4], "t": [10]}, loss="sum((y - t)**2)")
    assert list(result.gradients) == ["W", "x"]
    assert result.gradients["x"].tolist() == [2, 4]
    assert result.notes == ()


def test_what_a_loss_owes_to_leaves_directly_is_said():
    result = solve("2*x", {"x": 3}, loss="y**2 + x")
    assert float(result.gradients["x"]) == 24
    assert codes(result) == ["convention"]
    assert "depends on x directly" in result.notes[0].message


def test_a_loss_must_be_one_number_and_depend_on_the_root():
    assert "(2,)" in refused("[x, x]", {"x": 3}, loss="y**2")
    assert "does not depend on y" in refused("2*x", {"x": 3}, loss="x**2")


# ---- leaves ----


def test_no_inputs_at_all_are_ones_of_the_upstreams_shape():
    result = solve("a*b", grad=[[1, 2], [3, 4]])
    assert result.gradients["a"].tolist() == [[1, 2], [3, 4]]
    assert codes(result) == ["default-inputs"]
    alone = solve("a*3")
    assert float(alone.gradients["a"]) == 3
    assert alone.notes[0].message == "No inputs were given, so a is 1."


def test_some_inputs_missing_is_an_error_that_names_them():
    assert "'b'" in refused("a*b", {"a": 1})


def test_wrt_keeps_the_others_constant():
    result = solve("a*b", {"a": 2, "b": 3}, wrt="b")
    assert {name: float(value) for name, value in result.gradients.items()} == {"b": 2}


def test_an_unused_input_has_zeros_and_a_note():
    result = solve("a*2", {"a": 1, "b": [5, 6]})
    assert result.gradients["b"].tolist() == [0, 0]
    assert codes(result) == ["unused-input"]


def test_an_unused_input_left_out_of_wrt_is_not_shown():
    assert list(solve("a*2", {"a": 1, "b": 5}, wrt="a").gradients) == ["a"]


def test_a_leaf_that_the_root_does_not_reach_has_zeros_and_a_note():
    result = solve("y = 2*a; z = y*b", {"a": 1, "b": 3}, of="y")
    assert float(result.gradients["b"]) == 0
    assert [note.name for note in result.notes if note.code == "zero-gradient"] == ["b"]
    detached = solve("detach(a)*2", {"a": 1})
    assert float(detached.gradients["a"]) == 0
    assert codes(detached) == ["zero-gradient"]


def test_masks_and_indices_are_no_leaves():
    result = solve("where(c, x, z)", {"c": [True, False], "x": [1, 2], "z": [3, 4]}, grad=[1, 1])
    assert {name: value.tolist() for name, value in result.gradients.items()} == {"x": [1, 0], "z": [0, 1]}
    picked = solve("sum(gather(x, 0, t))", {"x": [1, 2, 3], "t": [0, 0, 2]})
    assert {name: value.tolist() for name, value in picked.gradients.items()} == {"x": [2, 0, 1]}
    assert "t serves as an index" in refused("sum(gather(x, 0, t))", {"x": [1, 2], "t": [0]}, wrt="t")


def test_random_values_say_their_seed():
    result = solve("sum(x)", {"x": "rand(3, seed=4)"})
    assert [(note.code, note.name) for note in result.notes] == [("random", "x")]
    assert "seed 4" in result.notes[0].message


# ---- Jacobians ----


def test_small_jacobians_show_entries_and_numbers():
    jacobian = solve("[a*a, 3*a]", {"a": 2}, grad=[1, 1]).leaves[0].jacobian
    assert jacobian.table == ["2*a", "3"]
    assert jacobian.values.tolist() == [4, 3]


def test_jacobians_have_the_roots_axes_first():
    values = solve("W@x", {"W": [[1, 2], [3, 4], [5, 6]], "x": [7, 8]}, grad=[1, 1, 1]).leaves[0].jacobian.values
    assert values.shape == (3, 3, 2) if values is not None else True
    shown = solve("W@x", {"W": [[1, 2], [3, 4]], "x": [7, 8]}, grad=[1, 1]).leaves[0].jacobian.values
    assert shown.shape == (2, 2, 2)
    assert shown[1, 1].tolist() == [7, 8] and shown[0, 1].tolist() == [0, 0]


def test_large_jacobians_are_formulas_unless_asked_for():
    side = int(formulas.SMALL**0.5) + 1
    inputs = {"x": list(range(side))}
    assert solve("x*x", inputs).leaves[0].jacobian.values is None
    asked = solve("x*x", inputs, jacobian="values").leaves[0].jacobian
    assert asked.values.shape == (side, side)
    assert asked.table is None
    np.testing.assert_allclose(asked.values, np.diag(2.0 * np.arange(side)))
    assert solve("x*x", inputs, jacobian="matrix").leaves[0].jacobian.table is not None


@pytest.mark.parametrize("view", ["matrix", "values"])
def test_a_matrix_that_is_too_large_is_refused(view):
    assert "1,000,000" in refused("x*x", {"x": "ones(1000)"}, jacobian=view)


def test_no_jacobian_when_none_is_asked_for():
    leaf = solve("x*x", {"x": 3}, jacobian="none").leaves[0]
    assert (leaf.jacobian, leaf.closed_form, leaf.agreement.compared) == (None, None, False)
    assert solve("x*x", {"x": 3}, jacobian="none", check=True).leaves[0].agreement.closed_form is not None
    formula = solve("x*x", {"x": 3}, jacobian="formula").leaves[0].jacobian
    assert (formula.table, formula.values) == (None, None)


def test_one_derivation_serves_the_same_program_and_shapes():
    formulas.derived.cache_clear()
    for value in (1, 2, 3):
        solve("sin(x)*x", {"x": value})
    assert formulas.derived.cache_info().misses == 1
    solve("sin(x)*x", {"x": [1, 2]})
    assert formulas.derived.cache_info().misses == 2


# ---- dtypes and devices ----


def test_dtype_overrules_and_is_shown():
    result = solve("x*2", {"x": [1, 2]}, dtype="float32", grad=[1, 1])
    assert (result.root.dtype, result.leaves[0].tensor.dtype) == ("float32", "float32")
    kept = solve("x*2", {"x": torch.ones(2, dtype=torch.float32)}, grad=[1, 1])
    assert kept.leaves[0].tensor.dtype == "float32"


def test_absent_devices_and_dtypes_are_refused_with_what_there_is():
    assert "cpu" in refused("x", {"x": 1}, device="cuda:7")
    assert "float64" in refused("x", {"x": 1}, dtype="float8")


def test_solving_twice_gives_the_same_result():
    inputs = {"x": [0, -1, 2], "W": [[1, 2, 3], [4, 5, 6]]}
    first, second = (solve("relu(W@x)", inputs, grad=[1, 2]) for _ in range(2))
    assert [note.message for note in first.notes] == [note.message for note in second.notes]
    assert first.leaves[1].jacobian.form == second.leaves[1].jacobian.form

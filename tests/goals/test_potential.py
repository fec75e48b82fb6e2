"""Potential: a function of the caller's own."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import GoalError
from manikin.goals import Potential

from .test_goal import refused

P, AXES = np.array([1.0, 2.0, 3.0]), np.eye(3)


@pytest.mark.parametrize("value", [None, 3, "f"])
def test_the_function_must_be_callable(value):
    assert "callable" in refused("potential", "function", value)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (-1.0, "must not be negative"),
        (np.nan, "must be finite"),
        (np.inf, "must be finite"),
        ("small", "must be a number"),
    ],
)
def test_the_tolerance_must_be_a_finite_number_not_negative(value, says):
    assert says in refused("potential", "tolerance", value)


def test_an_answer_is_the_value_and_gradients_as_arrays():
    goal = Potential("hand", lambda r, v: (r @ r, (2 * r).tolist(), np.zeros((3, 3), int)))
    value, force, by_axes = goal.evaluate(P, AXES)
    assert value == 14.0 and force.tolist() == [2.0, 4.0, 6.0]
    assert by_axes.dtype == np.float64 and by_axes.shape == (3, 3)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (1.0, "must return"),
        (None, "must return"),
        ((1.0, P), "must return"),
        (("high", P, AXES), "must return"),
        ((1.0, [1, 2], AXES), r"\(2,\)"),
        ((1.0, P, P), r"\(3,\) and \(3,\)|shapes"),
        ((np.nan, P, AXES), "not finite"),
        ((1.0, [np.inf, 0, 0], AXES), "not finite"),
        ((1.0, P, np.full((3, 3), np.nan)), "not finite"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_by_name(answer, says):
    goal = Potential("hand", lambda r, v: answer)
    with pytest.raises(GoalError, match=rf"^potential of 'hand': .*({says})"):
        goal.evaluate(P, AXES)


def test_errors_of_the_function_itself_come_through():
    def broken(r, v):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Potential("hand", broken).evaluate(P, AXES)


def test_what_rounding_leaves_below_zero_is_zero_and_more_is_refused():
    assert Potential("hand", lambda r, v: (-2e-16, P, AXES)).evaluate(P, AXES)[0] == 0.0
    with pytest.raises(GoalError, match=r"must not be negative, it returned -0\.001"):
        Potential("hand", lambda r, v: (-1e-3, P, AXES)).evaluate(P, AXES)

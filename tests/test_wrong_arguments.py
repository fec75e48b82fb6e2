"""Whatever is handed to a public name, an error is one of Manikin's, with words, at the call that caused it."""

from __future__ import annotations

import pytest
from tests.wrong import body, calls, names, tried, valid

import manikin as mk
from manikin.errors import FigureError, ManikinError

#: Those whose every call takes long, of which each argument is tried with a few values only.
SLOW = ("approach", "human", "population", "refined", "retarget", "solve_many", "track")
FEW = ("text", "None", "NaN", "two numbers", "an object", "a figure", "huge")


@pytest.mark.parametrize("name", names())
def test_only_errors_of_the_family_leave_a_public_name(name):
    """One argument wrong at a time; a goal that was made in spite of it is solved for, too."""
    found = []
    for said, given in calls(name):
        if name in SLOW and not said.removesuffix(")").endswith(tuple(f"={few}" for few in FEW)):
            continue
        words, made = tried(getattr(mk, name), given)
        if isinstance(made, mk.Goal):
            words, _ = tried(lambda made=made: mk.solve(body(), [made], restarts=0), {})
        if words:
            found.append(f"{said}: {words}")
    assert found == []


def test_the_calls_that_are_made_wrong_are_right_to_begin_with():
    """But for files that are not there, which are refused in words."""
    for name, given in valid().items():
        try:
            getattr(mk, name)(**given)
        except ManikinError as error:
            assert name in ("load", "load_motion", "save"), f"{name}: {error}"


def test_every_public_name_with_arguments_has_a_call_or_needs_none():
    needed = ("Dof", "Solution", "Solutions", "Population", "SixAxis", "SwivelTable")
    for name in names():
        if name not in needed and name not in valid():
            getattr(mk, name)()


def test_text_for_a_coupling_is_refused_where_the_figure_is_made():
    joints = [mk.Joint("a", "s", "t", "R(z)"), mk.Joint("b", "t", "u", "R(z)")]
    with pytest.raises(FigureError, match=r"expected a Coupling, got 'a = b'; Coupling.parse reads one"):
        mk.Figure("f", "stu", joints, couplings=["a = b"])

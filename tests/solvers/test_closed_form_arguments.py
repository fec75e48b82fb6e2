"""What the closed forms are asked for is checked: finite, of the right shape, rotations that are rotations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.arms import iiwa
from tests.solvers.test_arm_stretched import _straight

import manikin as mk
from manikin.closed_form.planar import three_links, two_links

ARM = mk.Arm(iiwa(), None, site="tool")
Q = np.array([0.3, 0.5, 0.1, 0.9, 0.4, 0.2, 0.1])
TARGET = ARM.pose(Q).matrix("tool")
BAD = [np.nan, np.inf, -np.inf, "far", None, [1.0, 2.0]]


def _off(**entries) -> np.ndarray:
    """The target with some entries replaced."""
    result = TARGET.copy()
    for where, value in entries.items():
        result[int(where[1]), int(where[2])] = value
    return result


BAD_TARGETS = {
    "a NaN in the rotation": (_off(e00=np.nan), "must be finite"),
    "a NaN in the position": (_off(e13=np.nan), "must be finite"),
    "an infinite position": (_off(e03=np.inf), "must be finite"),
    "a stretched rotation": (_off(e00=TARGET[0, 0] + 1e-5), "no rotation"),
    "a mirror image": (TARGET * [[1, 1, -1, 1]] * 1.0, "no rotation"),
    "a transposed placement": (TARGET.T.copy(), "last row"),
    "a rotation alone": (TARGET[:3, :3], "shape"),
    "words": ("here", "must be numbers"),
}
CALLS = {
    "solve": lambda t: ARM.solve(t),
    "solve at a swivel": lambda t: ARM.solve(t, 0.1),
    "check": lambda t: ARM.check(t),
    "solve_fixed": lambda t: ARM.solve_fixed(t, 0, 0.1),
    "swivel_families": lambda t: ARM.swivel_families(t),
    "swivel_intervals": lambda t: ARM.swivel_intervals(t),
    "swivel_towards": lambda t: ARM.swivel_towards(t, [0.0, 0.0, 0.0]),
    "natural_swivel": lambda t: ARM.natural_swivel(t),
    "seen_from_shoulder": lambda t: ARM.seen_from_shoulder(t),
    "polish": lambda t: ARM.polish(t, Q),
    "tracker": lambda t: mk.ArmTracker(ARM, Q).step(t),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("bad", BAD_TARGETS)
def test_a_target_that_is_none_is_refused_in_words(call, bad):
    target, words = BAD_TARGETS[bad]
    with pytest.raises(mk.SolveError, match=f"arm: .*{words}"):
        CALLS[call](target)


@pytest.mark.parametrize("call", ["solve_many", "track", "follow", "foresee", "learn_swivels"])
@pytest.mark.parametrize("bad", [name for name in BAD_TARGETS if name not in ("a rotation alone", "words")])
def test_of_many_targets_the_first_that_is_none_is_named(call, bad):
    target, words = BAD_TARGETS[bad]
    many = np.stack([TARGET, target, TARGET])
    calls = {
        "solve_many": lambda: ARM.solve_many(many),
        "track": lambda: ARM.track(many, Q),
        "follow": lambda: mk.ArmTracker(ARM, Q).follow(many),
        "foresee": lambda: mk.ArmTracker(ARM, Q).foresee(many),
        "learn_swivels": lambda: ARM.learn_swivels(many, np.stack([Q] * 3)),
    }
    with pytest.raises(mk.SolveError, match=f"arm: target 1 .*{words}"):
        calls[call]()


@pytest.mark.parametrize("bad", BAD)
def test_numbers_that_are_none_are_refused_with_the_argument_named(bad):
    numbers = {
        "the swivel": lambda: ARM.solve(TARGET, "up" if bad is None else bad),
        "the fixed value": lambda: ARM.solve_fixed(TARGET, 0, bad),
        "prefer": lambda: ARM.preferred_swivel(TARGET, [] if isinstance(bad, str) else bad),
        "roll": lambda: ARM.aimed([0.3, 0.1, 0.4], [1.0, 0.0, 0.0], roll=bad),
        "the greatest step": lambda: mk.ArmTracker(ARM, Q, step="far" if bad is None else bad),
        "the joint speed": lambda: ARM.track(TARGET[None], Q, speed="fast" if bad is None else bad),
    }
    for name, call in numbers.items():
        with pytest.raises(mk.SolveError, match=f"arm: {name} must be "):
            call()
    if bad is not None:
        with pytest.raises(mk.SolveError, match="arm: the swivel must be "):
            ARM.solve_position(TARGET[:3, 3], Q, swivel=bad)
        with pytest.raises(mk.SolveError, match=r"arm: .*swivel"):
            ARM.solve_many(np.stack([TARGET] * 3), bad)


def test_an_unknown_preference_is_told_all_that_there_are():
    with pytest.raises(
        mk.SolveError, match="'widest', 'rest', 'natural', 'outward', a SwivelTable or a number"
    ):
        ARM.solve(TARGET, prefer="best")
    with pytest.raises(mk.SolveError, match=r"ask solve\(prefer='rest'\)"):
        ARM.preferred_swivel(TARGET, "rest")


def test_foresight_is_true_or_false():
    with pytest.raises(mk.SolveError, match="foresight must be true or false, got 'no'"):
        ARM.track(TARGET[None], Q, foresight="no")


@pytest.mark.parametrize("bad", [[np.nan, 0.0, 0.0], [0.0, np.inf, 0.0], [0.0, 0.0], "there", 1.0])
def test_points_that_are_none_are_refused_with_the_argument_named(bad):
    for name, call in {
        "the position": lambda: ARM.solve_position(bad, Q),
        "the point": lambda: ARM.swivel_towards(TARGET, bad),
        "at": lambda: ARM.aimed([0.3, 0.1, 0.4], bad),
        "axis": lambda: ARM.aimed([0.3, 0.1, 0.4], [1.0, 0.0, 0.0], axis=bad),
    }.items():
        with pytest.raises(mk.SolveError, match=f"arm: {name} must be "):
            call()


@pytest.mark.parametrize("bad", [Q[:6], np.full(7, np.nan), 0.0, "rest", np.where(Q > 0.8, np.inf, Q)])
def test_joint_values_that_are_none_are_refused(bad):
    for call in (
        lambda: ARM.pose(bad),
        lambda: ARM.swivel(bad),
        lambda: ARM.polish(TARGET, bad),
        lambda: ARM.solve_position(TARGET[:3, 3], bad),
        lambda: mk.ArmTracker(ARM, bad),
        lambda: mk.ArmTracker(ARM, Q).restart(bad),
        lambda: ARM.track(TARGET[None], bad),
    ):
        with pytest.raises(
            mk.SolveError, match=r"the (joint|start) values must be|finite (joint|start) values"
        ):
            call()


def _six(limit: float | None = None) -> mk.SixAxis:
    joints = [
        mk.Joint(
            f"j{i}",
            f"s{i}",
            f"s{i + 1}",
            f"R({a})",
            placement=(0.05 * (i == 1), 0.0, h),
            lower=None if limit is None else -limit,
            upper=limit,
        )
        for i, (a, h) in enumerate(zip("zyyzyz", [0.3, 0.1, 0.4, 0.2, 0.25, 0.0], strict=True))
    ]
    tip = mk.Site("tip", "s6", (0.02, 0.01, 0.1))
    return mk.SixAxis(mk.Figure("six", [f"s{i}" for i in range(7)], joints, [tip]), "tip")


def test_six_axes_check_theirs_and_say_who_asks():
    arm = _six()
    target = arm.pose(np.full(6, 0.3)).matrix("tip")
    for entry, words in ((np.nan, "must be finite"), (2.0, "no rotation")):
        bad = target.copy()
        bad[0, 0] = entry
        with pytest.raises(mk.SolveError, match=f"six axes: the target .*{words}"):
            arm.solve(bad)
    for bad in (np.zeros(5), 0.0, np.full(6, np.nan)):
        with pytest.raises(mk.SolveError, match="six axes: expected 6 finite joint values"):
            arm.pose(bad)
    for bad in (np.nan, -1.0, "rough"):
        with pytest.raises(mk.SolveError, match="six axes: alignment must"):
            mk.SixAxis(arm.figure, "tip", alignment=bad)


@pytest.mark.parametrize("limit", [1e3, 1e9, 1e200])
def test_limits_of_many_turns_are_refused_in_words_and_do_not_run_for_ever(limit):
    arm = _six(limit)
    with pytest.raises(mk.SolveError, match="solutions by whole turns"):
        arm.solve(arm.pose(np.full(6, 0.3)).matrix("tip"))


def test_planar_chains_check_theirs():
    for call, words in (
        (lambda: two_links(0.5, np.nan, (0.1, 0.2)), "a link's length"),
        (lambda: two_links(0.5, 0.3, (np.nan, 0.2)), "target"),
        (lambda: two_links(0.5, 0.3, (0.1, 0.2, 0.3)), "target"),
        (lambda: two_links(0.5, 0.3, (0.6, 0.2), near=(np.inf, 0.0)), "near"),
        (lambda: two_links(0.5, 0.3, (0.6, 0.2), limits=[(0.0, 1.0)]), "limits"),
        (lambda: two_links(0.5, 0.3, (0.6, 0.2), limits=[(0.0, np.nan), (0.0, 1.0)]), "limits"),
        (lambda: three_links((0.5, 0.3), (0.6, 0.2), 0.1), "lengths"),
        (lambda: three_links((0.5, 0.3, 0.2), (0.6, 0.2), np.nan), "heading"),
    ):
        with pytest.raises(mk.SolveError, match=f"planar chain: {words} must be"):
            call()


def test_a_folded_chain_is_one_solution():
    found = mk.two_links(0.4, 0.4, (0.0, 0.0))
    assert found.shape == (1, 2) and abs(found[0, 1]) == pytest.approx(np.pi)
    found = mk.two_links(0.5, 0.3, (0.2, 0.0))
    assert len(found) == 1
    assert len(mk.three_links((0.4, 0.4, 0.1), (0.1, 0.0), 0.0)) == 1
    assert mk.two_links(0.5, 0.3, (0.6, 0.2), limits=[(12.0, 20.0), (-20.0, -12.0)]).shape[0] >= 1


def test_a_ball_jointed_limb_checks_the_same():
    arm = mk.Arm(_straight((True, True)), None, site="tip")
    target = arm.pose(np.zeros(7)).matrix("tip")
    with pytest.raises(mk.SolveError, match="arm: the swivel must be finite"):
        arm.solve(target, np.nan)
    with pytest.raises(mk.SolveError, match="arm: the fixed value must be finite"):
        arm.solve_fixed(target, 2, np.nan)

"""Seeds move only what a missed goal depends on; all else stays as in the start."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.kernels.projection.solve import OUT_ERRORS
from manikin.kernels.search.lanes import END_X, lm_lanes
from manikin.solvers.starts import search
from manikin.solvers.starts.concerned import general_seeds, move_what_misses

from .samples import ROBOTS, check, random_pose, robot

SITES = ROBOTS["talos"][2]
LEFT_HAND, RIGHT_HAND, LEFT_FOOT, RIGHT_FOOT = SITES
TOLERANCE, ANYWHERE = (1e-3, 1e-2), (1e3, 1e3)
FAR = 1e4


def standing(rng: np.random.Generator) -> mk.Pose:
    """Talos with every joint near the middle of its range, somewhere."""
    figure = robot("talos")
    q = np.array(random_pose(figure, rng).q)
    lower, upper = figure.lower[6:], figure.upper[6:]
    q[6:] = np.clip(0.5 * (lower + upper) + rng.uniform(-0.1, 0.1, len(lower)), lower, upper)
    return figure.pose(q)


def placement(pose: mk.Pose, site: str) -> mk.Placement:
    frame = pose.matrix(site)
    return mk.Placement(site, frame[:3, 3], frame[:3, :3])


def of_limb(figure: mk.Figure, word: str) -> np.ndarray:
    return np.array([word in name for name in figure.dofs])


def seeds_of(problem: mk.Problem, start: np.ndarray, misses: np.ndarray, count: int) -> np.ndarray:
    """Where the first seeds begin, given and of the sequence, of a problem whose goals are met anywhere."""
    packed, fast = problem._packed, problem._fast
    search.load_lanes(packed)
    search.seeds.shift(fast.bounds, 0)
    fast.seed = 0
    move_what_misses(packed, fast, start, misses)
    given = general_seeds(packed, fast, start)
    ends = np.full((count, END_X + len(packed.variables)), np.nan)
    q, out = start.copy(), np.zeros(OUT_ERRORS + packed.parts)
    arrays = packed.structure, packed.parameters, packed.workspace, fast.ints, fast.reals, fast.lanes
    lm_lanes(*arrays, q, out, given, 0, ends, 1, 1, True, 0)
    found = np.tile(start, (count, 1))
    found[:, packed.variables] = ends[:, END_X:]
    return found


def test_the_variables_that_move_a_term_are_those_between_its_site_and_the_root():
    figure, rng = robot("talos"), np.random.default_rng(1)
    pose = standing(rng)
    problem = mk.Problem(pose, [placement(pose, site) for site in SITES])
    moves = problem._fast.moves
    names = np.array(problem.variables)
    for part in range(8):
        site = SITES[part // 2]
        for i, name in enumerate(names):
            q = np.array(pose.q)
            q[figure.index(name)] += 1e-3
            moved = np.abs(figure.pose(q).matrix(site) - pose.matrix(site)).max() > 1e-9
            # A rotation of the root's about its own origin, or a slide, moves every site.
            assert moves[part, i] == moved


@pytest.mark.parametrize("missed", [[LEFT_HAND], [RIGHT_FOOT], [LEFT_HAND, RIGHT_HAND]])
def test_seeds_leave_limbs_alone_whose_goals_are_met(missed):
    figure, rng = robot("talos"), np.random.default_rng(2)
    pose = standing(rng)
    problem = mk.Problem(pose, [placement(pose, site) for site in SITES], tolerance=ANYWHERE)
    start = np.array(random_pose(figure, rng).q)
    misses = np.repeat([FAR if site in missed else 0.0 for site in SITES], 2)
    seeds = seeds_of(problem, start, misses, 20)
    limbs = {LEFT_HAND: "arm_left", RIGHT_HAND: "arm_right", LEFT_FOOT: "leg_left", RIGHT_FOOT: "leg_right"}
    for site, word in limbs.items():
        same = seeds[:, of_limb(figure, word)] == start[of_limb(figure, word)]
        if site in missed:
            assert not same.any()
        else:
            assert same.all()
    everything = seeds_of(problem, start, np.full(8, FAR), 20)
    assert not any(
        (everything[:, of_limb(figure, word)] == start[of_limb(figure, word)]).any()
        for word in limbs.values()
    )


def test_a_goal_that_is_switched_off_is_none_that_is_missed():
    figure, rng = robot("talos"), np.random.default_rng(3)
    pose = standing(rng)
    problem = mk.Problem(pose, [placement(pose, site) for site in SITES], tolerance=ANYWHERE)
    problem.set(2, active=False)
    start = np.array(random_pose(figure, rng).q)
    seeds = seeds_of(problem, start, np.full(8, FAR), 8)
    leg = of_limb(figure, "leg_left")
    assert (seeds[:, leg] == start[leg]).all()
    assert not (seeds[:, of_limb(figure, "leg_right")] == start[of_limb(figure, "leg_right")]).any()


def searching_hands(count: int):
    """Problems that start with both feet and a hand in place and the other hand elsewhere."""
    figure, rng = robot("talos"), np.random.default_rng(4)
    arm = of_limb(figure, "arm_left")
    for _ in range(count):
        q = np.array(standing(rng).q)
        q[arm] = rng.uniform(figure.lower[arm], figure.upper[arm])
        start = figure.pose(q)
        problem = mk.Problem(start, [placement(start, site) for site in SITES], tolerance=TOLERANCE)
        q[arm] = rng.uniform(figure.lower[arm], figure.upper[arm])
        frame = figure.pose(q).matrix(LEFT_HAND)
        problem.set(0, position=frame[:3, 3], orientation=frame[:3, :3])
        yield problem


def test_a_hand_that_begins_elsewhere_leaves_the_feet_and_the_other_hand_more_as_they_were(monkeypatch):
    figure = robot("talos")
    others = of_limb(figure, "leg_") | of_limb(figure, "arm_right")

    def moved() -> list[float]:
        found = [check(problem.solve(), tolerance=TOLERANCE) for problem in searching_hands(60)]
        assert all(one.reached for one in found)
        return [np.linalg.norm((one.q - one._start)[others]) for one in found if one.starts > 1]

    kept = moved()
    monkeypatch.setattr("manikin.solvers.methods.auto.move_what_misses", lambda *_: None)
    flung = moved()
    assert len(kept) >= 8 and len(flung) >= 8
    assert np.median(kept) < 0.7 * np.median(flung)

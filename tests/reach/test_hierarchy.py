"""The reach hierarchy: goals of legal poses are all reached, goals outside are refused with a proof, and the first
joints turn no more than they have to.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import least_squares
from tests.reach.arms import CASES, legal, planar
from tests.reach.samples import X, Y, Z, chain

import manikin as mk
from manikin.figure import kinematics
from manikin.reach import Hierarchy

PLANE = chain([Z, Z, Z], [0.5, 0.3, 0.2], [(-0.6, 0.9), (0.1, 1.5), (-1.0, 0.7)])
NODES = 200_000
ROBOTS = ("planar, 4 hinges", "PUMA 560, 5 cm tool", "Stanford arm", "iiwa", "seven skew hinges")


@cache
def made(name: str) -> Hierarchy:
    figure, site, free = CASES[name]()
    return Hierarchy(figure, site, free=free, nodes=NODES)


def place(figure: mk.Figure, q: np.ndarray, site: str) -> np.ndarray:
    return kinematics.site_matrix(figure, q, site)[:3, 3]


def assert_legal(figure: mk.Figure, q: np.ndarray) -> None:
    assert (q >= figure.lower - 1e-9).all() and (q <= figure.upper + 1e-9).all()
    values = dict(zip(figure.dofs, q, strict=True))
    for coupling in figure.couplings:
        assert coupling.lower - 1e-9 <= coupling.value(values) <= coupling.upper + 1e-9
    for cone in figure.cones:
        assert cone.value(q) <= 1.0 + 1e-9


@pytest.mark.parametrize("name", CASES)
def test_every_goal_of_a_legal_pose_is_reached_within_all_limits(name):
    hierarchy = made(name)
    figure, site = hierarchy.figure, hierarchy.site
    poses = legal(figure, hierarchy.dofs, 24, seed=11)
    for pose, start in zip(poses[:12], poses[12:], strict=True):
        goal = place(figure, pose, site)
        found = hierarchy.solve(goal, start)
        assert found.reached, str(found)
        assert np.linalg.norm(place(figure, found.q, site) - goal) < 1e-9
        assert_legal(figure, found.q)


@pytest.mark.parametrize(
    "name", ["planar, 5 hinges", "PUMA 560, 5 cm tool", "Stanford arm", "iiwa", "human leg"]
)
def test_goals_of_poses_at_the_limits_are_reached(name):
    hierarchy = made(name)
    figure, site, dofs = hierarchy.figure, hierarchy.site, hierarchy.dofs
    rng = np.random.default_rng(3)
    for _ in range(12):
        pose = np.array(figure.rest)
        share = rng.choice([0.0, 1.0, 0.5, 0.2], size=len(dofs))
        pose[dofs] = figure.lower[dofs] + share * (figure.upper[dofs] - figure.lower[dofs])
        goal = place(figure, pose, site)
        found = hierarchy.solve(goal)
        assert found.reached, str(found)
        assert np.linalg.norm(place(figure, found.q, site) - goal) < 1e-9


@pytest.mark.parametrize("name", CASES)
def test_a_goal_far_outside_is_refused_with_a_bound_that_scipy_cannot_beat(name):
    hierarchy = made(name)
    figure, site, dofs = hierarchy.figure, hierarchy.site, hierarchy.dofs
    poses = legal(figure, dofs, 300, seed=2)
    tips = figure.forward(poses, [site])[:, 0, :3, 3]
    middle = tips.mean(axis=0)
    far = int(np.argmax(np.linalg.norm(tips - middle, axis=1)))
    goal = middle + (tips[far] - middle) * 1.35
    found = hierarchy.solve(goal)
    assert found.verdict == "outside W[1]" and found.outside == 1
    assert found.bound > found.position_tolerance
    assert np.array_equal(found.q, hierarchy.pose.q)

    assert found.bound <= np.linalg.norm(tips - goal, axis=1).min()
    if name in ROBOTS:

        def gap(x: np.ndarray) -> np.ndarray:
            q = np.array(figure.rest)
            q[dofs] = x
            return place(figure, q, site) - goal

        ends = figure.lower[dofs], figure.upper[dofs]
        begin = np.clip(poses[far][dofs], ends[0] + 1e-9, ends[1] - 1e-9)
        nearest = np.sqrt(2.0 * least_squares(gap, begin, bounds=ends).cost)
        assert 0.5 * nearest < found.bound <= nearest + 1e-9


def test_a_goal_off_the_plane_of_a_planar_chain_is_refused():
    found = made("planar, 4 hinges").solve([1.0, 1.0, 0.01])
    assert found.verdict == "outside W[1]" and 1e-4 < found.bound <= 0.01


def test_a_goal_that_the_later_joints_reach_leaves_the_first_where_it_is():
    start = np.array([0.3, 0.8, 0.0])
    goal = place(PLANE, np.array([0.3, 0.5, 0.3]), "tip")
    found = Hierarchy(PLANE, "tip", nodes=NODES).solve(goal, start)
    assert found.reached and found.q[0] == start[0]


def two_links_reach(x: np.ndarray, y: np.ndarray, end: float) -> np.ndarray:
    """Whether two unit links with hinges within ±end reach these points: the law of cosines."""
    with np.errstate(invalid="ignore"):
        bend = np.arccos((x * x + y * y - 2.0) / 2.0)
    found = np.zeros(x.shape, bool)
    for b in (bend, -bend):
        first = np.arctan2(y, x) - np.arctan2(np.sin(b), 1.0 + np.cos(b))
        first -= 2.0 * np.pi * np.round(first / (2.0 * np.pi))
        found |= (np.abs(first) <= end) & (np.abs(b) <= end)
    return found


@pytest.mark.parametrize(("hinges", "steps"), [(3, 1), (4, 3001)])
def test_no_turn_of_a_planar_chain_is_greater_than_brute_force_finds_necessary(hinges, steps):
    figure, site, _ = planar(hinges)
    hierarchy, end = made(f"planar, {hinges} hinges"), 1.5
    rng = np.random.default_rng(1)
    for _ in range(15):
        pose, start = rng.uniform(-end, end, (2, hinges))
        goal = place(figure, pose, site)
        x, y = goal[:2]
        q = hierarchy.solve(goal, start).q
        for i in range(hinges - 2):
            turned = abs(q[i] - start[i])
            if turned > 1e-6:
                less = start[i] + np.linspace(-1.0, 1.0, 601) * (turned - 1e-6 - 1e-3 * turned)
                less = less[np.abs(less) <= end]
                inner = np.linspace(-end, end, steps) if hinges - i == 4 else np.zeros(1)
                a = np.cos(less) * x + np.sin(less) * y - 1.0
                b = np.cos(less) * y - np.sin(less) * x
                if hinges - i == 4:
                    a, b = (
                        (np.cos(inner) * a[:, None] + np.sin(inner) * b[:, None] - 1.0),
                        (np.cos(inner) * b[:, None] - np.sin(inner) * a[:, None]),
                    )
                assert not two_links_reach(a, b, end).any()
            c, s = np.cos(q[i]), np.sin(q[i])
            x, y = c * x + s * y - 1.0, c * y - s * x


def test_no_nearer_turn_of_the_puma_is_found_by_the_solver_from_many_starts():
    hierarchy = made("PUMA 560, 5 cm tool")
    figure, site = hierarchy.figure, hierarchy.site
    poses = legal(figure, np.arange(figure.n), 12, seed=4)
    for pose, start in zip(poses[:6], poses[6:], strict=True):
        goal = place(figure, pose, site)
        q = hierarchy.solve(goal, start).q
        for i in range(3):
            turned = q[i] - start[i]
            if abs(turned) < 5e-3:
                continue
            held = np.repeat(start[None], 8, axis=0)
            held[:, :i] = q[:i]
            held[:, i] = start[i] + np.linspace(0.0, 0.99, 8) * turned
            for each in held:
                nearer = mk.solve_many(
                    figure.pose(each),
                    [mk.Position(site, goal)],
                    q0=np.repeat(each[None], 1, axis=0),
                    free=list(figure.dofs[i + 1 :]),
                    tolerance=(1e-8, 1e-3),
                    multistart=False,
                    restarts=20,
                )
                assert not nearer.reached.any()


def test_equal_starts_have_equal_answers():
    hierarchy = made("iiwa")
    goal = place(hierarchy.figure, legal(hierarchy.figure, hierarchy.dofs, 1, seed=8)[0], hierarchy.site)
    one, two = (hierarchy.solve(goal) for _ in range(2))
    assert np.array_equal(one.q, two.q)


def test_coordinates_that_follow_others_and_equalities_are_obeyed():
    names = ["base", "a", "b", "c", "d"]
    joints = [
        mk.Joint.revolute(
            f"j{k}", names[k], names[k + 1], Z, placement=(0.4 * (k > 0), 0, 0), lower=-1.2, upper=1.2
        )
        for k in range(4)
    ]
    ties = [mk.Coupling.parse("j3 = 0.5*j2"), mk.Coupling.parse("j0 + j1 <= 1.5")]
    finger = mk.Figure("finger", names, joints, [mk.Site("tip", "d", (0.4, 0, 0))], couplings=ties)
    hierarchy = Hierarchy(finger, "tip", nodes=20_000)
    rng = np.random.default_rng(0)
    for _ in range(10):
        q = rng.uniform(-1.2, 1.2, 4)
        q[3] = 0.5 * q[2]
        if q[0] + q[1] > 1.5:
            continue
        goal = place(finger, q, "tip")
        found = hierarchy.solve(goal)
        assert found.reached, str(found)
        assert_legal(finger, found.q)
    assert hierarchy.solve([2.0, 0.0, 0.0]).verdict == "outside W[1]"


def test_as_a_method_it_says_where_the_goal_is_outside_and_leaves_the_pose():
    problem = mk.Problem(PLANE, [mk.Position("tip", [0, 0, 0])])
    found = problem.solve(method="hierarchy", options={"nodes": NODES}, targets=[[2.0, 0.0, 0.0]])
    assert not found.reached and found.details["outside"] == 1
    assert found.details["verdict"] == "outside W[1]" and 0.8 < found.details["bound"] < 1.0 + 1e-9
    assert "W[1]" in found.details["says"]
    assert found.status == "out_of_reach"
    assert "it is outside W[1], at least" in str(found.explain()) and "proved" in str(found.explain())
    assert np.array_equal(found.q, problem.q0)
    goal = place(PLANE, np.array([0.3, 0.5, 0.3]), "tip")
    found = problem.solve(method="hierarchy", options={"nodes": NODES}, targets=[goal])
    assert found.reached and found.details["outside"] is None


def test_as_a_method_it_obeys_a_cone():
    figure, site, free = CASES["human leg, hip in a cone"]()
    goal = place(figure, legal(figure, made("human leg, hip in a cone").dofs, 1, seed=5)[0], site)
    problem = mk.Problem(figure, [mk.Position(site, goal)], free=free)
    found = problem.solve(method="hierarchy", options={"nodes": NODES})
    assert found.reached and found.feasible


def test_it_says_what_it_does_not_take():
    two = mk.Problem(PLANE, [mk.Position("tip", [0.5, 0, 0]), mk.Position("link1", [0.5, 0, 0])])
    with pytest.raises(mk.SolveError, match="one position"):
        two.solve(method="hierarchy")
    endless = mk.Figure(
        "cart", ["rail", "cart"], [mk.Joint("x", "rail", "cart", "T(x)")], [mk.Site("tip", "cart")]
    )
    with pytest.raises(mk.FigureError, match="slide without limits"):
        Hierarchy(endless, "tip")
    with pytest.raises(mk.FigureError, match="no free degree of freedom moves it"):
        Hierarchy(PLANE, "tip", free=[])
    with pytest.raises(mk.SolveError, match="three finite numbers"):
        Hierarchy(PLANE, "tip", nodes=2000).solve([0.0, np.nan, 0.0])
    with pytest.raises(mk.SolveError, match="nodes"):
        Hierarchy(PLANE, "tip", nodes=0)


def test_an_arm_in_space_with_axes_along_all_directions():
    figure = chain(
        [Z, Y, X, Y, Y], [0.1, 0.3, 0.1, 0.3, 0.2], [(-2, 2), (-1.5, 1.5), (-2, 2), (-2, 2), (-1.5, 1.5)]
    )
    hierarchy = Hierarchy(figure, "tip", nodes=NODES)
    q = np.random.default_rng(1).uniform(figure.lower, figure.upper, (30, 5))
    assert all(hierarchy.solve(place(figure, one, "tip")).reached for one in q)

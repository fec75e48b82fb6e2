"""Every goal alone, and every pair together, from targets that a pose meets; balance; cones."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.problems import moved
from tests.solvers.samples import robot

import manikin as mk

HUMAN = mk.human()
TALOS = robot("talos")
SITES = {
    "human": ("right_hand", "left_hand", "head", ("right_shoulder", "right_elbow", "right_wrist")),
    "talos": (
        "arm_right_7_link",
        "arm_left_7_link",
        "head_2_link",
        ("arm_right_2_link", "arm_right_4_link", "arm_right_5_link"),
    ),
}
FIGURES = {"human": HUMAN, "talos": TALOS}
FEET = {"human": ("left_foot", "right_foot"), "talos": ("left_sole_link", "right_sole_link")}


def nearby(figure: mk.Figure, rng: np.random.Generator, reach: float) -> mk.Pose:
    """A pose within the ranges, not too far from rest, the root where it is."""
    lower, upper = (
        np.maximum(figure.lower, figure.rest - reach),
        np.minimum(figure.upper, figure.rest + reach),
    )
    q = rng.uniform(lower, upper)
    root = [figure.dof(name).joint == "root" for name in figure.dofs]
    q[root] = figure.rest[root]
    return mk.solve(figure.pose(q), []).pose


def makers(name: str, met: mk.Pose, start: mk.Pose):
    """What makes each kind of goal so that the pose ``met`` meets it."""
    figure = met.figure
    hand, other, head, limb = SITES[name]
    at, frame = met.position(hand), met.matrix(hand)
    seen = np.linalg.inv(met.matrix(head)) @ met.matrix(other)
    away = at + np.array([0.0, 0.0, 0.35])
    points = [met.position(site) for site in limb]
    del start
    return {
        "position": lambda: mk.Position(hand, at),
        "orientation": lambda: mk.Orientation(hand, frame),
        "placement": lambda: mk.Placement(hand, at, frame),
        "aim": lambda: mk.Aim(head, met.position(head) + met.matrix(head)[:3, 0]),
        "on_line": lambda: mk.OnLine(other, met.position(other), [0.3, 1.0, 0.2]),
        "on_plane": lambda: mk.OnPlane(other, met.position(other), [0.0, 0.5, 1.0]),
        "inside_box": lambda: mk.Inside(hand, mk.Box(center=at + 0.03, size=[0.1, 0.1, 0.1])),
        "inside_ball": lambda: mk.Inside(other, mk.Ball(met.position(other), 0.05)),
        "inside_union": lambda: mk.Inside(hand, mk.Ball(at, 0.05) | mk.Ball(at + 3.0, 0.05)),
        "outside": lambda: mk.Outside(hand, mk.Ball(away, 0.2), whole=False),
        "range": lambda: mk.Range(other, z=(met.position(other)[2] - 0.02, met.position(other)[2] + 0.02)),
        "relative": lambda: mk.Relative(other, head, seen[:3, 3]),
        "center_of_mass": lambda: mk.CenterOfMass(met.center_of_mass(), axes=(1, 1, 0)),
        "any_of": lambda: mk.AnyOf([mk.Position(hand, at + 5.0), mk.Position(hand, at)]),
        "swivel": lambda: mk.Swivel(limb, _swivel(figure, limb, points)),
        "posture": lambda: mk.Posture(),
    }


def _swivel(figure, limb, points):
    """The angle as the goal measures it: from where the elbow hangs lowest, about the line from shoulder to wrist."""
    shoulder, elbow, wrist = points
    n = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    down = np.array([0.0, 0.0, -1.0])
    a = down - (down @ n) * n
    a /= np.linalg.norm(a)
    e = elbow - shoulder
    return float(np.arctan2(e @ np.cross(n, a), e @ a))


KINDS = tuple(makers("human", HUMAN.pose({"right_elbow": 1.0}), HUMAN.pose()))
PAIRS = [(kind,) for kind in KINDS] + list(combinations(KINDS, 2))


def _share_reached(name, cases, seed):
    figure = FIGURES[name]
    missed = []
    for number, kinds in enumerate(cases):
        rng = np.random.default_rng([seed, number])
        met = nearby(figure, rng, 0.5)
        start = figure.pose()
        made = makers(name, met, start)
        goals = [made[kind]() for kind in kinds]
        found = mk.solve(start, goals)
        assert (found.q >= figure.lower - 1e-9).all() and (found.q <= figure.upper + 1e-9).all()
        if not found.reached:
            missed.append(kinds)
    return missed


@pytest.mark.parametrize("name", FIGURES)
def test_every_goal_alone_is_met(name):
    assert _share_reached(name, [(kind,) for kind in KINDS], 1) == []


@pytest.mark.parametrize("name", FIGURES)
def test_some_pairs_of_goals_are_met_together(name):
    assert _share_reached(name, PAIRS[len(KINDS) :: 11], 2) == []


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("seed", range(3))
def test_every_pair_of_goals_is_met_together(name, seed):
    assert _share_reached(name, PAIRS, 10 + seed) == []


def _over_support(pose: mk.Pose, margin: float) -> float:
    """How far inside the hull of the soles' corners, less the margin, the centre of mass is: by SciPy's hull."""
    from scipy.spatial import ConvexHull

    corners = []
    for part in mk.Balance().settle(HUMAN.pose()).alternatives()[0]:
        for name, point in part.points:
            name = name.removeprefix("segment:")
            frame = pose.matrices()[name] if name in pose.figure.segments else pose.matrix(name)
            corners.append((frame[:3, :3] @ point + frame[:3, 3])[:2])
    hull = ConvexHull(np.array(corners))
    center = pose.center_of_mass()[:2]
    return float(-(hull.equations[:, :2] @ center + hull.equations[:, 2]).max() - margin)


def _balanced_targets(count, seed):
    """Targets for the right hand that poses in balance, feet where they stand, meet."""
    rng = np.random.default_rng(seed)
    feet = [mk.Pin(foot) for foot in FEET["human"]]
    while count > 0:
        way = rng.normal(size=3)
        reach = mk.Position("right_hand", HUMAN.pose().position("right_hand") + rng.uniform(0.1, 0.7) * way)
        met = mk.solve(HUMAN, [*feet, mk.Balance(margin=0.02, hard=True), reach], method="lm")
        if met.status != "infeasible":
            count -= 1
            yield met.pose.position("right_hand")


def _balance(count, seed):
    goals = [
        *(mk.Pin(foot) for foot in FEET["human"]),
        mk.Balance(margin=0.02, hard=True),
        mk.Position("right_hand", [0, 0, 0]),
    ]
    problem = mk.Problem(HUMAN, goals)
    reached = 0
    for target in _balanced_targets(count, seed):
        problem = moved(problem, 3, target=target)
        found = problem.solve()
        if found.reached:
            reached += 1
            assert _over_support(found.pose, 0.02) >= -1e-6
    return reached / count


def test_hand_reaches_in_balance():
    assert _balance(15, 0) >= 0.95


@pytest.mark.long
def test_hand_reaches_200_targets_in_balance():
    assert _balance(200, 1) >= 0.95


def _cone_arm():
    """A shoulder and a wrist with cones, an elbow between."""
    return mk.Figure(
        "arm",
        ["base", "upper", "fore", "hand"],
        [
            mk.Joint.ball("shoulder", "base", "upper", ellipse=(1.0, 0.7), twist=(-1.2, 1.2)),
            mk.Joint.revolute("elbow", "upper", "fore", "x", placement=[0, 0, 0.3], lower=0.1, upper=2.4),
            mk.Joint.ball("wrist", "fore", "hand", placement=[0, 0, 0.25], cone=0.6, twist=(-0.8, 0.8)),
        ],
        [mk.Site("tip", "hand", [0.02, 0.0, 0.1])],
    )


def _in_cones(figure, rng, near_edge):
    """Coordinates inside the true cones; near the edge, within 1 % of it."""
    q = rng.uniform(figure.lower, figure.upper)
    for cone in figure.cones:
        size = rng.uniform(0.99, 1.0) if near_edge else np.sqrt(rng.uniform())
        turn = rng.uniform(0.0, 2.0 * np.pi)
        q[cone.first], q[cone.second] = cone.at(size * np.cos(turn), size * np.sin(turn))
    return q


def _cones(count, seed):
    figure = _cone_arm()
    rng = np.random.default_rng(seed)
    problem = mk.Problem(figure, [mk.Placement("tip", [0, 0, 0], np.eye(3))])
    reached = 0
    for number in range(count):
        met = figure.pose(_in_cones(figure, rng, number % 4 == 0))
        problem = moved(problem, 0, position=met.position("tip"), orientation=met.matrix("tip"))
        found = problem.solve(q0=_in_cones(figure, rng, False), restarts=40)
        reached += found.reached
        assert max(cone.distance(found.q) for cone in figure.cones) <= 1e-9
        assert (found.q >= figure.lower - 1e-9).all() and (found.q <= figure.upper + 1e-9).all()
    return reached / count


def test_cones_hold_and_what_is_inside_them_is_reached():
    assert _cones(100, 0) >= 0.99


@pytest.mark.long
def test_10000_solves_within_cones():
    assert _cones(10_000, 1) >= 0.99

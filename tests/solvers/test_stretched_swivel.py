"""The swivel of a limb that is all but stretched: one rule for where there is such an angle, to search and judge."""

from __future__ import annotations

import math

import numpy as np
import pytest

import manikin as mk
from manikin.verify.judge import Judge
from manikin.verify.rows import RowJudge

LIMB = ("shoulder", "elbow", "wrist")


def limb(scale: float = 1.0, away: float = 0.0) -> mk.Figure:
    """A shoulder of three hinges and an elbow, ``away`` from the world's origin."""
    joints = [
        mk.Joint("s1", "ground", "a", "R(z)", (away, 0.0, 0.0)),
        mk.Joint("s2", "a", "b", "R(y)"),
        mk.Joint("s3", "b", "upper", "R(x)"),
        mk.Joint("e", "upper", "fore", "R(y)", (0.3 * scale, 0.0, 0.0), lower=-2.9, upper=2.9),
    ]
    sites = [
        mk.Site("shoulder", "upper"),
        mk.Site("elbow", "fore"),
        mk.Site("wrist", "fore", (0.25 * scale, 0.0, 0.0)),
    ]
    return mk.Figure("limb", ["ground", "a", "b", "upper", "fore"], joints, sites)


def by_hand(pose: mk.Pose) -> tuple[float, bool]:
    """The angle by its definition, and whether there is one."""
    s, e, w = (np.asarray(pose.position(name), np.longdouble) for name in LIMB)
    n, x = w - s, e - s
    length = np.sqrt(n @ n)
    n = n / length
    across = x - (x @ n) * n
    rho, upper, fore = np.sqrt(across @ across), np.sqrt(x @ x), np.sqrt((w - e) @ (w - e))
    down = np.array([0.0, 0.0, -1.0]) + n[2] * n
    down = down / np.sqrt(down @ down)
    angle = math.atan2(x @ np.cross(n, down), x @ down)
    return angle, bool(rho * length > 1e-6 * (upper + fore) * (length + upper))


def misses(figure: mk.Figure, goal: mk.Goal, q: np.ndarray) -> np.ndarray:
    """What the judge says that a goal is missed by."""
    judge = Judge(figure, figure.pose(), (goal,), (), (1e-4, 1e-3))
    found = np.zeros((len(q), 1))
    RowJudge(judge).bits(q, None, None, found)
    return found[:, 0]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_there_is_an_angle_where_the_elbow_is_off_the_line_by_more_than_the_rule_says(scale):
    figure = limb(scale)
    bends = np.array([0.0, 1e-9, 1e-7, 1e-6, 2e-6, 3e-6, 7e-6, 1e-5, 1e-3, 1.0])
    poses = [figure.pose({"s1": 0.3, "s2": 0.4, "s3": 0.7, "e": bend}) for bend in bends]
    told = misses(figure, mk.Swivel(LIMB, 2.0, hard=True), np.array([pose.q for pose in poses]))
    for pose, miss, bend in zip(poses, told, bends, strict=True):
        angle, there = by_hand(pose)
        assert there == (bend > 5e-6)
        off = abs((angle - 2.0 + math.pi) % (2 * math.pi) - math.pi)
        assert miss == (pytest.approx(off, abs=1e-8) if there else 0.0)


def test_a_search_calls_an_angle_met_only_where_the_judge_does():
    """Targets at which the limb is stretched to some micrometres, beside a hard swivel: what is said is so by NumPy."""
    figure, rng = limb(), np.random.default_rng(0)
    problem = mk.Problem(
        figure, [mk.Position("wrist", [0.5, 0, 0], hard=True), mk.Swivel(LIMB, 2.0, hard=True)]
    )
    met = stretched = 0
    for k, short in enumerate(np.repeat([0.0, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6], 12)):
        start = rng.uniform(-1.0, 1.0, 4)
        if k % 3:  # all but there
            start[3] = rng.choice([0.0, 1e-7, 1e-6, 3e-6, 1e-5])
        way = figure.pose(start).position("wrist") if k % 3 else rng.normal(size=3)
        target = (0.55 - short) * way / np.linalg.norm(way)
        found = problem.solve(start, targets=[target, None])
        angle, there = by_hand(found.pose)
        off = abs((angle - 2.0 + math.pi) % (2 * math.pi) - math.pi) if there else 0.0
        away = np.linalg.norm(found.pose.position("wrist") - target)
        assert found.feasible == (off <= 1e-8 + 1e-11 and away <= 1e-8 + 1e-13)
        assert found.feasible or found.status == "infeasible"
        met += found.reached
        stretched += not there
    assert met > 40 and stretched > 10


def test_far_from_the_origin_rounding_of_the_points_is_not_held_against_the_angle():
    """At a thousand kilometres a point is known to 1e-10 m, and an elbow 1 cm off the line to 1e-8 rad."""
    figure = limb(away=1e6)
    pose = figure.pose({"s1": 0.3, "s2": 0.4, "s3": 0.7, "e": 0.04})
    near = limb().pose(pose.q)
    goal = mk.Swivel(LIMB, by_hand(near)[0], hard=True)
    assert misses(figure, goal, pose.q[None].copy())[0] <= 1e-8
    other = mk.Swivel(LIMB, by_hand(near)[0] + 1e-5, hard=True)
    assert misses(figure, other, pose.q[None].copy())[0] > 1e-7


def test_a_limb_that_hangs_straight_down_swivels_from_ahead():
    """Within 1e-6 rad of upright there is no lowest side."""
    figure = limb()
    for lean in (0.0, 1e-8, 0.9e-6):
        pose = figure.pose({"s1": 0.5, "e": 1.0})
        s, w = pose.position("shoulder"), pose.position("wrist")
        down = math.atan2(s[2] - w[2], np.hypot(*(w - s)[:2]))
        pose = figure.pose({"s1": 0.5, "s2": 0.5 * math.pi - down + lean, "e": 1.0})
        elbow = pose.position("elbow") - pose.position("shoulder")
        n = pose.position("wrist") - pose.position("shoulder")
        n /= np.linalg.norm(n)
        ahead = np.array([1.0, 0.0, 0.0]) - n[0] * n
        ahead /= np.linalg.norm(ahead)
        angle = math.atan2(elbow @ np.cross(n, ahead), elbow @ ahead)
        assert misses(figure, mk.Swivel(LIMB, angle, hard=True), pose.q[None].copy())[0] <= 1e-9

"""Pairs of segments that are kept apart: left out by the tree or by name, never because they are near."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot_file

import manikin as mk
from manikin.errors import FigureError, GoalError
from manikin.figure import Segment, Shape
from manikin.figure.clearance import IGNORED, JOINED, ONE_BETWEEN, RIGID, TOUCHING
from manikin.figure.fine_shapes import covers_of, cut
from manikin.figure.shapes import capsules_of, round_cone_distance

G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"


def chain(count: int, **options) -> mk.Figure:
    """Balls of radius 0.1 on hinges, 0.15 apart."""
    ball = Shape("sphere", 0.1)
    segments = [Segment(f"s{k}", 1.0, shapes=(ball,)) for k in range(count)]
    joints = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", "R(y)", [0.15, 0.0, 0.0], lower=-2.0, upper=2.0)
        for k in range(count - 1)
    ]
    return mk.Figure("chain", segments, joints, **options)


def distance(figure: mk.Figure, q: np.ndarray, a: str, b: str, covers: tuple[int, int] = (0, 0)) -> float:
    """The distance of two segments, by many points along the axes of their capsules."""
    frames = figure.pose(q).matrices()

    def placed(name, which):
        turn, place = frames[name][:3, :3], frames[name][:3, 3]
        rows = covers_of(figure, name, "test")[which] if which else capsules_of(figure, name, "test")
        return [np.array([*(turn @ c[:3] + place), *(turn @ c[3:6] + place), c[6], c[7]]) for c in rows]

    return min(
        round_cone_distance(d, c[:3] + t * (c[3:6] - c[:3])) - c[6] - t * (c[7] - c[6])
        for c in placed(a, covers[0])
        for d in placed(b, covers[1])
        for t in np.linspace(0.0, 1.0, 201)
    )


def test_pairs_are_left_out_by_the_tree_alone_whatever_the_distance():
    figure = chain(5)
    told = {(p.first, p.second): p for p in figure.clearance_pairs()}
    assert [told["s0", f"s{k}"].left_out for k in range(1, 5)] == [JOINED, ONE_BETWEEN, "", ""]
    assert told["s0", "s3"].rest == pytest.approx(0.25)
    assert len(told) == 10


def test_pairs_are_included_and_ignored_by_name():
    figure = chain(5, touching=[("s0", "s[34]")])
    why = {(p.first, p.second): p.left_out for p in figure.clearance_pairs(ignore=[("s4", "s1")])}
    assert why["s0", "s3"] == why["s0", "s4"] == TOUCHING and why["s1", "s4"] == IGNORED
    why = {(p.first, p.second): p.left_out for p in figure.clearance_pairs(include=[("s0", "*")])}
    assert why["s0", "s1"] == why["s0", "s3"] == "" and why["s1", "s2"] == JOINED
    with pytest.raises(GoalError, match="no segment 'nose'"):
        figure.clearance_pairs(include=[("s0", "nose")])
    with pytest.raises(FigureError, match="touching must be pairs"):
        chain(3, touching=["s0"])


def test_what_a_fixed_joint_holds_counts_as_one_with_its_neighbour():
    ball = Shape("sphere", 0.1)
    segments = [Segment(name, shapes=(ball,)) for name in "abcd"]
    fixed = mk.Joint("f", "a", "b", "fixed", [0.1, 0.0, 0.0])
    turns = [mk.Joint("g", "b", "c", "R(z)", [0.2, 0, 0]), mk.Joint("h", "c", "d", "R(z)", [0.2, 0, 0])]
    figure = mk.Figure("four", segments, [fixed, *turns])
    why = {(p.first, p.second): p.left_out for p in figure.clearance_pairs()}
    assert why["a", "b"] == RIGID and why["a", "c"] == JOINED and why["a", "d"] == ONE_BETWEEN


@pytest.mark.parametrize("robot", ["human", "g1"])
def test_distances_at_rest_are_those_of_points_on_the_shapes(robot):
    figure = mk.human(fingers=False) if robot == "human" else robot_file(G1, "free")
    pairs = [pair for pair in figure.clearance_pairs() if pair.kept]
    for pair in pairs[:: max(1, len(pairs) // 25)]:
        coarse = distance(figure, figure.rest, pair.first, pair.second, pair.covers)
        assert pair.rest <= coarse + 1e-12 and pair.rest == pytest.approx(coarse, abs=1e-3)


def test_a_larger_margin_leaves_out_no_more_pairs():
    figure = robot_file(G1, "free")
    pairs = [mk.SelfClearance(margin=margin).settle(figure.pose()).pairs() for margin in (0.0, 0.01, 0.1)]
    assert pairs[0] == pairs[1] == pairs[2] and len(pairs[0]) > 400
    assert ("torso_link", "left_shoulder_yaw_link") in pairs[0]


def test_a_pair_that_overlaps_at_rest_gets_no_deeper():
    """The G1's arm pulled into its body: 6 cm inside it before, now no deeper than the rest pose has it."""
    figure = robot_file(G1, "free")
    clear = mk.SelfClearance(margin=0.01, hard=True, segments=["torso_link", "left_*", "pelvis"])
    goals = [mk.Position("left_elbow_link", [0.0, 0.0, 0.1]), mk.Pin("pelvis", hard=True)]
    through = mk.solve(figure, goals)
    found = mk.solve(figure, [*goals, clear])
    told = {(p.first, p.second, p.covers): p.rest for p in clear.settle(figure.pose()).listed() if p.kept}
    worst = min(distance(figure, through.q, *pair) - min(0.01, rest) for pair, rest in told.items())
    kept = min(distance(figure, found.q, *pair) - min(0.01, rest) for pair, rest in told.items())
    assert worst < -0.02 and kept > -1e-6
    assert found.status != "infeasible"


def test_explain_says_which_pairs_are_near_at_rest_and_which_are_left_out():
    figure = robot_file(G1, "free")
    words = mk.solve(figure, [mk.SelfClearance(margin=0.01)]).explain()
    assert "torso_link and left_shoulder_yaw_link, which overlap by 2.7 cm at rest, and 3 more pairs" in words
    assert len(mk.SelfClearance(margin=0.01).settle(figure.pose()).unsure()) == 2
    assert "pairs left out:" in words and JOINED in words and ONE_BETWEEN in words


def test_a_human_bends_and_reaches_without_meeting_itself():
    body = mk.human(fingers=False)
    goals = [
        mk.Position("right_hand", [0.35, -0.1, 0.55]),
        mk.Pin("left_foot"),
        mk.Pin("right_foot"),
        mk.SelfClearance(hard=True),
    ]
    assert mk.solve(body, goals).reached


def test_several_capsules_enclose_a_mesh_and_clear_pairs_that_one_could_not(tmp_path):
    """An L of two bars, and a ball in its corner: one capsule around the L holds the ball."""
    trimesh = pytest.importorskip("trimesh")
    bars = trimesh.util.concatenate(
        [
            trimesh.creation.box(
                [0.6, 0.06, 0.06], trimesh.transformations.translation_matrix([0.3, 0.03, 0])
            ),
            trimesh.creation.box(
                [0.06, 0.6, 0.06], trimesh.transformations.translation_matrix([0.03, 0.3, 0])
            ),
        ]
    )
    bars.export(tmp_path / "bars.stl")
    corner = Shape("mesh", mesh=str(tmp_path / "bars.stl"))
    parts = [Segment("world", 1.0), Segment("l", 1.0, shapes=[corner]), Segment("a", 1.0), Segment("b", 1.0)]
    parts.append(Segment("ball", 1.0, shapes=[Shape("sphere", 0.1)]))
    joints = [
        mk.Joint("j1", "world", "l", "R(z)"),
        mk.Joint("j2", "world", "a", "T(x)", [0.33, 0.33, 0.0], lower=-1.0, upper=1.0),
        mk.Joint("j3", "a", "b", "T(y)", lower=-1.0, upper=1.0),
        mk.Joint("j4", "b", "ball", "T(z)", lower=-1.0, upper=1.0),
    ]
    figure = mk.Figure("corner", parts, joints)
    (pair,) = figure.clearance_pairs()
    assert distance(figure, figure.rest, "l", "ball") < -0.02 and not pair.unsure and pair.rest > 0.03
    surface = bars.sample(2000)
    for cover in covers_of(figure, "l", "test"):
        nearest = [min(round_cone_distance(capsule, x) for capsule in cover) for x in surface]
        assert max(nearest) <= 1e-9
    goal = mk.SelfClearance(margin=0.01, hard=True)
    found = mk.solve(figure, [mk.Position("ball", [0.3, 0.1, 0.0]), goal], free=["j2", "j3", "j4"])
    assert found.feasible and goal.settle(figure.pose()).unsure() == []
    x = found.pose.position("ball")
    # To a box: how far beyond its faces.
    away = [
        np.linalg.norm(np.maximum(np.abs(x - middle) - half, 0.0))
        for middle, half in (([0.3, 0.03, 0], [0.3, 0.03, 0.03]), ([0.03, 0.3, 0], [0.03, 0.3, 0.03]))
    ]
    assert min(away) >= 0.11 - 1e-6


def test_triangles_are_cut_along_a_plane_without_loss():
    rng = np.random.default_rng(1)
    triangles = rng.normal(size=(200, 3, 3))
    direction = np.array([0.6, 0.0, 0.8])
    low, high = cut(triangles, direction, 0.2)

    def area(some):
        return 0.5 * np.linalg.norm(np.cross(some[:, 1] - some[:, 0], some[:, 2] - some[:, 0]), axis=1).sum()

    assert area(low) + area(high) == pytest.approx(area(triangles))
    assert (low @ direction).max() <= 0.2 + 1e-12 and (high @ direction).min() >= 0.2 - 1e-12


def test_a_pair_that_overlaps_at_rest_is_one_of_which_the_shapes_cannot_tell():
    figure = chain(5)
    assert mk.SelfClearance().settle(figure.pose()).unsure() == []
    ball = Shape("sphere", 0.3)
    thick = mk.Figure(
        "thick",
        [Segment(s.name, 1.0, shapes=(ball,)) for s in figure.segments.values()],
        [*figure.joints.values()],
    )
    assert mk.SelfClearance().settle(thick.pose()).unsure() == [("s0", "s3"), ("s1", "s4")]

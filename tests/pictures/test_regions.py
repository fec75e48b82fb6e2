from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.errors import PoseError
from manikin.pictures import picture
from manikin.pictures.color import MISSED, REACHED, SPARE, THING, parse
from manikin.pictures.marks import Marks
from manikin.pictures.more_marks import draw, support_points
from manikin.pictures.regions import body_of, edges_of, obstacles, things_of
from manikin.pictures.subject import Bodies, parts_of, subject_of

POSE = arm().pose()
HERE = POSE.position("tool")
TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
SOLIDS = [
    mk.Box([0.3, 0.1, 0.5], [0.2, 0.3, 0.4], rotation=TURN),
    mk.Ball([0.3, 0.1, 0.5], 0.2),
    mk.Capsule([0.1, 0.1, 0.1], [0.3, 0.2, 0.6], 0.08),
    mk.Capsule([0.1, 0.1, 0.1], [0.1, 0.1, 0.1], 0.08),
]


def corners(surfaces) -> np.ndarray:
    return np.concatenate([part.corners.reshape(-1, 3) for part in surfaces]).astype(float)


def colors(surfaces) -> set[tuple[float, ...]]:
    return {tuple(part.colors[0].tolist()) for part in surfaces}


def drawn(goal, reached=None, choice=None, pose=POSE) -> Marks:
    marks = Marks(1.0)
    draw(marks, pose, goal, reached, choice)
    return marks


@pytest.mark.parametrize("region", SOLIDS, ids=lambda region: type(region).__name__)
def test_the_surface_of_a_region_is_where_its_distance_is_zero(region):
    points = corners([body_of(region, 1.0)])
    # Chords cut circles, and edges are bevelled by a fortieth: inside by little, never outside.
    distances = np.array([region.distance(point) for point in points])
    assert distances.max() < 1e-6 and distances.min() > -0.006


def test_a_circle_is_a_thin_ring_and_a_half_space_no_thing():
    circle = mk.Circle([0.1, 0.2, 0.3], [0, 1, 0], 0.25)
    far = [circle.distance(point) for point in corners([body_of(circle, 1.0)])]
    assert max(far) < 0.01
    assert body_of(mk.HalfSpace([0, 0, 0], [0, 0, 1]), 1.0) is None


@pytest.mark.parametrize("region", SOLIDS[:3], ids=lambda region: type(region).__name__)
def test_edges_run_along_the_surface(region):
    edges = edges_of(region, 1.0)
    assert len(edges) == {"Box": 12, "Ball": 3, "Capsule": 2}[type(region).__name__]
    assert np.abs([region.distance(point) for point in corners(edges)]).max() < 0.005


def test_what_a_goal_keeps_clear_of_stands_in_the_picture():
    ball, box = SOLIDS[1], SOLIDS[0]
    goals = [mk.Outside("tool", ball | box), mk.Inside("tool", box), mk.Position("tool", HERE)]
    assert obstacles(goals) == [ball, box]
    parts = parts_of(subject_of(POSE, goals), Bodies(None, "read"))
    assert len(parts.things) == 2 and colors(parts.things) == {tuple(THING.tolist())}


def test_a_thing_that_is_an_obstacle_too_is_drawn_once_in_its_colour():
    parts = parts_of(
        subject_of(POSE, [mk.Outside("tool", SOLIDS[1])]), Bodies(None, "read"), (), [(SOLIDS[1], "#aa3322")]
    )
    assert colors(parts.things) == {tuple(parse("#aa3322").tolist())} and len(parts.things) == 1


def test_far_things_do_not_push_the_camera_away_and_none_lowers_the_ground():
    bodies = Bodies(None, "read")
    alone = parts_of(subject_of(POSE), bodies)
    wide = parts_of(subject_of(POSE), bodies, (), [mk.Box([0, 0, -3.0], [40.0, 40.0, 4.0])])
    assert np.array_equal(wide.points(), alone.points()) and wide.lowest() == alone.lowest()
    close = parts_of(subject_of(POSE), bodies, (), [mk.Ball(HERE, 0.05)])
    assert len(close.points()) > len(alone.points())


def test_what_is_no_region_is_refused():
    with pytest.raises(PoseError, match="things must be regions"):
        things_of(["table"], 1.0)


@pytest.mark.parametrize("region", [*SOLIDS[:3], mk.HalfSpace([0, 0, 9.0], [0, 0, 1])], ids=repr)
def test_inside_is_green_or_orange_as_the_site_is(region):
    met = region.contains(HERE)
    found = drawn(mk.Inside("tool", region))
    wanted, other = (REACHED, MISSED) if met else (MISSED, REACHED)
    assert tuple(wanted.tolist()) in colors([*found.solid, *found.clear])
    assert tuple(other.tolist()) not in colors([*found.solid, *found.clear])
    assert found.clear  # one sees through it


def test_a_pattern_of_segments_needs_no_site_to_be_drawn():
    assert drawn(mk.Outside("*", SOLIDS[1])).solid == []
    assert drawn(mk.Outside("*", mk.HalfSpace([0, 0, 0], [0, 0, 1]))).clear


def test_balance_is_drawn_with_its_plumb_line_and_turns_orange_off_the_feet():
    body = mk.human(stature=1.75, fingers=False, spine="bend")
    standing = body.pose()
    goal = mk.Balance()
    assert np.abs(support_points(standing, goal)[:, 2]).max() < 0.02
    found = drawn(goal, pose=standing)
    assert colors(found.solid) == {tuple(REACHED.tolist())}
    center = standing.center_of_mass()
    away = np.linalg.norm(corners(found.solid)[:, :2] - center[:2], axis=1)
    assert away.min() < 0.05
    leaning = standing.with_values({"root_ry": 0.4})
    assert colors(drawn(goal, pose=leaning).solid) == {tuple(MISSED.tolist())}


def test_of_a_choice_the_taken_one_is_marked_and_the_others_are_pale():
    goal = mk.AnyOf([mk.Position("tool", HERE), mk.Position("tool", HERE + [0.2, 0.0, 0.0])])
    assert colors(drawn(goal, choice=0).solid) == {tuple(REACHED.tolist()), tuple(SPARE.tolist())}


def test_relations_and_centres_of_mass_have_marks():
    names = list(POSE.figure.sites)
    rod = drawn(mk.Relative("tool", names[0])).solid
    assert np.linalg.norm(corners(rod) - HERE, axis=1).min() < 0.02
    center = POSE.center_of_mass() if POSE.figure.mass > 0.0 else None
    if center is not None:
        assert colors(drawn(mk.CenterOfMass(center)).solid) == {tuple(REACHED.tolist())}
        assert tuple(MISSED.tolist()) in colors(drawn(mk.CenterOfMass(center + [0.3, 0, 0])).solid)


def test_a_thing_is_seen():
    pytest.importorskip("embreex")
    pytest.importorskip("PIL.Image")
    with_ball = picture(POSE, size=(120, 120), things=[(mk.Ball(HERE, 0.1), "#cc2222")], quality="draft")
    reds = np.asarray(with_ball, dtype=float) / 255.0
    assert ((reds[..., 0] > 2.0 * reds[..., 1]) & (reds[..., 0] > 0.3)).sum() > 50


@pytest.mark.parametrize(("size", "color"), [(9.0, REACHED), (0.01, MISSED)])
def test_the_region_that_whole_segments_should_be_in_is_drawn_as_met_or_missed(size, color):
    goal = mk.Inside("right_*", mk.Box(center=[0.0, 0.0, 1.0], size=[size] * 3))
    found = drawn(goal, pose=mk.human(fingers=False).pose())
    assert colors([*found.solid, *found.clear]) == {tuple(color.tolist())}

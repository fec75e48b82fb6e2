"""Measures of sites' frames: values against NumPy, derivatives against differences, potentials against the strips'."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot

import manikin as mk
from manikin.figure import kinematics, transforms

from .measured import gradient, jacobian, measured, random_poses, slope_error, values
from .support import GOALS, figures, points, potential

_G = transforms.exp([0.8, -1.1, 0.5])
_F = transforms.translation([0.3, -0.2, 0.5])
_F[:3, :3] = _G

#: Goals for a site, with others to measure from.
MORE = {
    "pin": lambda site, other: mk.Pin(site),
    "pin_some": lambda site, other: mk.Pin(site, axes=["x", "turn_y", "turn_z"]),
    "range": lambda site, other: mk.Range(
        site, x=0.1, y=(None, 0.2), z=(-0.1, 0.3), turn_x=(0.1, 0.5), turn_y=0.2, turn_z=(-1, None), frame=_F
    ),
    "flat": lambda site, other: mk.Range(site, z=0.0, turn_x=0.0, turn_y=0.0),
    "half_space": lambda site, other: mk.Inside(site, mk.HalfSpace([0.1, 0.2, 0.3], [1, -2, 1])),
    "box": lambda site, other: mk.Inside(site, mk.Box([0.1, 0, 0.4], [0.2, 0.3, 0.4], _G)),
    "ball": lambda site, other: mk.Inside(site, mk.Ball([0.3, 0.2, 0.4], 0.1)),
    "capsule": lambda site, other: mk.Inside(site, mk.Capsule([0.3, 0.2, 0.4], [-0.3, 0.5, 1.4], 0.1)),
    "circle": lambda site, other: mk.Inside(site, mk.Circle([0.3, 0.2, 0.4], [1, 1, 1], 0.4)),
    "both": lambda site, other: mk.Inside(
        site, mk.Ball([0.3, 0.2, 0.4], 0.1) & mk.HalfSpace([0, 0, 0], [0, 0, 1])
    ),
    "relative_position": lambda site, other: mk.Relative(site, other, [0.1, 0.2, 0.3]),
    "relative_placement": lambda site, other: mk.Relative(site, other, _F, hard=True),
    "relative_kept": lambda site, other: mk.Relative(site, other),
    "relative_pin": lambda site, other: mk.Relative(site, other, mk.Pin(site, axes=["y", "turn_x"])),
    "relative_aim": lambda site, other: mk.Relative(site, other, mk.Aim(site, [2.0, 1.0, 0.5])),
    "relative_axis": lambda site, other: mk.Relative(site, other, mk.Orientation(site, _G, axes=(0, 1, 0))),
    "relative_axes": lambda site, other: mk.Relative(site, other, mk.Orientation(site, _G, axes=(2, 1, 0))),
    "relative_line": lambda site, other: mk.Relative(site, other, mk.OnLine(site, [0.1, 0, 0], [1, 2, 3])),
    "relative_range": lambda site, other: mk.Relative(
        site, other, mk.Range(site, x=0.2, turn_y=(0.1, 0.2), turn_x=0.0, frame=_F)
    ),
    "relative_box": lambda site, other: mk.Relative(site, other, mk.Box([0.1, 0, 0.4], [0.2, 0.3, 0.4], _G)),
    "relative_capsule": lambda site, other: mk.Relative(site, other, mk.Capsule([0, 0, 0], [1, 1, 0], 0.05)),
    "relative_circle": lambda site, other: mk.Relative(site, other, mk.Circle([0, 0, 0.1], [1, 0, 1], 0.2)),
}


@pytest.mark.parametrize("kind", GOALS)
@pytest.mark.parametrize("motion", figures())
def test_rows_of_plain_goals_have_their_potential_and_exact_slopes(motion, kind):
    figure, goal = figures()[motion], GOALS[kind]()
    m = measured(figure, goal)
    rng = np.random.default_rng(0)
    for q in points(figure, 2, seed=4):
        values(m, q)
        expected = potential(goal, kinematics.site_matrix(figure, q, "tip"))
        assert m.sections.weight @ m.violations() ** 2 == pytest.approx(expected, rel=1e-12, abs=1e-13)
        assert slope_error(m, q, rng, 1e-3) < 1e-9


@pytest.mark.parametrize("motion", figures())
def test_wrenches_pushed_and_swept_are_the_jacobian_transposed(motion):
    figure = figures()[motion]
    m = measured(figure, *(make("tip", "o") for make in MORE.values()), *(make() for make in GOALS.values()))
    q = points(figure, 1)[0]
    y = np.random.default_rng(1).normal(size=len(values(m, q)))
    assert np.abs(gradient(m, q, y) - y @ jacobian(m, q)).max() < 1e-12


@pytest.mark.parametrize("kind", MORE)
def test_slopes_agree_with_differences_at_random_poses(kind):
    for figure, site, other in _figures():
        m = measured(figure, MORE[kind](site, other))
        rng = np.random.default_rng(7)
        worst = [slope_error(m, q, rng) for q in random_poses(figure, 40)]
        assert max(worst) < 1e-8, figure.name


@pytest.mark.long
@pytest.mark.parametrize("kind", MORE)
def test_slopes_agree_with_differences_at_a_thousand_poses(kind):
    for figure, site, other in _figures():
        m = measured(figure, MORE[kind](site, other))
        rng = np.random.default_rng(8)
        worst = [slope_error(m, q, rng) for q in random_poses(figure, 1000, seed=1)]
        # A step across half a turn, where the quaternion changes its sign, has no derivative.
        assert np.sort(worst)[:-3].max() < 1e-7, figure.name


def _figures():
    return (
        (mk.human(), "right_hand", "pelvis"),
        (robot("talos"), "gripper_left_base_link", "right_sole_link"),
    )


def check(goal, q, expected, figure=None):
    figure = mk.human() if figure is None else figure
    m = measured(figure, goal)
    assert values(m, q) == pytest.approx(np.asarray(expected), abs=1e-12)
    assert np.isfinite(jacobian(m, q)).all()


def test_values_are_what_the_pose_says():
    body = mk.human()
    for q in random_poses(body, 5, seed=3):
        pose = body.pose(q)
        hand, pelvis = pose.matrix("right_hand"), pose.matrix("pelvis")
        seen = transforms.inverse(pelvis) @ hand
        check(mk.Range("right_hand", x=0, z=0, turn_y=0, frame=_F), q, _in_frame(hand, _F)[[0, 2, 4]])
        check(
            mk.Relative("right_hand", "pelvis", mk.Range("right_hand", y=0, turn_x=0, turn_z=0)),
            q,
            _in_frame(seen, np.eye(4))[[1, 3, 5]],
        )
        check(mk.Relative("right_hand", "pelvis", [0.1, 0.2, 0.3]), q, seen[:3, 3] - [0.1, 0.2, 0.3])
        region = mk.Capsule([0.1, 0, 0], [0.4, 0.1, 0.2], 0.03)
        check(mk.Inside("right_hand", region), q, [region.distance(hand[:3, 3])])
        check(mk.Relative("right_hand", "pelvis", region), q, [region.distance(seen[:3, 3])])


def _in_frame(matrix, frame):
    seen = transforms.inverse(frame) @ matrix
    return np.array([*seen[:3, 3], *transforms.log(seen[:3, :3])])


def test_a_pin_holds_what_the_start_has():
    body = mk.human()
    start = body.pose(random_poses(body, 1)[0])
    m = measured(body, mk.Pin("left_foot"), mk.Pin("right_foot", axes=["x", "turn_z"]), start=start)
    assert np.abs(values(m, start.q)).max() < 1e-14
    assert (m.level == 0).all() and len(m.level) == 8


def test_misses_are_metres_and_angles():
    body = mk.human()
    q = random_poses(body, 1, seed=9)[0]
    hand = body.pose(q).matrix("right_hand")
    off = hand[:3, :3] @ transforms.exp([0.3, -0.4, 1.2])
    goals = [
        mk.Position("right_hand", np.add(hand[:3, 3], [0.3, 0.0, 0.4])),
        mk.Orientation("right_hand", off),
        mk.Orientation("right_hand", off, axes=(1, 2, 0)),
        mk.Orientation("right_hand", hand[:3, :3] @ transforms.exp([0.0, 0.7, 0.0]), axes=(0, 0, 1)),
        mk.Aim("right_hand", hand[:3, 3] - hand[:3, :3] @ [1.0, 0.0, 0.0]),
        mk.Range("right_hand", z=(hand[2, 3] + 0.1, None)),
        mk.Inside("right_hand", mk.Circle(hand[:3, 3], [0, 0, 1], 0.25)),
    ]
    m = measured(body, *goals)
    values(m, q)
    assert m.misses() == pytest.approx([0.5, 1.3, 1.3, 0.7, np.pi, 0.1, 0.25], abs=1e-7)


def test_a_part_is_written_in_the_place_of_one_alike_and_switched_off():
    body = mk.human()
    q = body.rest
    hand = body.pose().position("right_hand")
    m = measured(body, mk.Position("right_hand", hand), mk.Position("head", [0, 0, 2]))
    moved = mk.Position("right_hand", np.add(hand, [0.0, 0.3, 0.0]), weight=2.0).parts()[0]
    m.write(0, moved)
    values(m, q)
    assert m.misses()[0] == pytest.approx(0.3) and m.sections.weight[m.rows(0)].tolist() == [2.0] * 3
    m.write(0, moved, active=False)
    assert not jacobian(m, q)[:3].any() and jacobian(m, q)[3:].any()
    with pytest.raises(mk.GoalError, match="keeps the kinds and sites"):
        m.write(0, mk.Orientation("right_hand", np.eye(3)).parts()[0])
    assert m.copy().sections.weight is not m.sections.weight


def test_degenerate_places_have_finite_values_and_slopes():
    body = mk.human()
    q = body.rest
    hand = body.pose().matrix("right_hand")
    r, v = hand[:3, 3], hand[:3, :3]
    turned = v @ transforms.exp([0, np.pi, 0])
    goals = [
        mk.Aim("right_hand", r),
        mk.Aim("right_hand", r - v[:, 0]),
        mk.Orientation("right_hand", turned),
        mk.Orientation("right_hand", turned, axes=(1, 0, 0)),
        mk.Range("right_hand", turn_x=0, turn_y=0, turn_z=0, frame=transforms.rotation(turned)),
        mk.Range("right_hand", turn_x=0, turn_y=0, turn_z=0, frame=transforms.rotation(v)),
        mk.Inside("right_hand", mk.Ball(r, 0.0)),
        mk.Inside("right_hand", mk.Ball(r, 0.2)),
        mk.Inside("right_hand", mk.Capsule(r - [0, 0, 1], np.add(r, [0, 0, 1]), 0.1)),
        mk.Inside("right_hand", mk.Capsule(r, r, 0.1)),
        mk.Inside("right_hand", mk.Circle(r, [0, 1, 0], 0.3)),
        mk.Inside("right_hand", mk.Circle(r, [0, 1, 0], 0.0)),
        mk.Inside("right_hand", mk.Box(r, [0, 0, 0])),
    ]
    for goal in goals:
        m = measured(body, goal)
        assert np.isfinite(values(m, q)).all() and np.isfinite(jacobian(m, q)).all(), goal
        assert np.isfinite(m.misses()).all()

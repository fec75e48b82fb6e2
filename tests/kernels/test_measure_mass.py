"""Measures of the centre of mass against the pose's own, hulls against SciPy's, slopes against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from tests.solvers.samples import robot

import manikin as mk
from manikin.figure import kinematics
from manikin.figure.sole import sole

from .measured import gradient, jacobian, measured, random_poses, slope_error, values

SUPPORTS = {
    "feet": None,
    "one_foot": ("left_foot",),
    "sites": ("left_heel", "left_toe", "right_toe"),
    "line": ("left_heel", "left_toe"),
    "point": ("right_foot_point",),
    "twice": ("left_heel", "left_heel", "right_toe"),
}


def body():
    return mk.human().with_site("right_foot_point", "right_foot", [0.05, 0.0, -0.05])


def test_the_centre_of_mass_is_that_of_the_pose():
    for figure in (mk.human(), robot("talos")):
        m = measured(figure, mk.CenterOfMass([0.1, 0.2, 0.3]), mk.CenterOfMass([0, 0, 1], axes=(0, 2, 0)))
        for q in random_poses(figure, 5):
            center = kinematics.center_of_mass(figure.tree, q)
            assert values(m, q) == pytest.approx([*(center - [0.1, 0.2, 0.3]), center[1]], abs=1e-12)
        assert m.sections.weight.tolist() == [1, 1, 1, 2]


def test_effort_is_the_rise_from_the_start():
    figure = mk.human()
    start, end = (figure.pose(q) for q in random_poses(figure, 2))
    m = measured(figure, mk.Effort(), start=start)
    rise = end.center_of_mass()[2] - start.center_of_mass()[2]
    assert values(m, end.q) == pytest.approx([rise]) and values(m, start.q) == pytest.approx([0.0], abs=1e-14)
    assert m.violations() == pytest.approx([0.0]) and m.parts[0].last


@pytest.mark.parametrize("name", SUPPORTS)
def test_slopes_agree_with_differences(name):
    check_slopes(name, 40)


@pytest.mark.long
@pytest.mark.parametrize("name", SUPPORTS)
def test_slopes_agree_with_differences_at_a_thousand_poses(name):
    check_slopes(name, 1000)


def check_slopes(name, count):
    figure = body()
    m = measured(figure, mk.Balance(SUPPORTS[name], margin=0.01), mk.CenterOfMass([0, 0, 1]), mk.Effort())
    rng = np.random.default_rng(1)
    worst = []
    for q in random_poses(figure, count, seed=2):
        error = slope_error(m, q, rng)
        worst.append(error if error < 1e4 else 0.0)  # a corner that comes or goes within the step
        y = rng.normal(size=len(values(m, q)))
        assert np.abs(gradient(m, q, y) - y @ jacobian(m, q)).max() < 1e-10
    assert np.max(worst) < 1e-6 and np.median(worst) < 1e-9


def test_on_a_robot_the_soles_support():
    talos = robot("talos")
    goal = mk.Balance(["left_sole_link", "right_sole_link"], hard=True)
    m = measured(talos, goal)
    rng = np.random.default_rng(3)
    for q in random_poses(talos, 20):
        assert slope_error(m, q, rng) < 1e-7
    with pytest.raises(mk.GoalError, match="say what supports it"):
        measured(talos, mk.Balance())


def test_rows_are_the_distances_inside_the_edges_of_the_hull():
    figure = mk.human()
    goal = mk.Balance(margin=0.02)
    m = measured(figure, goal)
    points = goal.settle(figure.pose()).points()
    for q in [figure.rest, *random_poses(figure, 10, seed=4)]:
        pose = figure.pose(q)
        frames = pose.matrices()
        seen = np.array([(frames[n.split(":")[1]] @ [*p, 1.0])[:2] for n, p in points])
        center = pose.center_of_mass()[:2]
        hull = ConvexHull(seen)
        expected = np.sort(
            [
                -(normal @ center + offset)
                for normal, offset in zip(hull.equations[:, :2], hull.equations[:, 2], strict=True)
            ]
        )
        found = values(m, q)
        edges = m.sections.near != 0.0
        assert np.sort(found[edges]) == pytest.approx(expected, abs=1e-6)
        assert (found[~edges] > 1e3).all()


def test_a_human_stands_in_balance_and_leans_out_of_it():
    figure = mk.human()
    m = measured(figure, mk.Balance(margin=0.02))
    values(m, figure.rest)
    assert m.misses() == pytest.approx([0.0])
    bent = figure.pose({"left_ankle_flexion": -0.3, "right_ankle_flexion": -0.3})
    lean = bent.figure.pose({**bent.values(), "root_x": 0.0})
    values(m, lean.q)
    assert np.isfinite(m.misses()).all()


def test_two_points_support_what_is_on_their_line_and_one_what_is_on_it():
    figure = body()
    q = figure.rest
    center = figure.pose().center_of_mass()
    m = measured(figure, mk.Balance(("left_heel", "left_toe")))
    found = values(m, q)
    heel, toe = (figure.pose().position(n)[:2] for n in ("left_heel", "left_toe"))
    along = (toe - heel) / np.linalg.norm(toe - heel)
    across = np.array([-along[1], along[0]])
    offset = center[:2] - heel
    assert sorted(abs(found[:2])) == pytest.approx([abs(across @ offset)] * 2)
    assert found[0] == pytest.approx(-found[1])
    assert sorted(found[2:4]) == pytest.approx(sorted([along @ offset, along @ (toe - center[:2])]))
    one = values(measured(figure, mk.Balance("right_foot_point")), q)
    x, y = center[:2] - figure.pose().position("right_foot_point")[:2]
    assert sorted(one) == pytest.approx(sorted([x, -x, y, -y]))


def test_the_sole_is_as_long_as_the_foot_and_lies_on_the_floor():
    figure = mk.human()
    corners = [
        figure.pose().matrices()["left_foot"] @ [*p, 1.0] for _, p in sole(figure, "left_foot", "test")
    ]
    toes = [figure.pose().matrices()["left_toes"] @ [*p, 1.0] for _, p in sole(figure, "left_toes", "test")]
    points = np.array([*corners, *toes])
    assert np.abs(points[:, 2]).max() < 0.012
    heel, toe = (figure.pose().position(n)[0] for n in ("left_heel", "left_toe"))
    assert 0.7 * (toe - heel) < np.ptp(points[:, 0]) <= toe - heel + 1e-9
    assert np.ptp(points[:, 1]) > 0.03


def test_a_figure_without_mass_has_no_centre():
    figure = mk.Figure("lamp", ["a", "b"], [mk.Joint.revolute("j", "a", "b")])
    with pytest.raises(mk.GoalError, match="no mass"):
        measured(figure, mk.CenterOfMass([0, 0, 0]))

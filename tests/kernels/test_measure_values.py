"""Measures of coordinates: values by their formulas, slopes against differences."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot

import manikin as mk
from manikin.figure import Cone
from manikin.plan.measuring import LAST, pack_measures
from manikin.residuals.block import cone_part

from .measured import jacobian, measured, random_poses, slope_error, values

OBJECTIVES = {
    "posture": lambda: mk.Posture(weights={"left_knee": 3.0}),
    "least_change": mk.LeastChange,
    "discomfort": mk.Discomfort,
    "kinetic_energy": mk.KineticEnergy,
    "effort": mk.Effort,
    "limit_spring": lambda: mk.LimitSpring("*_knee", margin=0.2),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_slopes_of_objectives_agree_with_differences(name):
    check_slopes(name, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", OBJECTIVES)
def test_slopes_of_objectives_agree_with_differences_at_1000_poses(name):
    check_slopes(name, 1000)


def check_slopes(name, count):
    figure = mk.human()
    m = measured(figure, OBJECTIVES[name](), start=figure.pose(random_poses(figure, 1)[0]))
    rng = np.random.default_rng(0)
    assert max(slope_error(m, q, rng) for q in random_poses(figure, count, seed=3)) < 1e-8
    assert (m.level == LAST).all() and all(part.last for part in m.parts)


def test_least_time_is_nearly_the_largest_share_of_the_speed_limits():
    panda = robot("panda")
    start, *ends = random_poses(panda, 6)
    m = measured(panda, mk.LeastTime(), start=panda.pose(start))
    rng = np.random.default_rng(1)
    for q in ends:
        times = np.abs(q - start) / panda.velocity
        total = np.linalg.norm(values(m, q))
        assert times.max() <= total + 1e-12 <= times.max() * panda.n ** (1 / 8) + 1e-12
        assert total == pytest.approx((times**8).sum() ** (1 / 8))
        assert slope_error(m, q, rng) < 1e-7
    assert not values(m, start).any() and np.isfinite(jacobian(m, start)).all()
    with pytest.raises(mk.GoalError, match="no speed limits"):
        measured(mk.human(), mk.LeastTime())


def test_kinetic_energy_is_half_the_mass_matrix():
    figure = robot("talos")
    start, q = random_poses(figure, 2)
    m = measured(figure, mk.KineticEnergy(), start=figure.pose(start))
    found = values(m, q)
    expected = 0.5 * (q - start) @ figure.pose(start).mass_matrix() @ (q - start)
    assert found @ found == pytest.approx(expected, rel=1e-9)


def test_discomfort_is_in_units_of_range_and_a_posture_leaves_the_base_alone():
    figure = mk.human()
    q = random_poses(figure, 1)[0]
    limited = np.isfinite(figure.upper - figure.lower)
    share = ((q - figure.rest) / (figure.upper - figure.lower))[limited]
    found = values(measured(figure, mk.Discomfort()), q)
    assert found == pytest.approx(share)
    assert len(values(measured(figure, mk.Posture()), q)) == figure.n - 6
    one = measured(figure, mk.Posture({"root_x": 0.5}))
    assert values(one, q) == pytest.approx([q[figure.index("root_x")] - 0.5])


def test_a_posture_moves_what_no_goal_concerns_and_least_change_does_not():
    figure = mk.human()
    goal = mk.Position("head", [0, 0, 1.7])
    knee = figure.index("left_knee")
    assert knee in measured(figure, goal, mk.Posture()).packed.variables
    assert knee not in measured(figure, goal, mk.LeastChange()).packed.variables


def test_a_spring_begins_at_its_margin():
    figure = mk.human()
    m = measured(figure, mk.LimitSpring(["left_knee"], margin=0.3))
    low = figure.lower[figure.index("left_knee")]
    for value, expected in ((low + 0.1, -0.2), (low + 0.4, 0.0)):
        values(m, figure.pose({"left_knee": value}).q)
        assert m.violations() == pytest.approx([expected])


@pytest.mark.parametrize("center", [(0.0, 0.0), (0.1, -0.2), (1.5, 0.0), (-0.8, 1.3)])
def test_a_cone_is_an_ellipse_of_directions_about_its_centre(center):
    figure = mk.human()
    j, k = figure.index("left_hip_flexion"), figure.index("left_hip_abduction")
    m = pack_measures(figure, None, [cone_part(j, k, center, (1.2, 0.8))])
    rng = np.random.default_rng(1)
    cone = Cone(j, k, *center, 1.2, 0.8)
    for q in random_poses(figure, 5):
        assert values(m, q) == pytest.approx([cone.value(q)])
        if center == (0.0, 0.0):
            assert cone.value(q) == (q[j] / 1.2) ** 2 + (q[k] / 0.8) ** 2
        assert slope_error(m, q, rng) < 1e-8
    assert m.level.tolist() == [0]

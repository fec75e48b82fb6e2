"""Value, gradient and second derivatives of what is made least, by plain NumPy and by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from manikin.markers import Sensor, Tracker
from manikin.markers.places import marker_places

from .samples import arm, derivatives, half_sum, human, pose, spots


def cases():
    figure = arm()
    body, places = human()
    return {"arm": (figure, spots(figure)), "human": (body, places)}


@pytest.mark.parametrize("name", ["arm", "human"])
def test_value_and_gradient_are_those_of_plain_numpy(name):
    figure, markers = cases()[name]
    tracker = Tracker(figure, markers, rest=0.01, tasks={figure.dofs[-1]: (0.3, 0.1)})
    q, h = pose(figure, 1), 1e-6
    targets = marker_places(figure, pose(figure, 2), markers)
    targets[1] = np.nan
    value, gradient, _ = derivatives(tracker, q, targets)
    assert value == pytest.approx(half_sum(tracker, q, targets))
    steps = h * np.eye(figure.n)[tracker._packed.variables]
    slopes = [
        (half_sum(tracker, q + d, targets) - half_sum(tracker, q - d, targets)) / (2 * h) for d in steps
    ]
    assert gradient == pytest.approx(slopes, abs=1e-7)


@pytest.mark.parametrize("name", ["arm", "human"])
def test_gausss_matrix_is_that_of_the_jacobian(name):
    figure, markers = cases()[name]
    tracker = Tracker(figure, markers)
    q = pose(figure, 1)
    marked, variables = markers.on(figure), tracker._packed.variables
    rows = np.concatenate([np.sqrt(m.weight) * marked.jacobian(q, label)[:3] for label, m in markers.items()])
    _, _, hessian = derivatives(tracker, q, marker_places(figure, q, markers) + 0.1, newton=False)
    assert hessian == pytest.approx(rows[:, variables].T @ rows[:, variables], abs=1e-10)


@pytest.mark.parametrize("name", ["arm", "human"])
def test_newtons_matrix_is_that_of_differences_but_inside_blocks_of_three(name):
    figure, markers = cases()[name]
    tracker = Tracker(figure, markers)
    q, h = pose(figure, 1), 1e-6
    targets = marker_places(figure, pose(figure, 3), markers)
    _, _, hessian = derivatives(tracker, q, targets)
    variables = tracker._packed.variables
    steps = h * np.eye(figure.n)[variables]
    found = np.array(
        [
            (derivatives(tracker, q + d, targets)[1] - derivatives(tracker, q - d, targets)[1]) / (2 * h)
            for d in steps
        ]
    )
    owners = [figure.dof(figure.dofs[j]).joint for j in variables]
    turning = [figure.dof(figure.dofs[j]).unit == "rad" for j in variables]
    blocks = {"root", "shoulder"} | {f"{s}_{j}" for s in ("left", "right") for j in ("shoulder", "hip")}
    inside = np.array(
        [
            [a == b and a in blocks and turning[i] and turning[j] for j, b in enumerate(owners)]
            for i, a in enumerate(owners)
        ]
    )
    assert np.where(inside, 0.0, hessian - found) == pytest.approx(np.zeros_like(hessian), abs=2e-7)
    assert hessian == pytest.approx(hessian.T, abs=1e-12)


def test_sensors_pull_by_their_angle():
    figure = arm()
    turns = Rotation.random(2, random_state=1).as_matrix()
    sensors = {"a": Sensor("fore", turns[0], 0.7), "b": Sensor("hand", turns[1], 1.3)}
    tracker = Tracker(figure, sensors=sensors)
    goals = Rotation.random(2, random_state=2).as_matrix()
    q, h = pose(figure, 1), 1e-6
    value, gradient, hessian = derivatives(tracker, q, goals)
    assert value == pytest.approx(half_sum(tracker, q, None, goals))
    steps = h * np.eye(figure.n)[tracker._packed.variables]
    slopes = [
        (half_sum(tracker, q + d, None, goals) - half_sum(tracker, q - d, None, goals)) / (2 * h)
        for d in steps
    ]
    assert gradient == pytest.approx(slopes, abs=1e-7)
    assert (np.linalg.eigvalsh(hessian) > -1e-12).all()

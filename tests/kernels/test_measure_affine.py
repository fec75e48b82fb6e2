"""Rows that are affine in a site's frame: values against NumPy, derivatives against differences."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm
from manikin.engines.frame_model import affine_rows, frame_model
from manikin.figure import transforms
from manikin.plan.measuring import pack_measures
from manikin.residuals.block import Block, equal

from .measured import random_poses, slope_error, values


@pytest.mark.parametrize("base", ["", "elbow"])
def test_values_and_derivatives_in_the_world_and_seen_from_another_site(base):
    figure, rng = arm(), np.random.default_rng(4)
    rows = rng.normal(size=(6, 13))
    m = pack_measures(
        figure, None, [Block("affine", **equal(1.0, 6), site="tool", base=base, numbers=rows.ravel())]
    )
    for q in random_poses(figure, 10, seed=2):
        pose = figure.pose(q)
        frame = pose.matrix("tool")
        if base:
            frame = np.linalg.inv(pose.matrix(base)) @ frame
        expected = rows[:, 0] + rows[:, 1:4] @ frame[:3, 3] + rows[:, 4:] @ frame[:3, :3].ravel()
        assert values(m, q) == pytest.approx(expected, abs=1e-13)
        assert slope_error(m, q, rng) < 1e-9


def test_rows_of_directions_measure_the_twist_between_two_frames():
    rng = np.random.default_rng(5)
    directions, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    position, axes = rng.normal(size=3), transforms.exp(rng.normal(size=3))
    rows = affine_rows(directions, np.zeros(6), position, axes)
    for size in (1e-3, 0.3):
        twist = size * rng.normal(size=6)
        angle = np.linalg.norm(twist[3:])
        expected = directions.T @ np.concatenate([twist[:3], np.sin(angle) / angle * twist[3:]])
        r, turned = position + twist[:3], transforms.exp(twist[3:]) @ axes
        found = rows[:, 0] + rows[:, 1:4] @ r + rows[:, 4:] @ turned.ravel()
        assert found == pytest.approx(expected, abs=1e-14)


def test_a_model_agrees_with_its_function_to_second_order():
    """One that couples position and axes: the point two centimetres along z of the site's frame, and a direction."""
    p, d = np.array([0.4, 0.2, 0.9]), np.array([0.6, 0.0, 0.8])

    def function(r, axes):
        away = r + 0.2 * axes[:, 2] - p
        by_axes = np.zeros((3, 3))
        by_axes[:, 2] = 0.4 * away
        by_axes[:, 0] = -d
        return away @ away + 1.0 - axes[:, 0] @ d, 2.0 * away, by_axes

    goal, rng = mk.Potential("tool", function), np.random.default_rng(6)
    r, axes = rng.normal(size=3), transforms.exp([0.2, -0.3, 0.1])
    model = frame_model(goal, r, axes)
    H = (model.directions * model.curvature) @ model.directions.T
    errors = []
    for size in (2e-2, 1e-2):
        twist = size * np.array([0.3, -0.5, 0.4, 0.6, 0.2, -0.3])
        value = goal.by_twist(r + twist[:3], transforms.exp(twist[3:]) @ axes)[0]
        errors.append(abs(value - (model.value + model.gradient @ twist + 0.5 * twist @ H @ twist)))
    assert errors[0] < 1e-5 and errors[1] < errors[0] / 6.0  # the rest is of third order

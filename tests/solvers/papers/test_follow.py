from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.papers.follow import shares
from manikin.papers.view import View

from .samples import three_links


def test_even_targets_divide_the_way_equally():
    np.testing.assert_allclose(shares(3, "even", "m"), [0.25, 0.5, 0.75, 1.0])


def test_smooth_targets_begin_and_end_without_velocity_or_acceleration():
    s = np.concatenate([[0.0], shares(999, "smooth", "m")])
    velocity, acceleration = np.diff(s) * 1e3, np.diff(s, 2) * 1e6
    assert s[-1] == pytest.approx(1.0) and (velocity > 0.0).all()
    assert max(velocity[0], velocity[-1]) < 1e-4
    assert max(abs(acceleration[0]), abs(acceleration[-1])) < 0.1
    assert s[500] == pytest.approx(0.5)


@pytest.mark.parametrize("method", ["lbfgsb", "pseudoinverse", "damped", "bounded", "recursive"])
@pytest.mark.parametrize("spacing", ["even", "smooth"])
def test_the_trajectory_passes_near_its_intermediate_targets(method, spacing):
    problem = three_links()
    solution = problem.solve(method=method, options={"intermediate": 7, "spacing": spacing})
    view = View(problem, np.array(problem.q0), method)
    begin, X = mk.Pose(problem.figure, problem.q0).position("P3"), np.array([1.0, 1.8, 0.0])
    trajectory = solution.details["trajectory"]
    assert trajectory.shape == (8, 3)
    for share, x in zip(shares(7, spacing, method), trajectory, strict=True):
        assert np.linalg.norm(view.pose(x).position("P3") - (begin + share * (X - begin))) < 0.05


def test_rows_and_jacobian_agree_with_differences():
    problem = three_links()
    view = View(problem, np.array(problem.q0), "m")
    x, h = view.start, 1e-6
    J = view.jacobian(x)
    for i in range(3):
        step = h * np.eye(3)[i]
        np.testing.assert_allclose((view.rows(x - step) - view.rows(x + step)) / (2 * h), J[:, i], atol=1e-8)

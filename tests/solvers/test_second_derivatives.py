"""Second derivatives of the Lagrangian, taken in one sweep, beside differences of its slope."""

from __future__ import annotations

import numpy as np
import pytest
from tests.figure.test_curve import sliding_knee
from tests.problems import work_of

import manikin as mk
from manikin.kernels.levels.descent import descend, survey
from manikin.kernels.residuals.entries import jacobian_at, measure_at
from manikin.kernels.residuals.layout import ON_COORDINATES

BODY = mk.human(stature=1.75)
HAND = mk.Position("right_hand", [0.5, -0.3, 1.2], hard=True)
BOX = mk.Box(center=[0.2, -0.2, 1.0], size=[0.4, 0.4, 0.3])
CASES = {
    "position": [HAND],
    "placement": [mk.Placement("right_hand", [0.5, -0.3, 1.2], np.eye(3), hard=True)],
    "pins": [mk.Pin("left_foot"), mk.Pin("right_foot", axes=["x", "turn_x"])],
    "aim": [HAND, mk.Aim("eyes", at=[2.0, 0.0, 1.5], hard=True)],
    "two axes": [mk.Orientation("head", np.eye(3), axes=(1, 1, 0), hard=True)],
    "balance on feet that move": [HAND, mk.Balance(hard=True)],
    "centre of mass": [HAND, mk.CenterOfMass([0.0, 0.0, 1.0], hard=True)],
    "one hand seen from the other": [
        mk.Relative(
            "left_hand", "right_hand", mk.Placement("left_hand", [0.0, 0.2, 0.0], np.eye(3)), hard=True
        )
    ],
    "swivel": [mk.Swivel(mk.Arm(BODY, "right"), 0.3, hard=True)],
    "inside a ball": [mk.Inside("right_hand", mk.Ball([0.0, 0.0, 0.0], 0.1), hard=True)],
    "outside a box": [mk.Outside("right_*", BOX, hard=True)],
}


CURVED = {
    "position": [mk.Position("ankle", [0.2, 0.1, -0.7], hard=True)],
    "of what follows a follower": [mk.Placement("tip", [0.1, 0.1, -0.5], np.eye(3), hard=True)],
    "between moving links": [
        mk.Relative("ankle", "tip", mk.Placement("ankle", [0.1, 0.0, 0.0], np.eye(3)), hard=True)
    ],
    "centre of mass": [mk.CenterOfMass([0.1, 0.0, -0.3], hard=True)],
    "inside a ball": [mk.Inside("ankle", mk.Ball([0.0, 0.0, 0.0], 0.1), hard=True)],
}


@pytest.mark.parametrize("case", CASES)
def test_second_derivatives_are_those_of_the_slope_by_differences(case):
    check(BODY, CASES[case])


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("case", CURVED)
def test_axes_that_follow_curves_add_how_these_bend(case, base):
    check(sliding_knee(base=base), CURVED[case])


def check(figure: mk.Figure, goals: list[mk.Goal]) -> None:
    """Those of a sum of the goals' rows with random forces, at a random pose."""
    rng = np.random.default_rng(0)
    levels = work_of(mk.Problem(figure, goals, natural=False)).levels
    assert levels is not None
    q = np.clip(figure.rest + 0.2 * rng.normal(size=figure.n), figure.lower, figure.upper)
    levels.mean_start(q, q)
    q = np.clip(q + 0.05 * rng.normal(size=figure.n), figure.lower, figure.upper)
    D, M, packed = levels.D, levels.M, levels.packed
    D.held_lower[:], D.held_upper[:] = -np.inf, np.inf
    descend(*levels.arrays, q.copy(), 1, 0, 0.0)
    packed.sections.sweep.q[:] = q
    D.vector[0] = q[packed.variables]
    M.level[:] = 0  # all are held, each with a force of its own
    force = np.where((M.weight > 0.0) & (M.near != 0.0), rng.normal(size=len(M.value)), 0.0)
    D.force[:] = force
    survey(*levels.arrays, 5)
    by_coordinate = np.repeat(M.attach == ON_COORDINATES, M.count)
    tree, variables = packed.sections.tree, packed.variables

    def slope(x: np.ndarray) -> np.ndarray:
        by_value = np.zeros((len(M.value), len(packed.sections.sweep.values)))
        there, own = q.copy(), np.zeros((len(M.value), figure.n))
        there[variables] = x
        measure_at(*levels.arrays[:6], there)
        jacobian_at(*levels.arrays[:6], by_value, own)
        values = np.where(by_coordinate, 0.0, force) @ by_value
        found = np.zeros(figure.n)
        np.add.at(found, tree.drive_dof, tree.drive_coefficient * values[tree.drive_axis])
        return found[variables]

    second, x, h = D.second.copy(), q[variables], 1e-5
    steps = h * np.eye(len(x))
    expected = np.array([(slope(x + step) - slope(x - step)) / (2.0 * h) for step in steps])
    scale = 1.0 + np.abs(expected).max()
    assert np.abs(expected).max() > 0.1
    assert np.abs(second - expected).max() < 1e-6 * scale  # of the differences: third derivatives
    assert np.abs(second - second.T).max() < 1e-12 * scale

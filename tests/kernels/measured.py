"""The measures of goals as the kernels give them, and their derivatives by differences."""

from __future__ import annotations

import numpy as np

from manikin.figure import Figure, Pose
from manikin.goals import Goal
from manikin.kernels.residuals.entries import jacobian_at, measure_at, push_at
from manikin.plan.measuring import Measuring, pack_measures
from manikin.residuals import Block


def parts_of(figure: Figure, *goals: Goal, start: Pose | None = None, choice: int = 0) -> list[Block]:
    """The parts of goals settled at a pose, rest by default."""
    pose = figure.pose() if start is None else start
    return [part for goal in goals for part in goal.settle(pose).alternatives()[choice]]


def measured(figure: Figure, *goals: Goal, start: Pose | None = None, choice: int = 0) -> Measuring:
    """The goals packed; no row is left out for being far."""
    found = pack_measures(figure, None, parts_of(figure, *goals, start=start, choice=choice))
    found.sections.option[0] = np.inf
    return found


def values(m: Measuring, q: np.ndarray) -> np.ndarray:
    """The measures at the coordinates q."""
    p = m.packed
    measure_at(p.structure, p.parameters, p.workspace, m.ms, m.mr, m.mw, np.asarray(q, dtype=np.float64))
    return m.sections.value.copy()


def jacobian(m: Measuring, q: np.ndarray) -> np.ndarray:
    """The derivatives of the measures by all coordinates."""
    p = m.packed
    count = len(values(m, q))
    tree = p.sections.tree
    by_value, by_coordinate = np.zeros((count, len(tree.offset))), np.zeros((count, len(q)))
    jacobian_at(p.structure, p.parameters, p.workspace, m.ms, m.mr, m.mw, by_value, by_coordinate)
    drives = np.zeros((len(tree.offset), len(q)))
    np.add.at(drives, (tree.drive_axis, tree.drive_dof), tree.drive_coefficient)
    return by_value @ drives + by_coordinate


def gradient(m: Measuring, q: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Σ yᵣ ∂gᵣ by the axis values, through the wrenches, as a gradient by the coordinates."""
    p = m.packed
    values(m, q)
    push_at(p.structure, p.parameters, p.workspace, m.ms, m.mr, m.mw, y)
    tree = p.sections.tree
    result = np.zeros(len(q))
    np.add.at(result, tree.drive_dof, tree.drive_coefficient * p.sections.sweep.slopes[tree.drive_axis])
    return result


def slope_error(m: Measuring, q: np.ndarray, rng: np.random.Generator, step: float = 1e-4) -> float:
    """The worst difference of J·d from differences of fourth order along a random direction d, relative to 1 + slope.

    Where that is not small the step is made smaller, since something may change within it. Where a measure has a kink
    even so, J·d has to lie between the slopes on both sides.
    """
    d = rng.normal(size=len(q))
    d /= np.linalg.norm(d)
    found = jacobian(m, q) @ d
    errors = np.full(len(found), np.inf)
    for h in (step, 0.1 * step, 0.01 * step):
        near = values(m, q + h * d) - values(m, q - h * d)
        far = values(m, q + 2.0 * h * d) - values(m, q - 2.0 * h * d)
        slope = (8.0 * near - far) / (12.0 * h)
        errors = np.minimum(errors, np.abs(found - slope) / (1.0 + np.abs(slope)))
        if np.max(errors, initial=0.0) < 1e-8:
            return float(np.max(errors, initial=0.0))
    ahead = (values(m, q + 3.0 * h * d) - values(m, q + 2.0 * h * d)) / h
    behind = (values(m, q - 2.0 * h * d) - values(m, q - 3.0 * h * d)) / h
    low, high = np.minimum(ahead, behind), np.maximum(ahead, behind)
    slack = 20.0 * h * (1.0 + np.abs(found))
    between = (found >= low - slack) & (found <= high + slack) & (high - low > slack)
    return float(np.max(np.where(between, 0.0, errors), initial=0.0))


def random_poses(figure: Figure, count: int, seed: int = 0) -> np.ndarray:
    """Coordinates inside the limits; where there are none, within ±1.5 rad or ±0.3 m."""
    far = np.array([1.5 if figure.dof(name).unit == "rad" else 0.3 for name in figure.dofs])
    low = np.where(np.isfinite(figure.lower), figure.lower, -far)
    high = np.where(np.isfinite(figure.upper), figure.upper, far)
    return np.random.default_rng(seed).uniform(low, high, (count, figure.n))

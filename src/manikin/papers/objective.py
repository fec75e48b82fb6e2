"""What is minimised among the poses that meet the goals (Korein and Badler, *Objective functions*; eq. 22)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose, kinematics
from manikin.goals import Objective
from manikin.papers.view import View
from manikin.residuals import Block

#: A function of all n coordinates: its value and its n derivatives.
Given = Callable[[np.ndarray], tuple[float, Any]]
#: The same of the variables.
Function = Callable[[np.ndarray], tuple[float, np.ndarray]]


def objective_of(view: View, given: Given | Objective | None) -> Function:
    """The objective as a function of the variables, with its gradient.

    given: a goal such as `Posture`, `LeastChange` or `Effort`, as it stands for the view's start; or a function of
    all
        n coordinates that gives the value and its n derivatives; None is ½‖θ − start‖², the least disturbance.
    """
    if given is None:

        def disturbance(x: np.ndarray) -> tuple[float, np.ndarray]:
            change = x - view.meant
            return 0.5 * float(change @ change), change

        return disturbance
    if isinstance(given, Objective):
        parts = given.settle(Pose(view.figure, view.q)).parts()
        functions = [_of_part(view, given, part) for part in parts]

        def wished(x: np.ndarray) -> tuple[float, np.ndarray]:
            q = view.full(x)
            found = [function(q) for function in functions]
            total = sum((gradient for _, gradient in found), np.zeros(len(q)))
            return float(sum(value for value, _ in found)), total[view.variables]

        return wished
    if not callable(given):
        raise SolveError(
            f"method {view.method!r}: objective must be an objective such as mk.Posture(), or a function of all "
            f"coordinates that gives a value and its derivatives, got {given!r}"
        )
    return _by_hand(view, given)


def _by_hand(view: View, given: Given) -> Function:
    """A function of the caller's, checked."""

    def function(x: np.ndarray) -> tuple[float, np.ndarray]:
        found = given(view.full(x))
        try:
            value, gradient = found
            value, gradient = float(value), np.asarray(gradient, dtype=float)
        except (TypeError, ValueError):
            raise SolveError(
                f"method {view.method!r}: the objective must give a value and its derivatives, got {found!r}"
            ) from None
        if gradient.shape != (view.figure.n,):
            raise SolveError(
                f"method {view.method!r}: the objective must give {view.figure.n} derivatives, "
                f"got shape {gradient.shape}"
            )
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise SolveError(f"method {view.method!r}: the objective is not finite")
        return value, gradient[view.variables]

    return function


def _of_part(view: View, goal: Objective, part: Block) -> Given:
    """Σ w ρ² of a part, ρ how far each of its measures is outside its range, as a function of all coordinates."""
    if part.kind == "share":
        return _share(part)
    measures = {"linear": _linear, "dense": _dense, "center": _center}
    if part.kind not in measures:
        raise SolveError(f"method {view.method!r} cannot take {goal.label()} as its objective")
    measure = measures[part.kind](view, part)

    def function(q: np.ndarray) -> tuple[float, np.ndarray]:
        g, slope = measure(q)
        rho = np.maximum(g - part.upper, 0.0) - np.maximum(part.lower - g, 0.0)
        return float(part.weight @ rho**2), 2.0 * (part.weight * rho) @ slope

    return function


Measure = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def _linear(view: View, part: Block) -> Measure:
    """g = scale (q − origin), one coordinate a row."""
    table = part.numbers.reshape(-1, 3)
    rows = np.zeros((len(table), view.figure.n))
    rows[np.arange(len(table)), table[:, 0].astype(int)] = table[:, 1]
    shift = table[:, 1] * table[:, 2]
    return lambda q: (rows @ q - shift, rows)


def _dense(view: View, part: Block) -> Measure:
    """g = A (q − origin)."""
    count = len(part.columns)
    origin = part.numbers[:count]
    rows = np.zeros((part.rows, view.figure.n))
    rows[:, list(part.columns)] = part.numbers[count:].reshape(part.rows, count)
    return lambda q: (rows[:, list(part.columns)] @ (q[list(part.columns)] - origin), rows)


def _center(view: View, part: Block) -> Measure:
    """g = d·(c − point) of the centre of mass c."""

    def measure(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pose = Pose(view.figure, q)
        return part.directions @ (pose.center_of_mass() - part.point), part.directions @ _center_jacobian(
            pose
        )

    return measure


def _center_jacobian(pose: Pose) -> np.ndarray:
    """(3, n): how the centre of mass moves, the mean of its segments' by mass."""
    tree = pose.figure.tree
    motions = kinematics.frames(tree, pose.q)
    frames = kinematics.segment_frames(tree, motions)
    total = np.zeros((3, pose.figure.n))
    for s in np.flatnonzero(tree.segment_mass > 0.0):
        center = (frames[s] @ np.append(tree.segment_com[s], 1.0))[:3]
        motion = int(tree.segment_motion[s])
        total += tree.segment_mass[s] * kinematics.jacobian(tree, pose.q, motions, motion, center)[:3]
    return total / tree.segment_mass.sum()


def _share(part: Block) -> Given:
    """w ‖x‖ₚ² of x = scale (q − origin): nearly the square of the largest."""
    order, table = part.numbers[0], part.numbers[1:].reshape(-1, 3)
    dofs, scale, origin = table[:, 0].astype(int), table[:, 1], table[:, 2]
    weight = float(part.weight[0])

    def function(q: np.ndarray) -> tuple[float, np.ndarray]:
        x = scale * (q[dofs] - origin)
        largest = np.abs(x).max(initial=0.0)
        gradient = np.zeros(len(q))
        if largest == 0.0:
            return 0.0, gradient
        norm = largest * float(((np.abs(x) / largest) ** order).sum() ** (1.0 / order))
        np.add.at(
            gradient, dofs, 2.0 * weight * norm * np.sign(x) * (np.abs(x) / norm) ** (order - 1.0) * scale
        )
        return weight * norm**2, gradient

    return function

"""Rates: joint velocities for given velocities of the end effectors, Ẋ → θ̇ (Whitney; Korein and Badler)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure import Pose
from manikin.papers.asked import SitePart, choices_of, parts_of
from manikin.papers.concern import Concern
from manikin.papers.least_squares import least_squares
from manikin.papers.limits import Limits
from manikin.papers.motions import Motions

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.problem.problem import Problem, Start

# Of the largest singular value, the damping that stands for none.
_NO_DAMPING = 1e-7
# Nearer to a limit than this is on it.
_TOUCH = 1e-9


def rates(
    problem: Problem,
    start: Start,
    velocities: Sequence[Any],
    *,
    velocity: Any = None,
    damping: float = 0.01,
    dt: float | None = None,
) -> np.ndarray:
    """θ̇, (n,): the least of ‖J θ̇ − Ẋ‖² + λ²‖θ̇‖² inside the velocity limits, leaving no range and no coupling.

    \\|θ̇ⱼ\\| ≤ velocityⱼ; a joint at the end of its range does not move outwards, and so with couplings: equalities
    keep their sum. Rows are weighted as the goals are, which matters where not all can be had. Without limits in the
    way and with λ = 0 it is J⁺ Ẋ. What lies outside a limit already is not moved farther out.

    start: the pose. velocities: one for each goal, in their order: of a Position 3 numbers, m/s along the world's
    axes;
        of an Orientation 3, rad/s about them; of a Placement 6, both. None for a goal that is switched off.
    velocity: the limits, rad/s or m/s: one number, n of them, or by name; by default those of the figure's joints.
    damping: λ, in metres a radian: it bounds θ̇ near singular poses, ‖θ̇‖ ≤ ‖Ẋ‖/2λ; 0 for none.
    dt: seconds that the rates will last: then no joint goes beyond its range, and no coupling breaks, in that time.
    """
    figure = problem.figure
    q = problem.spec.values(start)
    if not np.isfinite(q).all():
        raise SolveError("rates: the pose must be finite")
    parts = _parts(problem, q)
    sites = list(dict.fromkeys(part.site for part in parts))
    concern = Concern.of(problem.spec, sites)
    concern.refuse("rates")
    variables = concern.variables
    wanted = _wanted(problem, parts, velocities)
    most = _speeds(figure, velocity)[variables]
    for name, value in (("damping", damping), ("dt", dt)):
        least = 0.0 if name == "damping" else np.nextafter(0.0, 1.0)
        fine = isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value < np.inf
        if not (fine or (name == "dt" and value is None)):
            raise SolveError(f"rates: {name} must be a positive number, got {value!r}")
    result = np.zeros(figure.n)
    if not parts or not len(variables):
        return result
    placed = Motions.of(figure, q, variables, sites).at(q[variables])
    J = np.vstack([part.scale[:, None] * part.jacobian(placed) for part in parts])
    limits = Limits.of(figure, variables, concern.couplings, q)
    G, h = _allowed(limits, q[variables], most, dt)
    least = max(float(damping), _NO_DAMPING * float(np.linalg.norm(J, 2)), 1e-12)
    C = np.vstack([J, least * np.eye(J.shape[1])])
    d = np.concatenate([wanted, np.zeros(J.shape[1])])
    fixed = np.eye(J.shape[1])[~limits.movable]
    found, _ = least_squares(C, d, G, h, np.vstack([limits.A[limits.equal], fixed]))
    result[variables] = np.clip(found, -most, most)
    return result


def _parts(problem: Problem, q: np.ndarray) -> list[SitePart]:
    """The positions and orientations that the goals ask for: what has a velocity in the world."""
    choices = choices_of(problem.goals, Pose(problem.figure, q), "rates")
    for goal, alternatives in zip(problem.goals, choices, strict=True):
        if len(alternatives) != 1:
            raise SolveError(
                f"method 'rates' takes positions, orientations and placements, not {goal.label()}"
            )
    parts = parts_of(problem.goals, [choice[0] for choice in choices], "rates", problem.tolerance)
    for part in parts:
        if part.base or (part.point is None and part.turn is None):
            raise SolveError(f"method 'rates' takes positions, orientations and placements, not {part.label}")
    return parts


def _wanted(problem: Problem, parts: Sequence[SitePart], velocities: Sequence[Any]) -> np.ndarray:
    """Ẋ, weighted, row by row as the parts are."""
    goals = problem.goals
    if isinstance(velocities, np.ndarray) and velocities.ndim == 1:
        velocities = [velocities]
    if not isinstance(velocities, (Sequence, np.ndarray)) or len(velocities) != len(goals):
        raise SolveError(f"rates: one velocity a goal is wanted, {len(goals)} of them, got {velocities!r}")
    rows = []
    for part in parts:
        own = len(goals[part.goal].parts())
        value = velocities[part.goal]
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (3 * own,) or not np.isfinite(numbers).all():
            raise SolveError(
                f"rates: the velocity of {goals[part.goal].label()} must be {3 * own} finite numbers, got {value!r}"
            )
        rows.append(part.scale * (numbers[:3] if part.turn is None else numbers[-3:]))
    return np.concatenate([np.zeros(0), *rows])


def _speeds(figure: Figure, given: Any) -> np.ndarray:
    """The greatest speed of each coordinate, (n,)."""
    result = np.array(figure.velocity, dtype=float)
    if isinstance(given, Mapping):
        for name, value in given.items():
            result[figure.index(name)] = _speed(value)
    elif given is not None:
        try:
            array = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise SolveError(f"rates: velocity must be numbers, or numbers by name, got {given!r}") from None
        if array.shape not in ((), (figure.n,)):
            raise SolveError(
                f"rates: velocity must be one number, {figure.n} of them or numbers by name, got shape {array.shape}"
            )
        result[:] = array
    if np.isnan(result).any() or (result < 0.0).any():
        raise SolveError(f"rates: velocities must not be negative, got {given!r}")
    return result


def _speed(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SolveError(f"rates: velocity must be numbers, or numbers by name, got {value!r}") from None


def _allowed(
    limits: Limits, x: np.ndarray, most: np.ndarray, dt: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """G θ̇ ≥ h of the speeds, and of the limits that are touched or, within dt, may be."""
    G, room = limits.inequalities(x)
    if dt is None:
        touched = room >= -_TOUCH
        G, room = G[touched], np.zeros(int(touched.sum()))
    else:
        room = np.minimum(room, 0.0) / dt
    slow = np.isfinite(most)
    eye = np.eye(len(x))[slow]
    return np.vstack([G, eye, -eye]), np.concatenate([room, -most[slow], -most[slow]])

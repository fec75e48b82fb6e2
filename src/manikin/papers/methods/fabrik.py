"""Forward and backward reaching (FABRIK), for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.papers.follow import counts
from manikin.papers.hinges import Hinge, best_change, carried_by, hinges, no_equalities, only_positions, reach
from manikin.papers.view import View

CONSTRAINTS = False


def run(view: View, iterations: int = 500) -> dict[str, Any]:
    """The points of the chain, joints and end effector, are pulled to the target and back to the root, lengths kept.

    Backward: the last point goes to the target, and each before it onto the line to the next, at its distance;
    forward the same from the root, which stays. Then the joints follow, from the root on, each to where it brings the
    points that it carries nearest to those wanted, inside its limits and couplings and about its own axis. The next
    round begins with the points that the joints allow.

    One position goal; hinges only. iterations: rounds at most.
    """
    counts(view, iterations=iterations)
    parts = only_positions(view)
    no_equalities(view)
    if len(view.parts) != 1:
        raise SolveError(f"method 'fabrik' takes one position, and here are {len(view.parts)}")
    part = parts[0]
    carriers = carried_by(view, part.site)
    chain = [hinge for hinge in hinges(view) if hinge.motion in carriers]
    for hinge in chain:
        if not hinge.turns:
            name = view.figure.dofs[view.variables[hinge.variable]]
            raise SolveError(f"method 'fabrik' knows hinges only; {name!r} slides")
    x = view.start.copy()
    for _ in range(iterations):
        if view.near(view.rows(x)):
            break
        before = x
        x = _follow(
            view, x, chain, part.site, reached(_points(view, x, chain, part.site), np.asarray(part.point))
        )
        view.moved(x)
        if np.abs(x - before).max() < 1e-12:
            break
    return {}


def reached(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The points after one backward and one forward pass: distances between neighbours and the first point stay."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    found = points.copy()
    found[-1] = target
    for k in range(len(points) - 2, -1, -1):
        found[k] = found[k + 1] + lengths[k] * _direction(found[k] - found[k + 1])
    found[0] = points[0]
    for k in range(1, len(points)):
        found[k] = found[k - 1] + lengths[k - 1] * _direction(found[k] - found[k - 1])
    return found


def _direction(v: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(v)
    return v / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])


def _points(view: View, x: np.ndarray, chain: list[Hinge], site: str) -> np.ndarray:
    placed = view.at(x)
    return np.vstack([*(placed.frames[hinge.motion, 9:] for hinge in chain), placed.matrix(site)[:3, 3]])


def _follow(view: View, x: np.ndarray, chain: list[Hinge], site: str, wanted: np.ndarray) -> np.ndarray:
    """Turn the joints, root first, so that the points come nearest to those wanted."""
    x = x.copy()
    for k, hinge in enumerate(chain):
        points = _points(view, x, chain, site)
        axis = view.at(x).frames[hinge.motion, :9].reshape(3, 3)[:, 2]
        i = hinge.variable
        low, high = reach(view, x, i)
        change = best_change(
            hinge,
            axis,
            points[k],
            points[k + 1 :],
            wanted[k + 1 :] + points[k] - wanted[k],
            np.ones(len(points) - k - 1),
            low,
            high,
        )
        x[i] = min(max(x[i] + change, view.lower[i]), view.upper[i])
    return x

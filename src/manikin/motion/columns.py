"""How the coordinates of a figure are interpolated: as numbers, as turns that wrap, or as rotations on the sphere.

A rotation without limits, a free root's or a ball joint's, goes on the sphere of rotations. With limits, a rotation
vector goes in its own space and a ball joint in the plane of its swing, where ranges, couplings and polygons are
convex; with a cone or ellipse off centre, in the plane of the swing as the cone's centre sees it, where that is convex.
All other coordinates are numbers; a turn without limits takes the shorter way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from manikin.figure import lean
from manikin.figure.figure import Figure
from manikin.figure.swing import Cone
from manikin.motion.hull import Room, groups_of


@dataclass(frozen=True, eq=False)
class Columns:
    """spheres: the first columns of the triples that go on the sphere, and whether each is swing and twist. plain: the
    other columns, in order. wraps: those of them, as indices into `plain`, that take the shorter way round. slides: the
    root's translations, which may drift in a periodic motion, as indices into `plain`. leaning: cones off centre.
    room: the limits of the plain columns.
    """

    spheres: tuple[tuple[int, bool], ...]
    plain: np.ndarray
    wraps: np.ndarray
    slides: np.ndarray
    leaning: tuple[Cone, ...]
    room: Room


@lru_cache(maxsize=64)
def columns_of(figure: Figure) -> Columns:
    """How this figure's coordinates are interpolated."""
    places = {name: k for k, name in enumerate(figure.dofs)}
    limited = np.isfinite(figure.lower) | np.isfinite(figure.upper)
    for coupling in figure.couplings:
        limited[[places[name] for name in coupling.coefficients]] = True
    for follow in figure.followers.values():
        limited[[places[name] for name in follow.coefficients]] = True
    for cone in figure.cones:
        limited[[cone.first, cone.second]] = True
    spheres, slides = [], []
    for joint in figure.joints.values():
        at = 0
        for step in joint.steps:
            names = [axis.name for axis in joint.axes[at : at + len(step.units)]]
            at += len(step.units)
            if step.kind.size == 3 and step.kind.vector and all(name in places for name in names):
                first = places[names[0]]
                if not limited[first : first + 3].any():
                    spheres.append((first, step.kind.swings))
            if joint.name == "root" and figure.base != "fixed" and step.units == ("m",):
                slides.append(places[names[0]])
    on_sphere = {first + k for first, _ in spheres for k in range(3)}
    plain = np.array([k for k in range(figure.n) if k not in on_sphere], dtype=np.int64)
    where = {int(k): index for index, k in enumerate(plain)}
    wraps = [index for k, index in where.items() if figure.dof(figure.dofs[k]).wraps]
    return Columns(
        tuple(spheres),
        plain,
        np.array(wraps, dtype=np.int64),
        np.array([where[k] for k in slides if k in where], dtype=np.int64),
        tuple(cone for cone in figure.cones if cone.center_1 or cone.center_2),
        _room(figure, plain, where, places),
    )


def _room(figure: Figure, plain: np.ndarray, where: dict[int, int], places: dict[str, int]) -> Room:
    lower, upper = figure.lower[plain].copy(), figure.upper[plain].copy()
    rows, low, high = [], [], []
    off_centre = {k for cone in figure.cones if cone.center_1 or cone.center_2 for k in cone[:2]}
    for k in off_centre:  # in the plane that the cone's centre sees, the box of the swing is no box
        lower[where[k]], upper[where[k]] = -np.inf, np.inf
    for coupling in figure.couplings:
        columns = [where.get(places[name], -1) for name in coupling.coefficients]
        if -1 in columns or off_centre & {places[name] for name in coupling.coefficients}:
            continue
        row = np.zeros(len(plain))
        row[columns] = list(coupling.coefficients.values())
        rows.append(row)
        low.append(coupling.lower)
        high.append(coupling.upper)
    pairs = [[where[cone.first], where[cone.second]] for cone in figure.cones]
    radii = [[cone.radius_1, cone.radius_2] for cone in figure.cones]
    ties = [np.flatnonzero(row).tolist() for row in rows] + pairs
    return Room(
        lower,
        upper,
        np.array(rows).reshape(len(rows), len(plain)),
        np.array(low),
        np.array(high),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array(radii).reshape(-1, 2),
        groups_of(len(plain), ties),
    )


def charted(columns: Columns, q: np.ndarray) -> np.ndarray:
    """The plain columns of q, (T, n), wrapping turns unrolled and off-centre swings as their cones see them."""
    x = q[:, columns.plain].copy()
    for k in columns.wraps:
        x[:, k] = np.unwrap(x[:, k])
    for cone in columns.leaning:
        first = int(np.searchsorted(columns.plain, cone.first))
        second = int(np.searchsorted(columns.plain, cone.second))
        x[:, [first, second]] = lean.seen_from(cone[2:4], q[:, [cone.first, cone.second]])
    return x

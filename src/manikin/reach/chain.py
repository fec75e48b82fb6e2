"""The joints between the world and a site: which coordinates move it, and whether they are hinges in one plane."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import FigureError
from manikin.figure import kinematics, transforms

if TYPE_CHECKING:
    from manikin.figure import Figure


def site_motions(figure: Figure, site: str) -> list[int]:
    """The motions that carry a site, the root's first."""
    place = list(figure.segments).index(figure.site(site).segment)
    return figure.tree.path(int(figure.tree.segment_motion[place]))


def movers(figure: Figure, site: str, free: Iterable[str] | str | None = None) -> list[int]:
    """The coordinates that move a site, those nearest to the root first."""
    tree = figure.tree
    allowed = set(range(figure.n)) if free is None else set(figure.select(free).tolist())
    found: list[int] = []
    for motion in site_motions(figure, site):
        own = tree.values_of(motion)
        for axis in range(own.start, own.stop):
            for dof in tree.drive_dof[tree.drive_axis == axis].tolist():
                if dof in allowed and dof not in found:
                    found.append(dof)
    return found


def hinges(figure: Figure, site: str, free: Iterable[str] | str | None = None) -> list[int] | None:
    """The coordinates that move a site, where each is one hinge of its own and nothing else; None where not."""
    tree, found = figure.tree, movers(figure, site, free)
    for dof in found:
        axes = tree.drive_axis[tree.drive_dof == dof]
        one = len(axes) == 1 and (tree.drive_axis == axes[0]).sum() == 1 and axes[0] not in tree.curve_axis
        turns = int(((tree.axis == axes[0]) & tree.turns).sum()) if one else 0
        if turns != 1 or abs(tree.drive_coefficient[tree.drive_dof == dof][0]) != 1.0:
            return None
    return found


def hinge_lines(figure: Figure, q: np.ndarray, dofs: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """World point and direction of each hinge's axis at q, in plain NumPy.

    The direction is that of a growing value.
    """
    tree = figure.tree
    moved = kinematics.frames(tree, q)
    frames = [transforms.unpack(row) for row in moved]
    points, directions = [], []
    for dof in dofs:
        axis = int(tree.drive_axis[tree.drive_dof == dof][0])
        motion = int(np.flatnonzero((tree.axis == axis) & tree.turns)[0])
        points.append(frames[motion][:3, 3])
        sign = float(tree.drive_coefficient[tree.drive_dof == dof][0])
        directions.append(sign * frames[motion][:3, 2])
    return np.array(points), np.array(directions)


def planar_chain(
    figure: Figure, site: str, free: Iterable[str] | str | None = None, start: np.ndarray | None = None
) -> tuple[np.ndarray, list[tuple[float, float]], np.ndarray]:
    """Vectors between hinges, their ranges, and the plane's frame, for `PlanarWorkspace`.

    Coordinates that are not free stand at ``start``, by default at rest. The vectors are those with all angles at zero.
    """
    dofs = hinges(figure, site, free)
    if not dofs:
        raise FigureError(f"workspace of {site!r}: what moves it is not hinges alone")
    q = np.array(figure.rest if start is None else start, dtype=float)
    q[dofs] = 0.0
    points, directions = hinge_lines(figure, q, dofs)
    normal = directions[0]
    if np.abs(np.abs(directions @ normal) - 1.0).max() > 1e-9:
        raise FigureError(
            f"workspace of {site!r}: the axes of its hinges are not parallel, so it is not planar"
        )
    end = figure.forward(q, [site])[0, :3, 3]
    if any(figure.index(name) in dofs for coupling in figure.couplings for name in coupling.coefficients):
        raise FigureError(f"workspace of {site!r}: a coupling ties its hinges, so it has no exact outline")
    toward = np.array([1.0, 0.0, 0.0] if abs(normal[0]) < 0.9 else [0.0, 1.0, 0.0])
    across = toward - (toward @ normal) * normal
    across /= np.linalg.norm(across)
    frame = np.eye(4)
    frame[:3, 0], frame[:3, 1], frame[:3, 2] = across, np.cross(normal, across), normal
    height = (end - points[0]) @ normal
    frame[:3, 3] = points[0] + height * normal
    flat = (np.vstack([points, end]) - points[0]) @ frame[:3, :2]
    signs = np.sign(directions @ normal)
    limits = [
        (float(figure.lower[j]), float(figure.upper[j]))
        if s > 0
        else (-float(figure.upper[j]), -float(figure.lower[j]))
        for j, s in zip(dofs, signs, strict=True)
    ]
    return np.diff(flat, axis=0), limits, frame

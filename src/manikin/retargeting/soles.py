"""How low a figure's feet are: the lowest points of their sites, shapes and meshes."""

from __future__ import annotations

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure, Shape
from manikin.figure.shapes import mesh_points
from manikin.figure.transforms import inverse
from manikin.retargeting.roles import Roles


def foot_segments(figure: Figure, roles: Roles, side: str) -> list[str]:
    """The segments of a foot: from the one that the ankle is on, or is at the end of, to the toe's."""
    ankle = figure.site(roles[f"{side}_ankle"]).segment
    if f"{side}_toe" not in roles:
        return [ankle]
    parents = {joint.child: joint.parent for joint in figure.joints.values()}
    chain = [figure.site(roles[f"{side}_toe"]).segment]
    while chain[-1] != ankle and chain[-1] in parents:
        chain.append(parents[chain[-1]])
    if chain[-1] != ankle:
        return [ankle]
    below = chain[:-1]
    return below if below and f"{side}_ankle" in roles and not _carries(figure, ankle, roles, side) else chain


def _carries(figure: Figure, segment: str, roles: Roles, side: str) -> bool:
    """Whether the ankle is where its segment begins, and not at its end, as a shank's is."""
    at = figure.forward(figure.rest, roles[f"{side}_ankle"])[0, :3, 3]
    begins = _frames(figure, figure.rest[None], segment)[0, :3, 3]
    return float(np.linalg.norm(at - begins)) < 0.01


def lowest(figure: Figure, roles: Roles, side: str, q: np.ndarray, *, meshes: bool = True) -> np.ndarray:
    """The height of a foot's lowest point at values q (T, n), (T,): of its roles, its segments' sites and shapes."""
    own = [roles[role] for role in (f"{side}_ankle", f"{side}_toe") if role in roles]
    segments = foot_segments(figure, roles, side)
    own += [site.name for site in figure.sites.values() if site.segment in segments]
    heights = figure.forward(q, list(dict.fromkeys(own)))[:, :, 2, 3].min(axis=1)
    for name in segments:
        frames = _frames(figure, q, name)
        for shape in figure.segments[name].shapes:
            found = (
                _of_mesh(figure, name, shape, frames) if shape.kind == "mesh" else _of_shape(shape, frames)
            )
            if found is not None and (meshes or shape.kind != "mesh"):
                heights = np.minimum(heights, found)
    return heights


def has_soles(figure: Figure, roles: Roles) -> bool:
    """Whether something tells where the soles are: toes, or shapes of the feet."""
    return any(
        f"{side}_toe" in roles
        or any(figure.segments[name].shapes for name in foot_segments(figure, roles, side))
        for side in ("left", "right")
    )


def _frames(figure: Figure, q: np.ndarray, segment: str) -> np.ndarray:
    """The frames of a segment, (T, 4, 4)."""
    site = next(site for site in figure.sites.values() if site.segment == segment)
    found: np.ndarray = figure.forward(q, site.name)[:, 0] @ inverse(site.placement)
    return found


def _of_mesh(figure: Figure, name: str, shape: Shape, frames: np.ndarray) -> np.ndarray | None:
    """The lowest corner of a mesh, (T,); None where its file cannot be read."""
    try:
        points = mesh_points(figure.segments[name], shape, "soles")
    except GoalError:
        return None
    at = points @ shape.placement[:3, :3].T + shape.placement[:3, 3]
    found: np.ndarray = (frames[:, 2, :3] @ at.T).min(axis=1) + frames[:, 2, 3]
    return found


def _of_shape(shape: Shape, frames: np.ndarray) -> np.ndarray:
    """The lowest point of a shape on a segment at frames (T, 4, 4), (T,); of round ends as if they were balls."""
    at = frames @ shape.placement
    down, height, size = np.abs(at[:, 2, :3]), at[:, 2, 3], np.asarray(shape.size, dtype=np.float64)
    found: np.ndarray
    if shape.kind == "box":
        found = height - down @ (0.5 * size)
    elif shape.kind == "sphere":
        found = height - size[0]
    elif shape.kind == "ellipsoid":
        found = height - np.linalg.norm(down * size, axis=1)
    elif shape.kind == "tapered_capsule":
        found = np.minimum(height - size[0], height + at[:, 2, 2] * size[2] - size[1])
    elif shape.kind == "cylinder":
        found = height - (0.5 * size[1] * down[:, 2] + size[0] * np.hypot(down[:, 0], down[:, 1]))
    else:
        found = height - (0.5 * size[1] * down[:, 2] + size[0])
    return found

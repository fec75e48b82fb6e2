"""A figure in motion as one HTML file: shapes and frames as numbers, and a viewer that draws them."""

from __future__ import annotations

import base64
import html
import json
import os
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from manikin.errors import PoseError
from manikin.figure import Figure, Pose
from manikin.files import whole_file

if TYPE_CHECKING:
    from manikin.motion.motion import Motion
    from manikin.pictures.browser import Mesh
    from manikin.result import Solution

    Subject: TypeAlias = Figure | Pose | Solution | Motion

#: Frames a second that a motion is sampled at, and how many at most.
RATE, MOST_FRAMES = 30.0, 600
_REACHED, _MISSED = (46, 160, 67), (232, 119, 34)


def page(subject: Subject, path: str | os.PathLike[str] | None = None, *, title: str | None = None) -> str:
    """The page of a figure at rest, a pose, a solution with its targets, or a motion: its text.

    path: an ``.html`` file to write it to, whole or not at all. title: by default what the subject says of itself.

    Meshes that cannot be read, for want of the file or of the extra ``pictures``, are drawn as bones. Motions are
    sampled at 30 frames a second, 600 at most.
    """
    figure, frames, rate = _frames(subject)
    data = {
        "meshes": [_packed(name, mesh) for name, mesh in _meshes(figure)],
        "segments": {name: k for k, name in enumerate(figure.segments)},
        "frames": _numbers(np.ascontiguousarray(frames[:, :, :3].reshape(len(frames), -1), np.float32)),
        "count": len(frames),
        "rate": rate,
        "targets": list(_targets(subject)),
    }
    shown = repr(subject) if title is None else title
    text = (
        _template()
        .replace("__TITLE__", html.escape(shown))
        .replace("__DATA__", json.dumps(data).replace("<", "\\u003c"))
    )
    if path is not None:
        with whole_file(path) as beside:
            Path(beside).write_text(text, encoding="utf-8")
    return text


@cache
def _template() -> str:
    return files("manikin.notebook").joinpath("viewer.html").read_text(encoding="utf-8")


def _frames(subject: Any) -> tuple[Figure, np.ndarray, float]:
    """The figure, the frames of its segments (T, segments, 4, 4), and how many of them make a second."""
    from manikin.motion.motion import Motion
    from manikin.result import Solution

    if isinstance(subject, Motion):
        span = subject.duration
        count = min(max(round(span * RATE) + 1, 2), MOST_FRAMES) if span > 0.0 else 1
        times = np.linspace(subject.times[0], subject.times[-1], count)
        poses = [subject.sample(float(t)) for t in times]
        rate = (count - 1) / span if count > 1 else RATE
    else:
        pose = subject.pose if isinstance(subject, Solution) else subject
        pose = pose.pose() if isinstance(pose, Figure) else pose
        if not isinstance(pose, Pose):
            raise PoseError(f"page: a Figure, a Pose, a Solution or a Motion is wanted, got {subject!r}")
        poses, rate = [pose], RATE
    frames = np.stack([np.stack(list(pose.matrices().values())) for pose in poses])
    return poses[0].figure, frames, rate


def _meshes(figure: Figure) -> Iterator[tuple[str, Mesh]]:
    from manikin.errors import MissingExtraError
    from manikin.pictures.browser import body_meshes

    try:
        found = body_meshes(figure)
    except MissingExtraError:
        found = body_meshes(figure, skip_meshes=True)
    for name, meshes in found.items():
        for mesh in meshes:
            yield name, mesh


def _packed(segment: str, mesh: Mesh) -> dict[str, Any]:
    """Vertices in steps of a 32,767th of the mesh's size, normals of a 127th, faces in 16 bits where they fit."""
    vertices = np.asarray(mesh.vertices, dtype=np.float64)
    faces = np.asarray(mesh.faces)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, size = 0.5 * (low + high), max(float((high - low).max()) / 2.0, 1e-9)
    corners = vertices[faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(normals, faces[:, k], flat)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    wide = len(vertices) > 65535
    return {
        "segment": segment,
        "color": [int(value) for value in mesh.color],
        "middle": middle.tolist(),
        "size": size,
        "vertices": _numbers(np.round((vertices - middle) / size * 32767.0).astype(np.int16)),
        "normals": _numbers(np.round(normals * 127.0).astype(np.int8)),
        "faces": _numbers(faces.astype(np.uint32 if wide else np.uint16)),
        "wide": wide,
    }


def _numbers(array: np.ndarray) -> str:
    """Little-endian bytes in base 64."""
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()).decode()


def _targets(subject: Any) -> Iterator[dict[str, Any]]:
    """Points that goals of a solution name: green where reached, orange where missed."""
    from manikin.goals import Aim, Placement, Position
    from manikin.result import Solution

    if not isinstance(subject, Solution):
        return
    missed = {id(miss.goal) for miss in subject.measured if not miss.reached}
    for goal in dict.fromkeys(miss.goal for miss in subject.measured):
        point = {Position: "target", Placement: "position", Aim: "at"}.get(type(goal))
        if point is not None:
            place = np.asarray(getattr(goal, point), dtype=np.float64)
            color = _MISSED if id(goal) in missed else _REACHED
            yield {"place": place.tolist(), "color": list(color), "label": goal.label()}

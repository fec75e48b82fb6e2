"""A glTF file's animations, and a figure's clips of them.

An animation has curves, each a node's translation, rotation or scale at times of its own. A clip has all of
them at the union of their times: what is linear between keys in the file, rotations along the shortest way, is
so in the clip. Cubic curves are sampled at sixty a second as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from manikin.errors import PoseError
from manikin.figure import Figure, rotations
from manikin.formats.contents import Notes
from manikin.formats.gltf.container import Document
from manikin.formats.gltf.nodes import EVEN, Scene
from manikin.motion.motion import Motion

_PATHS = {"translation": 3, "rotation": 4, "scale": 3}
_INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")
CUBIC_RATE = 60.0
#: A clip of more numbers than this is not made.
MOST_NUMBERS = 20_000_000


@dataclass
class Curve:
    """A node's translation, rotation (x y z w) or scale: keys (K, w) at times (K,); cubic ones with tangents
    (K, 3, w).
    """

    times: np.ndarray
    keys: np.ndarray
    kind: str

    @property
    def values(self) -> np.ndarray:
        """The keys themselves, (K, w)."""
        return self.keys[:, 1] if self.kind == "CUBICSPLINE" else self.keys

    def at(self, times: np.ndarray, turning: bool) -> np.ndarray:
        """The curve at times, (T, w), constant before the first and after the last key."""
        values = self.values
        if len(self.times) == 1:
            return np.repeat(values, len(times), axis=0)
        right = np.clip(np.searchsorted(self.times, times, side="right"), 1, len(self.times) - 1)
        left = right - 1
        step = (self.times[right] - self.times[left])[:, None]
        s = np.clip((times - self.times[left])[:, None] / step, 0.0, 1.0)
        if self.kind == "STEP":
            return np.where(s >= 1.0, values[right], values[left])
        if self.kind == "CUBICSPLINE":
            return (
                (2 * s**3 - 3 * s**2 + 1) * values[left]
                + step * (s**3 - 2 * s**2 + s) * self.keys[left, 2]
                + (-2 * s**3 + 3 * s**2) * values[right]
                + step * (s**3 - s**2) * self.keys[right, 0]
            )
        return (
            _slerp(values[left], values[right], s)
            if turning
            else (1.0 - s) * values[left] + s * values[right]
        )


def _slerp(a: np.ndarray, b: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Between unit quaternions along the shorter arc."""
    cosine = np.einsum("ij,ij->i", a, b)[:, None]
    b, cosine = np.where(cosine < 0.0, -b, b), np.abs(cosine)
    angle = np.arctan2(np.linalg.norm(b - cosine * a, axis=1, keepdims=True), cosine)
    sine = np.sin(angle)
    flat = sine < 1e-9
    safe = np.where(flat, 1.0, sine)
    wa = np.where(flat, 1.0 - s, np.sin((1.0 - s) * angle) / safe)
    wb = np.where(flat, s, np.sin(s * angle) / safe)
    return wa * a + wb * b


@dataclass
class Animation:
    """An animation: its curves by node and path."""

    name: str
    curves: dict[tuple[int, str], Curve] = field(default_factory=dict)

    @property
    def moved(self) -> set[int]:
        """The nodes that it turns or moves."""
        return {k for k, path in self.curves if path != "scale"}

    def slides(self, k: int, rest: np.ndarray, size: float) -> bool:
        """Whether node k leaves its place by more than `size`."""
        curve = self.curves.get((k, "translation"))
        return curve is not None and bool(
            (np.abs(curve.values - rest) > size).any()
            or (curve.kind == "CUBICSPLINE" and np.abs(curve.keys[:, ::2]).max() > size)
        )

    def times(self) -> np.ndarray:
        """The union of all curves' times, and sixty a second where one is cubic."""
        parts = [curve.times for curve in self.curves.values()]
        for curve in self.curves.values():
            if curve.kind == "CUBICSPLINE":
                span = curve.times[-1] - curve.times[0]
                count = int(min(span * CUBIC_RATE, 100_000))
                parts.append(curve.times[0] + np.arange(count) / CUBIC_RATE)
        every = np.unique(np.concatenate(parts))
        keep = np.concatenate([[True], np.diff(every) > 1e-7])  # times are kept in 32 bits
        return every[keep]


def read_animations(doc: Document, notes: Notes) -> list[Animation]:
    """All animations, with the curves that move nodes."""
    nodes = len(doc.entries("nodes"))
    found = []
    for k, entry in enumerate(doc.entries("animations")):
        where = f"animation {k}"
        animation = Animation(doc.text(entry.get("name"), f"clip {k + 1}"))
        samplers = doc.sequence(entry.get("samplers"), f"{where}: samplers")
        for channel in doc.sequence(entry.get("channels"), f"{where}: channels"):
            channel = doc.mapping(channel, f"{where}: channels")
            target = doc.mapping(channel.get("target"), f"{where}: target")
            path = target.get("path")
            if not isinstance(path, str) or path not in _PATHS:
                notes.left_out(f"clip {animation.name!r}", f"a figure has no {str(path)[:40]}")
                continue
            if target.get("node") is None:
                continue  # as the specification says
            node = doc.index(target["node"], nodes, f"{where}: target")
            sampler = doc.mapping(
                samplers[doc.index(channel.get("sampler"), len(samplers), f"{where}: sampler")],
                f"{where}: sampler",
            )
            animation.curves[node, path] = _curve(doc, sampler, path, where)
        found.append(animation)
    return found


def _curve(doc: Document, sampler: dict[str, object], path: str, where: str) -> Curve:
    kind = sampler.get("interpolation", "LINEAR")
    if not isinstance(kind, str) or kind not in _INTERPOLATIONS:
        raise doc.error(
            where, f"unknown interpolation {str(kind)[:40]!r}; expected one of {', '.join(_INTERPOLATIONS)}"
        )
    times = doc.accessor(sampler.get("input"), ("SCALAR",), f"{where}: input")[:, 0]
    keys = doc.accessor(sampler.get("output"), (f"VEC{_PATHS[path]}",), f"{where}: output")
    each = 3 if kind == "CUBICSPLINE" else 1
    if not len(times) or len(keys) != each * len(times):
        raise doc.error(where, f"{len(times)} times and {len(keys)} keys of a {kind} curve do not fit")
    if not (np.diff(times) > 0.0).all():
        raise doc.error(where, "its times are not increasing")
    if each == 3:
        keys = keys.reshape(len(times), 3, -1)
    if path == "rotation":
        values = keys[:, 1] if each == 3 else keys
        length = np.linalg.norm(values, axis=1, keepdims=True)
        if not ((length > 1e-6) & (length < 1e6)).all():
            raise doc.error(where, "a rotation is no quaternion of length 1")
        if each == 1:
            keys = values / length
    return Curve(times, keys, kind)


def clip_of(
    animation: Animation,
    scene: Scene,
    motions: Mapping[int, str],
    figure: Figure,
    notes: Notes,
    joint_names: Mapping[int, str],
) -> Motion | None:
    """The figure's clip of an animation, or None where it moves none of its segments."""
    where = f"clip {animation.name!r}"
    if not animation.moved & set(motions):
        if animation.curves:
            notes.left_out(where, "it moves no part of the figure")
        return None
    times = animation.times()
    if len(times) * max(figure.n, 1) > MOST_NUMBERS:
        raise scene.doc.error(where, f"{len(times)} times of {figure.n} values are more than is read")
    values = np.tile(figure.pose().q, (len(times), 1))
    index = {name: place for place, name in enumerate(figure.dofs)}
    for k, motion in motions.items():
        if (k, "translation") not in animation.curves and (k, "rotation") not in animation.curves:
            continue
        joint = figure.joints.get(joint_names.get(k, "root"))
        if joint is None or motion == "planar":
            notes.left_out(where, f"a {motion} base leaves out the motion of the root")
            continue
        if motion == "fixed":
            continue
        places = [index[axis.name] for axis in joint.axes]
        turns, slides = _local(animation, scene, k, times)
        if motion == "ball":
            values[:, places] = rotations.to_swing_twist(turns, joint.steps[0].turn)
        else:
            values[:, places] = np.column_stack([slides, rotations.to_vectors(turns)])
    _tell(animation, scene, notes, where)
    try:
        return Motion(figure, times, values, name=animation.name)
    except PoseError as error:
        raise scene.doc.error(where, str(error)) from error


def _local(animation: Animation, scene: Scene, k: int, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How node k is turned and moved from where it stands in the file: R₀ᵀ R and R₀ᵀ (t − t₀), in metres."""
    node = scene.nodes[k]
    turn, slide = animation.curves.get((k, "rotation")), animation.curves.get((k, "translation"))
    rotation = np.broadcast_to(node.rotation, (len(times), 3, 3))
    if turn is not None:
        found = turn.at(times, True)
        length = np.linalg.norm(found, axis=1)
        if not (length > 1e-6).all():
            raise scene.doc.error(
                f"clip {animation.name!r}", f"the rotation of {node.name!r} vanishes between keys"
            )
        rotation = rotations.from_quaternions(found)
    moved = np.zeros((len(times), 3))
    if slide is not None:
        moved = scene.offset(k, slide.at(times, False) - node.translation)
    return node.rotation.T @ rotation, moved @ node.rotation


def _tell(animation: Animation, scene: Scene, notes: Notes, where: str) -> None:
    for (k, path), curve in animation.curves.items():
        name = f"node {scene.nodes[k].name!r}"
        if path == "scale" and np.abs(curve.values - scene.nodes[k].scale).max() > EVEN:
            notes.left_out(where, f"{name} is scaled; figures keep their size")
        elif curve.kind == "STEP" and len(curve.times) > 1:
            notes.changed(where, f"{name} jumps from key to key; a clip goes evenly")
        elif curve.kind == "CUBICSPLINE":
            notes.changed(where, f"cubic curves are sampled at {CUBIC_RATE:g} a second")

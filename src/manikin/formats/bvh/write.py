"""A figure and a clip of it as BVH.

BVH knows one kind of joint: an offset in axes that are the file's own at zero, and turns about them. Every segment
becomes one, at the centre of the joint that carries it. Where a joint turns about the file's axes at zero, its
channels are its own axes, in order, and the numbers are its values; others are written as Zrotation Xrotation
Yrotation.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from manikin.figure import Figure, Joint, rotations
from manikin.files import whole_file
from manikin.formats.axes import axes_of, metres
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.posed import axis_values, edges, evened, segment_frames
from manikin.motion.motion import Motion

_DEGREES = 180.0 / math.pi


@dataclass
class _Bone:
    """A joint to be written: its channels' names and their columns, and what hangs from it."""

    name: str
    offset: np.ndarray
    channels: list[str] = field(default_factory=list)
    columns: list[np.ndarray] = field(default_factory=list)
    children: list[_Bone] = field(default_factory=list)
    end: np.ndarray | None = None


def write(
    contents: Contents,
    path: str | os.PathLike[str],
    *,
    clip: str | int | None = None,
    unit: str | float = "cm",
    up: str = "y",
    rate: float | None = None,
    digits: int = 12,
) -> list[Note]:
    """Write a figure, at rest or moving, and say what was not kept.

    clip: which one, where there are several. rate: frames a second, by default the clip's own. digits: of each
        number.
    """
    notes = Notes()
    scale, axes = metres(unit, str(path)), axes_of(up, str(path))
    figure = contents.figure
    motion = contents.clip(clip) if contents.clips else Motion(figure, [0.0], figure.rest[None])
    if len(contents.clips) > 1:
        names = [entry.name for entry in contents.clips if entry is not motion]
        notes.left_out("clips", f"BVH holds one clip: not {', '.join(map(repr, names))}")
    q, step = evened(motion, notes, "BVH", rate)
    root = _Bones(figure, q, axes, scale, notes).root
    _notes(contents, notes)
    lines = ["HIERARCHY", *_hierarchy(root, "ROOT", 0, digits), "MOTION", f"Frames: {len(q)}"]
    lines.append(f"Frame Time: {step:.9g}")
    table = np.stack(_all_columns(root), axis=1)
    # Zero without its sign, and none of the last digits that turning there and back leaves.
    table = np.where(np.abs(table) < 1e-13, 0.0, table)
    pattern = " ".join([f"%.{digits}g"] * table.shape[1])
    lines += [pattern % tuple(row) for row in table.tolist()]
    with whole_file(path) as beside:
        Path(beside).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(notes)


def _notes(contents: Contents, notes: Notes) -> None:
    figure = contents.figure
    if np.isfinite(figure.lower).any() or np.isfinite(figure.upper).any():
        notes.left_out("limits", "BVH holds no ranges of joints")
    if figure.mass:
        notes.left_out("mass", "BVH holds no masses")
    if any(segment.shapes for segment in figure.segments.values()) or contents.skins:
        notes.left_out("shapes", "BVH holds no shapes or skins")
    if figure.followers or figure.couplings or figure.loops or figure.cones:
        notes.left_out("couplings", "BVH holds no followers, couplings, cones or loops")


class _Bones:
    """Builds the bones from where the segments are, at zero and in each frame, in the file's axes."""

    def __init__(self, figure: Figure, q: np.ndarray, axes: np.ndarray, scale: float, notes: Notes) -> None:
        self.figure, self.scale, self.notes = figure, scale, notes
        all_q = np.concatenate([np.zeros((1, figure.n)), q])
        frames = segment_frames(figure, all_q)
        self.zero, self.turn, self.frames = {}, {}, {}
        turned = False
        for name, world in frames.items():
            rotation = axes.T @ world[:, :3, :3]
            place = world[:, :3, 3] @ axes
            self.zero[name] = rotation[0]
            self.turn[name] = rotation[1:] @ rotation[0].T
            self.frames[name] = rotation, place
            turned |= bool(np.abs(rotation[0] - np.eye(3)).max() > 1e-9)
        if turned:
            notes.changed(
                "frames", "BVH's joints have the file's axes at zero; segments' own axes are not kept"
            )
        self.values = axis_values(figure, q)
        self.names = Names()
        self.edges = edges(figure)
        self.root = self._build()

    def _name(self, segment: str) -> str:
        plain = "_".join(segment.replace("{", "_").replace("}", "_").split())
        if plain != segment:
            self.notes.changed(f"segment {segment!r}", f"BVH's names have no spaces or braces: {plain!r}")
        return self.names.unique(plain)

    def _center(self, segment: str, point: np.ndarray) -> np.ndarray:
        """Where a point of a segment is, (1 + T, 3): at zero, then in each frame."""
        rotation, place = self.frames[segment]
        return place + rotation @ point

    def _build(self) -> _Bone:
        start = self.figure.root
        edges = self.edges
        if self._stands_for_the_world():
            joint, _, start, _ = edges[0]
            edges = edges[1:]
            root = self._bone(joint, start, None, False)
        else:
            root = self._free_root()
        bones = {start: root}
        centers = {start: self._center(start, self._origin_of_root(start))}
        for joint, near, far, backwards in edges:
            centers[far] = self._center(far, (joint.placement if backwards else joint.child_placement)[:3, 3])
            bone = self._bone(joint, far, near, backwards, centers)
            bones[near].children.append(bone)
            bones[far] = bone
        self._ends(bones, centers)
        return root

    def _origin_of_root(self, start: str) -> np.ndarray:
        if start == self.figure.root:
            return np.zeros(3)
        return self.edges[0][0].child_placement[:3, 3]

    def _stands_for_the_world(self) -> bool:
        """Whether the root segment is only what the file's root moves in, as base="channels" reads it."""
        figure = self.figure
        root = figure.segments[figure.root]
        mine = [edge for edge in self.edges if edge[1] == figure.root]
        sites = [site for site in figure.sites.values() if site.segment == figure.root]
        return (
            figure.base == "fixed"
            and len(mine) == 1
            and not mine[0][3]
            and bool(mine[0][0].steps)
            and not root.mass
            and not root.shapes
            and len(sites) == 1
            and float(np.abs(self.zero[figure.root] - np.eye(3)).max()) < 1e-12
        )

    def _free_root(self) -> _Bone:
        name = self.figure.root
        place = self.frames[name][1]
        bone = _Bone(self._name(name), np.zeros(3))
        self._positions(bone, place[1:])
        self._turns(bone, self.turn[name])
        return bone

    def _bone(
        self,
        joint: Joint,
        segment: str,
        parent: str | None,
        backwards: bool,
        centers: dict[str, np.ndarray] | None = None,
    ) -> _Bone:
        if parent is None or centers is None:
            between = self._center(segment, joint.child_placement[:3, 3])
            parent_turn = np.broadcast_to(np.eye(3), self.turn[segment].shape)
            offset, moved = between[0], between[1:]
        else:
            between = centers[segment] - centers[parent]
            parent_turn = self.turn[parent]
            offset = between[0]
            moved = np.einsum("tji,tj->ti", parent_turn, between[1:])
        bone = _Bone(self._name(segment), offset * self.scale**-1)
        slides = any(step.kind.slides for step in joint.steps)
        if slides or parent is None:
            self._positions(bone, moved)
        own = None if backwards else self._own_axes(joint)
        if own is not None:
            for letter, values in own:
                bone.channels.append(f"{letter.upper()}rotation")
                bone.columns.append(values * _DEGREES)
        elif joint.steps:
            self._turns(bone, np.swapaxes(parent_turn, 1, 2) @ self.turn[segment])
        return bone

    def _positions(self, bone: _Bone, places: np.ndarray) -> None:
        bone.channels += ["Xposition", "Yposition", "Zposition"]
        bone.columns += list((places / self.scale).T)

    def _turns(self, bone: _Bone, turns: np.ndarray) -> None:
        bone.channels += ["Zrotation", "Xrotation", "Yrotation"]
        bone.columns += list((rotations.to_euler("zxy", turns) * _DEGREES).T)

    def _own_axes(self, joint: Joint) -> list[tuple[str, np.ndarray]] | None:
        """Each turn as a letter and its values, where all are about the file's axes and no slide comes after one."""
        found: list[tuple[str, np.ndarray]] = []
        frame = self.zero[joint.parent] @ joint.placement[:3, :3]
        for step, axis in zip(joint.steps, joint.axes, strict=False):
            if not (step.kind.turns or step.kind.slides) or (step.kind.slides and found):
                return None
            if step.kind.slides:
                continue
            direction = frame @ step.turn[:, 2]
            k = int(np.argmax(np.abs(direction)))
            if abs(abs(direction[k]) - 1.0) > 1e-12 or np.abs(np.delete(direction, k)).max() > 1e-12:
                return None
            found.append(("xyz"[k], math.copysign(1.0, direction[k]) * self.values[axis.name]))
        letters = [letter for letter, _ in found]
        return found if len(set(letters)) == len(letters) else None

    def _ends(self, bones: dict[str, _Bone], centers: dict[str, np.ndarray]) -> None:
        by_segment: dict[str, list[str]] = {}
        for site in self.figure.sites.values():
            if site.name != site.segment:
                by_segment.setdefault(site.segment, []).append(site.name)
        for segment, bone in bones.items():
            sites = by_segment.get(segment, [])
            chosen = None
            if not bone.children:
                far = {
                    name: self._center(segment, self.figure.sites[name].placement[:3, 3])[0]
                    - centers[segment][0]
                    for name in sites
                }
                chosen = f"{segment}_end"
                if chosen not in far:
                    chosen = max(far, key=lambda name: float(np.linalg.norm(far[name])), default=None)
                bone.end = np.zeros(3) if chosen is None else far[chosen] / self.scale
            for name in sites:
                if name != chosen:
                    self.notes.left_out(
                        f"site {name!r}", "BVH holds one End Site a last joint and no other sites"
                    )


def _all_columns(bone: _Bone) -> list[np.ndarray]:
    found, waiting = [], [bone]
    while waiting:
        current = waiting.pop()
        found += current.columns
        waiting += reversed(current.children)
    return found


def _hierarchy(root: _Bone, word: str, depth: int, digits: int) -> list[str]:
    lines: list[str] = []
    waiting: list[tuple[_Bone | None, int]] = [(root, 0)]
    while waiting:
        bone, depth = waiting.pop()
        tab = "\t" * depth
        if bone is None:
            lines.append(f"{tab}}}")
            continue
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {bone.name}", f"{tab}{{"]
        lines.append(f"{tab}\tOFFSET {_numbers(bone.offset, digits)}")
        lines.append(f"{tab}\tCHANNELS {len(bone.channels)} {' '.join(bone.channels)}".rstrip())
        if bone.end is not None:
            lines += [
                f"{tab}\tEnd Site",
                f"{tab}\t{{",
                f"{tab}\t\tOFFSET {_numbers(bone.end, digits)}",
                f"{tab}\t}}",
            ]
        waiting.append((None, depth))
        waiting += [(child, depth + 1) for child in reversed(bone.children)]
    return lines


def _numbers(values: np.ndarray, digits: int) -> str:
    return " ".join(f"{0.0 if abs(value) < 1e-13 else value:.{digits}g}" for value in values.tolist())

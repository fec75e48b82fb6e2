"""A glTF or VRM file as a figure with its clips and skins.

Segments are the nodes that move: joints of skins, targets of animations, a VRM's bones. A node that stands still on a
segment is a site of it. The root is the lowest node above all of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError
from manikin.figure import Figure, Joint, Segment, Site
from manikin.figure.transforms import inverse, turn_z
from manikin.formats.axes import Y_UP, Y_UP_BACKWARDS, rotated
from manikin.formats.contents import Contents, Names, Notes
from manikin.formats.gltf.clips import Animation, clip_of, read_animations
from manikin.formats.gltf.container import Document
from manikin.formats.gltf.nodes import EVEN, Scene
from manikin.formats.gltf.original import Original
from manikin.formats.gltf.skins import read_skins, skin_joints
from manikin.formats.gltf.vrm import humanoid_nodes
from manikin.references import References
from manikin.retargeting.roles import guess

#: Metres by which a slide may go beyond what the clips use: a range has some width.
_WIDER = 1e-9
_BASES = ("free", "fixed", "planar")
_ROOT_DOFS = tuple(f"root_{label}" for label in ("x", "y", "z", "rx", "ry", "rz", "yaw"))


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    skins: bool = True,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """The figure, the clips and the skins in a `.glb`, `.gltf` or `.vrm` file.

    base: ``"free"``, the default where the root is itself a joint of the skeleton; ``"fixed"``, the default
        otherwise, or ``"planar"``, where a clip's root stays.
    skins: whether to read surfaces too.
    within: further folders that buffers may lie in, besides the file's own.
    """
    file = Path(path)
    if base is not None and base not in _BASES:
        raise FormatError(f"{file}: unknown base {base!r}; expected one of: {', '.join(_BASES)}")
    doc, notes = Document(file, References(file, within)), Notes()
    scene = Scene(doc, notes)
    if not scene.order:
        raise doc.error("scene", "it has no nodes")
    animations = read_animations(doc, notes)
    bones, backwards = humanoid_nodes(doc, len(scene.nodes))
    try:
        tree = _Tree(scene, animations, set(bones.values()), base, notes)
        figure = tree.figure(_name(doc), Y_UP_BACKWARDS if backwards else Y_UP, bones)
        figure = _facing_forward(figure, notes)
        clips = {
            clip: k
            for k, animation in enumerate(animations)
            if (clip := clip_of(animation, scene, tree.motions, figure, notes, tree.joint_names)) is not None
        }
        top = scene.frame(tree.top) if tree.top >= 0 else np.eye(4)
        figure.origin = Original(doc, scene, tree.names, tree.top, figure.location @ inverse(top), clips)
        surfaces = read_skins(doc, scene, tree.carrier, tree.names, notes) if skins else ()
    except FigureError as error:
        raise FormatError(f"{file}: {error}") from error
    humanoid = {bone: tree.names[k] for bone, k in bones.items() if k in tree.names}
    return Contents(figure, tuple(clips), tuple(surfaces), humanoid, tuple(notes))


def _facing_forward(figure: Figure, notes: Notes) -> Figure:
    """The figure turned about the vertical so that it faces forward: a character whose left is on its right looks back,
    whatever its file says of axes."""
    at = guess(figure).sites
    if "left_hip" not in at or "right_hip" not in at:
        return figure
    frames = figure.forward(figure.rest, [at["left_hip"], at["right_hip"]])
    across = frames[0, :3, 3] - frames[1, :3, 3]
    if not np.hypot(*across[:2]) > max(abs(float(across[2])), 1e-9):
        return figure
    quarters = round(float(np.arctan2(-across[0], across[1])) / (0.5 * np.pi))
    if quarters == 0:
        return figure
    side = "backwards" if abs(quarters) == 2 else "sideways"
    notes.changed(
        "axes", f"it looks {side}, by where its left hip is; it is turned about the vertical to look forward"
    )
    return figure.replace(location=rotated(turn_z(-0.5 * np.pi * quarters)) @ figure.location)


def _name(doc: Document) -> str:
    """The figure's, where our own writer has left it, otherwise the file's."""
    scenes, stem = doc.entries("scenes"), doc.path.stem or "figure"
    ours = doc.mapping(doc.json.get("asset"), "asset").get("generator") == "Manikin"
    extras = [scene.get("extras") for scene in scenes]
    told = [entry["manikin"] for entry in extras if isinstance(entry, dict) and "manikin" in entry]
    if told:
        return doc.text(told[0], stem)
    return doc.text(scenes[0].get("name"), stem) if ours and len(scenes) == 1 else stem


class _Tree:
    """Which nodes are segments, which sites, how each segment moves, and where the root is.

    motions: of each segment but the root ``"ball"``, ``"free"`` or ``"fixed"``; of the root its base.
    """

    def __init__(
        self, scene: Scene, animations: list[Animation], bones: set[int], base: str | None, notes: Notes
    ) -> None:
        self.scene, self.animations, self.notes = scene, animations, notes
        doc = scene.doc
        shown = set(scene.order)
        marks = _marks(doc, shown)
        marked = {k for k, mark in marks.items() if mark in ("segment", "fixed")}
        animated = {k for animation in animations for k in animation.moved} & shown
        jointed = skin_joints(doc, len(scene.nodes)) & shown
        moving = (jointed | animated | (bones & shown)) or set(marked)
        moving |= marked
        if not moving:
            moving = {k for k in shown if scene.nodes[k].children or not _has_mesh(doc, k)}
        self.top = scene.above_all(moving or shown)
        self.moving = moving
        self.marks = marks
        inside = self._inside()
        self.segments = self._segments(inside)
        self.carrier = self._carriers(inside)
        self.base = base or ("free" if self.top in moving else "fixed")
        self.motions = self._motions(animations)
        taken = Names(["scene"] if self.top < 0 else [])
        self.names = {k: taken.unique(scene.nodes[k].name) for k in self.segments}
        for k, name in self.names.items():
            if name != scene.nodes[k].name:
                notes.changed(f"node {k}", f"a second joint {scene.nodes[k].name!r} is called {name!r}")
        self.taken = taken
        joints = Names(["root"] if self.base != "fixed" else [])
        self.joint_names = {k: joints.unique(self.names[k]) for k in self.segments if k != self.top}
        self._tell(shown, set(inside))

    def _inside(self) -> list[int]:
        """The root and all below it, in order; all nodes where there is none above all."""
        if self.top < 0:
            return list(self.scene.order)
        found = {self.top: None}
        for k in self.scene.order:
            if self.scene.nodes[k].parent in found:
                found[k] = None
        return list(found)

    def _segments(self, inside: list[int]) -> list[int]:
        """The moving nodes and all between them and the root, in order."""
        wanted = {self.top} - {-1}
        for k in self.moving:
            while k >= 0 and k not in wanted:
                wanted.add(k)
                k = self.scene.nodes[k].parent
        return [k for k in inside if k in wanted]

    def _carriers(self, inside: list[int]) -> dict[int, int]:
        """For every node the segment that it stands on; −1 for the scene's own."""
        wanted = set(self.segments)
        found: dict[int, int] = {}
        for k in inside:
            parent = self.scene.nodes[k].parent
            found[k] = k if k in wanted else found.get(parent, -1)
        return found

    def _motions(self, animations: list[Animation]) -> dict[int, str]:
        scene, result = self.scene, {}
        for k in self.segments:
            if k == self.top:
                result[k] = self.base
            elif k not in self.moving or self.marks.get(k) == "fixed":
                result[k] = "fixed"
            else:
                rest = scene.nodes[k].translation
                size = 1e-6 / abs(scene.nodes[k].above)
                slides = any(animation.slides(k, rest, size) for animation in animations)
                result[k] = "free" if slides else "ball"
        return result

    def _tell(self, shown: set[int], inside: set[int]) -> None:
        doc, nodes = self.scene.doc, self.scene.nodes
        for k in self.scene.order:
            spread = float(np.ptp(np.abs(nodes[k].scale)))
            mixed = len(set(np.sign(nodes[k].scale).tolist())) > 1
            turning = [child for child in nodes[k].children if self.motions.get(child, "fixed") != "fixed"]
            if (spread > EVEN * float(np.abs(nodes[k].scale).max()) or mixed) and turning:
                self.notes.changed(
                    f"node {nodes[k].name!r}",
                    "it is stretched unevenly; what turns below it is placed by its mean",
                )
            entry = doc.entries("nodes")[k]
            if k not in inside and "mesh" in entry and "skin" not in entry:
                self.notes.left_out(f"node {nodes[k].name!r}", "its mesh is no part of the skeleton")
            for what in ("camera", "weights"):
                if what in entry:
                    self.notes.left_out(f"node {nodes[k].name!r}", f"a figure has no {what}")
        hidden = len(nodes) - len(shown)
        if hidden:
            self.notes.left_out("scene", f"{hidden} nodes are in no scene, or in another")

    def figure(self, name: str, axes: np.ndarray, bones: dict[str, int]) -> Figure:
        """The figure: segments and sites of the nodes' names, sites of the humanoid bones' names."""
        scene = self.scene
        location = rotated(axes)
        segments = [Segment(self.names[k]) for k in self.segments]
        joints = []
        dof_names = Names(_ROOT_DOFS if self.base != "fixed" else ())
        if self.top < 0:
            segments.insert(0, Segment("scene"))
            root = "scene"
        else:
            root = self.names[self.top]
            location = location @ scene.frame(self.top)
        for k in self.segments:
            if k != self.top:
                joints.append(self._joint(k, dof_names))
        sites = []
        for k, carrier in self.carrier.items():
            if carrier != k:
                owner = root if carrier < 0 else self.names[carrier]
                place = scene.frame(k, self.top if carrier < 0 else carrier)
                sites.append(Site(self.taken.unique(scene.nodes[k].name), owner, place))
        for bone, k in bones.items():
            if k in self.names and self.names[k] != bone:
                sites.append(Site(self.taken.unique(bone), self.names[k]))
        return Figure(name, segments, joints, sites, root=root, base=self.base, location=location)

    def _joint(self, k: int, dof_names: Names) -> Joint:
        scene, name = self.scene, self.names[k]
        parent = scene.nodes[k].parent
        owner = "scene" if parent < 0 else self.names[parent]
        motion = self.motions[k]
        options: dict[str, Any] = {}
        if motion == "ball":
            motion = f"ball({twist_axis(scene, k)})"
            labels: tuple[str, ...] = ("swing_1", "swing_2", "twist")
        else:
            labels = ("x", "y", "z", "rx", "ry", "rz") if motion == "free" else ()
            if motion == "free":
                options |= self._ranges(k)
        if labels:
            options["dofs"] = [dof_names.unique(f"{name}_{label}") for label in labels]
        return Joint(self.joint_names[k], owner, name, motion, scene.local(k), **options)

    def _ranges(self, k: int) -> dict[str, Any]:
        """The ranges of a joint that slides as well as turns: it is stretched no farther than by the file's clips."""
        node, places = self.scene.nodes[k], [np.zeros((1, 3))]
        for animation in self.animations:
            curve = animation.curves.get((k, "translation"))
            if curve is not None:
                every = animation.times() if curve.kind == "CUBICSPLINE" else curve.times
                away = self.scene.offset(k, curve.at(every, False) - node.translation)
                places.append(away @ node.rotation)
        found = np.concatenate(places)
        none = [np.inf] * 3
        low, high = found.min(axis=0) - _WIDER, found.max(axis=0) + _WIDER
        return {"lower": [*low.tolist(), *(-np.array(none))], "upper": [*high.tolist(), *none]}


def twist_axis(scene: Scene, k: int) -> str:
    """The axis of a node along its bone: towards its children, or z where it has none."""
    total = sum((scene.nodes[child].translation for child in scene.nodes[k].children), np.zeros(3))
    if not np.abs(total).max() > 0.0:
        return "z"
    return "xyz"[int(np.argmax(np.abs(total)))]


def _marks(doc: Document, shown: set[int]) -> dict[int, str]:
    """What our own writer said of nodes: which are segments and which sites."""
    found = {}
    for k, entry in enumerate(doc.entries("nodes")):
        extras = entry.get("extras")
        mark = extras.get("manikin") if isinstance(extras, dict) else None
        if k in shown and isinstance(mark, str):
            found[k] = mark
    return found


def _has_mesh(doc: Document, k: int) -> bool:
    return "mesh" in doc.entries("nodes")[k]

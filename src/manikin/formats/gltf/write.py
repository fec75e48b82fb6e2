"""A figure, its clips and its skins as glTF, GLB or VRM.

Every segment is a node, every site too; a joint is what its node does. Keys are written as they are, rotations as
quaternions, so that any viewer plays the clip; where a hinge turns by half a turn or more from key to key there
are keys between. A figure without any shape gets bones to be seen by.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Figure, rotations
from manikin.figure.human.surface import human_skins
from manikin.figure.transforms import inverse
from manikin.files import whole_file
from manikin.formats.axes import Y_UP, rotated
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.gltf import surfaces
from manikin.formats.gltf.buffer import ARRAY, ELEMENTS, Buffer
from manikin.formats.gltf.original import Original, Rewriter
from manikin.formats.gltf.vrm import HUMAN, REQUIRED
from manikin.formats.posed import axis_values, edges, evened, segment_frames
from manikin.formats.skin import Skin
from manikin.motion.motion import Motion

_MOST_TURN = 0.9 * math.pi
#: Seconds between keys from which the way between them can be seen.
SPARSE = 0.1
#: What moves by less than this, in metres or in a rotation's matrix, stands still.
_STILL = 1e-9


def write(
    contents: Contents,
    path: str | os.PathLike[str],
    *,
    bones: bool | None = None,
    humanoid: Mapping[str, str] | None = None,
    clip: str | int | None = None,
    rate: float | None = None,
    look: str = "shapes",
    original: bool = True,
) -> list[Note]:
    """Write a figure with all its clips (or the one named) and skins, and say what was not kept.

    rate: keys a second, taken from the motions' own curves; by default the keys are written as they are, and a
        viewer goes evenly from one to the next.
    bones: whether to draw bones; by default where the figure has no shapes and no skins.
    look: ``"shapes"`` (``"wood"`` says the same of a human); ``"skin"`` writes a human's smooth skin
        (`manikin.figure.human.surface`) in place of its segments' shapes.
    humanoid: for VRM, the segment of each humanoid bone, ``{"hips": "pelvis", …}``; by default as it was read,
        or those of `human`.
    original: whether a figure that was read from a glTF file is written as that file with these clips in place of its
        own, so that skins, texture coordinates, materials, images, morph targets and extensions stay; if not, as a
        figure like any other.
    """
    if clip is not None:
        contents = Contents(contents.figure, (contents.clip(clip),), contents.skins, contents.humanoid)
    if look not in ("shapes", "wood", "skin"):
        raise FormatError(f"{path}: look must be 'shapes', 'wood' or 'skin', got {look!r}")
    if look == "skin":
        contents = replace(contents, skins=(*contents.skins, *human_skins(contents.figure)))
    writer = _Writer(contents, bones, rate, shapes=look != "skin")
    kept = original and bones is None and look == "shapes" and writer.keeps_its_file()
    document = writer.file_again() if kept else writer.document()
    is_one = {"VRMC_vrm", "VRM"} & document.get("extensions", {}).keys()
    if Path(path).suffix.lower() == ".vrm" and (humanoid is not None or not is_one):
        writer.vrm(document, dict(contents.humanoid if humanoid is None else humanoid), path)
    data = (
        writer.buffer.gltf(document) if Path(path).suffix.lower() == ".gltf" else writer.buffer.glb(document)
    )
    with whole_file(path) as beside:
        Path(beside).write_bytes(data)
    return list(writer.notes)


class _Writer:
    def __init__(
        self, contents: Contents, bones: bool | None, rate: float | None, *, shapes: bool = True
    ) -> None:
        self.shapes = shapes
        self.contents, self.figure, self.rate = contents, contents.figure, rate
        self.notes, self.buffer = Notes(), Buffer()
        self.nodes: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.skins: list[dict[str, Any]] = []
        self.materials: dict[tuple[float, float, float], int] = {}
        self.parents = {far: near for _, near, far, _ in edges(self.figure)}
        self.rest = _local(self.figure, self.figure.rest[None], self.parents)
        self.places: dict[str, int] = {}
        shaped = any(segment.shapes for segment in self.figure.segments.values())
        self.bones = not shaped and not contents.skins if bones is None else bones

    def keeps_its_file(self) -> bool:
        """Whether the file that the figure was read from can be written again, and a note where it cannot."""
        origin, figure = self.figure.origin, self.figure
        if not isinstance(origin, Original):
            return False
        if not origin.fits(figure):
            self.notes.left_out(
                "surfaces",
                f"its segments are no longer those of {origin.doc.path.name}, so that file's surfaces, materials, "
                "images and morph targets are not kept",
            )
            return False
        return True

    def file_again(self) -> dict[str, Any]:
        """The JSON of the file that the figure was read from, with the clips that are to be written."""
        again = Rewriter(self.figure.origin, self.figure, self.notes)
        names, animations = Names(), []
        for clip in self.contents.clips:
            name = names.unique(clip.name or "clip")
            found = again.kept(clip) if self.rate is None else None
            if found is None:
                clip, times = self._timed(clip)
                found = again.animation(clip, times, name)
            animations.append(found)
        self.buffer, self.places = again.buffer, again.places
        return again.document(animations)

    def document(self) -> dict[str, Any]:
        """The JSON, but for buffers."""
        figure = self.figure
        self._segments()
        self._sites()
        top = [self.places[figure.root]]
        top += [self._skin(skin) for skin in self.contents.skins if len(skin.triangles)]
        names = Names()
        animations = [self._animation(clip, names) for clip in self.contents.clips]
        self._tell()
        found: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Manikin"},
            "scene": 0,
            "scenes": [{"name": figure.name, "nodes": top}],
            "nodes": self.nodes,
        }
        materials = [
            {
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*color, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.7,
                }
            }
            for color in self.materials
        ]
        more = {"meshes": self.meshes, "skins": self.skins, "materials": materials, "animations": animations}
        return {**found, **{key: value for key, value in more.items() if value}}

    def _node(self, name: str, matrix: np.ndarray, mark: str) -> dict[str, Any]:
        node: dict[str, Any] = {"name": name, "extras": {"manikin": mark}}
        if np.abs(matrix[:3, 3]).max() > 0.0:
            node["translation"] = matrix[:3, 3].tolist()
        if np.abs(matrix[:3, :3] - np.eye(3)).max() > 0.0:
            node["rotation"] = rotations.quaternions(matrix[None, :3, :3])[0].tolist()
        self.nodes.append(node)
        return node

    def _segments(self) -> None:
        figure = self.figure
        moving = {far: bool(joint.steps) for joint, _, far, _ in edges(figure)}
        moving[figure.root] = figure.base != "fixed"
        for name in [figure.root, *(far for _, _, far, _ in edges(figure))]:
            self.places[name] = len(self.nodes)
            node = self._node(name, self.rest[name][0], "segment" if moving[name] else "fixed")
            mesh = self._mesh(name)
            if mesh is not None:
                node["mesh"] = mesh
            if name in self.parents:
                self.nodes[self.places[self.parents[name]]].setdefault("children", []).append(
                    self.places[name]
                )

    def _sites(self) -> None:
        for site in self.figure.given.sites.values():
            self.nodes[self.places[site.segment]].setdefault("children", []).append(len(self.nodes))
            self._node(site.name, site.placement, "site")

    def _mesh(self, name: str) -> int | None:
        """The mesh of a segment's shapes, or of its bones."""
        by_color: dict[tuple[float, float, float] | None, list[surfaces.Surface]] = {}
        for shape in self.figure.segments[name].shapes if self.shapes else ():
            surface = surfaces.of_shape(shape)
            if surface is None:
                self.notes.left_out(
                    f"segment {name!r}", f"the mesh {shape.mesh!r} is not copied into the file"
                )
                continue
            red, green, blue = (0.8, 0.8, 0.8) if shape.color is None else map(float, shape.color)
            by_color.setdefault((red, green, blue), []).append(surface)
        if self.bones:
            ends = [self.rest[far][0, :3, 3] for far, near in self.parents.items() if near == name]
            ends += [
                site.placement[:3, 3]
                for site in self.figure.given.sites.values()
                if site.segment == name and name not in self.parents.values()
            ]
            drawn = [bone for end in ends if (bone := surfaces.of_bone(end)) is not None]
            if drawn:
                by_color[0.75, 0.7, 0.6] = [surfaces.split(*bone) for bone in drawn]
        if not by_color:
            return None
        primitives = [self._primitive(*surfaces.joined(parts), color) for color, parts in by_color.items()]
        mesh: dict[str, Any] = {"name": name, "primitives": primitives}
        if self.bones and not self.figure.segments[name].shapes:
            mesh["extras"] = {"manikin": "bones"}
        self.meshes.append(mesh)
        return len(self.meshes) - 1

    def _primitive(
        self, vertices: np.ndarray, triangles: np.ndarray, color: tuple[float, float, float] | None
    ) -> dict[str, Any]:
        wide = np.uint16 if len(vertices) < 65535 else np.uint32
        entry: dict[str, Any] = {
            "attributes": {
                "POSITION": self.buffer.add(vertices, bounds=True, target=ARRAY),
                "NORMAL": self.buffer.add(surfaces.normals(vertices, triangles), target=ARRAY),
            },
            "indices": self.buffer.add(triangles.ravel().astype(wide), target=ELEMENTS),
        }
        if color is not None:
            entry["material"] = self.materials.setdefault(color, len(self.materials))
        return entry

    def _skin(self, skin: Skin) -> int:
        """A node with the skinned mesh; its number."""
        primitive = self._primitive(skin.vertices, skin.triangles, skin.color)
        sets = -(-skin.joints.shape[1] // 4)
        wide = np.uint8 if len(skin.segments) <= 255 else np.uint16
        joints = np.zeros((len(skin.vertices), 4 * sets), wide)
        weights = np.zeros((len(skin.vertices), 4 * sets), np.float32)
        joints[:, : skin.joints.shape[1]] = np.where(skin.weights > 0.0, skin.joints, 0)
        weights[:, : skin.weights.shape[1]] = skin.weights
        weights /= weights.sum(axis=1, keepdims=True)
        for k in range(sets):
            part = slice(4 * k, 4 * k + 4)
            primitive["attributes"][f"JOINTS_{k}"] = self.buffer.add(joints[:, part].copy(), target=ARRAY)
            primitive["attributes"][f"WEIGHTS_{k}"] = self.buffer.add(weights[:, part].copy(), target=ARRAY)
        bind = skin.bind.copy()
        bind[:, 3] = [0.0, 0.0, 0.0, 1.0]
        self.skins.append(
            {
                "joints": [self.places[name] for name in skin.segments],
                "inverseBindMatrices": self.buffer.add(np.swapaxes(bind, 1, 2).reshape(-1, 16)),
            }
        )
        self.meshes.append({"name": skin.name, "primitives": [primitive]})
        self.nodes.append(
            {
                "name": skin.name,
                "mesh": len(self.meshes) - 1,
                "skin": len(self.skins) - 1,
                "extras": {"manikin": "skin"},
            }
        )
        return len(self.nodes) - 1

    def _animation(self, clip: Motion, names: Names) -> dict[str, Any]:
        name = names.unique(clip.name or "clip")
        clip, times = self._timed(clip)
        local = _local(self.figure, clip.q, self.parents)
        start = self.buffer.add(times, bounds=True)
        samplers, channels = [], []

        def channel(segment: str, path: str, keys: np.ndarray) -> None:
            samplers.append({"input": start, "output": self.buffer.add(keys), "interpolation": "LINEAR"})
            target = {"node": self.places[segment], "path": path}
            channels.append({"sampler": len(samplers) - 1, "target": target})

        for segment, frames in local.items():
            rest = self.rest[segment][0]
            if np.abs(frames[:, :3, :3] - rest[:3, :3]).max() > _STILL:
                channel(segment, "rotation", rotations.quaternions(frames[:, :3, :3]))
            if np.abs(frames[:, :3, 3] - rest[:3, 3]).max() > _STILL:
                channel(segment, "translation", frames[:, :3, 3])
        if not channels:
            channel(self.figure.root, "rotation", rotations.quaternions(local[self.figure.root][:, :3, :3]))
        return {"name": name, "samplers": samplers, "channels": channels}

    def _timed(self, clip: Motion) -> tuple[Motion, np.ndarray]:
        """The clip with keys enough that the shortest way is the right one, and times from 0 on that 32 bits
        tell apart.
        """
        where = f"clip {clip.name!r}"
        if self.rate is not None and len(clip.times) > 1:
            q, step = evened(clip, self.notes, "glTF", self.rate)
            clip = Motion(self.figure, clip.times[0] + step * np.arange(len(q)), q, name=clip.name)
        elif len(clip.times) > 1 and np.diff(clip.times).max() > SPARSE:
            self.notes.changed(
                where, "viewers go evenly from key to key, a motion along its curve; rate= adds keys"
            )
        values = axis_values(self.figure, clip.q)
        hinges = [
            np.abs(np.diff(values[joint.axes[0].name]))
            for joint in self.figure.joints.values()
            if [step.kind.turns for step in joint.steps] == [True]
        ]
        most = np.max(hinges, axis=0) if hinges else np.zeros(0)
        pieces = np.where(most > _MOST_TURN, np.ceil(most / _MOST_TURN), 1.0)
        if pieces.size and pieces.max() > 1:
            parts = [
                np.linspace(a, b, int(min(count, 1000)), endpoint=False)
                for a, b, count in zip(clip.times[:-1], clip.times[1:], pieces, strict=True)
            ]
            times = np.append(np.concatenate(parts), clip.times[-1])
            self.notes.changed(
                where, "keys are added where a joint turns by more than half a turn between two"
            )
            clip = Motion(self.figure, times, clip.values(times), name=clip.name)
        times = clip.times
        if times[0] < 0.0:
            self.notes.changed(where, f"glTF has no negative times; it begins at 0 instead of {times[0]:g} s")
            times = times - times[0]
        short = times.astype(np.float32)
        keep = np.concatenate([[True], np.diff(np.maximum.accumulate(short)) > 0.0])
        if not keep.all():
            self.notes.left_out(
                where, f"{int((~keep).sum())} keys are too near to each other for 32-bit times"
            )
            clip = Motion(self.figure, clip.times[keep], clip.q[keep], name=clip.name)
        return clip, short[keep]

    def _tell(self) -> None:
        figure, notes = self.figure, self.notes
        if np.isfinite(figure.lower).any() or np.isfinite(figure.upper).any():
            notes.left_out("limits", "glTF holds no ranges of joints")
        if figure.mass:
            notes.left_out("mass", "glTF holds no masses")
        if figure.followers or figure.couplings or figure.loops or figure.cones:
            notes.left_out("couplings", "glTF holds no followers, couplings, cones or loops")
        plain = [
            joint.name
            for joint in figure.joints.values()
            if joint.steps and joint.motion[:4] not in ("free", "ball")
        ]
        if plain:
            notes.changed("joints", "glTF knows no axes: all joints that turn are read again as ball joints")
        if any(segment.shapes for segment in figure.segments.values()):
            notes.changed("shapes", "they are written as triangles")

    def vrm(self, document: dict[str, Any], humanoid: dict[str, str], path: Any) -> None:
        """Add what makes a VRM 1.0 of it."""
        figure = self.figure
        if not humanoid and all(HUMAN[bone] in figure.segments for bone in REQUIRED):
            humanoid = {bone: name for bone, name in HUMAN.items() if name in figure.segments}
        unknown = [name for name in humanoid.values() if name not in figure.segments]
        missing = [bone for bone in REQUIRED if bone not in humanoid]
        if unknown or missing:
            raise FormatError(
                f"{path}: a VRM needs the segments of {', '.join(map(repr, missing)) or 'no more bones'}"
                f"{' and has no ' + repr(unknown[0]) if unknown else ''}; give humanoid={{'hips': …}}"
            )
        document["extensionsUsed"] = [*document.get("extensionsUsed", []), "VRMC_vrm"]
        document["extensions"] = document.get("extensions", {}) | {
            "VRMC_vrm": {
                "specVersion": "1.0",
                "meta": {
                    "name": figure.name,
                    "authors": ["unknown"],
                    "licenseUrl": "https://vrm.dev/licenses/1.0/",
                },
                "humanoid": {
                    "humanBones": {bone: {"node": self.places[name]} for bone, name in humanoid.items()}
                },
            }
        }
        self.notes.assumed("meta", "a VRM names its author and licence: 'unknown', and VRM's default")


def _local(figure: Figure, q: np.ndarray, parents: Mapping[str, str]) -> dict[str, np.ndarray]:
    """Every segment's frame in its parent's, the root's in the file's axes, each (T, 4, 4)."""
    frames = segment_frames(figure, q)
    turn = inverse(rotated(Y_UP))
    result = {figure.root: turn @ frames[figure.root]}
    for far, near in parents.items():
        back = np.swapaxes(frames[near][:, :3, :3], 1, 2)
        local = np.zeros_like(frames[far])
        local[:, :3, :3] = back @ frames[far][:, :3, :3]
        local[:, :3, 3] = np.einsum("tij,tj->ti", back, frames[far][:, :3, 3] - frames[near][:, :3, 3])
        local[:, 3, 3] = 1.0
        result[far] = local
    return result

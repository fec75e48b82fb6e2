"""A glTF file written again with other clips, and everything else as it was.

A figure has no word for much of what a character's file holds: texture coordinates, materials, images, morph targets,
extensions. So a figure that was read from one keeps the file (`Figure.origin`), and what is written of it later is that
file with the figure's clips in place of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Figure, rotations
from manikin.figure.transforms import inverse
from manikin.files import read_bytes
from manikin.formats.contents import Notes
from manikin.formats.gltf.buffer import Buffer
from manikin.formats.gltf.container import Document
from manikin.formats.gltf.nodes import Scene
from manikin.formats.posed import edges, segment_frames
from manikin.motion.motion import Motion

#: What moves by less than this, in metres or in a rotation's matrix, stands still: files have 32 bits.
_STILL = 1e-7
_IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}


@dataclass(frozen=True, eq=False)
class Original:
    """The file that a figure was read from.

    names: the segments' names, by node. top: the root's node, −1 where the scene itself is the root. location: of the
    file's world in the world, 4×4. clips: its animations, by the motions that they were read as.
    """

    doc: Document
    scene: Scene
    names: Mapping[int, str]
    top: int
    location: np.ndarray
    clips: Mapping[Motion, int]

    def fits(self, figure: Figure) -> bool:
        """Whether the figure's segments are those of the file, joined as they were."""
        parents = {far: near for _, near, far, _ in edges(figure)}
        ours = {
            name: self.names.get(self.scene.nodes[k].parent)
            for k, name in self.names.items()
            if k != self.top
        }
        root = self.names.get(self.top, "scene")
        wanted = {name: root if parent is None else parent for name, parent in ours.items()}
        return figure.root == root and parents == wanted


class Rewriter:
    """The JSON and the buffer of a file as they are to be written."""

    def __init__(self, original: Original, figure: Figure, notes: Notes) -> None:
        self.original, self.figure, self.notes = original, figure, notes
        self.json: dict[str, Any] = deepcopy(original.doc.json)
        self.places = {name: k for k, name in original.names.items()}
        self.buffer = Buffer()
        self._take_buffers()
        self._take_images()

    def _take_buffers(self) -> None:
        """All buffers in one, and their views."""
        doc, starts = self.original.doc, []
        for number in range(len(doc.entries("buffers"))):
            self.buffer.data += b"\0" * (-len(self.buffer.data) % 8)
            starts.append(len(self.buffer.data))
            self.buffer.data += doc.buffer(number)
        self.buffer.views = self.json.get("bufferViews", [])
        self.buffer.accessors = self.json.get("accessors", [])
        for view in self.buffer.views:
            for part in (view, *(e for e in view.get("extensions", {}).values() if "buffer" in e)):
                part["byteOffset"] = part.get("byteOffset", 0) + starts[part["buffer"]]
                part["buffer"] = 0

    def _take_images(self) -> None:
        """Images that lie beside the file, into it."""
        doc = self.original.doc
        for k, image in enumerate(self.json.get("images", [])):
            uri = image.get("uri")
            if not isinstance(uri, str) or uri.startswith("data:"):
                continue
            where = f"image {k}"
            kind = _IMAGES.get(PurePosixPath(unquote(uri)).suffix.lower())
            try:
                data = read_bytes(doc.references.path(unquote(uri), f"{doc.path}: {where}"), "glTF image")
            except FormatError as error:
                self.notes.left_out(where, f"{uri!r} is not copied into the file: {error}")
                continue
            if kind is None:
                self.notes.left_out(where, f"{uri!r} is of no kind that glTF holds inside")
                continue
            del image["uri"]
            self.buffer.data += b"\0" * (-len(self.buffer.data) % 4)
            image |= {"bufferView": len(self.buffer.views), "mimeType": kind}
            view = {"buffer": 0, "byteOffset": len(self.buffer.data), "byteLength": len(data)}
            self.buffer.views.append(view)
            self.buffer.data += data

    def document(self, animations: list[dict[str, Any]]) -> dict[str, Any]:
        """The JSON with these animations, but for buffers."""
        document = {key: value for key, value in self.json.items() if key not in ("animations", "buffers")}
        if document.get("scenes"):
            scene = document["scenes"][document.get("scene", 0)]
            extras = scene.get("extras")
            scene["extras"] = (extras if isinstance(extras, dict) else {}) | {"manikin": self.figure.name}
        return document | ({"animations": animations} if animations else {})

    def kept(self, clip: Motion) -> dict[str, Any] | None:
        """The file's own animation, of a clip that was read from it."""
        number = self.original.clips.get(clip)
        return None if number is None else self.json["animations"][number]

    def animation(self, clip: Motion, times: np.ndarray, name: str) -> dict[str, Any]:
        """A new animation: each node's rotation and translation where they are not those of the node."""
        start = self.buffer.add(times, bounds=True)
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for k, (turn, place) in self._locals(clip.q).items():
            node = self.original.scene.nodes[k]
            moved = {"rotation": (turn, node.rotation), "translation": (place, node.translation)}
            for path, (values, still) in moved.items():
                if np.abs(values - still).max() > _STILL * max(float(np.abs(still).max()), 1.0):
                    self._loosen(k)
                    keys = self.buffer.add(rotations.quaternions(values) if path == "rotation" else values)
                    samplers.append({"input": start, "output": keys, "interpolation": "LINEAR"})
                    channels.append({"sampler": len(samplers) - 1, "target": {"node": k, "path": path}})
        if not channels:
            k = next(iter(self.places.values()))
            turn = np.repeat(self.original.scene.nodes[k].rotation[None], len(times), axis=0)
            keys = self.buffer.add(rotations.quaternions(turn))
            samplers.append({"input": start, "output": keys, "interpolation": "LINEAR"})
            channels.append({"sampler": 0, "target": {"node": k, "path": "rotation"}})
            self._loosen(k)
        return {"name": name, "samplers": samplers, "channels": channels}

    def _locals(self, q: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """Every segment's node: its rotation (T, 3, 3) and translation (T, 3), in the file's own units."""
        scene, back = self.original.scene, inverse(self.original.location)
        frames = {name: back @ frame for name, frame in segment_frames(self.figure, q).items()}
        found = {}
        for name, k in self.places.items():
            parent = scene.nodes[k].parent
            if parent in self.original.names:
                above = frames[self.original.names[parent]]
            else:
                above = (np.eye(4) if parent < 0 else scene.frame(parent))[None]
            turned = np.swapaxes(above[:, :3, :3], 1, 2)
            away = frames[name][:, :3, 3] - above[:, :3, 3]
            offset = (turned @ away[:, :, None])[:, :, 0]
            size = scene.offset(k, np.ones(3))
            flat = np.abs(size) < 1e-12
            place = np.where(flat, scene.nodes[k].translation, offset / np.where(flat, 1.0, size))
            found[k] = turned @ frames[name][:, :3, :3], place
        return found

    def _loosen(self, k: int) -> None:
        """Give a node that has a matrix a rotation, a translation and a scale, as animated ones must have."""
        entry, node = self.json["nodes"][k], self.original.scene.nodes[k]
        if entry.pop("matrix", None) is not None:
            entry["translation"], entry["scale"] = node.translation.tolist(), node.scale.tolist()
            entry["rotation"] = rotations.quaternions(node.rotation[None])[0].tolist()

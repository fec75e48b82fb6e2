"""The nodes of a glTF scene: their tree, and each as a rotation, a translation and a scale.

Figures are rigid. A node's frame here is its rotation and position in the world; its scale goes into the
offsets of its children: with Sₚ the scale of the parent and u that of all above it, a child at t is at u Sₚ t
in the parent's rigid frame. That is exact where scales are uniform; a node that is stretched and has turning
grandchildren is told in a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.figure import rotations
from manikin.formats.contents import Notes
from manikin.formats.gltf.container import Document

#: Scales that differ by no more than this are rounding.
EVEN = 1e-4


@dataclass
class Node:
    """One node. `scale` is its own, `above` that of all nodes above it, one number."""

    name: str
    parent: int
    children: list[int]
    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    above: float = 1.0
    depth: int = 0

    @property
    def own(self) -> float:
        """The scale as one number: its mean, with the sign of the determinant."""
        size = float(np.abs(np.prod(self.scale)) ** (1.0 / 3.0))
        return -size if np.prod(self.scale) < 0.0 else size


class Scene:
    """The nodes of the scene that is shown, parents before children in `order`."""

    def __init__(self, doc: Document, notes: Notes) -> None:
        self.doc = doc
        entries = doc.entries("nodes")
        parents = self._parents(entries)
        self.roots = self._roots(len(entries), parents)
        self.nodes = []
        for k, entry in enumerate(entries):
            name = doc.text(entry.get("name"), f"node_{k}")
            translation, rotation, scale = self._local(entry, f"node {k}", notes)
            children = [int(child) for child in doc.sequence(entry.get("children"), f"node {k}: children")]
            self.nodes.append(Node(name, parents[k], children, translation, rotation, scale))
        self.order: list[int] = []
        waiting = self.roots[::-1]
        while waiting:
            k = waiting.pop()
            self.order.append(k)
            for child in reversed(self.nodes[k].children):
                self.nodes[child].above = self.nodes[k].above * self.nodes[k].own
                self.nodes[child].depth = self.nodes[k].depth + 1
                waiting.append(child)
        for k in self.order:
            if not 1e-12 < abs(self.nodes[k].above) < 1e12:
                raise doc.error(f"node {k}", "the scales above it make it vanish or fill the universe")

    def _parents(self, entries: list[dict[str, Any]]) -> list[int]:
        """Each node's parent, −1 for none; a node with two, or its own ancestor, is an error."""
        doc, parents = self.doc, [-1] * len(entries)
        for k, entry in enumerate(entries):
            for child in doc.sequence(entry.get("children"), f"node {k}: children"):
                place = doc.index(child, len(entries), f"node {k}: children")
                if parents[place] >= 0:
                    raise doc.error(f"node {place}", "it has two parents")
                parents[place] = k
        done = [False] * len(entries)
        for k in range(len(entries)):
            path: set[int] = set()
            while k >= 0 and not done[k]:
                if k in path:
                    raise doc.error(f"node {k}", "it is its own ancestor")
                path.add(k)
                k = parents[k]
            for place in path:
                done[place] = True
        return parents

    def _roots(self, count: int, parents: list[int]) -> list[int]:
        doc = self.doc
        scenes = doc.entries("scenes")
        if not scenes:
            return [k for k in range(count) if parents[k] < 0]
        chosen = doc.index(doc.json.get("scene", 0), len(scenes), "scene")
        found = [
            doc.index(entry, count, f"scene {chosen}: nodes")
            for entry in doc.sequence(scenes[chosen].get("nodes"), f"scene {chosen}: nodes")
        ]
        found = list(dict.fromkeys(found))
        for k in found:
            if parents[k] >= 0:
                raise doc.error(f"scene {chosen}", f"its node {k} is the child of another")
        return found

    def _local(
        self, entry: dict[str, Any], where: str, notes: Notes
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        doc = self.doc
        if entry.get("matrix") is not None:
            return self._taken_apart(
                doc.numbers(entry["matrix"], 16, f"{where}: matrix").reshape(4, 4).T, where, notes
            )
        translation = doc.numbers(entry.get("translation", [0, 0, 0]), 3, f"{where}: translation")
        turn = doc.numbers(entry.get("rotation", [0, 0, 0, 1]), 4, f"{where}: rotation")
        scale = doc.numbers(entry.get("scale", [1, 1, 1]), 3, f"{where}: scale")
        if not 1e-6 < float(np.linalg.norm(turn)) < 1e6:
            raise doc.error(where, "its rotation is no quaternion of length 1")
        return translation, rotations.from_quaternions(turn), scale

    def _taken_apart(
        self, matrix: np.ndarray, where: str, notes: Notes
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M = T R S; where the columns are not at right angles, the nearest R, and a note."""
        body = matrix[:3, :3]
        scale = np.linalg.norm(body, axis=0)
        if scale.min() < 1e-12 * max(float(scale.max()), 1e-12):
            notes.changed(where, "its matrix is flat; its axes are taken to be its parent's")
            return matrix[:3, 3].copy(), np.eye(3), scale
        if np.linalg.det(body / scale) < 0.0:
            scale = -scale
        u, _, vt = np.linalg.svd(body / scale)
        rotation = u @ vt
        if np.linalg.det(rotation) < 0.0:
            rotation = u @ np.diag([1.0, 1.0, -1.0]) @ vt
        if np.abs(rotation @ np.diag(scale) - body).max() > EVEN * np.abs(scale).max():
            notes.changed(where, "its matrix shears, which a figure cannot; the nearest rotation is taken")
        return matrix[:3, 3].copy(), rotation, scale

    def offset(self, k: int, translation: np.ndarray) -> np.ndarray:
        """A translation (…, 3) of node k, in the rigid frame of its parent, in metres."""
        parent = self.nodes[k].parent
        if parent < 0:
            return translation
        return self.nodes[parent].above * self.nodes[parent].scale * translation

    def local(self, k: int) -> np.ndarray:
        """The rigid frame of node k in that of its parent, 4×4."""
        result = np.eye(4)
        result[:3, :3] = self.nodes[k].rotation
        result[:3, 3] = self.offset(k, self.nodes[k].translation)
        return result

    def frame(self, k: int, top: int = -1) -> np.ndarray:
        """The rigid frame of node k in that of a node above it, or in the file's world."""
        result = np.eye(4)
        while k != top:
            result = self.local(k) @ result
            k = self.nodes[k].parent
        return result

    def stretch(self, k: int) -> np.ndarray:
        """The 4×4 that takes node k's own coordinates to its rigid frame: all scales."""
        return np.diag([*(self.nodes[k].above * self.nodes[k].scale), 1.0])

    def above_all(self, places: set[int]) -> int:
        """The lowest node that is above all these, or one of them; −1 where there is none."""
        below = dict.fromkeys(self.order, 0)
        lowest = -1
        for k in reversed(self.order):
            below[k] += k in places
            if below[k] == len(places) and lowest < 0:
                lowest = k
            if self.nodes[k].parent >= 0:
                below[self.nodes[k].parent] += below[k]
        return lowest

"""A character's skin in the browser: a mesh that bends with the segments, and which segment a hand is laid on.

The node stands where the root segment does, so that bones which do not move against the root are not sent. It keeps its
name and is never removed, only made small and hidden until a skin takes its place: browsers of viser 1.1 end with an
error when a skinned mesh is taken from the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from manikin.figure import Figure, Pose
from manikin.formats.skin import Skin
from manikin.studio.extra import need
from manikin.studio.model.parts import part_at
from manikin.studio.model.source import Source
from manikin.studio.view.quaternion import wxyz_of

STILL = 2e-6
PLAIN = (214, 178, 150)
_SKINNED = (".glb", ".gltf", ".vrm", ".npz")
# A matrix counts as a rotation times one scale within this.
EVEN = 1e-4


#: How a person may be looked at: as an artist's manikin, with a skin, or as bones.
LOOKS = ("wood", "skin", "bones")


def skins_of(source: Source) -> tuple[Skin, ...]:
    """The skins in a source's file; none of people and robots."""
    if not source.kind.lower().endswith(_SKINNED):
        return ()
    return source.contents().skins


def bound(skin: Skin, rest: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and bones' frames (J, 4, 4) at which a bone that stays leaves its vertices: T⁻¹ = B, as a skin is bound.

    Where a bind matrix is more than a rotation and a place and one scale for all, it is taken as it looks at rest.
    """
    linear = np.asarray(skin.bind)[:, :3, :3]
    scale = np.cbrt(np.abs(np.linalg.det(linear)))
    size = float(scale[0])
    turn = linear / size if size > 0.0 else linear
    even = np.abs(turn @ turn.transpose(0, 2, 1) - np.eye(3)).max() < EVEN and np.linalg.det(turn).min() > 0.0
    if size > 0.0 and np.abs(scale - size).max() < EVEN * size and even:
        placed = np.array(skin.bind)
        placed[:, :3, :3] = turn
        return size * np.asarray(skin.vertices), np.linalg.inv(placed)
    frames = rest.matrices()
    return skin.posed(rest), np.array([frames[name] for name in skin.segments])


def _four(weights: np.ndarray) -> np.ndarray:
    """Weights (V, B) of which each vertex keeps its four greatest, as browsers do, to sum to one."""
    if weights.shape[1] > 4:
        least = np.partition(weights, -4, axis=1)[:, -4, None]
        weights = np.where(weights >= least, weights, np.float32(0.0))
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), np.float32(1e-12))


def part_numbers(figure: Figure, segments: Sequence[str]) -> list[int]:
    """A number for each of these segments, the same for those of one part: of a person's hand with its fingers one, of
    thighs, shanks and arms, which are no part, one each."""
    parts = [part_at(figure, name) for name in segments]
    names = [
        name if part is None else f"part {part.name}" for name, part in zip(segments, parts, strict=True)
    ]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(names))}
    return [numbers[name] for name in names]


class SkinMark:
    """One skin.

    path: of its node; one of the same path before it is replaced.
    """

    def __init__(self, scene: Any, path: str, skin: Skin, figure: Figure, *, opacity: float | None) -> None:
        self._skin, self._figure = skin, figure
        self._index = [figure.segment_index[name] for name in skin.segments]
        self._root = figure.segment_index[figure.root]
        vertices, bones = bound(skin, figure.pose())
        weights = np.zeros((len(vertices), len(skin.segments)), np.float32)
        for k in range(skin.joints.shape[1]):
            np.add.at(weights, (np.arange(len(vertices)), skin.joints[:, k]), skin.weights[:, k])
        self._heaviest = weights.argmax(axis=1)
        weights = _four(weights)
        color = PLAIN if skin.color is None else tuple(round(255 * float(part)) for part in skin.color)
        self._bones = bones.copy()
        self._place = np.eye(4)
        self._scene, self._path = scene, path
        # What the page outlines under the mouse (server/skins.js).
        numbers = ".".join(map(str, part_numbers(figure, skin.segments)))
        self._parts = scene.add_frame(f"/parts{path}/{numbers}", show_axes=False)
        self.node = scene.add_mesh_skinned(
            path,
            vertices.astype(np.float32),
            np.asarray(skin.triangles).astype(np.uint32),
            bone_wxyzs=wxyz_of(bones[:, :3, :3]),
            bone_positions=bones[:, :3, 3],
            skin_weights=weights,
            color=color,
            opacity=opacity,
            cast_shadow=opacity is None,
            receive_shadow=False,
        )

    def show(self, pose: Pose) -> int:
        """Move the bones that moved; how many messages that took."""
        frames = pose.segment_frames
        place = frames[self._root]
        if np.abs(place - self._place).max() > STILL:
            self.node.position, self.node.wxyz = place[:3, 3], wxyz_of(place[None, :3, :3])[0]
            self._place = np.array(place)
        now = np.linalg.inv(place) @ frames[self._index]
        moved = (np.abs(now - self._bones) > STILL).any(axis=(1, 2))
        which = np.flatnonzero(moved)
        messages, state = need("viser._messages"), self.node._impl
        queue = state.api._queue_scene_message
        turns, places = wxyz_of(now[which, :3, :3]).tolist(), now[which, :3, 3].tolist()
        for k, wxyz, place in zip(which.tolist(), turns, places, strict=True):
            bone = self.node.bones[k]._impl
            bone.wxyz[:], bone.position[:] = wxyz, place
            queue(messages.SetBoneOrientationMessage(state.name, k, tuple(wxyz)))
            queue(messages.SetBonePositionMessage(state.name, k, tuple(place)))
        self._bones[which] = now[which]
        return 2 * len(which)

    def remove(self) -> None:
        """Show it no more."""
        self._parts.remove()
        self._scene.add_mesh_skinned(
            self._path,
            np.zeros((3, 3), np.float32),
            np.array([[0, 1, 2]], np.uint32),
            bone_wxyzs=np.array([[1.0, 0.0, 0.0, 0.0]]),
            bone_positions=np.zeros((1, 3)),
            skin_weights=np.ones((3, 1), np.float32),
            visible=False,
        )

    def vertices(self, pose: Pose) -> np.ndarray:
        """Where it is, (V, 3)."""
        return self._skin.posed(pose)

    def segment_at(self, pose: Pose, point: np.ndarray) -> str:
        """The segment that carries most of the vertex nearest to a point of the world."""
        nearest = int(np.linalg.norm(self._skin.posed(pose) - point, axis=1).argmin())
        return self._skin.segments[int(self._heaviest[nearest])]

    def segment_along(self, pose: Pose, origin: np.ndarray, direction: np.ndarray) -> str:
        """The segment that a ray meets first: among the vertices that it passes closest by, the foremost."""
        away = self._skin.posed(pose) - origin
        along = direction / np.linalg.norm(direction)
        depth = away @ along
        off = np.linalg.norm(away - depth[:, None] * along, axis=1)
        off[depth <= 0.0] = np.inf
        close = np.flatnonzero(off < off.min() + 0.02)
        return self._skin.segments[int(self._heaviest[close[depth[close].argmin()]])]

    def on_grab(
        self,
        pose: Callable[[], Pose],
        grabbed: Callable[[str, Any], Any],
        clicked: Callable[[str, Any], Any],
    ) -> None:
        """Call back when it is dragged or clicked, with the name of the segment under the hand."""
        held: dict[int, str] = {}

        async def drag(event: Any) -> None:
            if event.phase == "start" or event.client_id not in held:
                held[event.client_id] = self.segment_at(pose(), np.array(event.start_position))
            name = held[event.client_id]
            if event.phase == "end":
                del held[event.client_id]
            grabbed(name, event)

        async def click(event: Any) -> None:
            name = self.segment_along(pose(), np.array(event.ray_origin), np.array(event.ray_direction))
            clicked(name, event)

        self.node.on_drag("left")(drag)
        self.node.on_click(click)

"""The figure in the browser: a node a segment, hung as the segments are, so that a pose is a few turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from manikin.figure import Figure, Pose
from manikin.formats.skin import Skin
from manikin.pictures.browser import Mesh, body_meshes
from manikin.studio.view.moving import Mover
from manikin.studio.view.names import unused
from manikin.studio.view.quaternion import wxyz_of
from manikin.studio.view.skin import SkinMark

# What no one can see: metres, and the change of a rotation.
STILL = 2e-6

Grabbed = Callable[[str, Any], Any]
Clicked = Callable[[str, Any], Any]


class Body:
    """The nodes of one figure.

    A node's place is its segment's frame in its parent's. Of a joint that turns about its own origin only the turn
    changes, and joints that did not move are not sent: a dragged hand takes some forty messages where frames in the
    world would take a hundred and sixty.
    """

    def __init__(
        self,
        scene: Any,
        figure: Figure,
        q: np.ndarray,
        root: str = "/figure",
        *,
        skip_meshes: bool = False,
        opacity: float | None = None,
        skins: Sequence[Skin] = (),
        bare: Sequence[str] = (),
        bones: bool = False,
    ) -> None:
        self.figure = figure
        whose, self.root = root, unused(root)
        root = self.root
        self._scene = scene
        self._names, self._parents = self._tree()
        index = {name: k for k, name in enumerate(figure.segments)}
        self._order = [index[name] for name in self._names]
        self._frames: list[Any] = []
        self._meshes: list[tuple[str, Any]] = []
        self._corners: list[tuple[str, np.ndarray]] = []
        scene.add_frame(root, show_axes=False)
        self._paths: dict[str, str] = {}
        position, turn = self._local(Pose(figure, q))
        wxyz = wxyz_of(turn)
        parts = body_meshes(figure, skip_meshes=skip_meshes, only_bones=bones)
        if skins:
            parts = {name: parts[name] for name in bare}
        self._opacity = opacity
        for k, name in enumerate(self._names):
            parent = self._parents[k]
            above = root if parent < 0 else self._paths[self._names[parent]]
            self._paths[name] = f"{above}/{name}"
            self._frames.append(
                scene.add_frame(self._paths[name], show_axes=False, position=position[k], wxyz=wxyz[k])
            )
            self._draw(name, parts.get(name, []))
        self._position, self._rotation = position, turn
        self._mover = Mover(self._frames)
        self._skins = [
            SkinMark(scene, f"{whose} skin {k}", skin, figure, opacity=opacity)
            for k, skin in enumerate(skins)
        ]
        self._pose = Pose(figure, q)
        for skin in self._skins:
            skin.show(self._pose)

    def _tree(self) -> tuple[list[str], np.ndarray]:
        """The segments, parents first, and the index of each one's parent among them, −1 for the root.

        A figure that was hung from another segment has joints that lead the other way.
        """
        neighbours: dict[str, list[str]] = {}
        for joint in self.figure.joints.values():
            if joint.parent != "world":
                neighbours.setdefault(joint.parent, []).append(joint.child)
                neighbours.setdefault(joint.child, []).append(joint.parent)
        order, above = [self.figure.root], {self.figure.root: -1}
        for k, name in enumerate(order):  # it grows as it is walked
            for other in neighbours.get(name, ()):
                if other not in above:
                    above[other] = k
                    order.append(other)
        return order, np.array([above[name] for name in order])

    def _local(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Each segment's place in its parent's frame: positions (n, 3) and rotations (n, 3, 3)."""
        world = pose.segment_frames[self._order]  # the root comes first
        above = world[self._parents[1:]]
        turn = above[:, :3, :3].transpose(0, 2, 1)
        moved, turned = world[:, :3, 3].copy(), world[:, :3, :3].copy()
        moved[1:] = (turn @ (moved[1:] - above[:, :3, 3])[:, :, None])[:, :, 0]
        turned[1:] = turn @ turned[1:]
        return moved, turned

    def _draw(self, name: str, meshes: list[Mesh]) -> None:
        for k, mesh in enumerate(meshes):
            handle = self._scene.add_mesh_simple(
                f"{self._paths[name]}/mesh {k}",
                mesh.vertices,
                mesh.faces,
                color=mesh.color,
                opacity=self._opacity,
                cast_shadow=self._opacity is None,
                receive_shadow=False,
            )
            self._meshes.append((name, handle))
            ends = np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)], np.float64)
            self._corners.append((name, np.array(list(product(*ends.T)))))

    def show(self, pose: Pose) -> int:
        """Move the nodes that moved; how many of them."""
        position, turn = self._local(pose)
        moved = (np.abs(position - self._position) > STILL).any(axis=1)
        turned = (np.abs(turn - self._rotation) > STILL).any(axis=(1, 2))
        which = np.flatnonzero(moved)
        self._mover.shift(which.tolist(), position[which])
        which = np.flatnonzero(turned)
        self._mover.turn(which.tolist(), wxyz_of(turn[which]))
        self._position[moved], self._rotation[turned] = position[moved], turn[turned]
        self._pose = pose
        return int(moved.sum() + turned.sum()) + sum(skin.show(pose) for skin in self._skins)

    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """Two corners that the whole figure is between."""
        frames = self._pose.matrices()
        points = [self._pose.frames[:, :3, 3]]
        for name, corners in self._corners:
            points.append(corners @ frames[name][:3, :3].T + frames[name][:3, 3])
        points += [skin.vertices(self._pose) for skin in self._skins]
        every = np.concatenate(points)
        return every.min(axis=0), every.max(axis=0)

    def on_grab(self, grabbed: Grabbed, clicked: Clicked) -> None:
        """Call back when a segment is dragged or clicked, with its name and viser's event."""
        for name, handle in self._meshes:
            handle.on_drag("left")(_bound(grabbed, name))
            handle.on_click(_bound(clicked, name))
        for skin in self._skins:
            skin.on_grab(lambda: self._pose, grabbed, clicked)

    def remove(self) -> None:
        """Take the figure away."""
        self._scene.remove_by_name(self.root)
        for skin in self._skins:
            skin.remove()


def _bound(call: Callable[[str, Any], Any], name: str) -> Callable[[Any], Any]:
    async def bound(event: Any) -> None:
        call(name, event)

    return bound

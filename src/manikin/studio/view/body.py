"""The figure in the browser: a node a segment, hung as the segments are, so that a pose is a few turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manikin.figure import Figure, Pose
from manikin.studio.extra import need
from manikin.studio.view.geometry import Mesh, body_meshes
from manikin.studio.view.names import unused
from manikin.studio.view.quaternion import wxyz_of

# What no one can see: metres, and the change of a quaternion.
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
    ) -> None:
        self.figure = figure
        self.root = root = unused(root)
        self._scene = scene
        self._names, self._parents = self._tree()
        index = {name: k for k, name in enumerate(figure.segments)}
        self._order = [index[name] for name in self._names]
        self._frames: list[Any] = []
        self._meshes: list[tuple[str, Any]] = []
        self.sent = 0
        scene.add_frame(root, show_axes=False)
        self._paths: dict[str, str] = {}
        position, wxyz = self._local(q)
        parts = body_meshes(figure, skip_meshes=skip_meshes)
        self._opacity = opacity
        for k, name in enumerate(self._names):
            parent = self._parents[k]
            above = root if parent < 0 else self._paths[self._names[parent]]
            self._paths[name] = f"{above}/{name}"
            self._frames.append(
                scene.add_frame(self._paths[name], show_axes=False, position=position[k], wxyz=wxyz[k])
            )
            self._draw(name, parts[name])
        self._position, self._wxyz = position, wxyz

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

    def _local(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Each segment's place in its parent's frame: positions (n, 3) and quaternions (n, 4)."""
        world = np.array(list(Pose(self.figure, q).matrices().values()))[self._order]
        parents = np.where(self._parents < 0, 0, self._parents)
        turn = world[parents, :3, :3].transpose(0, 2, 1)
        moved = np.einsum("nij,nj->ni", turn, world[:, :3, 3] - world[parents, :3, 3])
        turned = turn @ world[:, :3, :3]
        root = self._parents < 0
        moved[root], turned[root] = world[root, :3, 3], world[root, :3, :3]
        return moved, wxyz_of(turned)

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

    def show(self, q: np.ndarray) -> int:
        """Move the nodes that moved; how many messages that took."""
        position, wxyz = self._local(q)
        moved = np.abs(position - self._position).max(axis=1) > STILL
        turned = np.abs(wxyz - self._wxyz).max(axis=1) > STILL
        for k in np.flatnonzero(moved):
            self._frames[k].position = position[k]
        for k in np.flatnonzero(turned):
            _turn(self._frames[k], wxyz[k])
        self._position[moved], self._wxyz[turned] = position[moved], wxyz[turned]
        self.sent = int(moved.sum() + turned.sum())
        return self.sent

    def on_grab(self, grabbed: Grabbed, clicked: Clicked) -> None:
        """Call back when a segment is dragged or clicked, with its name and viser's event."""
        for name, handle in self._meshes:
            handle.on_drag("left")(_bound(grabbed, name))
            handle.on_click(_bound(clicked, name))

    def remove(self) -> None:
        """Take the figure away."""
        self._scene.remove_by_name(self.root)


def _turn(node: Any, wxyz: np.ndarray) -> None:
    """Turn a node. What viser's own setter does, less its comparison with the last value, which was made for all nodes
    at once already and takes most of the time of a drag."""
    state = getattr(node, "_impl", None)
    if state is None or not hasattr(state.api, "_queue_scene_message"):
        node.wxyz = wxyz
        return
    state.wxyz[:] = wxyz
    message = need("viser._messages").SetOrientationMessage(state.name, tuple(wxyz.tolist()))
    state.api._queue_scene_message(message)


def _bound(call: Callable[[str, Any], Any], name: str) -> Callable[[Any], Any]:
    async def bound(event: Any) -> None:
        call(name, event)

    return bound

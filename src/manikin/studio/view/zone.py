"""The zone of a site in the browser."""

from __future__ import annotations

from typing import Any

from manikin.studio.model.reaching import Zone
from manikin.studio.view.colors import CHOSEN, OFF
from manikin.studio.view.names import unused


class ZoneMark:
    """A translucent surface, blue while it is of what is asked for, grey after."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._node: Any = None
        self.zone: Zone | None = None

    def show(self, zone: Zone) -> None:
        """Another zone in the place of the one before."""
        self.remove()
        self.zone = zone
        self._node = self._scene.add_mesh_simple(
            unused("/zone"),
            zone.vertices,
            zone.faces,
            color=CHOSEN,
            opacity=0.22,
            side="double",
            cast_shadow=False,
            receive_shadow=False,
        )

    def fade(self, *, fresh: bool) -> None:
        """In the colour of whether it still holds."""
        if self._node is not None:
            self._node.color = CHOSEN if fresh else OFF

    def remove(self) -> None:
        """Take it away."""
        if self._node is not None:
            self._node.remove()
            self._node = self.zone = None

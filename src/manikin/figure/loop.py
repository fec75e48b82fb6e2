"""Closed loops: two sites of a figure that stay together.

A figure is a tree; a mechanism with a loop is cut somewhere, and what the cut parted is held together here. The solver
keeps it closed as it keeps a hard goal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks, transforms
from manikin.figure.segment import Record

if TYPE_CHECKING:
    from manikin.figure.pose import Pose

#: What of two sites' frames is the same: all of them, their origins, origins and z axes, or their axes.
KINDS = ("placement", "position", "hinge", "orientation")


@dataclass(frozen=True)
class Loop(Record):
    """Two sites whose frames are the same, in whole or in part.

    kind: ``"placement"``, a weld: the whole frames; ``"position"``, a ball joint: the origins; ``"hinge"``: the origins
        and the z axes; ``"orientation"``: the axes.
    name: for messages; by default the two sites'.
    """

    site: str
    other: str
    kind: str = "placement"
    name: str = ""

    def __post_init__(self) -> None:
        checks.name(self.site, "loop: site")
        checks.name(self.other, "loop: other")
        if not isinstance(self.name, str):
            raise FigureError(f"loop: its name must be a string, got {self.name!r}")
        self._set(name=self.name or f"{self.site} to {self.other}")
        checks.one_of(self.kind, KINDS, f"loop {self.name!r}: unknown kind")
        if self.site == self.other:
            raise FigureError(f"loop {self.name!r}: it needs two different sites")

    def gap(self, pose: Pose) -> tuple[float, float]:
        """How far open the loop is at a pose: metres between the origins, radians between the axes it minds."""
        between = transforms.inverse(pose.matrix(self.other)) @ pose.matrix(self.site)
        metres = 0.0 if self.kind == "orientation" else float(np.linalg.norm(between[:3, 3]))
        if self.kind == "hinge":
            lean = np.hypot(between[0, 2], between[1, 2])
            return metres, float(np.arctan2(lean, between[2, 2]))
        if self.kind == "position":
            return metres, 0.0
        return metres, float(np.linalg.norm(transforms.log(between[:3, :3])))

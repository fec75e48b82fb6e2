"""A site kept where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from manikin.errors import GoalError
from manikin.goals.goal import Goal
from manikin.goals.part import Part, equal

COORDINATES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
_GROUPS = {"all": COORDINATES, "position": COORDINATES[:3], "orientation": COORDINATES[3:]}


@dataclass(frozen=True, eq=False)
class Pin(Goal):
    """The site where the start pose has it: feet on the floor, a seat belt, a harness. Hard by default.

    axes: ``"all"``, ``"position"``, ``"orientation"``, or some of ``"x" "y" "z" "turn_x" "turn_y" "turn_z"``:
        coordinates along the axes of the world, and components of the turn away from the start.
    """

    axes: str | Sequence[str] = "all"
    weight: float = 1.0
    hard: bool = True
    noun = "pin"
    settled_by: ClassVar[bool] = True
    means_start: ClassVar[bool] = True

    def _check(self) -> None:
        try:
            listed = self._listed()
        except TypeError:
            listed = ("",)
        unknown = [name for name in listed if not isinstance(name, str) or name not in COORDINATES]
        if unknown or not listed or len(set(listed)) < len(listed):
            raise GoalError(
                f"{self.label()}: axes must be 'all', 'position', 'orientation' or some of "
                f"{', '.join(COORDINATES)}, each once; got {self.axes!r}"
            )
        if not isinstance(self.axes, str):
            self._set("axes", listed)

    def coordinates(self) -> tuple[str, ...]:
        """The coordinates that are held, by name."""
        return tuple(name for name in COORDINATES if name in self._listed())

    def _listed(self) -> tuple[str, ...]:
        return _GROUPS.get(self.axes, (self.axes,)) if isinstance(self.axes, str) else tuple(self.axes)

    def parts(self) -> tuple[Part, ...]:
        """Coordinates of the position, and the turn from the start: as a quaternion where all of it is held."""
        parts = self.parts_at(self.pose.matrix(self.site))
        return tuple(replace(part, follows=True) for part in parts)

    def parts_at(self, frame: np.ndarray) -> tuple[Part, ...]:
        """The same for another frame (4×4) than the start's."""
        held = [COORDINATES.index(name) for name in self.coordinates()]
        places, turns = [k for k in held if k < 3], [k - 3 for k in held if k >= 3]
        found = []
        if places:
            found.append(
                Part(
                    "coordinates",
                    **equal(self.weight, len(places)),
                    site=self.site,
                    hard=self.hard,
                    point=frame[:3, 3],
                    directions=np.eye(3)[places],
                )
            )
        if turns:
            found.append(turn_part(self.site, turns, frame[:3, :3], self.weight, hard=self.hard))
        return tuple(found)


def turn_part(site: str, turns: Sequence[int], frame: np.ndarray, weight: float, *, hard: bool) -> Part:
    """The turn of a site away from ``frame``: all of it, or components about the world's axes, 0."""
    if len(turns) == 3:
        return Part("turn", **equal(weight, 3), site=site, unit="rad", hard=hard, turn=frame)
    return Part(
        "rotation",
        **equal(weight, len(turns)),
        site=site,
        unit="rad",
        hard=hard,
        turn=np.eye(3),
        site_axes=frame.T,
        components=tuple(turns),
    )

"""A site kept where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from manikin.errors import GoalError
from manikin.goals.checks import frame
from manikin.goals.goal import Goal
from manikin.goals.place import Place
from manikin.goals.registry import register
from manikin.goals.words import listed
from manikin.residuals.block import Block, equal

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.goals.words import Told

COORDINATES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
_GROUPS = {"all": COORDINATES, "position": COORDINATES[:3], "orientation": COORDINATES[3:]}


@register
@dataclass(frozen=True, eq=False)
class Pin(Goal):
    """The site where the start pose has it, or at a frame: feet on the floor, a seat belt, a harness. Hard by default.

    axes: ``"all"``, ``"position"``, ``"orientation"``, or some of ``"x" "y" "z" "turn_x" "turn_y" "turn_z"``:
        coordinates along the axes of the world, and components of the turn away from there.
    at: where it stays, a 4×4 transform; by default where the start of a solve, or of a run of solves, has it.
    """

    _: KW_ONLY
    axes: str | Sequence[str] = "all"
    weight: float = 1.0
    hard: bool = True
    at: np.ndarray | None = None
    noun = "pin"
    yields = True
    told_as_one = True

    @property
    def settled_by(self) -> bool:  # type: ignore[override]
        """Whether it depends on the start."""
        return self.at is None

    @property
    def means_start(self) -> bool:  # type: ignore[override]
        """Whether it keeps what the start has."""
        return self.at is None

    def _check(self) -> None:
        if self.at is not None:
            frame(self, "at")
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

    def parts(self) -> tuple[Block, ...]:
        """Coordinates of the position, and the turn from the start: as a quaternion where all of it is held."""
        if self.at is not None:
            return self.parts_at(self.at)
        parts = self.parts_at(self.pose.matrix(self.site))
        return tuple(replace(part, follows=True) for part in parts)

    def frame_at(self, anchor: Pose) -> np.ndarray:
        """Where it keeps the site, 4×4, in a solve with this anchor."""
        return anchor.matrix(self.site) if self.at is None else self.at

    def place(self, anchor: Pose) -> Place | None:
        """Where it keeps the site, if it keeps all three coordinates."""
        held = set(self.coordinates())
        if not held.issuperset(COORDINATES[:3]):
            return None
        frame = self.frame_at(anchor)
        return Place(frame[:3, 3], frame[:3, :3] if len(held) == 6 else None)

    def nearest(self, x: np.ndarray, anchor: Pose) -> np.ndarray | None:
        """With the coordinates that are kept; None where none is."""
        held = [COORDINATES.index(name) for name in self.coordinates() if name in COORDINATES[:3]]
        if not held:
            return None
        found = np.array(x)
        found[held] = self.frame_at(anchor)[held, 3]
        return found

    def words(self, told: Told) -> str:
        """That it stays, or how far it has moved."""
        held, where = self.coordinates(), ""
        if len(held) < 6:
            places = [name for name in held if not name.startswith("turn")]
            turns = [name.removeprefix("turn_") for name in held if name.startswith("turn")]
            said = []
            if places:
                said.append("in position" if len(places) == 3 else f"along {listed(places)}")
            if turns:
                said.append("in orientation" if len(turns) == 3 else f"in its turn about {listed(turns)}")
            where = f" {listed(said)}"
        if told.met:
            return f"{self.subject()} stays where it is{where} ({told.off} off)"
        return f"{self.subject()} has moved{where} by {told.off}"

    def parts_at(self, frame: np.ndarray) -> tuple[Block, ...]:
        """The same for another frame (4×4) than the start's."""
        held = [COORDINATES.index(name) for name in self.coordinates()]
        places, turns = [k for k in held if k < 3], [k - 3 for k in held if k >= 3]
        found = []
        if places:
            found.append(
                Block(
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


def turn_part(site: str, turns: Sequence[int], frame: np.ndarray, weight: float, *, hard: bool) -> Block:
    """The turn of a site away from ``frame``: all of it, or components about the world's axes, 0."""
    if len(turns) == 3:
        return Block("turn", **equal(weight, 3), site=site, unit="rad", hard=hard, turn=frame)
    return Block(
        "rotation",
        **equal(weight, len(turns)),
        site=site,
        unit="rad",
        hard=hard,
        turn=np.eye(3),
        site_axes=frame.T,
        components=tuple(turns),
    )

"""What a file holds: a figure, its clips, its skins, and notes of what could not be held or had to be assumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from manikin.errors import FormatError
from manikin.motion.motion import Motion

if TYPE_CHECKING:
    from manikin.figure import Figure
    from manikin.formats.skin import Skin

LEFT_OUT, ASSUMED, CHANGED = "left out", "assumed", "changed"


@dataclass(frozen=True)
class Note:
    """Something that reading or writing could not keep as it was.

    kind: ``"left out"``, ``"assumed"`` (the file does not say) or ``"changed"`` (kept in another form).
    where: the part of the file or figure.
    """

    kind: str
    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"

    def to_dict(self) -> dict[str, str]:
        """The note as JSON can hold it."""
        return {"kind": self.kind, "where": self.where, "text": self.text}


@dataclass(frozen=True, eq=False)
class Contents:
    """All that was read from a file, or is to be written to one.

    figure: the figure.
    clips: its motions, each of this figure.
    skins: surfaces that move with it.
    humanoid: of a VRM file, the segment of each humanoid bone, as ``{"hips": "Hips"}``.
    notes: what the file has and a figure has not, and what was assumed.
    """

    figure: Figure
    clips: tuple[Motion, ...] = ()
    skins: tuple[Skin, ...] = ()
    humanoid: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def clip(self, which: str | int | None = None) -> Motion:
        """One clip, by name or number; by default the only one."""
        names = [clip.name for clip in self.clips]
        if not self.clips:
            raise FormatError(f"figure {self.figure.name!r}: the file has no clip")
        if which is None:
            if len(self.clips) > 1:
                raise FormatError(
                    f"figure {self.figure.name!r}: the file has {len(names)} clips; choose one by clip=: "
                    f"{', '.join(map(repr, names))}"
                )
            return self.clips[0]
        if isinstance(which, str) and which in names:
            return self.clips[names.index(which)]
        if isinstance(which, int) and not isinstance(which, bool) and -len(names) <= which < len(names):
            return self.clips[which]
        raise FormatError(
            f"figure {self.figure.name!r}: there is no clip {which!r}; there are: {', '.join(map(repr, names))}"
        )


def contents_of(what: Any) -> Contents:
    """What is to be written, from a Figure, a motion, several of one figure, what followed a capture, or Contents."""
    from manikin.figure import Figure, Pose
    from manikin.markers.tracked import Tracked

    if isinstance(what, Contents):
        return what
    if isinstance(what, Figure):
        return Contents(what)
    if isinstance(what, Pose):
        return Contents(what.figure, (Motion(what.figure, [0.0], what.q[None], name="pose"),))
    if isinstance(what, Tracked):
        what = what.motion
    if isinstance(what, Motion):
        return Contents(what.figure, (what,))
    if isinstance(what, (list, tuple)) and what and all(isinstance(entry, Motion) for entry in what):
        if any(entry.figure is not what[0].figure for entry in what):
            raise FormatError("save: the motions are of different figures; one file holds one figure")
        return Contents(what[0].figure, tuple(what))
    raise FormatError(f"save: expected a Figure, a Pose, a Motion or several of one figure, got {what!r}")


class Notes:
    """Notes as they come up, each said once."""

    def __init__(self) -> None:
        self._found: dict[Note, None] = {}

    def left_out(self, where: str, text: str) -> None:
        """Something that is not kept."""
        self._found[Note(LEFT_OUT, where, text)] = None

    def assumed(self, where: str, text: str) -> None:
        """Something that the file does not say."""
        self._found[Note(ASSUMED, where, text)] = None

    def changed(self, where: str, text: str) -> None:
        """Something that is kept in another form."""
        self._found[Note(CHANGED, where, text)] = None

    def extend(self, notes: Iterable[Note]) -> None:
        """More notes."""
        self._found.update(dict.fromkeys(notes))

    def __iter__(self) -> Iterator[Note]:
        return iter(self._found)


class Names:
    """Names made different: the second ``"arm"`` becomes ``"arm_2"``."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name, or the name with the first number that is free."""
        found, number = name, self._next.get(name, 2)
        while found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._next[name] = number
        self._taken.add(found)
        return found

"""The HIERARCHY of a BVH file: joints with their offsets, channels and ends, however the text is laid out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from manikin.errors import FormatError
from manikin.formats.source import line_of

CHANNELS = {
    f"{letter}{kind}": (letter, kind == "position") for letter in "xyz" for kind in ("position", "rotation")
}
_TOKEN = re.compile(r"[{}]|[^\s{}]+")
#: More joints than any skeleton has; a file of nothing but braces must not eat the memory.
MOST_JOINTS = 20_000


@dataclass
class Bone:
    """A ROOT or JOINT: its offset, its channels as (letter, is position) in order, and its End Sites."""

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: list[tuple[str, bool]] = field(default_factory=list)
    ends: list[tuple[float, float, float]] = field(default_factory=list)


class Hierarchy:
    """Reads the text between HIERARCHY and MOTION; `bones` in file order, parents first."""

    def __init__(self, text: str, where: str) -> None:
        self._text, self._where = text, where
        self._tokens = [(match.group(), match.start()) for match in _TOKEN.finditer(text)]
        self._next = 0
        self.bones: list[Bone] = []
        self._read()

    def _error(self, what: str, back: int = 1) -> FormatError:
        place = max(0, min(self._next - back, len(self._tokens) - 1))
        position = self._tokens[place][1] if self._tokens else 0
        return FormatError(f"{self._where}:{line_of(self._text, position)}: {what}")

    def _take(self, wanted: str) -> str:
        if self._next >= len(self._tokens):
            raise self._error(f"the file ends where {wanted} was expected")
        self._next += 1
        return self._tokens[self._next - 1][0]

    def _read(self) -> None:
        if self._take("HIERARCHY").upper() != "HIERARCHY":
            raise self._error("a BVH file begins with HIERARCHY")
        open_bones: list[int] = []
        while self._next < len(self._tokens):
            word = self._take("JOINT").upper()
            if word == "ROOT" and not self.bones:
                open_bones.append(self._bone(-1))
            elif word == "ROOT":
                raise self._error("a second ROOT; a figure has one")
            elif word == "}" and open_bones:
                self._close(self.bones[open_bones.pop()])
            elif not open_bones:
                raise self._error(f"expected {'MOTION' if self.bones else 'ROOT'}, found {word!r}")
            elif word == "JOINT":
                open_bones.append(self._bone(open_bones[-1]))
            elif word == "END":
                self._name("End Site")
                self.bones[open_bones[-1]].ends.append(self._end())
            elif word == "OFFSET":
                self._offset(self.bones[open_bones[-1]])
            elif word == "CHANNELS":
                self._channels(self.bones[open_bones[-1]])
            else:
                raise self._error(f"expected JOINT, End Site, OFFSET, CHANNELS or }}, found {word!r}")
        if not self.bones:
            raise self._error("there is no ROOT")
        if open_bones:
            raise self._error(f"joint {self.bones[open_bones[-1]].name!r} is not closed by }}")

    def _close(self, bone: Bone) -> None:
        if bone.offset is None:
            raise self._error(f"joint {bone.name!r} has no OFFSET")

    def _name(self, what: str) -> str:
        """What stands before the opening brace; names may hold spaces."""
        words: list[str] = []
        while (word := self._take(f"{{ of {what}")) != "{":
            if word == "}" or len(words) > 20:
                raise self._error(f"{what}: expected {{, found {word!r}")
            words.append(word)
        return " ".join(words)

    def _bone(self, parent: int) -> int:
        line = line_of(self._text, self._tokens[self._next - 1][1])
        name = self._name("a joint")
        if len(self.bones) >= MOST_JOINTS:
            raise self._error(f"more than {MOST_JOINTS} joints")
        self.bones.append(Bone(name or "unnamed", parent, line))
        return len(self.bones) - 1

    def _numbers(self, what: str) -> tuple[float, float, float]:
        found = []
        for _ in range(3):
            word = self._take(f"three numbers of {what}")
            try:
                number = float(word)
            except ValueError:
                raise self._error(f"{what}: {word!r} is not a number") from None
            if not abs(number) < 1e12:
                raise self._error(f"{what}: {word!r} is not a finite number of a sensible size")
            found.append(number)
        return found[0], found[1], found[2]

    def _offset(self, bone: Bone) -> None:
        if bone.offset is not None:
            raise self._error(f"joint {bone.name!r} has two OFFSETs")
        bone.offset = self._numbers(f"OFFSET of {bone.name!r}")

    def _end(self) -> tuple[float, float, float]:
        found = None
        while (word := self._take("} of End Site")) != "}":
            if word.upper() == "OFFSET" and found is None:
                found = self._numbers("OFFSET of End Site")
            elif word.upper() == "CHANNELS" and self._take("0") == "0":
                continue
            else:
                raise self._error(f"End Site: expected OFFSET or }}, found {word!r}")
        if found is None:
            raise self._error("End Site has no OFFSET")
        return found

    def _channels(self, bone: Bone) -> None:
        where = f"CHANNELS of {bone.name!r}"
        if bone.channels:
            raise self._error(f"joint {bone.name!r} has two CHANNELS")
        word = self._take("how many CHANNELS")
        if not word.isdecimal() or int(word[:9]) > 100:
            raise self._error(f"{where}: expected how many there are, found {word!r}")
        for _ in range(int(word)):
            word = self._take(f"a channel of {bone.name!r}")
            channel = CHANNELS.get(word.lower())
            if channel is None:
                raise self._error(
                    f"{where}: unknown channel {word!r}; expected one of: Xposition, Yposition, Zposition, Xrotation, "
                    "Yrotation, Zrotation"
                )
            if channel[1] and channel in bone.channels:
                raise self._error(f"{where}: {word} comes twice")
            bone.channels.append(channel)

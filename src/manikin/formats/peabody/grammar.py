"""The text of a Peabody file as figures, segments, sites and joints, not yet put together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError
from manikin.figure import rotations
from manikin.figure.motions import parse_axis
from manikin.formats.contents import Notes
from manikin.formats.peabody.tokens import Tokens

#: Units of length: a factor, then a power of ten, which is applied to the decimal digits and so rounds only once.
_LENGTHS = {
    "m": (1.0, 0),
    "cm": (1.0, -2),
    "mm": (1.0, -3),
    "in": (2.54, -2),
    "inch": (2.54, -2),
    "ft": (30.48, -2),
}
_ANGLES = {"deg": math.pi / 180.0, "rad": 1.0}


@dataclass
class SegmentText:
    """A segment: its sites' frames in it, its surface and its attribute."""

    name: str
    sites: dict[str, np.ndarray] = field(default_factory=dict)
    psurf: str | None = None
    attribute: str | None = None
    extension: dict[str, Any] = field(default_factory=dict)


@dataclass
class JointText:
    """A joint: two (segment, site), its factors as (letter, axis text), and values in the factors' order."""

    name: str
    line: int
    first: tuple[str, str] | None = None
    second: tuple[str, str] | None = None
    factors: list[tuple[str, str]] = field(default_factory=list)
    values: dict[str, list[tuple[float | None, str]]] = field(default_factory=dict)
    extension: dict[str, Any] = field(default_factory=dict)


@dataclass
class FigureText:
    """A figure."""

    name: str
    line: int
    segments: dict[str, SegmentText] = field(default_factory=dict)
    joints: dict[str, JointText] = field(default_factory=dict)
    root: tuple[str, str] | None = None
    location: np.ndarray | None = None
    extension: dict[str, Any] = field(default_factory=dict)


class Grammar(Tokens):
    """Reads all figures of a text."""

    def __init__(self, text: str, where: str, notes: Notes) -> None:
        super().__init__(text, where)
        self.notes = notes
        self.figures: list[FigureText] = []
        while not self.at_end:
            if self.kind() == "extension":
                self.take()
                self.notes.left_out(f"line {self.line}", "an extension outside of a figure")
            elif (word := self.take()) == "figure":
                self.figures.append(self._figure())
            else:
                self._skip(word)

    def _skip(self, word: str) -> None:
        """Over a statement that a figure has no use for: up to ; or a block in braces."""
        where = f"{word[:40]!r}, line {self.line}"
        depth = 1 if word == "{" else 0
        if word in ("}", ";") and not depth:
            if word == ";":
                return
            raise self.error("a } too many")
        while True:
            token = self.take("; or }")
            depth += (token == "{") - (token == "}")
            if depth < 0:
                raise self.error(f"{word[:40]!r} is not ended by ;")
            if depth == 0 and token in (";", "}"):
                break
        self.notes.left_out(where, "a figure has none")

    def _statements(self, extension: dict[str, Any]) -> Iterator[str]:
        """The first word of each statement of a block; the block's extension is filled in."""
        self.expect("{")
        while self.peek() != "}":
            if self.kind() == "extension":
                if extension:
                    raise self.error("a second extension in one block")
                extension.update(self.extension())
            else:
                yield self.take("}")
        self.expect("}")

    def _figure(self) -> FigureText:
        line = self.line
        found = FigureText(self.name("a figure"), line)
        for word in self._statements(found.extension):
            if word == "segment":
                segment = self._segment()
                if segment.name in found.segments:
                    raise self.error(f"a second segment {segment.name!r}")
                found.segments[segment.name] = segment
            elif word == "joint":
                joint = self._joint()
                if joint.name in found.joints:
                    raise self.error(f"a second joint {joint.name!r}")
                found.joints[joint.name] = joint
            elif word == "root" and self.peek() == "=":
                self.expect("=")
                found.root = self._site_of()
                self.expect(";")
            elif word == "location" and self.peek() == "=":
                self.expect("=")
                found.location = self.location()
                self.expect(";")
            else:
                self._skip(word)
        return found

    def _segment(self) -> SegmentText:
        found = SegmentText(self.name("a segment"))
        for word in self._statements(found.extension):
            if word == "site":
                name = self.name("a site")
                self.expect("->")
                what = self.take("location")
                self.expect("=")
                if what != "location":
                    raise self.error(f"site {name!r}: expected location, found {what[:40]!r}")
                if name in found.sites:
                    raise self.error(f"segment {found.name!r} has a second site {name!r}")
                found.sites[name] = self.location()
                self.expect(";")
            elif word == "psurf" and self.peek() == "=":
                self.expect("=")
                found.psurf = self.name("a surface's file")
                self._to_semicolon("psurf")
            elif word == "attribute" and self.peek() == "=":
                self.expect("=")
                found.attribute = self.name("an attribute")
                self._to_semicolon("attribute")
            else:
                self._skip(word)
        return found

    def _to_semicolon(self, word: str) -> None:
        if self.peek() == ";":
            self.expect(";")
        else:
            self._skip(word)

    def _site_of(self) -> tuple[str, str]:
        segment = self.name("a segment")
        self.expect(".")
        return segment, self.name("a site")

    def _joint(self) -> JointText:
        line = self.line
        found = JointText(self.name("a joint"), line)
        for word in self._statements(found.extension):
            if word == "connect":
                found.first = self._site_of()
                self.expect("to")
                found.second = self._site_of()
                self.expect(";")
            elif word == "type" and self.peek() == "=":
                self.expect("=")
                found.factors = self._type()
                self.expect(";")
            elif word in ("llimit", "ulimit", "displacement") and self.peek() == "=":
                self.expect("=")
                found.values[word] = self._values(word)
                self.expect(";")
            else:
                self._skip(word)
        if found.first is None or found.second is None:
            raise FormatError(f"{self.where}:{line}: joint {found.name!r} does not say what it connects")
        return found

    def _type(self) -> list[tuple[str, str]]:
        """Factors R(axis) and T(axis), the axis a letter or three numbers."""
        if self.peek() in ("fixed", "none"):
            self.take()
            return []
        found = []
        while True:
            letter = self.take("R or T")
            if letter not in ("R", "T"):
                raise self.error(f"a type is a product of R(axis) and T(axis), found {letter[:40]!r}")
            self.expect("(")
            text = ""
            while (word := self.take(")")) != ")":
                if self.at_end or len(text) > 200:
                    raise self.error("the axis is not closed by )")
                text += word
            try:
                axis = parse_axis(text, "type")
            except (FigureError, ValueError) as error:
                raise self.error(str(error)) from None
            found.append((letter, ",".join(repr(float(entry)) for entry in axis)))
            if self.peek() != "*":
                return found
            self.expect("*")

    def _values(self, word: str) -> list[tuple[float | None, str]]:
        """Numbers in parentheses with what they measure: ``"length"`` or ``"angle"``, ``""`` where no unit is
        written.
        """
        self.expect("(")
        found: list[tuple[float | None, str]] = []
        while True:
            if self.peek() == "none" and word != "displacement":
                self.take()
                found.append((None, ""))
            else:
                found.append(self._quantity())
            sign = self.take(")")
            if sign == ")":
                return found
            if sign != ",":
                raise self.error(f"{word}: expected , or )")

    def _quantity(self) -> tuple[float, str]:
        """A number with its unit: metres or radians."""
        sign = 1.0
        while self.peek() in ("+", "-") and self.kind() == "sign":
            sign = -sign if self.take() == "-" else sign
        kind = self.kind()
        word = self.take("a number")
        if kind != "number":
            raise self.error(f"expected a number, found {word[:40]!r}")
        value = sign * float(word)
        if not abs(value) < 1e100:
            raise self.error(f"{word[:40]!r} is not a number of a sensible size")
        unit = self.take() if self.kind() == "word" else ""
        if unit in _LENGTHS:
            factor, power = _LENGTHS[unit]
            value, what = sign * factor * _shifted(word, power), "length"
        elif unit in _ANGLES:
            value, what = value * _ANGLES[unit], "angle"
        elif unit:
            raise self.error(
                f"unknown unit {unit[:40]!r}; expected one of: {', '.join([*_LENGTHS, *_ANGLES])}"
            )
        else:
            what = ""
        return value, what

    def measured(self, value: float, what: str, wanted: str) -> float:
        """A value of the wanted kind; one without a unit is in centimetres or degrees."""
        if what == wanted or value == 0.0:
            return value
        if what:
            raise self.error(f"expected {'a length' if wanted == 'length' else 'an angle'}, found the other")
        self.notes.assumed("units", "numbers without a unit are centimetres and degrees")
        return value * (0.01 if wanted == "length" else _ANGLES["deg"])

    def location(self) -> np.ndarray:
        """A product of trans(x, y, z) and xyz(a, b, c), as 4×4 for columns: the first factor acts first."""
        result = np.eye(4)
        while True:
            word = self.take("trans or xyz")
            factor: Any = np.eye(4)
            if word == "trans":
                factor[:3, 3] = self._three("length")
            elif word == "xyz":
                x, y, z = self._three("angle")
                factor[:3, :3] = rotations.from_euler("zyx", np.array([[z, y, x]]))[0]
            else:
                raise self.error(f"expected trans(…) or xyz(…), found {word[:40]!r}")
            result = factor @ result
            if self.peek() != "*":
                return result
            self.expect("*")

    def _three(self, wanted: str) -> list[float]:
        self.expect("(")
        found = []
        for k in range(3):
            found.append(self.measured(*self._quantity(), wanted))
            self.expect(")" if k == 2 else ",")
        return found


def _shifted(word: str, power: int) -> float:
    """A decimal number times a power of ten, rounded once."""
    digits, _, exponent = word.lower().partition("e")
    try:
        return float(f"{digits}e{int(exponent or 0) + power}")
    except ValueError:  # an exponent of thousands of digits
        return float(word) * 10.0**power

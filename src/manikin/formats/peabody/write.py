"""A figure, in one pose, as Peabody, with extensions for what the language has no word for."""

from __future__ import annotations

import os
import re
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from manikin.figure import Joint, Loop
from manikin.figure.euler import euler_angles
from manikin.figure.transforms import inverse
from manikin.files import whole_file
from manikin.formats import record
from manikin.formats.axes import Y_UP, rotated
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.peabody.colors import COLORS
from manikin.formats.peabody.factors import Factor, default_names, factors, rotation_factors
from manikin.formats.peabody.tokens import extension_text
from manikin.formats.posed import axis_values, segment_frames
from manikin.formats.xml import number

_WORD = re.compile(r"[^\W\d][\w'-]*(?<!-)")
_RESERVED = ("figure", "segment", "joint", "site", "root", "location", "none", "fixed", "to")
_QUOTABLE = re.compile(r'[^"\n]*[^"\n ][^"\n]*')


def write(contents: Contents, path: str | os.PathLike[str], *, clip: str | int | None = None) -> list[Note]:
    """Write the figure at the first pose of its clip, or at rest, and report what is lost."""
    writer = _Writer(contents, clip)
    text = writer.text()
    with whole_file(path) as beside:
        Path(beside).write_text(text, encoding="utf-8")
    return list(writer.notes)


class _Writer:
    def __init__(self, contents: Contents, clip: str | int | None) -> None:
        self.figure, self.notes = contents.figure, Notes()
        self.q = self.figure.rest[None]
        if contents.clips:
            motion = contents.clip(clip)
            self.q = motion.q[:1]
            if len(contents.clips) > 1 or len(motion.times) > 1:
                self.notes.left_out("clips", "Peabody holds one pose: the first")
        if contents.skins:
            self.notes.left_out("skins", "Peabody holds no skins")
        if contents.humanoid:
            self.notes.left_out("humanoid", "Peabody does not name the bones of a VRM human")
        self.values = {name: float(value[0]) for name, value in axis_values(self.figure, self.q).items()}
        self.segment_names = _plain_names(self.figure.segments)
        joints = [*self.figure.given.joints, *(f"\0{k}" for k in range(len(self.figure.loops)))]
        self.joint_names = _plain_names(joints, [loop.name for loop in self.figure.loops])
        self.sites: dict[str, dict[str, np.ndarray]] = {name: {} for name in self.figure.segments}
        self.listed: dict[str, tuple[str, str]] = {}

    def text(self) -> str:
        """The whole file."""
        figure = self.figure
        for name in figure.given.sites:
            self._listed_site(name)
        joints = [line for joint in figure.given.joints.values() for line in self._joint(joint)]
        joints += [line for k, loop in enumerate(figure.loops) for line in self._loop(loop, f"\0{k}")]
        root = self._site_at(figure.root, "base", np.eye(4))
        frame = segment_frames(figure, self.q)[figure.root][0]
        lines = [f"figure {_quoted(_plain(figure.name))} {{", f"  {extension_text(self._figure_extension())}"]
        for name in figure.segments:
            lines += self._segment(name)
        lines += joints
        lines.append(f"  root = {_quoted(self.segment_names[figure.root])}.{_quoted(root)};")
        lines.append(f"  location = {_location(inverse(rotated(Y_UP)) @ frame)};")
        return "\n".join([*lines, "}", ""])

    def _figure_extension(self) -> dict[str, Any]:
        """Name, base, sites by their names in the figure, couplings, and segments that may touch."""
        figure = self.figure
        found: dict[str, Any] = {} if _plain(figure.name) == figure.name else {"name": figure.name}
        if figure.base != "fixed" or not np.array_equal(figure.mount, np.eye(4)):
            stiffness = figure.given.base_stiffness
            names = [axis.name for axis in figure.base_joint.axes] if figure.base != "fixed" else []
            found["base"] = {
                "kind": figure.base,
                "location": record.frame_record(figure.location),
                "mount": record.frame_record(figure.mount),
                "stiffness": None if stiffness is None else np.asarray(stiffness, dtype=float).tolist(),
                "values": {name: self.values[name] for name in names},
            }
        found["sites"] = {name: list(place) for name, place in self.listed.items()}
        if figure.given.couplings:
            found["couplings"] = [record.coupling_record(entry) for entry in figure.given.couplings]
        if figure.touching:
            found["touching"] = [list(pair) for pair in figure.touching]
        return found

    def _listed_site(self, name: str) -> tuple[str, str]:
        """The file's segment and site of a site of the figure."""
        if name not in self.listed:
            site = self.figure.sites[name]
            known = self.sites[site.segment]
            unique = Names(known).unique(_plain(name.removeprefix(f"{site.segment}.") or name))
            known[unique] = site.placement
            self.listed[name] = self.segment_names[site.segment], unique
        return self.listed[name]

    def _site_at(self, segment: str, name: str, frame: np.ndarray) -> str:
        """The name of a site with this frame on its segment: one that is there already, or a new one."""
        known = self.sites[segment]
        for other, place in known.items():
            if np.array_equal(place, frame):
                return other
        unique = Names(known).unique(_plain(name))
        known[unique] = frame
        return unique

    def _segment(self, name: str) -> list[str]:
        lines = []
        segment = self.figure.segments[name]
        plain = self.segment_names[name]
        extension: dict[str, Any] = {} if plain == name else {"name": name}
        if segment.mass or np.any(segment.center_of_mass) or segment.inertia is not None:
            whole = record.segment_record(segment)
            extension.update({key: whole[key] for key in ("mass", "center_of_mass", "inertia")})
        shapes = list(segment.shapes)
        if shapes and _is_surface(shapes[0]):
            first = shapes.pop(0)
            lines.append(f'    psurf = "{first.mesh}";')
            color = None if first.color is None else tuple(map(float, first.color))
            words = [word for word, known in COLORS.items() if known == color]
            if words:
                lines.append(f"    attribute = {words[0]};")
            elif color is not None:
                extension["color"] = list(color)
        if shapes:
            extension["shapes"] = [record.shape_record(shape) for shape in shapes]
        if extension:
            lines.insert(0, f"    {extension_text(extension)}")
        for site, frame in self.sites[name].items():
            lines.append(f"    site {_quoted(site)}->location = {_location(frame)};")
        return [f"  segment {_quoted(plain)} {{", *lines, "  }"]

    def _joint(self, joint: Joint) -> list[str]:
        first = self._site_at(joint.parent, f"{joint.name}_near", joint.placement)
        second = self._site_at(joint.child, f"{joint.name}_far", joint.child_placement)
        values = [self.values[axis.name] for axis in joint.axes]
        found = factors(joint, values)
        extension = self._joint_extension(joint, values, found)
        ends = (self.segment_names[joint.parent], first), (self.segment_names[joint.child], second)
        return self._statements(joint.name, ends, found, extension)

    def _loop(self, loop: Loop, key: str) -> list[str]:
        """The joint that closes a loop: what it leaves free is its type, its displacement follows from the pose."""
        ends = self._listed_site(loop.site), self._listed_site(loop.other)
        first, second = self.figure.forward(self.q, [loop.site, loop.other])[0]
        between = inverse(first) @ second
        found: list[Factor] = []
        if loop.kind == "hinge":
            turn = float(np.arctan2(between[1, 0] - between[0, 1], between[0, 0] + between[1, 1]))
            found = [Factor("R", (0.0, 0.0, 1.0), turn, None)]
        elif loop.kind == "position":
            found = rotation_factors(between[:3, :3])
        elif loop.kind == "orientation":
            axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
            slides = between[:3, 3].tolist()
            found = [Factor("T", axis, slide, None) for axis, slide in zip(axes, slides, strict=True)]
        extension: dict[str, Any] = {"loop": loop.kind}
        if self.joint_names[key] != loop.name:
            extension["name"] = loop.name
        return self._statements(key, ends, found, extension)

    def _statements(
        self,
        key: str,
        ends: tuple[tuple[str, str], tuple[str, str]],
        found: list[Factor],
        extension: dict[str, Any],
    ) -> list[str]:
        lines = [f"  joint {_quoted(self.joint_names[key])} {{"]
        if extension:
            lines.append(f"    {extension_text(extension)}")
        first, second = (f"{_quoted(segment)}.{_quoted(site)}" for segment, site in ends)
        lines.append(f"    connect {first} to {second};")
        if found:
            lines.append(f"    type = {_product(found)};")
            for word, column in zip(
                ("llimit", "ulimit"), zip(*map(self._range, found), strict=True), strict=True
            ):
                if any(isfinite(end) for end in column):
                    lines.append(f"    {word} = {_quantities(found, column)};")
            lines.append(f"    displacement = {_quantities(found, [factor.value for factor in found])};")
        return [*lines, "  }"]

    def _range(self, factor: Factor) -> tuple[float, float]:
        axis = factor.axis
        if axis is None:
            return -np.inf, np.inf
        whose = axis if axis.follow is not None else self.figure.dof(axis.name)
        return whose.lower, whose.upper

    def _joint_extension(self, joint: Joint, values: list[float], found: list[Factor]) -> dict[str, Any]:
        """The motion if it is no product, the swing's limit, and of each axis what is not as it is by default."""
        plain = self.joint_names[joint.name]
        extension: dict[str, Any] = {} if plain == joint.name else {"name": joint.name}
        special = len(found) != len(joint.steps)
        if special:
            extension["motion"] = joint.motion
            if joint.swing is not None:
                extension["swing"] = record.swing_record(joint.swing)
        product = joint.motion if special else _product(found)
        defaults = default_names(plain, product) if joint.axes else []
        axes = []
        for axis, value, default in zip(
            joint.axes, values, defaults if special else defaults[::-1], strict=True
        ):
            entry: dict[str, Any] = {} if axis.name == default else {"name": axis.name}
            rest = None if axis.follow is not None else self.figure.dof(axis.name).rest
            if special and all(factor.axis is not axis for factor in found):
                whose = axis if axis.follow is not None else self.figure.dof(axis.name)
                entry.update(lower=record.end_record(whose.lower), upper=record.end_record(whose.upper))
            if special:
                entry["value"] = value
            if rest is not None and (special or rest != value):
                entry["rest"] = rest
            if axis.stiffness != 1.0:
                entry["stiffness"] = axis.stiffness
            if isfinite(axis.velocity):
                entry["velocity"] = axis.velocity
            if isfinite(axis.effort):
                entry["effort"] = axis.effort
            if axis.follow is not None:
                entry["follow"] = record.follow_record(axis.follow)
            if axis.description:
                entry["description"] = axis.description
            axes.append(entry)
        if any(axes):
            extension["axes"] = axes
        return extension


def _plain(name: str) -> str:
    """A name without the characters that Peabody's names do not have."""
    return name.replace('"', "'").replace("\n", " ")


def _plain_names(keys: Any, last: Any = ()) -> dict[str, str]:
    """Different plain names by key. The keys are the names, but for the last, whose names are given."""
    keys, taken = list(keys), Names()
    names = [*keys[: len(keys) - len(last)], *last]
    return {key: taken.unique(_plain(name)) for key, name in zip(keys, names, strict=True)}


def _quoted(name: str) -> str:
    """A name as a word, or else in quotes."""
    return name if _WORD.fullmatch(name) and name not in _RESERVED else f'"{name}"'


def _is_surface(shape: Any) -> bool:
    """Whether a shape is a file's surface as it is."""
    return (
        shape.kind == "mesh"
        and np.array_equal(shape.placement, np.eye(4))
        and np.array_equal(shape.scale, np.ones(3))
        and _QUOTABLE.fullmatch(str(shape.mesh)) is not None
    )


def _product(found: list[Factor]) -> str:
    return "*".join(f"{factor.letter}({', '.join(map(number, factor.direction))})" for factor in found)


def _quantities(found: list[Factor], values: Any) -> str:
    shown = [_quantity(value, factor.letter) for factor, value in zip(found, values, strict=True)]
    return f"({', '.join(shown)})"


def _quantity(value: float, letter: str) -> str:
    if not isfinite(value):
        return "none"
    return f"{number(value)}rad" if letter == "R" else f"{_centimetres(value)}cm"


def _centimetres(metres: float) -> str:
    """A length in centimetres: the decimal digits of the metres, moved by two places, so that nothing is rounded."""
    digits, _, exponent = number(metres).partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, part = digits.partition(".")
    part = part.ljust(2, "0")
    shifted = f"{whole}{part[:2]}".lstrip("0") or "0"
    return f"{sign}{shifted}{f'.{part[2:]}' if part[2:] else ''}{f'e{exponent}' if exponent else ''}"


def _location(frame: np.ndarray) -> str:
    """xyz(…) * trans(…): for rows the turn comes first."""
    parts = []
    if not np.array_equal(frame[:3, :3], np.eye(3)):
        z, y, x = euler_angles("zyx", frame[:3, :3]).tolist()
        parts.append(f"xyz({number(x)}rad, {number(y)}rad, {number(z)}rad)")
    parts.append(f"trans({', '.join(f'{_centimetres(entry)}cm' for entry in frame[:3, 3].tolist())})")
    return " * ".join(parts)

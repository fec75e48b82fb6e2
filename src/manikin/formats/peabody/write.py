"""A figure, in one pose, as Peabody."""

from __future__ import annotations

import math
import os
import re
from math import isfinite
from pathlib import Path

import numpy as np

from manikin.figure import Figure, Joint
from manikin.figure.transforms import inverse
from manikin.files import whole_file
from manikin.formats import rotations
from manikin.formats.axes import Y_UP, rotated
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.peabody.colors import COLORS
from manikin.formats.posed import axis_values, segment_frames
from manikin.formats.xml import number

_WORD = re.compile(r"[^\W\d][\w'-]*(?<!-)")
_RESERVED = ("figure", "segment", "joint", "site", "root", "location", "none", "fixed", "to")


def write(contents: Contents, path: str | os.PathLike[str], *, clip: str | int | None = None) -> list[Note]:
    """Write the figure at the first pose of its clip, or at rest, and say what was not kept."""
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
        self.values = axis_values(self.figure, self.q)
        names = Names()
        self.segment_names = {name: names.unique(self._plain(name)) for name in self.figure.segments}
        self.sites: dict[str, dict[str, np.ndarray]] = {name: {} for name in self.figure.segments}

    def _plain(self, name: str) -> str:
        """A name as Peabody has them, or in quotes."""
        if _WORD.fullmatch(name) and name not in _RESERVED:
            return name
        safe = name.replace('"', "'").replace("\n", " ")
        if safe != name:
            self.notes.changed(f"{name!r}", f"Peabody's names have no quotes: it is called {safe!r}")
        return f'"{safe}"'

    def text(self) -> str:
        """The whole file."""
        figure = self.figure
        for site in figure._given_sites.values():
            self._add_site(site.segment, site.name.removeprefix(f"{site.segment}."), site.placement)
        joints = [line for joint in figure._given_joints.values() for line in self._joint(joint)]
        frame = segment_frames(figure, self.q)[figure.root][0]
        root = self._add_site(figure.root, "base", np.eye(4))
        lines = [f"figure {self._plain(figure.name)} {{"]
        for name in figure.segments:
            lines += self._segment(name)
        lines += joints
        lines.append(f"  root = {self.segment_names[figure.root]}.{root};")
        lines.append(f"  location = {_location(inverse(rotated(Y_UP)) @ frame)};")
        self._tell()
        return "\n".join([*lines, "}", ""])

    def _add_site(self, segment: str, name: str, frame: np.ndarray) -> str:
        """A site's name on its segment: one that stands there already, or a new one."""
        known = self.sites[segment]
        for other, place in known.items():
            if np.array_equal(place, frame) and other == self._plain(name):
                return other
        taken = Names(known)
        unique = taken.unique(self._plain(name))
        known[unique] = frame
        return unique

    def _segment(self, name: str) -> list[str]:
        lines = [f"  segment {self.segment_names[name]} {{"]
        for shape in self.figure.segments[name].shapes:
            drawn = any(line.lstrip().startswith("psurf") for line in lines)
            plain = np.array_equal(shape.placement, np.eye(4)) and np.array_equal(shape.scale, np.ones(3))
            if shape.kind != "mesh" or drawn or not plain or '"' in str(shape.mesh):
                self.notes.left_out(
                    f"segment {name!r}", "Peabody's segments have one surface, in a file of its own"
                )
                continue
            lines.append(f'    psurf = "{shape.mesh}";')
            for word, color in COLORS.items():
                if shape.color is not None and tuple(map(float, shape.color)) == color:
                    lines.append(f"    attribute = {word};")
                    break
        for site, frame in self.sites[name].items():
            lines.append(f"    site {site}->location = {_location(frame)};")
        return [*lines, "  }"]

    def _joint(self, joint: Joint) -> list[str]:
        first = self._add_site(joint.parent, f"{joint.name}_near", joint.placement)
        second = self._add_site(joint.child, f"{joint.name}_far", joint.child_placement)
        name = self._plain(joint.name)
        ends = f"{self.segment_names[joint.parent]}.{first} to {self.segment_names[joint.child]}.{second}"
        lines = [f"  joint {name} {{", f"    connect {ends};"]
        factors = self._factors(joint)
        if factors:
            lines.append(f"    type = {'*'.join(factor for factor, *_ in factors)};")
            for word, place in (("llimit", 1), ("ulimit", 2)):
                ends_of = [float(factor[place]) for factor in factors]
                if any(isfinite(end) for end in ends_of):
                    shown = [_quantity(end, factor[0]) for end, factor in zip(ends_of, factors, strict=True)]
                    lines.append(f"    {word} = ({', '.join(shown)});")
            shown = [_quantity(factor[3], factor[0]) for factor in factors]
            lines.append(f"    displacement = ({', '.join(shown)});")
        return [*lines, "  }"]

    def _factors(self, joint: Joint) -> list[tuple[str, float, float, float]]:
        """The factors in the file's order, the last motion first: text, limits, value."""
        found: list[tuple[str, float, float, float]] = []
        place = 0
        for step in joint.steps:
            axes = joint.axes[place : place + len(step.labels)]
            place += len(axes)
            if len(axes) == 1:
                axis = axes[0]
                follows = axis.follow is not None
                limits = (axis.lower, axis.upper) if follows else _limits(self.figure, axis.name)
                letter = "R" if axis.unit == "rad" else "T"
                direction = ", ".join(number(entry) for entry in step.turn[:, 2].tolist())
                found.append((f"{letter}({direction})", *limits, float(self.values[axis.name][0])))
            else:
                own = np.array([[self.values[axis.name][0] for axis in axes]])
                ball = joint.motion.startswith("ball")
                turn = rotations.from_swing_twist(own, step.turn) if ball else rotations.from_vectors(own)
                angles = rotations.to_euler("zyx", turn)[0].tolist()
                found += [
                    (f"R({letter})", -math.inf, math.inf, angle)
                    for letter, angle in zip("zyx", angles, strict=True)
                ]
                self.notes.changed(
                    f"joint {joint.name!r}",
                    "Peabody has no ball joints; it is R(x)*R(y)*R(z), without limits",
                )
        return found[::-1]

    def _tell(self) -> None:
        figure, notes = self.figure, self.notes
        if figure.base != "fixed":
            notes.left_out(
                "base", f"Peabody's root stands at its location; read it with base={figure.base!r}"
            )
        if figure.mass:
            notes.left_out("mass", "masses are not written")
        if figure.followers or figure.couplings or figure.cones or figure.loops:
            notes.left_out("couplings", "Peabody holds no followers, couplings, cones or loops")
        dofs = [figure.dof(name) for name in figure.dofs]
        if any(dof.stiffness != 1.0 or isfinite(dof.velocity) or dof.description for dof in dofs):
            notes.left_out("joints", "stiffnesses, velocities and descriptions are not written")


def _limits(figure: Figure, name: str) -> tuple[float, float]:
    dof = figure.dof(name)
    return dof.lower, dof.upper


def _quantity(value: float, factor: str) -> str:
    if not isfinite(value):
        return "none"
    return f"{number(value)}rad" if factor.startswith("R") else f"{number(100.0 * value)}cm"


def _location(frame: np.ndarray) -> str:
    """xyz(…) * trans(…): for rows the turn comes first."""
    parts = []
    if not np.array_equal(frame[:3, :3], np.eye(3)):
        z, y, x = rotations.to_euler("zyx", frame[None, :3, :3])[0].tolist()
        parts.append(f"xyz({number(x)}rad, {number(y)}rad, {number(z)}rad)")
    x, y, z = frame[:3, 3].tolist()
    parts.append(f"trans({number(100 * x)}cm, {number(100 * y)}cm, {number(100 * z)}cm)")
    return " * ".join(parts)

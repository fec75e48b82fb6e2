"""A Peabody file as a figure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError, PoseError
from manikin.figure import Figure, Joint, Segment, Shape, Site
from manikin.figure.checks import near
from manikin.figure.transforms import inverse
from manikin.formats.axes import Y_UP, rotated
from manikin.formats.contents import Contents, Names, Notes
from manikin.formats.peabody.colors import COLORS
from manikin.formats.peabody.grammar import FigureText, Grammar, JointText, SegmentText
from manikin.formats.references import OUTSIDE, References
from manikin.formats.source import is_file, read_bytes
from manikin.motion.motion import Motion

_BASES = ("free", "fixed", "planar")


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    name: str | None = None,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """The figure in a Peabody file, and its displacements as a clip of one pose.

    base: ``"fixed"`` by default, with the root site at its location.
    name: which figure, where the file has several.
    within: further folders that surfaces may lie in, besides the file's own.

    A site ``base`` of the segment ``leg`` is called ``leg.base``.
    """
    file = Path(path)
    base = "fixed" if base is None else base
    if base not in _BASES:
        raise FormatError(f"{file}: unknown base {base!r}; known are: {', '.join(_BASES)}")
    data = read_bytes(file, "Peabody")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    notes = Notes()
    grammar = Grammar(text, str(file), notes)
    chosen = _chosen(file, grammar.figures, name)
    try:
        return _Builder(References(file, within), chosen, grammar, base, notes).contents()
    except (FigureError, PoseError) as error:
        raise FormatError(f"{file}: {error}") from error


def _chosen(file: Path, figures: list[FigureText], name: str | None) -> FigureText:
    names = [figure.name for figure in figures]
    if not figures:
        raise FormatError(f"{file}: there is no figure in it")
    if name is None:
        if len(figures) > 1:
            raise FormatError(f"{file}: it has {len(names)} figures; choose one by name=: {', '.join(names)}")
        return figures[0]
    if name not in names:
        raise FormatError(f"{file}: there is no figure {name!r}; {near(name, names)}")
    return figures[names.index(name)]


class _Builder:
    def __init__(
        self, references: References, text: FigureText, grammar: Grammar, base: str, notes: Notes
    ) -> None:
        self.references, self.text, self.grammar = references, text, grammar
        self.base, self.notes = base, notes
        self.displacements: dict[str, float] = {}
        self.dof_names = Names()
        self.joint_names = Names(["root"] if base != "fixed" else [])

    def contents(self) -> Contents:
        """The figure, with all joints turned away from the root."""
        text = self.text
        if not text.segments:
            raise FigureError(f"figure {text.name!r} has no segments")
        root = text.root or self._first()
        location = np.eye(4) if text.location is None else text.location
        place = self._site(root, "root")
        joints = [self._joint(joint, backwards) for joint, backwards in self._turned(root[0])]
        segments = [self._segment(segment) for segment in text.segments.values()]
        sites = [
            Site(f"{segment.name}.{name}", segment.name, frame)
            for segment in text.segments.values()
            for name, frame in segment.sites.items()
        ]
        figure = Figure(
            text.name,
            segments,
            joints,
            sites,
            root=root[0],
            base=self.base,
            location=rotated(Y_UP) @ location @ inverse(place),
        )
        clips = []
        if self.displacements:
            values = figure.pose(self.displacements).q
            clips.append(Motion(figure, [0.0], values[None], name="displacement"))
        return Contents(figure, tuple(clips), notes=tuple(self.notes))

    def _first(self) -> tuple[str, str]:
        """The first segment, where no root is given, by its own origin."""
        segment = next(iter(self.text.segments.values()))
        self.notes.assumed("root", f"no root is given; the first segment {segment.name!r} is taken")
        return segment.name, ""

    def _site(self, where: tuple[str, str], what: str) -> np.ndarray:
        segment = self.text.segments.get(where[0])
        if segment is None:
            raise FigureError(f"{what}: unknown segment {where[0]!r}; {near(where[0], self.text.segments)}")
        if not where[1]:
            return np.eye(4)
        if where[1] not in segment.sites:
            raise FigureError(
                f"{what}: segment {where[0]!r} has no site {where[1]!r}; {near(where[1], segment.sites)}"
            )
        return segment.sites[where[1]]

    def _turned(self, root: str) -> list[tuple[JointText, bool]]:
        """The joints in the file's order, each with whether its second segment is the one nearer to the root."""
        edges: dict[str, list[tuple[str, JointText]]] = {}
        for joint in self.text.joints.values():
            assert joint.first is not None and joint.second is not None
            for here, there in ((joint.first, joint.second), (joint.second, joint.first)):
                self._site(here, f"joint {joint.name!r}")
                edges.setdefault(here[0], []).append((there[0], joint))
        backwards: dict[str, bool] = {}
        reached, waiting = {root}, [root]
        while waiting:
            segment = waiting.pop()
            for other, joint in edges.get(segment, []):
                if other not in reached:
                    reached.add(other)
                    waiting.append(other)
                    backwards[joint.name] = joint.first is not None and joint.first[0] != segment
        for joint in self.text.joints.values():
            if joint.name not in backwards and joint.first is not None and joint.first[0] in reached:
                raise FigureError(
                    f"joint {joint.name!r} (line {joint.line}) closes a loop; a figure is a tree"
                )
        return [(joint, backwards.get(joint.name, False)) for joint in self.text.joints.values()]

    def _segment(self, segment: SegmentText) -> Segment:
        shapes: tuple[Shape, ...] = ()
        color = COLORS.get((segment.attribute or "").lower())
        if segment.psurf is not None:
            mesh = self.references.mesh(segment.psurf)
            if not mesh.startswith(OUTSIDE) and not is_file(mesh):
                mesh = segment.psurf
            shapes = (Shape("mesh", mesh=mesh, color=color),)
        if segment.attribute is not None and (color is None or not shapes):
            self.notes.left_out(f"segment {segment.name!r}", f"its attribute {segment.attribute!r}")
        return Segment(segment.name, shapes=shapes)

    def _joint(self, joint: JointText, backwards: bool) -> Joint:
        """Rows become columns: the factors in the other order; backwards, in theirs, about opposite axes."""
        assert joint.first is not None and joint.second is not None
        near_site, far_site = (joint.second, joint.first) if backwards else (joint.first, joint.second)
        places = [self._site(site, f"joint {joint.name!r}") for site in (near_site, far_site)]
        count = len(joint.factors)
        columns = {word: self._values(joint, word) for word in ("llimit", "ulimit", "displacement")}
        order = list(range(count)) if backwards else list(range(count))[::-1]
        steps = []
        for k in order:
            letter, axis = joint.factors[k]
            if backwards:
                axis = ",".join(repr(0.0 - float(entry)) for entry in axis.split(","))
            steps.append(f"{letter}({axis})")
        name = self.joint_names.unique(joint.name)
        options: dict[str, Any] = {}
        if count:
            plain = Joint(joint.name, "a", "b", "*".join(f"{a}({b})" for a, b in joint.factors))
            names = [self.dof_names.unique(axis.name) for axis in plain.axes]
            lower, upper = columns["llimit"], columns["ulimit"]
            rest = [
                value if value is not None and _inside(value, lower[k], upper[k]) else None
                for k, value in enumerate(columns["displacement"])
            ]
            self.displacements.update(
                {names[k]: value for k, value in enumerate(columns["displacement"]) if value is not None}
            )
            options = {
                "dofs": [names[k] for k in order],
                "lower": [lower[k] for k in order],
                "upper": [upper[k] for k in order],
                "rest": [rest[k] for k in order],
            }
        motion = "*".join(steps) or "fixed"
        return Joint(name, near_site[0], far_site[0], motion, places[0], places[1], **options)

    def _values(self, joint: JointText, word: str) -> list[float | None]:
        found = joint.values.get(word)
        if found is None:
            return [None] * len(joint.factors)
        if len(found) != len(joint.factors):
            raise FigureError(
                f"joint {joint.name!r} (line {joint.line}): {word} has {len(found)} values for "
                f"{len(joint.factors)} degrees of freedom"
            )
        result: list[float | None] = []
        for (value, what), (letter, _) in zip(found, joint.factors, strict=True):
            wanted = "angle" if letter == "R" else "length"
            if value is not None and what not in ("", wanted):
                raise FigureError(f"joint {joint.name!r} (line {joint.line}): {word} is no {wanted}")
            result.append(None if value is None else self.grammar.measured(value, what, wanted))
        return result


def _inside(value: float, lower: float | None, upper: float | None) -> bool:
    return (lower is None or lower <= value) and (upper is None or value <= upper)

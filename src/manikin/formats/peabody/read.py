"""A Peabody file as a figure."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FigureError, FormatError, PoseError
from manikin.figure import Figure, Joint, Loop, Segment, Shape, Site
from manikin.figure.checks import near
from manikin.figure.transforms import inverse
from manikin.files import is_file, read_bytes
from manikin.formats import record
from manikin.formats.axes import Y_UP, rotated
from manikin.formats.contents import Contents, Names, Notes
from manikin.formats.peabody import graph
from manikin.formats.peabody.colors import COLORS
from manikin.formats.peabody.grammar import FigureText, Grammar, JointText, SegmentText
from manikin.formats.peabody.read_joint import JointReader
from manikin.formats.posed import segment_frames
from manikin.motion.motion import Motion
from manikin.references import OUTSIDE, References

_BASES = ("free", "fixed", "planar")
#: Metres, and entries of a rotation: what two frames may differ by and still be the same.
_SAME = 1e-9


def read(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    name: str | None = None,
    within: References | Iterable[str | os.PathLike[str]] | None = None,
) -> Contents:
    """The figure in a Peabody file, and its displacements as a clip of one pose.

    base: by default what the file's extension says, or ``"fixed"`` with the root site at its location.
    name: which figure, where the file has several.
    within: further folders that surfaces may lie in, besides the file's own.

    A site ``base`` of the segment ``leg`` is called ``leg.base`` unless the extension says otherwise.
    """
    file = Path(path)
    if base is not None and base not in _BASES:
        raise FormatError(f"{file}: unknown base {base!r}; expected one of: {', '.join(_BASES)}")
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
    except FormatError:
        raise
    except (FigureError, PoseError) as error:
        raise FormatError(f"{file}: {error}") from error
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise FormatError(f"{file}: an extension cannot be read: {error!r}") from None


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
        self, references: References, text: FigureText, grammar: Grammar, base: str | None, notes: Notes
    ) -> None:
        self.references, self.text, self.grammar, self.notes = references, text, grammar, notes
        self.extension = text.extension
        standing = dict(self.extension.get("base") or {})
        if base is not None and base != standing.get("kind"):
            standing = {"kind": base}
        self.standing = standing
        self.base = standing.get("kind", "fixed")
        taken = Names()
        self.segments = {
            name: taken.unique(str(segment.extension.get("name", name)))
            for name, segment in text.segments.items()
        }
        self.taken = taken
        self.site_names: dict[tuple[str, str], str] = {}

    def contents(self) -> Contents:
        """The figure, with the joints that close loops as loops."""
        text = self.text
        if not text.segments:
            raise FigureError(f"figure {text.name!r} has no segments")
        root = text.root or self._first()
        place = self._frame(root, "root")
        for joint in text.joints.values():
            for site in (joint.first, joint.second):
                assert site is not None
                self._frame(site, f"joint {joint.name!r}")
        tree, closing = graph.split(text.segments, text.joints.values())
        turned = graph.backwards(root[0], tree)
        reader = JointReader(text.joints.values(), self.grammar, self.notes, self.base)
        joints = [self._joint(reader, joint, joint.name in turned) for joint in tree]
        segments = [self._segment(segment) for segment in text.segments.values()]
        sites = self._sites(root, closing)
        loops = []
        for joint in closing:
            if "loop" not in joint.extension and joint.factors:
                end, moving = self._cut(reader, joint)
                segments.append(end)
                joints.append(moving)
            loops.append(self._loop(joint, segments[-1].name))
        at_root = rotated(Y_UP) @ (np.eye(4) if text.location is None else text.location) @ inverse(place)
        figure = Figure(
            self.extension.get("name", text.name),
            segments,
            joints,
            sites,
            root=self.segments[root[0]],
            base=self.base,
            location=self.standing.get("location") if self.standing.get("values") else at_root,
            mount=self.standing.get("mount"),
            base_stiffness=self.standing.get("stiffness"),
            couplings=[record.coupling_from(entry) for entry in self.extension.get("couplings", ())],
            loops=loops,
            touching=self.extension.get("touching", ()),
        )
        followers = figure.followers
        values = {name: value for name, value in reader.values.items() if name not in followers}
        values.update(self.standing.get("values", {}))
        q = figure.pose(values).q
        figure = _placed(figure, q, at_root)
        for loop in figure.loops:
            metres, radians = loop.gap(figure.pose(q))
            if max(metres, radians) > 1e-6:
                self.notes.assumed(f"loop {loop.name!r}", f"it is open by {metres:g} m and {radians:g} rad")
        clips = (Motion(figure, [0.0], q[None], name="displacement"),) if values else ()
        return Contents(figure, clips, notes=tuple(self.notes))

    def _first(self) -> tuple[str, str]:
        """The first segment, where no root is given, by its own origin."""
        segment = next(iter(self.text.segments.values()))
        self.notes.assumed("root", f"no root is given; the first segment {segment.name!r} is taken")
        return segment.name, ""

    def _frame(self, where: tuple[str, str], what: str) -> np.ndarray:
        """A site's frame in its segment."""
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

    def _sites(self, root: tuple[str, str], closing: list[JointText]) -> list[Site]:
        """The figure's sites.

        An extension lists them by name, in order. Sites that it does not list are called after their segments, except
        those that only a joint or the root uses, which are left to these.
        """
        listed = self.extension.get("sites")
        found, names = [], Names(self.segments.values())
        for name, (segment, site) in (listed or {}).items():
            names.unique(name)
            if segment not in self.text.segments or site not in self.text.segments[segment].sites:
                self.notes.left_out(f"site {name!r}", f"the file has no site {segment}.{site}")
                continue
            self.site_names[segment, site] = name
            frame = self.text.segments[segment].sites[site]
            if name != self.segments[segment] or not np.array_equal(frame, np.eye(4)):
                found.append(Site(name, self.segments[segment], frame))
        used: set[tuple[str, str] | None] = set()
        if listed is not None:
            used = {
                root,
                *(site for joint in self.text.joints.values() for site in (joint.first, joint.second)),
            }
            used -= {site for joint in closing for site in (joint.first, joint.second)}
        for segment in self.text.segments.values():
            for site, frame in segment.sites.items():
                at = (segment.name, site)
                if at not in self.site_names and at not in used:
                    self.site_names[at] = names.unique(f"{self.segments[segment.name]}.{site}")
                    found.append(Site(self.site_names[at], self.segments[segment.name], frame))
        return found

    def _joint(self, reader: JointReader, joint: JointText, turned: bool) -> Joint:
        assert joint.first is not None and joint.second is not None
        parent, child = (joint.second, joint.first) if turned else (joint.first, joint.second)
        placements = self._frame(parent, ""), self._frame(child, "")
        return reader.joint(joint, (self.segments[parent[0]], self.segments[child[0]]), placements, turned)

    def _cut(self, reader: JointReader, joint: JointText) -> tuple[Segment, Joint]:
        """Of a joint that moves and closes a loop: a segment without mass at its far end, and the joint to it."""
        assert joint.first is not None
        end = Segment(self.taken.unique(f"{joint.name}_end"))
        placements = self._frame(joint.first, ""), np.eye(4)
        return end, reader.joint(joint, (self.segments[joint.first[0]], end.name), placements, False)

    def _loop(self, joint: JointText, end: str) -> Loop:
        """The loop that a joint closes; `end` is the segment at its far end, if it moves."""
        assert joint.first is not None and joint.second is not None
        name = str(joint.extension.get("name", joint.name))
        kind = joint.extension.get("loop")
        first = end if kind is None and joint.factors else self.site_names[joint.first]
        return Loop(first, self.site_names[joint.second], kind or "placement", name)

    def _mesh(self, name: str) -> str:
        """Where a surface lies; its name, where there is no such file."""
        mesh = self.references.mesh(name)
        return mesh if mesh.startswith(OUTSIDE) or is_file(mesh) else name

    def _segment(self, segment: SegmentText) -> Segment:
        extension = segment.extension
        shapes: tuple[Shape, ...] = ()
        color: Any = COLORS.get((segment.attribute or "").lower())
        if segment.psurf is not None:
            mesh = self._mesh(segment.psurf)
            shapes = (Shape("mesh", mesh=mesh, color=extension.get("color", color)),)
        if segment.attribute is not None and (color is None or not shapes):
            self.notes.left_out(f"segment {segment.name!r}", f"its attribute {segment.attribute!r}")
        return Segment(
            self.segments[segment.name],
            extension.get("mass", 0.0),
            extension.get("center_of_mass", (0.0, 0.0, 0.0)),
            extension.get("inertia"),
            (
                *shapes,
                *(record.shape_from(entry, self._mesh) for entry in extension.get("shapes", ())),
            ),
        )


def _placed(figure: Figure, q: np.ndarray, at_root: np.ndarray) -> Figure:
    """The figure with its root segment at this frame at the pose q: its location is moved, unless it is there."""
    there = segment_frames(figure, q[None])[figure.root][0]
    if np.abs(there - at_root).max() <= _SAME:
        return figure
    return figure.replace(location=at_root @ inverse(inverse(figure.location) @ there))

"""The figure: segments joined into a tree, its degrees of freedom and their limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from manikin.errors import FigureError, PoseError
from manikin.figure import checks, graph, transforms
from manikin.figure.coupling import Coupling
from manikin.figure.dofs import Dof, coordinates
from manikin.figure.flatten import flatten
from manikin.figure.given import Given
from manikin.figure.joint import Follow, Joint
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment, Site
from manikin.figure.swing import Cone, Ellipse
from manikin.figure.tree import Tree
from manikin.shown import Shown

if TYPE_CHECKING:
    from manikin.figure.clearance import ClearancePair
    from manikin.figure.mirror import Symmetry
    from manikin.figure.pose import Pose
    from manikin.figure.structure import Structure

_Part = TypeVar("_Part", Segment, Joint, Site)
_BASES = ("fixed", "free", "planar")


class Figure(Shown):
    """An articulated figure: a person, a robot, a lamp. Immutable; it pickles.

    segments: Segments, or names for segments without mass.
    joints: they must make one tree of the segments; their order is the order of the degrees of freedom, depth
        first.
    sites: named frames on segments. Every segment is also a site of its own name unless one of that name is
        given.
    root: the segment the figure hangs from; by default the only one that is nobody's child.
    base: ``"fixed"`` in the world, or carried by a joint called ``root``, ``"free"`` (six degrees of freedom,
        which come first) or ``"planar"`` (three).
    location: where the root segment is in the world, or for a free or planar base the frame in which its
        values count.
    couplings: linear constraints among the degrees of freedom.
    mount: the root segment's frame in the frame that a planar or free base carries.
    base_stiffness: how unwilling a free or planar base is to move: one number, or one an axis; 1 by default.
    loops: pairs of sites that stay together, where a mechanism with a closed loop was cut into a tree.
    touching: pairs of segments, by name or pattern, whose shapes may overlap, as those of vertebrae do: `SelfClearance`
        leaves them out.
    """

    def __init__(
        self,
        name: str,
        segments: Iterable[Segment | str],
        joints: Iterable[Joint],
        sites: Iterable[Site] = (),
        *,
        root: str | None = None,
        base: str = "fixed",
        location: Any = None,
        couplings: Iterable[Coupling] = (),
        mount: Any = None,
        base_stiffness: Any = None,
        loops: Iterable[Loop] = (),
        touching: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._name = checks.name(name, "figure")
        where = f"figure {name!r}"
        listed = [*segments.values()] if isinstance(segments, Mapping) else segments
        parts = [
            Segment(entry) if isinstance(entry, str) else entry
            for entry in (listed if isinstance(listed, str) else checks.listed(listed, f"{where}: segments"))
        ]
        self._segments = _by_name(where, "segment", parts, Segment)
        if not self._segments:
            raise FigureError(f"{where}: it has no segments")
        self._given_joints = _by_name(where, "joint", joints, Joint)
        self._given_sites = _by_name(where, "site", sites, Site)
        self._given_couplings = _checked_couplings(where, couplings)
        natural = graph.natural_root(name, list(self._segments), self._given_joints)
        self._root = natural if root is None else root
        self._require_segment(self._root, f"{where}: the root")
        self._location = checks.placement(location, f"{where}: location")
        self._mount = checks.placement(mount, f"{where}: mount")
        self._base = checks.one_of(base, _BASES, f"{where}: unknown base")
        self._base_stiffness = base_stiffness if base != "fixed" else None
        self._base_joint = self._make_base(where)
        self._joints = self._all_joints(where)
        self._sites = self._all_sites(where)
        self._loops = self._checked_loops(where, loops)
        self._touching = _checked_touching(where, touching)
        carried = [self._base_joint] if base != "fixed" else []
        order = [*carried, *(joint for joint, _ in graph.walk(natural, self._given_joints))]
        self._coordinates = coordinates(name, order, self._given_couplings)
        self._rerooted: dict[str, Figure] = {}
        self.origin: Any = None
        """What a writer of the format that the figure was read from needs to keep what a figure has no word for, as a
        character's textures; None where there is nothing of the kind. Copies by pickle have none."""
        self.kept: dict[Any, Any] = {}
        """What was worked out of the figure and is kept with it, by whoever did."""

    def _make_base(self, where: str) -> Joint:
        return Joint(
            "root",
            "world",
            self._root,
            self._base,
            self._location,
            transforms.inverse(self._mount),
            stiffness=self._base_stiffness,
        )

    def _all_joints(self, where: str) -> Mapping[str, Joint]:
        if self._base == "fixed":
            return MappingProxyType(self._given_joints)
        if "root" in self._given_joints:
            raise FigureError(
                f"{where}: joint 'root': with a {self._base} base this name is the base's; choose another"
            )
        return MappingProxyType({"root": self._base_joint, **self._given_joints})

    def _all_sites(self, where: str) -> Mapping[str, Site]:
        sites = {name: Site(name, name) for name in self._segments}
        for site in self._given_sites.values():
            self._require_segment(site.segment, f"{where}: site {site.name!r}")
            sites[site.name] = site
        return MappingProxyType(sites)

    def _checked_loops(self, where: str, loops: Iterable[Loop]) -> tuple[Loop, ...]:
        found = tuple(checks.listed(loops, f"{where}: loops"))
        for loop in found:
            if not isinstance(loop, Loop):
                raise FigureError(f"{where}: expected a Loop, got {loop!r}")
            for name in (loop.site, loop.other):
                if name not in self._sites:
                    near = checks.near(name, self._sites)
                    raise FigureError(f"{where}: loop {loop.name!r}: unknown site {name!r}; {near}")
            if self._sites[loop.site].segment == self._sites[loop.other].segment:
                raise FigureError(f"{where}: loop {loop.name!r}: both its sites are on one segment")
        return found

    def _require_segment(self, segment: str, where: str) -> None:
        if not isinstance(segment, str) or segment not in self._segments:
            raise FigureError(
                f"{where}: unknown segment {segment!r}; {checks.near(str(segment), self._segments)}"
            )

    @property
    def name(self) -> str:
        """What the figure is called."""
        return self._name

    @property
    def segments(self) -> Mapping[str, Segment]:
        """The segments by name, in order."""
        return MappingProxyType(self._segments)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """The joints by name, in order; a free or planar base's joint ``root`` first."""
        return self._joints

    @property
    def sites(self) -> Mapping[str, Site]:
        """The sites by name: one for every segment, then those given."""
        return self._sites

    @property
    def root(self) -> str:
        """The segment that the figure hangs from."""
        return self._root

    @property
    def base(self) -> str:
        """``"fixed"``, ``"free"`` or ``"planar"``."""
        return self._base

    @property
    def location(self) -> np.ndarray:
        """The base's frame in the world, 4×4."""
        return self._location

    @property
    def mount(self) -> np.ndarray:
        """The root segment's frame in the frame that the base carries, 4×4; the identity unless rerooted on a
        planar base.
        """
        return self._mount

    @cached_property
    def dofs(self) -> tuple[str, ...]:
        """The names of the degrees of freedom, in order."""
        return tuple(self._coordinates.dofs)

    @property
    def n(self) -> int:
        """How many degrees of freedom there are."""
        return len(self._coordinates.dofs)

    @property
    def followers(self) -> Mapping[str, Follow]:
        """The axes without a coordinate of their own, each as offset + Σ c·q over degrees of freedom."""
        return MappingProxyType(dict(self._coordinates.followers))

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """The linear constraints: those given, then those that the limits of followers make."""
        return self._coordinates.couplings

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The closed loops: pairs of sites that stay together."""
        return self._loops

    @property
    def touching(self) -> tuple[tuple[str, str], ...]:
        """Pairs of segments, by name or pattern, whose shapes may overlap."""
        return self._touching

    @property
    def cones(self) -> tuple[Cone, ...]:
        """The cones and ellipses on the swings of ball joints; a polygon is among the couplings."""
        return self._coordinates.cones

    @cached_property
    def lower(self) -> np.ndarray:
        """The lower limits, rad or m, −∞ where there is none."""
        return self._column("lower")

    @cached_property
    def upper(self) -> np.ndarray:
        """The upper limits, rad or m, ∞ where there is none."""
        return self._column("upper")

    @cached_property
    def rest(self) -> np.ndarray:
        """The rest values, rad or m."""
        return self._column("rest")

    @cached_property
    def stiffness(self) -> np.ndarray:
        """The stiffnesses, no unit, 1 for an ordinary joint."""
        return self._column("stiffness")

    @cached_property
    def velocity(self) -> np.ndarray:
        """The speed limits, rad/s or m/s, ∞ where there is none."""
        return self._column("velocity")

    @cached_property
    def effort(self) -> np.ndarray:
        """The greatest efforts, N·m or N, ∞ where there is no limit."""
        return self._column("effort")

    def _column(self, key: str) -> np.ndarray:
        return checks.frozen([getattr(dof, key) for dof in self._coordinates.dofs.values()])

    @cached_property
    def mass(self) -> float:
        """The mass of all segments, kg."""
        return float(sum(segment.mass for segment in self._segments.values()))

    @cached_property
    def tree(self) -> Tree:
        """The figure in flat arrays, as the kernels read it."""
        return flatten(self._root, self._base_joint, self._segments, self._given_joints, self._coordinates)

    @cached_property
    def structure(self) -> Structure:
        """All but the numbers: names, kinds, and what hangs on what. Equal for all sizes of one figure."""
        from manikin.figure.structure import structure

        return structure(self)

    def same_structure(self, other: Figure) -> bool:
        """Whether the figures differ in numbers only: lengths, masses, shapes' sizes, limits, rest, stiffness.

        What is laid out for one then takes the parameters of the other: two sizes of a `human` with the same options.
        """
        return self is other or self.structure == other.structure

    @cached_property
    def segment_index(self) -> Mapping[str, int]:
        """Where `Pose.frames` has each segment."""
        return {name: index for index, name in enumerate(self._segments)}

    @property
    def base_joint(self) -> Joint:
        """The joint that holds the root in the world, that of a fixed base included."""
        return self._base_joint

    @property
    def axes(self) -> Mapping[str, Follow]:
        """How every axis follows the degrees of freedom, by its name, in the order of the tree's axis values."""
        return MappingProxyType(self._coordinates.axes)

    def carried(self, segment: str, placement: np.ndarray | None = None) -> tuple[int, np.ndarray]:
        """The motion of the tree that carries a frame of a segment (−1: none), and the frame in that one's, 4×4."""
        index = self.segment_index[segment]
        frame = transforms.unpack(self.tree.segment_placement[index])
        return int(self.tree.segment_motion[index]), frame if placement is None else frame @ placement

    @cached_property
    def frame_index(self) -> Mapping[str, int]:
        """Where `Pose.frames` has each site."""
        given = {name: len(self._segments) + k for k, name in enumerate(self._given_sites)}
        return {**self.segment_index, **given}

    @cached_property
    def symmetry(self) -> Symmetry:
        """Which coordinates the figure's mirror image has in place of which."""
        from manikin.figure.mirror import symmetry

        return symmetry(self)

    def dof(self, name: str) -> Dof:
        """The degree of freedom of this name."""
        self.index(name)
        return self._coordinates.dofs[name]

    def index(self, name: str) -> int:
        """The place of a degree of freedom in q."""
        place = self._places.get(name)
        if place is None:
            raise PoseError(f"figure {self._name!r}: {self._unknown_dof(name)}")
        return place

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.dofs)}

    def _unknown_dof(self, name: str) -> str:
        follow = self._coordinates.followers.get(name)
        if follow is not None:
            drivers = ", ".join(map(repr, follow.coefficients)) or "nothing"
            return f"{name!r} has no value of its own, it follows {drivers}"
        return f"unknown degree of freedom {name!r}; {checks.near(str(name), self.dofs)}"

    def site(self, name: str) -> Site:
        """The site of this name."""
        if name not in self._sites:
            raise FigureError(
                f"figure {self._name!r}: unknown site {name!r}; {checks.near(str(name), self._sites)}"
            )
        return self._sites[name]

    def select(self, patterns: str | Iterable[str]) -> np.ndarray:
        """The places, in order, of the degrees of freedom that match a name or ``"left_*"``."""
        wanted: set[int] = set()
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            if not isinstance(pattern, str):
                raise PoseError(
                    f"figure {self._name!r}: names or patterns of degrees of freedom are wanted, got {pattern!r}"
                )
            if pattern in self._places:
                wanted.add(self._places[pattern])
                continue
            matched = [place for name, place in self._places.items() if fnmatchcase(name, pattern)]
            if not matched:
                raise PoseError(f"figure {self._name!r}: nothing matches: {self._unknown_dof(pattern)}")
            wanted.update(matched)
        return np.array(sorted(wanted), dtype=np.int64)

    def chain(self, first: str, last: str) -> tuple[str, ...]:
        """The names of the degrees of freedom between two parts, in order from the first to the last, for ``free=``.

        first, last: segments, joints, whose own degrees of freedom are then included, or sites; a name that is
        several of these is the first of them. An axis that follows others stands for what it follows.
        ``chain("right_shoulder", "right_hand")`` is the human's arm.
        """
        from manikin.figure.chain import chain

        return chain(self, first, last)

    def clearance_pairs(
        self,
        segments: str | Iterable[str] | None = None,
        *,
        include: Sequence[tuple[str, str]] = (),
        ignore: Sequence[tuple[str, str]] = (),
    ) -> tuple[ClearancePair, ...]:
        """The pairs of segments with shapes that `SelfClearance` keeps apart, and those that it leaves out, and why.

        segments: names or patterns; all that have a shape by default. include, ignore: pairs of names or patterns that
        are kept, or left out, besides what the tree and `touching` say. Each pair has its distance at rest.
        """
        from manikin.figure.clearance import clearance_pairs

        return clearance_pairs(self, segments, include=include, ignore=ignore)

    def pose(self, q: Sequence[float] | np.ndarray | Mapping[str, float] | None = None) -> Pose:
        """The pose at q: n values, or values by name with the others at rest, or all at rest.

        Values outside their ranges are kept; `Pose.outside` tells.
        """
        from manikin.figure.pose import Pose

        if q is None or isinstance(q, Mapping):
            rest = Pose(self, self.rest)
            return rest.with_values(q) if q else rest
        return Pose(self, q)

    def forward(self, q: Any, sites: str | Iterable[str] | None = None) -> np.ndarray:
        """The frames of sites in the world, (…, sites, 4, 4), at the values q, (…, n), compiled.

        sites: one name or several; by default all, in the order of `sites`. One name too has its axis.
        """
        from manikin.figure.forward import matrices

        return matrices(self, q, sites)

    def jacobian(self, q: Any, site: str, frame: str = "world") -> np.ndarray:
        """(…, 6, n): a site's linear, then its angular velocity by each coordinate, at q, (…, n).

        frame: whose axes they are given along; see `Pose.jacobian`.
        """
        from manikin.figure.forward import jacobian

        return jacobian(self, q, site, frame)

    def center_of_mass(self, q: Any) -> np.ndarray:
        """Σ m·c / Σ m over the segments, in the world, metres, (…, 3), at the values q, (…, n)."""
        from manikin.figure.forward import center_of_mass

        return center_of_mass(self, q)

    def center_of_mass_jacobian(self, q: Any, frame: str = "world") -> np.ndarray:
        """(…, 3, n): the velocity of the centre of mass by each coordinate, at the values q, (…, n)."""
        from manikin.figure.forward import center_of_mass_jacobian

        return center_of_mass_jacobian(self, q, frame)

    def with_site(self, name: str, segment: str, offset: Any = (0.0, 0.0, 0.0)) -> Figure:
        """The figure with one more site, or with that site moved; `offset` is a 3-vector or 4×4 in the
        segment's frame.
        """
        sites = {**self._given_sites, name: Site(name, segment, offset)}
        return self.replace(sites=sites.values())

    def with_held(self, name: str, at: str, **options: Any) -> Figure:
        """The figure with an object fixed to a site, as a segment with its own shape, mass and sites; the options
        are those of `held.with_held`: ``with_held("box", at="right_hand", size=(0.3, 0.2, 0.2), mass=2.0)``.
        """
        from manikin.figure.held import with_held

        return with_held(self, name, at, **options)

    def with_couplings(self, *couplings: Coupling | str) -> Figure:
        """The figure with more couplings, as Couplings or as text such as ``"a = 0.2*b"``."""
        read = [Coupling.parse(entry) if isinstance(entry, str) else entry for entry in couplings]
        return self.replace(couplings=(*self._given_couplings, *read))

    def with_limits(self, limits: Mapping[str, tuple[float, float]]) -> Figure:
        """The figure with other ranges of some degrees of freedom, (lower, upper) by name in rad or m.

        A rest value that would lie outside is moved to the nearest end.
        """
        from manikin.figure.relimit import with_limits

        return with_limits(self, limits)

    def with_velocity(self, speeds: Mapping[str, float]) -> Figure:
        """The figure with other speed limits of some degrees of freedom, by name, rad/s or m/s; ∞ for none."""
        from manikin.figure.relimit import with_velocity

        return with_velocity(self, speeds)

    def with_loop(self, site: str, other: str, kind: str = "placement", *, name: str = "") -> Figure:
        """The figure with two of its sites held together; `kind` says how, see Loop.

        A four-bar is a chain of three hinges whose end is held to the ground by a loop.
        """
        return self.replace(loops=(*self._loops, Loop(site, other, kind, name)))

    def tangent(self, q: Any = None) -> Figure:
        """The figure with every curve replaced by its tangent at q: the same frames there, and the same Jacobians.

        q: a pose or values; by default at rest. What only knows linear followers, as the solvers of goals, can take it.
        """
        from manikin.figure.tangent import tangent

        return tangent(self, q)

    def with_polygons(self, sides: int = 24) -> Figure:
        """The figure with a polygon of this many corners inside every cone or ellipse, for methods that only know
        linear limits. With 24 the narrowest place is 0.9 % inside the true edge; an ellipse that is bent inwards in the
        plane of the swing, far off centre, loses more.
        """
        if isinstance(sides, bool) or not isinstance(sides, (int, np.integer)) or sides < 3:
            raise FigureError(f"figure {self._name!r}: a polygon has three or more sides, got {sides!r}")
        joints = [
            replace(joint, swing=joint.swing.polygon(int(sides)))
            if isinstance(joint.swing, Ellipse)
            else joint
            for joint in self._given_joints.values()
        ]
        return self.replace(joints=joints)

    def with_ball(self, joint: str, axis: Any = "z", **options: Any) -> Figure:
        """The figure with a ball joint in the place of a joint of three turns, at rest in the same pose.

        axis: of the twist, in the joint's frame.
        options: those of `Joint.ball`. Where the old joint has ranges, new limits must be given, as a box of angles is
            none of swing and twist; ``twist=(None, None)`` leaves it without.

        `Pose.converted` takes poses along.
        """
        from manikin.figure.rejoint import with_ball

        return with_ball(self, joint, axis, **options)

    def with_turns(self, joint: str, motion: str, **options: Any) -> Figure:
        """The figure with a product of three turns, such as ``"R(z)*R(x)*R(y)"``, in the place of a ball joint.

        options: those of Joint. Where the ball has limits, `lower` or `upper` must be given; ``lower=None`` leaves it
            without.
        """
        from manikin.figure.rejoint import with_turns

        return with_turns(self, joint, motion, **options)

    def rerooted(self, segment: str) -> Figure:
        """The same figure hung from another segment: same degrees of freedom, same limits, same order.

        With a fixed base the segment is held where the rest pose has it. A free base now carries this
        segment, so the same place in the world has other root values: see Pose.rerooted. A planar base keeps
        its plane and its values.
        """
        self._require_segment(segment, f"figure {self._name!r}: rerooted")
        if segment == self._root:
            return self
        if segment not in self._rerooted:
            self._rerooted[segment] = self.pose().rerooted_figure(segment)
        return self._rerooted[segment]

    @classmethod
    def from_dh(cls, rows: Sequence[Sequence[float]], **options: Any) -> Figure:
        """A chain from Denavit–Hartenberg rows (a, α, d, θ); the options are those of `dh.from_dh`."""
        from manikin.figure.dh import from_dh

        return from_dh(rows, **options)

    def describe(self) -> dict[str, Any]:
        """What there is to know, as JSON can hold it; None for limits that are not there."""
        from manikin.figure.describe import describe

        return describe(self)

    @cached_property
    def given(self) -> Given:
        """What the figure was made from."""
        return Given(
            name=self._name,
            segments=tuple(self._segments.values()),
            joints=MappingProxyType(self._given_joints),
            sites=MappingProxyType(self._given_sites),
            root=self._root,
            base=self._base,
            location=self._location,
            couplings=self._given_couplings,
            mount=self._mount,
            base_stiffness=self._base_stiffness,
            loops=self._loops,
            touching=self._touching,
        )

    def replace(self, **changes: Any) -> Figure:
        """The figure with some of its arguments changed; see `Figure` for their names."""
        found = _build({**self.given.arguments(), **changes})
        found.origin = self.origin
        return found

    def __reduce__(self) -> tuple[Callable[..., Figure], tuple[Any, ...]]:
        return _build, (self.given.arguments(),)

    def __repr__(self) -> str:
        counts = f"{len(self._segments)} segments, {self.n} degrees of freedom"
        return f"Figure({self._name!r}, {counts}, {self._base} base)"


def _build(arguments: dict[str, Any]) -> Figure:
    return Figure(**arguments)


def _checked_touching(where: str, touching: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    found = tuple(
        tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str) else (pair,)
        for pair in checks.listed(touching, f"{where}: touching")
    )
    for pair in found:
        if len(pair) != 2 or not all(isinstance(name, str) and name for name in pair):
            raise FigureError(f"{where}: touching must be pairs of names or patterns, got {pair!r}")
    return found


def _checked_couplings(where: str, couplings: Iterable[Coupling]) -> tuple[Coupling, ...]:
    found = tuple(checks.listed(couplings, f"{where}: couplings"))
    for coupling in found:
        if not isinstance(coupling, Coupling):
            raise FigureError(
                f"{where}: expected a Coupling, got {coupling!r}; Coupling.parse reads one from text"
            )
    return found


def _by_name(where: str, what: str, parts: Iterable[_Part], kind: type[_Part]) -> dict[str, _Part]:
    if isinstance(parts, Mapping):
        parts = parts.values()
    parts = checks.listed(parts, f"{where}: {what}s")
    for part in parts:
        if not isinstance(part, kind):
            raise FigureError(f"{where}: expected a {kind.__name__}, got {part!r}")
    twice = checks.duplicates(part.name for part in parts)
    if twice:
        raise FigureError(f"{where}: two {what}s are called {twice[0]!r}")
    return {part.name: part for part in parts}

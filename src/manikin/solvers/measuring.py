"""From parts of goals to the flat arrays of measures that the general method reads, and back to misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Coupling, Figure, Pose
from manikin.figure.checks import near
from manikin.figure.transforms import unpack
from manikin.goals.part import Part
from manikin.kernels import measure_layout as layout
from manikin.kernels import measure_mass, measure_pose, measure_shapes, measure_swivel, measure_values
from manikin.kernels.solve import OPTION_GRADIENT
from manikin.solvers.packing import GRADIENT_TOLERANCE, Packed, _build, _site_frame
from manikin.solvers.placing import (
    capsule_cones,
    enclosing_ball,
    moved_capsules,
    moved_primitives,
    region_ball,
)

KINDS = {
    "coordinates": measure_pose.COORDINATES,
    "turn": measure_pose.TURN,
    "rotation": measure_pose.ROTATION,
    "aim": measure_pose.AIM,
    "axes": measure_pose.AXES,
    "point": measure_pose.POINT,
    "ring": measure_pose.RING,
    "clear": measure_shapes.CLEAR,
    "apart": measure_shapes.APART,
    "egg": measure_shapes.EGG,
    "center": measure_mass.CENTER,
    "balance": measure_mass.BALANCE,
    "linear": measure_values.LINEAR,
    "dense": measure_values.DENSE,
    "share": measure_values.SHARE,
    "cone": measure_values.CONE,
    "swivel": measure_swivel.SWIVEL,
}
_POSE = ("coordinates", "turn", "rotation", "aim", "axes", "point", "ring")
_SHAPES = ("clear", "apart", "egg")
_MASS = ("center", "balance")
_VALUES = ("linear", "dense", "share", "cone")

#: Levels of the rows when packed: hard ones, soft ones, those that choose among equals. The solver writes its own.
HARD, SOFT, LAST = 0, 1, 1000
#: Metres of room beyond which a region's row is left out of a step.
HORIZON = 0.1

Frame = tuple[int, np.ndarray]
_WORLD = np.eye(4)


@dataclass(eq=False)
class Measuring:
    """The measures of some parts in three flat arrays, beside the packed tree and space that they are measured on.

    ``parts`` are those written last; ``tolerance`` is metres and radians.
    """

    packed: Packed
    ms: np.ndarray
    mr: np.ndarray
    mw: np.ndarray
    parts: list[Part]
    tolerance: tuple[float, float]
    figure: Figure

    @cached_property
    def sections(self) -> layout.Measures:
        """NumPy views of every section."""
        return layout.sections(self.ms, self.mr, self.mw)

    @property
    def level(self) -> np.ndarray:
        """The levels of the rows, to be written."""
        return self.sections.level

    def rows(self, part: int) -> slice:
        """The rows of a part."""
        first = int(self.sections.first[part])
        return slice(first, first + int(self.sections.count[part]))

    def copy(self, *, workspace: bool = False) -> Measuring:
        """The same measures with structure and parameters of their own, and workspaces of their own on request."""
        work = self.mw.copy() if workspace else self.mw
        packed = self.packed.copy(workspace=workspace)
        return replace(
            self, packed=packed, ms=self.ms.copy(), mr=self.mr.copy(), mw=work, parts=list(self.parts)
        )

    def fits(self, index: int, part: Part) -> bool:
        """Whether a part can take the place of another without packing anew."""
        return part.structure == self.parts[index].structure

    def write(self, index: int, part: Part, *, active: bool = True) -> None:
        """Put a part in the place of one alike: other targets, ranges, weights, or switched off."""
        if part is not self.parts[index]:
            if not self.fits(index, part):
                raise GoalError(
                    f"a prepared problem keeps the kinds and sites of its goals: {part.kind} differs"
                )
            self.parts[index] = part
        m = self.sections
        where = self.rows(index)
        m.lower[where], m.upper[where] = part.lower, part.upper
        m.weight[where] = part.weight if active else 0.0
        numbers = _parameters(self.figure, part)
        offset = int(m.offset[index])
        m.parameters[offset : offset + len(numbers)] = numbers
        if part.kind in _SHAPES:
            m.balls[m.ball[index]], m.balls[m.ball_base[index]] = _balls(self.figure, part)

    def violations(self) -> np.ndarray:
        """The signed distance of every row's value outside its range, from the values in the workspace."""
        m = self.sections
        return np.maximum(m.value - m.upper, 0.0) + np.minimum(m.value - m.lower, 0.0)

    def misses(self) -> np.ndarray:
        """How far each part is from met, in its unit, from the values in the workspace.

        The norm of its violations; the largest, for clearances and balance; the angle, for turns.
        """
        if not self.parts:
            return np.zeros(0)
        violation = self.violations()
        first = self.sections.first
        largest, angle = self._how_missed
        result = np.sqrt(np.add.reduceat(violation**2, first))
        result[largest] = np.maximum.reduceat(np.abs(violation), first)[largest]
        result[angle] = 2.0 * np.arcsin(np.minimum(0.5 * result[angle], 1.0))
        for index, part in enumerate(self.parts):
            if part.kind == "axes":
                result[index] = _angle_of_axes(part, violation[self.rows(index)])
        return result

    @cached_property
    def _how_missed(self) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the parts whose miss is their largest violation, and of those where it is an angle."""
        kinds = [part.kind for part in self.parts]
        largest = [kind in ("clear", "apart", "egg", "balance") for kind in kinds]
        return np.array(largest, dtype=bool), np.array(
            [kind in ("turn", "aim") for kind in kinds], dtype=bool
        )


def _angle_of_axes(part: Part, v: np.ndarray) -> float:
    """The angle between the frames that two axes each tell."""
    target = part.directions[:2]
    found = target + v[:6].reshape(2, 3)
    apart = [np.linalg.norm(found[k] - target[k]) ** 2 for k in range(2)]
    third = np.linalg.norm(np.cross(*found) - np.cross(*target)) ** 2
    return 2.0 * float(np.arcsin(min(np.sqrt((sum(apart) + third) / 8.0), 1.0)))


def _frame(figure: Figure, name: str, *, segment: bool = False) -> Frame:
    """The motion that carries a site or segment, and its placement there; −1 for the world, also for ""."""
    if not name:
        return -1, _WORLD
    if segment:
        return _segment_frame(figure, name)
    kept: dict[str, Frame] = figure.__dict__.setdefault("_site_frames", {})
    if name not in kept:
        kept[name] = _site_frame(figure, name)
    return kept[name]


def _segment_frame(figure: Figure, name: str) -> Frame:
    kept: dict[str, Frame] = figure.__dict__.setdefault("_segment_frames", {})
    if not kept:
        tree = figure.tree
        for place, segment in enumerate(figure.segments):
            kept[segment] = int(tree.segment_motion[place]), unpack(tree.segment_placement[place])
    if name not in kept:
        raise GoalError(f"figure {figure.name!r} has no segment {name!r}; {near(name, figure.segments)}")
    return kept[name]


def pack_measures(
    figure: Figure,
    pose: Pose | None,
    parts: Sequence[Part],
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    *,
    free: np.ndarray | None = None,
    couplings: tuple[Coupling, ...] | None = None,
    sites: Sequence[str] = (),
) -> Measuring:
    """Flat arrays for these parts.

    pose: not needed; parts are settled already.
    free: mask of the coordinates that may move, all by default. couplings: by default the figure's.
    sites: further sites whose frames are wanted.
    """
    packed = _packed(figure, parts, free, couplings, sites, tolerance)
    mass = _masses(figure, packed) if any(part.kind in _MASS for part in parts) else []
    structure = _Structure(figure, packed, parts, mass)
    arrays = structure.arrays()
    found = Measuring(packed, *arrays, list(parts), tolerance, figure)
    found.sections.option[layout.HORIZON] = HORIZON
    for index, part in enumerate(parts):
        found.write(index, part)
        found.level[found.rows(index)] = LAST if part.last else HARD if part.hard else SOFT
    return found


def _packed(
    figure: Figure,
    parts: Sequence[Part],
    free: np.ndarray | None,
    couplings: tuple[Coupling, ...] | None,
    sites: Sequence[str],
    tolerance: tuple[float, float],
) -> Packed:
    """The tree and space, with every motion and coordinate that some part needs."""
    named = dict.fromkeys(sites)
    carried: set[int] = set()
    dofs: set[int] = set()
    for part in parts:
        if part.kind in _SHAPES:
            carried.add(_segment_frame(figure, part.site)[0])
            if part.other:
                carried.add(_segment_frame(figure, part.other)[0])
        elif part.site:
            named[part.site] = None
        if part.base:
            named[part.base] = None
        carried.update(_point_frame(figure, name)[0] for name, _ in part.points)
        if part.kind in _MASS:
            carried.update(
                int(m) for m in figure.tree.segment_motion[figure.tree.segment_mass > 0.0] if m >= 0
            )
        if part.kind == "linear":
            dofs.update(part.dofs)
    mask = np.ones(figure.n, bool) if free is None else free
    rows = figure.couplings if couplings is None else couplings
    kept = figure.__dict__.setdefault("_measured", {})
    key = (tuple(named), tuple(sorted(carried)), tuple(sorted(dofs)), mask.tobytes(), rows, tolerance)
    template = kept.pop(key, None)
    if template is None:
        template = _build(
            figure,
            (),
            tuple(named),
            mask,
            rows,
            carried=[m for m in sorted(carried) if m >= 0],
            dofs=sorted(dofs),
        )
        template.sections.space.option[OPTION_GRADIENT] = GRADIENT_TOLERANCE * min(1.0, tolerance[0] / 1e-4)
    kept[key] = template
    if len(kept) > 32:
        kept.pop(next(iter(kept)))
    return template.copy(workspace=True)


def _point_frame(figure: Figure, name: str) -> Frame:
    """Of a point of support or of a limb: ``"segment:"`` before a segment's name, ``"motion:"`` before a number."""
    kind, _, rest = name.rpartition(":")
    if kind == "segment":
        return _segment_frame(figure, rest)
    if kind == "motion":
        return int(rest), np.eye(4)
    return _frame(figure, name)


def _masses(figure: Figure, packed: Packed) -> list[tuple[int, float, np.ndarray]]:
    """(row of the motion, share of the mass, its centre there) for every motion that carries mass."""
    tree = figure.tree
    total = float(tree.segment_mass.sum())
    if total <= 0.0:
        raise GoalError(f"figure {figure.name!r} has no mass, so no centre of mass")
    sums: dict[int, np.ndarray] = {}
    for s, mass in enumerate(tree.segment_mass):
        if mass <= 0.0:
            continue
        motion = int(tree.segment_motion[s])
        row = 0 if motion < 0 else int(packed.motion_rows[motion])
        place = unpack(tree.segment_placement[s])
        center = place[:3, :3] @ tree.segment_com[s] + place[:3, 3]
        sums[row] = sums.get(row, np.zeros(4)) + mass / total * np.array([1.0, *center])
    return [(row, float(v[0]), v[1:] / v[0]) for row, v in sorted(sums.items())]


class _Structure:
    """Counts the sections, allocates the arrays and writes what never changes."""

    def __init__(
        self, figure: Figure, packed: Packed, parts: Sequence[Part], mass: list[tuple[int, float, np.ndarray]]
    ) -> None:
        self.figure, self.packed, self.parts, self.mass = figure, packed, parts, mass

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """MS, MR and MW."""

        offsets = np.cumsum([0, *(len(_parameters(self.figure, part)) for part in self.parts)])
        firsts = np.cumsum([0, *(part.rows for part in self.parts)])
        index, links, extra, hull = self._index()
        balls = self._balls()
        tree = self.packed.sections.tree
        found = layout.allocate(
            {
                layout.ATOMS: len(self.parts),
                layout.ROWS: int(firsts[-1]),
                layout.INDICES: len(index),
                layout.PARAMETERS: int(offsets[-1]),
                layout.MASSES: len(self.mass),
                layout.MOTIONS: len(tree.parent) - 1,
                layout.VALUES: len(tree.offset),
                layout.EXTRA: extra,
                layout.HULL: hull,
                layout.BALLS: 1 + max((max(pair) for pair in balls.values()), default=-1),
            }
        )
        m = layout.sections(*found)
        for t, part in enumerate(self.parts):
            m.kind[t] = KINDS[part.kind]
            m.motion[t] = self._row(_frame(self.figure, part.site, segment=part.kind in _SHAPES))
            m.base[t] = self._row(_frame(self.figure, part.other or part.base, segment=bool(part.other)))
            m.first[t], m.count[t], m.offset[t], m.link[t] = firsts[t], part.rows, offsets[t], links[t]
        for t, (own, other) in balls.items():
            m.ball[t], m.ball_base[t] = own, other
            m.ball_motion[own], m.ball_motion[other] = m.motion[t], m.base[t]
        m.index[:] = index
        for k, (row, share, center) in enumerate(self.mass):
            m.mass_motion[k] = row
            m.mass[k] = [share, *center]
        return found

    def _row(self, frame: Frame) -> int:
        """Row of a frame's motion in the tree's arrays; 0 for the world."""
        return int(self.packed.motion_rows[frame[0]])

    def _balls(self) -> dict[int, tuple[int, int]]:
        """The two bounding balls of every part that has them: one a segment, one a region."""
        places: dict[object, int] = {}
        found = {}
        for t, part in enumerate(self.parts):
            if part.kind in _SHAPES:
                own = (part.site, part.capsules.tobytes()) if part.kind != "egg" else (t, "own")
                other = (part.other, part.other_capsules.tobytes()) if part.other else (t, "other")
                first = places.setdefault(own, len(places))
                found[t] = (first, places.setdefault(other, len(places)))
        return found

    def _index(self) -> tuple[list[int], list[int], int, int]:
        """The entries of ``index``, where each part's begin, and the sizes of ``extra`` and ``hull``."""
        index: list[int] = []
        links: list[int] = []
        extra = hull = 0
        for part in self.parts:
            links.append(len(index))
            rows = [self._row(_point_frame(self.figure, name)) for name, _ in part.points]
            if part.kind == "balance":
                index += [len(rows), *rows, extra]
                extra += part.rows
                hull = max(hull, len(rows) + 2)
            elif part.kind == "swivel":
                index += [*rows, extra]
                extra += 1
            elif part.kind == "dense":
                index += [len(part.dofs), *part.dofs]
        return index, links, extra, hull


def _parameters(figure: Figure, part: Part) -> np.ndarray:
    """The parameters of a part's atom, targets brought into the frame of the base's motion."""
    if part.kind in _POSE:
        return _pose_parameters(part, _frame(figure, part.site)[1], _frame(figure, part.base)[1])
    if part.kind in _SHAPES:
        return _shape_parameters(figure, part)
    if part.kind == "center":
        return np.concatenate([part.point, part.directions.ravel()])
    if part.kind in ("balance", "swivel"):
        frames = [(_point_frame(figure, name)[1], point) for name, point in part.points]
        return np.concatenate([at[:3, :3] @ point + at[:3, 3] for at, point in frames])
    return part.numbers


def _pose_parameters(part: Part, site: np.ndarray, base: np.ndarray) -> np.ndarray:
    turn, place = site[:3, :3], site[:3, 3]
    b, at = base[:3, :3], base[:3, 3]
    point = b @ part.point + at
    if part.kind == "coordinates":
        own = [point, (part.directions @ b.T).ravel()]
    elif part.kind == "turn":
        own = [(b @ part.turn).ravel()]
    elif part.kind == "rotation":
        turn = turn @ part.site_axes
        own = [(b @ part.turn).ravel(), np.array(part.components, dtype=np.float64)]
    elif part.kind == "aim":
        fixed = part.numbers[0] != 0.0
        own = [part.site_axes.ravel(), b @ part.point if fixed else point, part.numbers]
    elif part.kind == "axes":
        own = [np.hstack([part.site_axes, part.directions @ b.T]).ravel()]
    else:
        primitives = moved_primitives(part.primitives, base)
        count = [np.array([float(len(primitives))])] if part.kind == "point" else []
        own = [*count, primitives.ravel()]
    return np.concatenate([turn.ravel(), place, *own])


def _shape_parameters(figure: Figure, part: Part) -> np.ndarray:
    place = _segment_frame(figure, part.site)[1]
    base = _frame(figure, part.base)[1]
    turn = base[:3, :3]
    if part.kind == "egg":
        center, half = part.numbers[:3], part.numbers[3:].reshape(3, 3)
        own = [place[:3, :3] @ center + place[:3, 3], (half @ place[:3, :3].T).ravel()]
        return np.concatenate([*own, turn @ part.point + base[:3, 3], turn @ part.directions[0]])
    capsules = moved_capsules(part.capsules, place)
    if part.kind == "clear":
        primitives = moved_primitives(part.primitives, base)
        return np.concatenate([[float(len(primitives))], primitives.ravel(), capsules.ravel()])
    others = moved_capsules(part.other_capsules, _segment_frame(figure, part.other)[1])
    counts = [float(len(capsules)), float(len(others))]
    return np.concatenate([counts, capsules.ravel(), capsule_cones(others).ravel()])


def _balls(figure: Figure, part: Part) -> tuple[np.ndarray, np.ndarray]:
    """The bounding balls of a part's shapes, and of its region or of the other segment's shapes."""
    if part.kind == "egg":
        place = _segment_frame(figure, part.site)[1]
        radius = float(np.linalg.norm(part.numbers[3:].reshape(3, 3), axis=1).max())
        center = place[:3, :3] @ part.numbers[:3] + place[:3, 3]
        return np.array([*center, radius]), np.array([0.0, 0.0, 0.0, np.inf])
    own = enclosing_ball(moved_capsules(part.capsules, _segment_frame(figure, part.site)[1]))
    if part.kind == "clear":
        return own, region_ball(moved_primitives(part.primitives, _frame(figure, part.base)[1]))
    return own, enclosing_ball(moved_capsules(part.other_capsules, _segment_frame(figure, part.other)[1]))

"""The one place that judges a pose: ranges, linear constraints, cones, loops, hard goals, every goal's miss.

`Judge` packs a figure and what is asked of it for `kernels.verify`: not from the arrays that a search reads but from
the figure's own tree, and from the goals' parts, which say what a goal means. Moving a target writes a few numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from manikin.figure import Coupling, Figure, Loop, Pose
from manikin.figure.transforms import unpack
from manikin.figure.tree import Tree
from manikin.goals import Goal
from manikin.goals.target import target_of
from manikin.kernels.verify import layout
from manikin.kernels.verify.check import RANGE, ROUNDING, SHARE, judge
from manikin.kernels.verify.checker import FRAMES, POINTS, Checker
from manikin.kernels.verify.dispatch import NUMBERS
from manikin.kernels.verify.kinds import CHECKS
from manikin.kernels.verify.rows import COLUMN, POINT, TURN
from manikin.verify.verdict import KEPT, Verdict, Violation

if TYPE_CHECKING:
    from manikin.goals.request import Request
    from manikin.residuals import Block

#: What is promised of linear constraints along their unit normal, of (σ/r)² of a cone, of what is hard.
LINEAR, CONE, HARD = 1e-9, 1e-9, 1e-8
_WORLD = np.eye(4)
_CHECKED = {name: check for name, check in CHECKS.items() if isinstance(check, Checker)}


class Atom(NamedTuple):
    """One thing that is measured: what of the figure or of which goal, and how much of a miss is allowed."""

    kind: str
    motion: int
    base: int
    lower: Sequence[float] | np.ndarray
    upper: Sequence[float] | np.ndarray
    numbers: np.ndarray
    allowed: float
    follows: bool = False
    goal: int = -1
    alternative: int = 0
    hard: bool = True
    what: str = ""
    name: str = ""
    unit: str = ""
    target: str = ""
    components: tuple[int, ...] = ()


class Judge:
    """A figure and some goals, packed for `kernels.verify`."""

    def __init__(
        self,
        figure: Figure,
        pose: Pose,
        goals: tuple[Goal, ...],
        couplings: Sequence[Coupling],
        tolerance: tuple[float, float],
    ) -> None:
        self.figure, self.tolerance = figure, tolerance
        self.goals = goals
        self._meant: np.ndarray | None = None
        self._begun = np.zeros(figure.n)
        self._moved: tuple[int, ...] = ()
        self.atoms = [*self._own(couplings), *self._asked(pose)]
        self.choosing = any(count > 1 for count in self.alternatives.values())
        self.follows = any(atom.follows for atom in self.atoms)
        self._pack()
        self.slots = self._find_slots()
        self.movable = frozenset(self.slots)

    def _own(self, couplings: Sequence[Coupling]) -> list[Atom]:
        """The figure's linear constraints, cones and loops."""
        figure = self.figure
        found = []
        for coupling in couplings:
            terms = [x for name, f in coupling.coefficients.items() for x in (float(figure.index(name)), f)]
            numbers = np.array([float(len(terms) // 2), *terms])
            ends = [coupling.lower], [coupling.upper]
            found.append(
                Atom("constraint", -1, -1, *ends, numbers, LINEAR, what="constraint", name=str(coupling))
            )
        for cone in figure.cones:
            joint = figure.dof(figure.dofs[cone.first]).joint
            found.append(Atom("cone", -1, -1, [0.0], [0.0], np.array(cone), CONE, what="cone", name=joint))
        for loop in figure.loops:
            found += self._loop(loop)
        return found

    def _loop(self, loop: Loop) -> list[Atom]:
        """Origins together, and axes, or z axes, the same, as a loop's kind says."""
        ends = self._frame(loop.site), self._frame(loop.other)
        frames = np.concatenate([_twelve(ends[0][1]), _twelve(ends[1][1])])
        named: dict[str, Any] = {"what": "loop", "name": loop.name}
        motions = ends[0][0], ends[1][0]
        found = []
        if loop.kind != "orientation":
            own = np.concatenate([frames, np.zeros(3), np.eye(3).ravel()])
            zeros = np.zeros(3)
            found.append(Atom("coordinates", *motions, zeros, zeros, own, HARD, unit="m", **named))
        if loop.kind == "hinge":
            own = np.concatenate([frames, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]])
            found.append(Atom("aim", *motions, [0.0], [0.0], own, HARD, unit="rad", **named))
        elif loop.kind != "position":
            own = np.concatenate([frames, np.eye(3).ravel()])
            found.append(Atom("turn", *motions, [0.0], [0.0], own, HARD, unit="rad", **named))
        return found

    def _asked(self, pose: Pose) -> list[Atom]:
        """The parts of the goals that count."""
        found = []
        self.alternatives: dict[int, int] = {}
        for place, goal in enumerate(self.goals):
            choices = goal.settle(pose).alternatives()
            self.alternatives[place] = len(
                choices
            )  # one without atoms, a function in Python, is never missed here
            for which, parts in enumerate(choices):
                found += [
                    self._atom(part, place, which)
                    for part in parts
                    if part.kind in _CHECKED and not part.last and part.weight.any()
                ]
        return found

    def _atom(self, part: Block, goal: int, alternative: int) -> Atom:
        allowed = HARD if part.hard else self.tolerance[part.unit == "rad"]
        motion, base, numbers = self._numbers(part)
        return Atom(
            part.kind,
            motion,
            base,
            part.lower,
            part.upper,
            numbers,
            allowed,
            part.follows,
            goal,
            alternative,
            part.hard,
            unit=part.unit,
            target=part.target,
            components=part.components,
        )

    def _frame(self, name: str, *, segment: bool = False) -> tuple[int, np.ndarray]:
        """The motion that carries a site or segment, −1 the world, and its frame there."""
        if not name:
            return -1, _WORLD
        if segment:
            return self.figure.carried(name)
        site = self.figure.sites[name]
        return self.figure.carried(site.segment, site.placement)

    def _point(self, name: str, point: np.ndarray) -> list[float]:
        """The motion of a point of support or of a limb, and the point there."""
        kind, _, rest = name.rpartition(":")
        if kind == "motion":
            return [float(rest), *point]
        motion, at = self._frame(rest if kind else name, segment=kind == "segment")
        return [float(motion), *(at[:3, :3] @ point + at[:3, 3])]

    def _numbers(self, part: Block) -> tuple[int, int, np.ndarray]:
        """Motion, base motion and parameters of a part; see `kernels.verify.layout`."""
        check = _CHECKED[part.kind]
        motion = base = -1
        begin: list[Any] = []
        if check.begins == FRAMES:
            motion, at = self._frame(part.site, segment=part.segment or check.segment)
            base, frame = self._frame(part.other or part.base, segment=bool(part.other))
            at = at.copy()
            at[:3, 3] += at[:3, :3] @ part.at
            begin = [_twelve(at), _twelve(frame)]
        elif check.begins == POINTS:
            begin = [len(part.points), *(self._point(name, point) for name, point in part.points)]
        flat = [np.ravel(np.asarray(each, dtype=np.float64)) for each in (*begin, *check.numbers(part))]
        return motion, base, np.concatenate(flat)

    def _hung_on(self, masses: np.ndarray) -> list[int]:
        """The motions that something hangs on, masses or what atoms see."""
        tree = self.figure.tree
        needed = {m for atom in self.atoms for m in (atom.motion, atom.base)}
        needed |= {int(tree.segment_motion[s]) for s in masses}
        for atom in self.atoms:
            if _CHECKED[atom.kind].begins == POINTS:
                needed |= {int(m) for m in _points(atom.numbers)}
        return sorted(m for m in needed if m >= 0)

    def _pack(self) -> None:
        """All of it in arrays, the tree cut down to the motions that something hangs on."""
        figure, tree, atoms = self.figure, self.figure.tree, self.atoms
        weighed = any(_CHECKED[atom.kind].weighs for atom in atoms)
        masses = np.flatnonzero(tree.segment_mass > 0.0) if weighed else np.zeros(0, int)
        hung_on = self._hung_on(masses)
        kept = tree.on_the_way(hung_on)
        place = np.full(len(tree.parent) + 1, -1)
        place[kept] = np.arange(len(kept))
        drives = np.flatnonzero(np.isin(tree.drive_axis, _axes(tree, kept)))
        rows = sum(len(atom.lower) for atom in atoms)
        offset = 12 * len(kept) + len(tree.axis_offset) + len(drives) + 2 * figure.n + 4 * len(masses)
        fields, numbers, points = self._pack_atoms(place, offset + 2 * rows + len(atoms))
        curves, pieces, counted = _curves(tree)
        counts = [
            len(kept),
            len(tree.axis_offset),
            len(drives),
            figure.n,
            len(masses),
            len(atoms),
            rows,
            points,
            len(hung_on),
            *counted,
            offset + 2 * rows + len(atoms) + sum(map(len, numbers)),
        ]
        self._ints = np.concatenate(
            [
                counts,
                place[tree.parent[kept]],
                tree.kind[kept],
                tree.axis[kept],
                tree.drive_axis[drives],
                tree.drive_dof[drives],
                place[tree.segment_motion[masses]],
                fields.ravel(),
                place[hung_on],
                curves,
            ]
        ).astype(np.int64)
        self._reals = np.concatenate(
            [
                tree.placement[kept].ravel(),
                tree.axis_offset,
                tree.drive_coefficient[drives],
                figure.lower,
                figure.upper,
                *(_mass(tree, int(s)) for s in masses),
                *(atom.lower for atom in atoms),
                *(atom.upper for atom in atoms),
                [atom.allowed for atom in atoms],
                *numbers,
                pieces,
            ]
        ).astype(np.float64)
        self._work = np.zeros(len(tree.axis_offset) + 30 * len(kept) + 2 * points)
        self._out = np.zeros(len(atoms) + 2)

    def _pack_atoms(self, place: np.ndarray, offset: int) -> tuple[np.ndarray, list[np.ndarray], int]:
        """The fields of every atom, their parameters, which begin at an offset, and how many points one has at most.

        place: of each motion its number among those that are packed.
        """
        fields, numbers, row, points = np.zeros((len(self.atoms), layout.FIELDS), np.int64), [], 0, 0
        self._offsets = []
        for t, atom in enumerate(self.atoms):
            own, begins = atom.numbers, _CHECKED[atom.kind].begins
            if begins == POINTS:
                own = own.copy()
                _points(own)[:] = place[_points(own).astype(int)]
                points = max(points, int(own[0]))
            motions = int(place[atom.motion]), int(place[atom.base])
            if begins == FRAMES and atom.base < 0 and _is_world(own):
                motions = motions[0], layout.WORLD
            fields[t] = [NUMBERS[atom.kind], *motions, row, len(atom.lower), offset, int(atom.follows)]
            self._offsets.append(offset)
            numbers.append(own)
            offset += len(own)
            row += len(atom.lower)
        return fields, numbers, points

    def twin(self) -> Judge:
        """The same with arrays of its own."""
        other = copy(self)
        other._reals, other._work, other._out = self._reals.copy(), self._work.copy(), self._out.copy()
        return other

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What `kernels.verify` reads and writes: structure, numbers, workspace."""
        return self._ints, self._reals, self._work

    def fits(self, request: Request) -> bool:
        """Whether this judge can judge by a request: the same goals, targets moved or not."""
        return request.own is self.goals and (not request.moved or self.movable.issuperset(request.moved))

    def _find_slots(self) -> dict[int, list[tuple[int, int]]]:
        """Of every goal whose target can be written in place, what of it (`kernels.verify.rows`) is written where."""
        found: dict[int, list[tuple[int, int]]] = {}
        fixed: set[int] = set()
        for atom, offset in zip(self.atoms, self._offsets, strict=True):
            if atom.goal < 0:
                continue
            own, check = found.setdefault(atom.goal, []), _CHECKED[atom.kind]
            moves = self.goals[atom.goal].takes is not None and not atom.alternative and not atom.follows
            if not moves or atom.target not in check.targets:
                fixed.add(atom.goal)
            else:
                first, stride = check.targets[atom.target]
                at = offset + first + (layout.OWN if check.begins == FRAMES else 0)
                forms = [COLUMN + k for k in atom.components] if atom.components else [TURN]
                forms = [POINT] if atom.target == "point" else forms
                own += [(form, at + stride * k) for k, form in enumerate(forms)]
        return {k: places for k, places in found.items() if k not in fixed}

    def take(self, moved: Mapping[int, Any]) -> None:
        """The targets of a request, and the goals' own where a request before had others."""
        for k in self._moved:
            if k not in moved:
                self._write(k, target_of(self.goals[k]))
        for k, target in moved.items():
            self._write(k, target)
        self._moved = tuple(moved)

    def _write(self, goal: int, target: Any) -> None:
        for form, at in self.slots[goal]:
            if form == TURN:
                self._reals[at : at + 9].reshape(3, 3)[...] = target[:3, :3]
            elif form == POINT:
                self._reals[at : at + 3] = target if len(target) == 3 else target[:3, 3]
            else:
                self._reals[at : at + 3] = target[:3, form - COLUMN]

    def verdict(self, q: np.ndarray, moved: Mapping[int, Any], meant: np.ndarray) -> Verdict:
        """What of the figure's constraints and of the goals does not hold at q.

        moved: targets by the index of their goal. meant: the pose that what is kept means, inside the ranges.
        """
        if moved or self._moved:
            self.take(moved)
        start, placed = q, 1
        if self.follows:
            if meant is not self._meant:
                self._meant, placed = meant, 0
                self._begun = np.clip(meant, self.figure.lower, self.figure.upper)
            start = self._begun
        beyond = judge(self._ints, self._reals, self._work, q, start, self._out, placed)
        return KEPT if beyond == 0 and not self.choosing else self._in_words(q)

    def _in_words(self, q: np.ndarray) -> Verdict:
        """Everything that does not hold, by name."""
        out, figure = self._out, self.figure
        rounding = ROUNDING * out[-1]
        off = np.maximum(figure.lower - q, q - figure.upper)
        broken = [
            Violation("range", figure.dofs[j], float(off[j]), figure.dof(figure.dofs[j]).unit)
            for j in np.flatnonzero(off > RANGE)
        ]
        fails: dict[int, set[int]] = {}
        hard: dict[int, dict[int, tuple[float, str]]] = {}
        for atom, miss in zip(self.atoms, out[:-2].tolist(), strict=True):
            kept = miss <= atom.allowed * (1.0 + SHARE) + rounding
            if atom.goal < 0:
                if not kept:
                    broken.append(Violation(atom.what, atom.name, miss, atom.unit))
                continue
            if not kept:
                fails.setdefault(atom.goal, set()).add(atom.alternative)
                if atom.hard:
                    of_goal = hard.setdefault(atom.goal, {})
                    of_goal[atom.alternative] = max(
                        of_goal.get(atom.alternative, (0.0, "")), (miss, atom.unit)
                    )
        missed = [k for k, which in fails.items() if len(which) == self.alternatives[k]]
        held = [k for k, which in hard.items() if len(which) == self.alternatives[k]]
        by = [Violation("hard goal", self.goals[k].label(), *min(hard[k].values())) for k in held]
        return Verdict(tuple(broken), tuple(missed), tuple(held), tuple(by))


def _axes(tree: Tree, motions: np.ndarray) -> list[int]:
    """The axis values of some motions."""
    return [axis for m in motions for axis in range(len(tree.axis_offset))[tree.values_of(m)]]


def _mass(tree: Tree, segment: int) -> np.ndarray:
    """A segment's share of the whole mass, and its centre in its motion's frame."""
    at = unpack(tree.segment_placement[segment])
    center = at[:3, :3] @ tree.segment_com[segment] + at[:3, 3]
    return np.array([tree.segment_mass[segment] / tree.segment_mass.sum(), *center])


def _curves(tree: Tree) -> tuple[np.ndarray, np.ndarray, tuple[int, int, int]]:
    """The curves' axes and first pieces, the numbers of all pieces; how many curves, pieces and powers there are."""
    sizes = [len(curve.coefficients) for curve in tree.curves]
    powers = np.zeros((sum(sizes), max((curve.degree + 1 for curve in tree.curves), default=0)))
    begin = np.cumsum([0, *sizes])
    for first, curve in zip(begin, tree.curves, strict=False):
        powers[first : first + len(curve.coefficients), : curve.degree + 1] = curve.coefficients
    edges = [np.append(-np.inf, curve.breaks) for curve in tree.curves]
    origins = [curve.origins for curve in tree.curves]
    numbers = np.concatenate([*edges, *origins, powers.ravel()])
    return np.concatenate([tree.curve_axis, begin]), numbers, (len(tree.curves), *powers.shape)


def _twelve(frame: np.ndarray) -> np.ndarray:
    return np.concatenate([frame[:3, :3].ravel(), frame[:3, 3]])


def _is_world(numbers: np.ndarray) -> bool:
    """Whether the base's frame in an atom's parameters is the world's."""
    return np.array_equal(numbers[layout.BASE : layout.OWN], _twelve(_WORLD))


def _points(numbers: np.ndarray) -> np.ndarray:
    """The motions of the points that an atom's parameters begin with, as a view."""
    return numbers[1 : 1 + 4 * int(numbers[0]) : 4]

"""From figure and goals to the flat arrays that the kernels read.

Only what matters to the goals travels: motions on the way from a goal's site to the root, and of the coordinates those
that move them or are tied to them by a linear constraint. A finger costs nothing while only the head is asked to turn;
its couplings are only looked at, once, at the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Coupling, Figure
from manikin.figure.checks import near
from manikin.figure.forward import curve_counts, write_curves
from manikin.kernels.memory import layout
from manikin.kernels.memory.layout import OPTION_GRADIENT
from manikin.kernels.pose.limits import HELD, X
from manikin.plan.strips import strip_kind, write_part
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.plan.specification import Specification

# Projected gradient, of the sum of weights and P, that counts as zero at a tolerance of 0.1 mm or more.
GRADIENT_TOLERANCE = 1e-8
# Coordinates beyond this, radians or metres, are no start (`kernels.pose.place.is_finite`): their angles are
# rounding. A search along a slide without limits may run that far.
FARTHEST = 1e9
#: So far a search goes where nothing limits it: its end is a start again.
BEYOND = 9.9e8


@dataclass
class Notes:
    """What out of the ordinary happened in a solve.

    began: where the search began, if the start broke a linear constraint.
    loading: seconds spent on loading or compiling kernels.
    """

    began: np.ndarray | None = None
    loading: float = 0.0


@dataclass(eq=False)
class Packed:
    """A problem in three flat arrays, and where things are in them.

    ``frames`` gives, for each site, the row of the motion that carries it and its placement (4×4) there. ``budget``
    is the number of iterations after which a solve stops, far more than an ordinary one takes. ``notes``
    are for whoever asked for the last solve. ``couplings`` are those that concern the
    goals; ``origin`` is what the problem was packed from. ``kept`` holds what methods prepared for all its copies.
    """

    structure: np.ndarray
    parameters: np.ndarray
    workspace: np.ndarray
    variables: np.ndarray
    couplings: tuple[Coupling, ...]
    frames: dict[str, tuple[int, np.ndarray]]
    origin: tuple[Figure, np.ndarray, tuple[Coupling, ...]]
    motion_rows: np.ndarray
    """Row of each motion of the figure in the tree's arrays, 0 for those left out; the last stands for the world."""
    kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = int(self.structure[layout.PARTS])
        self.budget = 200 + 20 * len(self.variables)
        self.notes: Notes | None = None
        self.part_parameters = layout.part_parameters(self.structure, self.parameters)

    @cached_property
    def sections(self) -> SimpleNamespace:
        """NumPy views of all sections: ``tree``, ``space``, ``parts``, ``sweep``, ``work``."""
        return layout.sections(self.structure, self.parameters, self.workspace)

    def everything(self) -> Packed:
        """The problem without goals that has all linear constraints and every coordinate that they name."""
        figure, free, couplings = self.origin
        return build(figure, (), (), free, couplings, everything=True)

    def note(self) -> Notes:
        """The notes on the solve that is going on."""
        if self.notes is None:
            self.notes = Notes()
        return self.notes

    def note_repair(self, q: np.ndarray) -> None:
        """Note where the search began instead of at q, which broke a linear constraint."""
        began = np.clip(q, self.sections.space.lower, self.sections.space.upper)
        began[self.variables] = self.sections.work.vector[X]
        self.note().began = began

    def copy(self, *, workspace: bool = False) -> Packed:
        """The same problem with parameters of its own, and a workspace of its own on request."""
        space = self.workspace.copy() if workspace else self.workspace
        return replace(self, parameters=self.parameters.copy(), workspace=space)

    def fresh(self) -> Packed:
        """A copy to solve with, of a problem that none was solved with: the workspace is what little is written there.

        Memory that is all zero costs nothing before it is used, and a method uses a part of it.
        """
        written = self.kept.get("written")
        if written is None:
            written = self.kept["written"] = np.flatnonzero(self.workspace)
        space = np.zeros(len(self.workspace))
        space[written] = self.workspace[written]
        return replace(self, parameters=self.parameters.copy(), workspace=space)


# Every figure keeps the problems packed lately: asking again with other targets only copies.
_KEPT = 32


def pack(spec: Specification, parts: Sequence[Sequence[Block]]) -> Packed:
    """Flat arrays for the parts of plain goals."""
    figure, tolerance = spec.figure, spec.tolerance
    flat = [part for each in parts for part in each]
    sites = [goal.site for goal in spec.goals]
    kept = figure.__dict__.setdefault("_packed", {})
    kinds = tuple((strip_kind(part), part.site) for part in flat)
    key = kinds, tuple(sites), spec.free.tobytes(), spec.couplings, tolerance
    template = kept.pop(key, None)
    if template is None:
        template = build(figure, flat, sites, spec.free, spec.couplings)
        template.sections.space.option[OPTION_GRADIENT] = GRADIENT_TOLERANCE * min(1.0, tolerance[0] / 1e-4)
    kept[key] = template
    if len(kept) > _KEPT:
        kept.pop(next(iter(kept)))
    packed = template.fresh()
    for t, part in enumerate(flat):
        write_part(packed, t, part, tolerance)
    return packed


def build(
    figure: Figure,
    parts: Sequence[Block],
    sites: Sequence[str],
    free: np.ndarray,
    couplings: tuple[Coupling, ...],
    *,
    everything: bool = False,
    carried: Sequence[int] = (),
    dofs: Sequence[int] = (),
) -> Packed:
    """All but the targets and weights; ``everything``: with all linear constraints, whether they matter or not.

    carried, dofs: further motions and coordinates that matter.
    """
    tree = figure.tree
    frames = {name: site_frame(figure, name) for name in (*(part.site for part in parts), *sites)}
    motions = tree.on_the_way([*(motion for motion, _ in frames.values()), *carried])
    row = np.zeros(len(tree.parent) + 1, np.int64)
    row[motions + 1] = np.arange(1, len(motions) + 1)
    width = tree.size[motions]
    first_axis = np.concatenate(([0], np.cumsum(width)))
    old_axis = np.concatenate([np.r_[tree.values_of(m)] for m in motions] or [np.zeros(0, int)])
    new_axis = np.full(len(tree.axis_offset), -1)
    new_axis[old_axis] = np.arange(len(old_axis))
    drives = np.flatnonzero(new_axis[tree.drive_axis] >= 0)
    curves = [
        (new_axis[axis], curve)
        for axis, curve in zip(tree.curve_axis, tree.curves, strict=True)
        if new_axis[axis] >= 0
    ]
    origin = figure, free, couplings
    variables, couplings, aside = _concerned(
        figure,
        np.unique([*tree.drive_dof[drives], *dofs]).astype(np.int64),
        free,
        couplings,
        everything=everything,
    )
    identity = (
        len(motions) == len(tree.parent) and tree.identity and bool((old_axis == np.arange(figure.n)).all())
    )
    charts = _charts(figure, motions, variables, couplings)
    arrays = layout.allocate(
        {
            layout.MOTIONS: len(motions),
            layout.VALUES: len(old_axis),
            layout.DRIVES: len(drives),
            layout.DOFS: figure.n,
            layout.VARIABLES: len(variables),
            layout.PARTS: len(parts),
            layout.ROWS: len(couplings),
            layout.ASIDE: len(aside),
            layout.CHARTS: len(charts),
            layout.IDENTITY: int(identity),
            **curve_counts(layout, curves),
        }
    )
    rows = {name: (int(row[motion + 1]), placement) for name, (motion, placement) in frames.items()}
    packed = Packed(*arrays, variables, couplings, rows, origin, np.append(row[1:], 0))
    flat = packed.sections.tree
    flat.parent[1:] = row[tree.parent[motions] + 1]
    flat.kind[1:] = tree.kind[motions]
    flat.size[1:] = width
    flat.axis[1:] = first_axis[:-1]
    flat.placement[1:] = tree.placement[motions]
    flat.offset[:] = tree.axis_offset[old_axis]
    flat.drive_axis[:] = new_axis[tree.drive_axis[drives]]
    flat.drive_dof[:] = tree.drive_dof[drives]
    flat.drive_coefficient[:] = tree.drive_coefficient[drives]
    write_curves(flat.curves, curves)
    _write_space(packed, figure, charts, aside)
    for t, part in enumerate(parts):
        packed.sections.parts.kind[t] = strip_kind(part)
        packed.sections.parts.motion[t] = rows[part.site][0]
    return packed


def site_frame(figure: Figure, name: str) -> tuple[int, np.ndarray]:
    """Motion that carries a site, and the site's frame (4×4) in that motion's."""
    if name not in figure.sites:
        raise GoalError(f"figure {figure.name!r} has no site {name!r}; {near(name, figure.sites)}")
    site = figure.sites[name]
    return figure.carried(site.segment, site.placement)


def _concerned(
    figure: Figure, moving: np.ndarray, free: np.ndarray, couplings: Sequence[Coupling], *, everything: bool
) -> tuple[np.ndarray, tuple[Coupling, ...], tuple[Coupling, ...]]:
    """Coordinates to solve for, the couplings among them, and the other couplings, which need to hold at the start.

    The coordinates are the free ones that move a goal's site and, through any number of couplings, those tied to them.
    """
    wanted = np.zeros(figure.n, bool)
    wanted[moving] = True
    wanted &= free
    names = [np.array([figure.index(name) for name in coupling.coefficients]) for coupling in couplings]
    taken = [everything] * len(couplings)
    grown = True
    while grown:
        grown = False
        for c, places in enumerate(names):
            if not taken[c] and wanted[places].any():
                taken[c] = grown = True
            if taken[c]:
                wanted[places] |= free[places]
    concerned = tuple(coupling for coupling, yes in zip(couplings, taken, strict=True) if yes)
    aside = tuple(coupling for coupling, yes in zip(couplings, taken, strict=True) if not yes)
    return np.flatnonzero(wanted).astype(np.int64), concerned, aside


def _alone(figure: Figure, couplings: Sequence[Coupling]) -> np.ndarray:
    """Mask of the coordinates that drive one axis only, one to one, and are in no linear constraint."""
    tree = figure.tree
    curved = np.isin(tree.drive_axis, tree.curve_axis)
    drives = np.bincount(tree.drive_dof, minlength=figure.n)
    alone = drives == 1
    driven = np.bincount(tree.drive_axis, minlength=len(tree.axis_offset))
    plain = (np.abs(tree.drive_coefficient) == 1.0) & (driven[tree.drive_axis] == 1)
    alone[tree.drive_dof[~plain | curved]] = False
    for coupling in couplings:
        for name in coupling.coefficients:
            alone[figure.index(name)] = False
    return alone


def _charts(
    figure: Figure, motions: np.ndarray, variables: np.ndarray, couplings: Sequence[Coupling]
) -> list[tuple[int, int]]:
    """Unlimited rotation vectors and swings, as (first variable, length): they may be re-charted."""
    tree = figure.tree
    alone = _alone(figure, couplings) & np.isinf(figure.lower) & np.isinf(figure.upper)
    dof_of = {int(axis): int(dof) for axis, dof in zip(tree.drive_axis, tree.drive_dof, strict=True)}
    place = {int(dof): i for i, dof in enumerate(variables)}
    charts = []
    for motion in motions:
        size = tree.kinds[motion].vector
        if not size:
            continue
        dofs = [dof_of.get(int(tree.axis[motion]) + c, -1) for c in range(size)]
        where = [place.get(dof, -1) for dof in dofs]
        if min(where) >= 0 and all(alone[dofs]) and where == list(range(where[0], where[0] + size)):
            charts.append((where[0], size))
    return charts


def _periodic(figure: Figure, couplings: Sequence[Coupling]) -> np.ndarray:
    """Mask of the coordinates that a whole turn leaves where they were."""
    tree = figure.tree
    turns = np.zeros(figure.n, bool)
    axis_turns = np.zeros(len(tree.axis_offset), bool)
    axis_turns[tree.axis[tree.turns]] = True
    for axis, dof in zip(tree.drive_axis, tree.drive_dof, strict=True):
        turns[dof] = axis_turns[axis]
    return turns & _alone(figure, couplings)


def _write_space(
    packed: Packed, figure: Figure, charts: Sequence[tuple[int, int]], aside: Sequence[Coupling]
) -> None:
    space = packed.sections.space
    space.variable[:] = packed.variables
    space.periodic[:] = _periodic(figure, packed.couplings)[packed.variables]
    if charts:
        space.charts[:] = charts
    space.lower[:] = figure.lower
    space.upper[:] = figure.upper
    space.metric[:] = 1.0 / figure.stiffness
    _write_rows(figure, packed.couplings, space.row, space.row_lower, space.row_upper)
    layout.write_spans(space)
    _write_rows(figure, aside, space.aside, space.aside_lower, space.aside_upper)
    # What nothing can move is held where it is, as `gather_rows` has it.
    still = ~(space.aside[:, packed.origin[1]] != 0.0).any(axis=1)
    slack = HELD * np.linalg.norm(space.aside[still], axis=1)
    space.aside_lower[still] -= slack
    space.aside_upper[still] += slack


def _write_rows(
    figure: Figure, couplings: Sequence[Coupling], rows: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> None:
    for r, coupling in enumerate(couplings):
        for name, coefficient in coupling.coefficients.items():
            rows[r, figure.index(name)] = coefficient
        lower[r], upper[r] = coupling.lower, coupling.upper

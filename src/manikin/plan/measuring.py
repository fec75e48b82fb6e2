"""From parts of goals to the flat arrays of measures that the general method reads, and back to misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Coupling, Figure, Pose
from manikin.kernels.memory.layout import OPTION_GRADIENT
from manikin.kernels.residuals import layout as layout
from manikin.kernels.residuals.entries import part_misses
from manikin.kernels.residuals.kinds import KINDS
from manikin.plan.measure_structure import Structure, masses
from manikin.plan.packing import GRADIENT_TOLERANCE, Packed, build
from manikin.plan.places import Places, of_segments, parameters, point_frame, segment_frame
from manikin.residuals.block import Block

#: Levels of the rows when packed: hard ones, soft ones, those that choose among equals. The solver writes its own.
HARD, SOFT, LAST = 0, 1, 1000
#: Metres of room beyond which a region's row is left out of a step.
HORIZON = 0.1


@dataclass(eq=False)
class Measuring:
    """The measures of some parts in three flat arrays, beside the packed tree and space that they are measured on.

    ``parts`` are those written last; ``tolerance`` is metres and radians.
    """

    packed: Packed
    ms: np.ndarray
    mr: np.ndarray
    mw: np.ndarray
    parts: list[Block]
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

    def fits(self, index: int, part: Block) -> bool:
        """Whether a part can take the place of another without packing anew."""
        return part.structure == self.parts[index].structure

    def write(self, index: int, part: Block, *, active: bool = True) -> None:
        """Put a part in the place of one alike: other targets, ranges, weights, or switched off."""
        if part is self.parts[index] and part.other:
            # Two segments of the figure: nothing of it moves with a target, so it lies there already.
            self.sections.weight[self.rows(index)] = part.weight if active else 0.0
            return
        if part is not self.parts[index]:
            if not self.fits(index, part):
                raise GoalError(
                    f"a prepared problem keeps the kinds and sites of its goals: {part.kind} differs"
                )
            self.parts[index] = part
        self._write(index, part, parameters(self.figure, part), active=active)

    def _write(self, index: int, part: Block, numbers: np.ndarray, *, active: bool) -> None:
        m = self.sections
        where = self.rows(index)
        m.lower[where], m.upper[where] = part.lower, part.upper
        m.weight[where] = part.weight if active else 0.0
        offset = int(m.offset[index])
        m.parameters[offset : offset + len(numbers)] = numbers
        if (balls := KINDS[part.kind].balls) is not None:
            m.balls[m.ball[index]], m.balls[m.ball_base[index]] = balls(part, Places(self.figure, part))

    def violations(self) -> np.ndarray:
        """The signed distance of every row's value outside its range, from the values in the workspace."""
        m = self.sections
        return np.maximum(m.value - m.upper, 0.0) + np.minimum(m.value - m.lower, 0.0)

    def misses(self) -> np.ndarray:
        """How far each part is from met, in its unit, from the values in the workspace."""
        found = np.empty(len(self.parts))
        part_misses(self.ms, self.mr, self.mw, found)
        return found


def pack_measures(
    figure: Figure,
    pose: Pose | None,
    parts: Sequence[Block],
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
    weighed = any(KINDS[part.kind].attach == layout.ON_MASS for part in parts)
    mass = masses(figure, packed) if weighed else []
    numbers = [parameters(figure, part) for part in parts]
    structure = Structure(figure, packed, parts, mass, [len(entry) for entry in numbers])
    arrays = structure.arrays()
    found = Measuring(packed, *arrays, list(parts), tolerance, figure)
    found.sections.option[layout.HORIZON] = HORIZON
    for index, part in enumerate(parts):
        found._write(index, part, numbers[index], active=True)
        found.level[found.rows(index)] = LAST if part.last else HARD if part.hard else SOFT
    return found


def _packed(
    figure: Figure,
    parts: Sequence[Block],
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
        if of_segments(part):
            carried.add(segment_frame(figure, part.site)[0])
            if part.other:
                carried.add(segment_frame(figure, part.other)[0])
        elif part.site:
            named[part.site] = None
        if part.base:
            named[part.base] = None
        carried.update(point_frame(figure, name)[0] for name, _ in part.points)
        if KINDS[part.kind].attach == layout.ON_MASS:
            carried.update(
                int(m) for m in figure.tree.segment_motion[figure.tree.segment_mass > 0.0] if m >= 0
            )
        dofs.update(part.dofs)
    mask = np.ones(figure.n, bool) if free is None else free
    rows = figure.couplings if couplings is None else couplings
    kept = figure.__dict__.setdefault("_measured", {})
    key = (tuple(named), tuple(sorted(carried)), tuple(sorted(dofs)), mask.tobytes(), rows, tolerance)
    template = kept.pop(key, None)
    if template is None:
        template = build(
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

"""The structure of measures: sizes of the sections, kinds, motions, masses: what never changes once packed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manikin.errors import GoalError
from manikin.figure import Figure
from manikin.figure.transforms import unpack
from manikin.kernels.residuals import layout as layout
from manikin.kernels.residuals.kinds import KINDS
from manikin.kernels.verify.kinds import CHECKS
from manikin.plan.packing import Packed
from manikin.plan.places import Frame, frame_of, of_segments, point_frame
from manikin.residuals.block import Block

_NUMBERS = {name: number for number, name in enumerate(KINDS)}
if unchecked := KINDS.keys() - CHECKS.keys():
    raise NotImplementedError(f"kernels/verify/kinds says nothing of {', '.join(sorted(unchecked))}")


def masses(figure: Figure, packed: Packed) -> list[tuple[int, float, np.ndarray]]:
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


class Structure:
    """Counts the sections, allocates the arrays and writes what never changes."""

    def __init__(
        self,
        figure: Figure,
        packed: Packed,
        parts: Sequence[Block],
        mass: list[tuple[int, float, np.ndarray]],
        sizes: list[int],
    ) -> None:
        self.figure, self.packed, self.parts, self.mass, self.sizes = figure, packed, parts, mass, sizes

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """MS, MR and MW."""

        offsets = np.cumsum([0, *self.sizes])
        firsts = np.cumsum([0, *(part.rows for part in self.parts)])
        index, links, more, hull = self._index()
        balls = self._balls()
        tree = self.packed.sections.tree
        found = layout.allocate(
            {
                layout.PARTS: len(self.parts),
                layout.ROWS: int(firsts[-1]),
                layout.INDICES: len(index),
                layout.PARAMETERS: int(offsets[-1]),
                layout.MASSES: len(self.mass),
                layout.MOTIONS: len(tree.parent) - 1,
                layout.VALUES: len(tree.offset),
                layout.EXTRA: sum(
                    part.rows for part, first in zip(self.parts, more, strict=True) if first >= 0
                ),
                layout.HULL: hull,
                layout.BALLS: 1 + max((max(pair) for pair in balls.values()), default=-1),
            }
        )
        m = layout.sections(*found)
        for t, part in enumerate(self.parts):
            kind = KINDS[part.kind]
            m.kind[t] = _NUMBERS[part.kind]
            m.attach[t] = kind.attach
            m.miss[t] = layout.OWN_MISS if callable(kind.miss) else kind.miss
            m.polygon[t] = kind.polygon
            m.motion[t] = self._row(frame_of(self.figure, part.site, segment=of_segments(part)))
            m.base[t] = self._row(frame_of(self.figure, part.other or part.base, segment=bool(part.other)))
            m.by_links[t] = kind.second is None or m.base[t] != 0
            m.first[t], m.count[t], m.offset[t] = firsts[t], part.rows, offsets[t]
            m.link[t], m.links[t], m.more[t] = *links[t], more[t]
        m.ball[:] = m.ball_base[:] = -1
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
            if KINDS[part.kind].balls is not None:
                own = (part.site, part.capsules.tobytes()) if len(part.capsules) else (t, "own")
                other = (part.other, part.other_capsules.tobytes()) if part.other else (t, "other")
                first = places.setdefault(own, len(places))
                found[t] = (first, places.setdefault(other, len(places)))
        return found

    def _index(self) -> tuple[list[int], list[tuple[int, int]], list[int], int]:
        """``index``; where each part's entries begin and how many; its first of ``extra``; the size of ``hull``."""
        index: list[int] = []
        links: list[tuple[int, int]] = []
        more: list[int] = []
        extra = hull = 0
        for part in self.parts:
            own = [self._row(point_frame(self.figure, name)) for name, _ in part.points] or part.columns
            links.append((len(index), len(own)))
            index += own
            more.append(extra if part.points else -1)
            extra += part.rows if part.points else 0
            if KINDS[part.kind].polygon:
                hull = max(hull, len(own) + 2)
        return index, links, more, hull

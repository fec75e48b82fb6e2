"""The limbs of a figure that follows markers, each a problem of its own on the trunk (`kernels.tracking.parts`)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.figure import Figure
from manikin.kernels.tracking import parts as kernel
from manikin.kernels.tree.layout import sections as tree_sections
from manikin.markers.marker_sets import MarkerSet
from manikin.markers.packed import Packed, Sensor

#: The most variables that a limb has; a larger branch is trunk, and its own branches are limbs.
MOST = 10


class Parts:
    """The whole figure and its parts in one set of arrays.

    A limb is a branch of the tree, from a fork on, of at most `MOST` variables, none of which moves anything outside of
    it or is coupled to what is outside; the trunk is what is left, with the markers that no limb carries. There is no
    trunk where these are too few to tell where it is, and there are no parts where loops are closed.
    """

    def __init__(
        self,
        whole: Packed,
        markers: MarkerSet,
        sensors: Mapping[str, Sensor],
        held: list[int],
        prior: np.ndarray,
    ) -> None:
        self.whole, self._figure = whole, whole.figure
        self._given = markers, dict(sensors), held, prior
        self.limbs: list[tuple[int, Packed, np.ndarray]] = []
        trunk: list[tuple[int, Packed, np.ndarray]] = []
        if not self._figure.loops:
            flat, _, _ = tree_sections(whole.structure, whole.parameters.copy())
            self.limbs = [limb for limb in map(self._limb, self._roots(flat)) if limb is not None]
            trunk = self._trunk()
        self.trunk = bool(trunk)
        self._join([*trunk, *self.limbs])

    def _roots(self, flat: object) -> list[np.ndarray]:
        """The motions of each limb, as rows of the whole figure's model: branches, as large as they may be."""
        parent, size, axis = flat.parent, flat.size, flat.axis  # type: ignore[attr-defined]
        track, count = self.whole.track, len(parent)
        variables: list[set[int]] = [set() for _ in range(count)]
        driven: dict[int, set[int]] = {}
        rows: list[list[int]] = [[i] for i in range(count)]
        followed = np.zeros(count, bool)
        followed[np.unique(flat.site_motion)] = True  # type: ignore[attr-defined]
        for i in range(count - 1, 0, -1):
            width = size[i]
            own = track.variable[track.first[axis[i]] : track.first[axis[i] + width]].tolist()
            variables[i].update(own)
            for a in own:
                driven.setdefault(a, set()).add(i)
            variables[parent[i]] |= variables[i]
            rows[parent[i]] += rows[i]
            followed[parent[i]] |= followed[i]
        forks = np.bincount(parent[1:][followed[1:]], minlength=count) > 1
        forks[0] = True
        found: list[np.ndarray] = []
        taken = np.zeros(count, bool)
        for i in range(1, count):
            if taken[i] or not followed[i] or not forks[parent[i]] or not 0 < len(variables[i]) <= MOST:
                continue
            inside = set(rows[i])
            if all(driven[a] <= inside for a in variables[i]):
                found.append(np.array(sorted(inside)))
                taken[found[-1]] = True
        return found

    def _limb(self, rows: np.ndarray) -> tuple[int, Packed, np.ndarray] | None:
        """The motion that carries a limb, the limb as a model, and what of the whole figure's it follows."""
        flat, _, _ = tree_sections(self.whole.structure, self.whole.parameters.copy())
        things = np.flatnonzero(np.isin(flat.site_motion, rows))
        part = self._part(things, self.whole.motions[rows - 1])
        return None if part is None else (int(flat.parent[rows[0]]), part, things)

    def _trunk(self) -> list[tuple[int, Packed, np.ndarray]]:
        """What no limb has, if it can be followed by itself."""
        carried = {int(k) for _, _, things in self.limbs for k in things}
        points = len(self.whole.labels)
        things = np.array([k for k in range(points + len(self.whole.sensors)) if k not in carried], np.int64)
        if not self.limbs or 3 * len(things) < len(self.whole.variables) - sum(
            len(part.variables) for _, part, _ in self.limbs
        ):
            return []
        part = self._part(things, None) if len(things) else None
        return [] if part is None else [(0, part, things)]

    def _part(self, things: np.ndarray, motions: np.ndarray | None) -> Packed | None:
        """A part that follows these points and sensors; None where something ties it to the rest."""
        markers, sensors, held, prior = self._given
        names = [*self.whole.labels, *self.whole.sensors]
        wanted = {names[k] for k in things if k < len(self.whole.labels)}
        felt = {names[k]: sensors[names[k]] for k in things if k >= len(self.whole.labels)}
        part = Packed(self._figure, markers.only(wanted), felt, held, prior, motions)
        mine, whole = set(part.variables.tolist()), set(self.whole.variables.tolist())
        flat, _, _ = tree_sections(part.structure, part.parameters.copy())
        moving = whole & set(flat.drive_dof.tolist())
        if not mine or not mine <= moving or any((whole - mine) & set(rest) for *_, rest in part.coupled):
            return None
        if any(mine & set(limb.variables.tolist()) for _, limb, _ in self.limbs):
            return None
        return part

    def _join(self, parts: list[tuple[int, Packed, np.ndarray]]) -> None:
        """One array for each kind, the whole figure first, and the table of where each part lies."""
        packs = [self.whole, *(part for _, part, _ in parts)]
        kinds = ("structure", "parameters", "work", "ints", "reals", "scratch")
        sizes = np.array([[len(getattr(pack, kind)) for kind in kinds] for pack in packs])
        at = np.cumsum(sizes, axis=0) - sizes
        self.arrays = [np.concatenate([getattr(pack, kind) for pack in packs]) for kind in kinds]
        self.arrays[0].flags.writeable = self.arrays[1].flags.writeable = False
        for pack, begin, size in zip(packs, at, sizes, strict=True):
            pack.share(self.arrays[4][begin[4] : begin[4] + size[4]])
        place = {int(j): a for a, j in enumerate(self.whole.variables)}
        limbs = {int(j) for _, limb, _ in self.limbs for j in limb.variables}
        others = [a for j, a in place.items() if j not in limbs]
        header = kernel.HEADER + kernel.RECORD * len(parts)
        table = [len(parts), int(self.trunk), sizes[0, 5], len(others), header]
        lists, buffer = list(others), 0
        for (base, part, things), begin, size in zip(parts, at[1:], sizes[1:], strict=True):
            table += [*begin, size[5], buffer, base, header + len(lists)]
            lists += [*things.tolist(), *(place[int(j)] for j in part.variables)]
            buffer += kernel.buffer_size(len(part.variables), len(part.labels), len(part.sensors))
        self.table = np.array([*table, *lists], np.int64)
        self.buffer = np.zeros(buffer)
        self._packs = packs

    def forget(self) -> None:
        """As if nothing had been followed yet: what was tried for nothing may be tried again."""
        self.buffer[:] = 0.0

    def hold(self, q: np.ndarray) -> None:
        """As `Packed.hold`, the whole figure and all parts."""
        for pack in self._packs:
            pack.hold(q)

    def copy(self) -> Parts:
        """The same with a workspace of its own, for another thread."""
        other = object.__new__(Parts)
        structure, parameters, work, ints, reals, scratch = self.arrays
        arrays = [structure, parameters, np.empty_like(work), ints, reals.copy(), np.zeros_like(scratch)]
        other.__dict__.update(self.__dict__, arrays=arrays, buffer=np.zeros_like(self.buffer))
        return other


def limbs_of(figure: Figure, parts: Parts) -> list[tuple[str, ...]]:
    """The degrees of freedom of each limb, by name."""
    return [tuple(figure.dofs[j] for j in limb.variables) for _, limb, _ in parts.limbs]

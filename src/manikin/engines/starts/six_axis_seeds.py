"""Whether a site hangs on six free hinges that have a closed form: exact starts, and answers, in about a microsecond.

Of all motions between the site and the root, those that follow free coordinates must be six hinges, each moved by a
coordinate of its own that nothing else on the way follows and that no coupling mentions; all others stay as the given
values hold them, also between the hinges. Parallel and meeting are meant to 1e-9, radians and of the arm's size
(`six_axis_spec`). What was recognised is remembered for each figure, site and choice of free coordinates, as long as
the held values are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from manikin.figure import kinematics, transforms
from manikin.figure.figure import Figure
from manikin.kernels.six_axis import six_axis as entries
from manikin.kernels.six_axis.solve import nearest_row
from manikin.plan.six_axis_spec import ALIGNED, NotThisKind, six_axis_spec

if TYPE_CHECKING:
    from manikin.plan.specification import Specification

# For each site, tolerance and mask: the held coordinates, their values, and what was recognised with them.
_known: WeakKeyDictionary[
    Figure, dict[tuple[str, float, bytes], tuple[np.ndarray, bytes, SixHinges | None]]
] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True, eq=False)
class SixHinges:
    """Six hinges on which a site hangs alone.

    ``spec`` is what `kernels.six_axis.solve.nearest` needs, for targets that are the site's frame in the world;
    ``places`` are the hinges' coordinates in q, from the root to the site; ``limits`` the six lower ones, then the six
    upper.
    """

    spec: np.ndarray
    places: np.ndarray
    limits: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What `kernels.search.six_axis_first` reads."""
        return self.spec, self.limits, self.places

    @property
    def lower(self) -> np.ndarray:
        """The lower limits."""
        return self.limits[:6]

    @property
    def upper(self) -> np.ndarray:
        """The upper limits."""
        return self.limits[6:]

    def nearest(self, target: np.ndarray, q: np.ndarray) -> np.ndarray | None:
        """q with the site at ``target``, a 4×4 in the world, by the solution nearest to q; None where there is none."""
        best = np.empty(6)
        near = np.asarray(q, dtype=np.float64)[self.places]
        goal = np.ascontiguousarray(target, dtype=np.float64)
        if not nearest_row(self.spec, goal, near, self.lower, self.upper, best):
            return None
        whole = np.array(q, dtype=np.float64)
        whole[self.places] = best
        return whole


def six_hinges(
    figure: Figure, site: str, free: np.ndarray | None, q: np.ndarray, tolerance: float = ALIGNED
) -> SixHinges | None:
    """The six free hinges on which a site's frame depends alone, or None where it is not so or has no closed form.

    free: which of the figure's coordinates may move, a mask (n,); all by default.
    q: values (n,), of which those on the way to the site that are not free count.
    tolerance: how parallel, in radians, and how near to meeting, as a part of the arm's size, axes must be. What is
        found is exact all the same, but with more than 1e-9 a solution within that distance of an edge may be missing.
    """
    mask = np.ones(figure.n, dtype=bool) if free is None else np.asarray(free, dtype=bool)
    values = np.asarray(q, dtype=np.float64)
    key = site, tolerance, mask.tobytes()
    with _lock:
        entry = _known.setdefault(figure, {}).get(key)
    if entry is not None and values[entry[0]].tobytes() == entry[1]:
        return entry[2]
    held = np.array([j for j in movers(figure, site) if not mask[j]], dtype=np.int64)
    try:
        found = _recognise(figure, site, mask, values, tolerance)
    except NotThisKind:
        found = None
    with _lock:
        _known[figure][key] = held, values[held].tobytes(), found
    return found


def six_hinges_of(spec: Specification, site: str, variables: np.ndarray) -> SixHinges | None:
    """Those that all variables are, where nothing else moves the site: a joint below or between them that is held
    stands elsewhere in other starts."""
    if len(variables) != 6:
        return None
    six = six_hinges(spec.figure, site, spec.free, spec.q0)
    alone = six is not None and set(six.places) == set(variables) == set(movers(spec.figure, site))
    return six if alone else None


def _path(figure: Figure, site: str) -> list[int]:
    """The motions from the root to a site."""
    tree = figure.tree
    motion = int(tree.segment_motion[list(figure.segments).index(figure.site(site).segment)])
    path = []
    while motion >= 0:
        path.append(motion)
        motion = int(tree.parent[motion])
    return path[::-1]


def _axis_values(figure: Figure, motion: int) -> list[int]:
    """The axis values of a motion."""
    own = figure.tree.values_of(motion)
    return list(range(own.start, own.stop))


def movers(figure: Figure, site: str) -> np.ndarray:
    """The coordinates that move a site."""
    drives = figure.tree.coefficients
    moving = np.zeros(figure.n, dtype=bool)
    for motion in _path(figure, site):
        moving |= (drives[_axis_values(figure, motion)] != 0.0).any(axis=0)
    return np.flatnonzero(moving)


def _recognise(figure: Figure, site: str, mask: np.ndarray, q: np.ndarray, tolerance: float) -> SixHinges:
    tree, drives = figure.tree, figure.tree.coefficients
    values = kinematics.axis_values(tree, q)
    frame = np.eye(4)
    frames: list[np.ndarray] = []
    axes: list[int] = []
    for motion in _path(figure, site):
        frame = frame @ transforms.unpack(tree.placement[motion])
        mine = _axis_values(figure, motion)
        if (drives[mine][:, mask] != 0.0).any():
            if not tree.turns[motion] or mine[0] in tree.curve_axis or len(frames) == 6:
                raise NotThisKind("not six hinges")
            frames.append(frame)
            axes.append(mine[0])
        else:
            frame = frame @ tree.moved(motion, values)
    if len(frames) != 6:
        raise NotThisKind("not six hinges")
    slopes = drives[axes]
    places = np.abs(slopes).argmax(axis=1)
    if (slopes != 0.0).sum() != 6 or len(set(places.tolist())) != 6:
        raise NotThisKind("a hinge without a coordinate of its own")
    names = {figure.dofs[place] for place in places}
    if any(names & set(coupling.coefficients) for coupling in figure.couplings):
        raise NotThisKind("a coupling")
    where = figure.site(site)
    segment = list(figure.segments).index(where.segment)
    tip = frame @ transforms.unpack(tree.segment_placement[segment]) @ where.placement
    directions, points = (np.array([one[:3, k] for one in frames]) for k in (2, 3))
    spec = six_axis_spec(directions, points, np.eye(4), tip, tolerance)
    spec[entries.SHIFT : entries.SHIFT + 6] = tree.axis_offset[axes]
    spec[entries.FACTOR : entries.FACTOR + 6] = 1.0 / slopes[np.arange(6), places]
    return SixHinges(spec, places, np.concatenate([figure.lower[places], figure.upper[places]]))

"""Reach maps: of every point of a grid whether a site reaches it under the other goals, and how well."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.batch.repeated import Repeated
from manikin.engines.raw import POSITION
from manikin.errors import SolveError
from manikin.figure import Figure, Pose
from manikin.figure.movable import pose_of
from manikin.goals import Goal, Position
from manikin.problem.problem import Problem
from manikin.reach import measures as known
from manikin.reach.again import Again
from manikin.reach.extra import need
from manikin.reach.grid import MISSED, PROVED, REACHED, UNKNOWN, Grid, grow

if TYPE_CHECKING:
    import xarray

#: Points between two that are asked first, from the start and from others, along each axis.
STRIDE = 6
# Steps of a search from a neighbour's pose: two or three bring it there, more are a sign that it cannot.
_STEPS = 8
_FIRST_STARTS = 3
#: Metres between points at the edge of what is reached that are asked again: a person's right hand with pinned feet
#: reaches 5 % more of a grid then, for 20 ms a point.
_CELL = 0.1


def reach_map(
    figure: Figure | Pose,
    site: str,
    grid: Grid | tuple[Any, Any, float],
    goals: Sequence[Goal] = (),
    *,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    measures: Sequence[str] = ("discomfort", "manipulability", "limits"),
    interior: str = "solve",
    tolerance: tuple[float, float] = (1e-4, 1e-3),
    multistart: bool = True,
    path: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> xarray.Dataset:
    """Whether ``site`` reaches every point of a grid, and how well, while the goals hold.

    figure: where searches begin, at rest unless a Pose is given; pins mean this pose.
    grid: a `Grid`, or two corners of a box and a pitch, metres.
    goals: what else has to hold: pinned feet, balance, a seat belt (`Pin` of the pelvis), obstacles, gaze.
    free, fixed: the degrees of freedom that may move, or may not, by name or pattern.
    measures: any of ``"discomfort"``, ``"manipulability"``, ``"limits"``.
    interior: ``"solve"``: every point is solved for, from a neighbour's pose. ``"infer"``: every other point along
        each axis is, and then those between that have a missed or unasked one among their neighbours; points between
        reached ones on all sides count as reached, without measures of their own. Holes of less than two pitches
        may then be missed; three to five times as fast.
    multistart: whether points at the edge of what is reached, one in every 10 cm, are asked again, from several
        postures and by whole solves, 20 ms each for a person, until nothing more is reached. Without it some 5 % of
        what a person reaches are denied.
    path: a Zarr store that is filled while it is computed, some times a minute.

    Returns an xarray Dataset over x, y, z (needs the extra ``reach``):

    - ``reachable``: true or false. Searches begin at a coarse lattice of points, from the start and a few others, and
      go on from each reached point to its neighbours, from its pose.
    - ``outcome``: 1 reached; 3 proved to be out of reach, being farther away than the figure is long; 2 not found,
      which is no proof; 0 not asked, since no reached point is next to it.
    - ``miss``: metres that the site stays away, of the best pose found; where none was asked for, the distance to the
      nearest point that is reached. Never less than the true miss.
    - the measures; NaN where a point is not reached. ``limit`` is the tightest of the limits that a pose is on, an
      index into ``dof``, or −1; of points that are missed too, where it is what held them.
    """
    need("xarray", "a reach map")
    begin = perf_counter()
    pose = pose_of(figure, "reach map")
    body = pose.figure
    body.site(site)
    if not isinstance(grid, Grid):
        grid = Grid.box(*grid)
    unknown = [name for name in measures if name not in known.KNOWN]
    if unknown:
        raise SolveError(
            f"reach_map: unknown measure {unknown[0]!r}; expected one of: {', '.join(known.KNOWN)}"
        )
    if interior not in ("solve", "infer"):
        raise SolveError(f"reach_map: interior is 'solve' or 'infer', got {interior!r}")
    problem = Problem(
        pose, [Position(site, pose.position(site)), *goals], free=free, fixed=fixed, tolerance=tolerance
    )
    made = _Map(pose, site, grid, problem, tuple(measures), path, threads, progress)
    made.compute(interior)
    if multistart:
        made.ask_again()
    return made.dataset(perf_counter() - begin)


class _Map:
    """A map on its way."""

    def __init__(
        self,
        pose: Pose,
        site: str,
        grid: Grid,
        problem: Problem,
        measures: tuple[str, ...],
        path: str | os.PathLike[str] | None,
        threads: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.pose, self.figure, self.site, self.grid, self.problem = pose, pose.figure, site, grid, problem
        self.measures, self.threads, self.progress = measures, threads, progress
        self.moved = np.array([self.figure.index(name) for name in problem.variables], np.int64)
        self.state = np.zeros(grid.size, np.int8)
        self.miss = np.full(grid.size, np.inf)
        self.values = {name: np.full(grid.size, np.nan, np.float32) for name in measures if name != "limits"}
        self.limits = {
            name: np.full(grid.size, -1, np.int16) for name in ("limits", "limit") if "limits" in measures
        }
        self.store = None if path is None else _Store(path, self)

    def solver(self, restarts: int, budget: int | None) -> Repeated:
        return Repeated(self.problem.spec, threads=self.threads, restarts=restarts, budget=budget)

    def found(self, index: np.ndarray, q: np.ndarray, reached: np.ndarray) -> None:
        """Measure poses."""
        here, poses = index[reached], q[reached]
        if "discomfort" in self.values and len(here):
            self.values["discomfort"][here] = known.discomfort(self.figure, poses, self.moved)
        if "manipulability" in self.values and len(here):
            self.values["manipulability"][here] = known.manipulability(
                self.figure, poses, self.site, self.moved
            )
        if self.limits:
            self.limits["limits"][index], self.limits["limit"][index] = known.limits(
                self.figure, q, self.moved
            )
        if self.store is not None:
            self.store.flush()

    def compute(self, interior: str) -> None:
        """Seeds, then growth over the grid; with ``"infer"`` over every other point first."""
        if interior == "solve":
            self._over(self.grid, np.arange(self.grid.size), max(STRIDE, 1))
            return
        shape = np.array(self.grid.shape)
        every = np.ravel_multi_index(
            np.meshgrid(*[np.arange(0, n, 2) for n in shape], indexing="ij"), self.grid.shape
        )
        coarse = Grid(self.grid.origin, 2.0 * self.grid.pitch, every.shape)
        poses = self._over(coarse, every.ravel(), max(STRIDE // 2, 1), keep=True)
        self._between(every, poses)

    def _over(self, grid: Grid, place: np.ndarray, stride: int, keep: bool = False) -> dict[int, np.ndarray]:
        """Seeds and growth over a grid whose point k is number ``place[k]`` of the map's; poses, where kept."""
        seeds = np.ravel_multi_index(
            np.meshgrid(
                *[np.arange(stride // 2, n, stride) if n > stride // 2 else [0] for n in grid.shape],
                indexing="ij",
            ),
            grid.shape,
        ).ravel()
        state, miss = np.zeros(grid.size, np.int8), np.full(grid.size, np.inf)
        kept: dict[int, np.ndarray] = {}

        def found(index: np.ndarray, q: np.ndarray, reached: np.ndarray) -> None:
            self.state[place[index]] = np.where(reached, REACHED, MISSED)
            self.miss[place[index]] = miss[index]
            self.found(place[index], q, reached)
            if keep:
                kept.update(zip(place[index[reached]].tolist(), q[reached], strict=True))

        with self.solver(_FIRST_STARTS, None) as first:
            begun = first.solve(
                grid.places(seeds), np.repeat(np.array(self.pose.q)[None], len(seeds), axis=0)
            )
        state[seeds] = np.where(begun.reached, REACHED, UNKNOWN)
        miss[seeds] = begun.errors[:, 0, POSITION]
        ok = begun.reached
        found(seeds[ok], begun.q[ok], ok[ok])
        with self.solver(0, _STEPS) as repeated:

            def solve(places: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
                answers = repeated.solve(places, starts)
                return answers.q, answers.reached, answers.errors[:, 0, POSITION]

            grow(grid, solve, seeds[ok], begun.q[ok], state, miss, found, self.progress)
        self.state[place] = state
        return kept

    def _between(self, every: np.ndarray, poses: dict[int, np.ndarray]) -> None:
        """Points between those of the coarse lattice: by their neighbours, or solved for, from the nearest pose."""
        ndimage = need("scipy.ndimage", "a reach map")

        coarse = self.state.reshape(self.grid.shape)[::2, ::2, ::2] == REACHED
        shape = self.grid.shape
        where = [np.arange(n) for n in shape]
        low = np.ix_(*[w // 2 for w in where])
        high = np.ix_(*[np.minimum((w + 1) // 2, (n - 1) // 2) for w, n in zip(where, shape, strict=True)])
        inner = ndimage.minimum_filter(coarse, 3, mode="constant", cval=0)
        corners = [
            coarse[np.ix_(*[(low if bit == 0 else high)[c].ravel() for c, bit in enumerate(bits)])]
            for bits in np.ndindex(2, 2, 2)
        ]
        sure = np.logical_and.reduce(corners) & inner[low] & inner[high]
        any_of = np.logical_or.reduce(corners)
        flat = np.zeros(shape, bool)
        flat[::2, ::2, ::2] = True
        inferred = (sure & ~flat).ravel()
        self.state[inferred] = REACHED
        self.miss[inferred] = 0.0
        asked = np.flatnonzero((any_of & ~sure & ~flat).ravel())
        known_at = np.array(sorted(poses))
        if not len(asked) or not len(known_at):
            return
        tree = need("scipy.spatial", "a reach map").cKDTree(self.grid.places(known_at))
        _, nearest = tree.query(self.grid.places(asked), k=2 if len(known_at) > 1 else 1)
        nearest = nearest.reshape(len(asked), -1)
        with self.solver(0, _STEPS) as repeated:
            left = np.arange(len(asked))
            for choice in range(nearest.shape[1]):
                starts = np.array([poses[int(known_at[k])] for k in nearest[left, choice]]).reshape(
                    -1, self.figure.n
                )
                answers = repeated.solve(self.grid.places(asked[left]), starts)
                here = asked[left]
                self.state[here] = np.where(answers.reached, REACHED, MISSED)
                self.miss[here] = np.minimum(self.miss[here], answers.errors[:, 0, POSITION])
                self.found(here, answers.q, answers.reached)
                left = left[~answers.reached]

    def ask_again(self) -> None:
        """Missed points around reached ones searched for from several postures, and what grows from those that are
        reached after all, until there is none; then what is proved of the others."""
        again, asked = Again(self.problem, self.site, self.threads, whole=0), np.zeros(self.grid.size, bool)
        asked[self.state == REACHED] = True
        while True:
            reached = np.flatnonzero(self.state == REACHED)
            beside, _ = self.grid.neighbours(reached, around=True)
            left = np.unique(beside[~asked[beside]]) if len(reached) else np.flatnonzero(~asked)
            asked[left] = True
            left = self._one_a_cell(left)
            if not len(left):
                break
            state, q, miss = again.outcome(self.grid.places(left))
            self.state[left], won = state, state == REACHED
            self.miss[left] = np.where(won, miss, np.minimum(self.miss[left], miss))
            self.found(left[won], q[won], won[won])
            if won.any():
                self._grow_from(left[won], q[won])
                asked[self.state == REACHED] = True
        others = np.flatnonzero(self.state != REACHED)
        self.state[others[again.too_far.proved(self.grid.places(others))]] = PROVED

    def _one_a_cell(self, index: np.ndarray) -> np.ndarray:
        """Of points by their flat index one in each cube of `_CELL`: what grows from it reaches the others."""
        where = np.stack(np.unravel_index(index, self.grid.shape), axis=-1) // max(
            round(_CELL / self.grid.pitch), 1
        )
        return index[np.sort(np.unique(where, axis=0, return_index=True)[1])]

    def _grow_from(self, index: np.ndarray, poses: np.ndarray) -> None:
        """Go on from points that are reached after all to their neighbours."""
        with self.solver(0, _STEPS) as repeated:

            def solve(places: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
                answers = repeated.solve(places, starts)
                return answers.q, answers.reached, answers.errors[:, 0, POSITION]

            grow(self.grid, solve, index, poses, self.state, self.miss, self.found, self.progress)

    def arrays(self) -> dict[str, np.ndarray]:
        """All that is known, in the shape of the grid."""
        ndimage = need("scipy.ndimage", "a reach map")

        reached = (self.state == REACHED).reshape(self.grid.shape)
        miss = self.miss.copy().reshape(self.grid.shape)
        if reached.any():
            away = ndimage.distance_transform_edt(~reached, sampling=self.grid.pitch)
            miss = np.where(reached, np.where(np.isfinite(miss), miss, 0.0), np.minimum(miss, away))
        outcome = self.state.reshape(self.grid.shape)
        found = {"reachable": reached, "outcome": outcome, "miss": miss.astype(np.float32)}
        found.update({name: values.reshape(self.grid.shape) for name, values in self.values.items()})
        found.update({name: values.reshape(self.grid.shape) for name, values in self.limits.items()})
        return found

    def attributes(self) -> dict[str, dict[str, str]]:
        """Units and what they mean."""
        found = {
            "reachable": {"units": "1", "long_name": f"whether {self.site} reaches the point"},
            "outcome": {
                "units": "1",
                "long_name": "0 not asked, 1 reached, 2 not found, 3 proved to be out of reach",
            },
            "miss": {"units": "m", "long_name": "how far the best pose found stays away"},
            "limit": {
                "units": "1",
                "long_name": "index into dof of the tightest limit that the pose is on, or -1",
            },
        }
        for name, (unit, text) in known.KNOWN.items():
            found[name] = {"units": unit, "long_name": text}
        return found

    def dataset(self, seconds: float) -> xarray.Dataset:
        """The map."""
        xarray = need("xarray", "a reach map")
        about = self.attributes()
        made = xarray.Dataset(
            {name: (("x", "y", "z"), values, about[name]) for name, values in self.arrays().items()},
            coords={
                **{
                    axis: (axis, values, {"units": "m"})
                    for axis, values in zip("xyz", self.grid.axes, strict=True)
                },
                "dof": ("dof", list(self.figure.dofs)),
            },
            attrs={
                "figure": self.figure.name,
                "site": self.site,
                "pitch": self.grid.pitch,
                "goals": "; ".join(goal.label() for goal in self.problem.goals[1:]),
                "asked": int((self.state != UNKNOWN).sum()),
                "seconds": seconds,
                "complete": 1,
            },
        )
        if self.store is not None:
            self.store.finish(made)
        return made


class _Store:
    """A Zarr store that is filled on the way, not more often than every few seconds."""

    def __init__(self, path: str | os.PathLike[str], made: _Map) -> None:
        need("zarr", "a map written as Zarr")
        self.path, self.map, self.last = path, made, perf_counter()

    def flush(self, every: float = 10.0) -> None:
        if perf_counter() - self.last >= every:
            self.write(complete=False)
            self.last = perf_counter()

    def write(self, complete: bool) -> None:
        xarray = need("xarray", "a reach map")
        made = xarray.Dataset(
            {name: (("x", "y", "z"), values) for name, values in self.map.arrays().items()},
            coords=dict(zip("xyz", self.map.grid.axes, strict=True)),
            attrs={"figure": self.map.figure.name, "site": self.map.site, "complete": int(complete)},
        )
        made.to_zarr(os.fspath(self.path), mode="w", consolidated=False)

    def finish(self, made: xarray.Dataset) -> None:
        """The whole map; names of degrees of freedom are an attribute there, since Zarr has no settled form for
        text.
        """
        made = made.drop_vars("dof").assign_attrs(dof=[str(name) for name in made["dof"].values])
        made.to_zarr(os.fspath(self.path), mode="w", consolidated=False)

"""What `solve_many` is given, checked and brought to one length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manikin.errors import GoalError, SolveError
from manikin.figure import Figure, Pose
from manikin.goals import Goal
from manikin.goals.target import shape_of, with_target
from manikin.kernels.memory.targets import NUMBERS

# Coordinates beyond are a mistake.
_FARTHEST = 1e9


@dataclass(frozen=True, eq=False)
class Batch:
    """Problems of one structure, `count` of them.

    targets: an array a goal, (count or 1, …), by the goal's index. starts: (count or 1, n), None where every problem
    starts at its figure's rest or the pose given. which: of each problem its figure. meant: (count or 1, n), what
    "where it is" means; by default each problem's start.
    """

    count: int
    figures: tuple[Figure, ...]
    which: np.ndarray | None
    targets: dict[int, np.ndarray]
    starts: np.ndarray
    meant: np.ndarray | None = None

    def numbers(self, problems: np.ndarray | slice, goals: int) -> np.ndarray:
        """Targets of some problems, (problems, goals, 16), as the kernels read them; the very transforms where there is
        one goal and each problem has its own.
        """
        if goals == 1 and isinstance(problems, slice) and 0 in self.targets:
            array = self.targets[0]
            if array.shape == (self.count, 4, 4) and array.flags.carray:
                return array[problems].reshape(-1, 1, NUMBERS)
        made = np.zeros((self._count(problems), goals, NUMBERS))
        for k, array in self.targets.items():
            part = array if len(array) == 1 else array[problems]
            flat = part.reshape(len(part), -1)
            made[:, k, : flat.shape[1]] = flat
        return made

    def starts_of(self, problems: np.ndarray | slice) -> np.ndarray:
        """Starts of some problems, a row each."""
        rows = self.starts if len(self.starts) == 1 else self.starts[problems]
        return np.array(np.broadcast_to(rows, (self._count(problems), rows.shape[1])), order="C")

    @staticmethod
    def _count(problems: np.ndarray | slice) -> int:
        return problems.stop - problems.start if isinstance(problems, slice) else len(problems)

    def target_of(self, goals: Sequence[Goal], problem: int) -> list[np.ndarray | None]:
        """The targets of one problem, as `Problem.solve` takes them."""
        return [
            None
            if k not in self.targets
            else np.array(self.targets[k][problem if len(self.targets[k]) > 1 else 0])
            for k in range(len(goals))
        ]

    def by_figure(self, problems: np.ndarray | None = None) -> list[tuple[int, slice | np.ndarray]]:
        """Of each figure the problems, of these or of all, that are for it."""
        if self.which is None:
            return [(0, slice(0, self.count) if problems is None else problems)]
        asked = np.arange(self.count) if problems is None else problems
        order = asked[np.argsort(self.which[asked], kind="stable")]
        figures, first = np.unique(self.which[order], return_index=True)
        return list(zip(figures.tolist(), np.split(order, first[1:]), strict=True))

    def check(self, goals: Sequence[Goal], problem: int) -> None:
        """Say what of one problem's targets is wrong, if something is."""
        for goal, target in zip(goals, self.target_of(goals, problem), strict=True):
            if target is not None:
                try:
                    with_target(goal, target)
                except GoalError as wrong:
                    raise GoalError(f"targets: number {problem}: {wrong}") from None


def figures_of(figure: Any) -> tuple[tuple[Figure, ...], np.ndarray]:
    """The figures, which must be of one structure, and where each starts, (figures, n)."""
    if isinstance(figure, Pose):
        return (figure.figure,), np.array(figure.q)[None, :]
    if isinstance(figure, Figure):
        return (figure,), np.array(figure.rest)[None, :]
    listed = getattr(figure, "figures", figure)
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        raise SolveError(
            f"the first argument must be a Figure, a Pose, several of one structure, or a population, got {figure!r}"
        )
    parts = [figures_of(entry) for entry in listed]
    if not parts or any(len(part[0]) != 1 for part in parts):
        raise SolveError("figures: an empty list, or a list of lists; one Figure or Pose each is wanted")
    figures = tuple(part[0][0] for part in parts)
    for place, other in enumerate(figures):
        if other is not figures[0] and not figures[0].same_structure(other):
            raise SolveError(
                f"figures: number {place}, {other.name!r}, has another structure than the first, {figures[0].name!r}; "
                "figures of a batch differ in lengths, limits and masses only"
            )
    return figures, np.vstack([part[1] for part in parts])


def targets_of(goals: Sequence[Goal], targets: Any) -> dict[int, np.ndarray]:
    """An array (samples, …) for each goal that has targets of its own, by its index."""
    if targets is None:
        return {}
    one = len(goals) == 1 and not (isinstance(targets, (list, tuple)) and len(targets) == 1)
    listed = [targets] if one else list(targets)
    if len(listed) != len(goals):
        raise SolveError(
            f"targets: one array for each of the {len(goals)} goals is wanted, got {len(listed)}"
        )
    found: dict[int, np.ndarray] = {}
    for k, entry in enumerate(listed):
        if entry is None:
            continue
        goal, shape = goals[k], shape_of(goals[k])
        if shape is None:
            raise GoalError(f"{goal.label()}: a goal of this kind takes no targets in a call")
        try:
            array = np.asarray(entry.as_matrix() if hasattr(entry, "as_matrix") else entry, dtype=np.float64)
        except (TypeError, ValueError):
            raise GoalError(f"{goal.label()}: its targets must be numbers, got {entry!r}") from None
        if array.shape == shape:
            array = array[None]
        if array.shape[1:] != shape or array.ndim != len(shape) + 1:
            raise GoalError(
                f"{goal.label()}: its targets must have shape (samples, {shape}), got {array.shape}"
            )
        found[k] = array
    return found


def starts_of(starts: Any, figure: Figure) -> np.ndarray | None:
    """Starts as rows, (samples or 1, n)."""
    if starts is None:
        return None
    if isinstance(starts, Pose):
        starts = starts.q
    elif isinstance(starts, (list, tuple)) and starts and isinstance(starts[0], Pose):
        starts = [pose.q for pose in starts]
    try:
        rows = np.atleast_2d(np.asarray(starts, dtype=np.float64))
    except (TypeError, ValueError):
        raise SolveError(f"q0 must be poses or numbers, (samples, {figure.n}), got {starts!r}") from None
    if rows.ndim != 2 or rows.shape[1] != figure.n:
        raise SolveError(
            f"q0: {figure.name!r} has {figure.n} degrees of freedom, so (samples, {figure.n}) is wanted, "
            f"got {rows.shape}"
        )
    if rows.size and not (rows.min() > -_FARTHEST and rows.max() < _FARTHEST):  # a NaN is neither
        bad = int(np.argmin((np.abs(rows) < _FARTHEST).all(axis=1)))
        raise SolveError(f"q0: number {bad} has values that are not finite, or beyond 1e9")
    return rows


def batch_of(figure: Any, goals: Sequence[Goal], targets: Any, starts: Any, which: Any) -> Batch:
    """All of it, of one length; what has length 1 serves for all."""
    figures, rest = figures_of(figure)
    arrays = targets_of(goals, targets)
    rows = starts_of(starts, figures[0])
    lengths = {f"the targets of {goals[k].label()}": len(array) for k, array in arrays.items()}
    if rows is not None:
        lengths["q0"] = len(rows)
    if which is None:
        if len(figures) > 1:
            lengths["figures"] = len(figures)
    else:
        which = np.asarray(which)
        if which.ndim != 1 or not np.issubdtype(which.dtype, np.integer):
            raise SolveError("figure_index must have the index of a figure for each problem, whole numbers")
        if len(which) and not (which.min() >= 0 and which.max() < len(figures)):
            raise SolveError(f"figure_index: there are {len(figures)} figures, counted from 0")
        lengths["figure_index"] = len(which)
    count = max([1, *(length for length in lengths.values() if length != 1)])
    if 0 in lengths.values():
        count = 0
    for name, length in lengths.items():
        if length not in (1, count):
            raise SolveError(
                f"{name}: {length} are given where there are {count} problems; 1 or {count} are wanted"
            )
    if which is None and len(figures) > 1:
        which = np.arange(count)
    if which is not None:
        which = np.ascontiguousarray(np.broadcast_to(which, (count,)), dtype=np.int64)
    if rows is None:
        rows = rest if which is None else rest[which]
    return Batch(count, figures, which, arrays, rows)

"""A whole path of targets in one call, each sample solved from the end of the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.raw import goal_errors
from manikin.errors import SolveError
from manikin.goals.target import shape_of
from manikin.kernels.calls import follow_path
from manikin.kernels.memory.path import T_AT, T_PATH, T_SAMPLES, T_TARGETS
from manikin.kernels.memory.state import DONE, REFUSED
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.pose.report import OUT_ERRORS, OUT_ITERATIONS, OUT_REACHED
from manikin.plan.options import USUAL, Options
from manikin.verify.rows import keeps

if TYPE_CHECKING:
    from manikin.engines.work import Work
    from manikin.goals import Goal


@dataclass(frozen=True, eq=False)
class Path:
    """What was found along a path of targets.

    q, start: (samples, n), where each sample ends and where it began. reached, feasible, iterations: (samples,).
    errors: (samples, goals, 2), metres and radians. targets: (samples, goals, 16), given: which goals have some.
    """

    q: np.ndarray
    start: np.ndarray
    reached: np.ndarray
    feasible: np.ndarray
    errors: np.ndarray
    iterations: np.ndarray
    targets: np.ndarray
    given: np.ndarray
    seconds: float


def samples_of(goals: Sequence[Goal], targets: Any) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of every sample, (samples, goals, 16), and which goals have some.

    targets: (samples, …) for a problem of one goal; otherwise one such array a goal, in their order, or None.
    """
    whole = len(goals) == 1 and not (isinstance(targets, Sequence) and len(targets) == 1)
    listed = [targets] if whole else list(targets)
    if len(listed) != len(goals):
        raise SolveError(
            f"targets: one array for each of the {len(goals)} goals is wanted, got {len(listed)}"
        )
    arrays: dict[int, np.ndarray] = {}
    for k, entry in enumerate(listed):
        if entry is None:
            continue
        shape = shape_of(goals[k])
        array = np.asarray(entry.as_matrix() if hasattr(entry, "as_matrix") else entry, dtype=np.float64)
        if shape is None or array.shape[1:] != shape or array.ndim != len(shape) + 1:
            wanted = "no target in a call" if shape is None else f"targets of shape (samples, {shape})"
            raise SolveError(f"targets: {goals[k].label()} takes {wanted}, got {array.shape}")
        arrays[k] = array
    counts = {len(array) for array in arrays.values()}
    if len(counts) != 1:
        raise SolveError(f"targets: all goals need the same number of samples, got {sorted(counts)}")
    numbers = np.zeros((counts.pop(), len(goals), NUMBERS))
    for k, array in arrays.items():
        flat = array.reshape(len(array), int(np.prod(array.shape[1:])))
        numbers[:, k, : flat.shape[1]] = flat
    return numbers, np.array([k in arrays for k in range(len(goals))], np.int64)


def solve_path(work: Work, targets: Any, start: np.ndarray, restarts: int | None = None) -> Path:
    """Solve for every sample, from the start on; where the quick search fails, as `Problem.solve` does.

    The work is anchored already: what is kept means the same at every sample.
    """
    goals, n = work.goals, work.figure.n
    numbers, given = samples_of(goals, targets)
    begin, samples, first = perf_counter(), len(numbers), np.array(start)
    q, reached, feasible = np.empty((samples, n)), np.zeros(samples, bool), np.zeros(samples, bool)
    errors, iterations = np.zeros((samples, len(goals), 2)), np.zeros(samples, np.int64)
    judge = work.row_judge(tuple(np.flatnonzero(given).tolist())) if _is_quick(work, given) else None
    asked = USUAL if restarts is None else Options(restarts=restarts)
    done = 0
    while done < samples:
        if judge is not None:
            reports, ends = _quickly(work, numbers[done:], given, start)
            bits = judge.bits(ends, work.run.anchor, numbers[done : done + len(ends)])
            off = np.flatnonzero(~keeps(bits))
            count = int(off[0]) if len(off) else len(ends)  # what does not hold is solved anew
            reports, ends, here = reports[:count], ends[:count], slice(done, done + count)
            q[here], reached[here] = ends, (reports[:, OUT_REACHED] != 0.0) & (bits[:count] == 0)
            feasible[here] = True
            measured = work.told.measured
            errors[here] = goal_errors(
                measured, reports[:, OUT_ERRORS : OUT_ERRORS + len(measured)], len(goals)
            )
            iterations[here] = reports[:, OUT_ITERATIONS]
            if count:
                start = ends[-1]
                work.run = work.run.went_on(count == len(bits))
            done += count
            if done == samples:
                break
        one = work.solve(np.array(start), targets_of(goals, numbers[done], given), asked)
        verdict = work.verdict(one)
        q[done], reached[done], feasible[done] = one.q, one.claims and verdict.met, verdict.feasible
        errors[done], iterations[done] = one.errors, one.out[OUT_ITERATIONS]
        start = q[done]
        done += 1
    starts = np.vstack([first[None], q[:-1]]) if samples else q
    return Path(q, starts, reached, feasible, errors, iterations, numbers, given, perf_counter() - begin)


def targets_of(goals: Sequence[Goal], numbers: np.ndarray, given: np.ndarray) -> list[np.ndarray | None]:
    """The targets of one sample, (goals, 16), as `solve` takes them."""
    found: list[np.ndarray | None] = []
    for k, goal in enumerate(goals):
        shape = shape_of(goal) if given[k] else None
        found.append(None if shape is None else numbers[k, : int(np.prod(shape))].reshape(shape))
    return found


def _is_quick(work: Work, given: np.ndarray) -> bool:
    """Whether there is a quick search over a path that takes these targets by itself."""
    if work.engine is None:
        return False
    return all(work.targets.shapes[k] is not None for k in np.flatnonzero(given))


def _quickly(
    work: Work, numbers: np.ndarray, given: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Reports and ends of the samples that the quick search solves, up to the first that it does not."""
    engine, targets = work.engine, work.targets
    assert engine is not None
    numbers = np.ascontiguousarray(numbers)
    targets.mark(given.tolist())
    work.calls.restore(targets.handed.which)
    blocks, n = np.empty((len(numbers), engine.size)), work.figure.n
    start = np.array(start)
    if work.posture is not None:
        call = work.calls.get(True)
        assert call is not None
        work.tell(call.table, start)
        count = follow_path(call.spec, start, numbers.ravel(), blocks.ravel())
    else:
        table = work.tell(engine.table.copy(), start)
        table[T_TARGETS], table[T_SAMPLES] = targets.table.ctypes.data, len(numbers)
        table[T_PATH] = numbers.ctypes.data
        task = engine.search(table, start, blocks.ravel(), engine.patience, engine.elsewhere)
        count = len(numbers) if task <= DONE else int(table[T_AT])
        if task == REFUSED and not np.isfinite(start).all():
            count = 0
    return blocks[:count, : engine.reported], blocks[:count, engine.size - 2 * n : engine.size - n]

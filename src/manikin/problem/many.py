"""`solve_many`: one problem with a batch axis, on all cores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, Unpack

from manikin.engines.batch.answers import Answers
from manikin.engines.batch.inputs import batch_of, figures_of
from manikin.engines.batch.solve import How, finish, search
from manikin.engines.batch.workers import Progress
from manikin.engines.work import Work
from manikin.errors import SolveError
from manikin.figure import Figure
from manikin.goals import Goal
from manikin.plan.options import BatchOptions, checked_restarts, checked_seed, checked_threads
from manikin.plan.specification import Specification, specify
from manikin.problem.problem import Problem
from manikin.result.solutions import Solutions

#: Devices that a batch may be solved on.
DEVICES = ("cpu", "cuda")


def solve_many(
    figure: Any,
    goals: Iterable[Goal] | Iterable[Sequence[Goal]],
    targets: Any = None,
    *,
    q0: Any = None,
    figure_index: Any = None,
    device: str = "cpu",
    multistart: bool = True,
    polish: bool = False,
    progress: Progress | None = None,
    **options: Unpack[BatchOptions],
) -> Solutions:
    """Solve the same problem for many targets, starts or figures.

    figure: a Figure or a Pose; or several of one structure (`Figure.same_structure`), such as a `population`.
    goals: as of `solve`, of every kind.
    targets: for one goal (problems, 3) points, (problems, 3, 3) rotations or (problems, 4, 4) transforms; for several a
        list with one such array per goal, in their order, None leaving a goal as it is.
    q0: where the searches begin: poses, or (problems, n) numbers; one serves for all. By default each figure's rest, or
        the pose given.
    figure_index: of each problem the index of its figure; by default problem k is for figure k.
    device: ``"cpu"``, or ``"cuda"``: searched on the first graphics card in single precision, every answer checked by
        the CPU's kernels before it counts. What else is asked than positions, orientations, placements, lines, planes
        and aims, and whatever is hard, the CPU brings about from there.
    multistart: solve by itself what the batch's own searches did not reach, so that no fewer are reached and what
        cannot be is as near as can be. Where most cannot be reached, False is very much faster.
    polish: after a graphics card, search on from every answer in double precision, so that it misses by micrometres; by
        default only from those that the check finds short. (Where constraints are linear, always.)
    progress: called with how many problems are done and how many there are.
    free, fixed: the degrees of freedom that may move, or may not, by name or pattern.
    constraints, tolerance: as of `solve`.
    natural: whether a human begins at the posture that people take for its targets, as in `solve`: then each problem
        is solved by itself. A graphics card knows no postures; what it misses has them.
    restarts: further starts of a problem at most.
    seed: which starts those are.
    threads: by default as many as the process may use.

    The answer to a problem depends on nothing but that problem: not on threads, not on what else is in the batch.
    Answers are `Solutions`: `q` (problems, n), `reached`, `feasible`, `position_errors`, `iterations` and more;
    ``found[k]`` is a `Solution`.
    """
    begin = perf_counter()
    _check_device(device)
    if progress is not None and not callable(progress):
        raise SolveError(f"progress is a function of what is done and what there is, got {progress!r}")
    asked: Any = dict(options)
    threads = checked_threads(asked.pop("threads", None))
    restarts, seed = asked.pop("restarts", None), checked_seed(asked.pop("seed", 0))
    spec = specify(figures_of(figure)[0][0].pose(), goals, **asked)
    batch = batch_of(figure, spec.goals, targets, q0, figure_index)
    answers = Answers(batch.count, spec.figure.n, len(spec.goals))
    work = Work(spec)
    how = How(
        threads,
        None if restarts is None else checked_restarts(restarts),
        seed,
        multistart,
        device == "cpu" and work.prior is not None,
    )
    if batch.count:
        if device == "cuda":
            from manikin.engines.batch.cuda.search import solve

            solve(work, batch, answers, how, polish, progress)
        else:
            search(work, batch, answers, how, progress)
        finish(spec, batch, answers, how)
    return Solutions(
        spec.figure,
        answers.q,
        answers.reached,
        answers.feasible,
        answers.errors,
        answers.iterations,
        perf_counter() - begin,
        answers.starts,
        partial(_problem_of, spec, batch.figures),
        batch.targets,
        batch.starts,
        batch.figures,
        batch.which,
    )


def _problem_of(spec: Specification, figures: Sequence[Figure], index: int) -> Problem:
    """The problem of one of the figures."""
    return Problem.of(spec if index == 0 else spec.on(figures[index]))


def _check_device(device: str) -> None:
    if device not in DEVICES:
        raise SolveError(f"unknown device {device!r}; expected one of: {', '.join(DEVICES)}")
    if device == "cuda":
        from manikin.kernels.gpu.load import card

        card()  # what is missing is said before any work

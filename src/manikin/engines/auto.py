"""How a problem is solved: stages in order, each where it has something to do, until all goals are met.

A stage takes what the stages before it left (`Ask`) and leaves more. What they do depends on the problem and on the
call alone: not on threads, not on what was solved before.

Where some linear constraints are rows of the problem, a start that breaks one is brought in first; each seed is brought
in too, to the nearest point of all ranges and rows; and seeds are searched one by one, first `search.QUICK` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines.allowance import Allowance
from manikin.engines.least_squares import PATIENCE, begin, go_on, run
from manikin.engines.starts import search
from manikin.engines.starts.inside import bring_in
from manikin.errors import SolveError
from manikin.kernels.memory.path import T_START
from manikin.kernels.memory.state import DONE, REFUSED, REPAIR, TIDY
from manikin.kernels.pose.report import OUT_POTENTIAL, OUT_REACHED
from manikin.kernels.search.state import FAR, FLAT, SLOW, SPENT
from manikin.plan.options import METHODS, USUAL, Options

if TYPE_CHECKING:
    from manikin.engines.raw import Raw
    from manikin.engines.work import Work
    from manikin.goals.request import Request
    from manikin.plan.targets import Handed

#: Out of reach, the end of the posture's own search is the answer unless another is better than this.
AS_GOOD = 1.02
#: No search was begun yet.
NOT_BEGUN = -2


class Ask:
    """What a solve is asked, and how far it has come.

    options: how to go about it. begun: the start that was given. where: where a search begins instead; posture: the
    same, where people would begin there. begin: the clock time at the beginning.
    asked, whole, handed: as of `Raw`, what the search left last. block: its report, the end, the start. task: how it
    ended. starts, tried: how many starts it took, and how many seeds. met: whether a stage met everything. infeasible:
    whether linear constraints contradict each other. used_up: whether the work that a solve may do by default was.
    found: the answer, where it is not that of the block.
    """

    __slots__ = (
        *("options", "begun", "where", "posture", "begin", "asked", "whole", "handed", "block", "task"),
        *("starts", "tried", "met", "infeasible", "found", "used_up"),
    )

    def __init__(
        self,
        asked: Request,
        begun: np.ndarray,
        where: np.ndarray,
        begin: float,
        whole: np.ndarray,
        handed: Handed | None,
        task: int,
        options: Options = USUAL,
    ) -> None:
        self.asked, self.begun, self.where, self.begin = asked, begun, where, begin
        self.whole, self.handed, self.task, self.options = whole, handed, task, options
        self.block = whole if handed is None else whole[handed.first :]
        self.posture = None if where is begun else where
        self.starts, self.tried, self.met, self.infeasible = 1, 0, False, False
        self.found: Raw | None = None
        self.used_up = False

    def request(self) -> Request:
        """The goals with the targets that travelled with the call; from now on the block stands alone."""
        if self.handed is not None:
            self.asked = self.asked.with_targets(self.handed.read(self.whole))
            self.handed = None
        self.whole = self.block
        return self.asked

    @property
    def deadline(self) -> float | None:
        """The clock time after which to stop."""
        limit = self.options.time_limit
        return None if limit is None else self.begin + limit

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return search.over(self.deadline)

    def search(self, work: Work, start: np.ndarray) -> None:
        """Search from a start until slow."""
        fast = work.fast
        assert fast is not None
        self.request()
        work.tell(fast.table, self.begun)
        self.task, self.block = begin(work.packed, fast, start, fast.patience)
        self.where, self.met, self.whole = start, self.task <= DONE, self.block


def seeds_beside(work: Work, ask: Ask) -> None:
    """Go on from the start with the first seeds beside it, four at a time; from the start alone where none is met."""
    fast, asked = work.fast, ask.options
    assert fast is not None
    if not ask.over:
        count = search.QUICK if asked.restarts is None else min(search.QUICK, asked.restarts)
        row = search.beside(work.packed, fast, ask.where, ask.block, asked.seed, count)
        if row >= 0:
            ask.met, ask.starts = True, 1 + row
            return
        ask.tried = count if row == -1 else 0
    ask.search(work, ask.where)


def start_brought_in(work: Work, ask: Ask) -> None:
    """Search from the nearest point inside all linear constraints."""
    inside = ask.where.copy()
    if bring_in(work.packed, inside):
        ask.search(work, inside)


def descent(work: Work, ask: Ask) -> None:
    """From where the start's own search was slow to a point that nothing nearby is better than."""
    fast = work.fast
    assert fast is not None
    work.serving = ask.request()
    q, out = fast.ended(ask.block)
    go_on(work.packed, fast, ask.where, q, out, ask.task, ask.deadline)
    ask.met, ask.infeasible, ask.task = bool(out[OUT_REACHED]), ask.task in (TIDY, REPAIR), DONE


def rounds_of_seeds(work: Work, ask: Ask) -> None:
    """Seeds in rounds, until one meets all goals or several ends agree (`engines.starts.search`)."""
    fast, asked = work.fast, ask.options
    assert fast is not None
    work.serving = ask.request()
    q, out = fast.ended(ask.block)
    end = search.from_others(
        work.packed, fast, ask.where, search.End(q, out), ask.task, asked, ask.deadline, ask.tried
    )
    q[:], out[:], ask.starts, ask.used_up = end.q, end.out, end.starts, end.used_up
    ask.met = bool(out[OUT_REACHED])


def own_posture(work: Work, ask: Ask) -> None:
    """Where the search from the posture ends by itself, unless another end is better by 2 %."""
    fast = work.fast
    assert fast is not None
    assert ask.posture is not None
    work.tell(fast.table, ask.begun)
    own = run(work.packed, fast, ask.posture, ask.deadline)
    if fast.ended(own)[1][OUT_POTENTIAL] <= AS_GOOD * fast.ended(ask.block)[1][OUT_POTENTIAL]:
        ask.whole = ask.block = own


def by_levels(work: Work, ask: Ask) -> None:
    """The descent: what is hard is never left, levels yield in order, alternatives and other starts are tried."""
    from manikin.engines.general import load, solve_levels
    from manikin.engines.starts.restarts import further_starts

    levels, run, asked, engine = work.levels, work.run, ask.options, work.engine
    assert levels is not None
    levels.mean_start(run.objectives_start(ask.begun), run.meaning(ask.begun))
    loading = perf_counter()
    load()
    ask.begin += perf_counter() - loading
    # The quick search without the objectives says nothing of linear constraints among what they move.
    failed = ask.task != NOT_BEGUN and (work.lean is None or ask.task not in (TIDY, REPAIR))
    end = (
        engine.ended(ask.block)[0].copy() if engine is not None and ask.task in (SLOW, FLAT, SPENT) else None
    )
    most = 0 if asked.method == "lm" and asked.restarts is None else asked.restarts
    q, starts = ask.where.copy(), further_starts(work, ask.begun, asked.seed)
    usual = most is None and ask.deadline is None
    allowance = Allowance() if usual else None
    out, outcome, ask.starts = solve_levels(
        levels, q, starts, most, ask.deadline, quick_failed=failed, end=end, allowance=allowance
    )
    found = ask.found = work.raw(ask.request(), np.concatenate([out, q, ask.begun]), ask.begin)
    found.found_by(levels, outcome)
    ask.used_up = outcome.used_up
    notes, levels.packed.notes = levels.packed.notes, None
    if notes is not None:
        found.began = notes.began


@dataclass(frozen=True, slots=True)
class Stage:
    """A way to go on, when it applies, and why it exists. No stage follows one that met everything."""

    run: Callable[[Work, Ask], None]
    applies: Callable[[Work, Ask], bool]
    why: str


def _plain(work: Work, ask: Ask) -> bool:
    """Whether the goals are plain, and something is left to do."""
    return work.fast is not None and not ask.infeasible


def _auto(work: Work, ask: Ask) -> bool:
    """Whether more may be tried for plain goals than the start alone."""
    return _plain(work, ask) and ask.options.method == "auto"


def _seeds(work: Work, ask: Ask) -> bool:
    """Whether other starts may be tried for plain goals."""
    return _auto(work, ask) and ask.options.restarts != 0


STAGES = (
    Stage(
        seeds_beside,
        lambda work, ask: _auto(work, ask) and ask.task in (SLOW, FAR) and work.fast.together,  # type: ignore[union-attr]
        "four searches beside each other cost 1.2 to 1.6 of one: the start goes on as the first of them",
    ),
    Stage(
        start_brought_in,
        lambda work, ask: _plain(work, ask) and ask.task in (TIDY, REPAIR),
        "a search needs a start inside linear constraints",
    ),
    Stage(
        descent,
        lambda work, ask: (
            _plain(work, ask)
            and (ask.task in (FLAT, REFUSED, TIDY, REPAIR) or ask.over or not _seeds(work, ask))
        ),
        "at a saddle the way out ends nearer to the start than a seed does; or no other start may be tried",
    ),
    Stage(
        rounds_of_seeds,
        lambda work, ask: _seeds(work, ask) and not ask.over,
        "where the start's own basin has no answer, others may have",
    ),
    Stage(
        own_posture,
        lambda work, ask: _seeds(work, ask) and ask.posture is not None,
        "out of reach, what people would do beats a pose that is 2 % nearer",
    ),
    Stage(
        by_levels,
        lambda work, ask: work.levels is not None,
        "hard goals, levels, regions, alternatives, functions: what is hard is never left, the rest yields in order",
    ),
)


def answer(work: Work, ask: Ask) -> Raw:
    """What the stages make of a start whose first search did not meet everything."""
    for stage in STAGES:
        if stage.applies(work, ask):
            stage.run(work, ask)
            if ask.met:
                break
    found = ask.found
    if found is None:
        found = work.raw(ask.asked, ask.whole, ask.begin, ask.handed)
        found.verified = ask.met and work.calls.holds(found, ask.begun)
    found.starts, found.used_up = ask.starts, ask.used_up
    found.begun_from(ask.begun, found.began)
    found.time_limit = ask.options.time_limit
    work.run = work.run.went_on(False)
    return found


def missed(
    work: Work,
    begun: np.ndarray,
    where: np.ndarray,
    begin: float,
    whole: np.ndarray,
    handed: Handed | None,
    task: int,
    options: Options = USUAL,
) -> Raw:
    """What follows when the first search, from ``where``, did not meet everything."""
    if task == REFUSED and handed is not None:  # a target, or the start: each says so itself
        targets = handed.read(whole)
        work.calls.write(work.request, [targets.get(k) for k in range(len(work.goals))])
    return answer(work, Ask(work.request, begun, where, begin, whole, handed, task, options))


def solve(work: Work, start: Any, targets: Sequence[Any] | np.ndarray | None, asked: Options) -> Raw:
    """Solve as asked, by more than one compiled call or before there is one."""
    calls, begun = work.calls, work.begun(start)
    if targets is not None and (
        work.engine is None or asked.method != "auto" or asked.several or not calls.can_write(targets)
    ):
        return apart(work, work.request.with_all(targets), begun, asked)
    if asked.dt is None and not asked.several and asked.method in METHODS:
        if asked.options:
            names = ", ".join(map(str, asked.options))
            raise SolveError(f"method {asked.method!r} has no options, got {names}")
        found = first(work, begun, targets, asked)
    else:
        request = work.request
        if targets is None:
            calls.restore()
        else:
            request = calls.write(request, targets)
        found = _other_way(asked)(work, request, begun, asked)
        work.run = work.run.went_on(False)
    if asked.method != "auto" and asked.restarts and work.levels is None:
        from manikin.engines.starts.restarts import restarted

        found = restarted(work, found, asked)
    found.time_limit = asked.time_limit
    return found


def _other_way(asked: Options) -> Callable[[Work, Request, np.ndarray, Options], Raw]:
    """How to solve where that is not by stages."""
    if asked.dt is not None:
        from manikin.engines.velocity_limited import solve_in_time

        return solve_in_time
    if asked.several:
        from manikin.engines.starts.several import several

        return lambda work, request, begun, asked: several(work, begun, asked)
    from manikin.engines.from_outside import from_outside

    return from_outside


def first(work: Work, begun: np.ndarray, targets: Sequence[Any] | np.ndarray | None, asked: Options) -> Raw:
    """The first search, then what follows."""
    begin, calls, engine, fast = perf_counter(), work.calls, work.engine, work.fast
    handed, auto = None, asked.method == "auto"
    if engine is None or not (auto or engine is fast):
        calls.restore()
        where = work.begin_at(begun, None) if auto else begun
        return missed(work, begun, where, begin, np.empty(0), None, NOT_BEGUN, asked)
    if targets is not None:
        whole, call = calls.lay_out(begun, targets)
        table, handed = call.table, calls.targets.handed
        numbers, block = whole[: call.first], whole[call.first :]
    else:
        calls.restore()
        if calls.used:
            calls.get(False)
        table, numbers = engine.table, None
        whole = block = np.empty(engine.size)
    calls.used = True
    where = work.begin_at(begun, numbers) if auto else begun
    search, patience, far = engine.search, engine.patience, engine.elsewhere
    if not auto:
        far = np.inf
        if fast is not None and not fast.has_rows:
            patience = PATIENCE
    elif asked.restarts == 0 and fast is not None and fast.six is not None:
        search, far = engine.alone, np.inf
    task = search(work.tell(table, begun), where, block, patience, far)
    table[T_START] = 0
    if task > DONE:
        return missed(work, begun, where, begin, whole, handed, task, asked)
    if work.posture is not None:
        work.posture.note_met()
    found = work.raw(work.request, whole, begin, handed).begun_from(begun, None)
    if fast is not None and task != DONE:  # by a closed form's start
        found.starts = 2
    work.run = work.run.went_on(asked.usual)
    return found


def apart(work: Work, request: Request, begun: np.ndarray, asked: Options) -> Raw:
    """Solve for goals whose targets cannot be written in place, packed by themselves, with the same anchor."""
    own, run = type(work)(work.spec.changed(goals=request.goals)), work.run
    if run.anchor is not None:
        own.anchor_at(run.anchor, run.on_path)
    found = solve(own, begun, None, asked)
    work.run = run.cooled()
    return found

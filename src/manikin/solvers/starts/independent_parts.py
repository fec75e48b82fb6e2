"""A problem that falls apart: goals that no variable has in common, as those of two legs on a fixed pelvis.

Its potential is a sum of potentials of different variables, so each part is minimised for itself: from the start and,
where that fails, from seeds of its own. A seed that is good for one leg need not be good for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from manikin.kernels.memory.state import DONE
from manikin.kernels.rows.errors import TOLERANCE
from manikin.kernels.search import layout as lm_layout
from manikin.solvers.pack.packing import FARTHEST
from manikin.solvers.request import Request

if TYPE_CHECKING:
    from manikin.solvers.methods.least_squares import LeastSquares
    from manikin.solvers.pack.packing import Packed
    from manikin.solvers.prepared import Prepared
    from manikin.solvers.problem import Problem


class Parts:
    """The parts of a problem, each a Problem of its own."""

    def __init__(self, problem: Prepared, groups: Sequence[Sequence[int]]) -> None:
        from manikin.solvers.problem import Problem

        self.problem, self.groups = problem, groups
        free = [name for name, mine in zip(problem.figure.dofs, problem._origin[0], strict=True) if mine]
        self.problems = [
            Problem(problem.start, [problem._goals[k] for k in group], free=free, tolerance=problem.tolerance)
            for group in groups
        ]
        first = problem._first_part
        self.rows = [np.concatenate([np.arange(first[k], first[k + 1]) for k in group]) for group in groups]

    def bring_up_to_date(self, number: int) -> Problem:
        """Part ``number``, asking for what the whole asks for now."""
        whole, part = self.problem, self.problems[number]
        mine = self.groups[number]
        request = whole._solving
        goals = request.goals
        part._request = part._solving = Request(
            tuple(goals[k] for k in mine), tuple(request.active[k] for k in mine), {}
        )
        part._packed.part_parameters[:] = whole._packed.part_parameters[self.rows[number]]
        return part

    def solve(
        self,
        start: np.ndarray,
        end: np.ndarray,
        misses: np.ndarray,
        restarts: int | None,
        seed: int,
        deadline: float | None,
        threads: int | None,
    ) -> tuple[np.ndarray, np.ndarray, int]:
        """The coordinates of all parts' best, their iterations and evaluations, and how many starts they took.

        end, misses: where the search for all of them together ended, and each part's miss there (infinite where it is
        not known): parts that have reached their goals stay there.
        """
        from manikin.solvers.methods.auto import search_on
        from manikin.solvers.starts.search import COUNTS

        q, counts, starts = start.copy(), np.zeros(2), 0
        allowed = self.problem._packed.part_parameters[:, TOLERANCE]
        reached = misses <= allowed
        for number, rows in enumerate(self.rows):
            variables = self.problems[number]._packed.variables
            if reached[rows].all():
                q[variables] = end[variables]
                continue
            part = self.bring_up_to_date(number)
            fast = part._fast
            if fast is None:  # no variable moves its site
                continue
            block = np.empty(fast.size)
            task = fast.search(fast.table, start, block, fast.patience, fast.elsewhere)
            tried = 1 if task == DONE else 2
            if task > DONE:
                block, tried = search_on(
                    part._packed, fast, start, block, task, restarts, seed, deadline, threads
                )
            found, out = fast.parts(block)
            if (np.abs(found[variables]) < FARTHEST).all():  # else it ran away, and is no start for the whole
                q[variables] = found[variables]
            counts += out[COUNTS]
            starts += tried
        return q, counts, starts


def parts_of(problem: Prepared, packed: Packed, fast: LeastSquares) -> Callable[[], Parts] | None:
    """What makes the parts of a problem; None where it is whole."""
    group = lm_layout.groups(fast.ints)
    if len(group) == 0 or group.max() == 0:
        return None
    of_goal = [group[first] for first in problem._first_part[:-1]]
    groups = [[k for k, mine in enumerate(of_goal) if mine == g] for g in range(int(group.max()) + 1)]
    return lambda: Parts(problem, [one for one in groups if one])

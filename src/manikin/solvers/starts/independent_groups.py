"""A problem that falls apart: goals that no variable has in common, as those of two legs on a fixed pelvis.

Its potential is a sum of potentials of different variables, so each group is minimised for itself: from the start and,
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


class Groups:
    """Goals by group, each a Problem of its own."""

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
        """Group ``number``, asking for what the whole asks for now."""
        whole, own = self.problem, self.problems[number]
        mine = self.groups[number]
        request = whole._solving
        goals = request.goals
        own._request = own._solving = Request(
            tuple(goals[k] for k in mine), tuple(request.active[k] for k in mine), {}
        )
        own._packed.part_parameters[:] = whole._packed.part_parameters[self.rows[number]]
        return own

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
        """The coordinates of all groups' best, their iterations and evaluations, and how many starts they took.

        end, misses: where the search for all of them together ended, and each part's miss there (infinite where it is
        not known): groups that have reached their goals stay there.
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
            own = self.bring_up_to_date(number)
            fast = own._fast
            if fast is None:  # no variable moves its site
                continue
            block = np.empty(fast.size)
            task = fast.search(fast.table, start, block, fast.patience, fast.elsewhere)
            tried = 1 if task == DONE else 2
            if task > DONE:
                block, tried = search_on(
                    own._packed, fast, start, block, task, restarts, seed, deadline, threads
                )
            found, out = fast.ended(block)
            if (np.abs(found[variables]) < FARTHEST).all():  # else it ran away, and is no start for the whole
                q[variables] = found[variables]
            counts += out[COUNTS]
            starts += tried
        return q, counts, starts


def groups_of(problem: Prepared, packed: Packed, fast: LeastSquares) -> Callable[[], Groups] | None:
    """What makes the groups of a problem; None where there is one."""
    group = lm_layout.groups(fast.ints)
    if len(group) == 0 or group.max() == 0:
        return None
    of_goal = [group[first] for first in problem._first_part[:-1]]
    groups = [[k for k, mine in enumerate(of_goal) if mine == g] for g in range(int(group.max()) + 1)]
    return lambda: Groups(problem, [one for one in groups if one])

"""Makes docs/papers/table.md: every method of the papers on every kind of goal.

python -m tests.solvers.papers.table
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from manikin.errors import SolveError
from manikin.papers import METHODS, WITH_SETS

from .kinds import ARM, KINDS, problems

PAGE = Path(__file__).resolve().parents[3] / "docs" / "papers" / "table.md"
SEEDS = 3
ORDER = (*METHODS, *WITH_SETS)
# The tables of a hierarchy are small here: the arm is made for each problem anew.
OPTIONS = {"hierarchy": {"nodes": 200_000}}

REASONS = {
    "takes positions only": 'its goal is a point. Of the reach hierarchy the paper says: "theoretically extensible to '
    'position-orientation goals, the cost of storing high dimensional workspaces is prohibitive". Cyclic coordinate '
    "descent and FABRIK are not of the papers; they move points too.",
    "takes one position": "its goal is one point: the hierarchy goes down one chain, FABRIK pulls one.",
    "needs position and orientation": "Pieper's screw is the displacement of a whole frame to another (Korein and "
    "Badler, *Numerical solutions*).",
    "takes rows with a Jacobian": "it solves f(θ) = X, or minimises ‖X − f(θ)‖² with ∂f/∂θ. A potential is one number "
    "and its derivatives vanish where it is met; minimising it is what the report of 1989 does.",
    "has no option 'constraints'": "it knows one kind of goal, by geometry; c(q) has none.",
}

HEAD = """# Every method, every kind of goal

Made by `python -m tests.solvers.papers.table`, and compared by a test. Each kind of goal is asked of a robot's arm of
seven hinges, {seeds} times, from a start near a pose that meets it; the number says how often the method reached it,
verified by the judge. Numbers in brackets are the papers' equations. A letter says that the method does not take such
a goal, and why.
"""

FOOT = """
In closed form:

| | solves | limits |
|---|---|---|
| `mk.Arm` (Tolani and Badler 1996) | placement: `solve`, `solve_fixed`; position: `solve_position` | inside them |
| `mk.SixAxis` (Pieper, in Korein and Badler 1981) | placement | inside them |
| `two_links`, `three_links` (Korein and Badler, eqs. 13 to 18) | in the plane | inside those given |

Kinds that none of the papers has, such as a whole segment out of a region, the centre of mass, balance, levels of
priority and goals that must hold, are refused by name: `method="auto"` solves them.
"""


def cell(method: str, kind: str) -> tuple[int, str]:
    """How often the method reached such a goal, and the reason why it does not take it."""
    reached = 0
    for seed in range(SEEDS):
        problem, options = problems(seed)[kind]
        try:
            found = problem.solve(method=method, options={**OPTIONS.get(method, {}), **options})
        except SolveError as refusal:
            return 0, next(reason for reason in REASONS if reason in str(refusal))
        inside = np.maximum(ARM.lower - found.q, found.q - ARM.upper).max() <= 1e-9
        assert inside and found.feasible
        reached += found.reached
    return reached, ""


def lines() -> Iterator[str]:
    """The page, line by line."""
    yield from HEAD.format(seeds=SEEDS).splitlines()
    yield ""
    yield "| | " + " | ".join(f"`{method}`" for method in ORDER) + " |"
    yield "|---" * (1 + len(ORDER)) + "|"
    letters: dict[str, str] = {}
    for kind in KINDS:
        cells = []
        for method in ORDER:
            reached, reason = cell(method, kind)
            if reason:
                cells.append(letters.setdefault(reason, "abcdefgh"[len(letters)]))
            else:
                cells.append(str(reached))
        yield f"| {kind} | " + " | ".join(cells) + " |"
    yield ""
    for reason, letter in letters.items():
        yield f"- **{letter}** {REASONS[reason]}"
    yield from FOOT.splitlines()


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join(lines()) + "\n", encoding="utf-8")

"""The projection method against SciPy's SLSQP and L-BFGS-B, on problems with limits and linear constraints.

SciPy is given Manikin's own compiled potential and gradient, so only the methods differ. SLSQP has the bounds,
four random equalities and two random inequalities natively, with their Jacobians; L-BFGS-B, which has bounds only,
solves the same problems without the rows. All start at the same feasible point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from scipy.optimize import minimize

import manikin as mk
from benchmarks.figures import Body, torso31
from benchmarks.problems import RandomProblem, random_problem
from benchmarks.tables import Requirement, Section, Table
from manikin.engines.work import Work
from manikin.kernels.pose.slope import slope

EQUALITIES, INEQUALITIES = 4, 2
# Ours is as good as the peer's when P ≤ P_peer (1 + RELATIVE) + ABSOLUTE.
RELATIVE, ABSOLUTE = 1e-6, 1e-10
# Ours may break a constraint by this much and no more.
VIOLATION = 1e-9
# Rows of a table of worst cases.
_WORST = 20
_SLSQP = {"ftol": 1e-12, "maxiter": 500}
_LBFGSB = {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 2000, "maxfun": 20000}


@dataclass(frozen=True)
class Rows:
    """``equal`` q = ``equal_to`` and ``below`` q ≤ ``most``."""

    equal: np.ndarray
    equal_to: np.ndarray
    below: np.ndarray
    most: np.ndarray

    def couplings(self, dofs: tuple[str, ...]) -> list[mk.Coupling]:
        """As Manikin takes them."""
        found = [
            mk.Coupling(dict(zip(dofs, row.tolist(), strict=True)), value, value)
            for row, value in zip(self.equal, self.equal_to.tolist(), strict=True)
        ]
        return found + [
            mk.Coupling(dict(zip(dofs, row.tolist(), strict=True)), upper=value)
            for row, value in zip(self.below, self.most.tolist(), strict=True)
        ]

    def constraints(self) -> list[dict]:
        """As SLSQP takes them."""
        return [
            {"type": "eq", "fun": lambda x: self.equal @ x - self.equal_to, "jac": lambda _x: self.equal},
            {"type": "ineq", "fun": lambda x: self.most - self.below @ x, "jac": lambda _x: -self.below},
        ]

    def violation(self, figure: mk.Figure, q: np.ndarray) -> float:
        """The largest break of a row (of unit length) or of a range."""
        return max(
            0.0,
            np.abs(self.equal @ q - self.equal_to).max(initial=0.0),
            (self.below @ q - self.most).max(initial=0.0),
            (figure.lower - q).max(),
            (q - figure.upper).max(),
        )


def no_rows(n: int) -> Rows:
    """Nothing but the ranges."""
    return Rows(np.zeros((0, n)), np.zeros(0), np.zeros((0, n)), np.zeros(0))


@dataclass(frozen=True)
class Outcome:
    """What one method made of one problem."""

    potential: float
    seconds: float
    violation: float
    iterations: int
    status: str
    q: np.ndarray

    def faster(self, again: Outcome) -> Outcome:
        """The same outcome with the lesser time of two runs."""
        return replace(self, seconds=min(self.seconds, again.seconds))


def random_rows(body: Body, problem: RandomProblem, seed: int, *, reachable: bool) -> Rows:
    """Rows of unit length through the pose that has the targets, or, out of reach, through another random pose."""
    rng = np.random.default_rng((seed, 1))
    middle = 0.5 * (body.figure.lower + body.figure.upper)
    half = 0.5 * (body.figure.upper - body.figure.lower)
    through = problem.pose if reachable else middle + 0.8 * half * rng.uniform(-1, 1, body.n)
    rows = rng.normal(size=(EQUALITIES + INEQUALITIES, body.n))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    equal, below = rows[:EQUALITIES], rows[EQUALITIES:]
    return Rows(equal, equal @ through, below, below @ through)


def feasible_start(body: Body, rows: Rows, start: np.ndarray) -> np.ndarray:
    """The nearest point to the start that satisfies rows and ranges, equalities to the last digits."""
    lower, upper = body.figure.lower, body.figure.upper
    found = minimize(
        lambda x: (0.5 * (x - start) @ (x - start), x - start),
        np.clip(start, lower, upper),
        jac=True,
        bounds=list(zip(lower, upper, strict=True)),
        constraints=rows.constraints(),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 200},
    ).x
    free = (found > lower + 1e-9) & (found < upper - 1e-9)
    found = np.where(free, found, np.where(found <= lower + 1e-9, lower, upper))
    for _ in range(2):
        found[free] -= np.linalg.lstsq(rows.equal[:, free], rows.equal @ found - rows.equal_to, rcond=None)[0]
    return np.clip(found, lower, upper)


def potential_of(problem: mk.Problem) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    """Manikin's compiled potential and gradient as SciPy takes them."""
    packed = Work(problem.spec).packed
    arrays = packed.structure, packed.parameters, packed.workspace
    gradient = np.empty(len(packed.variables))

    def value_and_slope(x: np.ndarray) -> tuple[float, np.ndarray]:
        return slope(*arrays, x, gradient), gradient.copy()

    return value_and_slope


def ours(problem: mk.Problem, rows: Rows, start: np.ndarray) -> Outcome:
    """The projection method."""
    begin = perf_counter()
    found = problem.solve(start, method="projection")
    seconds = perf_counter() - begin
    violation = rows.violation(problem.figure, found.q)
    return Outcome(found.cost, seconds, violation, found.iterations, found.status, found.q)


def peer(problem: mk.Problem, rows: Rows | None, start: np.ndarray) -> Outcome:
    """SLSQP where there are rows, L-BFGS-B where there are none."""
    figure = problem.figure
    function = potential_of(problem)
    bounds = list(zip(figure.lower, figure.upper, strict=True))
    begin = perf_counter()
    if rows is None:
        found = minimize(function, start, jac=True, bounds=bounds, method="L-BFGS-B", options=_LBFGSB)
    else:
        constraints = rows.constraints()
        found = minimize(
            function,
            start,
            jac=True,
            bounds=bounds,
            constraints=constraints,
            method="SLSQP",
            options=_SLSQP,
        )
    seconds = perf_counter() - begin
    violation = (rows or no_rows(figure.n)).violation(figure, found.x)
    return Outcome(float(found.fun), seconds, violation, int(found.nit), str(found.message), found.x)


def as_good(mine: Outcome, other: Outcome) -> bool:
    """Whether ours is at most the peer's potential, to rounding."""
    return mine.potential <= other.potential * (1.0 + RELATIVE) + ABSOLUTE


@dataclass(frozen=True)
class Loss:
    """A problem on which the peer ended lower, and why."""

    seed: int
    reachable: bool
    mine: Outcome
    other: Outcome
    polished: float

    @property
    def why(self) -> str:
        """``"other minimum"`` when the peer, started where we ended, cannot improve; else ``"not finished"``."""
        gain = self.mine.potential - self.polished
        return "other minimum" if gain <= RELATIVE * self.mine.potential + ABSOLUTE else "not finished"


@dataclass
class Comparison:
    """All outcomes of one kind of problem."""

    reachable: bool
    mine: list[Outcome]
    other: list[Outcome]
    losses: list[Loss]

    @property
    def share(self) -> float:
        """Per cent on which ours is as good."""
        return 100.0 * float(np.mean([as_good(a, b) for a, b in zip(self.mine, self.other, strict=True)]))

    @property
    def kept(self) -> float:
        """Per cent on which ours keeps every constraint to VIOLATION."""
        return 100.0 * float(np.mean([outcome.violation <= VIOLATION for outcome in self.mine]))

    @property
    def strictly_better(self) -> float:
        """Per cent on which the peer is not as good as ours."""
        return 100.0 * float(np.mean([not as_good(b, a) for a, b in zip(self.mine, self.other, strict=True)]))

    @property
    def ratio(self) -> float:
        """Median of the peer's time over ours."""
        return float(np.median([b.seconds / a.seconds for a, b in zip(self.mine, self.other, strict=True)]))


def compare(body: Body, count: int, rounds: int, *, reachable: bool, with_rows: bool) -> Comparison:
    """Both methods on the problems of seeds 0, 1, …, in turns on each; the time is the least of the rounds."""
    comparison = Comparison(reachable, [], [], [])
    for seed in range(count):
        drawn = random_problem(body, seed, reachable=reachable)
        rows = random_rows(body, drawn, seed, reachable=reachable) if with_rows else no_rows(body.n)
        start = feasible_start(body, rows, drawn.start) if with_rows else drawn.start
        problem = mk.Problem(
            body.figure, body.goals(drawn.targets), constraints=rows.couplings(body.figure.dofs)
        )
        given = rows if with_rows else None
        if seed == 0:
            ours(problem, rows, start)
        mine, other = ours(problem, rows, start), peer(problem, given, start)
        for _ in range(rounds - 1):
            mine = mine.faster(ours(problem, rows, start))
            other = other.faster(peer(problem, given, start))
        comparison.mine.append(mine)
        comparison.other.append(other)
        if not as_good(mine, other):
            polished = peer(problem, given, mine.q).potential
            comparison.losses.append(Loss(seed, reachable, mine, other, polished))
    return comparison


def _row(table: Table, method: str, comparison: Comparison) -> None:
    mine, other = comparison.mine, comparison.other
    kind = "reachable" if comparison.reachable else "out of reach"
    table.add(
        method,
        kind,
        len(mine),
        comparison.share,
        comparison.strictly_better,
        comparison.kept,
        max(o.violation for o in mine),
        max(o.violation for o in other),
        float(np.median([o.seconds for o in mine])) * 1e6,
        float(np.median([o.seconds for o in other])) * 1e6,
        comparison.ratio,
        float(np.median([o.iterations for o in mine])),
        float(np.median([o.iterations for o in other])),
    )


COLUMNS = (
    "peer",
    "problems",
    "count",
    "as good, %",
    "better, %",
    "constraints kept, %",
    "our violation",
    "its violation",
    "our µs",
    "its µs",
    "time ratio",
    "our iterations",
    "its iterations",
)
VIOLATION_COLUMNS = (
    "problems",
    "seed",
    "our violation",
    "our P",
    "SLSQP's P",
    "our status",
    "our iterations",
)
LOSS_COLUMNS = (
    "problems",
    "seed",
    "our P",
    "its P",
    "P polished from ours",
    "why",
    "our status",
    "our iterations",
)


def _losses(title: str, comparisons: list[Comparison]) -> Table:
    table = Table(title, LOSS_COLUMNS)
    for comparison in comparisons:
        for loss in comparison.losses:
            table.add(
                "reachable" if loss.reachable else "out of reach",
                loss.seed,
                f"{loss.mine.potential:.6g}",
                f"{loss.other.potential:.6g}",
                f"{loss.polished:.6g}",
                loss.why,
                loss.mine.status,
                loss.mine.iterations,
            )
    return table


def _violations(comparisons: list[Comparison]) -> Table:
    """The problems on which ours breaks a constraint the most."""
    table = Table(
        f"Problems on which ours breaks a constraint by more than {VIOLATION:g} (the worst {_WORST})",
        VIOLATION_COLUMNS,
    )
    broken = [
        (mine.violation, comparison.reachable, seed, mine, other)
        for comparison in comparisons
        for seed, (mine, other) in enumerate(zip(comparison.mine, comparison.other, strict=True))
        if mine.violation > VIOLATION
    ]
    for violation, reachable, seed, mine, other in sorted(broken, key=lambda entry: -entry[0])[:_WORST]:
        kind = "reachable" if reachable else "out of reach"
        table.add(kind, seed, violation, mine.potential, other.potential, mine.status, mine.iterations)
    return table


def run(quick: bool = False) -> Section:
    """Compare on 500 reachable and 500 out-of-reach problems of 31 degrees of freedom; 10 of each when quick."""
    body = torso31()
    count, rounds = (10, 1) if quick else (500, 3)
    table = Table(
        f"Same potential, same starts; ours is as good when P ≤ P' (1 + {RELATIVE:g}) + {ABSOLUTE:g}", COLUMNS
    )
    slsqp = [compare(body, count, rounds, reachable=r, with_rows=True) for r in (True, False)]
    lbfgsb = [compare(body, count, rounds, reachable=r, with_rows=False) for r in (True, False)]
    for method, comparisons in (("SLSQP", slsqp), ("L-BFGS-B", lbfgsb)):
        for comparison in comparisons:
            _row(table, method, comparison)
    violation = max(o.violation for c in (*slsqp, *lbfgsb) for o in c.mine)
    ratio = float(
        np.median([b.seconds / a.seconds for c in slsqp for a, b in zip(c.mine, c.other, strict=True)])
    )
    return Section(
        "scipy_peers",
        "31 degrees of freedom with limits, four random equalities and two random inequalities, against "
        "SciPy's SLSQP; limits only, against L-BFGS-B. Both are given Manikin's compiled potential and gradient.",
        [
            table,
            _violations(slsqp),
            _losses("Problems on which SLSQP ended lower", slsqp),
            _losses("Problems on which L-BFGS-B ended lower", lbfgsb),
        ],
        [
            Requirement("largest violation of a constraint by ours", violation, VIOLATION),
            Requirement("reachable: as good as SLSQP, %", slsqp[0].share, 99.0, at_least=True),
            Requirement("out of reach: as good as SLSQP, %", slsqp[1].share, 90.0, at_least=True),
            Requirement("median of SLSQP's time over ours", ratio, 20.0, at_least=True),
        ],
    )

"""The reach hierarchy on chains in the plane and in space: goals of legal poses, goals outside, and least turns.

Goals of random legal poses are to be reached, each from a random legal start. Goals outside lie 1 to 20 cm from the
workspace, as many in each centimetre, by a dense search. From the 20 nearest of some 170,000 sampled poses damped
steps go nearer, and SciPy's bounded least squares goes on from the best. Beside couplings and cones it is the steps
alone, which may break these to come nearer. Least turns are compared with brute force: nested grids over the hinges of
planar chains, the last two by the law of cosines; elsewhere `solve_many` tries twelve nearer turns on either side from
20 further starts. The peak of memory is that of Python's and NumPy's own allocations.
"""

from __future__ import annotations

import tracemalloc
from time import process_time

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial import cKDTree
from tests.reach.arms import CASES, legal

import manikin as mk
from benchmarks.tables import Requirement, Section, Table
from manikin.reach import Hierarchy
from manikin.reach.hierarchy import store
from manikin.reach.hierarchy.meet import meet

BUILD = ("chain", "coordinates", "tables, MB", "peak while made, MB", "made, s of processor time")
INSIDE = (
    "chain",
    "goals",
    "reached",
    "open",
    "refused",
    "farthest from its goal, m",
    "ms of processor time, median",
    "99 %",
)
EDGE = ("chain", "goals of poses at limits", "reached", "open", "refused")
OUTSIDE = (
    "chain", "goals", "refused", "open", "reached", "refused, 1–2 cm", "refused, 2–5 cm", "bound / distance, median",
    "ms of processor time, median", "99 %",
)  # fmt: skip
TURNS = ("chain", "goals", "turns checked", "greater than necessary", "by at most", "against")
NEAR, FAR = 0.01, 0.20
_NEAREST = 20


def run(quick: bool = False) -> Section:
    """All tables."""
    tables = blank()
    goals = 20 if quick else 1000
    for name in ("planar, 4 hinges", "PUMA 560, 5 cm tool") if quick else CASES:
        measure(name, goals, tables)
    return Section("hierarchy", __doc__ or "", tables, requirements(tables, goals))


def blank() -> list[Table]:
    """The tables, empty."""
    return [
        Table("Tables of the sets", BUILD),
        Table("Goals of legal poses", INSIDE),
        Table("Goals of poses at the limits", EDGE),
        Table("Goals outside", OUTSIDE),
        Table("Least turns", TURNS),
    ]


def requirements(tables: list[Table], goals: int) -> list[Requirement]:
    """What must hold of every chain."""
    build, inside, edge, outside, turns = tables
    refused = [float(row[2]) / float(row[1]) for row in outside.rows]  # type: ignore[arg-type]
    worse = [float(row[3]) / max(float(row[2]), 1.0) for row in turns.rows]  # type: ignore[arg-type]
    return [
        Requirement("seconds to make a chain's tables", _most(build, "made, s of processor time"), 20.0),
        Requirement("megabytes at most while they are made", _most(build, "peak while made, MB"), 200.0),
        Requirement("goals of legal poses refused, most of any chain", _most(inside, "refused"), 0.0),
        Requirement("share of goals of legal poses left open, most", _most(inside, "open") / goals, 0.01),
        Requirement("goals at limits refused, most", _most(edge, "refused"), 0.0),
        Requirement("goals outside called reached, most", _most(outside, "reached"), 0.0),
        Requirement("share of goals outside refused with proof, least", min(refused), 0.95, at_least=True),
        Requirement("share of turns greater than necessary by more than 0.01, most", max(worse), 0.01),
    ]


def _most(table: Table, column: str) -> float:
    return max(float(value) for value in table.column(column))  # type: ignore[arg-type]


def measure(name: str, goals: int, tables: list[Table]) -> None:
    """One row of each table."""
    figure, site, free = CASES[name]()
    hierarchy, seconds, peak = made(figure, site, free)
    tables[0].add(name, len(hierarchy.dofs), hierarchy.nbytes / 1e6, peak, seconds)
    dofs = hierarchy.dofs
    poses = legal(figure, dofs, 2 * goals, seed=7)
    starts = poses[goals:]
    answers, ms = solved(hierarchy, places(figure, site, poses[:goals]), starts)
    miss = max((a.miss for a in answers if a.reached), default=np.nan)
    tables[1].add(name, goals, *counted(answers), miss, float(np.median(ms)), float(np.quantile(ms, 0.99)))
    few = max(goals // 5, 5)
    at_limits = brought_to_limits(figure, dofs, poses[:few])
    edges, _ = solved(hierarchy, places(figure, site, at_limits), starts)
    tables[2].add(name, len(edges), *counted(edges))
    points, away, legal_away = outside(hierarchy, goals)
    beyond, ms = solved(hierarchy, points, starts)
    refused = np.array([a.outside == 1 for a in beyond])
    near = [f"{refused[(away >= a) & (away < b)].sum()} of {((away >= a) & (away < b)).sum()}"
            for a, b in ((0.01, 0.02), (0.02, 0.05))]  # fmt: skip
    reached, left, sure = counted(beyond)
    share = float(np.median([a.bound / d for a, d in zip(beyond, away, strict=True)]))
    if any(a.bound > d + 1e-6 for a, d in zip(beyond, legal_away, strict=True)):
        raise AssertionError(f"{name}: a bound above the distance of a legal pose")
    tables[3].add(
        name,
        len(beyond),
        sure,
        left,
        reached,
        *near,
        share,
        float(np.median(ms)),
        float(np.quantile(ms, 0.99)),
    )
    if name.startswith("planar") and len(dofs) <= 5:
        more = planar_excess(hierarchy, {3: goals // 5, 4: goals // 20, 5: goals // 100}[len(dofs)] or 2)
        tables[4].add(name, *more, "nested grids")
    else:
        k = max(goals // 100, 2)
        more = searched_excess(hierarchy, places(figure, site, poses[:k]), starts[:k], answers[:k])
        tables[4].add(name, *more, "searches")


def made(figure: mk.Figure, site: str, free: list[str] | None) -> tuple[Hierarchy, float, float]:
    """A hierarchy made afresh, the seconds that it took, and the peak of memory while it was made once more, MB."""
    store.forget()
    tracemalloc.start()
    Hierarchy(figure, site, free=free)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    store.forget()
    begin = process_time()
    hierarchy = Hierarchy(figure, site, free=free)
    return hierarchy, process_time() - begin, peak


def places(figure: mk.Figure, site: str, poses: np.ndarray) -> np.ndarray:
    """Where the site is in poses, (count, 3)."""
    return np.ascontiguousarray(figure.forward(poses, [site])[:, 0, :3, 3])


def solved(hierarchy: Hierarchy, goals: np.ndarray, starts: np.ndarray) -> tuple[list, np.ndarray]:
    """The answers, and the milliseconds of each."""
    answers, ms = [], []
    for goal, start in zip(goals, starts, strict=False):
        begin = process_time()
        answers.append(hierarchy.solve(goal, start))
        ms.append(1e3 * (process_time() - begin))
    return answers, np.array(ms)


def counted(answers: list) -> tuple[int, int, int]:
    """How many were reached, open and refused."""
    return (
        sum(a.reached for a in answers),
        sum(a.verdict == "open" for a in answers),
        sum(a.outside == 1 for a in answers),
    )


def brought_to_limits(figure: mk.Figure, dofs: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """The poses with about every second coordinate on a limit or at 0, where that breaks no coupling and no cone."""
    rng = np.random.default_rng(5)
    found = poses.copy()
    for q in found:
        for j in rng.permutation(dofs):
            if rng.random() < 0.5:
                before = q[j]
                q[j] = np.clip(
                    rng.choice([figure.lower[j], figure.upper[j], 0.0]), figure.lower[j], figure.upper[j]
                )
                values = dict(zip(figure.dofs, q, strict=True))
                broken = any(not c.lower <= c.value(values) <= c.upper for c in figure.couplings)
                if broken or any(cone.value(q) > 1.0 for cone in figure.cones):
                    q[j] = before
    return found


def outside(hierarchy: Hierarchy, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Goals 1 to 20 cm outside of the workspace, as many in each centimetre; their distances by dense search, which may
    break couplings and cones for less distance; and the distances to a pose that breaks none.
    """
    figure, site, dofs = hierarchy.figure, hierarchy.site, hierarchy.dofs
    rng = np.random.default_rng(3)
    poses = legal(figure, dofs, 150_000, seed=9)
    poses = np.concatenate(
        [poses, brought_to_limits(figure, dofs, poses[:20_000]) if figure.n < 20 else poses[:0]]
    )
    cloud = places(figure, site, poses)
    tree, samples = cKDTree(cloud), poses[:, dofs].T
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    flat = high - low < 1e-9
    want, have = int(np.ceil(count / 19)), np.zeros(19, int)
    goals: list[np.ndarray] = []
    away: list[float] = []
    legal_away: list[float] = []
    while len(goals) < count:
        p = rng.uniform(low - FAR * ~flat, high + FAR * ~flat)
        near, order = tree.query(p, _NEAREST)
        bins = min(int(100.0 * near[0]), 19)
        if not NEAR < near[0] < 3.0 * FAR or (have[:bins] >= want).all():
            continue
        q, miss = meet(
            hierarchy.chain, 1.0, np.repeat(hierarchy.chain.seen(p), _NEAREST, axis=1), samples[:, order], 0,
            np.arange(len(dofs)),
        )  # fmt: skip
        d = best = float(miss.min())
        k = int(np.floor(100.0 * d)) - 1
        if not (0 <= k < 19 and have[k] < want):
            continue
        if figure.couplings or figure.cones:
            best = float(near[0])
        else:
            d = best = min(d, _by_scipy(hierarchy, p, q[:, int(np.argmin(miss))]))
        if d >= NEAR:
            have[k] += 1
            goals.append(p)
            away.append(d)
            legal_away.append(best)
    return np.array(goals), np.array(away), np.array(legal_away)


def _by_scipy(hierarchy: Hierarchy, goal: np.ndarray, x: np.ndarray) -> float:
    figure, dofs = hierarchy.figure, hierarchy.dofs
    q = np.array(figure.rest)

    def gap(x: np.ndarray) -> np.ndarray:
        q[dofs] = x
        return figure.forward(q, [hierarchy.site])[0, :3, 3] - goal

    ends = figure.lower[dofs], figure.upper[dofs]
    found = least_squares(gap, np.clip(x, ends[0] + 1e-9, ends[1] - 1e-9), bounds=ends, max_nfev=30)
    return float(np.sqrt(2.0 * found.cost))


def two_links_reach(x: np.ndarray, y: np.ndarray, end: float) -> np.ndarray:
    """Whether two unit links with hinges within ±end reach these points: the law of cosines."""
    with np.errstate(invalid="ignore"):
        bend = np.arccos((x * x + y * y - 2.0) / 2.0)
    found = np.zeros(x.shape, bool)
    for b in (bend, -bend):
        first = np.arctan2(y, x) - np.arctan2(np.sin(b), 1.0 + np.cos(b))
        first -= 2.0 * np.pi * np.round(first / (2.0 * np.pi))
        found |= (np.abs(first) <= end) & (np.abs(b) <= end)
    return found


def links_reach(x: np.ndarray, y: np.ndarray, links: int, end: float, grid: int) -> np.ndarray:
    """Whether so many unit links reach these points, by a grid over all hinges but the last two."""
    if links == 2:
        return two_links_reach(x, y, end)
    turns = np.linspace(-end, end, grid)
    c, s = np.cos(turns), np.sin(turns)
    a, b = c * x[..., None] + s * y[..., None] - 1.0, c * y[..., None] - s * x[..., None]
    return links_reach(a, b, links - 1, end, grid).any(axis=-1)


def planar_excess(hierarchy: Hierarchy, goals: int) -> tuple[int, int, int, float]:
    """Turns of unit links with hinges of ±1.5 rad against the least that nested grids find: goals, turns, worse,
    worst.
    """
    n, end, turned, more = len(hierarchy.dofs), 1.5, 0, [0.0]
    grid = {3: 2, 4: 3000, 5: 250}[n]
    rng = np.random.default_rng(3)
    for _ in range(goals):
        pose, start = rng.uniform(-end, end, (2, n))
        goal = places(hierarchy.figure, hierarchy.site, pose[None])[0]
        q, (x, y) = hierarchy.solve(goal, start).q, goal[:2]
        for i in range(n - 2):
            way = abs(q[i] - start[i])
            if way > 1e-6:
                turned += 1
                shares = np.linspace(0.0, 1.0, 401)[:-1]
                feasible = np.zeros(len(shares), bool)
                for sign in (-1.0, 1.0):
                    turn = start[i] + sign * shares * way
                    a, b = np.cos(turn) * x + np.sin(turn) * y - 1.0, np.cos(turn) * y - np.sin(turn) * x
                    feasible |= links_reach(a, b, n - i - 1, end, grid) & (np.abs(turn) <= end)
                if feasible.any():
                    more.append(way * (1.0 - float(shares[np.argmax(feasible)])))
            c, s = np.cos(q[i]), np.sin(q[i])
            x, y = c * x + s * y - 1.0, c * y - s * x
    return goals, turned, int((np.array(more) > 0.01).sum()), max(more)


def searched_excess(
    hierarchy: Hierarchy, goals: np.ndarray, starts: np.ndarray, answers: list
) -> tuple[int, int, int, float]:
    """Turns against the nearer of twelve that the solver meets the goal at: goals, turns, worse, worst."""
    figure, site = hierarchy.figure, hierarchy.site
    turned, more = 0, [0.0]
    order = hierarchy.order
    for goal, start, answer in zip(goals, starts, answers, strict=True):
        for at, j in enumerate(order[:-1]):
            way = answer.q[j] - start[j]
            if abs(way) < 1e-2:
                continue
            turned += 1
            shares = np.linspace(0.0, 1.0 - 5e-3 / abs(way), 12)
            held = np.repeat(start[None], 2 * len(shares), axis=0)
            held[:, order[:at]] = answer.q[order[:at]]
            held[:, j] = np.clip(
                start[j] + np.append(shares, -shares) * way, figure.lower[j], figure.upper[j]
            )
            for each, share in zip(held, np.append(shares, shares), strict=True):
                found = mk.solve_many(
                    figure.pose(each),
                    [mk.Position(site, goal)],
                    q0=each[None],
                    free=[figure.dofs[k] for k in order[at + 1 :]],
                    tolerance=(1e-9, 1e-3),
                    restarts=20,
                    multistart=False,
                )
                if found.reached.any():
                    more.append(abs(way) * (1.0 - share))
                    break
    return len(goals), turned, int((np.array(more) > 0.01).sum()), max(more)

"""How a version of the package spells what the loads ask for; whatever is renamed is renamed here.

The timed loops stand here too, so that either way of dragging is called as its users call it, with nothing between.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

import manikin as mk
from benchmarks.loads.load import Load, Targets, Wanted


def figure(given: dict[str, Any]) -> Any:
    """The figure of a load."""
    if "human" in given:
        return mk.human(**given["human"])
    return mk.load(given["urdf"], base=given["base"])


def dofs(problem: Any) -> list[str]:
    """The names of the degrees of freedom, in the order of a solution's q."""
    return list(problem.figure.dofs)


def rest(problem: Any) -> np.ndarray:
    """The coordinates at rest."""
    return np.array(problem.figure.rest, float)


def _named(*names: str) -> Any:
    """The first of some names that this version has at its top."""
    for name in names:
        if hasattr(mk, name):
            return getattr(mk, name)
    raise AttributeError(f"this version has none of {', '.join(names)}")


def _goal(wanted: Wanted, pose: Any) -> Any:
    """A goal; its target, which every call brings along, is where its site is at rest."""
    site, options = wanted.site, dict(wanted.options)
    match wanted.kind:
        case "position":
            return mk.Position(site, pose.position(site), **options)
        case "placement":
            frame = pose.matrix(site)
            return mk.Placement(site, frame[:3, 3], frame[:3, :3], **options)
        case "aim":
            return _named("Aim", "LookAt")(site, np.array([3.0, 0.0, 1.5]), **options)
        case "pin":
            return mk.Pin(site, **options)
        case "balance":
            return mk.Balance(**options)
        case "outside":
            box, ball = options.pop("box", None), options.pop("ball", None)
            region = mk.Box(*box) if box else _named("Ball", "Sphere")(*ball)
            return mk.Outside(site, region, **options)
        case "posture" | "discomfort":
            return getattr(mk, wanted.kind.capitalize())()
        case "least_change":
            return mk.LeastChange()
    raise ValueError(f"unknown kind of goal: {wanted.kind}")


def problem(load: Load, figure: Any) -> Any:
    """The problem of a load, prepared once."""
    pose = figure.pose()
    levels: list[list[Any]] = [[] for _ in range(1 + max(wanted.level for wanted in load.goals))]
    for wanted in load.goals:
        levels[wanted.level].append(_goal(wanted, pose))
    more: dict[str, Any] = {"constraints": load.constraints} if load.constraints else {}
    if load.free is not None:
        more["free"] = load.free
    goals = levels if len(levels) > 1 else levels[0]
    return mk.Problem(figure, goals, tolerance=load.tolerance, natural=load.natural, **more)


def solve_each(
    problem: Any, starts: list[np.ndarray], targets: list[Targets], read: bool
) -> tuple[np.ndarray, list[Any]]:
    """Solve one by one; the seconds from a target handed in to the answer read, and the solutions.

    read: read ``reached`` too, which looks at the answer once more.
    """
    seconds, found = np.empty(len(starts)), []
    for number, (start, given) in enumerate(zip(starts, targets, strict=True)):
        begin = perf_counter()
        solution = problem.solve(start, targets=given)
        if read:
            solution.reached  # noqa: B018 — it computes
        solution.q  # noqa: B018
        seconds[number] = perf_counter() - begin
        found.append(solution)
    return seconds, found


def follow(
    problem: Any, start: np.ndarray, approach: tuple[Targets, ...], targets: list[Targets], read: bool
) -> tuple[np.ndarray, list[Any]]:
    """Drag: each target from the answer to the one before, as `solve_each` otherwise."""
    if hasattr(problem, "session"):
        return _by_session(problem, start, approach, targets, read)
    q = start
    for given in approach:
        q = problem.solve(q, targets=given).q
    seconds, found = np.empty(len(targets)), []
    for number, given in enumerate(targets):
        begin = perf_counter()
        solution = problem.solve(q, targets=given)
        if read:
            solution.reached  # noqa: B018
        q = solution.q
        seconds[number] = perf_counter() - begin
        found.append(solution)
    return seconds, found


def _by_session(
    problem: Any, start: np.ndarray, approach: tuple[Targets, ...], targets: list[Targets], read: bool
) -> tuple[np.ndarray, list[Any]]:
    session = problem.session(start)
    for given in approach:
        session.solve(given)
    seconds, found = np.empty(len(targets)), []
    for number, given in enumerate(targets):
        begin = perf_counter()
        solution = session.solve(given)
        if read:
            solution.reached  # noqa: B018
        solution.q  # noqa: B018
        seconds[number] = perf_counter() - begin
        found.append(solution)
    return seconds, found


def seen(problem: Any, q: np.ndarray, sites: list[str]) -> np.ndarray:
    """The frames of sites at a configuration, (sites, 4, 4)."""
    pose = problem.figure.pose(q)
    return np.array([pose.matrix(site) for site in sites]).reshape(len(sites), 4, 4)


def outside(problem: Any, q: np.ndarray) -> float:
    """How far a configuration is outside its limits, at most."""
    body = problem.figure
    return float(max(np.max(body.lower - q, initial=0.0), np.max(q - body.upper, initial=0.0)))


def reached(solution: Any) -> bool:
    """Whether a version claims that all is met."""
    return bool(solution.reached)


def compiled() -> str:
    """Which kernels this version runs."""
    from manikin.kernels import jit

    library = getattr(jit, "PREBUILT", None)
    return "Numba's kernels" if library is None else str(getattr(library, "__file__", library))

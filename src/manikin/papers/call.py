"""Run a method of the papers on a Problem, and say honestly what it found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import product
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.engines import nonlinear
from manikin.errors import PoseError, SolveError
from manikin.figure import Pose
from manikin.goals import Potential
from manikin.papers.asked import choices_of
from manikin.papers.constraint import Constraint, checked
from manikin.papers.limits import Limits
from manikin.papers.names import KNOW_LIMITS
from manikin.papers.projection.potential import Total
from manikin.papers.stationary import is_stationary
from manikin.papers.view import OutOfTime, View
from manikin.plan.methods import Ended
from manikin.result.explain.limits import in_words

if TYPE_CHECKING:
    from manikin.plan.specification import Specification
    from manikin.residuals import Block

_TURN = 2.0 * np.pi
_FARTHEST = 1e9
# What counts as on a limit.
_TOUCH = 1e-9
# Of the range of a coordinate that begins on a limit, how far inside the second attempt begins. From the human's rest,
# 12 targets that the arm can reach, L-BFGS-B reaches 8 with 0.01 and 12 with 0.1, 0.25 and 0.4, as `bounded` does.
_INNER = 0.1
# Combinations of alternatives that are tried at most.
_MOST_CHOICES = 64


def run(
    method: str,
    problem: Specification,
    start: np.ndarray,
    options: Mapping[str, Any] | None,
    deadline: float | None,
    meant: np.ndarray | None = None,
) -> Ended:
    """Solve from ``start``; goals that keep what is mean the pose ``meant``, by default the start.

    A start that breaks a linear coupling is first moved to the nearest point that breaks none. A method may end
    outside the ranges and couplings, or run away: then q is the last point of its way inside them, and
    ``details["left"]`` says which its end was beyond, and by how much. Of goals that offer alternatives, one after
    the other is tried, the nearest to the start first, until all goals are met; otherwise the best is kept. A method
    that keeps within limits and misses a goal from a start that touches some of them begins once more a little inside
    (``details["began_inside"]``).
    """
    far = np.flatnonzero(~(np.abs(start) < _FARTHEST))
    if len(far):
        name = problem.figure.dofs[int(far[0])]
        raise PoseError(f"the start must be finite and below 1e9: {name!r} is {start[far[0]]}")
    function, given, constraints = _method(method, options)
    _refuse_ranks(problem, method)
    kept = np.clip(start if meant is None else meant, problem.figure.lower, problem.figure.upper)
    choices = choices_of(problem.goals, Pose(problem.figure, kept), method)
    first = View(problem, start, method, chosen=[c[0] if c else () for c in choices], constraints=constraints)
    begun = _begun(problem, start)
    if begun is None:
        found = _measured(first, start)
        found.status, found.reached, found.choice = "infeasible", False, (0,) * len(choices)
        found.details = {"method": method, "left_limits": False, "left": {}}
        return found
    best: Ended | None = None
    wished = method == "lagrange" or given.get("objective") is not None
    for choice, inner in _attempts(problem, begun, choices, method, constraints, wished=wished):
        chosen = [c[which] if c else () for c, which in zip(choices, choice, strict=True)]
        view = View(problem, begun, method, deadline, chosen=chosen, constraints=constraints, inner=inner)
        found = _by(view, function, given)
        found.choice, found.details["began_inside"] = choice, inner > 0.0
        if best is not None:
            found.iterations += best.iterations
            found.evaluations += best.evaluations
            if (found.reached, -found.potential) <= (best.reached, -best.potential):
                best.iterations, best.evaluations = found.iterations, found.evaluations
                found = best
        best = found
        if best.reached or (deadline is not None and perf_counter() > deadline):
            break
    assert best is not None
    best.began = None if np.array_equal(begun, start) else begun
    return best


def _attempts(
    problem: Specification,
    begun: np.ndarray,
    choices: Sequence[Sequence[Sequence[Block]]],
    method: str,
    constraints: Sequence[Constraint],
    *,
    wished: bool,
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every combination of alternatives from the start; then from inside the limits that the start touches.

    A limb that begins on its limits is straight, and singular there: methods that keep within limits then end where
    they need not. Methods that know no limits are left as printed. With an objective the inside comes first, since
    there the least is found.
    """
    order = list(_in_order(problem, begun, choices, method, constraints))
    chosen = [c[0] if c else () for c in choices]
    view = View(problem, begun, method, chosen=chosen, constraints=constraints)
    touches = method in KNOW_LIMITS and (view.limits.touched(view.start) & view.limits.movable).any()
    begins = ((_INNER, 0.0) if wished else (0.0, _INNER)) if touches else (0.0,)
    yield from ((choice, inner) for inner in begins for choice in order)


def _method(
    method: str, options: Mapping[str, Any] | None
) -> tuple[Callable[..., dict[str, Any]], dict[str, Any], tuple[Constraint, ...]]:
    """The method's function, its options, and the constraints among them."""
    module = import_module(f"manikin.papers.methods.{method}")
    if not isinstance(options or {}, Mapping):
        raise SolveError(f"method {method!r}: options must map names to values, got {options!r}")
    given = dict(options or {})
    known = list(inspect.signature(module.run).parameters)[1:]
    takes = getattr(module, "CONSTRAINTS", True)
    if takes:
        known.append("constraints")
    for name in given:
        if name not in known:
            raise SolveError(f"method {method!r} has no option {name!r}; expected one of: {', '.join(known)}")
    return module.run, given, checked(given.pop("constraints", ()), method)


def _refuse_ranks(problem: Specification, method: str) -> None:
    """The papers weigh goals against each other; none is held above another."""
    hard = [goal for goal in problem.goals if getattr(goal, "hard", False)]
    if hard or len(set(problem.ranks)) > 1:
        what = f"a hard goal ({hard[0].label()})" if hard else "levels of priority"
        raise SolveError(
            f"method {method!r} cannot honour {what}, since it weighs its goals against each other; use method='auto'"
        )


def _in_order(
    problem: Specification,
    begun: np.ndarray,
    choices: Sequence[Sequence[Sequence[Block]]],
    method: str,
    constraints: Sequence[Constraint],
) -> Iterator[tuple[int, ...]]:
    """Every combination of alternatives, that of the least potential at the start first."""
    counts = [max(len(c), 1) for c in choices]
    if prod(counts) == 1:
        yield (0,) * len(counts)
        return
    if prod(counts) > _MOST_CHOICES:
        raise SolveError(
            f"method {method!r} tries every combination of alternatives, at most {_MOST_CHOICES}, and here are "
            f"{prod(counts)}; use method='auto'"
        )

    def potential(choice: tuple[int, ...]) -> float:
        chosen = [c[which] if c else () for c, which in zip(choices, choice, strict=True)]
        view = View(problem, begun, method, chosen=chosen, constraints=constraints)
        return Total(view)(view.start)[0]

    yield from sorted(product(*(range(count) for count in counts)), key=potential)


def _by(
    view: View,
    function: Callable[..., dict[str, Any]],
    given: Mapping[str, Any],
) -> Ended:
    """Run a method from the view's start."""
    details: dict[str, Any] = {}
    cut = False
    if view.parts or view.potentials:
        if view.method != "projection":
            view.no_potentials()
        try:
            details = function(view, **given) if len(view.variables) else {}
        except (OutOfTime, FloatingPointError):
            cut = True
    view.deadline, steps, evaluations = None, view.iterations, view.evaluations
    end = _inside(view, view.way[-1])
    left = end is None
    if end is None:
        end = next(x for x in (_inside(view, x) for x in reversed(view.way)) if x is not None)
    found = _measured(view, view.full(end))
    stuck = not (left or cut) and is_stationary(view, end)
    found.status = "reached" if found.reached else "stationary" if stuck else "stopped"
    found.iterations, found.evaluations = steps, evaluations
    details["method"] = view.method
    details["left_limits"] = left
    details["left"] = _left(view, _unwound(view, view.way[-1])) if left else {}
    for part in view.parts:
        if part.goal < 0:
            details.setdefault("constraints", {})[part.label] = part.value(view.motions.at(end))
    found.details = details
    return found


def _begun(problem: Specification, start: np.ndarray) -> np.ndarray | None:
    """The start, or the nearest point that breaks no linear coupling; None where there is none."""
    figure = problem.figure
    q = start.copy()
    nonlinear.bring_in(figure, q)
    inside = np.clip(q, figure.lower, figure.upper)
    every = Limits.of(figure, np.arange(figure.n), problem.couplings, inside)
    if every.worst(inside) <= 1e-11:
        return start
    variables = np.flatnonzero(problem.free)
    limits = Limits.of(figure, variables, problem.couplings, inside)
    moved = limits.brought_in(inside[variables])
    if moved is None:
        return None
    inside[variables] = moved
    return inside if every.worst(inside) <= _TOUCH else None


def _unwound(view: View, x: np.ndarray) -> np.ndarray:
    """The same pose with whole turns taken out where that brings a coordinate into its range."""
    x = x.copy()
    for i in np.flatnonzero(view.concern.periodic):
        nearest = x[i] - _TURN * np.round((x[i] - view.start[i]) / _TURN)
        within = (view.lower[i] <= x[i]) & (x[i] <= view.upper[i])
        for value in (nearest, nearest - _TURN, nearest + _TURN):
            if view.lower[i] <= value <= view.upper[i] and (not within or value == nearest):
                x[i] = value
                break
    return x


def _inside(view: View, x: np.ndarray) -> np.ndarray | None:
    """The same pose inside the ranges and couplings, whole turns taken out where need be; None if it is outside.

    What is beyond a limit by rounding only is on it.
    """
    x = _unwound(view, x)
    return view.limits.nearest(x) if view.limits.worst(x) <= _TOUCH else None


def _left(view: View, x: np.ndarray) -> dict[str, float]:
    """By how much x is beyond each range and coupling that it has left: above the upper end, or (negative) below."""
    figure, limits = view.figure, view.limits
    ranges, couplings = limits.excess(x)
    found = {
        figure.dofs[view.variables[i]]: float(ranges[i]) for i in np.flatnonzero(np.abs(ranges) > _TOUCH)
    }
    for r in np.flatnonzero(np.abs(couplings) > _TOUCH):
        coupling = limits.couplings[r]
        side = "equal" if coupling.equality else "upper" if couplings[r] > 0.0 else "lower"
        found[in_words(figure, coupling, side)] = float(couplings[r] * limits.length[r])
    return found


def _measured(view: View, q: np.ndarray) -> Ended:
    """Potential, misses and whether all goals and constraints are met at q."""
    x, pose = q[view.variables], Pose(view.figure, q)
    placed = view.motions.at(x)
    reached = all(part.miss(placed) <= part.allowed for part in view.parts)
    for goal in view.problem.goals:
        if isinstance(goal, Potential) and goal.weight > 0.0:
            frame = pose.matrix(goal.site)
            reached = reached and goal.by_twist(frame[:3, 3], frame[:3, :3])[0] <= goal.tolerance
    return Ended(
        q,
        reached=reached,
        potential=Total(view)(x)[0] if view.parts or view.potentials else 0.0,
        misses=tuple(part.miss(pose) for part in view.asked),
    )

"""Limits as a penalty in the objective (Korein and Badler, *Extensions for inequality constraints*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from manikin.goals import Objective
from manikin.papers.asked import Ends
from manikin.papers.equality import Program, differences, minimise
from manikin.papers.follow import counts, positive
from manikin.papers.interior import Interior
from manikin.papers.objective import Function, Given, objective_of
from manikin.papers.view import View


def run(
    view: View,
    objective: Given | Objective | None = None,
    first: float = 1e-2,
    last: float = 1e-11,
    factor: float = 0.1,
    iterations: int = 30,
) -> dict[str, Any]:
    """Minimise ‖X − f(θ)‖² + μ B(θ), B = −Σ ln(Sθ − s₀), for μ from ``first`` down to ``last``.

    Sθ − s₀ are the distances from the ranges' ends and from those of the couplings. B grows without bound towards
    either, so no step crosses one. (Of a limit with one end only it is ln(1 + 1/(Sθ − s₀)), which does not fall
    without bound far away.) Couplings that are equalities are kept by steps in their null space. As μ falls
    the minimum goes where the limits allow it. Each minimisation is Gauss–Newton with B's own second derivatives,
    the step cut to stay inside and halved until the sum falls. A start on a limit is first moved off it a little
    (`interior`).

    On the way to a goal with a range, such as a box (3), what it is beyond its range counts as any other goal's miss
    does.

    With an objective F, the penalty is incorporated into it: on the way to the goals μ (F + B) takes the place of μ
    B, and once they are met F(θ) + μ B(θ) is minimised subject to f(θ) = X by Newton's method on the Lagrangian
    (`equality`), again for smaller and smaller μ, so that the objective itself prohibits what is outside. Then the
    ends of the goals' ranges are in B too, and the way to the goals leads a little beyond them.

    objective: as for `lagrange`; none by default. factor: what μ is multiplied by. iterations: steps at most for
    each μ.
    """
    counts(view, iterations=iterations)
    for name, value in (("first", first), ("last", last), ("factor", factor)):
        positive(value, name, view.method)
    wished = None if objective is None else objective_of(view, objective)
    inside = Interior.of(view.limits, view.start)
    x = view.moved(inside.start)
    mu, used = first, []
    N = inside.N
    targets = view.targets if wished is None else [part.inset() for part in view.parts]
    while mu >= last and factor < 1.0 and not view.near(view.rows(x, targets)):
        used.append(mu)
        for _ in range(iterations):
            near = view.near(view.rows(x, targets))
            moved = None if near else _step(view, targets, inside, N, x, mu, wished)
            if moved is None:
                break
            x = view.moved(moved)
        mu *= factor
    details: dict[str, Any] = {"mu": np.array(used)}
    if wished is not None and view.near(view.rows(x)):
        x = _wish(view, inside, wished, x, _falling(first, last, factor), iterations)
        details["objective"] = wished(x)[0]
    return details


def _falling(first: float, last: float, factor: float) -> list[float]:
    found = []
    while first >= last and factor < 1.0:
        found.append(first)
        first *= factor
    return found


def _barrier(inside: Interior, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """B, its gradient and its second derivatives."""
    slack = inside.S @ x - inside.s0
    if (slack <= 0.0).any():
        return np.inf, np.zeros(len(x)), np.zeros((len(x), len(x)))
    inverse = 1.0 / slack
    far = np.where(inside.single, 1.0 / (slack + 1.0), 0.0)
    value = float(np.log1p(slack[inside.single]).sum() - np.log(slack).sum())
    return value, inside.S.T @ (far - inverse), (inside.S.T * (inverse**2 - far**2)) @ inside.S


def _goal_barrier(view: View, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """−Σ ln of how far inside their ranges the goals' rows are, its gradient and its second derivatives."""
    clear, S = view.clear(x)
    if (clear <= 0.0).any():
        return np.inf, np.zeros(len(x)), np.zeros((len(x), len(x)))
    bend = view.clear_curvature(x, -1.0 / clear)
    return -float(np.log(clear).sum()), -S.T @ (1.0 / clear), (S.T / clear**2) @ S + bend


def _room(inside: Interior, x: np.ndarray, step: np.ndarray) -> float:
    """The share of a step that leaves a twentieth of every distance it uses up."""
    slack, along = inside.S @ x - inside.s0, inside.S @ step
    falling = along < 0.0
    return min(1.0, 0.95 * float((slack[falling] / -along[falling]).min(initial=np.inf)))


def _penalty(
    inside: Interior, wished: Function | None, x: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """B, or F + B, its gradient and its second derivatives, those of F taken positive."""
    value, slope, curve = _barrier(inside, x)
    if wished is None or not np.isfinite(value):
        return value, slope, curve
    more, gradient = wished(x)
    H = differences(wished, x)
    size, vectors = np.linalg.eigh(0.5 * (H + H.T))
    return value + more, slope + gradient, curve + (vectors * np.abs(size)) @ vectors.T


def _step(
    view: View,
    targets: list[Ends],
    inside: Interior,
    N: np.ndarray,
    x: np.ndarray,
    mu: float,
    wished: Function | None,
) -> np.ndarray | None:
    """The point after one step, or None when nothing falls any more."""
    dX, J = view.rows(x, targets), view.jacobian(x, targets)
    value, slope, curve = _penalty(inside, wished, x)
    g = N.T @ (mu * slope - 2.0 * J.T @ dX)
    H = N.T @ (2.0 * J.T @ J + mu * curve) @ N + 1e-9 * np.eye(N.shape[1])
    try:
        step = -np.linalg.solve(H, g)
    except np.linalg.LinAlgError:  # against a limit the barrier's curvature leaves nothing of the rest
        return None
    fall = float(g @ step)
    step = N @ step
    total = float(dX @ dX) + mu * value
    if -fall < 1e-14 * (abs(total) + 1e-14):
        return None
    length = min(_room(inside, x, step), 1.0 / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    for _ in range(40):
        moved = x + length * step
        rows = view.rows(moved, targets)
        more = 0.0 if wished is None else wished(moved)[0]
        if float(rows @ rows) + mu * (_barrier(inside, moved)[0] + more) <= total + 1e-4 * length * fall:
            return moved
        length *= 0.5
    return None


def _wish(
    view: View, inside: Interior, wished: Function, x: np.ndarray, weights: list[float], iterations: int
) -> np.ndarray:
    """The least of the objective and the penalty among the poses that meet the goals."""
    basis = view.basis

    def c(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        C = basis.T @ view.jacobian(x)
        return np.concatenate([-basis.T @ view.rows(x), inside.E @ x - inside.e]), np.vstack([C, inside.E])

    for mu in weights:

        def f(x: np.ndarray, mu: float = mu) -> tuple[float, np.ndarray]:
            (value, gradient), (penalty, slope, _) = wished(x), _barrier(inside, x)
            more, by_goals, _ = _goal_barrier(view, x)
            return value + mu * (penalty + more), gradient + mu * (slope + by_goals)

        def hessian(x: np.ndarray, mu: float = mu) -> np.ndarray:
            return differences(wished, x) + mu * (_barrier(inside, x)[2] + _goal_barrier(view, x)[2])

        program = Program(
            f,
            c,
            lambda x, u: view.curvature(x, basis @ u[: basis.shape[1]]),
            lambda x: view.near(view.rows(x)),
            lambda x, step: _room(inside, x, step),
            hessian,
        )
        if not np.isfinite(f(x)[0]):
            break
        found = minimise(program, x, iterations)
        view.iterations += max(found.steps - 1, 0)
        if not found.converged:
            break
        x = view.moved(found.z)
    return x

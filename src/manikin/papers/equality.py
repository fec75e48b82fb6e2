"""Minimise under equalities by Newton's method on the Lagrangian (Korein and Badler, eqs. 22 to 28)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manikin.papers.inverse import pseudo_inverse, rank

_DIFFERENCE = 1e-6
# The longest step, in radians (or metres).
_LONGEST = 0.5
# What counts as c = 0 and, beside 1 + ‖∂f‖, as ∂L/∂z = 0; the second, where steps run out.
_MET, _FLAT, _NEARLY = 1e-9, 1e-7, 1e-5
# Steps that may fail to shorten c, where it is longer than this, by a tenth before the equalities count as
# impossible.
_PATIENCE, _FAR = 10, 1e-3


@dataclass(frozen=True, eq=False)
class Program:
    """min f(z) (22) such that c(z) = 0 (23).

    f: value and gradient. c: the values, and their derivatives. curvature: Σ uᵢ ∂²cᵢ at z for u.
    met: whether the goals are met at z.
    room: the largest share of a step that may be taken from z, for an f that is not defined everywhere.
    hessian: second derivatives of f, where its gradient changes too quickly for differences.
    """

    f: Callable[[np.ndarray], tuple[float, np.ndarray]]
    c: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    curvature: Callable[[np.ndarray, np.ndarray], np.ndarray]
    met: Callable[[np.ndarray], bool]
    room: Callable[[np.ndarray, np.ndarray], float] = lambda z, step: 1.0
    hessian: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where a program ended: z, the multipliers u, whether all equations hold there, and the steps taken."""

    z: np.ndarray
    u: np.ndarray
    converged: bool
    steps: int


def minimise(program: Program, z: np.ndarray, iterations: int) -> Minimum:
    """Solve ∂L/∂z = 0 (25, 28) and c = 0 for z and u, L(z, u) = f(z) − u·c(z) (24, 27).

    A step is the least change that meets c = 0 to first order, then, in the null space of c's derivatives, Newton's
    towards ∂L/∂z = 0 with the second derivatives of L, their eigenvalues taken positive so that it goes downhill. It
    is halved until f + price·|c| falls. u is the least-squares solution of ∂f = Cᵀu: where rows of C depend on each
    other, the shortest.
    """
    best, slow = np.inf, 0
    for steps in range(iterations):
        c, C = program.c(z)
        g = program.f(z)[1]
        inverse = pseudo_inverse(C)
        u = inverse.T @ g
        rest, size = float(np.linalg.norm(g - C.T @ u)), float(np.linalg.norm(c))
        if program.met(z) and size < _MET and rest <= _FLAT * (1.0 + np.linalg.norm(g)):
            return Minimum(z, u, True, steps)
        slow = 0 if size < 0.9 * best or size < _FAR else slow + 1
        best = min(best, size)
        if slow > _PATIENCE:
            return Minimum(z, u, False, steps)
        step = -inverse @ c
        _, singular, Vt = np.linalg.svd(C, full_matrices=True)
        N = Vt[rank(singular) :].T
        if N.shape[1]:
            H = _curvature(program, z, u)
            values, vectors = np.linalg.eigh(N.T @ H @ N)
            downhill = vectors.T @ (N.T @ (g + H @ step))
            step = step - N @ (vectors @ (downhill / np.maximum(np.abs(values), 1e-6)))
        z = _searched(program, z, step, inverse, 2.0 * float(np.abs(u).max(initial=0.0)) + 1.0)
    c, C = program.c(z)
    g = program.f(z)[1]
    u = pseudo_inverse(C).T @ g
    rest = float(np.linalg.norm(g - C.T @ u))
    flat = rest <= _NEARLY * (1.0 + float(np.linalg.norm(g)))
    return Minimum(z, u, program.met(z) and flat, iterations)


def _curvature(program: Program, z: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Second derivatives of L."""
    own = differences(program.f, z) if program.hessian is None else program.hessian(z)
    H = own - program.curvature(z, u)
    return 0.5 * (H + H.T)


def differences(f: Callable[[np.ndarray], tuple[float, np.ndarray]], z: np.ndarray) -> np.ndarray:
    """Second derivatives of f by differences of its gradient."""
    columns = []
    for i in range(len(z)):
        ends = []
        for h in (_DIFFERENCE, -_DIFFERENCE):
            moved = z.copy()
            moved[i] += h
            ends.append(f(moved)[1])
        columns.append((ends[0] - ends[1]) / (2.0 * _DIFFERENCE))
    return np.array(columns).reshape(len(z), len(z))


def _searched(
    program: Program, z: np.ndarray, step: np.ndarray, inverse: np.ndarray, price: float
) -> np.ndarray:
    """Along the step, as far as f + price·|c| falls.

    A whole step that bends away from c = 0 is first put back there: without that good steps are refused for what the
    curvature of c costs.
    """
    step = step * min(1.0, _LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
    step = step * program.room(z, step)

    def merit(z: np.ndarray) -> float:
        return program.f(z)[0] + price * float(np.abs(program.c(z)[0]).sum())

    least = merit(z) + 1e-14
    moved = z + step
    if merit(moved) < least:
        return moved
    back = -inverse @ program.c(moved)[0]
    if program.room(moved, back) == 1.0 and merit(moved + back) < least:
        return moved + back
    for k in range(1, 12):
        moved = z + 0.5**k * step
        if merit(moved) < least:
            break
    return moved

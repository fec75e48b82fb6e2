"""A start is brought into ranges and couplings: to the nearest point inside, or the answer that there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from manikin.figure import Coupling
from manikin.papers.limits import Limits


def random_limits(rng: np.random.Generator) -> Limits:
    n, rows = int(rng.integers(1, 7)), int(rng.integers(0, 4))
    lower, upper = -rng.uniform(0.0, 2.0, n), rng.uniform(0.0, 2.0, n)
    fixed = rng.random(n) < 0.1
    upper[fixed] = lower[fixed]
    if rng.random() < 0.2:
        lower[rng.integers(n)] = -np.inf
    A = rng.normal(size=(rows, n))
    A /= np.linalg.norm(A, axis=1)[:, None]
    ends = np.sort(rng.normal(size=(rows, 2)), axis=1)
    kind = rng.integers(3, size=rows)
    low = np.where(kind == 2, -np.inf, ends[:, 0])
    high = np.where(kind == 0, ends[:, 0], ends[:, 1])
    couplings = tuple(
        Coupling({"a": 1.0}, lower=float(a), upper=float(b)) for a, b in zip(low, high, strict=True)
    )
    return Limits(lower, upper, A, low, high, couplings, np.ones(rows))


def constraints(limits: Limits) -> dict:
    free, equal = ~limits.equal, limits.equal
    A = np.vstack([limits.A[free], -limits.A[free]])
    b = np.concatenate([limits.high[free], -limits.low[free]])
    there = np.isfinite(b)
    found = {"A_ub": A[there] if there.any() else None, "b_ub": b[there] if there.any() else None}
    if equal.any():
        found |= {"A_eq": limits.A[equal], "b_eq": limits.low[equal]}
    return found | {"bounds": list(zip(limits.lower, limits.upper, strict=True))}


@pytest.mark.parametrize("seed", range(6))
def test_there_is_a_point_where_linear_programming_finds_one(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        limits = random_limits(rng)
        x = 3.0 * rng.normal(size=len(limits.lower))
        found = limits.brought_in(x)
        possible = linprog(np.zeros(len(x)), **constraints(limits)).status == 0
        assert (found is not None) == possible
        if found is not None:
            assert limits.worst(found) <= 1e-11


def test_it_is_the_nearest_point():
    rng = np.random.default_rng(9)
    for _ in range(60):
        limits = random_limits(rng)
        x = 3.0 * rng.normal(size=len(limits.lower))
        found = limits.brought_in(x)
        if found is None:
            continue
        given = constraints(limits)
        rows = []
        if given["A_ub"] is not None:
            rows.append({"type": "ineq", "fun": lambda y, g=given: g["b_ub"] - g["A_ub"] @ y})
        if "A_eq" in given:
            rows.append({"type": "eq", "fun": lambda y, g=given: g["A_eq"] @ y - g["b_eq"]})
        other = minimize(
            lambda y, x=x: 0.5 * float((y - x) @ (y - x)),
            found,
            jac=lambda y, x=x: y - x,
            bounds=given["bounds"],
            constraints=rows,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 300},
        )
        assert np.linalg.norm(found - x) <= np.linalg.norm(other.x - x) + 1e-7


def test_off_the_limits_is_inside_and_moves_only_what_touched_one():
    rng = np.random.default_rng(4)
    for _ in range(100):
        limits = random_limits(rng)
        x = limits.brought_in(3.0 * rng.normal(size=len(limits.lower)))
        if x is None:
            continue
        moved = limits.inner(x, 0.1)
        assert limits.worst(moved) <= 1e-11
        if not limits.couplings:
            still = ~limits.touched(x) | ~limits.movable
            np.testing.assert_array_equal(moved[still], x[still])

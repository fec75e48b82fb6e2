"""The inside of the limits: what has one, and a point strictly there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.papers.least_squares import null_space
from manikin.papers.limits import Limits
from manikin.papers.numerics import linprog

# What a slack is at least, of its greatest depth (at most 1), at a start that was on a limit.
_SHARE = 1e-3
# A slack that never exceeds this has no inside.
_FLAT = 1e-9


@dataclass(frozen=True, eq=False)
class Interior:
    """S θ > s₀ and E θ = e: limits with an inside, and those without, which are equalities.

    single: which rows of S have no other end, so that their distance has no bound.
    start: a point strictly inside, near where the variables began.
    """

    S: np.ndarray
    s0: np.ndarray
    single: np.ndarray
    E: np.ndarray
    e: np.ndarray
    start: np.ndarray

    @property
    def N(self) -> np.ndarray:
        """Orthonormal columns that span {dθ : E dθ = 0}."""
        return null_space(self.E)

    @classmethod
    def of(cls, limits: Limits, x: np.ndarray) -> Interior:
        """The inside of these limits, and a point there near x, which keeps them.

        With ranges alone x is moved off each limit by a thousandth of the range's width. With couplings, of all
        points the one that is farthest from its nearest limit, by linear programming, shows the way: x goes towards
        it until every slack is a thousandth of its.
        """
        S, s0, single = limits.slacks()
        fixed = ~limits.movable
        E = np.vstack([limits.A[limits.equal], np.eye(len(x))[fixed]])
        e = np.concatenate([limits.low[limits.equal], x[fixed]])
        if not limits.couplings:
            room = _SHARE * np.where(limits.movable, np.minimum(limits.upper - limits.lower, 1e300), 0.0)
            room = np.where(np.isfinite(limits.upper - limits.lower), room, _SHARE)
            inner = np.clip(x, limits.lower + room, limits.upper - room)
            return cls(S, s0, single, E, e, np.where(limits.movable, inner, x))
        center = _deepest(S, s0, E, e)
        if center is None:  # some slack is zero wherever the others are not negative
            open_ = np.array([_opens(S, s0, E, e, k) for k in range(len(S))], bool)
            E, e = np.vstack([E, S[~open_]]), np.concatenate([e, s0[~open_]])
            S, s0, single = S[open_], s0[open_], single[open_]
            center = _deepest(S, s0, E, e)
        if center is None:
            return cls(S, s0, single, np.eye(len(x)), x, x)
        deep, here = S @ center - s0, S @ x - s0
        wanted = _SHARE * np.minimum(deep, 1.0)
        short = here < wanted
        share = ((wanted - here) / np.maximum(deep - here, 1e-300))[short].max(initial=0.0)
        return cls(S, s0, single, E, e, x + min(float(share), 1.0) * (center - x))


def _deepest(S: np.ndarray, s0: np.ndarray, E: np.ndarray, e: np.ndarray) -> np.ndarray | None:
    """The point whose least slack is largest, counted up to 1; None where that is nothing."""
    n = S.shape[1]
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.column_stack([-S, np.ones(len(S))]),
        b_ub=-s0,
        A_eq=np.column_stack([E, np.zeros(len(E))]) if len(E) else None,
        b_eq=e if len(E) else None,
        bounds=[*([(None, None)] * n), (0.0, 1.0)],
        method="highs",
    )
    return found.x[:-1] if found.status == 0 and found.x[-1] > _FLAT else None


def _opens(S: np.ndarray, s0: np.ndarray, E: np.ndarray, e: np.ndarray, k: int) -> bool:
    """Whether slack k is more than nothing somewhere."""
    found = linprog(
        -S[k],
        A_ub=-S,
        b_ub=-s0,
        A_eq=E if len(E) else None,
        b_eq=e if len(E) else None,
        bounds=[(None, None)] * S.shape[1],
        method="highs",
    )
    unbounded = found.status == 3
    return unbounded or bool(found.status == 0 and -found.fun - s0[k] > _FLAT)

"""Linear least squares under linear inequalities, by way of least distance (Lawson and Hanson, chapter 23)."""

from __future__ import annotations

import numpy as np

# Multipliers below this share of the largest hold nothing.
_HOLDS = 1e-10
# What is left of the unit vector where no point satisfies the constraints: rounding.
_NO_POINT = 1e-12


def null_space(A: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span {x : A x = 0}."""
    if not len(A):
        return np.eye(A.shape[1])
    _, size, Vt = np.linalg.svd(A)
    return Vt[int(np.count_nonzero(size > 1e-10 * size.max(initial=0.0))) :].T


def least_squares(
    C: np.ndarray, d: np.ndarray, G: np.ndarray, h: np.ndarray, E: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Minimise ‖C x − d‖ subject to G x ≥ h and E x = 0, for C of full column rank and h ≤ 0: x = 0 is allowed.

    E x = 0 is x = N z with N a basis of the null space. Then C N = Q R, and y = R z − Qᵀd turns it into the shortest
    y with G' y ≥ h', G' = G N R⁻¹: with u ≥ 0 the least of ‖[G'ᵀ; h'ᵀ] u − e‖ (e the last unit vector) and r what is
    left of it, y = −r₁…ₙ / rₙ₊₁. The constraints with u > 0 are held; solving anew with these alone, as equalities,
    takes the rounding of the quotient away.

    Returns x and the multipliers u of G, for the gradient Cᵀ(C x − d) = Gᵀu + Eᵀv.
    """
    N = np.eye(C.shape[1]) if E is None or not len(E) else null_space(E)
    if N.shape[1] == 0:
        return np.zeros(C.shape[1]), np.zeros(len(G))
    Q, R = np.linalg.qr(C @ N)
    plain = np.linalg.solve(R, Q.T @ d)
    M = G @ N
    size = np.linalg.norm(M, axis=1)
    # Rows that the equalities imply say nothing more.
    says = size > 1e-12 * np.maximum(np.linalg.norm(G, axis=1), 1e-300)
    multipliers = np.zeros(len(G))
    if not says.any() or (M[says] @ plain >= h[says]).all():
        return N @ plain, multipliers
    M, ends = M[says] / size[says, None], h[says] / size[says]
    turned = np.linalg.solve(R.T, M.T).T
    found = least_distance(turned, ends - M @ plain)
    if found is None:  # x = 0 is allowed, so that is rounding
        return np.zeros(C.shape[1]), multipliers
    y, price = found
    multipliers[says] = price / size[says]
    return N @ (plain + np.linalg.solve(R, y)), multipliers


def least_distance(G: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The shortest y with G y ≥ h, and the multipliers; None if there is none (Lawson and Hanson, section 23.4)."""
    system = np.vstack([G.T, h[None, :]])
    unit = np.zeros(len(system))
    unit[-1] = 1.0
    u = nonnegative(system, unit)
    r = system @ u - unit
    if -r[-1] <= _NO_POINT:
        return None
    return _polished(G, h, -r[:-1] / r[-1], u / -r[-1])


def nonnegative(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The u ≥ 0 with the least ‖A u − b‖ (Lawson and Hanson's NNLS, chapter 23, algorithm 23.10).

    One column after the other is freed, that of the steepest descent first; where freed ones would become negative,
    the step ends at the first that does, which is held at 0 again. Columns that depend on the free ones are left out.
    """
    u, free = np.zeros(A.shape[1]), np.zeros(A.shape[1], bool)
    small = 10.0 * np.finfo(float).eps * max(A.shape) * np.linalg.norm(A, axis=0).max(initial=0.0)
    useless = np.zeros(A.shape[1], bool)
    for _ in range(30 * A.shape[1]):
        descent = np.where(free | useless, -np.inf, A.T @ (b - A @ u))
        best = int(descent.argmax()) if len(descent) else 0
        if not len(descent) or descent[best] <= small:
            break
        free[best] = True
        wanted = _over(A, b, free)
        if wanted[best] <= 0.0:  # by rounding: it depends on those that are free
            free[best], useless[best] = False, True
            continue
        useless[:] = False
        while free.any() and wanted[free].min() <= 0.0:
            down = free & (wanted <= 0.0)
            share = (u[down] / np.maximum(u[down] - wanted[down], 1e-300)).min()
            u += share * (wanted - u)
            free &= u > small
            u[~free] = 0.0
            wanted = _over(A, b, free)
        u = wanted
    return u


def _over(A: np.ndarray, b: np.ndarray, free: np.ndarray) -> np.ndarray:
    """The least squares over the free columns alone."""
    found = np.zeros(A.shape[1])
    found[free] = np.linalg.lstsq(A[:, free], b, rcond=None)[0]
    return found


def _polished(
    turned: np.ndarray, ends: np.ndarray, y: np.ndarray, price: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The shortest y with turned · y ≥ ends, and its multipliers, given both to a few digits.

    What is held is held as equalities; what that breaks is held too, and what would pull is let go, until there is
    nothing of either. Where rounding keeps that from ending, the first guess stays.
    """
    held = price > _HOLDS * price.max(initial=0.0)
    length = np.linalg.norm(turned, axis=1)
    for _ in range(10):
        shortest = np.linalg.lstsq(turned[held], ends[held], rcond=1e-10)[0]
        pull = np.linalg.lstsq(turned[held].T, shortest, rcond=1e-10)[0]
        broken = ends - turned @ shortest > 1e-14 * (1.0 + length * np.linalg.norm(shortest))
        broken &= ~held
        if not broken.any() and (pull >= 0.0).all():
            found = np.zeros(len(price))
            found[held] = pull
            near = np.linalg.norm(shortest - y) <= 1e-5 * (1.0 + np.linalg.norm(y))
            return (shortest, found) if near else (y, price)
        held[np.flatnonzero(held)[pull < 0.0]] = False
        held |= broken
    return y, price

"""One step towards the minimum, inside ranges, linear rows and what is held together.

    min ½ dᵀ(H + λ D) d + gᵀd   such that   lower ≤ x + d ≤ upper,   bottom ≤ A d ≤ top

D is the diagonal of JᵀWJ and a trace of its mean, so that a variable that moves nothing stays where it is. Ranges alone
are found by guessing: what would leave its range is set on its end and the rest solved again. Where a row is broken, or
something is held together, the dual method of Goldfarb and Idnani answers.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.math.quadratic import CONTRADICTORY, invert, minimise
from manikin.kernels.math.vector import cross
from manikin.kernels.residuals.errors import world_axis

# Of the mean of H's diagonal, what every variable has besides.
_TRACE = 1e-9
_SLACK = 1e-12
# Below this much of D a pivot is not safely positive; what it is at least made then.
_POSITIVE = 1e-7
_PIVOT = 0.05


@kernel
def _damped(hessian, scale, factor_of, lam, trace):
    """The Cholesky factor of H + λ D.

    A pivot that is not safely positive is made so, by itself (`_PIVOT` of D), since a toe that curves the wrong way
    says nothing of a hip. Returns whether there was one.
    """
    bent = False
    n = hessian.shape[0]
    for a in range(n):
        row = factor_of[a]
        for b in range(a):
            s = hessian[a, b]
            other = factor_of[b]
            for k in range(b):
                s -= row[k] * other[k]
            row[b] = s / other[b]
        s = hessian[a, a] + lam * scale[a] + trace * (1.0 + 1e6 * lam)
        for k in range(a):
            s -= row[k] * row[k]
        if not s > _POSITIVE * scale[a]:
            s = max(abs(s), _PIVOT * scale[a]) + trace
            bent = True
        row[a] = math.sqrt(s)
    return bent


@kernel
def _mean(scale):
    total = 0.0
    n = scale.shape[0]
    for a in range(n):
        total += scale[a]
    return total / n if total > 0.0 else 1.0


@kernel
def _factor(track, scratch, lam, trace, changed):
    """The factor F of H + λ D = F Fᵀ over the free variables, upper triangular; 1 / F_aa on its diagonal.

    Variables are taken from the last, so what hangs on nothing further comes first: a row reaches to ``last`` and
    stays 0 beyond, as in H. Pivots are made positive as in `_damped`. Only rows that see a variable between
    themselves and ``last`` that has ``changed`` are computed anew. Returns whether a pivot was not safely positive.
    """
    bent = False
    hessian = scratch.hessian
    scale = scratch.scale
    free = scratch.held
    factor = scratch.factor
    last = track.last
    n = hessian.shape[0]
    nearest = n
    for a in range(n - 1, -1, -1):
        if changed[a] != 0.0:
            nearest = a
        if nearest > last[a]:
            continue
        row = factor[a]
        if free[a] == 0.0:
            for b in range(a + 1, last[a] + 1):
                row[b] = 0.0
            row[a] = 1.0
            continue
        for b in range(last[a], a, -1):
            if free[b] == 0.0:
                row[b] = 0.0
                continue
            s = hessian[a, b]
            other = factor[b]
            for k in range(b + 1, min(last[a], last[b]) + 1):
                s -= row[k] * other[k]
            row[b] = s * other[b]
        s = hessian[a, a] + lam * scale[a] + trace * (1.0 + 1e6 * lam)
        for k in range(a + 1, last[a] + 1):
            s -= row[k] * row[k]
        if not s > _POSITIVE * scale[a]:
            s = max(abs(s), _PIVOT * scale[a]) + trace
            bent = True
        row[a] = 1.0 / math.sqrt(s)
    return bent


@kernel
def range_step(track, scratch, lam):
    """The step inside the ranges alone, into ``step``. Returns whether H + λ D had to be made positive definite."""
    bent = False
    n = scratch.gradient.shape[0]
    d = scratch.step
    free = scratch.held
    y = scratch.trial
    changed = scratch.changed
    last = track.last
    trace = _TRACE * _mean(scratch.scale)
    for a in range(n):
        g = scratch.gradient[a]
        d[a] = 0.0
        free[a] = 1.0
        changed[a] = 1.0
        if (scratch.below[a] >= 0.0 and g > 0.0) or (scratch.above[a] <= 0.0 and g < 0.0):
            free[a] = 0.0
        if scratch.below[a] >= scratch.above[a]:
            free[a] = 0.0
    for _ in range(n + 1):
        if _factor(track, scratch, lam, trace, changed):
            bent = True
        for a in range(n):
            y[a] = -scratch.gradient[a]
            changed[a] = 0.0
        for b in range(n):
            if free[b] == 0.0 and d[b] != 0.0:
                for a in range(n):
                    y[a] -= scratch.hessian[b, a] * d[b]
        for a in range(n - 1, -1, -1):
            if free[a] == 0.0:
                y[a] = 0.0
                continue
            s = y[a]
            row = scratch.factor[a]
            for k in range(a + 1, last[a] + 1):
                s -= row[k] * y[k]
            y[a] = s * row[a]
        inside = True
        for a in range(n):
            if free[a] == 0.0:
                continue
            row = scratch.factor[a]
            x = y[a] * row[a]
            for k in range(a + 1, last[a] + 1):
                y[k] -= row[k] * x
            d[a] = x
        for a in range(n):
            if free[a] == 0.0:
                continue
            if d[a] < scratch.below[a]:
                d[a] = scratch.below[a]
            elif d[a] > scratch.above[a]:
                d[a] = scratch.above[a]
            else:
                continue
            free[a] = 0.0
            changed[a] = 1.0
            inside = False
        if inside:
            return bent
    return bent


@kernel
def rows_hold(scratch, d):
    """Whether a step keeps every row."""
    for r in range(scratch.rows.shape[0]):
        s = 0.0
        for a in range(d.shape[0]):
            s += scratch.rows[r, a] * d[a]
        if s < scratch.bottom[r] - _SLACK or s > scratch.top[r] + _SLACK:
            return False
    return True


@kernel
def row_step(scratch, lam):
    """The step inside ranges and rows; −1 where rows contradict each other, else whether H + λ D was made definite."""
    trace = _TRACE * _mean(scratch.scale)
    bent = _damped(scratch.hessian, scratch.scale, scratch.factor, lam, trace)
    invert(scratch.factor, scratch.qp.turned)
    status, _ = minimise(
        scratch.qp,
        scratch.gradient,
        scratch.rows,
        scratch.bottom,
        scratch.top,
        scratch.rows.shape[0],
        scratch.below,
        scratch.above,
        scratch.step,
        _SLACK,
    )
    return -1 if status == CONTRADICTORY else int(bent)


@kernel
def find_step(track, scratch, held, lam):
    """The step, into ``step``. held: how many of the rows are equalities of what is held together.

    Returns −1 where there is none, 1 where H + λ D had to be made positive definite, else 0.
    """
    if held == 0:
        bent = range_step(track, scratch, lam)
        if rows_hold(scratch, scratch.step):
            return int(bent)
    return row_step(scratch, lam)


@kernel
def set_rows(track, scratch, q):
    """How far each range and each linear row may be moved along; those of held pairs come after.

    Returns whether some linear row does not hold yet.
    """
    outside = False
    n = scratch.gradient.shape[0]
    for a in range(n):
        x = q[track.dof[a]]
        scratch.below[a] = min(track.lower[a] - x, 0.0)
        scratch.above[a] = max(track.upper[a] - x, 0.0)
    for r in range(track.A.shape[0]):
        s = 0.0
        for a in range(n):
            s += track.A[r, a] * q[track.dof[a]]
            scratch.rows[r, a] = track.A[r, a]
        scratch.bottom[r] = track.low[r] - s
        scratch.top[r] = track.high[r] - s
        if scratch.bottom[r] > 1e-9 or scratch.top[r] < -1e-9:
            outside = True
    return outside


@kernel
def shorten(scratch, longest):
    """Let no variable move farther than this in the step."""
    for a in range(scratch.below.shape[0]):
        scratch.below[a] = max(scratch.below[a], -longest)
        scratch.above[a] = min(scratch.above[a], longest)


@kernel
def gaps(model, track, work, scratch, axes):
    """What is open of each held pair, into ``residual``: the way between the origins, then the turn between the axes.

    ``axes`` (3) is written to. Returns the sum of squares.
    """
    row = 0
    square = 0.0
    for p in range(track.near.shape[0]):
        a = track.near[p]
        b = track.far[p]
        for c in range(3):
            scratch.residual[row + c] = scratch.place[a, c] - scratch.place[b, c]
        row += 3
        if track.whole[p] != 0:
            frame_turn(model, work, a, b, axes)
            for c in range(3):
                scratch.residual[row + c] = axes[c]
            row += 3
    for r in range(row):
        square += scratch.residual[r] * scratch.residual[r]
    return square


@kernel
def frame_turn(model, work, a, b, out):
    """Half the sine of the turn from site b's axes to site a's, in the world: ½ Σ (axis of b × axis of a)."""
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(3):
        c = cross(_site_axis(model, work, b, k), _site_axis(model, work, a, k))
        x += 0.5 * c[0]
        y += 0.5 * c[1]
        z += 0.5 * c[2]
    out[0] = x
    out[1] = y
    out[2] = z


@kernel
def _site_axis(model, work, site, k):
    """World direction of axis k of a site."""
    own = (model.site[site, k], model.site[site, 3 + k], model.site[site, 6 + k])
    return world_axis(work.frames, model.site_motion[site], own)


@kernel
def _add_rows(model, track, scratch, site, row, whole, sign):
    """Derivatives of a site's place, and of its turning, into rows."""
    i = model.site_motion[site]
    p0 = scratch.place[site, 0]
    p1 = scratch.place[site, 1]
    p2 = scratch.place[site, 2]
    while i > 0:
        k = model.axis[i]
        for e in range(model.size[i]):
            c = scratch.column[k + e]
            for s in range(track.first[k + e], track.first[k + e + 1]):
                a = track.variable[s]
                share = sign * track.share[s]
                scratch.rows[row, a] += share * (c[0] + c[4] * p2 - c[5] * p1)
                scratch.rows[row + 1, a] += share * (c[1] + c[5] * p0 - c[3] * p2)
                scratch.rows[row + 2, a] += share * (c[2] + c[3] * p1 - c[4] * p0)
                if whole != 0:
                    scratch.rows[row + 3, a] += share * c[3]
                    scratch.rows[row + 4, a] += share * c[4]
                    scratch.rows[row + 5, a] += share * c[5]
        i = model.parent[i]


@kernel
def set_held(model, track, scratch):
    """The rows of the held pairs: what is open has to be closed by the step."""
    row = track.A.shape[0]
    n = scratch.gradient.shape[0]
    for r in range(scratch.residual.shape[0]):
        for a in range(n):
            scratch.rows[row + r, a] = 0.0
        scratch.bottom[row + r] = -scratch.residual[r]
        scratch.top[row + r] = -scratch.residual[r]
    for p in range(track.near.shape[0]):
        _add_rows(model, track, scratch, track.near[p], row, track.whole[p], 1.0)
        _add_rows(model, track, scratch, track.far[p], row, track.whole[p], -1.0)
        row += 6 if track.whole[p] != 0 else 3

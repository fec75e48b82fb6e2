"""Markers and sensors followed, frame after frame, in one call.

Each frame begins where the last ended. A step is Newton's, no variable moving farther than `_LONGEST`, damped as by
Levenberg and Marquardt where it would not lower P; where P curves downwards it is lengthened while P falls. Newton's
steps square the distance to the minimum, so a step shorter than 1e-4 is the last; of the others one shorter than 1e-8.
"""

from __future__ import annotations

import math
from collections import namedtuple

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1
from manikin.kernels.tracking.layout import POINTS, SENSORS, VARIABLES, view_scratch, view_tracking
from manikin.kernels.tracking.normal import normal, total
from manikin.kernels.tracking.step import find_step, gaps, set_held, set_rows, shorten
from manikin.kernels.tree.forward import place_model, stand
from manikin.kernels.tree.layout import DOFS, MOTIONS, VALUES, view_model, view_work

#: What a frame's report begins with: P, how many steps, how it ended; then the misses of points and sensors, −1 for
#: none.
OUT_TOTAL, OUT_STEPS, OUT_STATUS, OUT_MISSES = range(4)
#: How a frame ended: at the minimum; nothing to follow in it; after too many steps; where no step lowers P.
FOUND, EMPTY, TIRED, STUCK = range(4)

#: What is followed in one frame: views of the tree and of what is followed on it, and the targets.
Body = namedtuple("Body", "model track work scratch axes targets weights wish")

# A step of Newton's shorter than this is the last, or than a hundred times ``little`` where that is less.
_SHORT_NEWTON = 1e-4
_SHORT = 1e-8
# A step that was to lower P by less than this much of it is the last; so is one of Newton's, which leaves far less.
_LITTLE = 1e-9
LITTLE = 1e-6
# A first look, whose ``little`` is large, ends at other steps that promise less than so many times its square.
_BENT = 10.0
# The farthest that a variable moves in a step, radians or metres.
_LONGEST = 0.35
# More damping than this, and the point stands still.
_MOST = 1e9


@kernel
def _recharted(model, track, q):
    """Shorten free rotation vectors longer than 3π/2 by a whole turn: the same pose."""
    for i in range(1, model.parent.shape[0]):
        a = track.turn[i]
        if a >= 0:
            x = q[track.dof[a]]
            y = q[track.dof[a + 1]]
            z = q[track.dof[a + 2]]
            length = math.sqrt(x * x + y * y + z * z)
            if length > 1.5 * math.pi:
                f = 1.0 - 2.0 * math.pi / length
                q[track.dof[a]] = f * x
                q[track.dof[a + 1]] = f * y
                q[track.dof[a + 2]] = f * z


@kernel
def evaluate(b, q, penalty):
    """P and, beside it, P with what is open of the held pairs."""
    place_model(b.model, b.work, q)
    P = total(b.model, b.track, b.work, b.scratch, q, b.targets, b.weights, b.wish)
    if b.track.near.shape[0] == 0:
        return P, P
    return P, P + penalty * gaps(b.model, b.track, b.work, b.scratch, b.axes)


@kernel
def _seen(track, targets, weights):
    """How much is seen, all weights together."""
    seen = 0.0
    for s in range(track.points):
        if targets[3 * s] == targets[3 * s]:
            seen += weights[s]
    for o in range(track.sensors):
        first = 3 * track.points + 9 * o
        if targets[first] == targets[first]:
            seen += weights[track.points + o]
    return seen


@kernel
def _go_on(b, q, P, longest):
    """Twice as far along the step, and twice again, as long as P falls. Returns P.

    Where P curves downwards a pivot that was made positive says nothing of how far it falls.
    """
    track = b.track
    scratch = b.scratch
    n = scratch.gradient.shape[0]
    share = 2.0
    while share * longest <= 2.0 * _LONGEST:
        for a in range(n):
            x = scratch.best[a] + share * scratch.step[a]
            scratch.trial[a] = q[track.dof[a]]
            q[track.dof[a]] = min(max(x, track.lower[a]), track.upper[a])
        new_P = math.inf
        if _rows_keep(track, q):
            new_P, _ = evaluate(b, q, 0.0)
        if not new_P < P:
            for a in range(n):
                q[track.dof[a]] = scratch.trial[a]
            evaluate(b, q, 0.0)
            break
        P = new_P
        share *= 2.0
    return P


@kernel
def _rows_keep(track, q):
    """Whether every linear row holds."""
    for r in range(track.A.shape[0]):
        s = 0.0
        for a in range(track.A.shape[1]):
            s += track.A[r, a] * q[track.dof[a]]
        if s < track.low[r] - 1e-12 or s > track.high[r] + 1e-12:
            return False
    return True


@kernel
def _return_to_best(b, q):
    """The variables as they were before the step."""
    for a in range(b.scratch.best.shape[0]):
        q[b.track.dof[a]] = b.scratch.best[a]
    evaluate(b, q, 0.0)


@kernel
def follow_frame(b, q, most, enough, little, far):
    """Move q to the minimum for one frame of ``b``, a `Body` or a part of one. Returns P, steps, how it ended.

    ``enough``: given up (TIRED) where what a step that was not cut short promises, ten times over, would not bring P
    below this.
    ``far``: above this P steps are Gauss's and Newton's below, whose second derivatives mislead far from the markers.
    ``little``: a step of Newton's that was to lower P by less than this much of it is the last (`LITTLE`).
    """
    track = b.track
    scratch = b.scratch
    n = scratch.gradient.shape[0]
    seen = _seen(track, b.targets, b.weights)
    penalty = 1e4 * (seen + 1e-3)
    _recharted(b.model, track, q)
    for a in range(n):
        j = track.dof[a]
        q[j] = min(max(q[j], track.lower[a]), track.upper[a])
    P, merit = evaluate(b, q, penalty)
    if seen == 0.0 or n == 0:
        return P, 0, EMPTY
    held = scratch.residual.shape[0]
    least = 0.0
    count = 0
    while count < most:
        near = far >= P
        normal(b.model, track, b.work, scratch, q, b.targets, b.weights, b.wish, near)
        outside = set_rows(track, scratch, q)
        if held > 0:
            set_held(b.model, track, scratch)
        elif not outside:
            shorten(scratch, _LONGEST)
        for a in range(n):
            scratch.best[a] = q[track.dof[a]]
        lam = least
        accepted = False
        while not accepted and count < most:
            if lam > _MOST:
                _return_to_best(b, q)
                return P, count, STUCK
            bent = find_step(track, scratch, held, lam)
            if bent < 0:
                # Rows that contradict each other, or so many weak directions that they seem to: damping tells.
                lam = max(8.0 * lam, 1e-3)
                least = lam
                continue
            longest = 0.0
            slope = 0.0
            for a in range(n):
                longest = max(longest, abs(scratch.step[a]))
                slope += scratch.gradient[a] * scratch.step[a]
            if P + 10.0 * slope > enough and count > 1 and longest < 0.99 * _LONGEST:
                return P, count, TIRED
            if longest > _LONGEST:  # what has to be closed is closed a part of the way
                share = _LONGEST / longest
                for a in range(n):
                    scratch.step[a] *= share
                longest = _LONGEST
                slope *= share
            for a in range(n):
                q[track.dof[a]] = min(max(scratch.best[a] + scratch.step[a], track.lower[a]), track.upper[a])
            count += 1
            new_P, new_merit = evaluate(b, q, penalty)
            newton = lam == 0.0 and held == 0 and bent == 0 and near
            short = longest < (min(_SHORT_NEWTON, 100.0 * little) if newton else _SHORT)
            lower = new_merit <= merit + 1e-4 * min(slope, 0.0)
            if lower or outside or (short and new_merit <= merit + 1e-9 * (merit + 1e-12)):
                P = new_P
                merit = new_merit
                accepted = True
                least = 0.1 * least if least > 1e-6 else 0.0
                close = (little if newton else max(_LITTLE, _BENT * little * little)) * merit
                if short or (held == 0 and not outside and -slope < close):
                    return P, count, FOUND
                if bent == 1 and held == 0 and not outside:
                    P = _go_on(b, q, P, longest)
                    merit = P
            elif longest < _SHORT:
                _return_to_best(b, q)
                return P, count, FOUND
            else:
                lam = max(8.0 * lam, 1e-3)
                least = lam
        if not accepted:
            _return_to_best(b, q)
    evaluate(b, q, penalty)
    return P, count, TIRED


@kernel
def write_frame(scratch, q, P, steps, status, out, report, f):
    """What frame f ended with: its values, and its row of the report."""
    for j in range(out.shape[0]):
        out[j] = q[j]
    things = scratch.miss.shape[0]
    row = view1(report, f * (OUT_MISSES + things), OUT_MISSES + things)
    row[OUT_TOTAL] = P
    row[OUT_STEPS] = steps
    row[OUT_STATUS] = status
    for s in range(things):
        row[OUT_MISSES + s] = scratch.miss[s]


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], f8[:], f8[:], f8[:], i8, i8 -> i8"
)
def follow(S, R, W, T, N, X, q, targets, weights, wish, out, report, frames, most):
    """Follow ``frames`` frames from the values q (n), which end where the last frame does.

    ``targets`` (frames, 3 P + 9 O): places and rotations, by rows; NaN for what is not seen. ``weights`` (P + O).
    ``wish`` (frames, V): what the pull on each variable is towards. ``out`` (frames, n), ``report`` (frames, …).
    Returns how many frames did not end at a minimum.
    """
    model = view_model(S, R, W)
    work = view_work(S, W)
    values = S[VALUES]
    motions = S[MOTIONS]
    track = view_tracking(S, T, N, values, motions)
    scratch = view_scratch(T, X, values, motions)
    n = S[DOFS]
    v = T[VARIABLES]
    things = T[POINTS] + T[SENSORS]
    wide = 3 * T[POINTS] + 9 * T[SENSORS]
    axes = view1(X, X.shape[0] - 3, 3)
    value = view1(q, 0, n)
    stand(work.frames)
    failed = 0
    for f in range(frames):
        body = Body(
            model,
            track,
            work,
            scratch,
            axes,
            view1(targets, f * wide, wide),
            view1(weights, 0, things),
            view1(wish, f * v, v),
        )
        P, steps, status = follow_frame(body, value, most, math.inf, LITTLE, math.inf)
        if status >= TIRED:
            failed += 1
        write_frame(scratch, value, P, steps, status, view1(out, f * n, n), report, f)
    return failed

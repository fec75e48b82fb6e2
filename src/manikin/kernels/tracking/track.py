"""Markers and sensors followed, frame after frame, in one call.

Each frame begins where the last ended. A step is Newton's, no variable moving farther than `_LONGEST`, damped as by
Levenberg and Marquardt where it would not lower P; where P curves downwards it is lengthened while P falls. Newton's
steps square the distance to the minimum, so a step shorter than 1e-4 is the last; of the others one shorter than 1e-8.
"""

from __future__ import annotations

import math

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

_SHORT_NEWTON = 1e-4
_SHORT = 1e-8
# A step that was to lower P by less than this much of it is the last; so is one of Newton's, which leaves far less.
_LITTLE = 1e-9
_LITTLE_NEWTON = 1e-6
# The farthest that a variable moves in a step, radians or metres.
_LONGEST = 0.35
# More damping than this, and the point stands still.
_MOST = 1e9
# A range wider than this has no other end worth trying.
_ONE_TURN = 2.0 * math.pi
# Poses drawn anew for a frame that fits worse than those before it.
_KICKS = 6


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
def _evaluate(model, track, work, scratch, q, targets, weights, wish, penalty, axes):
    """P and, beside it, P with what is open of the held pairs."""
    place_model(model, work, q)
    P = total(model, track, work, scratch, q, targets, weights, wish)
    if track.near.shape[0] == 0:
        return P, P
    return P, P + penalty * gaps(model, track, work, scratch, axes)


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
def _go_on(model, track, work, scratch, q, targets, weights, wish, P, longest, axes):
    """Twice as far along the step, and twice again, as long as P falls. Returns P.

    Where P curves downwards a pivot that was made positive says nothing of how far it falls.
    """
    n = scratch.gradient.shape[0]
    share = 2.0
    while share * longest <= 2.0 * _LONGEST:
        for a in range(n):
            x = scratch.best[a] + share * scratch.step[a]
            scratch.trial[a] = q[track.dof[a]]
            q[track.dof[a]] = min(max(x, track.lower[a]), track.upper[a])
        new_P = math.inf
        if _rows_keep(track, q):
            new_P, _ = _evaluate(model, track, work, scratch, q, targets, weights, wish, 0.0, axes)
        if not new_P < P:
            for a in range(n):
                q[track.dof[a]] = scratch.trial[a]
            _evaluate(model, track, work, scratch, q, targets, weights, wish, 0.0, axes)
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
def follow_frame(model, track, work, scratch, q, targets, weights, wish, most, axes, enough):
    """Move q to the minimum for one frame. Returns P, steps, how it ended.

    ``enough``: given up (TIRED) where what a step promises, ten times over, would not bring P below this.
    """
    n = scratch.gradient.shape[0]
    seen = _seen(track, targets, weights)
    penalty = 1e4 * (seen + 1e-3)
    _recharted(model, track, q)
    for a in range(n):
        j = track.dof[a]
        q[j] = min(max(q[j], track.lower[a]), track.upper[a])
    P, merit = _evaluate(model, track, work, scratch, q, targets, weights, wish, penalty, axes)
    if seen == 0.0 or n == 0:
        return P, 0, EMPTY
    held = scratch.residual.shape[0]
    least = 0.0
    count = 0
    while count < most:
        normal(model, track, work, scratch, q, targets, weights, wish, True)
        outside = set_rows(track, scratch, q)
        if held > 0:
            set_held(model, track, scratch)
        elif not outside:
            shorten(scratch, _LONGEST)
        for a in range(n):
            scratch.best[a] = q[track.dof[a]]
        lam = least
        accepted = False
        while not accepted and count < most:
            if lam > _MOST:
                return P, count, STUCK
            bent = find_step(scratch, held, lam)
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
            if P + 10.0 * slope > enough and count > 1:
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
            new_P, new_merit = _evaluate(
                model, track, work, scratch, q, targets, weights, wish, penalty, axes
            )
            newton = lam == 0.0 and held == 0 and bent == 0
            short = longest < (_SHORT_NEWTON if newton else _SHORT)
            lower = new_merit <= merit + 1e-4 * min(slope, 0.0)
            if lower or outside or (short and new_merit <= merit + 1e-9 * (merit + 1e-12)):
                P = new_P
                merit = new_merit
                accepted = True
                least = 0.1 * least if least > 1e-6 else 0.0
                little = (_LITTLE_NEWTON if newton else _LITTLE) * merit
                if short or (held == 0 and not outside and -slope < little):
                    return P, count, FOUND
                if bent == 1 and held == 0 and not outside:
                    P = _go_on(model, track, work, scratch, q, targets, weights, wish, P, longest, axes)
                    merit = P
            elif longest < _SHORT:
                for a in range(n):
                    q[track.dof[a]] = scratch.best[a]
                _evaluate(model, track, work, scratch, q, targets, weights, wish, penalty, axes)
                return P, count, FOUND
            else:
                lam = max(8.0 * lam, 1e-3)
                least = lam
        if not accepted:
            for a in range(n):
                q[track.dof[a]] = scratch.best[a]
    _evaluate(model, track, work, scratch, q, targets, weights, wish, penalty, axes)
    return P, count, TIRED


@kernel
def _kick(track, scratch, q, state):
    """A pose drawn from a sequence of its own: anywhere in a range, not far from here where there is none."""
    for a in range(scratch.gradient.shape[0]):
        state = (1103515245 * state + 12345) % 2147483648
        u = state / 2147483648.0
        low = track.lower[a]
        high = track.upper[a]
        if high - low <= _ONE_TURN:
            q[track.dof[a]] = low + u * (high - low)
        else:
            q[track.dof[a]] = scratch.kept[a] + 2.0 * u - 1.0
    return state


@kernel
def look_elsewhere(model, track, work, scratch, q, targets, weights, wish, most, axes, P, kicks, state):
    """From a minimum, try those of its ranges' ends that hold it from the other end, one at a time; keep what is lower.

    ``kicks``: so many times also from a pose drawn anew, after ``state``. Returns P and the steps taken.
    """
    n = scratch.gradient.shape[0]
    steps = 0
    for a in range(n):
        scratch.kept[a] = q[track.dof[a]]
    a = 0
    left = n  # how many in a row have been tried since something was found
    while left > 0 and steps < 10 * most:
        low = track.lower[a]
        high = track.upper[a]
        x = scratch.kept[a]
        left -= 1
        if (x <= low or x >= high) and high - low <= _ONE_TURN and high > low:
            for b in range(n):
                q[track.dof[b]] = scratch.kept[b]
            other = high if x <= low else low
            q[track.dof[a]] = other
            new_P, count, status = follow_frame(
                model, track, work, scratch, q, targets, weights, wish, most, axes, P
            )
            steps += count
            if new_P < P * (1.0 - 1e-7) and status == FOUND:
                P = new_P
                left = n
                for b in range(n):
                    scratch.kept[b] = q[track.dof[b]]
        a = a + 1 if a + 1 < n else 0
    for _ in range(kicks):
        state = _kick(track, scratch, q, state)
        new_P, count, status = follow_frame(
            model, track, work, scratch, q, targets, weights, wish, most, axes, math.inf
        )
        steps += count
        if new_P < P * (1.0 - 1e-7) and status == FOUND:
            P = new_P
            for b in range(n):
                scratch.kept[b] = q[track.dof[b]]
    for b in range(n):
        q[track.dof[b]] = scratch.kept[b]
    _evaluate(model, track, work, scratch, q, targets, weights, wish, 0.0, axes)
    return P, steps


@kernel(entry=True)
def follow(S, R, W, T, N, X, q, targets, weights, wish, out, report, frames, most, thorough):
    """Follow ``frames`` frames from the values q (n), which end where the last frame does.

    ``targets`` (frames, 3 P + 9 O): places and rotations, by rows; NaN for what is not seen. ``weights`` (P + O).
    ``wish`` (frames, V): what the pull on each variable is towards. ``out`` (frames, n), ``report`` (frames, …).
    ``thorough``: whether to `look_elsewhere` at every frame.
    Returns how many frames did not end at a minimum.
    """
    model = view_model(S, R)
    work = view_work(S, W)
    values = S[VALUES]
    motions = S[MOTIONS]
    track = view_tracking(S, T, N, values, motions)
    scratch = view_scratch(T, X, values, motions)
    n = S[DOFS]
    v = T[VARIABLES]
    things = T[POINTS] + T[SENSORS]
    wide = 3 * T[POINTS] + 9 * T[SENSORS]
    size = OUT_MISSES + things
    axes = view1(X, X.shape[0] - 3, 3)
    value = view1(q, 0, n)
    stand(work.frames)
    failed = 0
    typical = 0.0
    for f in range(frames):
        P, steps, status = follow_frame(
            model,
            track,
            work,
            scratch,
            value,
            view1(targets, f * wide, wide),
            view1(weights, 0, things),
            view1(wish, f * v, v),
            most,
            axes,
            math.inf,
        )
        if thorough and status != EMPTY:
            share = P / _seen(track, view1(targets, f * wide, wide), view1(weights, 0, things))
            kicks = _KICKS if share > 1.5 * typical else 0
            before = P
            P, more = look_elsewhere(
                model,
                track,
                work,
                scratch,
                value,
                view1(targets, f * wide, wide),
                view1(weights, 0, things),
                view1(wish, f * v, v),
                most // 2,
                axes,
                P,
                kicks,
                f + 1,
            )
            steps += more
            if before > P:
                status = FOUND
            typical = share if f == 0 else 0.9 * typical + 0.1 * min(share, 1.5 * typical)
        if status >= TIRED:
            failed += 1
        for j in range(n):
            out[f * n + j] = q[j]
        report[f * size + OUT_TOTAL] = P
        report[f * size + OUT_STEPS] = steps
        report[f * size + OUT_STATUS] = status
        for s in range(things):
            report[f * size + OUT_MISSES + s] = scratch.miss[s]
    return failed

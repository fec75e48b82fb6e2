"""Markers and sensors followed to the lowest minimum that can be found in little time, frame after frame.

A frame begins where the last ended: the trunk by what it carries itself, then each limb on it, then all together. Then
limbs are tried from elsewhere on the trunk as it stands, and the trunk is bent the other way, limbs after it: that is
where noise makes other minima. Where the trunk has gone far, all together also begin where the last frame ended. The
ways that did not win are remembered: the next frame's noise may prefer them, and they are near. Without a trunk,
variables that no limb has are tried from the other end of the range that holds them.
Whatever fits better is followed with all together.
"""

from __future__ import annotations

import math
from collections import namedtuple

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1
from manikin.kernels.tracking.layout import POINTS, SENSORS, VARIABLES, view_scratch, view_tracking
from manikin.kernels.tracking.parts import (
    AT_OTHERS,
    OTHERS,
    PARTS,
    SLOTS,
    TRUNK,
    WHOLE_X,
    aim_part,
    follow_held,
    follow_part,
    is_other,
    keep,
    part_error,
    remember,
    seek,
    swap,
    take,
    view_part,
)
from manikin.kernels.tracking.track import EMPTY, FOUND, TIRED, Body, follow_frame, write_frame
from manikin.kernels.tree.forward import place_model, stand
from manikin.kernels.tree.layout import DOFS, MOTIONS, VALUES, view_model, view_work

# A range wider than this has no other end worth trying.
_ONE_TURN = 2.0 * math.pi
# A variable of the trunk whose mirror image is nearer than this, radians, is not bent the other way.
_ALIKE_BEND = 0.3
# Bent the other way, P of the trunk itself may be so much of P, and of trunk and limbs so many times what it was as the
# frame began; else it is not gone on with.
_OWN = 0.65
_PROMISING = 1.1
# Farther from where the frame began than this in 1 − cos, a variable of the trunk has gone elsewhere.
_JUMP = 0.2
# For so many frames a variable whose mirror image was far too bad is not bent again.
_REST = 4
# All together have come near enough to a minimum, for a first look, when a step was to lower P by less than this of it.
_NEAR = 1e-2
# And for the last one.
_LAST = 1e-9
# A limb with more than so many times P, on a trunk that was bent, is far from its minima; a trunk with more than that
# is not bent this way again for a while.
_FAR = 3.0
# Two minima of a limb are a tie where they differ by less than this much of P.
_TIE = 0.006
# A limb with less than this much of P is not worth the trunk's moving.
_WORTH = 0.04
# What is lower by less than this much of it is the same.
_ALIKE = 1e-7


#: What all frames have in common: the arrays of the whole figure and its parts, the table of these, and how many steps,
#: starts and draws there are.
Team = namedtuple("Team", "arrays table most tries draws")


@kernel
def _part_of(t, p):
    """Part p, ready to be followed."""
    S, R, W, T, N, X, B = t.arrays
    return view_part(S, R, W, T, N, X, B, t.table, p)


@kernel
def _begin(t, body, q):
    """From where the last frame ended: the trunk by what it carries itself, then each limb on it. Returns P of trunk
    and limbs, and the steps."""
    if t.table[TRUNK] == 0:
        return math.inf, 0
    trunk = _part_of(t, 0)
    aim_part(trunk, body)
    P, steps, _ = follow_part(trunk, q, t.most, math.inf, math.inf)
    limbs, count = _settle(t, body, q, math.inf, math.inf)
    return P + limbs, steps + count


@kernel
def _settle(t, body, q, enough, far):
    """Each limb on the trunk as q has it, while P of them is below ``enough``. Returns P of them, and the steps."""
    place_model(body.model, body.work, q)
    P = 0.0
    steps = 0
    for p in range(t.table[TRUNK], t.table[PARTS]):
        if enough > P:
            part = _part_of(t, p)
            aim_part(part, body)
            own, count, _ = follow_part(part, q, t.most, math.inf, far)
            P += own
            steps += count
    return P, steps


@kernel
def _seek_limbs(t, body, q, index, P):
    """Limbs from elsewhere, on the trunk as it stands. Returns by how much P fell, and the steps."""
    gained = 0.0
    steps = 0
    for p in range(t.table[TRUNK], t.table[PARTS]):
        part = _part_of(t, p)
        aim_part(part, body)
        gain, count = seek(part, q, t.most, t.tries, t.draws, index, P)
        gained += gain
        steps += count
    return gained, steps


@kernel
def _improve_limbs(t, body, q, index, P):
    """Limbs from elsewhere, then all together where that lowers P. Returns P, by how much it fell as the limbs alone
    were moved, and the steps."""
    track = body.track
    scratch = body.scratch
    keep(track, q, scratch.kept)
    gained, steps = _seek_limbs(t, body, q, index, P)
    if gained > _ALIKE * P:
        new_P, count, _ = follow_frame(body, q, t.most, math.inf, _NEAR, math.inf)
        steps += count
        if new_P < P * (1.0 - _ALIKE):
            P = new_P
        else:
            gained = 0.0
            take(track, scratch.kept, q)
    P, count = _break_ties(t, body, q, P)
    return P, gained, steps + count


@kernel
def _break_ties(t, body, q, P):
    """Limbs as their other minima have them that fit nearly as well on the trunk as it stands: it may move so that they
    fit better. Returns P and the steps."""
    track = body.track
    scratch = body.scratch
    steps = 0
    keep(track, q, scratch.kept)
    for p in range(t.table[TRUNK], t.table[PARTS]):
        part = _part_of(t, p)
        for m in range(SLOTS):
            if part.known[m] == 0.0 or part.known[m] > 1.0 + _TIE or part_error(part, q) < _WORTH * P:
                continue
            take(part.track, part.others[m], q)
            new_P, count, status = follow_frame(body, q, t.most, P, _NEAR, math.inf)
            steps += count
            if status == FOUND and new_P < P * (1.0 - _ALIKE):
                P = new_P
                keep(track, q, scratch.kept)
            else:
                take(track, scratch.kept, q)
    place_model(body.model, body.work, q)
    return P, steps


@kernel
def _bend(t, trunk, q, a, x, P):
    """The trunk with variable a at its mirror image, then let go. Returns P of the trunk itself, steps, how it ended.

    Where it goes back when it is let go, it stays bent.
    """
    track = trunk.track
    mirrored = track.lower[a] + track.upper[a] - x
    own_P, steps, status = follow_held(trunk, q, a, mirrored, t.most, P, _FAR * P)
    if status != FOUND:
        return own_P, steps, status
    keep(track, q, trunk.scratch.kept)
    free_P, count, status = follow_part(trunk, q, t.most, math.inf, math.inf)
    if status == FOUND and abs(q[track.dof[a]] - x) > 0.5 * abs(mirrored - x):
        return free_P, steps + count, FOUND
    take(track, trunk.scratch.kept, q)
    return own_P, steps + count, FOUND


@kernel
def _has_jumped(track, begun, q):
    """Whether some variable is elsewhere in q than it was as the frame began, whole turns aside."""
    farthest = 0.0
    for a in range(track.dof.shape[0]):
        j = track.dof[a]
        farthest = max(farthest, 1.0 - math.cos(q[j] - begun[j]))
    return farthest > _JUMP


@kernel
def _is_bent(trunk, a, x, mirrored):
    """Whether a minimum is known that has variable a nearer to its mirror image than to x."""
    away = 0.0
    for m in range(SLOTS):
        if trunk.known[m] != 0.0:
            away = max(away, abs(trunk.others[m, a] - x))
    return away > 0.5 * abs(mirrored - x)


@kernel
def _go_on(t, body, q, own_P, before, P):
    """Limbs on another trunk, and all together where that promises to be lower. Returns P, steps, whether it is.

    The trunk may have turned far under a limb: there Gauss's steps lead back to the markers where Newton's stray.

    ``before``: P of trunk and limbs one after the other, as the frame began.
    """
    if not own_P < _OWN * P:
        return P, 0, False
    room = max(_PROMISING * before, P) - own_P
    limbs, steps = _settle(t, body, q, room, _FAR * P)
    if not limbs < room:
        return P, steps, False
    new_P, count, status = follow_frame(body, q, t.most, P, _NEAR, math.inf)
    lower = status == FOUND and new_P < P * (1.0 - _ALIKE)
    return (new_P if lower else P), steps + count, lower


@kernel
def _bend_trunk(t, body, q, index, begun, before, P):
    """The trunk the other way: as it nearly was in the last frame, and with each of its variables at the mirror image
    in its range, one at a time; limbs follow. Returns P and the steps.

    Two links in a row reach a point with the joint between them on either side; markers at both ends hardly tell which.
    Where a way is known that has a variable on the other side, it is bent anew at every eighth index only. Where the
    last frame's pose is far, all together begin from it too, ``begun``.
    """
    track = body.track
    scratch = body.scratch
    steps = 0
    trunk = _part_of(t, 0)
    own = trunk.track
    n = trunk.best.shape[0]
    keep(track, q, scratch.kept)
    keep(own, q, trunk.best)
    if _has_jumped(own, begun, q):
        for j in range(begun.shape[0]):
            q[j] = begun[j]
        new_P, count, status = follow_frame(body, q, t.most, P, _NEAR, math.inf)
        steps += count
        if status == FOUND and new_P < P * (1.0 - _ALIKE):
            P = new_P
            keep(track, q, scratch.kept)
            swap(trunk, q, 1.0)
        take(track, scratch.kept, q)
        place_model(body.model, body.work, q)
    aim_part(trunk, body)
    for k in range(SLOTS + n):
        if k < SLOTS:
            if trunk.known[k] == 0.0:
                continue
            take(own, trunk.others[k], q)
            own_P, count, status = follow_part(trunk, q, t.most, math.inf, math.inf)
            trunk.known[k] = 0.0
        else:
            a = k - SLOTS
            low = own.lower[a]
            high = own.upper[a]
            x = trunk.best[a]
            if not high - low <= _ONE_TURN or abs(low + high - 2.0 * x) < _ALIKE_BEND:
                continue
            if _is_bent(trunk, a, x, low + high - x) and index % 8 != 0:
                continue
            if index < trunk.resting[a]:
                continue
            own_P, count, status = _bend(t, trunk, q, a, x, P)
            if status != FOUND and own_P > _FAR * P:
                trunk.resting[a] = index + _REST
        steps += count
        if status == FOUND and is_other(own, trunk.best, q):
            remember(trunk, q, trunk.best, 1.0)
            P, count, lower = _go_on(t, body, q, own_P, before, P)
            steps += count
            if lower:
                keep(track, q, scratch.kept)
                swap(trunk, q, 1.0)
        take(track, scratch.kept, q)
    place_model(body.model, body.work, q)
    return P, steps


@kernel
def _other_ends(t, body, others, q, P):
    """Variables of no limb that are on an end of their range, from the other end. Returns P and the steps."""
    track = body.track
    scratch = body.scratch
    steps = 0
    kept = scratch.kept
    keep(track, q, kept)
    for k in range(others.shape[0]):
        a = others[k]
        low = track.lower[a]
        high = track.upper[a]
        x = kept[a]
        if (x <= low or x >= high) and high - low <= _ONE_TURN and high > low:
            q[track.dof[a]] = high if x <= low else low
            new_P, count, status = follow_frame(body, q, t.most, P, _NEAR, math.inf)
            steps += count
            if status == FOUND and new_P < P * (1.0 - _ALIKE):
                P = new_P
                keep(track, q, kept)
            else:
                take(track, kept, q)
    place_model(body.model, body.work, q)
    return P, steps


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], "
    "f8[:], i8, i8, i8, i8, i8 -> i8"
)
def follow_thorough(
    S, R, W, T, N, X, B, table, q, targets, weights, wish, out, report, frames, most, tries, draws, first
):
    """As `follow`, each limb of ``table`` tried from ``tries`` starts, each the best of ``draws`` from the index
    ``first`` on."""
    arrays = (
        view1(S, 0, S.shape[0]),
        view1(R, 0, R.shape[0]),
        view1(W, 0, W.shape[0]),
        view1(T, 0, T.shape[0]),
        view1(N, 0, N.shape[0]),
        view1(X, 0, X.shape[0]),
        view1(B, 0, B.shape[0]),
    )
    lists = view1(table, 0, table.shape[0])
    model = view_model(S, R, W)
    work = view_work(S, W)
    track = view_tracking(S, T, N, S[VALUES], S[MOTIONS])
    scratch = view_scratch(T, X, S[VALUES], S[MOTIONS])
    n = S[DOFS]
    v = T[VARIABLES]
    points = T[POINTS]
    things = points + T[SENSORS]
    wide = 3 * points + 9 * T[SENSORS]
    axes = view1(X, lists[WHOLE_X] - 3, 3)
    others = view1(lists, lists[AT_OTHERS], lists[OTHERS])
    value = view1(q, 0, n)
    weight = view1(weights, 0, things)
    stand(work.frames)
    team = Team(arrays, lists, most, tries, draws)
    failed = 0
    for f in range(frames):
        index = first + f
        body = Body(
            model, track, work, scratch, axes, view1(targets, f * wide, wide), weight, view1(wish, f * v, v)
        )
        for j in range(n):
            out[f * n + j] = value[j]
        before, steps = _begin(team, body, value)
        P, count, status = follow_frame(body, value, most, math.inf, _NEAR, math.inf)
        steps += count
        if status != EMPTY:
            P, gained, count = _improve_limbs(team, body, value, index, P)
            steps += count
            if lists[TRUNK] != 0:
                begun = view1(out, f * n, n)
                new_P, count = _bend_trunk(team, body, value, index, begun, before - gained, P)
            else:
                new_P, count = _other_ends(team, body, others, value, P)
            steps += count
            if new_P < P:
                P, gained, count = _improve_limbs(team, body, value, index, new_P)
                steps += count
            P, count, status = follow_frame(body, value, most, math.inf, _LAST, math.inf)
            steps += count
        if status >= TIRED:
            failed += 1
        write_frame(scratch, value, P, steps, status, view1(out, f * n, n), report, f)
    return failed

"""Following a target with a limb whose own angles move what carries it, as a shoulder girdle's rhythm does.

The carrier is placed where the limb would have it if its coordinates went on as they last did. There one step of the
closed form (`track.follow`) chooses family and swivel angle φ, and with these held x = g(x) is solved (see `carried`),
among the coordinates that move the carrier, by Broyden's method (1965): x ← x − H r with r = g(x) − x, and after each
step, of s in x and y in r,

    H ← H + (s − H y) sᵀH / (sᵀH y).

H is kept from sample to sample, so that each round gains two or three digits. Where this fails it is tried again from
the last sample's carrier, with secants; then whole steps are taken again and again until the carrier stays.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.limb.carried import MOVERS, coordinates, held, place_carrier, settle
from manikin.kernels.limb.families import rows_hold, settle_joint
from manikin.kernels.limb.limb import (
    BEFORE,
    CHANGE,
    FACTOR,
    INVERSE,
    OFFSET,
    SHOULDER_BETA,
    SHOULDER_KIND,
    STAR,
    SWIVEL,
    fits,
    to_coordinates,
)
from manikin.kernels.limb.track import FLIPPED, FOLLOWED, HELD, POSITION_ONLY, PROJECTED, family_of, follow
from manikin.kernels.memory.views import view1, view2, view3

# Broyden's rounds at most; what counts as settled, radians; steps below this say nothing about slopes.
_ROUNDS, _SETTLED, _ROUNDING = 12, 1e-13, 1e-10
# No change of a coordinate beyond this, radians a sample, is taken to go on.
_GOES_ON = 0.1
# Rounds where the solution is chosen anew in each, how many of them look far, and what counts as settled, radians: of a
# position alone φ is found by halving, to some 1e-9.
_FOLLOWED, _FAR, _NEAR, _NEAR_ALONE = 40, 3, 1e-12, 1e-8


@kernel
def _family(spec, row):
    """The family of values in row 0 that a step came to."""
    # θ4 = θ* + π ± δ with δ from 0 to π.
    branch = 0 if math.sin(row[0, 3] - spec[STAR]) <= 0.0 else 4
    return branch + 2 * family_of(spec, 0, row, 0) + family_of(spec, 1, row, 0)


@kernel
def _forget(spec, count):
    """Begin H anew, at −1: each coordinate answers its own residual, as if the carrier stood still."""
    for j in range(count):
        for k in range(count):
            spec[INVERSE + 7 * j + k] = -1.0 if j == k else 0.0


@kernel
def _learn(spec, count, s, y, room):
    """Broyden's update of H by a step s that changed the residual by y."""
    answer = view1(room, 91, 7)
    row = view1(room, 98, 7)
    below = 0.0
    for j in range(count):
        answer[j] = 0.0
        row[j] = 0.0
        for k in range(count):
            answer[j] += spec[INVERSE + 7 * j + k] * y[k]
            row[j] += s[k] * spec[INVERSE + 7 * k + j]
        below += s[j] * answer[j]
    size = 0.0
    for j in range(count):
        size += s[j] * s[j]
    if abs(below) < 0.1 * size:
        return
    for j in range(count):
        gain = (s[j] - answer[j]) / below
        for k in range(count):
            spec[INVERSE + 7 * j + k] += gain * row[k]


@kernel
def _broyden(spec, rail, targets, i, family, phi, x, left, room):
    """Whether family and φ settle with the carrier: values in the first row of ``room`` then, coordinates in x.

    left: the residual at x, of the coordinates that move the carrier.
    """
    rows = view2(room, 0, 2, 7)
    s = view1(room, 77, 7)
    y = view1(room, 84, 7)
    movers = view1(rail, MOVERS + 1, 7)
    count = int(rail[MOVERS])
    if spec[INVERSE] == 0.0:
        _forget(spec, count)
    for _ in range(_ROUNDS):
        longest = 0.0
        for j in range(count):
            s[j] = 0.0
            for k in range(count):
                s[j] -= spec[INVERSE + 7 * j + k] * left[k]
            longest = max(longest, abs(s[j]))
            x[int(movers[j])] += s[j]
        if not longest < 1.0:
            return False
        place_carrier(spec, rail, x)
        if held(spec, targets, i, family, phi, rows) != 1:
            return False
        worst = 0.0
        for j in range(count):
            m = int(movers[j])
            d = (rows[0, m] - spec[OFFSET + m]) * spec[FACTOR + m] - x[m]
            y[j] = d - left[j]
            left[j] = d
            worst = max(worst, abs(d))
        if longest > _ROUNDING:
            _learn(spec, count, s, y, room)
        if worst < _SETTLED:
            for j in range(7):
                x[j] = rows[0, j]
            coordinates(spec, x)
            return _fit(spec, rows)
    return False


@kernel
def _fit(spec, rows):
    """Whether the values in row 0 are within all limits."""
    ok, rows[0, 3] = fits(spec, 3, rows[0, 3])
    if not ok:
        return False
    for which in range(2):
        kind = int(spec[SHOULDER_KIND + which])
        if not settle_joint(spec, rows, 0, 4 * which, kind, spec[SHOULDER_BETA + which]):
            return False
    return rows_hold(spec, rows, 0)


@kernel
def _go_on(spec, rail, rigid, targets, i, box, space, room):
    """One step from the carrier as foreseen: whether it was followed, settled with the carrier.

    room: at 35 the values before.
    """
    x = view1(room, 28, 7)
    now = view2(room, 42, 1, 7)
    before = view1(room, 35, 7)
    left = view1(room, 70, 7)
    movers = view1(rail, MOVERS + 1, 7)
    for j in range(7):
        x[j] = before[j]
    coordinates(spec, x)
    for j in range(7):
        if not abs(spec[CHANGE + j]) < _GOES_ON:
            return False
        x[j] += spec[CHANGE + j]
    place_carrier(spec, rail, x)
    if follow(spec, rigid, targets, i, box, space, False) != FOLLOWED:
        return False
    for j in range(7):
        now[0, j] = spec[BEFORE + j]
        spec[BEFORE + j] = before[j]
    family = _family(spec, now)
    for j in range(int(rail[MOVERS])):
        m = int(movers[j])
        left[j] = (now[0, m] - spec[OFFSET + m]) * spec[FACTOR + m] - x[m]
    if not _broyden(spec, rail, targets, i, family, spec[SWIVEL], x, left, room):
        return False
    for j in range(7):
        spec[BEFORE + j] = room[j]
    return True


@kernel
def _follow(spec, rail, rigid, targets, i, box, space, room):
    """As `track.follow` with the carrier moving."""
    before = view1(room, 35, 7)
    for j in range(7):
        before[j] = spec[BEFORE + j]
    if _go_on(spec, rail, rigid, targets, i, box, space, room):
        for j in range(7):
            spec[CHANGE + j] = (spec[BEFORE + j] - before[j]) * spec[FACTOR + j]
        return FOLLOWED
    for j in range(7):
        spec[BEFORE + j] = before[j]
        spec[CHANGE + j] = 0.0
    _forget(spec, int(rail[MOVERS]))
    return _chosen_anew(spec, rail, rigid, targets, i, box, space, room)


@kernel
def _chosen_anew(spec, rail, rigid, targets, i, box, space, room):
    """From the last sample's carrier: by secants, then whole steps over and over.

    Where no solution was found in the first rounds, only those with an angle where it was are looked for in the others.
    """
    x = view1(room, 28, 7)
    before = view1(room, 35, 7)
    for j in range(7):
        x[j] = before[j]
    coordinates(spec, x)
    place_carrier(spec, rail, x)
    status = follow(spec, rigid, targets, i, box, space, True)
    if status <= FLIPPED:
        now = view2(room, 42, 1, 7)
        for j in range(7):
            now[0, j] = spec[BEFORE + j]
            x[j] = now[0, j]
        family = _family(spec, now)
        coordinates(spec, x)
        for j in range(7):
            spec[BEFORE + j] = before[j]
        if settle(spec, rail, targets, i, family, spec[SWIVEL], x, room, False) == 2:
            for j in range(7):
                spec[BEFORE + j] = room[j]
            return status
    for j in range(7):
        x[j] = before[j]
    coordinates(spec, x)
    for k in range(_FOLLOWED):
        place_carrier(spec, rail, x)
        for j in range(7):
            spec[BEFORE + j] = before[j]
        status = follow(spec, rigid, targets, i, box, space, k < _FAR)
        worst = 0.0
        for j in range(7):
            g = (spec[BEFORE + j] - spec[OFFSET + j]) * spec[FACTOR + j]
            worst = max(worst, abs(g - x[j]))
            x[j] = g
        if worst < (_NEAR_ALONE if status % PROJECTED == POSITION_ONLY else _NEAR):
            return status
    for j in range(7):
        spec[BEFORE + j] = before[j]
    return HELD + (PROJECTED if status >= PROJECTED else 0)


@kernel(entry="f8[:], f8[:], f8[:], f8[:,:,:], f8[:,:], f8[:], f8[:], f8[:,:], i8[:]")
def track_carried(spec, rail, rigid, targets, box, space, room, out, statuses):
    """Follow T targets (T, 4, 4): coordinates in ``out`` (T, 7), how each was met in ``statuses`` (T,)."""
    samples = view3(targets, 0, targets.shape[0], 4, 4)
    for i in range(targets.shape[0]):
        statuses[i] = _follow(spec, rail, rigid, samples, i, box, space, room)
        for j in range(7):
            out[i, j] = spec[BEFORE + j]
        to_coordinates(spec, out, i)

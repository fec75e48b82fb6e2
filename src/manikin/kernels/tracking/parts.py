"""Parts of a figure that are followed by themselves: limbs on a base that stands still, and the trunk without them.

With the trunk where it is, what a limb carries depends on the limb's variables alone: P is a sum over limbs. A limb is
a model of its own, seen from the motion that carries it, so a step costs a fraction of the whole figure's, and many
starts can be tried. All parts lie behind the whole figure in its arrays S, R, W, T, N and X; ``table`` says where.

``table``: how many parts, whether the first is the trunk, how long the whole figure's X is, how many variables are in
no limb and where in ``table`` they are listed; then `RECORD` numbers a part: where its S, R, W, T, N and X begin, how
long X is, where its numbers in ``B`` begin, the motion that carries it, and where in ``table`` its lists begin: the
whole figure's index of each point and sensor, and of each variable.
``B``: of each part its targets, weights and wishes, the best values found, `SLOTS` other minima that it was near to
in the last frame, with 0 for none or 1 and by how much of all P it is worse, and of each variable the index until which
it is not bent again.
"""

from __future__ import annotations

import math
from collections import namedtuple

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.tracking.layout import POINTS, SENSORS, VARIABLES, view_scratch, view_tracking
from manikin.kernels.tracking.track import FOUND, TIRED, evaluate, follow_frame
from manikin.kernels.tree.forward import stand
from manikin.kernels.tree.layout import MOTIONS, VALUES, view_model, view_work

# Of the table: counts at its head, then the numbers of a part.
PARTS, TRUNK, WHOLE_X, OTHERS, AT_OTHERS = range(5)
HEADER = 5
AT_S, AT_R, AT_W, AT_T, AT_N, AT_X, LONG_X, AT_B, BASE, LISTS = range(10)
RECORD = 10

# A range wider than this is drawn from around where the variable is.
_ONE_TURN = 2.0 * math.pi
# A part has come near enough to its minimum when a step was to lower P by less than this much of it.
_NEAR = 1e-2
# With a variable held elsewhere P may be so many times what it was; more, and it is not let go.
_HOPELESS = 1.3
# What is lower by less than this much of it is the same.
_ALIKE = 1e-6
# What a limb is followed by tells enough of it where it has this many times as many numbers as the limb has variables.
_AMPLE = 2.0
# A part that has less than this of all P is not looked at: so much at most would be gained.
_WORTH = 2e-3
# How many other minima of a part are remembered; what is nearer than this in 1 − cos of every variable is the same, and
# what is worse by more than so much of all P is forgotten.
SLOTS = 2
_SAME = 0.02
_FORGET = 0.5
# Square roots of the first primes: no two are in a simple ratio.
_ROOTS = tuple(math.sqrt(prime) for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37))

Part = namedtuple(
    "Part",
    "model track work scratch axes targets weights wish best others known resting things variables base",
)


def buffer_size(variables: int, points: int, sensors: int) -> int:
    """How many numbers of ``B`` a part has."""
    return 3 * points + 9 * sensors + points + sensors + (3 + SLOTS) * variables + SLOTS


@kernel
def view_part(S, R, W, T, N, X, B, table, p):
    """A part, ready to be followed."""
    at = HEADER + RECORD * p
    s = view1(S, table[at + AT_S], S.shape[0] - table[at + AT_S])
    t = view1(T, table[at + AT_T], T.shape[0] - table[at + AT_T])
    x = view1(X, table[at + AT_X], table[at + LONG_X])
    r = view1(R, table[at + AT_R], R.shape[0] - table[at + AT_R])
    w = view1(W, table[at + AT_W], W.shape[0] - table[at + AT_W])
    numbers = view1(N, table[at + AT_N], N.shape[0] - table[at + AT_N])
    work = view_work(s, w)
    stand(work.frames)
    v = t[VARIABLES]
    things = t[POINTS] + t[SENSORS]
    wide = 3 * t[POINTS] + 9 * t[SENSORS]
    b = table[at + AT_B]
    lists = table[at + LISTS]
    return Part(
        view_model(s, r, w),
        view_tracking(s, t, numbers, s[VALUES], s[MOTIONS]),
        work,
        view_scratch(t, x, s[VALUES], s[MOTIONS]),
        view1(x, table[at + LONG_X] - 3, 3),
        view1(B, b, wide),
        view1(B, b + wide, things),
        view1(B, b + wide + things, v),
        view1(B, b + wide + things + v, v),
        view2(B, b + wide + things + 2 * v, SLOTS, v),
        view1(B, b + wide + things + (2 + SLOTS) * v, SLOTS),
        view1(B, b + wide + things + (2 + SLOTS) * v + SLOTS, v),
        view1(table, lists, things),
        view1(table, lists + things, v),
        table[at + BASE],
    )


@kernel
def aim_part(part, body):
    """What the part has to follow, as seen from the frame of its base."""
    base = body.work.frames[part.base]
    points = body.track.points
    targets = body.targets
    mine = part.targets
    at = 0
    for k in range(part.things.shape[0]):
        s = part.things[k]
        part.weights[k] = body.weights[s]
        if s < points:
            x = targets[3 * s] - base[9]
            y = targets[3 * s + 1] - base[10]
            z = targets[3 * s + 2] - base[11]
            for r in range(3):
                mine[at + r] = base[r] * x + base[3 + r] * y + base[6 + r] * z
            at += 3
        else:
            first = 3 * points + 9 * (s - points)
            for c in range(3):
                x = targets[first + c]
                y = targets[first + 3 + c]
                z = targets[first + 6 + c]
                for r in range(3):
                    mine[at + 3 * r + c] = base[r] * x + base[3 + r] * y + base[6 + r] * z
            at += 9
    for a in range(part.variables.shape[0]):
        part.wish[a] = body.wish[part.variables[a]]


@kernel
def follow_part(part, q, most, enough, far):
    """Move the part's variables in q near to their minimum, as `follow_frame`. Returns P, steps, how it ended."""
    return follow_frame(part, q, most, enough, _NEAR, far)


@kernel
def part_error(part, q):
    """P of the part."""
    P, _ = evaluate(part, q, 0.0)
    return P


@kernel
def keep(track, q, values):
    """The variables in q, into ``values``."""
    for a in range(values.shape[0]):
        values[a] = q[track.dof[a]]


@kernel
def take(track, values, q):
    """Set the variables in q."""
    for a in range(values.shape[0]):
        q[track.dof[a]] = values[a]


@kernel
def _draw(track, best, q, index):
    """Values anywhere in their ranges, a whole turn about the best where there is none: the fractions of index √prime.

    Successive indices fill the ranges evenly, in all variables together.
    """
    for a in range(best.shape[0]):
        u = index * _ROOTS[a % len(_ROOTS)]
        u -= math.floor(u)
        low = track.lower[a]
        width = track.upper[a] - low
        if not width <= _ONE_TURN:
            low = best[a] - math.pi
            width = _ONE_TURN
        q[track.dof[a]] = low + u * width


@kernel
def follow_held(part, q, a, x, most, enough, far):
    """As `follow_part`, variable a held at x."""
    track = part.track
    low = track.lower[a]
    high = track.upper[a]
    track.lower[a] = x
    track.upper[a] = x
    P, steps, status = follow_part(part, q, most, enough, far)
    track.lower[a] = low
    track.upper[a] = high
    return P, steps, status


@kernel
def follow_with(part, q, a, x, most, P):
    """With variable a held at x until the others have come to terms with it, then free. As `follow_part` returns.

    Let go at once it would go back where it came from, before the others follow.
    """
    held_P, steps, status = follow_held(part, q, a, x, most, _HOPELESS * P, math.inf)
    if status != FOUND or held_P > _HOPELESS * P:
        return held_P, steps, TIRED
    new_P, count, status = follow_part(part, q, most, P, math.inf)
    return new_P, steps + count, status


@kernel
def _is_scarce(part):
    """Whether what is seen of the part leaves room for other poses: three numbers a point or sensor."""
    seen = 0
    for k in range(part.weights.shape[0]):
        points = part.track.points
        x = part.targets[3 * k if k < points else 3 * points + 9 * (k - points)]
        if x == x and part.weights[k] > 0.0:
            seen += 3
    return seen < _AMPLE * part.best.shape[0]


@kernel
def is_on_end(track, a, x):
    """Whether a value is on an end of a range that has another end."""
    low = track.lower[a]
    high = track.upper[a]
    return (x <= low or x >= high) and high - low <= _ONE_TURN and high > low


@kernel
def is_other(track, values, q):
    """Whether values are another pose than q has: some variable differs, whole turns aside."""
    farthest = 0.0
    for a in range(values.shape[0]):
        farthest = max(farthest, 1.0 - math.cos(values[a] - q[track.dof[a]]))
    return farthest > _SAME


@kernel
def remember(part, q, best, excess):
    """Keep what q has as another minimum than ``best``, where it is one that is not known and a slot is empty.

    ``excess``: by how much of all P it is worse.
    """
    track = part.track
    if not is_other(track, best, q):
        return
    empty = -1
    for m in range(SLOTS):
        if part.known[m] == 0.0:
            empty = m
        elif not is_other(track, part.others[m], q):
            return
    if empty >= 0:
        keep(track, q, part.others[empty])
        part.known[empty] = 1.0 + excess


@kernel
def swap(part, q, excess):
    """The values of q are the best, what was the best is remembered."""
    track = part.track
    for a in range(part.best.shape[0]):
        x = part.best[a]
        part.best[a] = q[track.dof[a]]
        q[track.dof[a]] = x
    remember(part, q, part.best, excess)


@kernel
def _judge(part, q, new_P, status, P, all_P):
    """What a start ended at: the best from now on, one to remember, or nothing. Returns P of the best."""
    if status == FOUND and new_P < P * (1.0 - _ALIKE):
        swap(part, q, (P - new_P) / all_P)
        return new_P
    if new_P < P + _FORGET * all_P:
        remember(part, q, part.best, max(new_P - P, 0.0) / all_P)
    return P


@kernel
def _try_known(part, q, most, P, all_P, ample, index):
    """The limb from the other minima that it was near to, one that is amply seen from one of them at each index.
    Returns P and the steps; its values are ``best``."""
    steps = 0
    for m in range(SLOTS):
        if part.known[m] == 0.0 or (ample and (index + m) % 2 == 0):
            continue
        take(part.track, part.others[m], q)
        new_P, count, status = follow_part(part, q, most, P, math.inf)
        steps += count
        part.known[m] = 0.0
        P = _judge(part, q, new_P, status, P, all_P)
    return P, steps


@kernel
def _try_ends(part, q, most, P, all_P):
    """The limb with each variable that is on an end of its range at the other, one at a time. Returns P, the steps, and
    whether there is such a variable."""
    track = part.track
    steps = 0
    held = False
    for a in range(part.best.shape[0]):
        x = part.best[a]
        if is_on_end(track, a, x):
            held = True
            take(track, part.best, q)
            low = track.lower[a]
            new_P, count, status = follow_with(part, q, a, track.upper[a] if x <= low else low, most, P)
            steps += count
            P = _judge(part, q, new_P, status, P, all_P)
    return P, steps, held


@kernel
def _try_half_turn(part, q, most, P, all_P):
    """The limb with the variable half a turn on that has a whole turn and loses least by it. Returns P and the steps.

    A stretched elbow that is held by the end of its range bends the other way when the upper arm turns over.
    """
    track = part.track
    least = math.inf
    for a in range(part.best.shape[0]):
        if not track.upper[a] - track.lower[a] <= _ONE_TURN:
            take(track, part.best, q)
            q[track.dof[a]] += math.pi
            new_P = part_error(part, q)
            if new_P < least:
                least = new_P
                keep(track, q, part.scratch.kept)
    if least == math.inf:
        return P, 0
    take(track, part.scratch.kept, q)
    new_P, steps, status = follow_part(part, q, most, math.inf, math.inf)
    return _judge(part, q, new_P, status, P, all_P), steps


@kernel
def _try_drawn(part, q, most, P, all_P, draws, index):
    """The limb from the best of ``draws`` poses from ``index`` on. Returns P and the steps."""
    track = part.track
    least = math.inf
    for d in range(draws):
        _draw(track, part.best, q, index + d)
        new_P = part_error(part, q)
        if new_P < least:
            least = new_P
            keep(track, q, part.scratch.kept)
    take(track, part.scratch.kept, q)
    new_P, steps, status = follow_part(part, q, most, P, math.inf)
    return _judge(part, q, new_P, status, P, all_P), steps


@kernel
def seek(part, q, most, tries, draws, index, all_P):
    """Whether a limb fits better elsewhere: from the minima that it was near to before, from the other end of each
    range that holds it, one at a time, half a turn on, and from each of ``tries`` starts, the best of ``draws`` that
    are drawn from ``index`` on.

    One that no range holds has a start at every third index, one that is amply seen at every fourth; one whose part of
    ``all_P`` is too small to matter is left. From q, at a minimum; ends at the lowest found. Returns by how much P
    fell, and the steps.
    """
    track = part.track
    first = part_error(part, q)
    if first < _WORTH * all_P:
        return 0.0, 0
    keep(track, q, part.best)
    ample = not _is_scarce(part)
    P, steps = _try_known(part, q, most, first, all_P, ample, index)
    P, count, held = _try_ends(part, q, most, P, all_P)
    steps += count
    if held:
        P, count = _try_half_turn(part, q, most, P, all_P)
        steps += count
    if ample:
        tries = 1 if index % 4 == 0 else 0
    elif not held:
        tries = 1 if index % 3 == 0 else 0
    for t in range(tries):
        P, count = _try_drawn(part, q, most, P, all_P, draws, (index * tries + t) * draws)
        steps += count
    take(track, part.best, q)
    return first - P, steps

"""Where a human's solve begins and what it is pulled to, in one call: what is asked, read off targets and start, and
the posture that people take for it (`natural`).

`goals.asked` says the same in NumPy, goal by goal; here a *plan* made once a problem (`solvers.starts.natural_plan`)
tells which targets ask for which part of the body, so that a figure that is dragged pays for the network alone.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.path import CONTINUES, FRESH
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.memory.views import integers_at, reals_at, view1, view2
from manikin.kernels.natural import (
    DIRECTIONS,
    FEATURES,
    GIVEN,
    GROUPS,
    LEARNED,
    LEFT_FOOT,
    PELVIS,
    POINTS,
    RIGHT_FOOT,
    STATURE,
    WRISTS,
    Posture,
    evaluate,
    find_frame,
    place_posture,
)
from manikin.kernels.pose.place import is_finite
from manikin.kernels.tree.forward import place_model, stand
from manikin.kernels.tree.layout import view_model, view_work

#: Where and how large the arrays are, two items each: those of `Posture` but the network; the model of the sites, its
#: parameters and workspace; plan, local frames; which coordinates take the posture, which do where they are at rest,
#: and which were learned; rest; which goals have targets with the call; which are switched on; the goals' own targets;
#: what is kept from call to call; what the start told when a drag began; the model of the ankles alone, as that of the
#: sites; the last targets of the places. Then one item: how much of the calls before this one goes on with, as of
#: `memory.path`.
T_POSTURE, T_MODEL, T_PLAN, T_LOCAL, T_MOVES, T_HANGS, T_LEARNED, T_REST, T_MARKS, T_ACTIVE, T_OWN, T_KEPT = (
    2 * k for k in (0, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25)
)
T_BEGUN = T_KEPT + 2
T_ANKLES = T_BEGUN + 2
T_LAST = T_ANKLES + 6
T_RUN = T_LAST + 2
T_ITEMS = T_RUN + 1
#: Counts of the plan: places, pins, groups that are held, gazes, variables; addresses of the least and greatest values
#: that a search pulls to; the style, or −1; whether a near start is begun at; the eyes' two coordinates, or −1; whether
#: a search that met everything has all places where their targets are, to a hundredth of what is near.
N_PLACES, N_PINS, N_HELD, N_GAZES, N_VARIABLES, PULL_LOW, PULL_HIGH, STYLE, MAY_STAY = range(9)
AZIMUTH, ELEVATION, TRUSTS_TARGETS, PLAN = 9, 10, 11, 12
#: A place: its goal, group, point; first direction, or −1; whether the whole frame is asked for; of a wrist its side,
#: 1 or −1, else 0; its site in the model.
P_GOAL, P_GROUP, P_POINT, P_DIRECTION, P_WHOLE, P_SIDE, P_SITE, PLACE = range(8)
#: Sites of the model before those of the places.
ANKLE_LEFT, ANKLE_RIGHT, HEAD, ROOT_SITE, FOOT_LEFT, FOOT_RIGHT, SITES = range(7)
#: Numbers of a place: its site's rotation at rest, and the way from there to the part that was learned.
LOCAL = 12
#: What is kept: 2 and the style where there is something, what was given, what the network said, the frame of the feet.
FRAME = 6
K_GIVEN, K_SAID = 1, 1 + GIVEN
K_FRAME = K_SAID + LEARNED
KEPT = K_FRAME + FRAME
#: Numbers of the last target of a place: 1 where there is one, then those of the target.
LAST = 1 + NUMBERS
#: What is known of a drag: 1 where there is something, what its first start told; and 1 where the last search met its
#: targets, written by whoever searches.
D_KNOWN, D_TOLD, D_MET, DRAG = 0, 1, 1 + GIVEN, 2 + GIVEN
#: What `begin_naturally` returns: the start is not finite, the search begins at the posture, or where the start is.
NOT_FINITE, AT_POSTURE, AT_START = -1, 0, 1

# Points and groups, as of `natural`.
_LEFT_ANKLE, _RIGHT_ANKLE, _HEAD_POINT, _PELVIS_POINT = 2, 3, 4, 5
_HEAD_GROUP, _GAZE_GROUP, _FACING = 4, 5, 7
_FIRST_DIRECTION, _GAZE = 3 * POINTS, 4
# Of stature: how high and how far out a shoulder is over the feet; how much higher than the hand at most; the eyes.
SHOULDER, OUT, HIGHER, EYES = 0.78, 0.10, 0.35, 0.9
# How far eyes turn before the neck does, radians; how much of a gaze's slope the head takes; the neck's learned
# coordinates.
EYES_TURN, HEAD_SLOPE, NECK_FLEXION, NECK_TWIST = 0.35, 0.5, 9, 11
# A start is near within so many metres, and where the trace of the rotation that is left is no less than this (8°).
NEAR, NEARLY_TURNED = 0.03, 2.98
# Of stature: how far the feet may be from where a drag has them before it counts as another; and how far a target may
# be from there, on the floor, before they come along.
_ANOTHER, _LEASH = 0.15, 0.4


@kernel
def _site(model, work, k, out):
    """The frame of a site in the world: rotation by rows, then position."""
    frame = work.frames[model.site_motion[k]]
    local = model.site[k]
    for r in range(3):
        a = frame[3 * r]
        b = frame[3 * r + 1]
        c = frame[3 * r + 2]
        for j in range(3):
            out[3 * r + j] = a * local[j] + b * local[3 + j] + c * local[6 + j]
        out[9 + r] = a * local[9] + b * local[10] + c * local[11] + frame[9 + r]


@kernel
def _read_start(model, work, frame, given):
    """Points and directions of the start: what the goals do not say."""
    for k in range(4):
        _site(model, work, k, frame)
        p = 3 * (_LEFT_ANKLE + k)
        for c in range(3):
            given[p + c] = frame[9 + c]
        if k == HEAD:
            for c in range(3):
                given[_FIRST_DIRECTION + 3 * _GAZE + c] = frame[3 * c]
        elif k == ROOT_SITE:
            for c in range(3):
                given[_FIRST_DIRECTION + 15 + c] = frame[3 * c]
                given[_FIRST_DIRECTION + 18 + c] = frame[3 * c + 2]
    for k in range(2):
        _site(model, work, FOOT_LEFT + k, frame)
        for c in range(3):
            given[_FIRST_DIRECTION + 6 * k + c] = frame[3 * c]
            given[_FIRST_DIRECTION + 6 * k + 3 + c] = frame[3 * c + 2]
    for c in range(6):  # wrists are given by goals or not at all
        given[c] = 0.0


@kernel
def _feet_stayed(model, work, frame, begun, told, stature):
    """Whether the ankles are still about where the first start of a drag had them.

    So long feet which no goal holds stay where they were then while the hand is led round, and not where it took them
    last. The model is that of the ankles alone.
    """
    stand(work.frames)
    place_model(model, work, begun)
    square = 0.0
    for c in range(3):
        frame[c] = -0.5 * (told[3 * _LEFT_ANKLE + c] + told[3 * _RIGHT_ANKLE + c])
    for k in range(2):
        local = model.site[k]
        motion = work.frames[model.site_motion[k]]
        for r in range(3):
            a = motion[3 * r] * local[9] + motion[3 * r + 1] * local[10] + motion[3 * r + 2] * local[11]
            frame[r] += 0.5 * (a + motion[9 + r])
    for c in range(3):
        square += frame[c] * frame[c]
    return square <= _ANOTHER * _ANOTHER * stature * stature


@kernel
def _come_along(told, target, whole, stature, given):
    """Let the feet of a drag follow a target that leaves: no farther than it goes beyond a leash, on the floor."""
    x = target[3 if whole else 0] - 0.5 * (given[6] + given[9])
    y = target[7 if whole else 1] - 0.5 * (given[7] + given[10])
    away = math.sqrt(x * x + y * y)
    leash = _LEASH * stature
    if not leash < away < math.inf:
        return
    f = 1.0 - leash / away
    for p in range(_LEFT_ANKLE, POINTS):
        given[3 * p] += f * x
        given[3 * p + 1] += f * y
        told[3 * p] = given[3 * p]
        told[3 * p + 1] = given[3 * p + 1]


@kernel
def _place_whole(place, local, numbers, given, which):
    """A whole frame: that of the part as if its joints between the site and it were at rest."""
    p = 3 * place[P_POINT]
    d = place[P_DIRECTION]
    for r in range(3):
        s = numbers[4 * r + 3]
        for c in range(3):
            turned = 0.0
            for k in range(3):
                turned += numbers[4 * r + k] * local[3 * c + k]
            s += turned * local[9 + c]
            if d >= 0 and c != 1:
                given[_FIRST_DIRECTION + 3 * d + (r if c == 0 else 3 + r)] = turned
        given[p + r] = s
    if place[P_GROUP] == PELVIS:
        which[_FACING] = 1.0


@kernel
def _place_wrist(place, local, target, stature, given):
    """A point for a hand: along the way from the shoulder."""
    x = 0.5 * (given[6] + given[9])
    y = 0.5 * (given[7] + given[10])
    z = 0.5 * (given[8] + given[11])
    z += min(SHOULDER * stature, max(target[2] - z, 0.0) + HIGHER * stature)
    u = given[_FIRST_DIRECTION] + given[_FIRST_DIRECTION + 6]
    v = given[_FIRST_DIRECTION + 1] + given[_FIRST_DIRECTION + 7]
    side = OUT * stature * place[P_SIDE] / max(math.sqrt(u * u + v * v), 1e-9)
    u, v = -side * v, side * u
    wx = target[0] - x - u
    wy = target[1] - y - v
    wz = target[2] - z
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    reach = math.sqrt(local[9] * local[9] + local[10] * local[10] + local[11] * local[11])
    f = min(reach, 0.5 * length) / max(length, 1e-9)
    p = 3 * place[P_POINT]
    given[p] = target[0] - f * wx
    given[p + 1] = target[1] - f * wy
    given[p + 2] = target[2] - f * wz


@kernel
def _place_point(place, local, target, given):
    """A point for another part: turned as it is in the start."""
    p = 3 * place[P_POINT]
    a = local[9]
    b = local[10]
    c = local[11]
    if place[P_DIRECTION] < 0:
        given[p] = target[0] + a
        given[p + 1] = target[1] + b
        given[p + 2] = target[2] + c
        return
    d = _FIRST_DIRECTION + 3 * place[P_DIRECTION]
    for r in range(3):
        s = (r + 1) % 3
        t = (r + 2) % 3
        across = given[d + 3 + s] * given[d + t] - given[d + 3 + t] * given[d + s]
        given[p + r] = target[r] + a * given[d + r] + b * across + c * given[d + 3 + r]


@kernel
def _is_near(frame, whole, numbers):
    """Whether a site is nearly where it is to be."""
    square = 0.0
    for c in range(3):
        off = numbers[4 * c + 3 if whole else c] - frame[9 + c]
        square += off * off
    if not square <= NEAR * NEAR:
        return False
    if not whole:
        return True
    trace = 0.0
    for r in range(3):
        for c in range(3):
            trace += numbers[4 * r + c] * frame[3 * r + c]
    return trace >= NEARLY_TURNED


@kernel
def _met_frame(last, whole, frame):
    """The frame of a site that met its last target, as far as that tells."""
    for r in range(3):
        frame[9 + r] = last[1 + (4 * r + 3 if whole else r)]
        if whole:
            for c in range(3):
                frame[3 * r + c] = last[1 + 4 * r + c]


@kernel
def _are_met(plan, active, last):
    """Whether every place that is asked for now was in the last call too."""
    met = True
    for k in range(plan[N_PLACES]):
        goal = plan[PLAN + PLACE * k + P_GOAL]
        met = met and (active[goal] == 0 or last[LAST * k] != 0.0)
    return met


@kernel
def _note_targets(plan, marks, active, own, numbers, last):
    """Keep the targets of the places."""
    for k in range(plan[N_PLACES]):
        goal = plan[PLAN + PLACE * k + P_GOAL]
        row = view1(last, LAST * k, LAST)
        row[0] = 1.0 if active[goal] != 0 else 0.0
        target = _target(goal, marks, own, numbers)
        for c in range(NUMBERS):
            row[1 + c] = target[c]


@kernel
def _target(goal, marks, own, numbers):
    """The numbers of a goal's target: those of the call, or its own."""
    if numbers.shape[0] > 0 and marks[goal] != 0:
        return view1(numbers, NUMBERS * goal, NUMBERS)
    return view1(own, NUMBERS * goal, NUMBERS)


@kernel
def _ask(
    plan, local, marks, active, own, numbers, stature, model, work, frame, drag, goes_on, last, met, given
):
    """What is asked for into ``given``, what is not being where the start has it; whether the start nearly has it.

    drag, goes_on: what is known of the last drag, and whether this call goes on with it.
    last, met: the last targets of the places, and whether the start is known to meet them; else the model is placed.
    """
    which = view1(given, 3 * (POINTS + DIRECTIONS), GROUPS)
    for g in range(GROUPS):
        which[g] = 0.0
    told = view1(drag, D_TOLD, GIVEN)
    if goes_on:
        for k in range(3 * (POINTS + DIRECTIONS)):
            given[k] = told[k]
    else:
        _read_start(model, work, frame, given)
        drag[D_KNOWN] = 1.0
        for k in range(3 * (POINTS + DIRECTIONS)):
            told[k] = given[k]
    places = view2(plan, PLAN, plan[N_PLACES], PLACE)
    pins = view2(plan, PLAN + PLACE * plan[N_PLACES], plan[N_PINS], 2)
    first = PLAN + PLACE * plan[N_PLACES] + 2 * plan[N_PINS]
    held = view1(plan, first, plan[N_HELD])
    gazes = view1(plan, first + plan[N_HELD], plan[N_GAZES])
    for k in range(plan[N_PINS]):
        if active[pins[k, 0]] != 0:
            which[pins[k, 1]] = 1.0
    for k in range(plan[N_HELD]):
        which[held[k]] = 1.0
        if held[k] == PELVIS:
            which[_FACING] = 1.0
    near = True
    for k in range(plan[N_PLACES]):
        if goes_on and active[places[k, P_GOAL]] != 0:
            target = _target(places[k, P_GOAL], marks, own, numbers)
            _come_along(told, target, places[k, P_WHOLE] != 0, stature, given)
    for k in range(plan[N_PLACES]):
        place = places[k]
        goal = place[P_GOAL]
        if active[goal] == 0:
            continue
        target = _target(goal, marks, own, numbers)
        whole = place[P_WHOLE] != 0
        own_frame = view1(local, LOCAL * k, LOCAL)
        if near:
            if met:
                _met_frame(view1(last, LAST * k, LAST), whole, frame)
            else:
                _site(model, work, place[P_SITE], frame)
            near = _is_near(frame, whole, target)
        if whole:
            _place_whole(place, own_frame, target, given, which)
        elif place[P_SIDE] != 0:
            _place_wrist(place, own_frame, target, stature, given)
        else:
            _place_point(place, own_frame, target, given)
        which[place[P_GROUP]] = 1.0
    if (
        which[LEFT_FOOT] + which[RIGHT_FOOT] + which[PELVIS] == 0.0
    ):  # nothing moves the root: it stays where it is
        which[LEFT_FOOT] = 1.0
        which[RIGHT_FOOT] = 1.0
        which[PELVIS] = 1.0
        which[_FACING] = 1.0
    for k in range(plan[N_GAZES]):
        if active[gazes[k]] == 0:
            continue
        target = _target(gazes[k], marks, own, numbers)
        length = 0.0
        for c in range(3):
            eyes = given[3 * _HEAD_POINT + c]
            if which[_HEAD_GROUP] == 0.0:
                eyes = 0.5 * (given[6 + c] + given[9 + c]) + (EYES * stature if c == 2 else 0.0)
            way = (target[c] - eyes) * (HEAD_SLOPE if c == 2 else 1.0)
            given[_FIRST_DIRECTION + 3 * _GAZE + c] = way
            length += way * way
        length = max(math.sqrt(length), 1e-9)
        for c in range(3):
            given[_FIRST_DIRECTION + 3 * _GAZE + c] /= length
        which[_GAZE_GROUP] = 1.0
    return near


@kernel
def _look(p, model, work, frame, at, azimuth, elevation, moves, found):
    """Turn the eyes of a posture to a point, and the neck by what is left: whoever looks aside does not lean for it.

    Only what moves is turned.
    """
    stand(work.frames)
    place_model(model, work, found)
    _site(model, work, HEAD, frame)
    x = at[0] - frame[9]
    y = at[1] - frame[10]
    z = at[2] - frame[11]
    u = frame[0] * x + frame[3] * y + frame[6] * z
    v = frame[1] * x + frame[4] * y + frame[7] * z
    w = frame[2] * x + frame[5] * y + frame[8] * z
    yaw = math.atan2(v, u)
    pitch = math.atan2(w, math.sqrt(u * u + v * v))
    if azimuth >= 0 and moves[azimuth] != 0:
        found[azimuth] = min(max(yaw, -EYES_TURN), EYES_TURN)
        yaw -= found[azimuth]
    if elevation >= 0 and moves[elevation] != 0:
        found[elevation] = min(max(pitch, -EYES_TURN), EYES_TURN)
        pitch -= found[elevation]
    _turn_neck(p, NECK_TWIST, yaw, moves, found)
    _turn_neck(p, NECK_FLEXION, -pitch, moves, found)


@kernel
def _turn_neck(p, k, by, moves, found):
    """Turn the whole neck by an angle about one of its axes, as far as it goes."""
    now = 0.0
    for t in range(p.index.shape[0]):
        if p.learned[t] == k and moves[p.index[t]] != 0:
            now += found[p.index[t]]
    low = p.scaling[2 * FEATURES + 2 * LEARNED + k]
    high = p.scaling[2 * FEATURES + 3 * LEARNED + k]
    by = min(max(now + by, low), high) - now
    for t in range(p.index.shape[0]):
        j = p.index[t]
        if p.learned[t] == k and moves[j] != 0:
            found[j] = min(max(found[j] + p.share[t] * by, p.ranges[0, j]), p.ranges[1, j])


@kernel
def _posture(T, network):
    """The arrays of `Posture` that a table tells of."""
    starts = T[T_POSTURE + 17]
    return Posture(
        view1(network, 0, network.shape[0]),
        integers_at(T[T_POSTURE], T[T_POSTURE + 1]),
        reals_at(T[T_POSTURE + 2], T[T_POSTURE + 3]),
        integers_at(T[T_POSTURE + 4], T[T_POSTURE + 5]),
        reals_at(T[T_POSTURE + 6], T[T_POSTURE + 7]),
        integers_at(T[T_POSTURE + 8], T[T_POSTURE + 9]),
        integers_at(T[T_POSTURE + 10], T[T_POSTURE + 11]),
        reals_at(T[T_POSTURE + 12], T[T_POSTURE + 13]),
        view2(reals_at(T[T_POSTURE + 14], T[T_POSTURE + 15]), 0, 3, T[T_POSTURE + 15] // 3),
        integers_at(T[T_POSTURE + 16], starts),
        integers_at(T[T_POSTURE + 18], T[T_POSTURE + 19]),
        reals_at(T[T_POSTURE + 20], T[T_POSTURE + 21]),
        reals_at(T[T_POSTURE + 22], T[T_POSTURE + 23]),
        reals_at(T[T_POSTURE + 24], T[T_POSTURE + 25]),
    )


@kernel
def _is_asked_again(given, style, kept):
    """Whether this was asked last; and whether it was but for where the wrists are."""
    wrists = 0
    others = 0 if kept[0] == 2.0 + style else 1
    for k in range(WRISTS):
        wrists += 0 if given[k] == kept[K_GIVEN + k] else 1
    for k in range(WRISTS, GIVEN):
        others += 0 if given[k] == kept[K_GIVEN + k] else 1
    return wrists + others == 0, others == 0


@kernel
def _prefer(p, given, style, work, kept):
    """What the network says, and the frame of the feet, into ``kept``, as far as it is not there."""
    same, known = _is_asked_again(given, style, kept)
    if same:
        return
    if not known:
        frame = find_frame(given, view1(given, 3 * (POINTS + DIRECTIONS), GROUPS))
        for k in range(FRAME):
            kept[K_FRAME + k] = frame[k]
    x = evaluate(p, given, style, _kept_frame(kept), work, LEARNED, known)
    kept[0] = 2.0 + style
    for k in range(GIVEN):
        kept[K_GIVEN + k] = given[k]
    for k in range(LEARNED):
        kept[K_SAID + k] = x[k]


@kernel
def _kept_frame(kept):
    """The frame of the feet."""
    f = K_FRAME
    return kept[f], kept[f + 1], kept[f + 2], kept[f + 3], kept[f + 4], kept[f + 5]


@kernel(entry="i8[:], f4[:], f4[:], f8[:], f8[:], f8[:] -> i8")
def begin_naturally(T, network, work, numbers, start, q):
    """The posture that people take for the targets into q, (n,), and into what the search pulls to.

    Coordinates that do not take it are as in the start; what was not learned is pulled to rest, so that it does not
    drift where a target is led round and round (a posture that is asked for leaves it alone). A run that goes on asks
    for the feet, pelvis and facing that its first start told. Returns where the search begins.

    network, work: as of `natural.prefer`. numbers: the targets that came with the call, 16 a goal; none where there are
    none. Nothing is written to the pull where a target is no number: the search refuses it.
    """
    n = start.shape[0]
    begun = view1(start, 0, n)
    drag = reals_at(T[T_BEGUN], T[T_BEGUN + 1])
    goes_on = T[T_RUN] != FRESH and drag[D_KNOWN] != 0.0
    if not is_finite(begun):
        return NOT_FINITE
    p = _posture(T, network)
    model = view_model(integers_at(T[T_MODEL], T[T_MODEL + 1]), reals_at(T[T_MODEL + 2], T[T_MODEL + 3]))
    structure = integers_at(T[T_MODEL], T[T_MODEL + 1])
    place = view_work(structure, reals_at(T[T_MODEL + 4], T[T_MODEL + 5]))
    plan = integers_at(T[T_PLAN], T[T_PLAN + 1])
    moves = integers_at(T[T_MOVES], n)
    hangs = integers_at(T[T_HANGS], n)
    learned = integers_at(T[T_LEARNED], n)
    rest = reals_at(T[T_REST], n)
    kept = reals_at(T[T_KEPT], T[T_KEPT + 1])
    given = view1(kept, KEPT, GIVEN)
    frame = view1(kept, KEPT + GIVEN, 12)
    values = view1(kept, KEPT + GIVEN + 12, LEARNED)
    found = view1(q, 0, n)
    marks = integers_at(T[T_MARKS], T[T_MARKS + 1])
    active = integers_at(T[T_ACTIVE], T[T_ACTIVE + 1])
    own = reals_at(T[T_OWN], T[T_OWN + 1])
    last = reals_at(T[T_LAST], T[T_LAST + 1])
    handed = view1(numbers, 0, numbers.shape[0])
    stature = p.body[STATURE]
    if goes_on:
        ankles = integers_at(T[T_ANKLES], T[T_ANKLES + 1])
        goes_on = _feet_stayed(
            view_model(ankles, reals_at(T[T_ANKLES + 2], T[T_ANKLES + 3])),
            view_work(ankles, reals_at(T[T_ANKLES + 4], T[T_ANKLES + 5])),
            frame,
            begun,
            view1(drag, D_TOLD, GIVEN),
            stature,
        )
    met = goes_on and T[T_RUN] >= CONTINUES and drag[D_MET] != 0.0 and plan[TRUSTS_TARGETS] != 0
    met = met and _are_met(plan, active, last)
    if not met:
        for j in range(n):
            found[j] = min(max(begun[j], p.ranges[0, j]), p.ranges[1, j])
        stand(place.frames)
        place_model(model, place, found)
    near = _ask(
        plan,
        reals_at(T[T_LOCAL], T[T_LOCAL + 1]),
        marks,
        active,
        own,
        handed,
        stature,
        model,
        place,
        frame,
        drag,
        goes_on,
        last,
        met,
        given,
    )
    _note_targets(plan, marks, active, own, handed, last)
    drag[D_MET] = 0.0
    style = plan[STYLE]
    _prefer(p, given, style, view1(work, 0, work.shape[0]), kept)
    place_posture(p, given, _kept_frame(kept), view1(kept, K_SAID, LEARNED), begun, values, found)
    for j in range(n):
        if moves[j] == 0 and (hangs[j] == 0 or begun[j] != rest[j]):
            found[j] = begun[j]
    first_gaze = PLAN + PLACE * plan[N_PLACES] + 2 * plan[N_PINS] + plan[N_HELD]
    gazed = -1
    for k in range(plan[N_GAZES]):
        if active[plan[first_gaze + k]] != 0:
            gazed = plan[first_gaze + k]
    if gazed >= 0:
        at = _target(gazed, marks, own, handed)
        _look(p, model, place, frame, at, plan[AZIMUTH], plan[ELEVATION], moves, found)
    if not is_finite(found):
        return AT_START
    first = PLAN + PLACE * plan[N_PLACES] + 2 * plan[N_PINS] + plan[N_HELD] + plan[N_GAZES]
    if plan[PULL_LOW] != 0:
        low = reals_at(plan[PULL_LOW], plan[N_VARIABLES])
        high = reals_at(plan[PULL_HIGH], plan[N_VARIABLES])
        for i in range(plan[N_VARIABLES]):
            j = plan[first + i]
            low[i] = found[j] if learned[j] != 0 or plan[MAY_STAY] == 0 else rest[j]
            high[i] = low[i]
    return AT_START if near and plan[MAY_STAY] != 0 else AT_POSTURE

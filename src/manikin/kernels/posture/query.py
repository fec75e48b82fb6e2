"""Where a human's solve begins and what it is pulled to, in one call: what is asked, read off targets and start, and
the posture that people take for it (`network`).

`goals.asked` says the same in NumPy, goal by goal; here a `Query`, made once a problem (`engines.natural_plan`),
tells which targets ask for which part of the body, so that a figure that is dragged pays for the network alone.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.memory.path import CONTINUES, FRESH
from manikin.kernels.memory.sections import Layout
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.memory.views import integers_at, reals_at, view1
from manikin.kernels.pose.place import is_finite
from manikin.kernels.posture.network import (
    FACING,
    FORWARD,
    FRAME,
    GAZE,
    GAZING,
    GIVEN,
    GROUPS,
    HEAD,
    HEAD_POINT,
    LEARNED,
    LEFT_ANKLE,
    LEFT_FOOT,
    LEFT_FORWARD,
    PELVIS,
    POINTS,
    RIGHT_ANKLE,
    RIGHT_FOOT,
    RIGHT_FORWARD,
    WRISTS,
    evaluate,
    find_frame,
    place_posture,
    view_given,
    view_posture,
)
from manikin.kernels.tree.forward import place_model, stand, write_site
from manikin.kernels.tree.layout import view_model, view_work

#: A table of addresses and lengths: of `Posture`, S and R; of the model of the sites, S, R and W; of that of the ankles
#: alone; of `Query`, S and R; of which goals have targets with the call. Then how this call goes on with those before
#: it (`memory.path`).
T_POSTURE, T_SITES, T_ANKLES, T_QUERY, T_MARKS, T_RUN = 0, 4, 10, 16, 20, 22
#: Sites of the model before those of the places.
ANKLE_LEFT, ANKLE_RIGHT, HEAD_SITE, ROOT_SITE, FOOT_LEFT, FOOT_RIGHT, SITES = range(7)
#: What `posture_start` returns: the start is not finite, the search begins at the posture, or where the start is.
NOT_FINITE, AT_POSTURE, AT_START = -1, 0, 1

_LAYOUT = Layout("S R", "places pins held gazes goals dofs variables")
#: What is asked, as the goals have it; and what one call leaves for the next.
#:
#: ``style``: the number of one, or −1. ``azimuth elevation``: the eyes' two coordinates, or −1. ``may_stay``: whether a
#: near start is begun at. ``trusts_targets``: whether a search that met everything has all places where their targets
#: are, to a hundredth of what is near. ``pull_low pull_high``: addresses of the ends that a search pulls to.
#:
#: Of a place: ``goal group point``, first ``direction`` or −1; ``whole``: whether the frame is asked for; ``side``: of
#: a wrist 1 or −1, else 0; ``local``: its site's rotation at rest, and the way from there to the part that was learned.
#:
#: ``pinned standing``: groups that pins hold, or that do not move. ``moves``: which coordinates take the posture;
#: ``hangs``: which do so where they are at rest. ``own``: the goals' own targets.
#:
#: ``drag``: what the start told when a drag began, and behind it 1 where there is something. ``met``: 1 where the last
#: search met its targets, written by whoever searches; ``last``: the target that each place had in the last call.
#: ``asked_style``: 2 and the style where there is what was ``asked`` last, what the network ``said``, and the ``feet``.
Query, view_query = _LAYOUT.tuple_of(
    "Query",
    S="style azimuth elevation may_stay trusts_targets pull_low pull_high ()  "
    "goal group point direction whole side (places)  pinned (pins)  standing (held)  gaze (gazes)  "
    "moves hangs learned (dofs)  variable (variables)",
    R=f"local (places, 12)  own (goals, {NUMBERS})  rest (dofs)  met (1)  drag ({GIVEN + 1})  "
    f"last (places, {NUMBERS})  asked_style (1)  asked given ({GIVEN})  said values ({LEARNED})  feet ({FRAME})  "
    f"frame ({NUMBERS})",
)
allocate, sections = _LAYOUT.allocate, _LAYOUT.sections

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
def _write_frame(model, work, k, frame):
    """The frame of a site in the world, as a 4×4 matrix by rows."""
    write_site(work.frames[model.site_motion[k]], model.site[k], frame)


@kernel
def _read_start(model, work, frame, given):
    """Points and directions of the start: what the goals do not say."""
    for k in range(SITES):
        _write_frame(model, work, k, frame)
        for r in range(3):
            if k < FOOT_LEFT:
                given.points[LEFT_ANKLE + k, r] = frame[4 * r + 3]
            if k == HEAD_SITE:
                given.directions[GAZE, r] = frame[4 * r]
            elif k >= ROOT_SITE:
                d = FORWARD if k == ROOT_SITE else (LEFT_FORWARD if k == FOOT_LEFT else RIGHT_FORWARD)
                given.directions[d, r] = frame[4 * r]
                given.directions[d + 1, r] = frame[4 * r + 2]
    for k in range(LEFT_ANKLE):  # wrists are given by goals or not at all
        for c in range(3):
            given.points[k, c] = 0.0


@kernel
def _feet_stayed(model, work, frame, start, told, stature):
    """Whether the ankles are still about where the first start of a drag had them.

    So long feet which no goal holds stay where they were then while the hand is led round, and not where it took them
    last. The model is that of the ankles alone.
    """
    stand(work.frames)
    place_model(model, work, start)
    square = 0.0
    for r in range(3):
        frame[r] = -0.5 * (told.points[LEFT_ANKLE, r] + told.points[RIGHT_ANKLE, r])
    for k in range(2):
        local = model.site[k]
        motion = work.frames[model.site_motion[k]]
        for r in range(3):
            a = motion[3 * r] * local[9] + motion[3 * r + 1] * local[10] + motion[3 * r + 2] * local[11]
            frame[r] += 0.5 * (a + motion[9 + r])
    for r in range(3):
        square += frame[r] * frame[r]
    return square <= _ANOTHER * _ANOTHER * stature * stature


@kernel
def _bring_along(told, target, whole, stature, given):
    """Let the feet of a drag follow a target that leaves: no farther than it goes beyond a leash, on the floor."""
    left = given.points[LEFT_ANKLE]
    right = given.points[RIGHT_ANKLE]
    x = target[3 if whole else 0] - 0.5 * (left[0] + right[0])
    y = target[7 if whole else 1] - 0.5 * (left[1] + right[1])
    away = math.sqrt(x * x + y * y)
    leash = _LEASH * stature
    if not leash < away < math.inf:
        return
    f = 1.0 - leash / away
    for p in range(LEFT_ANKLE, POINTS):
        given.points[p, 0] += f * x
        given.points[p, 1] += f * y
        told.points[p, 0] = given.points[p, 0]
        told.points[p, 1] = given.points[p, 1]


@kernel
def _place_whole(q, place, target, given):
    """A whole frame: that of the part as if its joints between the site and it were at rest."""
    local = q.local[place]
    point = given.points[q.point[place]]
    d = q.direction[place]
    for r in range(3):
        s = target[4 * r + 3]
        for c in range(3):
            turned = 0.0
            for k in range(3):
                turned += target[4 * r + k] * local[3 * c + k]
            s += turned * local[9 + c]
            if d >= 0 and c != 1:
                given.directions[d if c == 0 else d + 1, r] = turned
        point[r] = s
    if q.group[place] == PELVIS:
        given.which[FACING] = 1.0


@kernel
def _place_wrist(q, place, target, stature, given):
    """A point for a hand: along the way from the shoulder."""
    local = q.local[place]
    left = given.points[LEFT_ANKLE]
    right = given.points[RIGHT_ANKLE]
    forward = given.directions[LEFT_FORWARD]
    other = given.directions[RIGHT_FORWARD]
    x = 0.5 * (left[0] + right[0])
    y = 0.5 * (left[1] + right[1])
    z = 0.5 * (left[2] + right[2])
    z += min(SHOULDER * stature, max(target[2] - z, 0.0) + HIGHER * stature)
    u = forward[0] + other[0]
    v = forward[1] + other[1]
    side = OUT * stature * q.side[place] / max(math.sqrt(u * u + v * v), 1e-9)
    u, v = -side * v, side * u
    wx = target[0] - x - u
    wy = target[1] - y - v
    wz = target[2] - z
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    reach = math.sqrt(local[9] * local[9] + local[10] * local[10] + local[11] * local[11])
    f = min(reach, 0.5 * length) / max(length, 1e-9)
    point = given.points[q.point[place]]
    point[0] = target[0] - f * wx
    point[1] = target[1] - f * wy
    point[2] = target[2] - f * wz


@kernel
def _place_point(q, place, target, given):
    """A point for another part: turned as it is in the start."""
    local = q.local[place]
    point = given.points[q.point[place]]
    a = local[9]
    b = local[10]
    c = local[11]
    if q.direction[place] < 0:
        point[0] = target[0] + a
        point[1] = target[1] + b
        point[2] = target[2] + c
        return
    forward = given.directions[q.direction[place]]
    up = given.directions[q.direction[place] + 1]
    for r in range(3):
        s = (r + 1) % 3
        t = (r + 2) % 3
        across = up[s] * forward[t] - up[t] * forward[s]
        point[r] = target[r] + a * forward[r] + b * across + c * up[r]


@kernel
def _is_near(frame, whole, target):
    """Whether a site is nearly where it is to be."""
    square = 0.0
    for r in range(3):
        off = target[4 * r + 3 if whole else r] - frame[4 * r + 3]
        square += off * off
    if not square <= NEAR * NEAR:
        return False
    if not whole:
        return True
    trace = 0.0
    for r in range(3):
        for c in range(3):
            trace += target[4 * r + c] * frame[4 * r + c]
    return trace >= NEARLY_TURNED


@kernel
def _site_is_near(q, place, met, target, model, work):
    """Whether a place's site is nearly where it is to be; met: it is where the last target was."""
    whole = q.whole[place] != 0
    frame = q.frame
    if not met:
        _write_frame(model, work, SITES + place, frame)
        return _is_near(frame, whole, target)
    last = q.last[place]
    if whole:
        return _is_near(last, whole, target)
    for r in range(3):
        frame[4 * r + 3] = last[r]
    return _is_near(frame, whole, target)


@kernel
def _target(q, goal, handed, marks):
    """The numbers of a goal's target: those of the call, or its own."""
    if handed.shape[0] > 0 and marks[goal] != 0:
        return view1(handed, NUMBERS * goal, NUMBERS)
    return q.own[goal]


@kernel
def _note_targets(q, handed, marks):
    """Note the targets of the places for the next call."""
    for k in range(q.goal.shape[0]):
        target = _target(q, q.goal[k], handed, marks)
        for c in range(NUMBERS):
            q.last[k, c] = target[c]


@kernel
def _ask_what_stays(q, given):
    """Which groups are asked for by being pinned or by having nothing that moves them."""
    which = given.which
    for k in range(q.pinned.shape[0]):
        which[q.pinned[k]] = 1.0
    for k in range(q.standing.shape[0]):
        which[q.standing[k]] = 1.0
        if q.standing[k] == PELVIS:
            which[FACING] = 1.0


@kernel
def _ask_gaze(given, target, stature):
    """A point that is looked at, as a direction of the head."""
    length = 0.0
    gaze = given.directions[GAZE]
    for c in range(3):
        eyes = given.points[HEAD_POINT, c]
        if given.which[HEAD] == 0.0:
            eyes = 0.5 * (given.points[LEFT_ANKLE, c] + given.points[RIGHT_ANKLE, c])
            eyes += EYES * stature if c == 2 else 0.0
        gaze[c] = (target[c] - eyes) * (HEAD_SLOPE if c == 2 else 1.0)
        length += gaze[c] * gaze[c]
    length = max(math.sqrt(length), 1e-9)
    for c in range(3):
        gaze[c] /= length
    given.which[GAZING] = 1.0


@kernel
def _ask(q, model, work, handed, marks, stature, goes_on, met, given):
    """What is asked for into ``given``, what is not being where the start has it; whether the start nearly has it.

    goes_on: whether this call goes on with the last drag. met: whether the start is known to meet the last targets;
    else the model is placed.
    """
    which = given.which
    told = view_given(q.drag)
    for g in range(GROUPS):
        which[g] = 0.0
    if not goes_on:
        _read_start(model, work, q.frame, told)
        q.drag[GIVEN] = 1.0
    for k in range(GIVEN - GROUPS):
        given.numbers[k] = told.numbers[k]
    _ask_what_stays(q, given)
    if goes_on:
        for k in range(q.goal.shape[0]):
            _bring_along(told, _target(q, q.goal[k], handed, marks), q.whole[k] != 0, stature, given)
    near = True
    for k in range(q.goal.shape[0]):
        target = _target(q, q.goal[k], handed, marks)
        near = near and _site_is_near(q, k, met, target, model, work)
        if q.whole[k] != 0:
            _place_whole(q, k, target, given)
        elif q.side[k] != 0:
            _place_wrist(q, k, target, stature, given)
        else:
            _place_point(q, k, target, given)
        which[q.group[k]] = 1.0
    if which[LEFT_FOOT] + which[RIGHT_FOOT] + which[PELVIS] == 0.0:
        # Nothing moves the root: it stays where it is.
        which[LEFT_FOOT] = 1.0
        which[RIGHT_FOOT] = 1.0
        which[PELVIS] = 1.0
        which[FACING] = 1.0
    for k in range(q.gaze.shape[0]):
        _ask_gaze(given, _target(q, q.gaze[k], handed, marks), stature)
    return near


@kernel
def _look(q, p, model, work, at, found):
    """Turn the eyes of a posture to a point, and the neck by what is left: whoever looks aside does not lean for it.

    Only what moves is turned.
    """
    stand(work.frames)
    place_model(model, work, found)
    frame = q.frame
    _write_frame(model, work, HEAD_SITE, frame)
    x = at[0] - frame[3]
    y = at[1] - frame[7]
    z = at[2] - frame[11]
    u = frame[0] * x + frame[4] * y + frame[8] * z
    v = frame[1] * x + frame[5] * y + frame[9] * z
    w = frame[2] * x + frame[6] * y + frame[10] * z
    yaw = math.atan2(v, u)
    pitch = math.atan2(w, math.sqrt(u * u + v * v))
    if q.azimuth >= 0 and q.moves[q.azimuth] != 0:
        found[q.azimuth] = min(max(yaw, -EYES_TURN), EYES_TURN)
        yaw -= found[q.azimuth]
    if q.elevation >= 0 and q.moves[q.elevation] != 0:
        found[q.elevation] = min(max(pitch, -EYES_TURN), EYES_TURN)
        pitch -= found[q.elevation]
    _turn_neck(p, NECK_TWIST, yaw, q.moves, found)
    _turn_neck(p, NECK_FLEXION, -pitch, q.moves, found)


@kernel
def _turn_neck(p, k, by, moves, found):
    """Turn the whole neck by an angle about one of its axes, as far as it goes."""
    now = 0.0
    for t in range(p.index.shape[0]):
        if p.learned[t] == k and moves[p.index[t]] != 0:
            now += found[p.index[t]]
    by = min(max(now + by, p.least[k]), p.most[k]) - now
    for t in range(p.index.shape[0]):
        j = p.index[t]
        if p.learned[t] == k and moves[j] != 0:
            found[j] = min(max(found[j] + p.share[t] * by, p.lower[j]), p.upper[j])


@kernel
def _evaluate(q, p, weights, given, work):
    """What the network says into ``said``, and the frame of the feet, as far as the last call did not ask the same."""
    same = q.asked_style[0] == 2.0 + q.style
    for k in range(WRISTS, GIVEN):
        same = same and given.numbers[k] == q.asked[k]
    wrists = same
    for k in range(WRISTS):
        wrists = wrists and given.numbers[k] == q.asked[k]
    if wrists:
        return
    if not same:
        find_frame(given, q.feet)
    x = evaluate(p, weights, given, q.style, q.feet, work, LEARNED, same)
    q.asked_style[0] = 2.0 + q.style
    for k in range(GIVEN):
        q.asked[k] = given.numbers[k]
    for k in range(LEARNED):
        q.said[k] = x[k]


@kernel
def _view_sites(T, at):
    """A model of sites, and its workspace."""
    structure = integers_at(T[at], T[at + 1])
    work = reals_at(T[at + 4], T[at + 5])
    model = view_model(structure, reals_at(T[at + 2], T[at + 3]), work)
    return model, view_work(structure, work)


@kernel
def _pull_to(q, found):
    """Let the search pull to the posture, and to rest what was not learned."""
    low = reals_at(q.pull_low, q.variable.shape[0])
    high = reals_at(q.pull_high, q.variable.shape[0])
    for i in range(q.variable.shape[0]):
        j = q.variable[i]
        low[i] = found[j] if q.learned[j] != 0 or q.may_stay == 0 else q.rest[j]
        high[i] = low[i]


@kernel(entry="i8[:], f4[:], f4[:], f8[:], f8[:], f8[:] -> i8")
def posture_start(T, weights, work, numbers, start, q):
    """The posture that people take for the targets into q, (n,), and into what the search pulls to.

    Coordinates that do not take it are as in the start; what was not learned is pulled to rest, so that it does not
    drift where a target is led round and round (a posture that is asked for leaves it alone). A run that goes on asks
    for the feet, pelvis and facing that its first start told. Returns where the search begins.

    weights, work: as of `network.prefer`. numbers: the targets that came with the call, 16 a goal; none where there are
    none. Nothing is written to the pull where a target is no number: the search refuses it.
    """
    n = start.shape[0]
    begun = view1(start, 0, n)
    if not is_finite(begun):
        return NOT_FINITE
    a = view_query(integers_at(T[T_QUERY], T[T_QUERY + 1]), reals_at(T[T_QUERY + 2], T[T_QUERY + 3]))
    p = view_posture(
        integers_at(T[T_POSTURE], T[T_POSTURE + 1]), reals_at(T[T_POSTURE + 2], T[T_POSTURE + 3])
    )
    model, sites = _view_sites(T, T_SITES)
    handed = view1(numbers, 0, numbers.shape[0])
    marks = integers_at(T[T_MARKS], T[T_MARKS + 1])
    given = view_given(a.given)
    found = view1(q, 0, n)
    goes_on = T[T_RUN] != FRESH and a.drag[GIVEN] != 0.0
    if goes_on:
        ankles, room = _view_sites(T, T_ANKLES)
        goes_on = _feet_stayed(ankles, room, a.frame, begun, view_given(a.drag), p.stature)
    met = goes_on and T[T_RUN] >= CONTINUES and a.met[0] != 0.0 and a.trusts_targets != 0
    if not met:
        for j in range(n):
            found[j] = min(max(begun[j], p.lower[j]), p.upper[j])
        stand(sites.frames)
        place_model(model, sites, found)
    near = _ask(a, model, sites, handed, marks, p.stature, goes_on, met, given)
    _note_targets(a, handed, marks)
    a.met[0] = 0.0
    _evaluate(a, p, weights, given, view1(work, 0, work.shape[0]))
    place_posture(p, given, a.feet, a.said, begun, a.values, found)
    for j in range(n):
        if a.moves[j] == 0 and (a.hangs[j] == 0 or begun[j] != a.rest[j]):
            found[j] = begun[j]
    if a.gaze.shape[0] > 0:
        at = _target(a, a.gaze[a.gaze.shape[0] - 1], handed, marks)
        _look(a, p, model, sites, at, found)
    if not is_finite(found):
        return AT_START
    if a.pull_low != 0:
        _pull_to(a, found)
    return AT_START if near and a.may_stay != 0 else AT_POSTURE

"""Many poses judged in one call, each with targets of its own and a start of its own."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import WIDTH
from manikin.kernels.memory.views import view2, view3
from manikin.kernels.verify.check import RANGE, ROUNDING, SHARE, measured, whole
from manikin.kernels.verify.four import put_four, take_frames
from manikin.kernels.verify.frames import put_frames
from manikin.kernels.verify.layout import ATOMS, DOFS, DRIVES, MASSES, MOTIONS, ROWS, VALUES

#: What does not hold of a pose, as bits: a range or constraint of the figure's, a goal, what is hard of a goal.
BROKEN, MISSED, HARD = 1, 2, 4
#: What of a target is written: its point, its rotation by rows, or from ``COLUMN`` on one column of that.
POINT, TURN, COLUMN = range(3)
#: Of a target: its goal, what is written of it, where, and how many numbers there are in a row of it.
SLOT_GOAL, SLOT_FORM, SLOT_PLACE, SLOT_WIDTH, SLOT = range(5)
#: Of an atom: its goal, −1 the figure, which alternative of the goal it belongs to, and whether it is hard.
OF_GOAL, OF_ALTERNATIVE, IS_HARD, OF_ATOM = range(4)


@kernel(exact=True)
def take_slot(R, numbers, slots, s):
    """A goal's target where its atoms read it: a point, a rotation, or that of a transform."""
    at = slots[s, SLOT_PLACE]
    w = slots[s, SLOT_WIDTH]
    form = slots[s, SLOT_FORM]
    for r in range(3):
        if form == POINT:
            R[at + r] = numbers[w * r + 3] if w == 4 else numbers[r]
        elif form == TURN:
            for c in range(3):
                R[at + 3 * r + c] = numbers[w * r + c]
        else:
            R[at + r] = numbers[w * r + form - COLUMN]


@kernel(exact=True)
def what_fails(I, R, atoms, choices, out):  # noqa: E741
    """The bits of a pose, from the misses of its atoms; those of one alternative of one goal lie side by side.

    A goal is missed where every one of its alternatives has an atom that is, and so is what is hard of it.
    """
    count = I[ATOMS]
    ranges = 12 * I[MOTIONS] + I[VALUES] + I[DRIVES]
    allowed = ranges + 2 * I[DOFS] + 4 * I[MASSES] + 2 * I[ROWS]
    rounding = ROUNDING * out[count + 1]
    found = BROKEN if not out[count] <= RANGE else 0
    t = 0
    while t < count:
        goal = atoms[t, OF_GOAL]
        fails = 0
        hard = 0
        while t < count and atoms[t, OF_GOAL] == goal:
            which = atoms[t, OF_ALTERNATIVE]
            off = False
            off_hard = False
            while t < count and atoms[t, OF_GOAL] == goal and atoms[t, OF_ALTERNATIVE] == which:
                if not out[t] <= R[allowed + t] * (1.0 + SHARE) + rounding:
                    off = True
                    off_hard = off_hard or atoms[t, IS_HARD] != 0
                t += 1
            fails += 1 if off else 0
            hard += 1 if off_hard else 0
        if goal < 0:
            found |= BROKEN if fails > 0 else 0
        else:
            found |= MISSED if fails == choices[goal] else 0
            found |= HARD if hard == choices[goal] else 0
    return found


@kernel(
    entry="i8[:], f8[:], f8[:], f8[:], f8[:,:], f8[:,:], f8[:,:,:], i8[:,:], i8[:,:], i8[:], f8[:], "
    "f8[:], f8[:], f8[:,:], i8[:], i8 -> i8",
    exact=True,
)
def judge_rows(
    I,  # noqa: E741
    R,
    W,
    four,
    q,
    starts,
    numbers,
    slots,
    atoms,
    choices,
    row,
    begun,
    out,
    misses,
    verdicts,
    follows,
):
    """What does not hold of each row of ``q``, as bits into ``verdicts``; how many rows have some.

    Four rows in turn have their frames found together (``four``: room for that, see `four`).
    starts: a row each, or one for all, read where ``follows``: what means the start means it inside the ranges.
    numbers: targets, (rows, goals, 16). choices: how many alternatives each goal has. row, begun: room for one pose
    each. misses: (rows, atoms) receives every atom's miss, or has no rows.
    """
    ints = whole(I)
    reals = whole(R)
    work = whole(W)
    own = whole(row)
    start = whole(begun)
    told = whole(out)
    poses = view2(q, 0, q.shape[0], q.shape[1])
    targets = view3(numbers, 0, numbers.shape[0], numbers.shape[1], numbers.shape[2])
    places = view2(slots, 0, slots.shape[0], SLOT)
    of = view2(atoms, 0, atoms.shape[0], OF_ATOM)
    each = whole(choices)
    room = whole(four)
    w = ints[VALUES]
    n = ints[DOFS]
    ranges = 12 * ints[MOTIONS] + ints[VALUES] + ints[DRIVES]
    failed = 0
    quick = False
    for k in range(q.shape[0]):
        if k % WIDTH == 0:
            quick = k + WIDTH <= q.shape[0] and put_four(ints, reals, room, poses, k)
        for s in range(places.shape[0]):
            take_slot(reals, targets[k, places[s, SLOT_GOAL]], places, s)
        for j in range(n):
            own[j] = poses[k, j]
        if follows != 0 and (k == 0 or starts.shape[0] > 1):
            for j in range(n):
                x = starts[k if starts.shape[0] > 1 else 0, j]
                start[j] = min(max(x, reals[ranges + j]), reals[ranges + n + j])
            put_frames(ints, reals, work, start, w + 12 * ints[MOTIONS])
        largest = take_frames(ints, room, work, k % WIDTH) if quick else put_frames(ints, reals, work, own, w)
        verdicts[k] = 0
        if measured(ints, reals, work, own, told, largest) > 0:
            verdicts[k] = what_fails(ints, reals, of, each, told)
            failed += 1 if verdicts[k] != 0 else 0
        if misses.shape[0] > 0:
            for t in range(ints[ATOMS]):
                misses[k, t] = told[t]
    return failed

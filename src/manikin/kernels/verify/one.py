"""One pose verified as part of the call that found it, by code that no search uses; its table says where all is."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.memory.views import integers_at, reals_at, view1, view2
from manikin.kernels.verify.check import measured
from manikin.kernels.verify.frames import put_frames
from manikin.kernels.verify.layout import DOFS, DRIVES, MOTIONS, VALUES
from manikin.kernels.verify.rows import OF_ATOM, SLOT, SLOT_GOAL, take_slot, what_fails

#: Items of the table, an address and a size each: the arrays of `judge`; where targets go (`rows.SLOT`), of each goal 1
#: where its target comes with the call, and the goals' own targets, 16 numbers each; the atoms and alternatives of
#: `judge_rows`; room for the anchor and for the misses. Then whether anything means the anchor.
(
    T_INTS,
    T_REALS,
    T_WORK,
    T_SLOTS,
    T_GIVEN,
    T_OWN,
    T_ATOMS,
    T_CHOICES,
    T_ANCHOR,
    T_OUT,
) = range(0, 20, 2)
T_FOLLOWS = 20
T_ITEMS = 21


@kernel(entry="i8[:], f8[:], f8[:], f8[:], i8 -> i8", exact=True)
def check_pose(T, q, anchor, numbers, placed):
    """What does not hold of a pose, as bits of `judge_rows`; 0 where all does.

    anchor: the pose that what is kept means. numbers: targets that came with the call, 16 a goal. placed: whether the
    workspace has the anchor's frames already.
    """
    ints = integers_at(T[T_INTS], T[T_INTS + 1])
    reals = reals_at(T[T_REALS], T[T_REALS + 1])
    work = reals_at(T[T_WORK], T[T_WORK + 1])
    slots = view2(integers_at(T[T_SLOTS], T[T_SLOTS + 1]), 0, T[T_SLOTS + 1] // SLOT, SLOT)
    given = integers_at(T[T_GIVEN], T[T_GIVEN + 1])
    own = reals_at(T[T_OWN], T[T_OWN + 1])
    atoms = view2(integers_at(T[T_ATOMS], T[T_ATOMS + 1]), 0, T[T_ATOMS + 1] // OF_ATOM, OF_ATOM)
    choices = integers_at(T[T_CHOICES], T[T_CHOICES + 1])
    out = reals_at(T[T_OUT], T[T_OUT + 1])
    pose = view1(q, 0, q.shape[0])
    brought = view1(numbers, 0, numbers.shape[0])
    for s in range(slots.shape[0]):
        goal = slots[s, SLOT_GOAL]
        if brought.shape[0] > 0 and given[goal] != 0:
            take_slot(reals, view1(brought, NUMBERS * goal, NUMBERS), slots, s)
        else:
            take_slot(reals, view1(own, NUMBERS * goal, NUMBERS), slots, s)
    values = ints[VALUES]
    if T[T_FOLLOWS] != 0 and placed == 0:
        start = reals_at(T[T_ANCHOR], T[T_ANCHOR + 1])
        n = ints[DOFS]
        ranges = 12 * ints[MOTIONS] + values + ints[DRIVES]
        for j in range(n):
            start[j] = min(max(anchor[j], reals[ranges + j]), reals[ranges + n + j])
        put_frames(ints, reals, work, start, values + 12 * ints[MOTIONS])
    largest = put_frames(ints, reals, work, pose, values)
    if measured(ints, reals, work, pose, out, largest) == 0:
        return 0
    return what_fails(ints, reals, atoms, choices, out)

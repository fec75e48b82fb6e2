"""Targets that travel with a call: checked, and written where the rows read them, without any object in between."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import integers_at, reals_at, view1, view2

#: How a target lies in the parameters: three numbers; a rotation by rows, or by columns; one of its columns.
POINT, ROWS, COLUMNS, FIRST_COLUMN, SECOND_COLUMN, THIRD_COLUMN = range(6)
#: Of each goal: 16 numbers (a 4×4 transform), or the first 3, or the first 9 by rows.
NUMBERS = 16
#: Entries of a slot: the goal, its form, where in its numbers the rotation or point is, and the address to write to.
SLOT_GOAL, SLOT_FORM, SLOT_WIDTH, SLOT_ADDRESS, SLOT = range(5)
#: Items of the table: address and count of the slots, how many goals there are, address of the marks, which goals have
#: targets.
T_SLOTS, T_GOALS, T_GIVEN = 0, 2, 3

# Metres; what lies beyond is a mistake. How far a matrix may be from a rotation, and when it is taken as it is.
_FARTHEST = 1e12
_ROTATION, _ROUNDING = 1e-6, 1e-13


@kernel
def _off(a):
    """How far the matrix is from a rotation: the largest entry of RRᵀ − I; a mirror image, or no number, is far."""
    worst = 0.0
    for r in range(3):
        for s in range(3):
            dot = a[3 * r] * a[3 * s] + a[3 * r + 1] * a[3 * s + 1] + a[3 * r + 2] * a[3 * s + 2]
            off = abs(dot - (1.0 if r == s else 0.0))
            if not off <= worst:
                worst = off if off == off else 1e300
    c0 = a[4] * a[8] - a[5] * a[7]
    c1 = a[5] * a[6] - a[3] * a[8]
    c2 = a[3] * a[7] - a[4] * a[6]
    return worst if a[0] * c0 + a[1] * c1 + a[2] * c2 > 0.0 else 1e300


@kernel
def _nearer(a):
    """The matrix a step of Newton's nearer to a rotation: ½ (3 − A Aᵀ) A."""
    g = (
        a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
        a[0] * a[3] + a[1] * a[4] + a[2] * a[5],
        a[0] * a[6] + a[1] * a[7] + a[2] * a[8],
        a[3] * a[3] + a[4] * a[4] + a[5] * a[5],
        a[3] * a[6] + a[4] * a[7] + a[5] * a[8],
        a[6] * a[6] + a[7] * a[7] + a[8] * a[8],
    )
    d = (1.5 - 0.5 * g[0], -0.5 * g[1], -0.5 * g[2], 1.5 - 0.5 * g[3], -0.5 * g[4], 1.5 - 0.5 * g[5])
    return (
        d[0] * a[0] + d[1] * a[3] + d[2] * a[6],
        d[0] * a[1] + d[1] * a[4] + d[2] * a[7],
        d[0] * a[2] + d[1] * a[5] + d[2] * a[8],
        d[1] * a[0] + d[3] * a[3] + d[4] * a[6],
        d[1] * a[1] + d[3] * a[4] + d[4] * a[7],
        d[1] * a[2] + d[3] * a[5] + d[4] * a[8],
        d[2] * a[0] + d[4] * a[3] + d[5] * a[6],
        d[2] * a[1] + d[4] * a[4] + d[5] * a[7],
        d[2] * a[2] + d[4] * a[5] + d[5] * a[8],
    )


@kernel
def _write_rotation(form, a, out):
    if form == ROWS:
        for c in range(9):
            out[c] = a[c]
    elif form == COLUMNS:
        for r in range(3):
            for c in range(3):
                out[3 * c + r] = a[3 * r + c]
    else:
        k = form - FIRST_COLUMN
        for r in range(3):
            out[r] = a[3 * r + k]


@kernel
def write_target(slots, goal, numbers, write):
    """Check the numbers of a goal's target, and write them where they go; False where they cannot be taken."""
    for s in range(slots.shape[0]):
        if slots[s, SLOT_GOAL] != goal:
            continue
        form = slots[s, SLOT_FORM]
        w = slots[s, SLOT_WIDTH]
        if form == POINT:
            step = 4 if w == 4 else 1
            first = 3 if w == 4 else 0
            out = reals_at(slots[s, SLOT_ADDRESS], 3)
            for c in range(3):
                x = numbers[first + step * c]
                if not abs(x) <= _FARTHEST:
                    return False
                if write:
                    out[c] = x
            continue
        a = (
            numbers[0],
            numbers[1],
            numbers[2],
            numbers[w],
            numbers[w + 1],
            numbers[w + 2],
            numbers[2 * w],
            numbers[2 * w + 1],
            numbers[2 * w + 2],
        )
        off = _off(a)
        if off > _ROTATION:
            return False
        if write:
            if off > _ROUNDING:
                a = _nearer(_nearer(a))
            _write_rotation(form, a, reals_at(slots[s, SLOT_ADDRESS], 9))
    return True


@kernel
def view_slots(T):
    """The slots of a table."""
    return view2(integers_at(T[T_SLOTS], SLOT * T[T_SLOTS + 1]), 0, T[T_SLOTS + 1], SLOT)


@kernel(entry="i8[:], i8, f8[:] -> b1")
def take_target(T, goal, numbers):
    """Write one goal's target, its numbers in one row; whether it could be taken."""
    slots = view_slots(T)
    row = view1(numbers, 0, numbers.shape[0])
    return write_target(slots, goal, row, False) and write_target(slots, goal, row, True)

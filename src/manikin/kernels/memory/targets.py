"""Targets that travel with a call: checked, and written where the rows read them, without any object in between."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import integers_at, reals_at, view2

#: How a target lies in the parameters: three numbers; a rotation by rows, or by columns; one of its columns.
POINT, ROWS, COLUMNS, FIRST_COLUMN, SECOND_COLUMN, THIRD_COLUMN = range(6)
#: Of each goal: 16 numbers (a 4×4 transform), or the first 3, or the first 9 by rows.
NUMBERS = 16
#: Entries of a slot: the goal, its form, where in its numbers the rotation or point is, and the address to write to.
SLOT_GOAL, SLOT_FORM, SLOT_WIDTH, SLOT_ADDRESS, SLOT = range(5)
#: Items of the table: address and count of the slots, address and count of the goals' numbers, address of the marks.
T_SLOTS, T_NUMBERS, T_GIVEN = 0, 2, 4

# Metres; what lies beyond is a mistake. How far a matrix may be from a rotation, and when it is taken as it is.
_FARTHEST = 1e12
_ROTATION, _ROUNDING = 1e-6, 1e-13


@kernel
def _entry(numbers, goal, width, row, column):
    """Entry of the rotation in a goal's numbers, which has ``width`` columns."""
    return numbers[goal, width * row + column]


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
def write_targets(slots, numbers, given):
    """Write the targets of the goals that are marked; returns 0, or 1 + the goal whose target cannot be taken."""
    for check in range(2):
        for s in range(slots.shape[0]):
            goal = slots[s, SLOT_GOAL]
            if given[goal] == 0:
                continue
            form = slots[s, SLOT_FORM]
            width = slots[s, SLOT_WIDTH]
            if form == POINT:
                step = 4 if width == 4 else 1
                first = 3 if width == 4 else 0
                out = reals_at(slots[s, SLOT_ADDRESS], 3)
                for c in range(3):
                    x = numbers[goal, first + step * c]
                    if check == 0:
                        if not abs(x) <= _FARTHEST:
                            return 1 + goal
                    else:
                        out[c] = x
                continue
            a = (
                _entry(numbers, goal, width, 0, 0),
                _entry(numbers, goal, width, 0, 1),
                _entry(numbers, goal, width, 0, 2),
                _entry(numbers, goal, width, 1, 0),
                _entry(numbers, goal, width, 1, 1),
                _entry(numbers, goal, width, 1, 2),
                _entry(numbers, goal, width, 2, 0),
                _entry(numbers, goal, width, 2, 1),
                _entry(numbers, goal, width, 2, 2),
            )
            off = _off(a)
            if off > _ROTATION:
                return 1 + goal
            if check == 1:
                if off > _ROUNDING:
                    a = _nearer(_nearer(a))
                _write_rotation(form, a, reals_at(slots[s, SLOT_ADDRESS], 9))
    return 0


@kernel
def view_targets(T):
    """Slots, numbers and marks of a table."""
    return (
        view2(integers_at(T[T_SLOTS], SLOT * T[T_SLOTS + 1]), 0, T[T_SLOTS + 1], SLOT),
        view2(reals_at(T[T_NUMBERS], NUMBERS * T[T_NUMBERS + 1]), 0, T[T_NUMBERS + 1], NUMBERS),
        integers_at(T[T_GIVEN], T[T_NUMBERS + 1]),
    )


@kernel(entry=True)
def take_targets(T):
    """`write_targets` of a table."""
    slots, numbers, given = view_targets(T)
    return write_targets(slots, numbers, given)

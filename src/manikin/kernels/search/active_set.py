"""Which ends and rows hold the step, exactly: the dual method of Goldfarb and Idnani (1983), begun at a guess.

The guess has been solved for: K y₀ = right is factored, with some variables held and some rows held. Each change of the
set borders that system by one column b and one number c, and the factor stays as it is:

    a variable is held     b = its column of J    c =  1        a variable is let go   b = its column of J   c = −1
    a row is held          b = J a                c = a·a       a row is let go        b = eₚ                c =  0
    a variable that was let go is held on its other end: coupled by 1 to its letting go, and to nothing else

    S z = (how wrong each change's own condition is at the guess),   S = C − Bᵀ K⁻¹ B,   y = y₀ − K⁻¹ B z

so a change costs one solution with the old factor. First everything whose multiplier has the wrong sign is let go, the
worst first. Then one violated end or row after another is taken up, the worst first; on the way to where it is met,
what would begin to pull instead of push is let go. The caller factors anew, once, when the set is found.
"""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.pose.limits import EQUAL
from manikin.kernels.search.rows import HELD, NEAR, along, to_meet
from manikin.kernels.search.system import NO_PIVOT, after, solve_again, take_out, transposed

#: Changes that a border holds.
MOST = 40
_CHANGES = 120
_DEPENDENT = 1e-12
#: What a change concerns: a row, an end of a variable, or the other end of one that was held and let go.
_ROW, _END, _OTHER_END = 0.0, 1.0, 2.0


@kernel
def _find_column(s, g, size, k):
    """Column k of the border: K⁻¹ b, and its pull on the variables."""
    border = g.border
    work = s.work
    b = border.spare
    index = int(border.index[k])
    if border.concerns[k] == _OTHER_END:
        for p in range(3 * size):
            border.solved[k, p] = 0.0
        for i in range(work.x.shape[0]):
            border.pull[k, i] = 0.0
        return
    if border.concerns[k] == _END:
        for a in range(size):
            h = s.chains.place[int(s.strips.chain[a]), index] if a < s.residuals else index
            for c in range(3):
                b[3 * a + c] = work.jacobian[a, h, c] if h >= 0 else 0.0
    elif border.kind[k] < 0.0:  # a row of the guess is let go
        for p in range(3 * size):
            b[p] = 0.0
        b[int(g.scalars.place[index])] = 1.0
    else:
        row = g.scalars.derivative[index]
        for i in range(work.x.shape[0]):
            border.d[i] = 0.0
        for i in range(int(g.scalars.begin[index]), int(g.scalars.past[index])):
            border.d[i] = row[i] if border.was_free[i] > 0.5 else 0.0
        after(s, size, None, border.d, b)
    solve_again(s, size, b, border.solved[k])
    transposed(s, size, border.solved[k], border.pull[k])


@kernel
def _of_row(g, k, i):
    """Entry i of the derivative of listed row k."""
    return g.scalars.derivative[k, i] if g.scalars.begin[k] <= i < g.scalars.past[k] else 0.0


@kernel
def _coupling(g, j, k):
    """Entry (j, k) of S."""
    border = g.border
    if border.concerns[j] == _OTHER_END or border.concerns[k] == _OTHER_END:
        both = border.concerns[j] != _ROW and border.concerns[k] != _ROW and j != k
        return 1.0 if both and border.index[j] == border.index[k] else 0.0
    a = int(border.index[j])
    b = int(border.index[k])
    pull = border.pull[k]
    if border.concerns[j] == _END:
        own = 0.0
        if border.concerns[k] == _END:
            own = border.kind[j] if a == b else 0.0
        elif border.kind[k] > 0.0:
            own = _of_row(g, b, a)
        return own - pull[a]
    if border.kind[j] < 0.0:
        return -border.solved[k, int(g.scalars.place[a])]
    row = g.scalars.derivative[a]
    value = 0.0
    for i in range(int(g.scalars.begin[a]), int(g.scalars.past[a])):
        if border.was_free[i] > 0.5:
            value -= row[i] * pull[i]
    if border.concerns[k] == _END:
        value += _of_row(g, a, b)
    elif border.kind[k] > 0.0:
        for i in range(int(g.scalars.begin[a]), int(g.scalars.past[a])):
            if border.was_free[i] > 0.5:
                value += row[i] * _of_row(g, b, i)
    return value


@kernel
def _switch(s, g, size, count, concerns, index, on, right):
    """Switch a change on or off, with its column where it is new: (the first that is not as it was, how many there are,
    or −1 where there is no room).
    """
    border = g.border
    for k in range(count):
        if border.concerns[k] == concerns and int(border.index[k]) == index:
            border.on[k] = on
            border.right[k] = right
            return k, count
    if count == border.on.shape[0]:
        return count, -1
    k = count
    border.concerns[k] = concerns
    border.index[k] = index
    border.on[k] = on
    border.right[k] = right
    if concerns == _ROW:
        border.kind[k] = -1.0 if border.was_held[index] > 0.5 else 1.0
    else:
        border.kind[k] = 1.0 if border.was_free[index] > 0.5 or concerns == _OTHER_END else -1.0
    _find_column(s, g, size, k)
    for j in range(k + 1):
        border.cross[k, j] = _coupling(g, j, k)
    return count, count + 1


@kernel
def _factor(border, first, count):
    """L D Lᵀ of S (quasi-definite: no pivoting), whose first rows are as they were."""
    f = border.small
    for a in range(first, count):
        own = f[a]
        if border.on[a] < 0.5:
            for b in range(a):
                own[b] = 0.0
            own[a] = 1.0
            continue
        cross = border.cross[a]
        d = cross[a]
        for b in range(a):  # own holds L D until its sum is taken
            v = 0.0
            if border.on[b] > 0.5:
                other = f[b]
                v = cross[b]
                for c in range(b):
                    v -= own[c] * other[c]
            own[b] = v
        for b in range(a):
            entry = own[b] / f[b, b]
            d -= own[b] * entry
            own[b] = entry
        least = _DEPENDENT * (1.0 + abs(cross[a]))
        border.lost[a] = 1.0 if abs(d) < least else 0.0
        if abs(d) < least:
            d = least if border.kind[a] > 0.0 else -least
        own[a] = d


@kernel
def _solve_small(border, first, count):
    """z of the changes that are on; False where the last of them is dependent."""
    _factor(border, first, count)
    f = border.small
    z = border.z
    whole = True
    for a in range(count):
        t = 0.0
        if border.on[a] > 0.5:
            whole = border.lost[a] < 0.5
            t = border.right[a]
            own = f[a]
            for b in range(a):
                t -= own[b] * z[b]
        z[a] = t
    for a in range(count):
        z[a] /= f[a, a]
    for a in range(count - 1, -1, -1):
        t = z[a]
        if t != 0.0:
            own = f[a]
            for b in range(a):
                z[b] -= own[b] * t
    for a in range(count):
        z[a] = z[a] if border.on[a] > 0.5 else 0.0
    return whole


@kernel
def _find_solution(s, g, rows, size, first, count):
    """The step D and the multipliers AIM of the present set, of which the first changes are as they were."""
    border = g.border
    scalars = g.scalars
    work = s.work
    n = work.x.shape[0]
    whole = _solve_small(border, first, count)
    for i in range(n):
        border.d[i] = work.pull[i] - work.wish[i]
    for p in range(3 * size):
        border.spare[p] = work.solved[p]
    for k in range(count):
        z = border.z[k]
        if z == 0.0:
            continue
        of = border.pull[k]
        for i in range(n):
            border.d[i] += z * of[i]
        solved = border.solved[k]
        for p in range(3 * size):
            border.spare[p] -= z * solved[p]
        if border.concerns[k] == _ROW and border.kind[k] > 0.0:
            r = int(border.index[k])
            row = scalars.derivative[r]
            for i in range(int(scalars.begin[r]), int(scalars.past[r])):
                border.d[i] -= z * row[i]
    for r in range(rows):
        side = border.row_side[r]
        if side == 0.0 or side == EQUAL:
            border.row_aim[r] = 0.0
        elif border.was_held[r] > 0.5:
            border.row_aim[r] = border.spare[int(scalars.place[r])] * side
    for k in range(count):
        if border.concerns[k] == _ROW and border.kind[k] > 0.0:
            r = int(border.index[k])
            border.row_aim[r] = border.z[k] * border.row_side[r]
    for i in range(n):
        side = border.side[i]
        border.aim[i] = 0.0
        if side != 0.0:
            end = work.d_high[i] if side > 0.0 else work.d_low[i]
            border.aim[i] = (border.d[i] - end) * side
            border.d[i] = end
    return whole


@kernel
def _let_go(s, g, size, count, is_end, index):
    """Let go of an end or a row."""
    border = g.border
    work = s.work
    if is_end:
        free = border.was_free[index] > 0.5
        end = work.d_high[index] if border.side[index] > 0.0 else work.d_low[index]
        border.side[index] = 0.0
        border.force[index] = 0.0
        if not free and work.base[index] != end:
            return _switch(s, g, size, count, _OTHER_END, index, 0.0, 0.0)
        right = border.base_wrong[index]
        return _switch(s, g, size, count, _END, index, 0.0 if free else 1.0, right)
    border.row_side[index] = 0.0
    border.row_force[index] = 0.0
    held = border.was_held[index] > 0.5
    right = -work.solved[int(g.scalars.place[index])] if held else 0.0
    return _switch(s, g, size, count, _ROW, index, 1.0 if held else 0.0, right)


@kernel
def _take_up(s, g, size, count, is_end, index, side):
    """Hold an end or a row; −1 for a row that the guess held on the other."""
    border = g.border
    work = s.work
    if is_end:
        end = work.d_high[index] if side > 0.0 else work.d_low[index]
        free = border.was_free[index] > 0.5
        border.side[index] = side
        if not free and work.base[index] != end:
            return _switch(s, g, size, count, _OTHER_END, index, 1.0, work.base[index] - end)
        right = work.pull[index] - work.wish[index] - end
        return _switch(s, g, size, count, _END, index, 1.0 if free else 0.0, right)
    held = border.was_held[index] > 0.5
    scalars = g.scalars
    if held and scalars.side[index] != side:
        return 0, -1
    border.row_side[index] = side
    end = scalars.low[index] if side < 0.0 else scalars.high[index]
    right = along(scalars, index, work.base) - end
    return _switch(s, g, size, count, _ROW, index, 0.0 if held else 1.0, right)


@kernel
def _worst_multiplier(s, g, rows, noise, until):
    """What first would pull on the way from FORCE to AIM (``until``: as far as it goes): (share, is an end, index)."""
    border = g.border
    share = 1.0
    is_end = False
    index = -1
    worst = -noise
    for i in range(border.side.shape[0]):
        if border.side[i] != 0.0 and border.aim[i] < -noise and s.work.d_low[i] < s.work.d_high[i]:
            t = border.force[i] / (border.force[i] - border.aim[i])
            if (until and t < share) or (not until and border.aim[i] < worst):
                share = t
                worst = border.aim[i]
                is_end = True
                index = i
    for r in range(rows):
        if border.row_side[r] != 0.0 and border.row_aim[r] < -noise:
            t = border.row_force[r] / (border.row_force[r] - border.row_aim[r])
            if (until and t < share) or (not until and border.row_aim[r] < worst):
                share = t
                worst = border.row_aim[r]
                is_end = False
                index = r
    return share, is_end, index


@kernel
def _worst_breach(s, g, rows, noise):
    """The end or row that the step breaks most: (is an end, index, side)."""
    border = g.border
    scalars = g.scalars
    work = s.work
    worst = noise
    is_end = False
    index = -1
    side = 0.0
    for i in range(work.x.shape[0]):
        if border.side[i] != 0.0:
            continue
        out = max(border.d[i] - work.d_high[i], work.d_low[i] - border.d[i])
        if out > worst:
            worst = out
            is_end = True
            index = i
            side = 1.0 if border.d[i] > work.d_high[i] else -1.0
    for r in range(rows):
        if border.row_side[r] != 0.0 or (scalars.state[r] != NEAR and scalars.state[r] != HELD):
            continue
        value = along(scalars, r, border.d)
        out = max(value - scalars.high[r], scalars.low[r] - value)
        if out > worst:
            worst = out
            is_end = False
            index = r
            side = 1.0 if value > scalars.high[r] else -1.0
    return is_end, index, side


@kernel
def _put_set(s, g, rows, size):
    """The set that was found, for the caller's next pass."""
    border = g.border
    scalars = g.scalars
    work = s.work
    for i in range(work.x.shape[0]):
        free = border.side[i] == 0.0
        if free != (work.free[i] > 0.5):
            take_out(s, 0, size, i, -1.0 if free else 1.0)
            work.free[i] = 1.0 if free else 0.0
        if not free:
            work.base[i] = work.d_high[i] if border.side[i] > 0.0 else work.d_low[i]
    for r in range(rows):
        if scalars.state[r] != NEAR and scalars.state[r] != HELD:
            continue
        side = border.row_side[r]
        scalars.state[r] = NEAR if side == 0.0 else HELD
        scalars.side[r] = side
        p = int(scalars.place[r])
        if p >= 0:
            scalars.least[p] = math.inf if side == 0.0 else NO_PIVOT
            if side != 0.0:
                work.e[p] = to_meet(scalars, r)


@kernel
def _note_guess(s, g, rows):
    """What the guess held, and how wrong each end that it held is."""
    border = g.border
    work = s.work
    for i in range(work.x.shape[0]):
        border.was_free[i] = work.free[i]
        border.side[i] = 0.0
        border.base_wrong[i] = work.pull[i] - work.wish[i] - work.base[i]
        if work.free[i] < 0.5:
            border.side[i] = 1.0 if work.base[i] == work.d_high[i] else -1.0
    for r in range(rows):
        held = g.scalars.state[r] == HELD
        border.was_held[r] = 1.0 if held else 0.0
        border.row_side[r] = g.scalars.side[r] if held else 0.0


@kernel
def _go_towards_aim(border, rows, share):
    """FORCE a share of the way to AIM."""
    for i in range(border.force.shape[0]):
        border.force[i] += share * (border.aim[i] - border.force[i])
    for r in range(rows):
        border.row_force[r] += share * (border.row_aim[r] - border.row_force[r])


@kernel
def find_set(s, g, rows, size, noise):
    """The set that holds the step, from the guess that was just solved for: True where it was found."""
    _note_guess(s, g, rows)
    first = 0
    count = 0
    pending = False
    held_is_end = False
    held_index = -1
    found = False
    for _ in range(_CHANGES):
        whole = _find_solution(s, g, rows, size, first, count)
        share, is_end, index = _worst_multiplier(s, g, rows, noise, pending)
        if pending:
            if index < 0 and not whole:
                break  # nothing to let go of: the rows contradict each other
            _go_towards_aim(g.border, rows, share)
        if index >= 0:
            if pending and is_end == held_is_end and index == held_index:
                break
            first, count = _let_go(s, g, size, count, is_end, index)
        else:
            for i in range(g.border.force.shape[0]):
                g.border.force[i] = g.border.aim[i]
            for r in range(rows):
                g.border.row_force[r] = g.border.row_aim[r]
            held_is_end, held_index, side = _worst_breach(s, g, rows, noise)
            if held_index < 0:
                found = True
                break
            pending = True
            first, count = _take_up(s, g, size, count, held_is_end, held_index, side)
        if count < 0:
            break
    _put_set(s, g, rows, size)
    return found

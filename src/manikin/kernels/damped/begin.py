"""Where a search begins: the start in its ranges, what follows it, and which rows are residuals."""

from __future__ import annotations

import math

from manikin.kernels.damped.layout import NUMBERS
from manikin.kernels.jit import kernel
from manikin.kernels.pose.place import place
from manikin.kernels.residuals.dispatch import mean_start
from manikin.kernels.residuals.errors import AXES, SITE, SITE_AXES, TARGET, TARGET_AXES
from manikin.kernels.residuals.frames import OWN, SITE_PLACE, SITE_TURN
from manikin.kernels.tree.sweep import drive


@kernel
def bring_in(q, space, parts, sweep):
    """Coordinates into their ranges, idle ones to where the pull leads."""
    for j in range(q.shape[0]):
        sweep.q[j] = min(max(q[j], space.lower[j]), space.upper[j])
    for k in range(parts.idle.shape[0]):
        j = parts.idle[k]
        sweep.q[j] = min(max(sweep.q[j], parts.idle_low[k]), parts.idle_high[k])


@kernel
def note_fixed(tree, space, sweep, drives):
    """What the coordinates that do not vary make of the axis values."""
    for j in range(sweep.q.shape[0]):
        sweep.by_dof[j] = sweep.q[j]
    for i in range(space.variable.shape[0]):
        sweep.by_dof[space.variable[i]] = 0.0
    drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.by_dof, drives.fixed)


@kernel
def anchor(is_identity, tree, space, sweep, M, parts, start):
    """Let the rows that keep something mean where this start has it."""
    follows = 0
    for t in range(M.kind.shape[0]):
        follows += parts.follows[t]
    if follows == 0:
        return
    bring_in(start, space, parts, sweep)
    place(is_identity, tree, sweep)
    for t in range(M.kind.shape[0]):
        if parts.follows[t] != 0:
            mean_start(M, sweep.frames, t)


@kernel
def _is_residual(M, t, last):
    """Whether the rows of part t are one residual of three: at one point, of one weight."""
    first = M.first[t]
    if M.count[t] != 3 or M.base[t] != 0 or M.level[first] >= last or M.level[first] < 0:
        return False
    alike = M.weight[first] != 0.0
    for r in range(first, first + 3):
        alike = alike and M.lower[r] == 0.0 and M.upper[r] == 0.0 and M.weight[r] == M.weight[first]
    return alike


@kernel
def _write_numbers(M, t, kind, row):
    """The numbers of a residual from those of its part."""
    o = M.offset[t]
    p = M.parameters
    for c in range(3):
        row[SITE + c] = p[o + SITE_PLACE + c]
        row[TARGET + c] = p[o + OWN + c]
        for k in range(3):
            row[SITE_AXES + 3 * k + c] = p[o + SITE_TURN + 3 * c + k]
            row[TARGET_AXES + 3 * k + c] = 0.0
    if kind == AXES:
        for c in range(3):
            for k in range(3):
                row[TARGET_AXES + 3 * k + c] = p[o + OWN + 3 * c + k]


@kernel
def lay_residuals(M, strips, limits, scalars, last, hard_weight):
    """Lay out the strips of the parts that are residuals at present: how many. The other parts are ``alone``."""
    alone = 0
    for t in range(M.kind.shape[0]):
        first = M.first[t]
        on = M.count[t] > 0 and M.level[first] < last and M.weight[first] != 0.0
        scalars.alone[t] = 1.0 if on else 0.0
        alone += 1 if on else 0
    count = 0
    begin = 0
    group = -1
    for k in range(strips.of_part.shape[0]):
        t = strips.of_part[k]
        if scalars.alone[t] == 0.0 or not _is_residual(M, t, last):
            continue
        if strips.of_group[k] != group:
            group = strips.of_group[k]
            begin = count
        first = M.first[t]
        hard = M.level[first] == 0
        strips.kind[count] = strips.of_kind[k]
        strips.motion[count] = strips.of_motion[k]
        strips.chain[count] = strips.of_chain[k]
        strips.part[count] = k
        strips.begin[count] = begin
        strips.root[count] = math.sqrt(hard_weight if hard else M.weight[first])
        strips.stop[count] = 3.0 * limits.stop[first] * limits.stop[first]
        strips.hard[count] = 1.0 if hard else 0.0
        _write_numbers(M, t, strips.of_kind[k], strips.number[k])
        scalars.alone[t] = 0.0
        alone -= 1
        count += 1
    scalars.alone_count[0] = alone
    return count


assert TARGET_AXES + 9 <= NUMBERS

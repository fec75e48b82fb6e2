"""Coordinates: their frames, and what is done to those that turn round and round."""

from __future__ import annotations

import math

from manikin.kernels.jit import kernel
from manikin.kernels.tree.curves import follow_curves
from manikin.kernels.tree.sweep import drive, forward

#: A rotation vector longer than this is replaced by a shorter one of the same rotation during a search.
LONGEST_VECTOR = 1.5 * math.pi


@kernel(inline=True)
def place(identity, tree, sweep):
    """Frames of the coordinates in ``sweep.q``."""
    if identity:
        for k in range(sweep.q.shape[0]):
            sweep.values[k] = sweep.q[k]
    else:
        drive(tree.offset, tree.drive_axis, tree.drive_dof, tree.drive_coefficient, sweep.q, sweep.values)
        follow_curves(tree.curves, sweep.values)
    forward(
        tree.parent, tree.kind, tree.axis, tree.placement, sweep.values, sweep.trig, sweep.frames, sweep.spins
    )


@kernel
def is_finite(q):
    """Whether every coordinate is a number, and not so large that its angle is rounding."""
    largest = 0.0
    for j in range(q.shape[0]):
        if not abs(q[j]) < 1e9:
            largest = math.inf
    return largest == 0.0


@kernel
def recharted(space, x, longest):
    """Replace rotation vectors longer than this by the shortest of the same rotation; True when one was."""
    changed = False
    for c in range(space.charts.shape[0]):
        first = space.charts[c, 0]
        size = space.charts[c, 1]
        square = 0.0
        for i in range(first, first + size):
            square += x[i] * x[i]
        if square > longest * longest:
            length = math.sqrt(square)
            turns = math.floor(length / (2.0 * math.pi) + 0.5)
            for i in range(first, first + size):
                x[i] *= 1.0 - turns * 2.0 * math.pi / length
            changed = turns != 0
    return changed


@kernel
def unwound(space, x, q):
    """Take whole turns out of the coordinates that have them, so that they end nearest to where they began."""
    for i in range(x.shape[0]):
        if space.periodic[i] == 0:
            continue
        j = space.variable[i]
        turns = math.floor((x[i] - q[j]) / (2.0 * math.pi) + 0.5)
        if turns != 0:
            y = x[i] - turns * 2.0 * math.pi
            if space.lower[j] <= y <= space.upper[j]:
                x[i] = y

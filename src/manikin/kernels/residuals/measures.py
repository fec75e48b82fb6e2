"""The rows of all parts: scalar functions g(q) with a range [lower, upper], of which goals are made.

The violation ρ of a row is the signed distance of g outside its range. Soft rows put Σ w ρ² into the potential, hard
ones have to hold. The kinds are in `kinds`; `layout` says where things are.

Each derivative is a wrench, forces and moments on motions, from which follow both the Jacobian (a walk from the motion
to the root: f·v + m·ω of each axis value's twist) and the gradient (push, and one backward
sweep). `measure_all` leaves the wrenches in the workspace for both.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.residuals.balls import find_balls
from manikin.kernels.residuals.dispatch import add_coordinate_row, measure_part
from manikin.kernels.residuals.layout import ON_COORDINATES, ON_MASS, ON_MOTIONS
from manikin.kernels.residuals.mass import find_center, find_columns, push_center
from manikin.kernels.tree.curves import slopes_through_curves
from manikin.kernels.tree.twists import along_twist, find_twists


@kernel
def measure_shared(M, sweep):
    """What the rows of several parts are made of: the centre of mass, and where bounding balls are."""
    if M.mass_motion.shape[0] > 0:
        find_center(M, sweep.frames)
    find_balls(M, sweep.frames)


@kernel
def measure_all(tree, M, sweep):
    """Value, nearness and wrench of every row, at the frames and coordinates in ``sweep``."""
    measure_shared(M, sweep)
    for t in range(M.kind.shape[0]):
        measure_part(M, sweep, t)


@kernel
def _add_motion(tree, sweep, i, sign, w, row):
    """Add what the wrench w does through motion i, times the sign, to a row of the Jacobian."""
    for k in range(tree.axis[i], tree.axis[i] + tree.size[i]):
        row[k] += sign * along_twist(sweep.twist, k, w)


@kernel
def _between(tree, sweep, a, b, wrench, row):
    """The wrench on motion a and its opposite on b: both walks end where they meet."""
    w = (wrench[0], wrench[1], wrench[2], wrench[3], wrench[4], wrench[5])
    while a != b:
        if a > b:
            _add_motion(tree, sweep, a, 1.0, w, row)
            a = tree.parent[a]
        else:
            _add_motion(tree, sweep, b, -1.0, w, row)
            b = tree.parent[b]


@kernel
def _fill_row(tree, M, sweep, t, r, extra, row):
    attach = M.attach[t]
    w = M.wrench[r]
    for k in range(row.shape[0]):
        row[k] = 0.0
    if M.weight[r] == 0.0:
        return
    if attach == ON_MASS:
        for k in range(row.shape[0]):
            row[k] = w[0] * M.columns[k, 0] + w[1] * M.columns[k, 1] + w[2] * M.columns[k, 2]
    elif attach == ON_MOTIONS:
        _between(tree, sweep, M.motion[t], M.base[t], w, row)
    if extra >= 0:
        slots = M.extra[extra + r - M.first[t]]
        for s in range(slots.shape[0]):
            _extra_walk(tree, sweep, slots, s, row)
    slopes_through_curves(tree.curves, row)


@kernel
def _extra_walk(tree, sweep, slots, s, row):
    w = (slots[s, 1], slots[s, 2], slots[s, 3], slots[s, 4], slots[s, 5], slots[s, 6])
    i = int(slots[s, 0])
    while i != 0:
        _add_motion(tree, sweep, i, 1.0, w, row)
        i = tree.parent[i]


@kernel
def fill_jacobian(tree, M, sweep, jacobian):
    """Derivatives by the axis values (rows × K), from the wrenches that `measure_all` left.

    Of values that follow curves they are by the curves' arguments. Rows that are switched off, and those of
    coordinates, are zero. Rows that are not near are not written.
    """
    find_twists(tree, sweep.frames, sweep.spins, (0.0, 0.0, 0.0), sweep.twist)
    if M.mass_motion.shape[0] > 0:
        find_columns(tree, M, sweep)
    for t in range(M.kind.shape[0]):
        extra = M.more[t]
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if M.near[r] != 0.0:
                _fill_row(tree, M, sweep, t, r, extra, jacobian[r])


@kernel
def measure_jacobian(tree, M, sweep, jacobian):
    """Values, and derivatives by the axis values."""
    measure_all(tree, M, sweep)
    fill_jacobian(tree, M, sweep, jacobian)


@kernel
def _add_wrench(wrenches, i, f, w):
    for c in range(6):
        wrenches[i, c] += f * w[c]


@kernel
def push_measures(tree, M, sweep, y, wrenches):
    """Set the wrenches on all motions to Σ yᵣ ∂gᵣ, from those that `measure_all` left. Rows not near count as zero.

    Rows of coordinates have no wrench: see `coordinate_row`.
    """
    for i in range(wrenches.shape[0]):
        for c in range(6):
            wrenches[i, c] = 0.0
    f0 = 0.0
    f1 = 0.0
    f2 = 0.0
    for t in range(M.kind.shape[0]):
        attach = M.attach[t]
        if attach == ON_COORDINATES:
            continue
        extra = M.more[t]
        for r in range(M.first[t], M.first[t] + M.count[t]):
            if y[r] == 0.0 or M.near[r] == 0.0:
                continue
            w = M.wrench[r]
            if attach == ON_MOTIONS:
                _add_wrench(wrenches, M.motion[t], y[r], w)
                _add_wrench(wrenches, M.base[t], -y[r], w)
            elif attach == ON_MASS:
                f0 += y[r] * w[0]
                f1 += y[r] * w[1]
                f2 += y[r] * w[2]
            if extra >= 0:
                slots = M.extra[extra + r - M.first[t]]
                for s in range(slots.shape[0]):
                    i = int(slots[s, 0])
                    for c in range(6):
                        wrenches[i, c] += y[r] * slots[s, 1 + c]
    if M.mass_motion.shape[0] > 0:
        push_center(M, sweep.frames, (f0, f1, f2), wrenches)


@kernel
def coordinate_row(M, q, t, i, row):
    """Derivatives of row i of part t by the coordinates, into ``row``."""
    for j in range(row.shape[0]):
        row[j] = 0.0
    add_coordinate_row(M, q, t, i, row)


@kernel
def coordinate_rows(M, sweep, jacobian):
    """Derivatives by the coordinates (rows × n) of rows that have such; other rows are left as they are."""
    for t in range(M.kind.shape[0]):
        if M.attach[t] != ON_COORDINATES:
            continue
        for i in range(M.count[t]):
            row = jacobian[M.first[t] + i]
            if M.weight[M.first[t] + i] != 0.0:
                coordinate_row(M, sweep.q, t, i, row)
            else:
                for j in range(row.shape[0]):
                    row[j] = 0.0

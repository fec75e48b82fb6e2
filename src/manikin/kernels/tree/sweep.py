"""Sweeps over the tree: forwards for the frames, backwards for the gradient.

Arrays (row 0 is the world everywhere, so no sweep asks whether a motion has a parent):

``parent``     (M+1)      row of the motion that carries this one
``kind``       (M+1)      its number in `joints`
``size``       (M+1)      how many axis values it has, one or three
``axis``       (M+1)      first axis value of the motion
``placement``  (M+1, 12)  fixed transform from the parent's frame: rotation by rows, then position
``values``     (K)        axis values: angles, slides, block coordinates
``trig``       (2, K)     sine and cosine of each axis value
``frames``     (M+1, 12)  world frame of each motion, after its motion; row 0 is the identity
``spins``      (M+1, 9)   for blocks, the world axis of each of the three coordinates, or what their kind puts there
``twist``      (K, 6)     what each axis value does (`twists`)
``wrenches``   (M+1, 6)   force and moment (about the world's origin) on each motion's frame

A turn is about the frame's z axis and a slide along it, so that in the world it is the frame's third column.
"""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.angle import sincos
from manikin.kernels.tree.curves import slopes_through_curves
from manikin.kernels.tree.dispatch import ROTATE, SLIDE, move_frame, twist_of


@kernel
def turn_values(values, trig):
    """Sine and cosine of every axis value."""
    for k in range(values.shape[0]):
        trig[0, k], trig[1, k] = sincos(values[k])


@kernel
def forward(parent, kind, axis, placement, values, trig, frames, spins):
    """World frame of every motion: frame = parent's frame · placement · motion(value).

    Sines and cosines come first, in a loop that vectorises: inside the walk down the tree their latency would
    sit between a parent and its child.
    """
    turn_values(values, trig)
    place_motions(parent, kind, axis, placement, values, trig, frames, spins)


@kernel
def _frame_at(frames, i):
    f = frames[i]
    return f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11]


@kernel
def place_motions(parent, kind, axis, placement, values, trig, frames, spins):
    """World frame of every motion, the sines and cosines being known."""
    # The last frame stays in registers for the next motion, mostly its child. A turn is applied to the placement, which
    # need not wait for the parent.
    last = 0
    r0, r1, r2, r3, r4, r5, r6, r7, r8, p0, p1, p2 = _frame_at(frames, 0)
    for i in range(1, parent.shape[0]):
        j = parent[i]
        k = axis[i]
        if j != last:
            r0, r1, r2, r3, r4, r5, r6, r7, r8, p0, p1, p2 = _frame_at(frames, j)
        x9 = placement[i, 9]
        xa = placement[i, 10]
        xb = placement[i, 11]
        p0 += r0 * x9 + r1 * xa + r2 * xb
        p1 += r3 * x9 + r4 * xa + r5 * xb
        p2 += r6 * x9 + r7 * xa + r8 * xb
        s = 0.0 * p0
        c = s + 1.0
        if kind[i] == ROTATE:
            s = trig[0, k]
            c = trig[1, k]
        x0 = c * placement[i, 0] + s * placement[i, 1]
        x1 = c * placement[i, 1] - s * placement[i, 0]
        x2 = placement[i, 2]
        x3 = c * placement[i, 3] + s * placement[i, 4]
        x4 = c * placement[i, 4] - s * placement[i, 3]
        x5 = placement[i, 5]
        x6 = c * placement[i, 6] + s * placement[i, 7]
        x7 = c * placement[i, 7] - s * placement[i, 6]
        x8 = placement[i, 8]
        a0 = r0 * x0 + r1 * x3 + r2 * x6
        a1 = r0 * x1 + r1 * x4 + r2 * x7
        r2 = r0 * x2 + r1 * x5 + r2 * x8
        r0 = a0
        r1 = a1
        a0 = r3 * x0 + r4 * x3 + r5 * x6
        a1 = r3 * x1 + r4 * x4 + r5 * x7
        r5 = r3 * x2 + r4 * x5 + r5 * x8
        r3 = a0
        r4 = a1
        a0 = r6 * x0 + r7 * x3 + r8 * x6
        a1 = r6 * x1 + r7 * x4 + r8 * x7
        r8 = r6 * x2 + r7 * x5 + r8 * x8
        r6 = a0
        r7 = a1
        if kind[i] == SLIDE:
            v = values[k]
            p0 += r2 * v
            p1 += r5 * v
            p2 += r8 * v
        frames[i, 0] = r0
        frames[i, 1] = r1
        frames[i, 2] = r2
        frames[i, 3] = r3
        frames[i, 4] = r4
        frames[i, 5] = r5
        frames[i, 6] = r6
        frames[i, 7] = r7
        frames[i, 8] = r8
        frames[i, 9] = p0
        frames[i, 10] = p1
        frames[i, 11] = p2
        last = i
        if kind[i] != ROTATE and kind[i] != SLIDE:
            move_frame(kind[i], values, k, frames, spins, i)
            last = -1


@kernel
def find_slopes(tree, sweep):
    """Gradient by the axis values from the wrenches on the motions, which it sums from the tips to the root.

    ∂P/∂value = u·(m − p×f) for a turn about the axis u through p, and u·f for a slide; of a value that follows a curve
    it is by the curve's argument.
    """
    kind = tree.kind
    frames = sweep.frames
    wrenches = sweep.wrenches
    slopes = sweep.slopes
    for i in range(kind.shape[0] - 1, 0, -1):
        f0 = wrenches[i, 0]
        f1 = wrenches[i, 1]
        f2 = wrenches[i, 2]
        m0 = wrenches[i, 3]
        m1 = wrenches[i, 4]
        m2 = wrenches[i, 5]
        j = tree.parent[i]
        wrenches[j, 0] += f0
        wrenches[j, 1] += f1
        wrenches[j, 2] += f2
        wrenches[j, 3] += m0
        wrenches[j, 4] += m1
        wrenches[j, 5] += m2
        k = tree.axis[i]
        if kind[i] == SLIDE:
            slopes[k] = frames[i, 2] * f0 + frames[i, 5] * f1 + frames[i, 8] * f2
            continue
        p0 = frames[i, 9]
        p1 = frames[i, 10]
        p2 = frames[i, 11]
        t0 = m0 - p1 * f2 + p2 * f1
        t1 = m1 - p2 * f0 + p0 * f2
        t2 = m2 - p0 * f1 + p1 * f0
        if kind[i] == ROTATE:
            slopes[k] = frames[i, 2] * t0 + frames[i, 5] * t1 + frames[i, 8] * t2
            continue
        for c in range(tree.size[i]):
            v0, v1, v2, u0, u1, u2 = twist_of(kind[i], frames, sweep.spins, i, c)
            slopes[k + c] = v0 * f0 + v1 * f1 + v2 * f2 + u0 * t0 + u1 * t1 + u2 * t2
    slopes_through_curves(tree.curves, slopes)


@kernel
def drive(offset, drive_axis, drive_dof, drive_coefficient, q, values):
    """Axis values from coordinates: value = offset + Σ coefficient · coordinate."""
    for k in range(values.shape[0]):
        values[k] = offset[k]
    for t in range(drive_axis.shape[0]):
        values[drive_axis[t]] += drive_coefficient[t] * q[drive_dof[t]]

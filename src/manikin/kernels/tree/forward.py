"""Forward kinematics for Python: the frames of sites, and the Jacobian of one, at one pose or at many."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.tree.curves import follow_curves, through_curves
from manikin.kernels.tree.layout import DOFS, SITES, view_model, view_work
from manikin.kernels.tree.sweep import drive, forward
from manikin.kernels.tree.twists import find_twists


@kernel
def stand(frames):
    """Write the world's frame, the identity, into row 0."""
    for c in range(12):
        frames[0, c] = 0.0
    frames[0, 0] = 1.0
    frames[0, 4] = 1.0
    frames[0, 8] = 1.0


@kernel
def place_model(model, work, q):
    """World frames of all motions at the coordinates q."""
    drive(model.offset, model.drive_axis, model.drive_dof, model.drive_coefficient, q, work.values)
    follow_curves(model.curves, work.values)
    forward(
        model.parent,
        model.kind,
        model.axis,
        model.placement,
        work.values,
        work.trig,
        work.frames,
        work.spins,
    )


@kernel
def write_site(frame, local, out):
    """The product of two frames of twelve numbers, as a 4×4 matrix by rows."""
    for r in range(3):
        a = frame[3 * r]
        b = frame[3 * r + 1]
        c = frame[3 * r + 2]
        for k in range(3):
            out[4 * r + k] = a * local[k] + b * local[3 + k] + c * local[6 + k]
        out[4 * r + 3] = a * local[9] + b * local[10] + c * local[11] + frame[9 + r]
    out[12] = 0.0
    out[13] = 0.0
    out[14] = 0.0
    out[15] = 1.0


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:], i8")
def site_frames(S, R, W, q, out, count):
    """Each site's frame in the world, 4×4 by rows, into ``out`` (count, P, 16), from ``q`` (count, n).

    W begins with the motions' frames, (M+1, 12), of the last pose.
    """
    model = view_model(S, R, W)
    work = view_work(S, W)
    n = S[DOFS]
    sites = S[SITES]
    stand(work.frames)
    for i in range(count):
        place_model(model, work, view1(q, i * n, n))
        rows = view2(out, i * sites * 16, sites, 16)
        for s in range(sites):
            write_site(work.frames[model.site_motion[s]], model.site[s], rows[s])


@kernel
def site_columns(model, work):
    """Linear and angular velocity of the only site by each axis value, into ``twist``.

    Every motion of the model carries the site.
    """
    frames = work.frames
    last = frames[model.site_motion[0]]
    local = model.site[0]
    p0 = last[9] + last[0] * local[9] + last[1] * local[10] + last[2] * local[11]
    p1 = last[10] + last[3] * local[9] + last[4] * local[10] + last[5] * local[11]
    p2 = last[11] + last[6] * local[9] + last[7] * local[10] + last[8] * local[11]
    find_twists(model, frames, work.spins, (p0, p1, p2), work.twist)


@kernel
def by_coordinates(model, work, by_axis, out):
    """Columns by axis values (K, rows), gathered by coordinates into ``out`` (rows, n): J = columnsᵀ D."""
    through_curves(model.curves, by_axis)
    for r in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[r, j] = 0.0
    for t in range(model.drive_axis.shape[0]):
        j = model.drive_dof[t]
        c = model.drive_coefficient[t]
        for r in range(out.shape[0]):
            out[r, j] += c * by_axis[model.drive_axis[t], r]


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:], i8")
def site_jacobian(S, R, W, q, out, count):
    """(6, n): linear, then angular velocity of a model's only site, into ``out`` (count, 6, n), from ``q`` (count, n).

    The model has no motion that does not carry the site.
    """
    model = view_model(S, R, W)
    work = view_work(S, W)
    n = S[DOFS]
    stand(work.frames)
    for i in range(count):
        place_model(model, work, view1(q, i * n, n))
        site_columns(model, work)
        by_coordinates(model, work, work.twist, view2(out, i * 6 * n, 6, n))

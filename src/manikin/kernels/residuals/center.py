"""The centre of mass for Python, and its Jacobian, at one pose or at many."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1, view2
from manikin.kernels.residuals.mass import find_center, find_columns
from manikin.kernels.tree.forward import by_coordinates, place_model, stand
from manikin.kernels.tree.layout import DOFS, view_masses, view_model, view_work
from manikin.kernels.tree.twists import find_twists


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:], i8")
def centers(S, R, W, q, out, count):
    """The centre of mass in the world, into ``out`` (count, 3), from ``q`` (count, n)."""
    model = view_model(S, R, W)
    work = view_work(S, W)
    masses = view_masses(S, R, W)
    n = S[DOFS]
    stand(work.frames)
    for i in range(count):
        place_model(model, work, view1(q, i * n, n))
        find_center(masses, work.frames)
        for c in range(3):
            out[3 * i + c] = masses.center[c]


@kernel(entry="i8[:], f8[:], f8[:], f8[:], f8[:], i8")
def center_jacobians(S, R, W, q, out, count):
    """The velocity of the centre of mass by each coordinate, into ``out`` (count, 3, n), from ``q`` (count, n)."""
    model = view_model(S, R, W)
    work = view_work(S, W)
    masses = view_masses(S, R, W)
    n = S[DOFS]
    stand(work.frames)
    for i in range(count):
        place_model(model, work, view1(q, i * n, n))
        find_twists(model, work.frames, work.spins, (0.0, 0.0, 0.0), work.twist)
        find_columns(model, masses, work)
        by_coordinates(model, work, masses.columns, view2(out, i * 3 * n, 3, n))

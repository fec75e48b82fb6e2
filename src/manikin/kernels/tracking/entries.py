"""Value, gradient and second derivatives at a pose, for tests and for whoever wants to look."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.views import view1
from manikin.kernels.tracking.layout import POINTS, SENSORS, VARIABLES, view_scratch, view_tracking
from manikin.kernels.tracking.normal import normal, total
from manikin.kernels.tree.forward import place_model, stand
from manikin.kernels.tree.layout import DOFS, MOTIONS, VALUES, view_model, view_work


@kernel(
    entry="i8[:], f8[:], f8[:], i8[:], f8[:], f8[:], f8[:], f8[:], f8[:], f8[:], b1, f8[:], f8[:,:] -> f8"
)
def normal_at(S, R, W, T, N, X, q, targets, weights, wish, newton, gradient, hessian):
    """½P, with its gradient (V) and second derivatives (V, V), Gauss's or Newton's."""
    model = view_model(S, R, W)
    work = view_work(S, W)
    track = view_tracking(S, T, N, S[VALUES], S[MOTIONS])
    scratch = view_scratch(T, X, S[VALUES], S[MOTIONS])
    v = T[VARIABLES]
    things = T[POINTS] + T[SENSORS]
    value = view1(q, 0, S[DOFS])
    target = view1(targets, 0, 3 * T[POINTS] + 9 * T[SENSORS])
    weight = view1(weights, 0, things)
    wished = view1(wish, 0, v)
    stand(work.frames)
    place_model(model, work, value)
    P = total(model, track, work, scratch, value, target, weight, wished)
    normal(model, track, work, scratch, value, target, weight, wished, newton)
    for a in range(v):
        gradient[a] = scratch.gradient[a]
        for b in range(v):
            hessian[a, b] = scratch.hessian[a, b]
    return 0.5 * P

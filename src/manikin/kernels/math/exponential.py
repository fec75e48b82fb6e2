"""How the world axes of a rotation vector's components change with the components: of joints of three coordinates."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.math.rotation import exp_coefficients


@kernel
def _jacobian_slopes(w0, w1, w2):
    """(dB/dθ)/θ and (dC/dθ)/θ of the coefficients B, C of `exp_coefficients`, by series where θ is small."""
    t2 = w0 * w0 + w1 * w1 + w2 * w2
    a, b, c = exp_coefficients(w0, w1, w2)
    if t2 < 0.04:
        db = -(1.0 - t2 / 15.0 * (1.0 - t2 * 3.0 / 112.0 * (1.0 - t2 * 2.0 / 135.0))) / 12.0
        dc = -(1.0 - t2 / 21.0 * (1.0 - t2 * 3.0 / 144.0 * (1.0 - t2 * 2.0 / 165.0))) / 60.0
        return db, dc
    return (a - 2.0 * b) / t2, (b - 3.0 * c) / t2


@kernel
def _turned_by_vector(w0, w1, w2, x0, x1, x2):
    """exp[w] x."""
    a, b, _ = exp_coefficients(w0, w1, w2)
    c0 = w1 * x2 - w2 * x1
    c1 = w2 * x0 - w0 * x2
    c2 = w0 * x1 - w1 * x0
    return (
        x0 + a * c0 + b * (w1 * c2 - w2 * c1),
        x1 + a * c1 + b * (w2 * c0 - w0 * c2),
        x2 + a * c2 + b * (w0 * c1 - w1 * c0),
    )


@kernel
def _vector_curvature(w, t, a, b):
    """t · ∂(J e_a)/∂w_b, J the left Jacobian I + B[w] + C[w]² of exp[w] and t a fixed vector.

    B and C as in `exp_coefficients`; (t × w) · e and the like are expanded by components.
    """
    _, big_b, big_c = exp_coefficients(w[0], w[1], w[2])
    db, dc = _jacobian_slopes(w[0], w[1], w[2])
    tw = t[0] * w[0] + t[1] * w[1] + t[2] * w[2]
    w2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    t_cross_w = (t[1] * w[2] - t[2] * w[1], t[2] * w[0] - t[0] * w[2], t[0] * w[1] - t[1] * w[0])
    # t·(w×e_a) = (t×w)_a ;  t·(w×(w×e_a)) = (t·w) w_a − t_a w².
    first = db * w[b] * t_cross_w[a] + dc * w[b] * (tw * w[a] - t[a] * w2)
    # t·(e_b×e_a) = (t×e_b)_a: ± the remaining component of t.
    e_cross = 0.0
    if a != b:
        sign = 1.0 if (b + 1) % 3 == a else -1.0
        e_cross = sign * t[3 - a - b]
    same = 1.0 if a == b else 0.0
    return first + big_b * e_cross + big_c * (t[b] * w[a] + tw * same - 2.0 * t[a] * w[b])


@kernel
def add_curvature(w0, w1, w2, moment, size, k, hessian):
    """Add τ · ∂uₐ/∂w_b for the first components of the vector w, uₐ the axis about which wₐ turns exp[w].

    moment: τ as the frame behind the rotation sees it. Beyond that a component carries those after it.
    """
    w = (w0, w1, w2)
    t = _turned_by_vector(w0, w1, w2, moment[0], moment[1], moment[2])
    for a in range(size):
        for b in range(a + 1):
            extra = _vector_curvature(w, t, b, a)  # ∂u_b/∂w_a, b ≤ a: b carries a
            hessian[k + a, k + b] += extra
            if a != b:
                hessian[k + b, k + a] += extra

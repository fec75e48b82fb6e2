"""Axis values that follow curves: polynomials in pieces of what drives them.

``curve_axis``   (C)       the axis value of each curve; before, it holds the curve's argument
``first_piece``  (C+1)     where each curve's pieces begin
``edge``         (Q)       from where on each piece holds; −∞ for a curve's first
``origin``       (Q)       where its powers count from
``powers``       (Q, D)    its coefficients, ascending
``bend``         (C, 2)    first and second derivative of each curve at its argument
"""

from __future__ import annotations

from manikin.kernels.jit import kernel


@kernel
def follow_curves(curves, values):
    """Replace the arguments by the curves' values, and keep the derivatives there."""
    width = curves.powers.shape[1]
    for c in range(curves.curve_axis.shape[0]):
        k = curves.curve_axis[c]
        x = values[k]
        piece = curves.first_piece[c]
        last = curves.first_piece[c + 1] - 1
        while piece < last and x >= curves.edge[piece + 1]:
            piece += 1
        t = x - curves.origin[piece]
        value = 0.0
        first = 0.0
        second = 0.0
        for p in range(width - 1, -1, -1):
            second = second * t + 2.0 * first
            first = first * t + value
            value = value * t + curves.powers[piece, p]
        values[k] = value
        curves.bend[c, 0] = first
        curves.bend[c, 1] = second


@kernel
def slopes_through_curves(curves, slopes):
    """Slopes by axis values (K) into slopes by the arguments of those that follow curves."""
    for c in range(curves.curve_axis.shape[0]):
        slopes[curves.curve_axis[c]] *= curves.bend[c, 0]


@kernel
def bend_hessian(curves, slopes, by_value):
    """Second derivatives by axis values (K, K), and their slopes (K), into those by the curves' arguments.

    ∂²/∂x² = f′ ∂²/∂a² f′ + ∂/∂a f″.
    """
    for c in range(curves.curve_axis.shape[0]):
        k = curves.curve_axis[c]
        for i in range(by_value.shape[0]):
            by_value[i, k] *= curves.bend[c, 0]
            by_value[k, i] *= curves.bend[c, 0]
        by_value[k, k] += curves.bend[c, 1] * slopes[k]


@kernel
def through_curves(curves, by_axis):
    """Derivatives by axis values (K, rows) into derivatives by the arguments of those that follow curves."""
    for c in range(curves.curve_axis.shape[0]):
        row = by_axis[curves.curve_axis[c]]
        for r in range(row.shape[0]):
            row[r] *= curves.bend[c, 0]

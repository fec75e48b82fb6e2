"""Sine and cosine together, for one number or four lanes."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.lanes import quadrant, round_down, select


@kernel(exact=True)
def sincos(x):
    """(sin x, cos x) to within an ulp or so for \\|x\\| below a million.

    x is reduced to y in [−π/4, π/4] by a multiple k of π/2 (in three parts, the first two
    short, so that no digits are lost), then both series are summed and swapped or negated by the quadrant k mod 4.
    """
    k = round_down(x * 0.6366197723675814 + 0.5)
    y = ((x - k * 1.57079625129699707031) - k * 7.54978941586159635335e-8) - k * 5.39030285815811905290e-15
    z = y * y
    s = y + y * z * (
        -1.66666666666666307295e-1
        + z
        * (
            8.33333333332211858878e-3
            + z
            * (
                -1.98412698295895385996e-4
                + z
                * (
                    2.75573136213857245213e-6
                    + z * (-2.50507477628578072866e-8 + z * 1.58962301576546568060e-10)
                )
            )
        )
    )
    c = (
        1.0
        - 0.5 * z
        + z
        * z
        * (
            4.16666666666665929218e-2
            + z
            * (
                -1.38888888888730564116e-3
                + z
                * (
                    2.48015872888517045348e-5
                    + z
                    * (
                        -2.75573141792967388112e-7
                        + z * (2.08757008419747316778e-9 + z * -1.13585365213876817300e-11)
                    )
                )
            )
        )
    )
    odd, negative_sine, negative_cosine = quadrant(k)
    sine = select(odd, c, s)
    cosine = select(odd, s, c)
    return select(negative_sine, -sine, sine), select(negative_cosine, -cosine, cosine)

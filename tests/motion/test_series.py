"""Series of four terms, against polynomials fitted to the functions themselves."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.motion import series

STEPS = np.linspace(-0.02, 0.02, 41)


def fitted(values: np.ndarray) -> np.ndarray:
    """The first four coefficients of a function of s that was sampled at STEPS."""
    return np.polynomial.polynomial.polyfit(STEPS / 0.02, values, 9)[:4] / 0.02 ** np.arange(4)


@pytest.mark.parametrize("x", [(0.002, 0.3, -0.5, 0.7), (1.3, 0.8, 0.4, -0.6), (6.0, -1.1, 0.9, 0.5)])
def test_waves_are_the_cosine_and_the_sine_of_a_root(x):
    along = np.polynomial.polynomial.polyval(STEPS, x).astype(complex)
    root = np.sqrt(along)
    cosine, sine = series.waves(np.array(x)[:, None])
    assert cosine[:, 0] == pytest.approx(fitted(np.cos(root).real), rel=1e-6, abs=1e-6)
    assert sine[:, 0] == pytest.approx(fitted((np.sin(root) / root).real), rel=1e-6, abs=1e-6)

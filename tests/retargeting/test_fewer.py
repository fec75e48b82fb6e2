"""Long chains tied together: the same figure with fewer coordinates."""

import numpy as np
import pytest
from tests.motion.samples import HUMAN, excess, planar_arm, random_keys

from manikin.retargeting.fewer import Fewer, groups


def test_a_tied_figure_stands_where_the_whole_one_does():
    fewer = Fewer(HUMAN)
    assert fewer.figure.n == HUMAN.n - sum(len(group) - 1 for group in groups(HUMAN)) == 86
    q = random_keys(fewer.figure, np.random.default_rng(2), 20)
    whole = fewer.up(q)
    for site in ("head", "left_hand", "right_foot"):
        assert np.allclose(HUMAN.forward(whole, site), fewer.figure.forward(q, site), atol=1e-12)
    assert np.array_equal(fewer.down(whole), q)


def test_what_is_inside_the_tied_figures_limits_is_inside_the_whole_ones():
    fewer = Fewer(HUMAN)
    q = random_keys(fewer.figure, np.random.default_rng(3), 200)
    assert excess(fewer.figure, q) < 1e-12 and excess(HUMAN, fewer.up(q)) < 1e-12


def test_a_figure_without_long_sums_is_itself():
    figure = planar_arm()
    assert Fewer(figure).figure is figure and groups(figure) == []


def test_other_couplings_are_said_of_what_is_kept():
    figure = planar_arm(6).with_couplings("j0 + j1 + j2 <= 1.2", "j2 - j5 = 0.1")
    fewer = Fewer(figure)
    assert fewer.figure.n == 4
    q = fewer.figure.rest.copy()
    q[fewer.figure.index("j0")] = 0.3
    whole = fewer.up(q)
    row = np.zeros(6)
    row[[2, 5]] = 1.0, -1.0
    (kept,) = (c for c in fewer.figure.couplings if c.equality)
    value = sum(c * q[fewer.figure.index(name)] for name, c in kept.coefficients.items())
    assert row @ whole - 0.1 == pytest.approx(value - kept.lower, abs=1e-12)
    assert fewer.figure.dof("j0").upper == pytest.approx(0.4)

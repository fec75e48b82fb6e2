"""Term: what a goal asks of the solver."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.goals import Term


@pytest.mark.parametrize(
    ("kind", "unit"), [("point", "m"), ("line", "m"), ("plane", "m"), ("axes", "rad"), ("aim", "rad")]
)
def test_the_unit_of_a_miss_is_that_of_its_kind(kind, unit):
    assert Term(kind, "hand", 1.0).unit == unit


def test_by_default_a_term_minds_the_sites_own_axes_at_the_origin():
    term = Term("axes", "hand", 1.0)
    assert (term.site_axes == np.eye(3)).all() and (term.directions == np.eye(3)).all()
    assert not term.target.any() and term.axis_weights == (1.0, 1.0, 1.0)

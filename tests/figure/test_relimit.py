from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.errors import FigureError, PoseError


def test_only_the_ranges_named_change():
    body = mk.human()
    other = body.with_limits({"left_knee": (0.2, 1.0), "right_elbow": (0.0, 0.5)})
    changed = {
        body.dofs[k] for k in np.flatnonzero((body.lower != other.lower) | (body.upper != other.upper))
    }
    assert changed == {"left_knee", "right_elbow"}
    assert other.dofs == body.dofs
    assert other.rest[other.index("left_knee")] == pytest.approx(0.2)
    assert other.same_structure(body)


def test_a_joint_of_several_axes_keeps_the_others():
    body = mk.human()
    other = body.with_limits({"left_hip_flexion": (0.0, 1.0)})
    assert other.upper[other.index("left_hip_flexion")] == 1.0
    assert other.upper[other.index("left_hip_rotation")] == body.upper[body.index("left_hip_rotation")]


def test_what_makes_no_sense_is_refused():
    body = mk.human()
    with pytest.raises(PoseError, match="nose"):
        body.with_limits({"nose": (0.0, 1.0)})
    with pytest.raises(FigureError, match="below the upper"):
        body.with_limits({"left_knee": (1.0, 0.5)})
    with pytest.raises(FigureError, match="limits of its own"):
        body.with_limits({"root_x": (0.0, 1.0)})

from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure import Figure

ROWS = [(0.1, np.pi / 2, 0.3, 0.2), (0.4, -0.3, 0.0, -0.1), (0.05, 0.7, 0.2, 0.5)]


def turn(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    x = np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])
    z = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    return x if axis == "x" else z


def move(x: float, y: float, z: float) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3] = x, y, z
    return result


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("prismatic", [(), (False, True, False)])
def test_the_tip_is_the_product_of_the_rows(convention, prismatic):
    figure = Figure.from_dh(ROWS, convention=convention, prismatic=prismatic)
    q = np.array([0.3, -0.2, 0.9])
    expected = np.eye(4)
    for k, (a, alpha, d, theta) in enumerate(ROWS):
        if prismatic and prismatic[k]:
            d = d + q[k]
        else:
            theta = theta + q[k]
        if convention == "standard":
            expected = expected @ turn("z", theta) @ move(0, 0, d) @ move(a, 0, 0) @ turn("x", alpha)
        else:
            expected = expected @ turn("x", alpha) @ move(a, 0, 0) @ turn("z", theta) @ move(0, 0, d)
    assert np.abs(figure.pose(q).matrix("tip") - expected).max() < 1e-15


def test_limits_are_for_all_or_one_a_joint():
    figure = Figure.from_dh(ROWS, name="robot", lower=-1, upper=[1, 2, 3])
    assert (figure.name, figure.dofs) == ("robot", ("joint_1", "joint_2", "joint_3"))
    assert figure.lower.tolist() == [-1, -1, -1] and figure.upper.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        (ROWS, {"convention": "craig"}, "unknown convention 'craig'"),
        (ROWS, {"prismatic": [True]}, "prismatic, got 1 for 3 rows"),
        (ROWS, {"lower": [0, 0]}, "lower: expected 3 values"),
        ([(0, 0, 0)], {}, "row 1: expected shape"),
        ([(0, 0, np.nan, 0)], {}, "row 1: expected finite"),
        ([], {}, "0 rows"),
    ],
)
def test_bad_rows_are_named(rows, options, words):
    with pytest.raises(FigureError, match=f"figure 'chain': .*{words}"):
        Figure.from_dh(rows, **options)

"""Children, circumferences and pregnancy against the tables that they come from, measured on the figures."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import measurements
from manikin.figure.human.circumference import around
from manikin.figure.human.growth import AGES, MASS, SITTING, STATURE
from manikin.figure.human.proportions import BY_SEX
from manikin.figure.human.size import shaped

FEW = {"fingers": False, "spine": "bend"}


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize("k", [0, 2, 4, 6])
def test_a_child_is_as_tall_heavy_and_long_in_the_body_as_the_tables_say(sex: str, k: int) -> None:
    body = mk.human(age=AGES[k], sex=sex, **FEW)  # type: ignore[arg-type]
    found = measurements(body)
    assert found["stature"] == pytest.approx(STATURE[sex][k], rel=1e-9)
    assert body.mass == pytest.approx(MASS[sex][k], rel=1e-9)
    ratio = BY_SEX[sex].sitting_height + SITTING[k]
    assert found["sitting_height"] / found["stature"] == pytest.approx(ratio, abs=2e-3)


def test_the_younger_the_larger_the_head_and_the_shorter_the_legs() -> None:
    def shares(age: float | None) -> tuple[float, float]:
        body = mk.human(age=age, **FEW)  # type: ignore[arg-type]
        rest, found = body.pose(), measurements(body)
        return (
            (rest.position("vertex") - rest.position("head"))[2] / found["stature"],
            found["hip_height"] / found["stature"],
        )

    heads, legs = zip(*(shares(age) for age in (2.0, 6.0, 12.0, None)), strict=True)
    assert all(a > b for a, b in pairwise(heads)) and heads[0] > 1.6 * heads[-1]
    assert legs[0] < legs[1] < legs[2]


def test_a_grown_child_is_the_adult() -> None:
    almost, grown = shaped(age=19.999).proportions, shaped().proportions
    for name in ("stature", "mass", "hip_height", "head_length", "upper_arm", "cervicale_height", "span"):
        assert getattr(almost, name) == pytest.approx(getattr(grown, name), rel=1e-3), name


def test_a_child_poses_as_anyone_does() -> None:
    body = mk.human(age=6.0)
    rest = body.pose()
    feet = [mk.Pin("left_foot"), mk.Pin("right_foot")]
    solved = mk.solve(body, [mk.Position("right_hand", [0.25, -0.15, 0.5]), *feet])
    assert solved.reached and rest.position("vertex")[2] == pytest.approx(1.157)


def test_older_joints_go_less_far() -> None:
    young, old = mk.human(**FEW), mk.human(age=70.0, **FEW)  # type: ignore[arg-type]
    assert old.upper[old.index("left_hip_flexion")] < young.upper[young.index("left_hip_flexion")]


@pytest.mark.parametrize(
    ("name", "metres"), [("waist", 1.25), ("hip", 1.2), ("chest", 1.2), ("thigh", 0.75), ("neck", 0.45)]
)
def test_circumferences_are_what_was_given(name: str, metres: float) -> None:
    size = shaped(mass=110.0, circumferences={name: metres})
    p = size.proportions
    parts = {
        "waist": around(p.waist_breadth, p.waist_depth),
        "hip": around(p.hip_breadth, p.buttock_depth),
        "chest": around(p.chest_breadth, p.chest_depth),
        "thigh": p.thigh_girth,
        "neck": p.neck_girth,
    }
    assert parts[name] * size.stature * size.girth == pytest.approx(metres, rel=1e-9)
    assert size.mass == 110.0 and size.girth == pytest.approx(shaped(mass=110.0).girth)


def test_the_circumference_of_an_ellipse_is_that_of_a_fine_polygon() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 200001)
    points = np.column_stack([0.17 * np.cos(t), 0.12 * np.sin(t)])
    known = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert around(0.34, 0.24) == pytest.approx(known, rel=1e-6)


def test_a_pregnant_woman_is_heavier_and_her_middle_comes_forward() -> None:
    woman, with_child = mk.human(sex="female"), mk.human(sex="female", pregnancy=38.0)
    assert with_child.mass - woman.mass == pytest.approx(13.0 * (38.0 / 40.0) ** 2)
    assert with_child.pose().center_of_mass()[0] > woman.pose().center_of_mass()[0] + 0.003

    def front(body: mk.Figure) -> float:
        frame = body.pose().matrices()["l3"]
        return max(
            (frame @ s.placement)[0, 3] + s.size[0]
            for s in body.segments["l3"].shapes
            if s.kind == "ellipsoid"
        )

    assert front(with_child) - front(woman) == pytest.approx(0.13 * (38.0 / 40.0) ** 2, rel=0.2)


def test_what_makes_no_sense_is_refused() -> None:
    for options, words in (
        ({"age": 1.0}, "2 to 80"),
        ({"age": 8.0, "percentile": 50.0}, "percentiles are of adults"),
        ({"pregnancy": 20.0}, "a grown woman's"),
        ({"pregnancy": 50.0, "sex": "female"}, "0 to 42 weeks"),
        ({"circumferences": {"wast": 1.0}}, "did you mean 'waist'"),
        ({"circumferences": {"waist": 9.0}}, "is not that of a person"),
    ):
        with pytest.raises(mk.FigureError, match=words):
            mk.human(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["pregnancy", "age", "stature", "mass"])
def test_yes_is_not_a_number(name: str) -> None:
    with pytest.raises(mk.FigureError, match=f"human: {name}: expected a number, got True"):
        mk.human(sex="female", **{name: True})

"""Populations against ANSUR II's own tables, and bodies against the measures they were drawn with."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import boundary, measurements, people, percentiles, population
from manikin.figure.human.aging import aged, share_at
from manikin.figure.human.ansur import COLUMNS, MEASURES, statistics

DATA = Path(__file__).parents[4] / "shared" / "data" / "anthropometry"
FEW = {"fingers": False, "spine": "bend"}


def table(sex: str) -> dict[str, np.ndarray]:
    path = DATA / f"ansur2_{sex}.csv"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    with path.open(encoding="latin1", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {
        name: np.array([float(row[column]) for row in rows]) * unit
        for name, (column, unit) in COLUMNS.items()
    }


@pytest.mark.parametrize("sex", ["male", "female"])
def test_the_statistics_are_those_of_the_tables(sex):
    people_of = table(sex)
    logs = np.log(np.array([people_of[name] for name in MEASURES]))
    found = statistics(sex)
    assert found.people == logs.shape[1]
    assert np.abs(found.mean - logs.mean(axis=1)).max() < 1e-5
    assert np.allclose(found.covariance, np.cov(logs), rtol=1e-3, atol=1e-7)


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize(
    "name", ["stature", "mass", "upper_arm", "hip_breadth", "sitting_height", "thigh_girth"]
)
def test_percentiles_of_drawn_people_are_those_of_the_measured(sex, name):
    drawn = population(3000, sex, seed=5, **FEW).measure(name)
    measured = table(sex)[name]
    for share in (5, 25, 50, 75, 95):
        assert np.percentile(drawn, share) == pytest.approx(np.percentile(measured, share), rel=0.025)


def test_measures_go_together_as_in_people():
    drawn = population(3000, "female", seed=1)
    measured = table("female")
    for one, other in (("stature", "popliteal_height"), ("stature", "hip_breadth"), ("upper_arm", "forearm")):
        theirs = np.corrcoef(measured[one], measured[other])[0, 1]
        assert np.corrcoef(drawn.measure(one), drawn.measure(other))[0, 1] == pytest.approx(theirs, abs=0.06)


def test_bodies_have_the_measures_they_were_drawn_with():
    drawn = population(8, seed=3)
    assert drawn.sexes.count("female") == 4
    for k, figure in enumerate(drawn.figures):
        found = measurements(figure)
        for name in ("stature", "acromion_height", "hip_height", "knee_height", "popliteal_height"):
            assert found[name] == pytest.approx(drawn.measure(name)[k], rel=0.01), name
        assert found["hand_length"] == pytest.approx(drawn.measure("hand")[k], rel=0.01)
        assert figure.mass == pytest.approx(drawn.measure("mass")[k], rel=1e-6)


def test_all_bodies_have_one_structure_extremes_too():
    few = [
        *population(40, seed=9, **FEW).figures,
        *boundary(0.99, **FEW).figures,
        *percentiles((1, 99), **FEW).figures,
    ]
    assert all(few[0].same_structure(figure) for figure in few)


def test_a_seed_gives_the_same_people_and_a_larger_draw_begins_with_them():
    small, large = population(5, seed=2), population(9, seed=2)
    assert np.array_equal(small.measures, large.measures[:5])
    assert not np.array_equal(small.measures, population(5, seed=3).measures)


def test_percentile_people_are_at_their_percentile():
    found = percentiles((5, 95), "male", by="stature")
    measured = table("male")["stature"]
    assert found.measure("stature") == pytest.approx(
        [np.percentile(measured, 5), np.percentile(measured, 95)], rel=0.01
    )
    assert found.labels[0] == "male 5th percentile of stature"


def test_boundary_people_lie_on_the_ellipsoid():
    by = ("stature", "sitting_height", "hip_breadth")
    found = boundary(0.9, "female", by=by, axes=3)
    told = statistics("female")
    index = [MEASURES.index(name) for name in by]
    off = np.log(found.measures[:, index]) - told.mean[index]
    square = np.einsum("ki,ij,kj->k", off, np.linalg.inv(told.covariance[np.ix_(index, index)]), off)
    from scipy.stats import chi2

    assert square[0] == pytest.approx(0.0, abs=1e-12)
    assert square[1:] == pytest.approx(np.full(14, chi2.ppf(0.9, 3)), rel=1e-9)


def test_known_measures_stay_and_the_others_follow():
    found = people([{"sex": "female", "stature": 1.80, "label": "Ada"}, {"stature": 1.60}])
    assert found.measure("stature") == pytest.approx([1.80, 1.60])
    assert found.measure("knee_height")[0] > statistics("female").given({})[MEASURES.index("knee_height")]
    assert found.labels == ("Ada", "person 1")


def test_age_narrows_the_ranges_as_the_study_says():
    young, old = (aged(mk.human(), age, "male") for age in (32, 57))
    knee = young.index("left_knee")
    assert young.upper[knee] == pytest.approx(mk.human().upper[knee])
    assert old.upper[knee] / young.upper[knee] == pytest.approx(132.9 / 137.7)
    assert share_at("hip_extension", "female", 57) == pytest.approx(16.7 / 18.1)
    assert old.same_structure(young)
    assert population(2, seed=0, age=(20, 70), **FEW).figures[0].same_structure(mk.human(**FEW))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: population(-1), "number of people"),
        (lambda: population(3, "robot"), "sex"),
        (lambda: population(3, women=2.0), "share of women"),
        (lambda: population(3, age=5), "ages"),
        (lambda: population(3, wings=True), "unknown option"),
        (lambda: population(3, age=(1,)), "age is one number, or a range"),
        (lambda: population(3, age=[]), "age is one number, or a range"),
        (lambda: population(3, age=(30, 40, 50)), "age is one number, or a range"),
        (lambda: percentiles((0,)), "between 0 and 100"),
        (lambda: percentiles(by="shoe"), "unknown measure"),
        (lambda: boundary(1.5), "coverage"),
        (lambda: people([{"stature": -1}]), "above 0"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises(mk.FigureError, match=words):
        call()


def test_a_batch_takes_a_population_for_a_figure():
    drawn = population(6, seed=4, **FEW)
    goals = [mk.Position("right_hand", [0.4, -0.2, 1.1]), mk.Pin("left_foot"), mk.Pin("right_foot")]
    found = mk.solve_many(drawn, goals)
    assert found.reached.all() and len(found) == 6
    for k in range(6):
        assert np.linalg.norm(found.pose(k).position("right_hand") - [0.4, -0.2, 1.1]) <= 1e-4


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("share", [1e-3, 0.5, 0.9, 0.999])
def test_the_ellipsoid_of_a_share_of_all_people_is_chi_squares(freedom, share):
    from scipy.stats import chi2

    from manikin.figure.human.crowd import _chi_square

    assert _chi_square(share, freedom) == pytest.approx(chi2.ppf(share, freedom), rel=1e-12)

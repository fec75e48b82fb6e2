"""Lengths of built figures against human measurements, taken from the figure as they are from people."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import NormalDist, fmean

import pytest

import manikin as mk
from manikin.figure.human import measurements

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
#: ANSUR II, over stature: men, women.
TABLE = {
    "ankle_height": (0.0415, 0.0385),
    "knee_height": (0.2799, 0.2860),
    "hip_height": (0.5128, 0.5190),
    "acromion_height": (0.8203, 0.8198),
    "biacromial_breadth": (0.2368, 0.2244),
    "arm_reach": (0.1909 + 0.1525 + 0.1101, 0.1911 + 0.1482 + 0.1112),
    "hand_length": (0.1101, 0.1112),
    "foot_length": (0.1544, 0.1513),
    "span": (1.0330, 1.0195),
    "sitting_height": (0.5231, 0.5262),
    "sitting_eye_height": (0.4582, 0.4593),
    "popliteal_height": (0.2446, 0.2383),
}
STATURES = {"male": (1.756, 0.0686), "female": (1.628, 0.0642)}
MASSES = {"male": (85.5, 14.2), "female": (67.8, 11.0)}
DATA = Path(__file__).parents[4] / "shared" / "data" / "anthropometry"


def normal(mean: float, deviation: float, percentile: float) -> float:
    return NormalDist(mean, deviation).inv_cdf(percentile / 100.0)


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_lengths_are_within_one_percent_of_the_tables(sex: str, percentile: float) -> None:
    found = measurements(mk.human(sex=sex, percentile=percentile))
    stature = normal(*STATURES[sex], percentile)
    assert found["stature"] == pytest.approx(stature, rel=0.01)
    for name, fractions in TABLE.items():
        expected = stature * fractions[sex == "female"]
        assert found[name] == pytest.approx(expected, rel=0.01), name


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_standing_eye_height_is_the_sitting_one_on_the_same_spine(sex: str, percentile: float) -> None:
    found = measurements(mk.human(sex=sex, percentile=percentile))
    assert found["stature"] - found["eye_height"] == pytest.approx(
        found["sitting_height"] - found["sitting_eye_height"], abs=1e-12
    )


@pytest.mark.parametrize("options", [{"girdle": False}, {"spine": "bend"}, {"fingers": False}])
def test_lengths_do_not_depend_on_detail(options: dict[str, object]) -> None:
    whole, part = measurements(mk.human()), measurements(mk.human(**options))  # type: ignore[arg-type]
    for name, value in whole.items():
        assert part[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("sex", ["male", "female"])
def test_means_are_those_of_the_survey(sex: str) -> None:
    path = DATA / f"ansur2_{sex}.csv"
    if not path.exists():
        pytest.skip(f"the survey's table {path.name} is not here")
    with path.open(encoding="latin-1") as file:
        rows = list(csv.DictReader(file))

    def mean(column: str) -> float:
        return fmean(float(row[column]) for row in rows) / 1000.0

    found = measurements(mk.human(sex=sex))
    arm = mean("acromionradialelength") + mean("radialestylionlength") + mean("handlength")
    expected = {
        "stature": mean("stature"),
        "arm_reach": arm,
        "span": mean("span"),
        "sitting_height": mean("sittingheight"),
        "sitting_eye_height": mean("eyeheightsitting"),
        "biacromial_breadth": mean("biacromialbreadth"),
        "knee_height": mean("lateralfemoralepicondyleheight"),
        "hip_height": mean("trochanterionheight"),
        "foot_length": mean("footlength"),
        "hand_length": mean("handlength"),
        "popliteal_height": mean("poplitealheight"),
        "acromion_height": mean("acromialheight"),
        "ankle_height": mean("lateralmalleolusheight"),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=0.01), name
    assert mk.human(sex=sex).mass == pytest.approx(
        fmean(float(row["weightkg"]) for row in rows) / 10.0, rel=0.001
    )


@pytest.mark.parametrize("percentile", PERCENTILES)
@pytest.mark.parametrize("sex", ["male", "female"])
def test_a_percentile_sets_the_mass_too(sex: str, percentile: float) -> None:
    assert mk.human(sex=sex, percentile=percentile).mass == pytest.approx(
        normal(*MASSES[sex], percentile), rel=0.01
    )


def test_stature_and_mass_can_be_given() -> None:
    figure = mk.human(stature=1.83, mass=77.0)
    assert measurements(figure)["stature"] == pytest.approx(1.83, abs=1e-12)
    assert figure.mass == pytest.approx(77.0, abs=1e-10)
    assert mk.human(percentile=90, mass=60.0).mass == pytest.approx(60.0, abs=1e-10)


def test_taller_people_are_heavier_when_no_mass_is_given() -> None:
    masses = [mk.human(stature=stature).mass for stature in (0.6, 1.2, 1.6, 1.756, 1.9, 2.4)]
    assert masses == sorted(masses) and masses[0] > 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sex": "other"}, "unknown sex 'other'"),
        ({"stature": 175}, "0.5 to 2.8 metres"),
        ({"mass": -3.0}, "mass must be above 0"),
        ({"percentile": 100}, "between 0 and 100"),
        ({"percentile": 5, "stature": 1.7}, "not both"),
        ({"stature": float("nan")}, "finite number"),
        ({"spine": "none"}, "unknown spine 'none'"),
        ({"base": "loose"}, "unknown base 'loose'"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(mk.FigureError, match=words):
        mk.human(**options)  # type: ignore[arg-type]

"""Study files that are wrong are refused in words, whatever they ask for."""

from __future__ import annotations

import pytest

import manikin as mk
from manikin.errors import FigureError, FormatError
from manikin.formats.study import EXAMPLE, read_study


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("n = 20 ", "n = 100000000 ", "100,000 people at most"),
        ("n = 20 ", "percentiles = 5 ", "percentiles must be a list of numbers"),
        ("n = 20 ", "percentiles = [] ", "percentiles must be a list of numbers"),
        ("age = [20, 60]", "age = [20]", "age has 1 numbers"),
        ("pitch = 0.2", "pitch = 1e-3", "at most|too many"),
        ("low = [0.4, -0.5, 0.6]", "low = [-1e300, -1e300, -1e300]", "too many"),
        ("low = [0.4, -0.5, 0.6]", "list = [[1, 2]]", "point 1 has 2 numbers"),
        ("low = [0.4, -0.5, 0.6]", "list = [[1, 2, nan]]", "finite"),
        ("low = [0.4, -0.5, 0.6]", f"list = [[1, 2, {'9' * 400}]]", "finite"),
        ("low = [0.4, -0.5, 0.6]", "list = 3", "points of three numbers"),
    ],
)
def test_a_broken_study_is_refused(tmp_path, old, new, message):
    assert old in EXAMPLE
    path = tmp_path / "study.toml"
    path.write_text(EXAMPLE.replace(old, new))
    with pytest.raises(FormatError, match=message) as error:
        read_study(path)
    assert "study.toml" in str(error.value)


@pytest.mark.parametrize("age", [(1,), [], (20, 40, 60)])
def test_an_age_is_a_number_or_two(age):
    with pytest.raises(FigureError, match="youngest"):
        mk.population(2, age=age)

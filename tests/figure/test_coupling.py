from __future__ import annotations

import pickle
from math import inf, nan

import pytest
from hypothesis import given, strategies as st

from manikin.errors import FigureError
from manikin.figure import Coupling

finite = st.floats(-1e6, 1e6).filter(lambda value: value != 0.0)
names = st.text("abcxyz_.09 -", min_size=1, max_size=8).filter(lambda text: text.strip() == text)


@pytest.mark.parametrize(
    ("text", "coefficients", "lower", "upper"),
    [
        ("a = 0.2*b + 0.1", {"a": 1, "b": -0.2}, 0.1, 0.1),
        ("a == b", {"a": 1, "b": -1}, 0, 0),
        ("a + b <= 2*c", {"a": 1, "b": 1, "c": -2}, -inf, 0),
        ("a >= 1", {"a": 1}, 1, inf),
        ("1 <= a", {"a": -1}, -inf, -1),
        ("0 <= a - b <= 1", {"a": 1, "b": -1}, 0, 1),
        ("1 >= a + 0.5 >= 0", {"a": 1}, -0.5, 0.5),
        ("2*(a + b)/4 - -c = 1e-2", {"a": 0.5, "b": 0.5, "c": 1}, 0.01, 0.01),
        ("a/2 = 'b/2'", {"a": 0.5, "b/2": -1}, 0, 0),
        ("'left hip' = b*3", {"left hip": 1, "b": -3}, 0, 0),
        ("a + a = 4", {"a": 2}, 4, 4),
    ],
)
def test_text_is_read(text, coefficients, lower, upper):
    coupling = Coupling.parse(text)
    assert dict(coupling.coefficients) == coefficients
    assert (coupling.lower, coupling.upper) == (lower, upper)


@given(
    st.dictionaries(names, finite, min_size=1, max_size=4), finite, st.floats(0, 10), st.sampled_from("=<>i")
)
def test_what_is_printed_reads_back_the_same(coefficients, lower, width, sign):
    ends = {"=": (lower, lower), "<": (-inf, lower), ">": (lower, inf), "i": (lower, lower + width)}[sign]
    coupling = Coupling(coefficients, *ends)
    assert Coupling.parse(str(coupling)) == coupling


def test_it_prints_as_one_would_write_it():
    assert str(Coupling.parse("a = 0.2*b + 0.1")) == "a - 0.2*b = 0.1"
    assert str(Coupling({"a": -1, "b": 2}, 0, 1)) == "0 <= -a + 2*b <= 1"


def test_equal_couplings_are_equal_and_pickle():
    first, second = Coupling.parse("a = b"), Coupling({"a": 1, "b": -1}, 0, 0)
    assert first == second and hash(first) == hash(second)
    assert pickle.loads(pickle.dumps(first)) == first
    assert first.equality and not Coupling({"a": 1}, 0).equality


def test_its_value_is_the_sum():
    assert Coupling.parse("a = 2*b").value({"a": 5.0, "b": 1.0}) == 3.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a", "expected one of"),
        ("a = b = c", "same|one sign twice"),
        ("a <= b <= 1", "numbers at both ends"),
        ("a = b*c", "only sums"),
        ("a = 1/b", "only sums"),
        ("a = b/0", "division by 0"),
        ("a = ", "ends too early"),
        ("a = (b", "not closed"),
        ("a = b c", "did not expect 'c'"),
        ("a = b)", "did not expect"),
        ("a = * b", "did not expect"),
        ("a = $", "cannot read"),
        ("a = a", "couples nothing"),
        ("1 <= 2", "couples nothing"),
        ("3 <= a <= 2", "above the upper end"),
        ("__import__('os').system('ls') = 1", "did not expect|cannot read"),
    ],
)
def test_text_that_cannot_be_read_is_quoted(text, words):
    with pytest.raises(FigureError, match=words) as error:
        Coupling.parse(text)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("coefficients", "lower", "upper", "words"),
    [
        ({}, 0, 0, "couples nothing"),
        ({"a": 0.0}, 0, 0, "couples nothing"),
        ({"a": nan}, 0, 0, "coefficient of 'a'"),
        ({"a": 1}, nan, 0, "lower: expected"),
        ({"a": 1}, 1, 0, "above the upper end"),
        ({"a": 1}, -inf, inf, "neither lower nor upper"),
        ({"a": 1}, inf, inf, "above the upper end"),
    ],
)
def test_a_bad_coupling_is_named(coefficients, lower, upper, words):
    with pytest.raises(FigureError, match=f"coupling 'c': .*{words}"):
        Coupling(coefficients, lower, upper, name="c")

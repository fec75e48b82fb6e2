"""Tables, requirements, and the file of results."""

import pytest
from benchmarks.results import circumstances, cpu, write
from benchmarks.tables import Requirement, Section, Table, shown


def test_numbers_are_shown_with_three_digits():
    assert [shown(v) for v in (0.12345, 12345.6, 3.2e-7, 0.0, 7, None, True)] == [
        "0.123",
        "12346",
        "3.2e-07",
        "0",
        "7",
        "–",
        "yes",
    ]


def test_a_row_of_the_wrong_width_is_refused():
    table = Table("t", ("a", "b"))
    with pytest.raises(ValueError, match="2 columns, got a row of 1"):
        table.add(1)


@pytest.mark.parametrize(
    ("value", "at_least", "met"),
    [(1.0, False, True), (3.0, False, False), (3.0, True, True), (None, True, None)],
)
def test_a_requirement_is_met_on_its_side_of_the_bound(value, at_least, met):
    assert Requirement("x", value, 2.0, at_least).met is met


def test_writing_replaces_what_was_run_and_keeps_the_rest(tmp_path):
    path = tmp_path / "RESULTS.md"
    write([Section("one", "first"), Section("two", "second")], ("one", "two"), path)
    write([Section("two", "again", [Table("t", ("a",), [(1,)])])], ("one", "two"), path)
    text = path.read_text(encoding="utf-8")
    assert "first" in text and "second" not in text and "again\n\n**t**\n\n| a |" in text
    assert text.index("## one") < text.index("## two")


def test_the_circumstances_name_versions_processor_and_date():
    line = circumstances()
    assert all(name in line for name in ("manikin", "Python", "kernels", "NumPy", "SciPy", cpu()))
    assert line[-10:].count("-") == 2

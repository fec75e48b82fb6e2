"""The comparison with an earlier version: which cells it compares, and what it makes of them."""

import pytest

from benchmarks import earlier


def table(title, columns, *rows):
    return title, list(columns), [list(row) for row in rows]


def test_times_and_rates_are_compared_and_nothing_else():
    found = earlier.cells(
        [
            table("A", ("figure", "DOF", "median µs", "reached, %"), ("arm", 7, 2.0, 100.0)),
            table("B", ("limb", "solves a second", "one call, µs"), ("iiwa", 4e6, None)),
        ]
    )
    assert found == {("A", "arm", "median µs"): 2.0, ("B", "iiwa", "solves a second"): pytest.approx(2.5e-7)}


def test_rows_of_equal_text_are_told_apart():
    found = earlier.cells([table("A", ("figure", "ms"), ("arm", 1.0), ("arm", 2.0), ("leg", 3.0))])
    assert list(found) == [("A", "arm", "ms"), ("A", "arm (2)", "ms"), ("A", "leg", "ms")]


def test_without_a_checkout_it_says_so(monkeypatch):
    monkeypatch.delenv("MANIKIN_EARLIER", raising=False)
    section = earlier.run(quick=True)
    assert not section.tables and "MANIKIN_EARLIER" in section.notes[0]


def test_a_folder_that_is_no_checkout_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("MANIKIN_EARLIER", str(tmp_path))
    with pytest.raises(SystemExit, match="no checkout of Manikin"):
        earlier.earlier()


def test_a_command_that_fails_is_told_with_its_last_words():
    with pytest.raises(SystemExit, match="ValueError: so"):
        earlier.run_in(earlier.CHECKOUT, "-c", "raise ValueError('so')")


def test_the_slowest_of_all_is_named(monkeypatch):
    monkeypatch.setenv("MANIKIN_EARLIER", str(earlier.CHECKOUT))
    then = {
        ("A", "arm", "µs"): 10.0,
        ("B", "arm", "µs"): 10.0,
        ("A", "gone", "µs"): 1.0,
        ("A", "EAIK", "µs"): 1.0,
    }
    now = {
        ("A", "arm", "µs"): 5.0,
        ("B", "arm", "µs"): 12.0,
        ("A", "new", "µs"): 99.0,
        ("A", "EAIK", "µs"): 1.5,
    }
    monkeypatch.setattr(earlier, "least", lambda old, name, rounds: (then, now))
    section = earlier.run(quick=True)
    assert [row[1:] for row in section.tables[0].rows] == [
        ("A: EAIK", "µs", 1.0, 1.5, 1.5),
        ("A: arm", "µs", 10.0, 5.0, 0.5),
        ("B: arm", "µs", 10.0, 12.0, 1.2),
    ]
    (line,) = section.requirements
    assert "B: arm" in line.what and line.value == pytest.approx(1.2) and line.met is False
    assert "2 times compared, 1 of them" in section.notes[0]
    assert "1.5 to 1.5 of then: so much is noise" in section.notes[1]


def test_a_process_of_a_version_compares_nothing_itself(monkeypatch):
    monkeypatch.setenv("MANIKIN_EARLIER", str(earlier.CHECKOUT))
    code = "from benchmarks import earlier; print(earlier.earlier(), earlier.CHECKOUT)"
    assert earlier.run_in(earlier.CHECKOUT, "-c", code).split() == ["None", str(earlier.CHECKOUT)]

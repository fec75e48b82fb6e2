"""The page of all methods and all kinds of goals says what is so."""

from __future__ import annotations

import pytest

from .kinds import KINDS
from .table import ORDER, PAGE, SEEDS, lines


def cells(page: list[str]) -> dict[str, list[str]]:
    rows = (line.strip("| ").split(" | ") for line in page if line.startswith("| "))
    return {row[0]: row[1:] for row in rows if row[0] in KINDS}


@pytest.fixture(scope="module")
def made() -> list[str]:
    return list(lines())


def test_the_page_is_the_one_that_is_made_but_for_a_goal_more_or_less_reached(made):
    page = PAGE.read_text(encoding="utf-8").splitlines()
    there, now = cells(page), cells(made)
    assert list(there) == list(now) == list(KINDS)
    for kind in KINDS:
        for method, one, other in zip(ORDER, there[kind], now[kind], strict=True):
            alike = one == other or (one.isdigit() and other.isdigit() and abs(int(one) - int(other)) <= 1)
            assert alike, f"{method} on {kind}: {other} of {SEEDS}, and the page says {one}"
    assert [line for line in page if "|" not in line] == [line for line in made if "|" not in line]


@pytest.mark.parametrize("method", ["projection", "lbfgsb", "bounded", "lagrange", "penalty", "damped"])
def test_a_method_that_takes_a_kind_reaches_it_every_time(made, method):
    taken = {kind: row[ORDER.index(method)] for kind, row in cells(made).items()}
    assert all(cell == str(SEEDS) for kind, cell in taken.items() if cell.isdigit()), taken

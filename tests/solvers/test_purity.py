"""A solve is a function of its arguments: the same call gives the same bits, whatever was called before, and where."""

import pytest
from tests.campaign.history import HERE, elsewhere, in_a_child, other_process, subject_of
from tests.campaign.history_cases import CASES

#: Random figures and goals, by seed, that need nothing that is not installed everywhere.
SEEDS = (1, 3, 5, 6, 10, 11, 12, 16, 18, 26, 39, 41, 44, 50, 51, 54, 55)
#: Cases whose problem is shared by threads, and solves of each thread.
SHARED = (
    "arm, placement",
    "arm, pin",
    "six hinges",
    "free base, rows",
    "path, pin",
    "human, hand",
    "human, pins",
)
SOLVES = 40
BATCHES = tuple(name for name in CASES if name.startswith("many"))


@pytest.mark.parametrize("history", HERE)
@pytest.mark.parametrize("name", [*CASES, *map(str, SEEDS)])
def test_a_call_gives_the_same_bits_whatever_was_called_before(name, history):
    assert HERE[history](subject_of(name)) == []


@pytest.mark.parametrize("name", [*CASES, *map(str, SEEDS)])
def test_another_process_gives_the_same_bits(name):
    answers = elsewhere(*CASES, *map(str, SEEDS))
    assert other_process(subject_of(name), answers[name]) == []


def _shared(count: int, names: tuple[str, ...], solves: int, what: str = "threads") -> list[str]:
    """What differs when threads share a problem, and how the process ended that tried it."""
    found, ended = in_a_child(what, str(count), str(solves), *names)
    return [f"{name}: {words}" for name, differ in found for words in differ] + ([ended] if ended else [])


@pytest.mark.parametrize("count", [2, 4])
def test_threads_that_share_a_problem_get_the_same_bits(count):
    assert _shared(count, SHARED, SOLVES) == []


@pytest.mark.parametrize("count", [2, 4])
def test_sessions_of_one_problem_on_threads_get_the_same_bits(count):
    names = tuple(name for name in SHARED if not name.startswith("path"))
    assert _shared(count, names, SOLVES // 4, "sessions") == []


@pytest.mark.parametrize("count", [2, 4])
def test_threads_that_solve_batches_of_one_figure_get_the_same_bits(count):
    assert _shared(count, BATCHES[:2], 20) == []


@pytest.mark.long
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", CASES)
def test_threads_that_share_any_problem_get_the_same_bits(name, count):
    assert _shared(count, (name,), 20 if name in BATCHES else 2000) == []

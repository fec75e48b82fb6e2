"""The campaign: random figures, goals and calls keep every promise, and what once broke one does so no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.campaign.captures import run_capture
from tests.campaign.case import run_case
from tests.campaign.fresh import run_fresh
from tests.campaign.memory import run_memory
from tests.campaign.motions import MAKERS, run_motion
from tests.campaign.rounds import CLIPS, FIGURES, run_round
from tests.campaign.run import Report, campaign
from tests.campaign.series import CALLS, run_series
from tests.campaign.zones import run_zone

SEEDS = json.loads((Path(__file__).parent / "campaign" / "seeds.json").read_text())
WAYS = {*(f"figure{suffix}" for suffix in FIGURES), *(f"clip{suffix}" for suffix in CLIPS)}
KEPT, SERIES = SEEDS["seeds"], SEEDS["series"]


@pytest.mark.parametrize("seed", KEPT)
def test_a_case_that_once_broke_a_promise_keeps_all(seed):
    assert run_case(seed)["found"] == []


@pytest.mark.parametrize("seed", SERIES)
def test_a_problem_that_once_broke_a_promise_among_many_solves_keeps_all(seed):
    assert run_series(int(seed), counts=SERIES[seed])["found"] == []


@pytest.mark.parametrize("seed", SEEDS["motion"])
def test_a_motion_that_once_broke_a_promise_keeps_all(seed):
    assert run_motion(seed)["found"] == []


def test_a_share_of_the_motions_keeps_every_promise():
    told = [run_motion(seed) for seed in range(720_000, 720_040)]
    assert [entry["found"] for entry in told] == [[]] * len(told)
    assert {maker for entry in told for maker in entry["counts"]} == set(MAKERS)


@pytest.mark.parametrize("seed", SEEDS["round"])
def test_a_file_that_once_lost_something_says_so(seed):
    assert run_round(seed)["found"] == []


def test_a_share_of_the_figures_comes_back_from_files():
    told = [run_round(seed) for seed in range(730_000, 730_120)]
    assert [entry["found"] for entry in told] == [[]] * len(told)
    assert {way for entry in told for way in entry["counts"]} == WAYS


@pytest.mark.parametrize("seed", SEEDS["zone"])
def test_a_map_that_once_proved_what_is_not_so_does_no_more(seed):
    pytest.importorskip("xarray")
    assert run_zone(seed)["found"] == []


def test_a_share_of_the_maps_and_studies_keeps_every_promise():
    pytest.importorskip("xarray")
    told = [run_zone(seed) for seed in range(740_000, 740_025)]
    assert [entry["found"] for entry in told] == [[]] * len(told)
    assert {maker for entry in told for maker in entry["counts"]} == {"map", "workspace", "study"}


def test_a_share_of_the_captures_keeps_every_promise():
    told = [run_capture(seed) for seed in range(750_000, 750_040)]
    assert [entry["found"] for entry in told] == [[]] * len(told)
    assert sum(entry["statuses"].get("found", 0) for entry in told) > 200


def test_a_share_of_the_series_keeps_every_promise():
    """Every way of calling, on some figures of every kind; `make check-long` runs very many."""
    counts = dict.fromkeys(CALLS, 24) | {"many": 300, "carefully": 4, "path": 60}
    calls: dict[str, int] = {}
    for seed in range(700_000, 700_008):
        told = run_series(seed, counts=counts)
        assert told["found"] == [], told
        calls = {name: calls.get(name, 0) + told["counts"].get(name, 0) for name in CALLS}
    assert all(calls.values()), calls


def test_used_problems_answer_as_fresh_ones():
    told = [run_fresh(seed, most=12) for seed in range(710_000, 710_006)]
    assert [entry["found"] for entry in told] == [[]] * len(told)
    assert sum(entry["compared"] for entry in told) >= 30


def test_memory_does_not_grow_with_solves():
    assert run_memory(30_000)["found"] == []


def test_a_child_process_runs_cases_and_the_report_counts_them():
    report = campaign(100_000, 60, size=60)
    assert report.findings == []
    told = report.to_dict()
    assert told["seeds"] == 60 and told["solves"] >= 50 and sum(told["outcomes"].values()) == 60
    json.dumps(told, allow_nan=False)


def test_a_crash_and_a_hang_are_findings(tmp_path, monkeypatch):
    """Cases that kill their process, or never come back, are reported by seed, and the others still run."""
    from tests.campaign import run

    real = run._lines

    def child(kind, first, count, patience):
        for line in real(kind, first, count, patience):
            if isinstance(line, dict) and line.get("begin") in (200_001, 200_003):
                yield line
                yield "the process died with code -11" if line["begin"] == 200_001 else "it hangs"
                return
            yield line

    monkeypatch.setattr(run, "_lines", child)
    report = campaign(200_000, 6, size=6)
    assert [entry["seed"] for entry in report.findings] == [200_001, 200_003]
    assert report.cases == 6


def test_a_report_is_gone_on_with(tmp_path):
    half = campaign(300_000, 2, size=2)
    again = Report.from_dict(json.loads(json.dumps(half.to_dict())))
    whole = campaign(300_000, 4, size=2, report=again)
    assert whole.seeds == 4 and whole.next == 300_004
    assert whole.solves == campaign(300_000, 4, size=4).solves


@pytest.mark.long
def test_two_thousand_cases_keep_every_promise():
    """`make check-long` runs twenty thousand more, with a report."""
    assert campaign(1_000_000, 2_000).findings == []

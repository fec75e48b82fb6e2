"""The campaign: random figures, goals and calls keep every promise, and what once broke one does so no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.campaign.case import run_case
from tests.campaign.run import campaign

KEPT = json.loads((Path(__file__).parent / "campaign" / "seeds.json").read_text())["seeds"]


@pytest.mark.parametrize("seed", KEPT)
def test_a_case_that_once_broke_a_promise_keeps_all(seed):
    assert run_case(seed)["found"] == []


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


@pytest.mark.long
def test_two_thousand_cases_keep_every_promise():
    """`make check-long` runs twenty thousand more, with a report."""
    assert campaign(1_000_000, 2_000).findings == []

"""What `explain` says of failures is so: the limits named are active, what one more degree would gain is what a solve
with that degree gains, and "out of reach" is said of nothing that can be reached."""

from __future__ import annotations

import pytest
from tests.campaign.explained import run_explained


def test_what_is_explained_is_so():
    told = run_explained(0, 120)
    assert told["found"] == []
    assert told["counts"]["limits"] > 80 and told["counts"]["gains"] > 60


@pytest.mark.long
def test_ten_thousand_failures_are_explained_as_they_are():
    assert run_explained(1, 10_000)["found"] == []

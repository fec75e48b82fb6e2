"""Whether a solve kept its time limit: judged by the command's runs alone, since a test's machine may be any."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import process_time

import manikin as mk

#: The variable by which the command tells its child processes that time is judged.
JUDGED = "MANIKIN_CAMPAIGN_TIMED"


def timed(
    limit: float | None, grace: float, work: Callable[[], mk.Solution]
) -> tuple[mk.Solution, str | None]:
    """What a solve gives that has so many seconds, and a finding where it takes more than twice as many and ``grace``
    of the processor.
    """
    begin = process_time()
    found = work()
    spent = process_time() - begin
    if limit is None or JUDGED not in os.environ or spent <= 2.0 * limit + grace:
        return found, None
    return found, f"{spent:.2f} s with a time limit of {limit} s"

"""Times to compare: taken in turns, so that a busy moment of the machine meets all alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np


def seconds_of(call: Callable[[], object], repeats: int = 1) -> float:
    """Seconds a call takes, on average over the repeats."""
    begin = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - begin) / repeats


def in_turns(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The least of each measure over the rounds: A, B, A, B, …"""
    least = dict.fromkeys(measures, np.inf)
    for _ in range(rounds):
        for name, measure in measures.items():
            least[name] = min(least[name], measure())
    return least


def ratio(value: float, other: float | None) -> float | None:
    """value / other, where there is an other."""
    return None if other is None else value / other

"""Memory over many solves of prepared problems: what a process holds after a tenth of them, and after all."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import manikin as mk

#: Bytes that may come on top after the first tenth: an allocator's pages, not a leak of a byte in ten solves.
ALLOWED = 4 << 20


def held() -> int:
    """Bytes of memory that this process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _problems() -> dict[str, Callable[[int], Any]]:
    """Calls by name: plain goals, targets that come along, a session, other goals, hard goals with verdict, misses."""
    joints = [
        mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", "R(y)" if k % 2 else "R(z)", [0.0, 0.0, 0.2], lower=-2.0, upper=2.0
        )
        for k in range(6)
    ]
    arm = mk.Figure("arm", [f"s{k}" for k in range(7)], joints, [mk.Site("tip", "s6", [0.0, 0.0, 0.1])])
    rng = np.random.default_rng(5)
    q = rng.uniform(-1.5, 1.5, (256, 6))
    points = np.array([arm.pose(row).position("tip") for row in q])
    plain = mk.Problem(arm, [mk.Position("tip", points[0])])
    session = plain.session()
    hard = mk.Problem(arm, [mk.Position("tip", points[0], hard=True), mk.Pin("s1", hard=False)])
    return {
        "plain": lambda k: plain.solve(q[k % 255]).reached,
        "targets": lambda k: plain.solve(q[k % 255], targets=[points[k % 255 + 1]]).status,
        "session": lambda k: session.solve([points[k % 255]]).q,
        "replaced": lambda k: plain.with_goals((mk.Position("tip", points[k % 255]),)).solve(q[k % 255]).q,
        "hard": lambda k: hard.solve(q[k % 255], targets=[points[k % 255], None]).status,
        "misses": lambda k: plain.solve(q[k % 255]).position_errors,
    }


def run_memory(solves: int, progress: Callable[[int], None] = lambda done: None) -> dict[str, Any]:
    """So many solves in this process, the calls by turns; as JSON can hold it."""
    ways = _problems()
    begin, done, first = process_time(), 0, 0
    weights = {"plain": 60, "targets": 20, "session": 9, "replaced": 1, "hard": 8, "misses": 2}
    turn = [(name, ways[name]) for name, count in weights.items() for _ in range(count)]
    counts = dict.fromkeys(ways, 0)
    while done < solves:
        for name, call in turn:
            call(done)
            counts[name] += 1
            done += 1
        if first == 0 and done >= 0.1 * solves:
            first = held()
        if done % 100_000 < len(turn):
            progress(done)
    grown = held() - first
    found = [f"{grown} bytes more after {done} solves"] if grown > ALLOWED else []
    return {
        "solves": done,
        "counts": counts,
        "bytes_after_a_tenth": first,
        "bytes_grown": grown,
        "found": found,
        "cpu": process_time() - begin,
    }

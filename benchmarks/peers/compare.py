"""How many times longer the fastest peer takes than ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.peers.runner import OURS, Outcome
from benchmarks.tables import Requirement

#: What a peer must solve, of all, for its time to count as a time to solve them.
RELIABLE = 0.9
#: EAIK knows no limits: the adapter chooses among its solutions.
HOLD_NO_LIMITS = ("eaik",)
#: They are made for one arm of six or seven hinges at a time, beforehand.
CLOSED_FORMS = ("eaik", "ssik")

Measure = Callable[[Outcome], float]


def median(outcome: Outcome) -> float:
    """Seconds of the median solve."""
    return outcome.median


def slow(outcome: Outcome) -> float:
    """Seconds of the 95th percentile."""
    return outcome.slow


def ratio(other: Outcome, ours: Outcome | None, value: Measure) -> float | None:
    """A program's value over ours, where there is ours."""
    return value(other) / value(ours) if ours is not None and ours.done else None


def fastest(
    found: dict[str, Outcome], value: Measure, without: Sequence[str] = HOLD_NO_LIMITS
) -> Outcome | None:
    """The fastest peer that solves nearly all, limits included."""
    able = (o for o in found.values() if o.done and o.program not in (OURS, *without))
    return min((o for o in able if o.solved >= RELIABLE), key=value, default=None)


def against(found: dict[str, Outcome], value: Measure, what: str, bound: float) -> list[Requirement]:
    """One line against the fastest peer; where that is a closed form, another against the fastest that is none."""
    ours = found[OURS]
    but = "" if ours.solved == 1.0 else f"ours solves {100.0 * ours.solved:.3g} %"
    first, general = fastest(found, value), fastest(found, value, CLOSED_FORMS)
    if first is None:
        return [Requirement(f"{what}, a peer's over ours", None, bound, at_least=True)]
    peers = dict.fromkeys(peer for peer in (first.program, general.program if general else None) if peer)
    return [
        Requirement(
            f"{what}, {peer}'s over ours", value(found[peer]) / value(ours), bound, at_least=True, but=but
        )
        for peer in peers
    ]

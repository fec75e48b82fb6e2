"""Which alternatives to try, and in what order, where goals offer some (`AnyOf`, unions of regions)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from manikin.engines.packed_levels import Levels

# Combinations of alternatives that are looked at, at most.
_MOST = 1000


def in_order(levels: Levels, q: np.ndarray) -> list[tuple[int, ...]]:
    """Choices of alternatives, nearest to being met at q first."""
    if all(len(alternatives) == 1 for alternatives in levels.choices):
        return [(0,) * len(levels.choices)]
    levels.measure(q)
    outside = levels.outside()

    def far(number: int) -> float:
        part = levels.parts[number]
        return float(part.weight @ outside[levels.measuring.rows(number)] ** 2)

    ranked = []
    for alternatives in levels.choices:
        distances = [sum(far(number) for number in numbers) for numbers in alternatives]
        ranked.append([int(i) for i in np.argsort(distances, kind="stable")])
    return list(itertools.islice(_by_rank(ranked), _MOST))


def _by_rank(ranked: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """All combinations, those of the best ranks first; where there are too many, those that differ in one goal."""
    sizes = [len(order) for order in ranked]
    if np.prod([float(size) for size in sizes]) <= 20 * _MOST:
        places = sorted(itertools.product(*(range(size) for size in sizes)), key=sum)
        return iter([tuple(order[p] for order, p in zip(ranked, combo, strict=True)) for combo in places])
    first = tuple(order[0] for order in ranked)
    others = (
        (*first[:g], order[p], *first[g + 1 :])
        for p in range(1, max(sizes))
        for g, order in enumerate(ranked)
        if p < len(order)
    )
    return itertools.chain([first], others)

"""What `explain` says of failures is so: the limits named are active, what one more degree would gain is what a solve
with that degree gains, and "out of reach" is said of nothing that can be reached."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import manikin as mk
from manikin.solvers.explain.explain import _reasons
from manikin.solvers.explain.limits import one_more
from manikin.solvers.solution import Limit

# A gain is that of a solve to this share, and to what rounding and the end of a search leave.
SHARE, LEAST = 0.1, 2e-6


def chain(rng: np.random.Generator) -> mk.Figure:
    """Three to seven hinges and slides with narrow ranges."""
    joints, count = [], int(rng.integers(3, 8))
    for k in range(count):
        slide = rng.random() < 0.15
        low, high = -rng.uniform(0.2, 1.2), rng.uniform(0.2, 1.2)
        joints.append(
            mk.Joint(
                f"j{k}",
                f"s{k}",
                f"s{k + 1}",
                "T(z)" if slide else str(rng.choice(["R(x)", "R(y)", "R(z)"])),
                [0.0, 0.0, 0.25],
                lower=0.1 * low if slide else low,
                upper=0.1 * high if slide else high,
            )
        )
    sites = [
        mk.Site("tip", f"s{count}", [0.05, 0.0, 0.2]),
        mk.Site("elbow", f"s{count // 2}", [0.0, 0.0, 0.1]),
    ]
    return mk.Figure("chain", [f"s{k}" for k in range(count + 1)], joints, sites)


def failure(rng: np.random.Generator) -> mk.Solution | None:
    """A solve that ends where nothing nearby is better, or None."""
    figure = chain(rng)
    there = figure.pose(rng.uniform(figure.lower, figure.upper))
    at = there.matrix("tip")
    point = at[:3, 3] * rng.uniform(0.6, 1.6) + 0.1 * rng.normal(size=3)
    goals: list[mk.Goal] = [
        mk.Placement("tip", point, at) if rng.random() < 0.4 else mk.Position("tip", point)
    ]
    if rng.random() < 0.4:
        goals.append(
            mk.OnPlane("elbow", there.position("elbow"), rng.normal(size=3), hard=bool(rng.random() < 0.7))
        )
    found = mk.solve(
        figure.pose(rng.uniform(figure.lower, figure.upper)), goals, restarts=int(rng.integers(0, 3))
    )
    return found if found.status == "stationary" else None


def widened(figure: mk.Figure, limit: Limit) -> mk.Figure:
    """The figure with one more degree, or centimetre, of a limit."""
    step = one_more(limit)[0]
    joint = figure.joints[figure.dof(limit.name).joint]
    axis = joint.axes[0]
    lower = axis.lower - (step if limit.side == "lower" else 0.0)
    upper = axis.upper + (step if limit.side == "upper" else 0.0)
    other = replace(joint, lower=lower, upper=upper, rest=figure.dof(limit.name).rest)
    return figure._rebuilt(joints=[other if j is joint else j for j in figure.joints.values()])


def check(found: mk.Solution) -> tuple[int, int]:
    """Limits and gains that were checked."""
    figure, words = found.figure, found.explain()
    limits = gains = 0
    for limit, gain in _reasons(found):
        assert limit.row is None
        limits += 1
        assert found.q[figure.index(limit.name)] == pytest.approx(limit.value, abs=1e-6)
        again = mk.solve(widened(figure, limit).pose(found.q), found.goals, restarts=0)
        for k, (before, after) in enumerate(zip(found.misses, again.misses, strict=True)):
            if gain[k] > 0.0 and found.goals[0] is before.goal:
                true = before.amount - after.amount
                assert gain[k] == pytest.approx(true, rel=SHARE, abs=LEAST), (words, limit, before)
                gains += 1
    if re.search("out of reach", words):
        assert not mk.solve(found.pose, found.goals, restarts=30).reached
        for seed in range(3):
            assert not mk.solve(figure, found.goals, restarts=30, seed=seed).reached
    return limits, gains


def run(count: int, seed: int) -> tuple[int, int, int]:
    """Failures, limits and gains checked."""
    rng = np.random.default_rng(seed)
    failures = limits = gains = 0
    while failures < count:
        found = failure(rng)
        if found is not None:
            failures += 1
            more = check(found)
            limits, gains = limits + more[0], gains + more[1]
    return failures, limits, gains


def test_what_is_explained_is_so():
    _, limits, gains = run(120, 0)
    assert limits > 80 and gains > 60


@pytest.mark.long
def test_ten_thousand_failures_are_explained_as_they_are():
    run(10_000, 1)

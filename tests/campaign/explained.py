"""What `explain` says of failures, checked: the limits it names are active, "one more degree would gain x" is what a
solve with that degree gains, and "out of reach" is said of nothing that can be reached.
"""

from __future__ import annotations

import re
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

import manikin as mk
from manikin.result import ActiveConstraint
from manikin.result.explain.explain import reasons_of
from manikin.result.explain.limits import one_more

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


def widened(figure: mk.Figure, limit: ActiveConstraint) -> mk.Figure:
    """The figure with one more degree, or centimetre, of a limit."""
    step = one_more(limit)[0]
    joint = figure.joints[figure.dof(limit.name).joint]
    axis = joint.axes[0]
    lower = axis.lower - (step if limit.side == "lower" else 0.0)
    upper = axis.upper + (step if limit.side == "upper" else 0.0)
    other = replace(joint, lower=lower, upper=upper, rest=figure.dof(limit.name).rest)
    return figure.replace(joints=[other if j is joint else j for j in figure.joints.values()])


def check(found: mk.Solution) -> tuple[int, int, list[str]]:
    """Limits and gains that were checked, and what is not so."""
    figure, words, wrong = found.figure, found.explain(), []
    limits = gains = 0
    for limit, gain in reasons_of(found):
        limits += 1
        if limit.row is not None or abs(found.q[figure.index(limit.name)] - limit.value) > 1e-6:
            wrong.append(f"{limit.name} is named and not active")
            continue
        again = mk.solve(widened(figure, limit).pose(found.q), found.goals, restarts=0)
        for k, (before, after) in enumerate(zip(found.measured, again.measured, strict=True)):
            if gain[k] > 0.0 and found.goals[0] is before.goal:
                true = before.amount - after.amount
                gains += 1
                # A search ends anywhere within the tolerance: what is left of a goal that is met is no part of a gain.
                left = after.amount if after.reached else 0.0
                if abs(gain[k] - true) > SHARE * abs(true) + LEAST + left:
                    wrong.append(
                        f"one more of {limit.name} is told to gain {gain[k]:.3e}, it gains {true:.3e}"
                    )
    if re.search("out of reach", words):
        for seed in range(4):
            begin = found.pose if seed == 0 else figure.pose()
            if mk.solve(begin, found.goals, restarts=30, seed=seed).reached:
                wrong.append("out of reach is said of what is reached from another start")
    return limits, gains, wrong


#: Failures of one seed.
FAILURES = 10


def run_explained(seed: int, count: int = FAILURES) -> dict[str, Any]:
    """So many failures, explained; as JSON can hold it."""
    rng, begin = np.random.default_rng([seed, 3]), process_time()
    told: dict[str, Any] = {"seed": seed, "explained": 0, "solves": 0, "counts": {"limits": 0, "gains": 0}}
    told["found"] = []
    while told["explained"] < count:
        found = failure(rng)
        if found is None:
            continue
        limits, gains, wrong = check(found)
        told["counts"]["limits"] += limits
        told["counts"]["gains"] += gains
        told["found"] += [f"failure {told['explained']}: {words}" for words in wrong]
        told["explained"] += 1
    return {**told, "cpu": process_time() - begin}

"""People asked for several things at once: feet, pelvis, hands, gaze, balance, clearance, hard and soft, in levels.

What is asked is random, so that about half of it cannot be met, which is what takes time. Every solve is counted in a
histogram of processor time by what is asked for; each is judged, and so is one with a time limit.
"""

from __future__ import annotations

from functools import cache
from time import process_time
from typing import Any

import numpy as np
from tests.campaign.judge import of_solution
from tests.campaign.poses import exp
from tests.campaign.timed import timed

import manikin as mk
from manikin.errors import ManikinError

BODIES: tuple[dict[str, Any], ...] = (
    {},
    {"sex": "female", "stature": 1.55, "fingers": False},
    {"age": 6},
    {"stature": 1.95, "mass": 120.0, "spine": "bend"},
    {"age": 75, "fingers": False},
)
PRESETS = ("sit", "kneel", "squat", "lift", "walk", "reach")
STYLES = ("stand", "stoop", "squat", "sit", "kneel")
TOLERANCE = (1e-4, 1e-3)
#: Upper ends of the histogram, milliseconds of the processor.
ENDS = (1.0, 3.0, 10.0, 30.0, 100.0, 200.0, 1000.0, np.inf)
#: Seconds of a time limit, and how much longer than twice that a solve may take.
LIMIT, GRACE = 0.05, 0.03
#: Two thousand pairs of shapes take a minute in plain NumPy: of those that ask for clearance one in so many is judged.
CLEARANCES = 50


@cache
def _body(which: int) -> mk.Figure:
    return mk.human(**BODIES[which])


def _feet(rest: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    kind = int(rng.integers(4))
    found: list[mk.Goal] = []
    for site in ("left_foot", "right_foot"):
        if kind in (1, 3):
            found.append(mk.Pin(site, hard=kind == 3))
        elif kind == 2:
            aside = rng.uniform(-0.15, 0.15, 3) * [1.0, 1.0, 0.0]
            found.append(
                mk.Placement(
                    site,
                    rest.position(site) + aside,
                    rest.matrix(site)[:3, :3],
                    hard=bool(rng.random() < 0.5),
                )
            )
    return found


def _pelvis(rest: mk.Pose, rng: np.random.Generator) -> mk.Goal:
    to = rest.position("pelvis") + rng.uniform(-1.0, 1.0, 3) * [0.3, 0.2, 0.25] - [0.0, 0.0, 0.1]
    if rng.random() < 0.6:
        return mk.Position("pelvis", to, hard=bool(rng.random() < 0.5))
    turn = rest.matrix("pelvis")[:3, :3] @ exp(0.4 * rng.normal(size=3))
    return mk.Placement("pelvis", to, turn, hard=bool(rng.random() < 0.4))


def _hand(site: str, height: float, rng: np.random.Generator) -> mk.Goal:
    to = np.array([rng.uniform(-0.2, 0.9), rng.uniform(-0.7, 0.7), rng.uniform(0.0, 1.2) * height])
    if rng.random() < 0.7:
        return mk.Position(site, to, hard=bool(rng.random() < 0.2))
    return mk.Placement(site, to, exp(rng.normal(size=3)))


def goals(rest: mk.Pose, rng: np.random.Generator) -> list[mk.Goal]:
    """What is asked of a person."""
    height = float(rest.position("head")[2])
    found = _feet(rest, rng)
    if rng.random() < 0.5:
        found.append(mk.Balance(margin=float(rng.choice([0.0, 0.02, 0.05])), hard=bool(rng.random() < 0.5)))
    if rng.random() < 0.4:
        found.append(_pelvis(rest, rng))
    found += [_hand(site, height, rng) for site in ("left_hand", "right_hand") if rng.random() < 0.6]
    if rng.random() < 0.3:
        to = rest.position("head") + rng.uniform(-0.3, 0.3, 3) - [0.0, 0.0, 0.2]
        found.append(mk.Position("head", to))
    if rng.random() < 0.3:
        found.append(mk.Aim("eyes", at=rng.uniform(-1.0, 2.0, 3)))
    if rng.random() < 0.15:
        found.append(mk.Outside("right_*", mk.Box(center=[0.45, 0.0, 0.75], size=[0.5, 1.2, 0.04])))
    if rng.random() < 0.1:
        found.append(mk.SelfClearance())
    if rng.random() < 0.15:
        found.append(mk.Natural(style=str(rng.choice(STYLES))))
    if rng.random() < 0.1:
        found.append(mk.Inside("left_hand", mk.Ball([0.4, 0.2, 1.0], 0.1)))
    return found or [_hand("right_hand", height, rng)]


def problem(seed: int) -> tuple[mk.Problem, np.ndarray, str]:
    """A person's problem, its start, and what kind it is."""
    rng = np.random.default_rng([39, seed])
    body = _body(int(rng.integers(len(BODIES))))
    asked = goals(body.pose(), rng)
    start = body.pose() if rng.random() < 0.7 else mk.preset(body, str(rng.choice(PRESETS)))
    natural = bool(rng.random() < 0.85)
    levels = len(asked) > 2 and rng.random() < 0.12
    half = len(asked) // 2
    listed: Any = [asked[:half], asked[half:]] if levels else asked
    kinds = {type(goal) for goal in asked}
    kind = "clearance" if mk.SelfClearance in kinds else "obstacle" if mk.Outside in kinds else ""
    hard = "hard" if any(getattr(goal, "hard", False) for goal in asked) else "soft"
    return mk.Problem(start, listed, natural=natural), start.q, kind or ("levels" if levels else hard)


def run_person(seed: int) -> dict[str, Any]:
    """One problem solved as by default, and with a time limit."""
    found: list[str] = []
    counts: dict[str, float] = {}
    try:
        made, start, kind = problem(seed)
        begin = process_time()
        first = made.solve()
        spent = 1e3 * (process_time() - begin)
        limited, late = timed(LIMIT, GRACE, lambda: made.solve(time_limit=LIMIT))
    except ManikinError as error:
        return {"seed": seed, "status": "refused", "refusal": f"{type(error).__name__}: {error}", "found": []}
    found += [late] if late is not None else []
    if kind != "clearance" or seed % CLEARANCES == 0:
        for what, one in (("as by default", first), ("limited", limited)):
            found += [f"{what}: {each}" for each in of_solution(one, start, TOLERANCE)]
    below = next(end for end in ENDS if spent < end)
    counts[f"{kind}, {first.status}, under {below:g} ms"] = 1
    if first.used_up:
        counts["used up"] = 1
    return {
        "seed": seed,
        "status": first.status,
        "solves": 2,
        "goals": [goal.kind() for goal in first.goals],
        "counts": counts,
        "milliseconds": spent,
        "slowest": 1e-3 * spent,
        "found": found,
    }

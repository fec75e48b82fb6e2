"""What is asked again and again (`history`): people, robots on a free base, arms; and random figures by seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from tests.campaign.calls import Draw
from tests.campaign.history import Call, Subject
from tests.campaign.series import EVEN, Series

import manikin as mk

#: Calls that are compared, and samples of a path or a batch.
COUNT, SAMPLES = 4, 6
FEET = ("left_foot", "right_foot")
Goals = Sequence[mk.Goal] | Sequence[Sequence[mk.Goal]]


@cache
def person() -> mk.Figure:
    """A human without fingers."""
    return mk.human(stature=1.75, fingers=False)


@cache
def arm(base: str = "fixed", joints: int = 7) -> mk.Figure:
    """A chain of hinges, each 0.2 m from the one before, with a site at its end and one in its middle."""
    axes = "zyxyzyx"
    links = [
        mk.Joint(f"j{k}", f"s{k}", f"s{k + 1}", f"R({axes[k]})", [0.0, 0.0, 0.2], lower=-2.0, upper=2.0)
        for k in range(joints)
    ]
    segments = [mk.Segment(f"s{k}", mass=1.0) for k in range(joints + 1)]
    sites = [mk.Site("tip", f"s{joints}", [0.0, 0.0, 0.1]), mk.Site("middle", f"s{joints // 2}")]
    return mk.Figure("arm", segments, links, sites, base=base)


@cache
def six_hinges() -> mk.Figure:
    """An arm whose last three axes meet in a point: it has a closed form."""
    axes, lengths = "zyyzyz", (0.3, 0.0, 0.4, 0.4, 0.0, 0.0)
    links = [
        mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", f"R({axes[k]})", [0.0, 0.0, lengths[k]], lower=-3.0, upper=3.0
        )
        for k in range(6)
    ]
    return mk.Figure("six", [f"s{k}" for k in range(7)], links, [mk.Site("tip", "s6", [0.0, 0.0, 0.1])])


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def _and_without(calls: list[Call]) -> list[Call]:
    """One more call that brings no targets: the goals' own count."""
    return [*calls, Call(calls[-1].start, None, calls[-1].options)]


def _near_rest(body: mk.Figure, rng: np.random.Generator, spread: float) -> np.ndarray:
    return np.clip(body.rest + spread * rng.normal(size=body.n), body.lower, body.upper)


def _person(
    name: str, goals: Callable[[mk.Pose], Goals], reach: Sequence[int] = (0,), **options: Any
) -> Subject:
    """Hands that reach to the front, from rest and from near it; ``reach`` says which goals have targets."""
    body, rng = person(), _rng(name)
    asked = goals(body.pose())
    count = sum(len(each) if isinstance(each, list) else 1 for each in asked)

    def drawn() -> list[np.ndarray | None]:
        point = rng.uniform([0.25, -0.4, 0.9], [0.5, -0.1, 1.4])
        return [point * [1.0, 1.0 - 2.0 * (k % 2), 1.0] if k in reach else None for k in range(count)]

    def calls() -> list[Call]:
        starts = [_near_rest(body, rng, spread) for spread in (0.0, 0.02, 0.1, 0.02)]
        return _and_without([Call(start, drawn()) for start in starts])

    return Subject(name, lambda: mk.Problem(body, asked, **options), calls(), calls())


def _chain(
    name: str,
    body: mk.Figure,
    goals: Callable[[mk.Pose], Goals],
    *,
    far: float = 1.0,
    way: str = "solve",
    solve: dict[str, Any] | None = None,
    **options: Any,
) -> Subject:
    """The first goal has a target, where some pose has its site, ``far`` times as far from the origin."""
    rng = _rng(name)
    asked = goals(body.pose(_near_rest(body, rng, 0.3)))
    flat = [goal for each in asked for goal in (each if isinstance(each, list) else [each])]
    places = isinstance(flat[0], mk.Placement)

    def target() -> np.ndarray:
        frame = body.pose(_near_rest(body, rng, 0.7)).matrix(flat[0].site)
        frame[:3, 3] *= far
        return frame if places else frame[:3, 3]

    def call(spread: float) -> Call:
        start = _near_rest(body, rng, spread)
        if way == "solve":
            return Call(start, [target(), *[None] * (len(flat) - 1)], solve or {})
        rows = np.array([target() for _ in range(SAMPLES)])
        if way == "path":
            rows = rows[0] + (rows - rows[0]) * 0.1 if not places else np.repeat(rows[:1], SAMPLES, axis=0)
        starts = start if way == "path" else np.array([_near_rest(body, rng, spread) for _ in rows])
        return Call(starts, [rows, *[None] * (len(flat) - 1)], solve or {})

    def calls() -> list[Call]:
        made = [call(spread) for spread in (0.0, 0.1, 0.5, 1.0)]
        return _and_without(made) if way == "solve" else made

    def make() -> Any:
        return (body, asked) if way == "many" else mk.Problem(body, asked, **options)

    return Subject(name, make, calls(), calls(), way)


def _hand(pose: mk.Pose, side: str = "right") -> mk.Position:
    return mk.Position(f"{side}_hand", pose.position(f"{side}_hand"))


def _pins(pose: mk.Pose) -> list[mk.Goal]:
    return [mk.Pin(foot) for foot in FEET]


def _soft(pose: mk.Pose) -> list[mk.Goal]:
    return [mk.Placement(foot, pose.position(foot), pose.matrix(foot)) for foot in FEET]


def _tip(pose: mk.Pose, **options: Any) -> mk.Position:
    return mk.Position("tip", pose.position("tip"), **options)


def _placed(pose: mk.Pose, **options: Any) -> mk.Placement:
    return mk.Placement("tip", pose.position("tip"), pose.matrix("tip"), **options)


def _people() -> dict[str, Callable[[], Subject]]:
    goals: dict[str, tuple[Callable[[mk.Pose], Goals], tuple[int, ...]]] = {
        "hand": (lambda pose: [_hand(pose)], (0,)),
        "soft feet": (lambda pose: [_hand(pose), *_soft(pose)], (0,)),
        "pins": (lambda pose: [_hand(pose), *_pins(pose)], (0,)),
        "both hands, pins, balance": (
            lambda pose: [_hand(pose), _hand(pose, "left"), *_pins(pose), mk.Balance(margin=0.02, hard=True)],
            (0, 1),
        ),
        "levels": (
            lambda pose: [[_hand(pose), *_pins(pose)], [mk.Aim("eyes", at=[2.0, 0.0, 1.5])]],
            (0,),
        ),
    }
    return {
        f"human, {name}{'' if natural else ', no posture'}": (
            lambda name=name, natural=natural: _person(
                f"human, {name}", goals[name][0], goals[name][1], natural=natural
            )
        )
        for name in goals
        for natural in (True, False)
    }


def _chains() -> dict[str, Callable[[], Subject]]:
    free, rows = arm("free"), ["j1 + j3 <= 1", "-1 <= j2 - j4 <= 1"]
    made: dict[str, tuple[mk.Figure, Callable[[mk.Pose], Goals], dict[str, Any]]] = {
        "arm, position": (arm(), lambda pose: [_tip(pose)], {}),
        "arm, placement": (arm(), lambda pose: [_placed(pose)], {}),
        "arm, out of reach": (arm(), lambda pose: [_tip(pose)], {"far": 3.0}),
        "arm, hard": (arm(), lambda pose: [_tip(pose, hard=True), mk.Posture()], {}),
        "arm, pin": (arm(), lambda pose: [_tip(pose), mk.Pin("middle", hard=False)], {}),
        "arm, relative": (arm(), lambda pose: [_tip(pose), mk.Relative("middle", "s1")], {}),
        "arm, rows": (arm(), lambda pose: [_tip(pose)], {"constraints": rows}),
        "arm, tied": (arm(), lambda pose: [_tip(pose)], {"constraints": ["j1 = j3"]}),
        "arm, region": (
            arm(),
            lambda pose: [_tip(pose), mk.Outside("middle", mk.Ball([0.3, 0.0, 0.5], 0.2), hard=True)],
            {},
        ),
        "arm, least change": (arm(), lambda pose: [_tip(pose), mk.LeastChange()], {}),
        "arm, levels": (arm(), lambda pose: [[_tip(pose)], [mk.Position("middle", [0.3, 0.0, 0.6])]], {}),
        "arm, any of": (
            arm(),
            lambda pose: [
                _tip(pose),
                mk.AnyOf([mk.Pin("middle"), mk.Position("middle", [0.2, 0.1, 0.6])]),
            ],
            {},
        ),
        "arm, lm": (arm(), lambda pose: [_placed(pose)], {"solve": {"method": "lm"}}),
        "arm, projection": (arm(), lambda pose: [_tip(pose)], {"solve": {"method": "projection"}}),
        "arm, no restarts": (arm(), lambda pose: [_tip(pose)], {"solve": {"restarts": 0}}),
        "six hinges": (six_hinges(), lambda pose: [_placed(pose)], {}),
        "free base, position": (free, lambda pose: [_tip(pose)], {}),
        "free base, placement": (free, lambda pose: [_placed(pose)], {}),
        "free base, pin": (free, lambda pose: [_tip(pose), mk.Pin("s0")], {}),
        "free base, soft pin": (free, lambda pose: [_tip(pose), mk.Pin("s0", hard=False)], {}),
        "free base, rows": (free, lambda pose: [_tip(pose)], {"constraints": rows}),
        "path, arm": (arm(), lambda pose: [_tip(pose)], {"way": "path"}),
        "path, pin": (arm(), lambda pose: [_tip(pose), mk.Pin("middle", hard=False)], {"way": "path"}),
        "path, free base": (free, lambda pose: [_tip(pose)], {"way": "path"}),
        "path, free base, pin": (free, lambda pose: [_tip(pose), mk.Pin("s0")], {"way": "path"}),
        "path, least change": (arm(), lambda pose: [_tip(pose), mk.LeastChange()], {"way": "path"}),
        "many, arm": (arm(), lambda pose: [_tip(pose)], {"way": "many"}),
        "many, free base": (free, lambda pose: [_tip(pose)], {"way": "many"}),
        "many, pin": (free, lambda pose: [_tip(pose), mk.Pin("s0")], {"way": "many"}),
        "many, hand": (person(), lambda pose: [_hand(pose)], {"way": "many"}),
    }
    return {
        name: (lambda name=name, given=given: _chain(name, given[0], given[1], **given[2]))
        for name, given in made.items()
    }


CASES: dict[str, Callable[[], Subject]] = {**_people(), **_chains()}


def random_subject(seed: int) -> Subject:
    """A random figure and random goals; most of them are met at a pose that exists."""
    series = Series(EVEN + seed)
    goals = list(series.problem().goals)
    draw = Draw(series.body, goals, seed, near=series.near, about=series.there.q if series.met else None)
    calls: list[list[Call]] = []
    for chunk in (0, 1):
        rng = draw.rng(60, chunk)
        starts, targets = draw.starts(rng, COUNT), draw.targets(rng, COUNT)
        calls.append(
            [Call(start, draw.listed(targets, i), {"restarts": 1}) for i, start in enumerate(starts)]
        )
    return Subject(series.kind, series.problem, calls[0], calls[1])

"""Sentences about the goals that take more than one number: pins, regions, clearances, balance, relations, choices."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from manikin.figure.clearance import IGNORED
from manikin.goals import (
    AnyOf,
    Balance,
    CenterOfMass,
    Goal,
    Inside,
    Outside,
    Pin,
    Range,
    Relative,
    SelfClearance,
)
from manikin.goals.region import Primitive
from manikin.residuals import Block

if TYPE_CHECKING:
    from manikin.result.solution import Miss, Solution

# Metres: nearer than this counts as touching.
_EDGE = 1e-4
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def length(metres: float) -> str:
    """A length as people say it: 1.25 m, 12.4 cm, 3.1 mm, 40 µm."""
    size = abs(metres)
    if size >= 1.0:
        return f"{metres:.2f} m"
    if size >= 0.01:
        return f"{metres * 100:.1f} cm"
    if size >= 0.0001:
        return f"{metres * 1000:.1f} mm"
    return f"{metres * 1e6:.2g} µm"


def angle(radians: float) -> str:
    """An angle as people say it, in degrees."""
    degrees = math.degrees(radians)
    return f"{degrees:.1f}°" if abs(degrees) >= 0.1 else f"{degrees:.2g}°"


def amount(value: float, unit: str) -> str:
    """A miss in its unit."""
    if unit == "m":
        return length(value)
    return angle(value) if unit == "rad" else f"{value:.3g}"


def near(value: float, unit: str) -> str:
    """A miss too small to matter, without digits that say nothing."""
    if unit == "m" and 0.0 < value < 1e-6:
        return "under 1 µm"
    if unit == "rad" and 0.0 < value < math.radians(0.001):
        return "under 0.001°"
    return amount(value, unit)


def ordinal(place: int) -> str:
    """The word for a place from 0: first, second, …, 11th."""
    if place < len(_ORDINALS):
        return _ORDINALS[place]
    number = place + 1
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


@dataclass(frozen=True, eq=False)
class Told:
    """A goal with its misses, and the parts and measured values they come from."""

    solution: Solution
    goal: Goal
    misses: Sequence[Miss]
    parts: Sequence[Block]
    values: Sequence[np.ndarray]

    @property
    def off(self) -> str:
        """The largest miss of each unit: ``"2.0 cm and 3.0°"``."""
        worst: dict[str, float] = {}
        for miss in self.misses:
            worst[miss.unit] = max(worst.get(miss.unit, 0.0), miss.amount)
        say = near if self.met else amount
        return " and ".join(say(value, unit) for unit, value in worst.items())

    @property
    def met(self) -> bool:
        """Whether all of it is met."""
        return all(miss.reached for miss in self.misses)

    def least(self) -> tuple[Block, float] | None:
        """The part with the smallest value, and that value."""
        found = [(float(values.min()), k) for k, values in enumerate(self.values) if len(values)]
        if not found:
            return None
        value, k = min(found)
        return self.parts[k], value


def told(solution: Solution) -> dict[int, Told]:
    """Every goal that has a sentence of its own here, by the place of the goal."""
    levels = solution._levels
    if levels is None or not any(isinstance(goal, tuple(_SAY)) for goal in solution._goals):
        return {}
    levels = levels.copy()
    levels.choose(solution._outcome.choice)
    levels.measure(solution.q)
    found = {}
    for place, goal in enumerate(solution._goals):
        if not isinstance(goal, tuple(_SAY)):
            continue
        numbers = levels.choices[place][solution._outcome.choice[place]]
        values = [levels.M.value[levels.measuring.rows(number)].copy() for number in numbers]
        misses = [miss for miss in solution.misses if miss.goal is goal]
        found[place] = Told(solution, goal, misses, [levels.parts[number] for number in numbers], values)
    return found


def say(one: Told) -> str:
    """The sentence about a goal, without its full stop."""
    return next(words(one) for kind, words in _SAY.items() if isinstance(one.goal, kind))


def _pin(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, Pin)
    held = goal.coordinates()
    where = ""
    if len(held) < 6:
        places = [name for name in held if not name.startswith("turn")]
        turns = [name.removeprefix("turn_") for name in held if name.startswith("turn")]
        said = []
        if places:
            said.append("in position" if len(places) == 3 else f"along {_listed(places)}")
        if turns:
            said.append("in orientation" if len(turns) == 3 else f"in its turn about {_listed(turns)}")
        where = f" {_listed(said)}"
    if one.met:
        return f"{goal.subject()} stays where it is{where} ({one.off} off)"
    return f"{goal.subject()} has moved{where} by {one.off}"


def _inside(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, Inside)
    choices = goal.region.clauses()
    clause = choices[one.solution.choices.get(goal, 0)]
    where = _region(clause, "its")
    if len(choices) > 1:
        where = f"the {ordinal(one.solution.choices.get(goal, 0))} of the {len(choices)} pieces of its region"
    subject = _all_of(one)
    if any(piece.curve for piece in clause):
        return (
            f"{subject} is on {where} ({one.off} off)" if one.met else f"{subject} is {one.off} off {where}"
        )
    if not one.met:
        far, part = max(((miss.amount, k) for k, miss in enumerate(one.misses)), default=(0.0, 0))
        sticks = "sticks out of" if one.parts[part].segment or one.parts[part].kind == "egg" else ""
        if sticks:
            return f"{one.parts[part].site} {sticks} {where} by {length(far)}"
        return f"{subject} is {length(far)} outside {where}"
    return f"{subject} is inside {where}"


def _all_of(one: Told) -> str:
    """The subject of a goal about one site or segment, or about all that match a pattern."""
    if len({part.site for part in one.parts}) <= 1:
        return one.goal.subject()
    return "the figure" if one.goal.site == "*" else f"all of {one.goal.site}"


def _outside(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, Outside)
    least = one.least()
    if least is None:
        return f"{goal.subject()} has nothing to keep clear"
    part, distance = least
    where = _region([piece for clause in goal.region.clauses() for piece in clause], "the")
    if not one.met:
        if distance < 0.0:
            return f"{part.site} is {length(-distance)} inside {where}"
        return f"{part.site} comes within {length(distance)} of {where}, {length(goal.margin - distance)} too near"
    several = len({part.site for part in one.parts}) > 1
    subject = _all_of(one)
    nearest = f", {part.site} nearest" if several else ""
    if distance < _EDGE:
        return f"{subject} keeps clear of {where} and touches it{nearest}"
    return f"{subject} keeps {length(distance)} clear of {where}{nearest}"


def _self_clearance(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, SelfClearance)
    if not one.parts:
        return "the figure has no segments to keep apart" + _left_out(one)
    # A pair that is nearer than the margin at rest has a smaller range: it counts by what it is short of that.
    room = [
        (float(v[0] - part.lower[0]), part, float(v[0]))
        for part, v in zip(one.parts, one.values, strict=True)
    ]
    if not one.met:
        _, part, distance = min(room, key=lambda entry: entry[0])
        least = float(part.lower[0])
        if distance < 0.0:
            more = f", {length(least - distance)} deeper than at rest" if least < 0.0 else ""
            return f"{part.site} and {part.other} overlap by {length(-distance)}{more}"
        return (
            f"{part.site} and {part.other} are {length(distance)} apart, {length(least - distance)} too near"
        )
    clear = [entry for entry in room if entry[1].lower[0] >= goal.margin]
    said = "no pair of segments gets nearer than at rest"
    if clear:
        _, part, distance = min(clear, key=lambda entry: entry[2])
        said = f"the figure keeps clear of itself: {part.site} and {part.other} are nearest, {length(distance)} apart"
    inside = [entry for entry in room if entry[1].lower[0] < goal.margin]
    if inside:
        part = min((entry[1] for entry in inside), key=lambda part: float(part.lower[0]))
        least = float(part.lower[0])
        how = f"overlap by {length(-least)}" if least < 0.0 else f"are {length(least)} apart"
        others = f" and {len(inside) - 1} more pairs" if len(inside) > 1 else ""
        said += f"; {part.site} and {part.other}, which {how} at rest,{others} get no nearer than there"
    return said + _left_out(one)


def _left_out(one: Told) -> str:
    """How many pairs a clearance leaves out, and why."""
    goal = one.goal.settle(one.solution.anchor)
    assert isinstance(goal, SelfClearance)
    reasons = Counter(pair.left_out for pair in goal.listed() if not pair.kept)
    if not reasons:
        return ""
    listed = ", ".join(
        f"{count} because {why}" if why != IGNORED else f"{count} by ignore" for why, count in reasons.items()
    )
    return f"; pairs left out: {listed}"


def _balance(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, Balance)
    least = one.least()
    inside = 0.0 if least is None else least[1]
    center = "its centre of mass"
    if inside < -_EDGE:
        return f"the figure is out of balance, {center} {length(-inside)} outside its support"
    where = f"{length(inside)} inside its support" if inside > _EDGE else "at the edge of its support"
    if one.met:
        return f"the figure is in balance, {center} {where}"
    less = f"{length(goal.margin - inside)} less than asked"
    return f"the figure is not safely in balance, {center} {where}, {less}"


def _center(one: Told) -> str:
    if one.met:
        return f"the centre of mass reaches its target ({one.off} off)"
    return f"the centre of mass misses its target by {one.off}"


def _range(one: Told) -> str:
    if one.met:
        return f"{one.goal.subject()} is within its ranges"
    return f"{one.goal.subject()} is outside its ranges by {one.off}"


def _relative(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, Relative)
    if isinstance(goal.goal, Inside):
        where = f"its region as {goal.other} sees it"
        return (
            f"{goal.subject()} is inside {where}"
            if one.met
            else f"{goal.subject()} is {one.off} outside {where}"
        )
    if one.met:
        return f"{goal.subject()} is where it should be from {goal.other} ({one.off} off)"
    return f"{goal.subject()} is {one.off} off where it should be from {goal.other}"


def _any_of(one: Told) -> str:
    goal = one.goal
    assert isinstance(goal, AnyOf)
    choices = goal.choices()
    place = one.solution.choices[goal]
    taken = _listed(list(dict.fromkeys(inner.subject() for inner in choices[place])))
    which = f"the {ordinal(place)} of {len(choices)} alternatives"
    if one.met:
        return f"{taken} took {which} ({one.off} off)"
    return f"{taken} took {which} and misses it by {one.off}"


def _region(clause: Sequence[Primitive], article: str) -> str:
    """A region of one piece by its name, "the capsule"; others as "its region"."""
    if len(clause) != 1:
        return f"{article} region"
    name = type(clause[0]).__name__
    return f"{article} {'half-space' if name == 'HalfSpace' else name.lower()}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_SAY: dict[type[Goal], Callable[[Told], str]] = {
    Pin: _pin,
    Inside: _inside,
    Outside: _outside,
    SelfClearance: _self_clearance,
    Balance: _balance,
    CenterOfMass: _center,
    Range: _range,
    Relative: _relative,
    AnyOf: _any_of,
}

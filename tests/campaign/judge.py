"""Whether answers keep what is promised, many at once: figures and goals by their definitions, nothing of the solver's.

`Answers` are what some calls for one problem gave; `findings` says which of them break what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.campaign.misses import Miss, Misses
from tests.campaign.poses import Poses, angle_of, between, exp, norm, relative

import manikin as mk
from manikin.figure.swing import Ellipse, Polygon

#: Promised of ranges; of linear constraints along their unit normal; of (σ/r)² of a cone; of what is hard.
RANGE, LINEAR, CONE, HARD = 1e-9, 1e-9, 1e-9, 1e-8
#: How much of a promised tolerance rounding may add, and how much of the largest coordinate.
SHARE, ROUNDING = 1e-6, 3e-15


@dataclass
class Answers:
    """Poses (N, n) with what was asked for and what was said of each.

    meant: where "where it is" was, (N, n). targets: by goal, (N, …), where they came with the call. reached,
    feasible: what was said. errors: each goal's miss as it was told, NaN where it was not.
    """

    body: mk.Figure
    goals: Sequence[mk.Goal]
    q: np.ndarray
    meant: np.ndarray
    reached: np.ndarray
    tolerance: tuple[float, float]
    feasible: np.ndarray
    targets: Mapping[int, np.ndarray] = field(default_factory=dict)
    errors: np.ndarray | None = None
    couplings: Sequence[mk.Coupling] = ()


Findings = list[tuple[int, str]]


def findings(answers: Answers) -> Findings:
    """Every promise that some answer breaks: which answer, and in words what."""
    body, q = answers.body, answers.q
    found: Findings = []
    whole = np.isfinite(q).all(axis=1)
    _note(found, ~whole, lambda k: "a number is not finite")
    if not whole.all():
        q = np.where(whole[:, None], q, 0.0)
    off = np.maximum(body.lower - q, q - body.upper)
    _note(found, (off > RANGE).any(axis=1), lambda k: f"a range is left by {off[k].max():.1e}")
    poses = Poses(body, q)
    own = _figure(poses, answers.couplings)
    asked, unsure = _asked(answers, poses)
    rounding = ROUNDING * poses.size()
    easily = np.ones(len(q), bool)
    for what, miss, allowed, scaled in own:
        broken = ~(miss <= allowed + (rounding if scaled else 0.0))
        easily &= miss <= 0.5 * allowed
        _note(found, broken & answers.feasible, lambda k, what=what, miss=miss: f"{what} by {miss[k]:.1e}")
    met, held, amply = np.ones((3, len(q)), bool)
    for options in asked:
        one_met, one_held, by_far = _verdict(options, answers.tolerance, rounding)
        met &= one_met
        held &= one_held
        amply &= by_far

    def worst(k: int) -> str:
        misses = [
            f"{goal.kind()}{'!' if miss.hard else ''} {miss.amount[k]:.2e} {miss.unit}"
            for goal, options in zip(answers.goals, asked, strict=True)
            for option in options[:1]
            for miss in option
        ]
        return ", ".join(misses)

    _note(
        found,
        answers.feasible & ~held,
        lambda k: f"feasible is said of a hard goal that is missed: {worst(k)}",
    )
    _note(found, answers.reached & ~met, lambda k: f"reached is said of a goal that is missed: {worst(k)}")
    _note(found, answers.reached & ~answers.feasible, lambda k: "reached, and not feasible")
    if not unsure:
        _note(
            found,
            easily & amply & ~answers.feasible,
            lambda k: f"all that must hold does, denied: {worst(k)}",
        )
    if answers.errors is not None:
        _errors(found, answers, asked, rounding)
    return found


def _note(found: Findings, broken: np.ndarray, words) -> None:
    found += [(int(k), words(int(k))) for k in np.flatnonzero(broken)]


def _asked(answers: Answers, poses: Poses) -> tuple[list[list[list[Miss]]], bool]:
    """Of each goal all ways to meet it, and whether some shape was not known."""
    begun = np.clip(answers.meant, answers.body.lower, answers.body.upper)
    misses = Misses(poses, Poses(answers.body, begun))
    found = [misses.options(goal, answers.targets.get(k)) for k, goal in enumerate(answers.goals)]
    return found, misses.unsure


def _verdict(
    options: list[list[Miss]], tolerance: tuple[float, float], rounding: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether some way to meet a goal is met, whether of some the hard part is, and whether that is by far."""
    met, held, amply = np.zeros((3, len(rounding)), bool)
    for option in options:
        all_met, all_held, by_far = np.ones((3, len(rounding)), bool)
        for miss in option:
            allowed = HARD if miss.hard else tolerance[0 if miss.unit == "m" else 1]
            allowed = allowed if miss.allowed is None else miss.allowed
            fits = miss.amount <= allowed * (1.0 + SHARE) + rounding + miss.unsure
            all_met &= fits
            if miss.hard:
                all_held &= fits
                by_far &= miss.amount <= 0.5 * allowed
        met |= all_met
        held |= all_held
        amply |= by_far
    return met, held, amply


def _errors(found: Findings, answers: Answers, asked, rounding: np.ndarray) -> None:
    """The misses that were told, against these: of goals that are about one thing, the largest in their first unit."""
    assert answers.errors is not None
    for k, (goal, options) in enumerate(zip(answers.goals, asked, strict=True)):
        if not isinstance(goal, _TOLD) or not options[0]:  # one that weighs nothing asks for nothing
            continue
        mine, told = options[0][0].amount, answers.errors[:, k]
        # An angle's digits are those of its chord's square: half of them near 0, none near a half turn.
        slack = 1e-6 * mine + 1e-7 + 100.0 * rounding + options[0][0].unsure
        off = np.isfinite(told) & (np.abs(told - mine) > slack)
        if isinstance(goal, mk.Aim):
            off &= mine != 0.5 * np.pi
        _note(
            found,
            off,
            lambda i, goal=goal, told=told, mine=mine: (
                f"{goal.kind()} is told to miss by {told[i]:.6e}, it is {mine[i]:.6e}"
            ),
        )


_TOLD = (mk.Position, mk.Orientation, mk.Placement, mk.Aim, mk.OnLine, mk.OnPlane, mk.CenterOfMass)


def _figure(poses: Poses, couplings: Sequence[mk.Coupling]) -> list[tuple[str, np.ndarray, float, bool]]:
    """What of the figure's own constraints is left, by how much (N,), what is allowed, and whether rounding adds."""
    body, q = poses.body, poses.q
    found: list[tuple[str, np.ndarray, float, bool]] = []
    for coupling in (*body.couplings, *couplings):
        value = sum(c * q[:, body.index(name)] for name, c in coupling.coefficients.items())
        size = max(1.0, float(np.linalg.norm(list(coupling.coefficients.values()))))
        miss = np.maximum(np.maximum(coupling.lower - value, value - coupling.upper), 0.0) / size
        found.append(("a coupling is left", miss, LINEAR, True))
    for joint in body.joints.values():
        for axis in joint.axes:
            follow = body.followers.get(axis.name)
            if follow is not None and follow.curve is None and follow.coefficients:
                value = poses.axis(axis.name)
                size = max(1.0, float(np.linalg.norm(list(follow.coefficients.values()))))
                miss = np.maximum(np.maximum(axis.lower - value, value - axis.upper), 0.0) / size
                found.append((f"the range of the follower {axis.name} is left", miss, LINEAR, True))
        if joint.swing is not None:
            swing = np.stack([poses.axis(axis.name) for axis in joint.axes[:2]], axis=-1)
            found.append(_swing(joint.name, joint.swing, swing))
    for loop in body.loops:
        turn, place = relative(poses.site(loop.other), poses.site(loop.site))
        if loop.kind != "orientation":
            found.append((f"a {loop.kind} loop is open", norm(place), HARD * (1.0 + SHARE), True))
        if loop.kind == "hinge":
            lean = between(turn[:, :, 2], np.broadcast_to([0.0, 0.0, 1.0], (poses.count, 3)))
            found.append(("a hinge loop leans", lean, HARD * (1.0 + SHARE) + 1e-15, False))
        elif loop.kind != "position":
            found.append((f"a {loop.kind} loop turns", angle_of(turn), HARD * (1.0 + SHARE) + 1e-15, False))
    return found


def _swing(name: str, limit: Ellipse | Polygon, swing: np.ndarray) -> tuple[str, np.ndarray, float, bool]:
    """By how much a swing is outside its cone, ellipse or polygon."""
    if isinstance(limit, Polygon):
        along = np.roll(limit.points, -1, axis=0) - limit.points
        normal = np.column_stack([along[:, 1], -along[:, 0]])
        normal = normal / norm(normal)[:, None]
        off = (swing[:, None] - limit.points) * normal
        return f"the polygon of {name} is left", np.maximum(off.sum(axis=2).max(axis=1), 0.0), LINEAR, True
    seen = swing
    if np.any(limit.center):
        flat = np.zeros((len(swing), 1))
        ahead = exp(np.concatenate([swing, flat], axis=1))[:, :, 2]
        d = ahead @ exp(np.array([*limit.center, 0.0]))  # as the centre's direction sees it
        side = np.hypot(d[:, 0], d[:, 1])
        angle = np.arctan2(side, d[:, 2])
        ratio = np.where(side > 0.0, angle / np.where(side > 0.0, side, 1.0), 1.0)
        seen = np.stack([-d[:, 1] * ratio, d[:, 0] * ratio], axis=-1)
        seen = np.where(((side == 0.0) & (d[:, 2] < 0.0))[:, None], [np.pi, 0.0], seen)
    value = ((seen / limit.radii) ** 2).sum(axis=1) - 1.0
    return f"the cone of {name} is left", np.maximum(value, 0.0), CONE, False


#: The statuses of poses that do not keep what must hold, and what has to be given for each but the first.
NOT_FEASIBLE = {"infeasible": "", "time_limit": "time_limit", "velocity_limit": "dt"}


def first_errors(goals: Sequence[mk.Goal], found: Any) -> np.ndarray:
    """Of each goal the error in its own unit, NaN if it has none there: of one answer or of many."""
    turns = np.array([goal.unit == "rad" for goal in goals], bool)
    return np.where(turns, found.orientation_errors, found.position_errors)


def said_of(solution: mk.Solution) -> list[str]:
    """What a solution says of itself that does not fit together, in words."""
    status, found = solution.status, []
    if solution.reached != (status == "reached"):
        found.append(f"reached is {solution.reached}, and the status {status}")
    if (not solution.feasible and status not in NOT_FEASIBLE) or (
        solution.feasible and status == "infeasible"
    ):
        found.append(f"feasible is {solution.feasible}, and the status {status}")
    if solution.feasible != (not solution.violations):
        found.append(f"feasible is {solution.feasible}, and the violations are {solution.violations}")
    if NOT_FEASIBLE.get(status) and getattr(solution, NOT_FEASIBLE[status]) is None:
        found.append(f"{status}, without a {NOT_FEASIBLE[status]}")
    return found


def of_solution(solution: mk.Solution, start: np.ndarray, tolerance: tuple[float, float]) -> list[str]:
    """The promises that one solution breaks, in words."""
    told = first_errors(solution.goals, solution)
    if not np.isfinite(solution.cost) or not all(np.isfinite(each.amount) for each in solution.measured):
        return ["a number is not finite"]
    answers = Answers(
        solution.figure,
        solution.goals,
        np.array(solution.q)[None],
        np.asarray(start)[None],
        np.array([solution.reached]),
        tolerance,
        np.array([solution.feasible]),
        errors=told[None],
    )
    return [*(words for _, words in findings(answers)), *said_of(solution)]

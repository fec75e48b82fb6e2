"""What of a motion does not hold: what, where, when and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from manikin.figure.figure import Figure
from manikin.kernels.verify.check import RANGE, SHARE
from manikin.motion.limits import Limits
from manikin.verify.judge import Judge
from manikin.verify.rows import RowJudge, keeps
from manikin.verify.verdict import Violation

#: What rounding may add to a limit, as a part of it: that of differences of samples.
ROUNDING = 1e-9


def worst_of(found: Iterable[Violation]) -> tuple[Violation, ...]:
    """Of each kind and name the worst, the worst of each kind first."""
    worst: dict[tuple[str, str], Violation] = {}
    for one in found:
        other = worst.get((one.kind, one.name))
        if other is None or one.amount > other.amount:
            worst[one.kind, one.name] = one
    return tuple(sorted(worst.values(), key=lambda one: (one.kind, -one.amount)))


def judged(figure: Figure, times: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, list[Violation]]:
    """Of values q (T, n) whether ranges, couplings, cones and loops hold, (T,), and what of these does not."""
    judge = Judge(figure, figure.pose(), (), figure.couplings, (1.0, 1.0))
    misses = np.zeros((len(q), len(judge.atoms)))
    kept = keeps(RowJudge(judge).bits(q, misses=misses))
    return kept, told(judge, times, q, kept, misses)


def told(
    judge: Judge, times: np.ndarray, q: np.ndarray, kept: np.ndarray, misses: np.ndarray
) -> list[Violation]:
    """In words, what a judge found of values q (T, n): whether all holds, (T,), and what is missed, (T, atoms)."""
    if kept.all():
        return []
    figure, rows = judge.figure, np.flatnonzero(~kept)
    q, misses, at = q[rows], misses[rows], times[rows]
    found = [
        _worst("range", figure.dofs[j], figure.dof(figure.dofs[j]).unit, off, RANGE, at)
        for j, off in enumerate(np.maximum(figure.lower - q, q - figure.upper).T)
    ]
    for atom, miss in zip(judge.atoms, misses.T, strict=True):
        if atom.goal < 0:
            found.append(_worst(atom.what, atom.name, atom.unit, miss, atom.allowed * (1.0 + SHARE), at))
    for goal in {atom.goal for atom in judge.atoms if atom.goal >= 0 and atom.hard}:
        found.append(_hard(judge, goal, misses, at))
    return [one for one in found if one is not None]


def _hard(judge: Judge, goal: int, misses: np.ndarray, times: np.ndarray) -> Violation | None:
    """What a hard goal is missed by; of alternatives the one that is nearest to being met."""
    amounts = np.zeros((judge.alternatives[goal], len(misses)))
    unit = "m"
    for atom, miss in zip(judge.atoms, misses.T, strict=True):
        if atom.goal == goal and atom.hard:
            over = np.where(miss > atom.allowed * (1.0 + SHARE), miss, 0.0)
            if over.max() > amounts[atom.alternative].max():
                unit = atom.unit
            amounts[atom.alternative] = np.maximum(amounts[atom.alternative], over)
    return _worst("hard goal", judge.goals[goal].label(), unit, amounts.min(axis=0), 0.0, times)


def _worst(
    kind: str, name: str, unit: str, miss: np.ndarray, allowed: float, times: np.ndarray
) -> Violation | None:
    """The worst of the misses (T,) that are more than allowed."""
    k = int(np.argmax(miss))
    return Violation(kind, name, float(miss[k]), unit, float(times[k])) if miss[k] > allowed else None


def differences(times: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocities (T − 1, n), accelerations (T − 2, n) and jerks (T − 3, n) from sample to sample of values x (T, n),
    which go on over whole turns; those of steps of unequal length over the times between their middles."""
    t = times
    found = x
    rates = []
    for _ in range(3):
        found = np.diff(found, axis=0) / np.diff(t)[:, None] if len(found) > 1 else found[:0]
        t = 0.5 * (t[1:] + t[:-1])
        rates.append(found)
    return rates[0], rates[1], rates[2]


#: Of derivatives from the first: what they are called.
RATES = ("velocity", "acceleration", "jerk")


def too_much(
    figure: Figure, rates: Sequence[np.ndarray], limits: Sequence[np.ndarray], times: np.ndarray
) -> list[Violation]:
    """Which limits on velocity, acceleration and jerk, (n,) each, are broken by derivatives (T, n) in that order;
    the k-th sample of one that has fewer than the times is told at the k-th time."""
    found: list[Violation] = []
    for power, (rate, most) in enumerate(zip(rates, limits, strict=False), start=1):
        if not len(rate):
            continue
        over = np.abs(rate) - most
        allowed = np.where(np.isfinite(most), most, 0.0) * ROUNDING
        for j in np.flatnonzero((over > allowed).any(axis=0)).tolist():
            k = int(np.argmax(over[:, j]))
            found.append(too_fast_there(figure, j, power, float(over[k, j]), float(times[k])))
    return found


def too_fast_there(figure: Figure, column: int, power: int, amount: float, time: float) -> Violation:
    """A limit on a coordinate's derivative, from the first, that is broken by an amount at a time."""
    name = figure.dofs[column]
    unit = f"{figure.dof(name).unit}/s" + ("" if power == 1 else "²³"[power - 2])
    return Violation(RATES[power - 1], name, amount, unit, time)


def too_fast(
    figure: Figure, times: np.ndarray, x: np.ndarray, limits: Limits
) -> tuple[np.ndarray, list[Violation]]:
    """Which samples (T,) end a step, a bend or a jerk beyond the limits, and which limits these are."""
    rates = differences(times, x)
    over = np.zeros(len(x), bool)
    for power, (rate, most) in enumerate(zip(rates, limits.all, strict=True), start=1):
        over[power:] |= (np.abs(rate) > most * (1.0 + ROUNDING)).any(axis=1)
    return over, too_much(figure, rates, limits.all, times)

"""Random fast paths of limbs, and what they are allowed: ranges, couplings, speed, acceleration, least time."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye, kron, vstack
from scipy.spatial.transform import Rotation, Slerp
from tests.solvers.arms import iiwa

import manikin as mk
from manikin.closed_form.least_time import even_steps

LIMBS = ("human", "paper", "iiwa")


def limb(name: str) -> mk.Arm:
    """The default human's right arm; seven hinges with an arm's ranges as in Tolani and Badler's paper; an iiwa."""
    if name == "human":
        return mk.Arm(mk.human(), "right")
    if name == "iiwa":
        return mk.Arm(iiwa(), ("A1", "A4", "A7"), site="tool")
    ranges = [(-1.5, 2.5), (-1.2, 1.8), (-1.8, 1.8), (0.0, 2.5), (-1.4, 1.4), (-1.2, 1.2), (-0.6, 0.6)]
    places = [(0, 0, 1.4), (0, 0, 0), (0, 0, 0), (0.3, 0, 0), (0.25, 0, 0), (0, 0, 0), (0, 0, 0)]
    joints = [
        mk.Joint(f"t{i + 1}", f"s{i}", f"s{i + 1}", f"R({a})", placement=place, lower=low, upper=high)
        for i, (a, place, (low, high)) in enumerate(zip("zyxyzxy", places, ranges, strict=True))
    ]
    figure = mk.Figure("paper", [f"s{i}" for i in range(8)], joints, [mk.Site("hand", "s7", (0.1, 0, 0))])
    return mk.Arm(figure, None, site="hand")


def couplings(arm: mk.Arm) -> list[tuple[np.ndarray, float, float]]:
    """The figure's couplings among the limb's joints, as coefficients, least and most."""
    values, found = arm.pose(0.5 * (arm.lower + arm.upper)).values(), []
    for coupling in arm.figure.couplings:
        if set(coupling.coefficients) & set(arm.joints):
            row = np.array([coupling.coefficients.get(name, 0.0) for name in arm.joints])
            rest = sum(c * values[n] for n, c in coupling.coefficients.items() if n not in arm.joints)
            found.append((row, coupling.lower - rest, coupling.upper - rest))
    return found


def draw(arm: mk.Arm, rng: np.random.Generator, margin: float) -> np.ndarray:
    """Values within ranges, by a part of each, and couplings."""
    rows = couplings(arm)
    while True:
        q = arm.lower + rng.uniform(margin, 1.0 - margin, len(arm.lower)) * (arm.upper - arm.lower)
        if all(low <= row @ q <= high for row, low, high in rows):
            return q


def random_path(arm: mk.Arm, rng: np.random.Generator, slower: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """A start, and targets (T, 4, 4) on straight ways through random frames, which end with a rest."""
    knots = int(rng.integers(2, 5))
    poses = [draw(arm, rng, 0.1), *(draw(arm, rng, 0.02) for _ in range(knots - 1))]
    frames = np.array([arm.pose(q).matrix(arm.site) for q in poses])
    t = np.linspace(0, knots - 1, int(rng.integers(30, 150) * slower))
    targets = np.tile(np.eye(4), (len(t), 1, 1))
    targets[:, :3, :3] = Slerp(range(knots), Rotation.from_matrix(frames[:, :3, :3]))(t).as_matrix()
    for i in range(3):
        targets[:, i, 3] = np.interp(t, range(knots), frames[:, i, 3])
    return poses[0], np.concatenate([targets, np.tile(targets[-1:], (int(rng.integers(0, 80)), 1, 1))])


def steady(goal: np.ndarray, way: np.ndarray, count: int) -> np.ndarray:
    """The targets that follow one that moves on by the same way."""
    return np.asarray(goal + np.arange(1.0, count + 1.0)[:, None] * way)


def limits(rng: np.random.Generator) -> tuple[float, float]:
    """A greatest step and a greatest change of it."""
    speed = float(rng.choice([0.03, 0.06, 0.15]))
    return speed, speed * float(rng.choice([0.05, 0.125, 0.3, 1.0]))


def excess(
    arm: mk.Arm,
    start: np.ndarray,
    rows: np.ndarray,
    speed: float,
    acceleration: float,
    from_rest: bool = True,
) -> float:
    """The most by which any sample leaves a range, a coupling, the speed or the acceleration."""
    beyond = [float(np.maximum(arm.lower - rows, rows - arm.upper).max())]
    for row, low, high in couplings(arm):
        values = rows @ row / np.linalg.norm(row)
        beyond += [low / np.linalg.norm(row) - values.min(), values.max() - high / np.linalg.norm(row)]
    steps = np.diff(np.vstack([start, rows]), axis=0)
    before = np.vstack([np.zeros_like(start), steps]) if from_rest else steps
    beyond += [np.abs(steps).max() - speed, np.abs(np.diff(before, axis=0)).max(initial=0.0) - acceleration]
    return float(max(beyond))


def can_pass(
    arm: mk.Arm,
    begin: tuple[np.ndarray, np.ndarray],
    end: tuple[np.ndarray, np.ndarray],
    count: int,
    speed: float,
    acceleration: float,
) -> bool:
    """Whether any way of `count` steps keeps all limits, by linear programming.

    begin, end: values and the step that leads to them, and on from them.
    """
    (x0, v0), (x1, v1) = begin, end
    n = len(x0)
    difference = np.eye(count) - np.eye(count, k=-1)  # steps of the samples 1 … count
    change = np.vstack([difference, np.zeros(count)])
    change[1:] -= difference
    steps, first = kron(difference, eye(n)), np.zeros((count, n))
    first[0] = -x0
    changes, rest = kron(change, eye(n)), np.zeros((count + 1, n))
    rest[:count] += first
    rest[1:] -= first
    rest[0] -= v0
    rest[-1] += v1
    matrices = [steps, -steps, changes, -changes]
    bounds = [speed - first.ravel(), speed + first.ravel()]
    bounds += [acceleration - rest.ravel(), acceleration + rest.ravel()]
    for row, low, high in couplings(arm):
        for sign, bound in ((1.0, high), (-1.0, -low)):
            if np.isfinite(bound):
                matrices.append(kron(eye(count), sign * row[None]))
                bounds.append(np.full(count, bound))
    low, high = np.tile(arm.lower, (count, 1)), np.tile(arm.upper, (count, 1))
    low[-1], high[-1] = x1 - 1e-9, x1 + 1e-9
    result = linprog(
        np.zeros(count * n),
        A_ub=vstack(matrices).tocsr(),
        b_ub=np.concatenate(bounds) + 1e-9,
        bounds=np.stack([low.ravel(), high.ravel()], axis=1),
        method="highs",
    )
    return bool(result.status == 0)


def least_count(
    arm: mk.Arm,
    begin: tuple[np.ndarray, np.ndarray],
    end: tuple[np.ndarray, np.ndarray],
    taken: int,
    speed: float,
    acceleration: float,
) -> int:
    """The fewest steps from one state to rest at another, no more than were taken."""
    low, high = 0, taken
    while high - low > 1:
        middle = (low + high) // 2
        if can_pass(arm, begin, end, middle, speed, acceleration):
            high = middle
        else:
            low = middle
    return high


def moving_flips(arm: mk.Arm, rng: np.random.Generator) -> list[tuple[str, int, int]]:
    """The flips of a stream along a random path that are over before its end: what the target did meanwhile, how many
    samples each took, and the fewest that linear programming needs from the same state to where the limb's solution
    then is and stays within the limits.

    "goes on": by the same turn and the same way as when the flip began. "corner": it did not; "from the corner": the
    samples since it last changed them.
    """
    start, targets = random_path(arm, rng)
    speed, acceleration = limits(rng)
    tracker, alone = (
        mk.ArmTracker(arm, start, step=speed, acceleration=acceleration),
        mk.ArmTracker(arm, start),
    )
    rows, statuses = tracker.follow(targets)
    goals, _ = alone.follow(targets)
    rows, on = np.vstack([start, start, rows]), np.concatenate([[0], (statuses >= 8).astype(int), [0]])
    steps = np.diff(goals, axis=0)
    fast = (np.abs(steps) > speed * (1.0 + 1e-9)).any(axis=1)
    sharp = (np.abs(np.diff(steps, axis=0)) > acceleration * (1.0 + 1e-9)).any(axis=1)
    turns = targets[1:, :3, :3] @ targets[:-1, :3, :3].transpose(0, 2, 1)
    motion = np.concatenate([turns.reshape(-1, 9), np.diff(targets[:, :3, 3], axis=0)], axis=1)
    corner = np.abs(np.diff(motion, axis=0)).max(axis=1) > 1e-9

    def least(first: int, met: int) -> int:
        at = first
        for broken in (np.flatnonzero(fast[first : met + 1]), np.flatnonzero(sharp[first:met])):
            at = max(at, first + int(broken[-1]) + 1 if len(broken) else first)
        begin, every = (rows[first + 1], rows[first + 1] - rows[first]), np.ones(len(start))
        for to in range(at, met):
            way, count = goals[to] - begin[0], to - first + 1
            if even_steps(way, begin[1], steps[to], count, speed * every, acceleration * every) is None:
                continue
            if can_pass(arm, begin, (goals[to], steps[to]), count, speed, acceleration):
                return count
        return met - first + 1

    found = []
    for first, met in zip(np.flatnonzero(np.diff(on) == 1), np.flatnonzero(np.diff(on) == -1), strict=True):
        if met < len(targets) - 1:
            # Sample s is the first with another motion if corner[s − 2]; the next target's is known only then.
            corners = max(first, 1) + 1 + np.flatnonzero(corner[max(first, 1) - 1 : met])
            kinds = [("corner" if len(corners) else "goes on", first)]
            kinds += [("from the corner", int(corners[-1]))] if len(corners) and corners[-1] <= met else []
            found += [(kind, int(met - begin + 1), least(begin, met)) for kind, begin in kinds]
    return found


def known_flips(arm: mk.Arm, rng: np.random.Generator) -> list[tuple[int, bool]]:
    """The windows in which a random known path is left, inside of it: the samples of each, and whether linear
    programming finds one of a tenth fewer, and at least two fewer, about the same faults.
    """
    start, targets = random_path(arm, rng)
    speed, acceleration = limits(rng)
    try:
        rows = arm.track(targets, start, speed=speed, acceleration=acceleration)
    except mk.SolveError:
        return []
    wanted, found = arm.track(targets, start), []
    steps = np.diff(wanted, axis=0)
    fast = (np.abs(steps) > speed * (1.0 + 1e-9)).any(axis=1)
    sharp = (np.abs(np.diff(steps, axis=0)) > acceleration * (1.0 + 1e-9)).any(axis=1)
    moved = np.concatenate([[0], (np.abs(rows - wanted).max(axis=1) > 1e-12).astype(int), [0]])
    for first, after in zip(
        np.flatnonzero(np.diff(moved) == 1), np.flatnonzero(np.diff(moved) == -1), strict=True
    ):
        low, high = first - 1, after
        if low < 1 or high > len(rows) - 2:
            continue
        faults = [(k, k + 1) for k in np.flatnonzero(fast) if low <= k < high]
        faults += [(k, k + 2) for k in np.flatnonzero(sharp) if low <= k and k + 2 <= high]
        shorter = min(int((high - low) / 1.1), high - low - 2)
        starts = range(
            max(max(b for _, b in faults) - shorter, low - shorter, 1),
            min(min(a for a, _ in faults), high, len(rows) - 2 - shorter) + 1,
        )
        better = shorter > 0 and any(
            can_pass(
                arm,
                (wanted[at], steps[at - 1]),
                (wanted[at + shorter], steps[at + shorter]),
                shorter,
                speed,
                acceleration,
            )
            for at in starts
        )
        found.append((high - low, better))
    return found

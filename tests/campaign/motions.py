"""Makers of motions on random figures: `track`, `Tracker`, `interpolate`, `refined`, and edited motions, every sample
judged, and the curve between samples, by plain NumPy.

Targets are where a motion of the figure that exists has its sites, as they are, shifted, noisy, jumping, or with gaps
and outliers; at even times or uneven ones; with limits on velocity, acceleration and jerk, or none.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from time import process_time
from typing import Any

import numpy as np
from tests.campaign import rates
from tests.campaign.figures import arm, figure, pose, scale_of
from tests.campaign.goals import met_goals
from tests.campaign.judge import Answers, findings, first_errors
from tests.campaign.poses import Poses, exp
from tests.campaign.robots import robot

import manikin as mk
from manikin.errors import ManikinError
from manikin.goals.target import shape_of

MAKERS = ("track", "stream", "keys", "refined", "edited")
#: Points of the curve that are looked at between two samples.
BETWEEN = 5
#: What a curve's derivatives may be beyond a limit that the samples keep, as a share of it.
CURVE = 1e-6


@cache
def _human() -> mk.Figure:
    return mk.human(fingers=False)


class Made:
    """What one seed makes: a figure, a motion of it that exists, goals along it, limits."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng([seed, 39])
        kind = rng.random()
        self.kind = "random"
        if kind < 0.04:
            self.kind, self.body = "human", _human()
        elif kind < 0.12:
            self.kind, self.body = robot(rng)
        elif kind < 0.5:
            self.kind, self.body = "arm", arm(rng)
        else:
            self.body = figure(rng)
        self.scale = scale_of(self.body)
        self.maker = str(rng.choice(MAKERS, p=[0.3, 0.3, 0.2, 0.1, 0.1]))
        self.count = int(rng.choice([1, 2, 3, 5, 30, 60, 120] if self.kind != "human" else [3, 20]))
        self.dt = float(rng.choice([0.001, 0.01, 0.033, 0.2]))
        self.times = self.dt * np.arange(self.count)
        if rng.random() < 0.25:
            self.times = np.cumsum(rng.uniform(0.3, 1.7, self.count)) * self.dt
        self.begin, self.end = pose(self.body, rng), pose(self.body, rng)
        self.found: list[str] = []
        self.outcome: Counter[str] = Counter()
        self.samples = 0

    def find(self, words: str) -> None:
        """Note what is wrong."""
        if len(self.found) < 12:
            self.found.append(f"{self.maker}: {words}")

    def exists(self) -> np.ndarray:
        """Values (T, n) of a motion from one pose towards another, by less than a radian or so a second or by more."""
        share = float(self.rng.choice([0.02, 0.2, 1.0]))
        u = np.linspace(0.0, 1.0, self.count)[:, None]
        shape = u if self.rng.random() < 0.4 else 0.5 - 0.5 * np.cos(2.0 * np.pi * u)
        q = self.begin.q + share * shape * (self.end.q - self.begin.q)
        return np.clip(q, self.body.lower, self.body.upper)

    def limits(self) -> dict[str, Any]:
        """As the call takes them: velocity, acceleration, jerk, some of them."""
        unit = np.array([self.scale if self.body.dof(name).unit == "m" else 1.0 for name in self.body.dofs])
        given: dict[str, Any] = {}
        speed = float(self.rng.choice([0.1, 1.0, 10.0]))
        if self.rng.random() < 0.6:
            given["velocity"] = speed * unit
        elif self.rng.random() < 0.3:
            given["velocity"] = False
        if self.rng.random() < 0.5:
            given["acceleration"] = float(self.rng.choice([1.0, 10.0])) * speed * unit
            if self.rng.random() < 0.4:
                given["jerk"] = 50.0 * speed * unit
        return given

    def numbers(self, given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The limits of a call as numbers, (n,) each."""
        none = np.full(self.body.n, np.inf)
        speed = given.get("velocity")
        own = self.body.velocity if speed is None else none if speed is False else speed
        return own, given.get("acceleration", none), given.get("jerk", none)

    def goals(self) -> tuple[list[mk.Goal], dict[int, np.ndarray]]:
        """One to three goals, and the targets (T, …) of those that move, NaN in gaps."""
        rng, there = self.rng, Poses(self.body, self.exists())
        listed: list[mk.Goal] = []
        targets: dict[int, np.ndarray] = {}
        names = list(self.body.sites)
        for _ in range(int(rng.integers(1, 3))):
            site = str(rng.choice(names))
            turn, place = there.site(site)
            hard = {"hard": bool(rng.random() < 0.3)}
            kind = rng.choice(["position", "position", "placement", "orientation", "aim"])
            place, turn = self._disturbed(place, turn)
            if kind == "position":
                goal: mk.Goal = mk.Position(site, np.zeros(3), **hard)
                path = place
            elif kind == "orientation":
                goal, path = mk.Orientation(site, np.eye(3), **hard), turn
            elif kind == "placement":
                goal = mk.Placement(site, np.eye(4), **hard)
                path = np.tile(np.eye(4), (self.count, 1, 1))
                path[:, :3, :3], path[:, :3, 3] = turn, place
            else:
                goal, path = mk.Aim(site, [self.scale, 0.0, 0.0], **hard), place + self.scale * turn[:, :, 0]
            assert shape_of(goal) == path.shape[1:]
            path = path.copy()
            if self.count > 4 and rng.random() < 0.2:
                low = int(rng.integers(1, self.count - 1))
                path[low : low + int(rng.integers(1, self.count))] = np.nan
            targets[len(listed)] = path
            listed.append(goal)
        if rng.random() < 0.4:
            listed += [goal for goal in met_goals(self.body, self.begin, rng)[:1] if _stands(goal)]
        return listed, targets

    def _disturbed(self, place: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rng, place = self.rng, place.copy()
        kind = rng.random()
        if kind < 0.15:
            place = place + self.scale * rng.choice([1e-3, 0.05]) * rng.normal(size=place.shape)
        elif kind < 0.3:
            place[len(place) // 2 :] += 0.3 * self.scale * rng.normal(size=3)
        elif kind < 0.4:
            place = place + 5.0 * self.scale * rng.normal(size=3)
        elif kind < 0.5 and len(place) > 12:
            place[int(rng.integers(1, len(place)))] += self.scale * rng.normal(size=3)
            turn = turn.copy()
            turn[int(rng.integers(1, len(place)))] @= exp(rng.normal(size=3))
        return place, turn

    def run(self) -> dict[str, Any]:
        """The maker's motion, judged; as JSON can hold it."""
        begin = process_time()
        try:
            getattr(self, f"_{self.maker}")()
        except ManikinError as error:
            self.outcome["refused"] += 1
            self.refusal = f"{type(error).__name__}: {error}"
            if not str(error).strip():
                self.find("an error without words")
        except Exception as error:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1]
            self.find(f"{type(error).__name__}: {error} at {last.filename.rsplit('/', 1)[-1]}:{last.lineno}")
        return {
            "seed": self.seed,
            "solves": self.samples,
            "figure": self.kind,
            "counts": {self.maker: 1},
            "statuses": dict(self.outcome),
            "scale": self.scale,
            "found": self.found,
            "slowest": process_time() - begin,
            "cpu": process_time() - begin,
            **({"refusal": self.refusal} if hasattr(self, "refusal") else {}),
        }

    # The makers.

    def _track(self) -> None:
        goals, targets = self.goals()
        given, tolerance = self.limits(), (1e-4 * min(self.scale, 1.0), 1e-3)
        entries = [mk.Along(goal, targets[k]) if k in targets else goal for k, goal in enumerate(goals)]
        if self.rng.random() < 0.2 and self.count > 3:
            k = int(self.rng.integers(len(entries)))
            a, b = np.sort(self.rng.uniform(self.times[0], self.times[-1], 2))
            entries[k] = mk.Along(goals[k], targets[k], a, b) if k in targets else mk.During(goals[k], a, b)
        made = mk.track(
            self.begin,
            entries,
            self.times,
            tolerance=tolerance,
            robust=bool(self.rng.random() < 0.7),
            **given,
        )
        self.samples += self.count
        limits = self.numbers(given)
        over, words = rates.broken(self.body, self.times, made.q, limits)
        for say in words if (made.feasible & over).any() else ():
            self.find(f"feasible is said where {say}")
        self.outcome.update(
            reached=int(made.reached.sum()), feasible=int(made.feasible.sum()), samples=self.count
        )
        if bool(made.violations) != bool((~made.feasible).any()):
            self.find(f"violations are {made.violations[:2]}, of {int((~made.feasible).sum())} samples")
        active = np.array([self._active(entry) for entry in entries])
        known = np.array(
            [
                np.isfinite(targets[k].reshape(self.count, -1)).all(axis=1)
                if k in targets
                else np.ones(self.count, bool)
                for k in range(len(goals))
            ]
        )
        told = {one.kind for one in made.violations}
        self._judge(
            goals, targets, made, active & known, over | bool(told & set(rates.NAMES)), tolerance, active
        )
        self._curve(
            made,
            [np.inf * most if name in told else most for name, most in zip(rates.NAMES, limits, strict=True)],
        )

    def _active(self, entry: Any) -> np.ndarray:
        start, end = getattr(entry, "start", None), getattr(entry, "end", None)
        on = np.ones(self.count, bool)
        on &= self.times >= (-np.inf if start is None else start - 1e-9)
        return on & (self.times <= (np.inf if end is None else end + 1e-9))

    def _judge(self, goals, targets, made, judged, over, tolerance, active) -> None:
        """All samples, in sets of those that the same goals are judged at."""
        patterns, which = np.unique(judged.T, axis=0, return_inverse=True)
        for row, pattern in enumerate(patterns):
            at = np.flatnonzero(which.ravel() == row)
            chosen = np.flatnonzero(pattern)
            listed = [goals[k] for k in chosen]
            # A pin of a while means where the figure was then; it is looked at by the package's own tests.
            pinned = [_means(goal) and not active[k].all() for k, goal in zip(chosen, listed, strict=True)]
            if any(pinned):
                continue
            bridged = (active[:, at] & ~judged[:, at]).any(axis=0)  # feasible is of the bridged target there
            answers = Answers(
                self.body,
                listed,
                made.q[at],
                np.broadcast_to(self.begin.q, (len(at), self.body.n)),
                made.reached[at],
                tolerance,
                made.feasible[at],
                {place: targets[k][at] for place, k in enumerate(chosen) if k in targets},
                errors=first_errors(goals, made)[np.ix_(at, chosen)],
            )
            for k, words in findings(answers):
                if words.startswith("all that must hold") and (over[at][k] or bridged[k]):
                    continue
                self.find(f"sample {at[k]}: {words}")

    def _curve(self, made: mk.Motion, limits: list[np.ndarray]) -> None:
        """The curve between samples: ranges and all of the figure, and the limits."""
        if self.count < 2:
            return
        part = np.linspace(0.0, 1.0, BETWEEN + 2)[1:-1]
        at = (made.times[:-1, None] + part * np.diff(made.times)[:, None]).ravel()
        q = made.values(at)
        if not np.isfinite(q).all():
            self.find("the curve is not finite")
            return
        self._holds(q, made.feasible.all(), "between samples")
        flat = rates.unrolled(self.body, made.q) == made.q  # of others the coordinates come round
        for order, (name, most) in enumerate(zip(rates.NAMES, limits, strict=True), start=1):
            rate = np.abs(made.values(at, order))
            off = (rate > most * (1.0 + CURVE) + 1e-9 * self.scale) & np.isfinite(most) & flat.all(axis=0)
            if off.any():
                k, j = np.unravel_index(np.where(off, rate / most, 0.0).argmax(), rate.shape)
                self.find(
                    f"{name} of {self.body.dofs[j]} on the curve is {rate[k, j] / most[j]:.4f} of its limit"
                )

    def _tied(self) -> bool:
        """Whether a swing with a cone off centre has narrower ranges or couplings, which hold at keys alone."""
        body = self.body
        for cone in body.cones:
            if not (cone.center_1 or cone.center_2):
                continue
            pair = [cone.first, cone.second]
            low, high = next(
                joint.swing.box()
                for joint in body.joints.values()
                if joint.swing is not None and joint.axes[0].name == body.dofs[cone.first]
            )
            names = {body.dofs[k] for k in pair}
            if (
                (body.lower[pair] > low).any()
                or (body.upper[pair] < high).any()
                or any(names & set(each.coefficients) for each in (*body.couplings, *body.followers.values()))
            ):
                return True
        return False

    def _holds(self, q: np.ndarray, kept: bool, where: str) -> None:
        """Ranges, couplings, cones of poses; loops are held at samples only."""
        if self._tied() and where != "a sample":
            return
        nothing = np.zeros(len(q), bool)
        answers = Answers(
            self.body, [], q, q, nothing, (1.0, 1.0), np.full(len(q), kept and not self.body.loops)
        )
        for k, words in findings(answers):
            if not words.startswith("all that must hold"):
                self.find(f"{where}, {k}: {words}")
                break

    def _stream(self) -> None:
        goals, targets = self.goals()
        given, tolerance = self.limits(), (1e-4 * min(self.scale, 1.0), 1e-3)
        tracker = mk.Tracker(
            self.begin,
            goals,
            rate=1.0 / self.dt,
            tolerance=tolerance,
            robust=bool(self.rng.random() < 0.5),
            **given,
        )
        rows, feasible, lagging = [np.array(tracker.pose.q)], [True], [False]
        errors = []
        after = int(self.rng.choice([0, 30]))
        for k in range(self.count + after):
            asked = [targets[g][k] if g in targets and k < self.count else None for g in range(len(goals))]
            rows.append(np.array(tracker.step(asked)))
            feasible.append(tracker.feasible)
            lagging.append(tracker.lagging)
            if bool(tracker.violations) == tracker.feasible:
                self.find(f"sample {k}: feasible is {tracker.feasible}, violations {tracker.violations}")
            errors.append(tracker.solution.status)
            if not np.array_equal(rows[-1], tracker.pose.q):
                self.find("step and pose differ")
        q = np.array(rows)
        self.samples += len(q)
        self.outcome.update(errors)
        self.outcome.update(lagging=int(np.sum(lagging)), samples=len(q))
        still = np.concatenate([q[:1], q[:1], q])  # it begins at rest
        _, words = rates.broken(self.body, self.dt * np.arange(len(still)), still, self.numbers(given))
        for say in words:
            self.find(say)
        self._stream_judged(goals, targets, q, np.array(feasible), tolerance)

    def _stream_judged(self, goals, targets, q, feasible, tolerance) -> None:
        """Where all targets are given: what is feasible is so, and what is not is not, by the targets given."""
        q, feasible = q[1 : self.count + 1], feasible[1 : self.count + 1]
        known = np.ones(self.count, bool)
        for path in targets.values():
            known &= np.isfinite(path.reshape(self.count, -1)).all(axis=1)
        at = np.flatnonzero(known)
        answers = Answers(
            self.body,
            goals,
            q[at],
            np.broadcast_to(self.begin.q, (len(at), self.body.n)),
            np.zeros(len(at), bool),
            tolerance,
            feasible[at],
            {k: path[at] for k, path in targets.items()},
        )
        for k, words in findings(answers):
            self.find(f"sample {at[k]}: {words}")
        self._holds(q, False, "a sample")

    def _keys(self) -> None:
        count = int(self.rng.integers(2, 7))
        times = np.cumsum(self.rng.uniform(0.05, 1.0, count))
        keys: list[Any] = [pose(self.body, self.rng) for _ in range(count)]
        goal = None
        if self.rng.random() < 0.4:
            site = str(self.rng.choice(list(self.body.sites)))
            there = pose(self.body, self.rng).position(site)
            goal = mk.Position(site, there, hard=bool(self.rng.random() < 0.5))
            keys[-1] = [goal]
        made = mk.interpolate(
            keys,
            times,
            spline=str(self.rng.choice(["cubic", "quintic"])),
            ends=str(self.rng.choice(["natural", "clamped"])),
        )
        self.samples += count
        self.outcome.update(feasible=int(made.feasible.sum()), keys=count)
        for k, key in enumerate(keys[: count - (goal is not None)]):
            if not np.array_equal(made.q[k], key.q):
                self.find(f"key {k} is another")
        here = Poses(self.body, made.values(times)), Poses(self.body, made.q)
        for name in self.body.sites:
            off = np.abs(here[0].site(name)[1] - here[1].site(name)[1]).max()
            if off > 1e-9 * (1.0 + here[1].size().max()):
                self.find(f"the curve misses its keys by {off:.1e}")
        at = np.linspace(times[0], times[-1], 60 * count)
        self._holds(made.values(at), bool(made.feasible.all()), "between keys")
        self._smooth(made)

    def _smooth(self, made: mk.Motion) -> None:
        """Second derivatives are continuous at the keys, where coordinates do not come round."""
        h = 1e-7 * float(np.diff(made.times).min())
        inner = made.times[1:-1]
        if not len(inner):
            return
        dense = np.linspace(made.times[0], made.times[-1], 200)
        size = 1e-30 + np.abs(made.acceleration(dense)).max(axis=0)
        third = np.abs(made.jerk(dense)).max(axis=0)
        jump = np.abs(made.acceleration(inner + h) - made.acceleration(inner - h))
        smooth = jump <= 1e-6 * size + 20.0 * h * third
        if not smooth.all():
            k, j = np.argwhere(~smooth)[0]
            self.find(f"{self.body.dofs[j]} is not C² at key {k + 1}: {jump[k, j] / size[j]:.1e}")

    def _refined(self) -> None:
        goals, targets = self.goals()
        moving = [goals[k] for k in targets]
        entries = [
            mk.Along(goal, np.where(np.isfinite(path), path, path[0]))
            for goal, path in zip(moving, targets.values(), strict=True)
        ]
        given = self.limits()
        raw = mk.track(self.begin, entries, self.times, **given)
        made = mk.refined(raw, entries)
        self.samples += 2 * self.count
        over_raw, _ = rates.broken(self.body, self.times, raw.q, self.numbers(given))
        over, words = rates.broken(self.body, self.times, made.q, self.numbers(given))
        if over.any() and not over_raw.any() and made.feasible[over].any():
            self.find(words[0])
        self._holds(made.q, bool(raw.feasible.all() and made.feasible.all()), "a sample")

    def _edited(self) -> None:
        keys = [pose(self.body, self.rng) for _ in range(int(self.rng.integers(4, 9)))]
        one = mk.Motion.of(keys, np.arange(len(keys)) * 0.3)
        kept = bool(one.feasible.all())
        how = str(self.rng.choice(["resample", "trim", "join", "blend", "loop", "retime"]))
        made = {
            "resample": lambda: one.resample(rate=17.0),
            "trim": lambda: one.trim(0.1, 0.7),
            "join": lambda: one.join(one.retime(factor=2.0)),
            "blend": lambda: one.join(one, blend=0.25),
            "loop": lambda: one.loop(),
            "retime": lambda: one.retime(duration=0.2),
        }[how]()
        self.samples += len(made)
        self.outcome[how] += 1
        at = np.linspace(made.times[0], made.times[-1], 200)
        self._holds(made.values(at), kept and bool(made.feasible.all()), how)
        whole = kept and not self.body.loops and not self._tied()
        if how in ("resample", "trim", "retime") and whole and not made.feasible.all():
            self.find(f"{how}: of a motion that is feasible one that is not: {made.violations[:1]}")
        if how in ("resample", "trim"):
            inside = made.times
            off = np.abs(made.q - one.values(inside)).max(initial=0.0)
            if off > 1e-9:
                self.find(f"{how}: it differs by {off:.1e} from the motion that it is of")


def _stands(goal: mk.Goal) -> bool:
    """Goals that mean the same at every sample, and objectives."""
    return not isinstance(goal, (mk.AnyOf, mk.Potential))


def _means(goal: mk.Goal) -> bool:
    return isinstance(goal, (mk.Pin, mk.Relative))


def run_motion(seed: int) -> dict[str, Any]:
    """One motion; whatever goes wrong while it is made is a finding too."""
    try:
        told = Made(seed).run()
    except Exception as error:
        told = {"seed": seed, "solves": 0, "found": [f"make: {type(error).__name__}: {error}"]}
    json.dumps(told, allow_nan=False)
    return told

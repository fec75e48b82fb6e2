"""Whether a solution keeps what is promised, by plain NumPy and the goals' definitions: nothing of the solver's."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import manikin as mk
from manikin.figure import kinematics
from manikin.figure.clearance import _least
from manikin.figure.shapes import capsules_of

RANGE, LINEAR, CONE, HARD = 1e-9, 1e-9, 1e-9, 1e-8
#: How much of a promised tolerance rounding may add, and how much of the largest coordinate.
SHARE, ROUNDING = 1e-6, 3e-15
#: A miss: how much, in which unit, whether it is of a hard goal.
Miss = tuple[float, str, bool]


class Judge:
    """A figure at coordinates q, and where the solve began."""

    def __init__(self, body: mk.Figure, q: np.ndarray, begun: np.ndarray) -> None:
        self.body, self.q = body, q
        self.frames, self.segments = self._frames(q)
        self.begun = self._frames(begun)[0]
        self.size = 1.0 + max((float(np.abs(frame).max()) for frame in self.frames.values()), default=0.0)
        self.size += float(np.abs(q).max(initial=0.0))

    def _frames(self, q: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        tree = self.body.tree
        found = kinematics.segment_frames(tree, kinematics.frames(tree, q))
        segments = dict(zip(self.body.segments, found, strict=True))
        return {n: segments[s.segment] @ s.placement for n, s in self.body.sites.items()}, segments

    def center(self) -> np.ndarray:
        """The centre of mass."""
        return kinematics.center_of_mass(self.body.tree, self.q)

    def capsules(self, name: str) -> np.ndarray:
        """A segment's capsules in the world."""
        turn, place = self.segments[name][:3, :3], self.segments[name][:3, 3]
        rows = capsules_of(self.body, name, "judge").copy()
        rows[:, :3] = rows[:, :3] @ turn.T + place
        rows[:, 3:6] = rows[:, 3:6] @ turn.T + place
        return rows

    def misses(self, goal: mk.Goal) -> list[Miss]:
        """How far a goal is from met."""
        hard = bool(getattr(goal, "hard", False))
        return [(amount, unit, h or hard) for amount, unit, h in self._misses(goal)]

    def _misses(self, goal: mk.Goal) -> list[Miss]:
        if isinstance(goal, mk.Objective):
            return []
        if isinstance(goal, mk.AnyOf):
            return self._any(goal)
        if isinstance(goal, mk.Relative):
            seen = _inverse(self.frames[goal.other]) @ self.frames[goal.site]
            was = _inverse(self.begun[goal.other]) @ self.begun[goal.site]
            inner = goal.goal or mk.Placement(goal.site, was[:3, 3], was[:3, :3])
            return [(a, u, h) for a, u, h in self._site(inner, seen, was)]
        if isinstance(goal, mk.CenterOfMass):
            off = (self.center() - goal.target) * (np.array(goal.axes) > 0)
            return [(float(np.linalg.norm(off)), "m", False)]
        if isinstance(goal, mk.Balance):
            return [(max(0.0, goal.margin - self._inside_support(goal)), "m", False)]
        if isinstance(goal, mk.Swivel):
            return [(self._swivel(goal), "rad", False)]
        if isinstance(goal, mk.SelfClearance):
            return [(self._too_near(goal), "m", False)]
        if isinstance(goal, mk.Outside | mk.Inside) and goal.site in self.body.segments:
            settled = goal.settle(self.body.pose())
            if any(whole for _, whole in settled.names()):
                return [(self._region(goal, [name for name, _ in settled.names()]), "m", False)]
        if isinstance(goal, mk.Outside) and goal.site not in self.frames:
            names = [name for name, _ in goal.settle(self.body.pose()).names()]
            return [(self._region(goal, names), "m", False)]
        return self._site(goal, self.frames[goal.site], self.begun[goal.site])

    def _any(self, goal: mk.AnyOf) -> list[Miss]:
        """Those of the choice that is nearest to met; one that misses nothing hard comes first."""
        best: tuple[tuple[bool, float], list[Miss]] = ((True, math.inf), [])
        for choice in goal.choices():
            found = [miss for each in choice for miss in self.misses(each)]
            worst = max((a / (1e-4 if u == "m" else 1e-3) for a, u, _ in found), default=0.0)
            held = any(hard and a > HARD for a, _, hard in found)
            if (held, worst) <= best[0]:
                best = (held, worst), found
        return best[1]

    def _site(self, goal: mk.Goal, at: np.ndarray, was: np.ndarray) -> list[Miss]:
        """Of a goal about the frame ``at``, which the start had at ``was``."""
        return [(amount, unit, bool(getattr(goal, "hard", False))) for amount, unit in _site(goal, at, was)]

    def _region(self, goal: mk.Inside | mk.Outside, names: list[str]) -> float:
        """How far whole segments are from being where a region wants them, by points on the axes of their capsules."""
        worst = 0.0
        for name in names:
            for row in self.capsules(name):
                for t in np.linspace(0.0, 1.0, 33):
                    x, r = row[:3] + t * (row[3:6] - row[:3]), row[6] + t * (row[7] - row[6])
                    if isinstance(goal, mk.Outside):
                        away = min(max(p.distance(x) for p in c) for c in goal.region.clauses()) - r
                        worst = max(worst, goal.margin - away)
                    else:
                        deep = min(max(p.distance(x) for p in c) for c in goal.region.clauses()) + r
                        worst = max(worst, deep)
        return worst

    def _too_near(self, goal: mk.SelfClearance) -> float:
        worst = 0.0
        for pair in goal.settle(self.body.pose()).listed():
            if pair.kept:
                one, other = self.capsules(pair.first), self.capsules(pair.second)
                a, b = np.repeat(one, len(other), axis=0), np.tile(other, (len(one), 1))
                worst = max(worst, min(goal.margin, pair.rest) - float(_least(a, b).min()))
        return worst

    def _inside_support(self, goal: mk.Balance) -> float:
        """The distance of the centre of mass inside the hull of the points: the least over directions of that of the
        farthest point, on a fine fan, and across every edge between two points.
        """
        points = []
        for name, place in goal.settle(self.body.pose()).points():
            frame = self.segments[name.split(":")[1]] if ":" in name else self.frames[name]
            points.append((frame[:3, :3] @ place + frame[:3, 3])[:2])
        x = np.array(points)
        along = (x[:, None] - x[None]).reshape(-1, 2)
        length = np.linalg.norm(along, axis=1)
        along = (
            along[length > 1e-9 * (1.0 + length.max())] / length[length > 1e-9 * (1.0 + length.max()), None]
        )
        fan = np.linspace(0.0, 2.0 * math.pi, 720, endpoint=False)
        ways = np.vstack([np.column_stack([np.cos(fan), np.sin(fan)]), along[:, ::-1] * [1.0, -1.0]])
        return float((ways @ (x - self.center()[:2]).T).max(axis=1).min())

    def _swivel(self, goal: mk.Swivel) -> float:
        shoulder, elbow, wrist = (self.frames[name][:3, 3] for name in goal.limb)
        n = wrist - shoulder
        length = float(np.linalg.norm(n))
        low, high = goal.angle if isinstance(goal.angle, tuple) else (goal.angle, goal.angle)
        if length < 1e-9:
            return 0.0
        n = n / length
        x = elbow - shoulder
        if np.linalg.norm(x - (x @ n) * n) < 1e-9:
            return 0.0
        u = np.array([0.0, 0.0, -1.0]) + n[2] * n
        if np.linalg.norm(u) < 1e-9:
            u = np.array([1.0, 0.0, 0.0]) - n[0] * n
        u = u / np.linalg.norm(u)
        phi = math.atan2(x @ np.cross(n, u), x @ u)
        off = [max(low - p, p - high, 0.0) for p in phi + 2.0 * math.pi * np.arange(-2, 3)]
        return float(min(off))


def _inverse(frame: np.ndarray) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3] = frame[:3, :3].T
    found[:3, 3] = -frame[:3, :3].T @ frame[:3, 3]
    return found


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(Rotation.from_matrix(a.T @ b).as_rotvec()))


def _between(u: np.ndarray, v: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))


def _turned(axes: np.ndarray, target: np.ndarray, minded: np.ndarray) -> float:
    """The angle between frames, or between the one axis that is minded."""
    places = np.flatnonzero(minded)
    if len(places) == 1:
        return _between(axes[:, places[0]], target[:, places[0]])
    return _angle(target, axes)


def _site(goal: mk.Goal, at: np.ndarray, was: np.ndarray) -> Iterator[tuple[float, str]]:
    r, axes = at[:3, 3], at[:3, :3]
    if isinstance(goal, mk.Position):
        yield float(np.linalg.norm(r - goal.target)), "m"
    elif isinstance(goal, mk.Orientation):
        yield _turned(axes, np.asarray(goal.target), np.array(goal.axes)), "rad"
    elif isinstance(goal, mk.Placement):
        yield float(np.linalg.norm(r - goal.position)), "m"
        yield _turned(axes, np.asarray(goal.orientation), np.array(goal.axes)), "rad"
    elif isinstance(goal, mk.Aim):
        away = np.asarray(goal.at) - r
        yield (_between(axes @ goal.axis, away) if np.linalg.norm(away) > 1e-7 else 0.5 * math.pi), "rad"
    elif isinstance(goal, mk.OnLine):
        yield float(np.linalg.norm(np.cross(r - goal.point, goal.direction))), "m"
    elif isinstance(goal, mk.OnPlane):
        yield abs(float((r - goal.point) @ goal.normal)), "m"
    elif isinstance(goal, mk.Inside):
        yield max(0.0, min(max(p.distance(r) for p in c) for c in goal.region.clauses())), "m"
    elif isinstance(goal, mk.Outside):
        away = min(max(p.distance(r) for p in c) for c in goal.region.clauses())
        yield max(0.0, goal.margin - away), "m"
    elif isinstance(goal, mk.Range | mk.Pin):
        yield from _spans(goal, at, was)
    else:
        raise AssertionError(f"the judge does not know {goal!r}")


def _spans(goal: mk.Range | mk.Pin, at: np.ndarray, was: np.ndarray) -> Iterator[tuple[float, str]]:
    """Coordinates and turns held to ranges, or to where they were."""
    names = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
    if isinstance(goal, mk.Pin):
        held = goal.coordinates()
        spans = {name: (0.0, 0.0) if name in held else None for name in names}
        place = at[:3, 3] - was[:3, 3]
        turn = Rotation.from_matrix(at[:3, :3] @ was[:3, :3].T).as_rotvec()
        if len([name for name in held if name.startswith("turn")]) == 3:
            spans.update({name: None for name in names[3:]})
            whole = float(np.linalg.norm(turn))
        else:
            whole = None
    else:
        spans = {name: getattr(goal, name) for name in names}
        frame = goal.frame
        place = frame[:3, :3].T @ (at[:3, 3] - frame[:3, 3])
        turn = Rotation.from_matrix(frame[:3, :3].T @ at[:3, :3]).as_rotvec()
        whole = None
    for unit, values, own in (("m", place, names[:3]), ("rad", turn, names[3:])):
        off = [
            max(0.0, spans[name][0] - value, value - spans[name][1])
            for name, value in zip(own, values, strict=True)
            if spans[name] is not None
        ]
        if off:
            yield float(np.linalg.norm(off)), unit
    if whole is not None:
        yield whole, "rad"


def findings(solution: mk.Solution, start: np.ndarray, tolerance: tuple[float, float]) -> list[str]:
    """The promises that a solution breaks, in words."""
    body, q = solution.figure, np.array(solution.q)
    if (
        not np.isfinite(q).all()
        or not np.isfinite(solution.potential)
        or not np.isfinite(solution.errors).all()
    ):
        return ["a number is not finite"]
    begun = np.clip(start, body.lower, body.upper)
    judge = Judge(body, q, begun)
    rounding = ROUNDING * judge.size
    found = []
    if (q < body.lower - RANGE).any() or (q > body.upper + RANGE).any():
        found.append("a range is left")
    feasible = solution.status != "infeasible"
    found += _figure(judge, rounding) if feasible else []
    met = True
    for goal, active in zip(solution.goals, solution._active, strict=True):
        if not active or goal.arguments().get("weight") == 0.0:
            continue
        for amount, unit, hard in judge.misses(goal):
            allowed = HARD if hard else tolerance[0 if unit == "m" else 1]
            fits = amount <= allowed * (1.0 + SHARE) + rounding
            met = met and fits
            if hard and not fits and solution.status not in ("infeasible", "stopped"):
                found.append(f"{goal.kind()} is hard and missed by {amount:.1e} {unit}, {solution.status}")
    if solution.reached and not met:
        worst = {g.kind(): judge.misses(g) for g in solution.goals}
        found.append(f"reached is said of a goal that is missed: {worst}")
    if solution.reached and solution.status != "reached":
        found.append("reached, and another status")
    return found


def _figure(judge: Judge, rounding: float) -> list[str]:
    """What of the figure's own constraints does not hold."""
    body, q, found = judge.body, judge.q, []
    values = dict(zip(body.dofs, q.tolist(), strict=True))
    for coupling in body.couplings:
        value = coupling.value(values)
        slack = LINEAR * max(1.0, float(np.linalg.norm(list(coupling.coefficients.values())))) + rounding
        if not coupling.lower - slack <= value <= coupling.upper + slack:
            found.append(f"a coupling is left by {max(coupling.lower - value, value - coupling.upper):.1e}")
    for cone in body.cones:
        if cone.value(q) > 1.0 + CONE:
            found.append(f"a cone is left: {cone.value(q) - 1.0:.1e}")
    for loop in body.loops:
        seen = _inverse(judge.frames[loop.other]) @ judge.frames[loop.site]
        off = 0.0 if loop.kind == "orientation" else float(np.linalg.norm(seen[:3, 3]))
        turn = 0.0
        if loop.kind in ("placement", "orientation"):
            turn = _angle(np.eye(3), seen[:3, :3])
        elif loop.kind == "hinge":
            turn = _between(seen[:3, 2], np.array([0.0, 0.0, 1.0]))
        if max(off - rounding, turn) > HARD * (1.0 + SHARE) + 1e-15:
            found.append(f"a {loop.kind} loop is open by {off:.1e} m, {turn:.1e} rad")
    return found

"""How far goals are from met at many poses at once, by what each kind of goal says: nothing of the solver's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from tests.campaign import shapes
from tests.campaign.poses import Frames, Poses, angle_of, between, dot, log, norm, relative

import manikin as mk

_SPANS = ("x", "y", "z", "turn_x", "turn_y", "turn_z")


@dataclass(frozen=True)
class Miss:
    """Amounts (N,) in metres or radians, and whether of something hard. allowed: where a goal has its own tolerance.
    unsure: by how much rounding of points that are near each other may turn it.
    """

    amount: np.ndarray
    unit: str
    hard: bool
    allowed: float | None = None
    unsure: np.ndarray | float = 0.0


class Misses:
    """Goals measured at poses, where solves began at others: ``begun``, inside the ranges.

    rounding: of points, as a share of their largest coordinate, which turns the angle of a limb that is nearly
    stretched. unsure: whether shapes were left out that are not known here, such as meshes, so that a miss may be
    larger.
    """

    def __init__(self, poses: Poses, begun: Poses, rounding: float = 3e-15) -> None:
        self.poses, self.begun, self.rounding = poses, begun, rounding
        self.unsure = False

    def options(
        self, goal: mk.Goal, target: np.ndarray | None = None, hard: bool = False
    ) -> list[list[Miss]]:
        """Of each way to meet a goal all its misses; most have one. target: (N, …) in the place of its own."""
        if isinstance(goal, mk.AnyOf):
            hard = hard or goal.hard
            found = []
            for choice in goal.choices():
                for each in product(*(self.options(member, None, hard) for member in choice)):
                    found.append([miss for misses in each for miss in misses])
            return found
        if isinstance(goal, mk.Objective) or goal.arguments().get("weight") == 0.0:
            return [[]]
        held = hard or bool(getattr(goal, "hard", False))
        if isinstance(goal, mk.Potential):
            turn, place = self.poses.site(goal.site)
            return [[Miss(goal.function.values(place, turn), "", False, goal.tolerance)]]  # type: ignore[attr-defined]
        if isinstance(goal, mk.Relative):
            return [self._relative(goal, held)]
        unsure = self._near(goal, target) if isinstance(goal, mk.Aim) else 0.0
        return [[Miss(amount, unit, held, unsure=unsure) for amount, unit in self._plain(goal, target)]]

    def _near(self, goal: mk.Aim, target: np.ndarray | None) -> np.ndarray:
        """What rounding of a site and of the point that it aims at makes of their direction."""
        place, at = self.poses.site(goal.site)[1], np.asarray(goal.at) if target is None else target
        at = np.broadcast_to(at, place.shape)
        largest = np.maximum(np.abs(place), np.abs(at)).max(axis=1)
        return self.rounding * largest / np.maximum(norm(at - place), 1e-7)

    def _relative(self, goal: mk.Relative, held: bool) -> list[Miss]:
        seen, was = (
            relative(poses.site(goal.other), poses.site(goal.site)) for poses in (self.poses, self.begun)
        )
        inner = goal.goal
        held = held or bool(getattr(inner, "hard", False))
        found = _placed(seen, was) if inner is None else _site(inner, seen, was, None)
        return [Miss(amount, unit, held) for amount, unit in found]

    def _plain(self, goal: mk.Goal, target: np.ndarray | None) -> list[tuple[np.ndarray, str]]:
        if isinstance(goal, mk.CenterOfMass):
            wanted = np.asarray(goal.target) if target is None else target
            return [(norm((self.poses.center - wanted) * (np.array(goal.axes) > 0)), "m")]
        if isinstance(goal, mk.Balance):
            return [(np.maximum(goal.margin - self._inside_support(goal), 0.0), "m")]
        if isinstance(goal, mk.Swivel):
            return [(self._swivel(goal), "rad")]
        if isinstance(goal, mk.SelfClearance):
            return [(self._too_near(goal), "m")]
        if isinstance(goal, mk.Outside | mk.Inside):
            names = goal.settle(self.poses.body.pose()).names()
            if any(whole for _, whole in names):
                return [(self._region(goal, [name for name, _ in names]), "m")]
        return _site(goal, self.poses.site(goal.site), self.begun.site(goal.site), target)

    def _region(self, goal: mk.Inside | mk.Outside, names: Sequence[str]) -> np.ndarray:
        """How far whole segments are from being where a region wants them, by balls along their capsules."""
        self.unsure |= not all(shapes.known(self.poses.body, name) for name in names)
        names = [name for name in names if shapes.known(self.poses.body, name)]
        if not names:
            return np.zeros(self.poses.count)
        rows = np.concatenate([shapes.capsules(self.poses, name) for name in names], axis=1)
        x, r = shapes.balls(rows)
        away = shapes.to_clauses(goal.region, x)
        if isinstance(goal, mk.Outside):
            return np.maximum((goal.margin - (away.min(axis=0) - r)).max(axis=1), 0.0)
        return np.maximum((away + r).max(axis=2).min(axis=0), 0.0)

    def _too_near(self, goal: mk.SelfClearance) -> np.ndarray:
        worst = np.zeros(self.poses.count)
        for pair in goal.settle(self.poses.body.pose()).listed():
            known = all(shapes.known(self.poses.body, name) for name in pair[:2])
            self.unsure |= pair.kept and not known
            if pair.kept and known:
                gap = shapes.least(*(shapes.capsules(self.poses, name) for name in pair[:2]))
                worst = np.maximum(worst, min(goal.margin, pair.rest) - gap)
        return worst

    def _inside_support(self, goal: mk.Balance) -> np.ndarray:
        """The centre's distance inside the hull of the points, seen from above: the least over the normals across two
        of them of the farthest point that way; outside, less the distance to the nearest stretch between two; of points
        in a line, over that line and its two ends.
        """
        points = []
        for name, place in goal.settle(self.poses.body.pose()).points():
            kind, _, rest = name.rpartition(":")
            turn, origin = self.poses.segment(rest) if kind == "segment" else self.poses.site(rest or name)
            points.append((origin + turn @ place)[:, :2])
        x = np.stack(points, axis=1) - self.poses.center[:, None, :2]  # (N, P, 2)
        along = (x[:, :, None] - x[:, None]).reshape(len(x), -1, 2)
        length = norm(along)
        longest = length.max(axis=1, keepdims=True)
        across = along[..., ::-1] * [1.0, -1.0] / np.where(length > 0.0, length, 1.0)[..., None]
        reach = np.einsum("ndi,npi->ndp", across, x)
        usable = length > 1e-9 * (1.0 + longest)
        depth = np.where(usable, reach.max(axis=2), np.inf).min(axis=1)
        width = np.where(usable, np.ptp(reach, axis=2), np.inf).min(axis=1)
        out = np.flatnonzero(depth < 0.0)
        if len(out):
            # Two points that nearly coincide have no direction to speak of: what is in a triangle is inside.
            long = length[out] > 1e-4 * longest[out]
            within = np.where(long, reach[out].max(axis=2), np.inf).min(axis=1)
            inside = _in_a_triangle(x[out])
            depth[out] = np.where(inside, np.maximum(within, 0.0), -_from_stretches(x[out]))
        flat = ~(np.isfinite(width) & (width > 1e-10 * (longest[:, 0] + 1e-300)))
        return np.where(flat, _along_a_line(x, along, length), depth) if flat.any() else depth

    def _swivel(self, goal: mk.Swivel) -> np.ndarray:
        phi, stretched, unsure = swivelled(self.poses, goal.limb)
        low, high = goal.angle if isinstance(goal.angle, tuple) else (goal.angle, goal.angle)
        turns = phi[:, None] + 2.0 * math.pi * np.arange(-2, 3)
        off = np.maximum(np.maximum(low - turns, turns - high), 0.0).min(axis=1)
        return np.where(stretched, 0.0, np.maximum(off - self.rounding * unsure, 0.0))


def swivelled(poses: Poses, limb: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of limbs the angle about the line from end to end, whether they are stretched, so that there is none, and by how
    much rounding of the points, as a share of their largest coordinate, turns it.
    """
    points = [poses.site(name)[1] for name in limb]
    shoulder, elbow, wrist = points
    n = wrist - shoulder
    length = norm(n)
    n = n / np.where(length > 0.0, length, 1.0)[:, None]
    x = elbow - shoulder
    out, upper = norm(x - dot(x, n)[:, None] * n), norm(x)
    stretched = ~(out * length > 1e-6 * (upper + norm(wrist - elbow)) * (length + upper))
    down = np.array([0.0, 0.0, -1.0]) + n[:, 2:] * n
    side = np.array([1.0, 0.0, 0.0]) - n[:, :1] * n
    u = np.where((norm(down) < 1e-6)[:, None], side, down)
    lean = norm(u)
    u = u / np.where(lean > 0.0, lean, 1.0)[:, None]
    phi = np.arctan2(dot(x, np.cross(n, u)), dot(x, u))
    with np.errstate(divide="ignore", invalid="ignore"):
        turns = (length + upper) / (out * length) + 1.0 / (lean * length)
    turns = np.where(stretched, 0.0, turns)
    return phi, stretched, turns * np.abs(np.stack(points)).max(axis=(0, 2))


def _in_a_triangle(x: np.ndarray) -> np.ndarray:
    """Whether the origin is in the triangle of some three of the points (N, P, 2), none of them a sliver."""
    found = np.zeros(len(x), bool)
    for a, b, c in combinations(range(x.shape[1]), 3):
        u, v, w = x[:, a], x[:, b], x[:, c]
        parts = np.stack([_cross(v, w), _cross(w, u), _cross(u, v)])
        whole = parts.sum(axis=0)
        size = np.maximum((x**2).sum(axis=2).max(axis=1), 1e-300)
        fat = np.abs(whole) > 1e-9 * size
        found |= fat & (parts * np.sign(whole) >= -1e-15 * size).all(axis=0)
    return found


def _cross(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.asarray(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def _from_stretches(x: np.ndarray) -> np.ndarray:
    """The distance (N,) of the origin to the nearest of the stretches between any two of the points (N, P, 2)."""
    a, d = x[:, :, None], x[:, None] - x[:, :, None]
    square = (d * d).sum(axis=-1)
    t = np.clip(-(a * d).sum(axis=-1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return norm(a + t[..., None] * d).reshape(len(x), -1).min(axis=1)


def _along_a_line(x: np.ndarray, along: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The distance (N,) of the origin inside the stretch between the two of the points (N, P, 2) farthest apart."""
    rows, places = np.arange(len(x)), length.argmax(axis=1)
    longest = length[rows, places]
    u = along[rows, places] / np.where(longest > 0.0, longest, 1.0)[:, None]
    end = x[rows, places % x.shape[1]]
    ahead, aside = -dot(end, u), np.abs(end[:, 0] * u[:, 1] - end[:, 1] * u[:, 0])
    return np.where(longest > 0.0, np.minimum(-aside, np.minimum(ahead, longest - ahead)), -norm(end))


def _turned(axes: np.ndarray, target: np.ndarray, minded: Sequence[float]) -> np.ndarray:
    """The angle between frames, or between the one axis that is minded."""
    places = np.flatnonzero(minded)
    if len(places) == 1:
        k = int(places[0])
        return between(axes[..., :, k], np.broadcast_to(target[..., :, k], axes[..., :, k].shape))
    return angle_of(np.swapaxes(np.broadcast_to(target, axes.shape), -1, -2) @ axes)


def _placed(at: Frames, was: Frames) -> list[tuple[np.ndarray, str]]:
    return [(norm(at[1] - was[1]), "m"), (angle_of(np.swapaxes(was[0], -1, -2) @ at[0]), "rad")]


def _site(goal: mk.Goal, at: Frames, was: Frames, target: np.ndarray | None) -> list[tuple[np.ndarray, str]]:
    """Of a goal about the frames ``at``, which the starts had at ``was``."""
    axes, r = at
    if isinstance(goal, mk.Placement):
        place = np.asarray(goal.position) if target is None else target[:, :3, 3]
        turn = np.asarray(goal.orientation) if target is None else target[:, :3, :3]
        return [(norm(r - place), "m"), (_turned(axes, turn, goal.axes), "rad")]
    if isinstance(goal, mk.Orientation):
        return [(_turned(axes, np.asarray(goal.target) if target is None else target, goal.axes), "rad")]
    if isinstance(goal, mk.Position):
        return [(norm(r - (np.asarray(goal.target) if target is None else target)), "m")]
    if isinstance(goal, mk.Aim):
        away = (np.asarray(goal.at) if target is None else target) - r
        angle = between(axes @ np.asarray(goal.axis, dtype=float), away)
        return [(np.where(norm(away) > 1e-7, angle, 0.5 * math.pi), "rad")]
    if isinstance(goal, mk.OnLine):
        off = r - (np.asarray(goal.point) if target is None else target)
        return [(norm(np.cross(off, goal.direction)), "m")]
    if isinstance(goal, mk.OnPlane):
        off = r - (np.asarray(goal.point) if target is None else target)
        return [(np.abs(off @ np.asarray(goal.normal)), "m")]
    if isinstance(goal, mk.Inside):
        return [(np.maximum(shapes.to_clauses(goal.region, r).min(axis=0), 0.0), "m")]
    if isinstance(goal, mk.Outside):
        return [(np.maximum(goal.margin - shapes.to_clauses(goal.region, r).min(axis=0), 0.0), "m")]
    if isinstance(goal, mk.Range):
        back = goal.frame[:3, :3]
        held = {name: getattr(goal, name) for name in _SPANS}
        return _spans(held, (r - goal.frame[:3, 3]) @ back, lambda: log(back.T @ axes))
    assert isinstance(goal, mk.Pin), f"the judge does not know {goal!r}"
    names = goal.coordinates()
    held = {name: (0.0, 0.0) if name in names else None for name in _SPANS}
    change = axes @ np.swapaxes(was[0], -1, -2)
    if len([name for name in names if name.startswith("turn")]) == 3:
        held.update(dict.fromkeys(_SPANS[3:]))
        return [*_spans(held, r - was[1], lambda: r), (angle_of(change), "rad")]
    return _spans(held, r - was[1], lambda: log(change))


def _spans(held, places, turns) -> list[tuple[np.ndarray, str]]:
    """Coordinates and turns held to ranges."""
    found = []
    for unit, values, names in (("m", lambda: places, _SPANS[:3]), ("rad", turns, _SPANS[3:])):
        kept = [(k, held[name]) for k, name in enumerate(names) if held[name] is not None]
        if kept:
            x = values()
            off = [np.maximum(np.maximum(low - x[:, k], x[:, k] - high), 0.0) for k, (low, high) in kept]
            found.append((norm(np.stack(off, axis=-1)), unit))
    return found

"""The target's clip: what every part should do in every frame, and the frames that do it.

Frames are followed one from the other. Hands that touch are then led to where the parts they touch really are, which
may be off from where these should be, and the frames around are followed again.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.figure import Figure, transforms
from manikin.goals import Orientation, Position
from manikin.motion.paths import TargetCurve, matrices
from manikin.motion.quaternions import exp
from manikin.motion.refine import tied
from manikin.motion.tracking import in_parts
from manikin.motion.wishes import Wish
from manikin.retargeting.aims import touch
from manikin.retargeting.bones import points
from manikin.retargeting.contacts import spans
from manikin.retargeting.fewer import Fewer
from manikin.retargeting.follow import Follower, Point, Turn, firm
from manikin.retargeting.roles import Roles

#: How much each role's place matters.
WEIGHTS = {
    "hip": 1.0,
    "knee": 0.3,
    "ankle": 1.0,
    "toe": 0.2,
    "shoulder": 0.5,
    "elbow": 0.4,
    "wrist": 1.0,
    "head": 0.3,
}
#: Of a part that stands, beside these: its slip is smaller than other misses by as much.
STANDS = 1e4
#: Of a foot's being flat, which yields where the ankle cannot.
FLAT = 100.0
#: Of a hand that touches a part.
TOUCHES = 300.0
#: Seconds in which these weights grow before a contact, and fade after it.
_RAMP = 0.1
#: What anything weighs at most while the first frame is looked for.
_GENTLE = (1.0, 100.0)
#: How often hands are led to the parts that they touch: at least, and at most while they come nearer; metres that will
#: do, and the share of the way before that a round must take off.
_ROUNDS, _MOST_ROUNDS = 2, 6
_NEAR, _GAIN = 1e-3, 0.1


class Clip:
    """The target's clip as points and turns to follow."""

    def __init__(
        self,
        figure: Figure,
        roles: Roles,
        times: np.ndarray,
        source: Mapping[str, np.ndarray],
        aims: Mapping[str, np.ndarray],
        standing: Mapping[str, np.ndarray],
        held: set[str],
        near: Mapping[tuple[str, str], np.ndarray],
        scale: float,
    ) -> None:
        self.figure, self.roles, self.times, self.scale = figure, roles, times, scale
        self.source, self.aims = source, {role: aim for role, aim in aims.items() if role in roles}
        self.near = {pair: share for pair, share in near.items() if set(pair) <= set(self.aims)}
        self.weights: dict[str, np.ndarray] = {}
        for role in self.aims:
            plain = WEIGHTS[role.rpartition("_")[2]]
            # Both ends of a rigid foot would be held twice: a flat foot by its ankle and its turn.
            foot = f"{role.rpartition('_')[0]}_ankle"
            stands = role in held and (not role.endswith("_toe") or foot not in standing)
            mask = standing[role] if stands else np.zeros(len(times), bool)
            self.weights[role] = firm(times, mask, plain, STANDS, _RAMP)
        self.turns = [turn for side in ("left", "right") if (turn := self._flat(side, standing, held))]
        # Polygons inside the cones, which the tracker does not know.
        self.fewer = Fewer(figure.with_polygons() if figure.cones else figure)
        self.easy = _off_limits(figure)
        #: What was followed in the end: these aims and weights, or those of hands led to what they touch.
        self.touched: dict[str, np.ndarray] = self.aims
        self.pulled: dict[str, np.ndarray] = self.weights

    def solved(self, smoothing: float) -> np.ndarray:
        """The values of all frames."""
        follower = self._follower(self.aims, self.weights)
        start = self._first(follower)
        q = follower.follow(start)
        if self.near:
            q = self._led(q, start)
        if smoothing > 0.0:
            q, _ = in_parts(self.figure, self.times, q, self._wishes(), smoothing, False, self._basis())
        return q

    def _first(self, follower: Follower) -> np.ndarray:
        """The first frame: gently, as stiff goals are a narrow valley to a pose that is far off, then as it is."""
        start = self._start()
        for most in _GENTLE:
            marks = [
                Point(self.roles[role], aim[:1], np.minimum(self.weights[role][:1], most))
                for role, aim in self.aims.items()
            ]
            turns = [Turn(t.segment, t.targets[:1], np.minimum(t.weights[:1], most)) for t in self.turns]
            start = Follower(self.fewer, self.times[:1], marks, turns, self.easy).settled(start)
        return follower.settled(start)

    def _follower(self, aims: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray]) -> Follower:
        marks = [Point(self.roles[role], aim, weights[role]) for role, aim in aims.items()]
        return Follower(self.fewer, self.times, marks, self.turns, self.easy)

    def _led(self, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The clip with its hands led to what they touch, in rounds: what they touch moves with them."""
        best = np.inf
        kept = q, self.touched, self.pulled
        for done in range(1, _MOST_ROUNDS + 1):
            q = self._touched(q, start)
            if done < _ROUNDS:
                continue
            # A round may also end in another minimum, where hands are farther off: the best one counts.
            before, off = best, self._off(q)
            if off < before:
                best, kept = off, (q, self.touched, self.pulled)
            if off < _NEAR or off > (1.0 - _GAIN) * before:
                break
        q, self.touched, self.pulled = kept
        return q

    def _off(self, q: np.ndarray) -> float:
        """How far a hand in contact is off, at most, metres."""
        at = points(self.figure, q, self.roles)
        worst = 0.0
        for hand, aim in touch(self.source, self.aims, at, self.near, self.scale).items():
            share = np.max([near for (one, _), near in self.near.items() if one == hand], axis=0)
            away = np.linalg.norm(at[hand] - aim, axis=1)[share >= 1.0]
            worst = max(worst, float(away.max(initial=0.0)))
        return worst

    def _touched(self, q: np.ndarray, start: np.ndarray) -> np.ndarray:
        """The clip with the hands led to the parts that they touch, where these are in q."""
        at = points(self.figure, q, self.roles)
        aims, weights = dict(self.aims), dict(self.weights)
        some = np.zeros(len(q), bool)
        for hand, aim in touch(self.source, self.aims, at, self.near, self.scale).items():
            share = np.max([near for (one, _), near in self.near.items() if one == hand], axis=0)
            aims[hand] = aim
            weights[hand] = np.maximum(weights[hand], WEIGHTS["wrist"] * TOUCHES**share)
            some |= share > 0.0
        follower, result = self._follower(aims, weights), q.copy()
        for low, high in spans(some):
            begin = result[low - 1] if low else follower.settled(start)
            result[low:high] = follower.follow(begin, low, high)
        self.touched, self.pulled = aims, weights
        return result

    def _flat(self, side: str, standing: Mapping[str, np.ndarray], held: set[str]) -> Turn | None:
        """A foot that stands is flat and keeps its heading."""
        ankle = f"{side}_ankle"
        if ankle not in held or ankle not in self.aims:
            return None
        mask = standing[ankle]
        foot = self._foot(side)
        rest = self.figure.forward(self.figure.rest, foot)[0, :3, :3]
        forward = self._heading_at_rest(side)
        heading = _foot_heading(side, self.source)
        turn = np.unwrap(np.arctan2(heading[:, 1], heading[:, 0])) - np.arctan2(forward[1], forward[0])
        for low, high in spans(mask):
            turn[low:high] = np.median(turn[low:high])
        vectors = np.zeros((len(turn), 3))
        vectors[:, 2] = turn
        weights = firm(self.times, mask, 0.01, FLAT, _RAMP)
        return Turn(foot, matrices(exp(vectors)) @ rest, np.where(weights > 0.0101, weights, 0.0))

    def _foot(self, side: str) -> str:
        """The segment that stands: that of the ankle or, where the ankle is a point of the shank, the next."""
        figure, ankle = self.figure, self.figure.site(self.roles[f"{side}_ankle"])
        joints = {joint.child: joint for joint in figure.joints.values()}
        at = figure.forward(figure.rest, ankle.name)[0, :3, 3]
        chain = [figure.site(self.roles[f"{side}_toe"]).segment] if f"{side}_toe" in self.roles else []
        while chain and chain[-1] in joints and chain[-1] != ankle.segment:
            chain.append(joints[chain[-1]].parent)
        if not chain or chain[-1] != ankle.segment:
            return ankle.segment
        below = chain[:-1][::-1]  # from the ankle to the toe
        found = ankle.segment
        for segment in below:
            joint = joints[segment]
            place = figure.forward(figure.rest, joint.parent)[0] @ joint.placement
            if np.linalg.norm(place[:3, 3] - at) < 0.01:
                found = segment
        return found

    def _heading_at_rest(self, side: str) -> np.ndarray:
        """Which way the foot points at rest: to its toe, or forward, across the hips."""
        at = points(self.figure, self.figure.rest, self.roles)
        if f"{side}_toe" in at:
            return (at[f"{side}_toe"] - at[f"{side}_ankle"])[0]
        across = (at["left_hip"] - at["right_hip"])[0]
        return np.cross(across, [0.0, 0.0, 1.0])

    def _start(self) -> np.ndarray:
        """An easy pose, turned about the vertical and moved to where the first frame is."""
        figure, q = self.figure, self.easy.copy()
        at = figure.forward(q, [self.roles["left_hip"], self.roles["right_hip"]])[:, :3, 3]
        want = np.stack([self.aims["left_hip"][0], self.aims["right_hip"][0]])
        one, two = at[0] - at[1], want[0] - want[1]
        turn = transforms.rotation(
            transforms.turn_z(float(np.arctan2(two[1], two[0]) - np.arctan2(one[1], one[0])))
        )
        turn[:3, 3] = want.mean(axis=0) - turn[:3, :3] @ at.mean(axis=0)
        root = transforms.translation(q[:3]) @ transforms.rotation(transforms.exp(q[3:6]))
        moved = transforms.inverse(figure.location) @ turn @ figure.location @ root
        q[:3], q[3:6] = moved[:3, 3], transforms.log(moved[:3, :3])
        return q

    def _wishes(self) -> list[Wish]:
        """All that is followed, as residuals of a clip."""
        aims, weights = self.touched, self.pulled
        found = [Wish(Position(self.roles[role], aim[0]), aim, weights[role]) for role, aim in aims.items()]
        return found + [Wish(Orientation(t.segment, t.targets[0]), t.targets, t.weights) for t in self.turns]

    def _basis(self) -> np.ndarray:
        """The directions in which coordinates that move some part go; eyes and fingers stay."""
        moves = np.zeros(self.figure.n, bool)
        for role in self.aims:
            jacobian = self.figure.jacobian(self.figure.rest, self.roles[role])
            moves |= np.abs(jacobian).max(axis=0) > 1e-9
        return tied(self.figure, np.flatnonzero(moves))


def _off_limits(figure: Figure) -> np.ndarray:
    """Rest, with what is at the end of its range a tenth of it away: a straight knee does not know how to bend.

    Coordinates of couplings stay at rest, where these hold.
    """
    result = np.array(figure.rest)
    alone = np.ones(figure.n, bool)
    for coupling in figure.couplings:
        alone[[figure.index(name) for name in coupling.coefficients]] = False
    width = np.where(np.isfinite(figure.upper - figure.lower), figure.upper - figure.lower, 0.0)
    low, high = result <= figure.lower + 1e-9, result >= figure.upper - 1e-9
    result[alone & low] += 0.1 * width[alone & low]
    result[alone & high & ~low] -= 0.1 * width[alone & high & ~low]
    return result


def _foot_heading(side: str, source: Mapping[str, np.ndarray]) -> np.ndarray:
    """Which way a foot of the source points, level, (T, 3)."""
    if f"{side}_toe" in source:
        away = source[f"{side}_toe"] - source[f"{side}_ankle"]
    else:
        away = np.cross(source["left_hip"] - source["right_hip"], [0.0, 0.0, 1.0])
    away = away * np.array([1.0, 1.0, 0.0])
    level = np.linalg.norm(away, axis=1) > 1e-6
    if level.all() or not level.any():
        return away if level.any() else np.tile([1.0, 0.0, 0.0], (len(away), 1))
    known = np.flatnonzero(level)
    return TargetCurve(known.astype(float), away[known]).at(np.arange(len(away), dtype=float))

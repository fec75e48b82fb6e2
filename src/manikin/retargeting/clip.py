"""The target's clip: what every part should do in every frame, and the frames that do it.

Frames are followed one from the other. Hands that touch are then led to where the parts they touch really are, which
may be off from where these should be, and the frames around are followed again; contacts are made exact (`held`), and
flips passed no faster than joints may go (`steady`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.figure import Figure, transforms
from manikin.goals import Orientation, Position
from manikin.motion.refine import tied
from manikin.motion.tracking import in_parts
from manikin.motion.wishes import Wish
from manikin.retargeting.aims import touch
from manikin.retargeting.bones import points
from manikin.retargeting.contacts import lasting, spans
from manikin.retargeting.feet import SWINGS, Feet
from manikin.retargeting.fewer import Fewer
from manikin.retargeting.follow import Follower, Point, Turn, firm
from manikin.retargeting.held import Contacts, Touch
from manikin.retargeting.roles import Roles
from manikin.retargeting.steady import steadied

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
#: Of a hand that touches a part.
TOUCHES = 300.0
#: Of a hand that touches a part, beside what every coordinate weighs, when contacts are made exact.
EXACT = 1e4
#: How many times more than in the following what stands weighs then: where both cannot be, hands give way.
FIRST = 100.0
#: Seconds in which these weights grow before a contact, and fade after it.
RAMP = 0.1
#: Seconds in which a hand is led to what it touches, and let go after it.
_LEAD = 0.3
#: What anything weighs at most while the first frame is looked for.
_GENTLE = (1.0, 100.0)
#: What was followed anew has come back to the clip when no coordinate is farther off; by how many frames it goes on.
_MET, _ON = 1e-3, 16


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
        feet: Feet,
    ) -> None:
        self.figure, self.roles, self.times, self.scale = figure, roles, times, scale
        self.source, self.aims = source, {role: aim for role, aim in aims.items() if role in roles}
        led = {
            pair: lasting(times, share, _LEAD) for pair, share in near.items() if set(pair) <= set(self.aims)
        }
        #: How firmly a hand is led to what it touches: 1 in contact, less for a while before and after it.
        self.near = {pair: share for pair, share in led.items() if share.any()}
        self.weights: dict[str, np.ndarray] = {}
        for role in self.aims:
            plain = WEIGHTS[role.rpartition("_")[2]]
            mask = standing[role] if role in held else np.zeros(len(times), bool)
            if role.endswith(
                "_toe"
            ):  # both ends of a flat foot would be held twice: its ankle and its turn hold it
                mask = mask & ~standing[f"{role.rpartition('_')[0]}_ankle"]
            self.weights[role] = firm(times, mask, plain, STANDS, RAMP)
        sides = [s for s in ("left", "right") if f"{s}_ankle" in held and f"{s}_ankle" in self.aims]
        self.turns = [feet.turn(side, standing[f"{side}_ankle"]) for side in sides]
        # Polygons inside the cones, which the tracker does not know.
        self.fewer = Fewer(figure.with_polygons() if figure.cones else figure)
        self.easy = _off_limits(figure)
        #: What was followed in the end: these aims and weights, or those of hands led to what they touch.
        self.touched: dict[str, np.ndarray] = self.aims
        self.pulled: dict[str, np.ndarray] = self.weights

    def solved(
        self, smoothing: float, speed: np.ndarray, acceleration: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values of all frames, and which were led off by limits on speed and acceleration, (n,) each."""
        follower = self._follower(self.aims, self.weights)
        start = self._first(follower)
        q = follower.follow(start)
        if self.near:
            q = self._led(q, start)
        if smoothing > 0.0:
            q, _ = in_parts(self.figure, self.times, q, self._wishes(), smoothing, False, self._basis())
        contacts = self._contacts()
        if self.near:
            some = contacts.touching(len(q))
            touched = contacts.held(q, some)
            within_reach = contacts.reachable(touched)
            if within_reach is not None:
                contacts, touched = within_reach, within_reach.held(q, some)
            q = touched
        return steadied(self.figure, self.roles, self.times, q, speed, acceleration, contacts)

    def _contacts(self) -> Contacts:
        """What stands and what touches, with weights that are 0 elsewhere."""
        stands = []
        for role, aim in self.aims.items():
            firm_by = self.weights[role] - WEIGHTS[role.rpartition("_")[2]]
            if firm_by.any():
                stands.append(Wish(Position(self.roles[role], aim[0]), aim, FIRST * np.maximum(firm_by, 0.0)))
        for turn in self.turns:
            firm_by = np.maximum(turn.weights - SWINGS, 0.0)
            stands.append(Wish(Orientation(turn.segment, turn.targets[0]), turn.targets, firm_by))
        touches = [
            Touch(
                self.roles[hand],
                self.roles[part],
                self.scale * (self.source[hand] - self.source[part]),
                np.where(share > 0.0, EXACT ** (2.0 * share - 1.0), 0.0),
            )
            for (hand, part), share in self.near.items()
        ]
        return Contacts(self.figure, stands, touches, self._basis)

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
        """The clip with the hands led to the parts that they touch, where these are in q.

        What is followed anew goes on until it is where the clip was, so that no branch is left at once.
        """
        at = points(self.figure, q, self.roles)
        aims, weights = dict(self.aims), dict(self.weights)
        some = np.zeros(len(q), bool)
        for hand, aim in touch(self.source, self.aims, at, self.near, self.scale).items():
            share = np.max([near for (one, _), near in self.near.items() if one == hand], axis=0)
            aims[hand] = aim
            weights[hand] = np.maximum(weights[hand], WEIGHTS["wrist"] * TOUCHES**share)
            some |= share > 0.0
        follower, result = self._follower(aims, weights), q.copy()
        done = 0
        for low, high in spans(some):
            low = max(low, done)
            if low >= high:
                continue
            begin = result[low - 1] if low else follower.settled(start)
            result[low:high] = follower.follow(begin, low, high)
            while high < len(q) and np.abs(result[high - 1] - q[high - 1]).max() > _MET:
                low, high = high, min(high + _ON, len(q))
                result[low:high] = follower.follow(result[low - 1], low, high)
            done = high
        self.touched, self.pulled = aims, weights
        return result

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

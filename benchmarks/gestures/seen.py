"""What was seen of a gesture: the pose before it, those on the way, the one after; and what can be asked of them.

Every question gives a sentence with the figures and whether it is as expected. Lengths are in metres of a person whose
hips are 0.93 m high: `scale` is the figure's size beside that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manikin.figure import Pose

Answer = tuple[str, bool]
SIDES = ("left", "right")
HIPS = 0.93


def scale_of(pose: Pose) -> float:
    """A figure's size beside a person's, by its hips at rest."""
    rest = pose.figure.pose()
    return float(rest.position("pelvis")[2] - min(rest.position(f"{s}_heel")[2] for s in SIDES)) / HIPS


@dataclass(frozen=True, eq=False)
class Seen:
    """One gesture.

    hand: where the hand was at each pose of the way. steps: how many steps of undo it added; words: what the studio
    says in the end. place, target: where the hand began and where it went.
    """

    before: Pose
    way: list[Pose]
    hand: list[np.ndarray]
    after: Pose
    scale: float
    steps: int
    words: str
    place: np.ndarray
    target: np.ndarray

    def soles_stay(self, within: float = 0.001) -> Answer:
        off = max(
            float(np.linalg.norm(self.moved(f"{side}_{part}"))) for side in SIDES for part in ("heel", "toe")
        )
        return f"soles move by {1e3 * off:.2f} mm", off <= within

    def moved(self, site: str) -> np.ndarray:
        """How far a site went."""
        return self.after.position(site) - self.before.position(site)

    def stays(self, site: str, within: float) -> Answer:
        """Whether a site is where it was, within so many metres."""
        off = float(np.linalg.norm(self.moved(site)))
        return f"{_said(site)} moves by {100.0 * off:.1f} cm", off <= within * self.scale

    def goes(self, site: str, way: tuple[float, float, float], within: float) -> Answer:
        """Whether a site went so far."""
        off = float(np.linalg.norm(self.moved(site) - self.scale * np.array(way)))
        return f"{_said(site)} is {100.0 * off:.1f} cm from the hand", off <= within * self.scale

    def falls(self, site: str, by: float, within: float) -> Answer:
        """Whether a site went down by so much, up for less than 0."""
        fell = -float(self.moved(site)[2])
        return f"{_said(site)} goes {'down' if by > 0 else 'up'} by {100.0 * abs(fell):.1f} cm", (
            abs(fell - by * self.scale) <= within * self.scale
        )

    def follows(self, site: str, share: float = 0.9) -> Answer:
        """Whether a site went most of the way that the hand went, and in its direction."""
        way = self.target - self.place
        length = float(np.linalg.norm(way))
        along = float(self.moved(site) @ way) / length**2
        return f"{_said(site)} goes {100.0 * along:.0f} % of the way", along >= share

    def upright(self, within: float = 30.0) -> Answer:
        """Whether the trunk is upright, degrees."""
        lean = _lean(self.after)
        return f"trunk leans {lean:.0f}°", lean <= within

    def leans(self, least: float) -> Answer:
        """Whether the trunk leans by so many degrees at least."""
        lean = _lean(self.after)
        return f"trunk leans {lean:.0f}°", lean >= least

    def knees_bend(self, least: float) -> Answer:
        """Whether both knees are bent by so many degrees more."""
        more = [knee(self.after, side) - knee(self.before, side) for side in SIDES]
        return f"knees bend by {more[0]:.0f}° and {more[1]:.0f}°", min(more) >= least

    def elbow(self, side: str, most: float) -> Answer:
        """Whether an arm is as straight as that, degrees."""
        bend = _bend(self.after, f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist")
        return f"the elbow is bent by {bend:.0f}°", bend <= most

    def weight_over(self, side: str, least: float = 0.6) -> Answer:
        """Whether the centre of mass is so far over to a foot: 0 midway between the feet, 1 over it."""
        one, other = (
            self.after.position(f"{s}_foot")[:2] for s in (side, "right" if side == "left" else "left")
        )
        middle = 0.5 * (one + other)
        share = float(
            (self.after.center_of_mass()[:2] - middle) @ (one - middle) / ((one - middle) @ (one - middle))
        )
        return f"the weight is {100.0 * share:.0f} % over the {side} foot", least <= share <= 1.6

    def weight_goes_along(self, share: float = 0.7) -> Answer:
        """Whether the centre of mass goes so much of the way that the hips go, across."""
        hips = self.moved("pelvis")[:2]
        center = (self.after.center_of_mass() - self.before.center_of_mass())[:2]
        along = float(center @ hips / (hips @ hips))
        return f"the weight goes {100.0 * along:.0f} % of the hips' way", share <= along <= 1.5

    def on_toes(self) -> Answer:
        """Whether the heels rose and the toes stayed."""
        rise = min(float(self.moved(f"{side}_heel")[2]) for side in SIDES)
        slip = max(float(np.linalg.norm(self.moved(f"{side}_toe"))) for side in SIDES)
        return f"heels rise by {100.0 * rise:.1f} cm, toes move by {1e3 * slip:.1f} mm", (
            rise > 0.02 * self.scale and slip <= 0.005 * self.scale
        )

    def turned(self, site: str, least: float, most: float) -> Answer:
        """Whether a site turned by so many degrees."""
        angle = _angle(self.before.matrix(site), self.after.matrix(site))
        return f"{_said(site)} turns by {angle:.1f}°", least <= angle <= most

    def comes_back(self, within: float = 1.0) -> Answer:
        """Whether the pose is what it was, degrees."""
        off = float(np.degrees(np.abs(self.after.q - self.before.q).max()))
        return f"joints are within {off:.2f}° of where they were", off <= within

    def nothing_jumps(self) -> Answer:
        """Whether no part went much farther than the hand between two events: eight times as far, and 2 cm."""
        sites = [
            site
            for site in ("pelvis", "chest", "head", *(f"{s}_{p}" for s in SIDES for p in PARTS))
            if site in self.after.figure.sites
        ]
        at = np.array([[pose.position(site) for site in sites] for pose in (self.before, *self.way)])
        hand = np.array([self.place, *self.hand])
        parts = np.linalg.norm(np.diff(at, axis=0), axis=2).max(axis=1)
        over = parts - 8.0 * np.linalg.norm(np.diff(hand, axis=0), axis=1) - 0.02 * self.scale
        worst = int(over.argmax()) if len(over) else 0
        far = float(parts[worst]) if len(parts) else 0.0
        return f"between two events no part moves farther than {100.0 * far:.1f} cm", not len(over) or over[
            worst
        ] <= 0.0

    def above_the_floor(self) -> Answer:
        """Whether nothing is below the floor."""
        low = min(float(self.after.position(name)[2]) for name in self.after.figure.sites)
        return f"the lowest point is at {100.0 * low:.1f} cm", low >= -0.006 * self.scale

    def steps_are(self, count: int) -> Answer:
        """How many steps of undo there are more."""
        return f"{self.steps} steps of undo", self.steps == count

    def says(self, *words: str) -> Answer:
        """Whether the studio says why."""
        return f"it says: {self.words.splitlines()[0] if self.words else 'nothing'}", all(
            word in self.words for word in words
        )

    def within_ranges(self) -> Answer:
        """Whether all joints are inside their ranges."""
        figure, q = self.after.figure, self.after.q
        off = float(np.maximum(np.maximum(figure.lower - q, q - figure.upper), 0.0).max())
        return f"joints leave their ranges by {off:.0e}", off <= 1e-9


PARTS = ("elbow", "hand", "knee", "foot")


def knee(pose: Pose, side: str) -> float:
    """How far a knee is bent, degrees."""
    return _bend(pose, f"{side}_hip", f"{side}_knee", f"{side}_ankle")


def _bend(pose: Pose, one: str, middle: str, other: str) -> float:
    a, b = pose.position(middle) - pose.position(one), pose.position(other) - pose.position(middle)
    return float(np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1.0, 1.0))))


def _lean(pose: Pose) -> float:
    shoulders = 0.5 * (pose.position("left_shoulder") + pose.position("right_shoulder"))
    up = shoulders - pose.position("pelvis")
    return float(np.degrees(np.arccos(up[2] / np.linalg.norm(up))))


def _angle(one: np.ndarray, other: np.ndarray) -> float:
    turn = one[:3, :3].T @ other[:3, :3]
    return float(np.degrees(np.arccos(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0))))


def _said(site: str) -> str:
    return "the hips" if site == "pelvis" else f"the {site.replace('_', ' ')}"

"""How feet are turned: flat with one heading while they stand, and as the source's are while they swing.

An ankle's place says nothing of how the foot is turned, and a straight leg turns about itself at no cost; so between
contacts feet follow the source's heading and pitch, at a small weight.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from manikin.figure import Figure
from manikin.motion.paths import TargetCurve, matrices
from manikin.motion.quaternions import exp, product
from manikin.retargeting.bones import points
from manikin.retargeting.contacts import spans
from manikin.retargeting.follow import Turn, firm
from manikin.retargeting.roles import Roles

#: Of a foot's being flat, which yields where the ankle cannot; and of its turning in the air, metres² a radian².
FLAT, SWINGS = 100.0, 0.01


class Feet:
    """The feet of a figure that follows a source's."""

    def __init__(
        self, figure: Figure, roles: Roles, times: np.ndarray, source: Mapping[str, np.ndarray], ramp: float
    ) -> None:
        self.figure, self.roles, self.times, self.source, self.ramp = figure, roles, times, source, ramp

    def turn(self, side: str, stands: np.ndarray) -> Turn:
        """What a foot that stands in some frames, (T,) of bool, should be turned to in all of them."""
        foot = self._segment(side)
        rest = self.figure.forward(self.figure.rest, foot)[0, :3, :3]
        forward = self._heading_at_rest(side)
        rotation = self._headed(side, stands)
        weights = firm(self.times, stands, SWINGS, FLAT, self.ramp)
        if f"{side}_toe" not in self.source:
            weights = np.where(weights > 1.01 * SWINGS, weights, 0.0)
            return Turn(foot, matrices(rotation) @ rest, weights)
        pitch = self._kept(self._pitch(side, stands), stands, 0.0)
        left = np.array([-forward[1], forward[0], 0.0]) / max(float(np.hypot(*forward[:2])), 1e-12)
        rotation = product(rotation, exp(-pitch[:, None] * left))
        return Turn(foot, matrices(rotation) @ rest, weights)

    def toe_of_flat(self, side: str, stands: np.ndarray) -> np.ndarray:
        """The way from the ankle to the toe while the foot is flat, (T, 3)."""
        at = points(self.figure, self.figure.rest, self.roles)
        away = (at[f"{side}_toe"] - at[f"{side}_ankle"])[0]
        found: np.ndarray = matrices(self._headed(side, stands)) @ away
        return found

    def _headed(self, side: str, stands: np.ndarray) -> np.ndarray:
        """How a flat foot is turned about the vertical from rest, as quaternions (T, 4)."""
        forward = self._heading_at_rest(side)
        heading = foot_heading(side, self.source)
        turned = np.unwrap(np.arctan2(heading[:, 1], heading[:, 0]))
        return self._about_z(self._kept(turned, stands) - np.arctan2(forward[1], forward[0]))

    def _kept(self, angle: np.ndarray, stands: np.ndarray, at: float | None = None) -> np.ndarray:
        """An angle (T,) that is one number over each contact, its median or `at`; what it is off fades between."""
        if not stands.any():
            return angle
        stays = angle.copy()
        for low, high in spans(stands):
            stays[low:high] = np.median(angle[low:high]) if at is None else at
        found: np.ndarray = angle + np.interp(self.times, self.times[stands], (stays - angle)[stands])
        return found

    def _pitch(self, side: str, stands: np.ndarray) -> np.ndarray:
        """How far the source's toe is lifted, radians, from where it is while the foot stands."""
        away = self.source[f"{side}_toe"] - self.source[f"{side}_ankle"]
        lifted: np.ndarray = np.arctan2(away[:, 2], np.linalg.norm(away[:, :2], axis=1))
        return lifted - np.median(lifted[stands] if stands.any() else lifted)

    def _about_z(self, angle: np.ndarray) -> np.ndarray:
        vectors = np.zeros((len(angle), 3))
        vectors[:, 2] = angle
        return exp(vectors)

    def _segment(self, side: str) -> str:
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


def foot_heading(side: str, source: Mapping[str, np.ndarray]) -> np.ndarray:
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

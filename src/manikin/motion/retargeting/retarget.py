"""`retarget`: a motion of one figure taken over to another of other size, names and structure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure, transforms
from manikin.goals import Orientation, Position
from manikin.motion.curve import Curve
from manikin.motion.edit import smooth
from manikin.motion.motion import Motion
from manikin.motion.paths import TargetCurve, matrices
from manikin.motion.quaternions import exp
from manikin.motion.refine import refine, tied
from manikin.motion.retargeting.bones import Sizes, points, sizes, unit, wanted
from manikin.motion.retargeting.contacts import spans, still
from manikin.motion.retargeting.roles import Roles, guess, needed
from manikin.motion.tracking import in_parts
from manikin.motion.wishes import Wish, residuals

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
#: Of a foot that stands, beside these: its slip is smaller than other misses by as much.
STANDS = 1e5
#: Of its being flat, which yields where the ankle cannot.
FLAT = 100.0
_GRIP = 0.12
_STRIDE = 8
#: What standing weighs at most while the frames are still far from where they will be.
_FIRM = 30.0


class Retargeted(Motion):
    """A motion taken over from another figure.

    roles, source_roles: which site plays which part. scale: the ratio of the legs. contacts: by role, when a foot
        stands, (T,). misses: by role, how far each part is from where its bones should point, metres, (T,).
    """

    roles: Roles
    source_roles: Roles
    scale: float
    contacts: dict[str, np.ndarray]
    misses: dict[str, np.ndarray]

    def slip(self) -> float:
        """The farthest that any standing foot moves while it stands, metres."""
        worst = 0.0
        for role, found in self.contacts.items():
            if role not in self.roles or (role.endswith("_toe") and self.contacts[role[:-3] + "ankle"].any()):
                continue
            at = self.forward(self.roles[role])[:, 0, :3, 3]
            for low, high in spans(found):
                worst = max(worst, float(np.linalg.norm(at[low:high] - at[low], axis=1).max()))
        return worst


def retarget(
    motion: Motion,
    figure: Figure,
    *,
    roles: Mapping[str, str] | None = None,
    source_roles: Mapping[str, str] | None = None,
    scale: float | None = None,
    ground: float | None = None,
    sole: float | None = None,
    contacts: Mapping[str, Any] | None = None,
    smoothing: float = 0.0,
    name: str = "",
) -> Retargeted:
    """The motion on another figure: every bone points as it did, feet that stand stay, heights are in proportion.

    figure: the figure to move; its base must be free.
    roles, source_roles: sites by role (``"left_knee"``, see `manikin.motion.retargeting.roles`) in place of those
        guessed from names and geometry; `roles_of` shows the guess.
    scale: of heights and ways; by default the ratio of the legs' lengths.
    ground: the height of the ground in the source, metres; by default under its lowest foot.
    sole: how high the target's ankles are above the ground when it stands; by default from its toes and shapes.
    contacts: by role (``"left_ankle"``, ``"left_toe"``), when a foot stands, (T,) of bool; by default found from how
    low
        and slow it is.
    smoothing: λ of `refine`, s⁵, for sources that jitter; the clip as a whole is smoothed by it.

    Ranges and couplings of the target hold in every frame. Hands that are near each other, a knee, the hips or the head
    in the source are as near in the target.
    """
    motion = (
        motion
        if isinstance(motion, Motion)
        else Motion(motion.figure, motion.times, motion.q, name=motion.name)
    )
    if figure.base != "free":
        raise FigureError(
            f"figure {figure.name!r}: only a figure on a free base can be retargeted to; load it with base='free'"
        )
    mine, theirs = guess(figure, roles), guess(motion.figure, source_roles)
    needed(mine)
    needed(theirs)
    source = points(motion.figure, motion.q, theirs)
    own, other = sizes(figure, mine), sizes(motion.figure, theirs, motion.q[0])
    ratio = own.leg / other.leg if scale is None else float(scale)
    times = motion.times
    height = _floor(source) if ground is None else float(ground)
    ankle = own.ankle if sole is None else float(sole)
    standing = _contacts(times, source, other.leg, contacts)
    aims = wanted(source, own, ratio, height)
    _touching(source, aims, ratio, other.leg)
    stays = _stand(times, aims, standing, ankle, own.toe)
    clip = _Clip(figure, mine, own, times, source, aims, standing, stays)
    q = clip.solved(smoothing)
    result = Retargeted(figure, times, q, name=name or motion.name)
    result.roles, result.source_roles, result.scale = mine, theirs, ratio
    result.contacts = standing
    at = points(figure, q, mine)
    result.misses = {role: np.linalg.norm(at[role] - aims[role], axis=1) for role in aims if role in at}
    return result


def roles_of(figure: Figure, roles: Mapping[str, str] | None = None) -> Roles:
    """The roles of a figure's sites as `retarget` guesses them; print it to see them."""
    return guess(figure, roles)


def _floor(source: dict[str, np.ndarray]) -> float:
    """The height under the lowest foot, but for the lowest two frames in a hundred."""
    feet = [p[:, 2] for role, p in source.items() if role.endswith(("_ankle", "_toe"))]
    return float(np.quantile(np.min(feet, axis=0), 0.02))


def _contacts(
    times: np.ndarray, source: dict[str, np.ndarray], leg: float, given: Mapping[str, Any] | None
) -> dict[str, np.ndarray]:
    """When each ankle and toe stands."""
    found = {}
    for role, p in source.items():
        if role.endswith(("_ankle", "_toe")):
            found[role] = still(times, p, 0.06 * leg, 0.35 * leg)
    for role, mask in (given or {}).items():
        array = np.asarray(mask, dtype=bool)
        if role not in source or array.shape != times.shape:
            raise FigureError(f"contacts: {role!r} must be a foot's role with {len(times)} truth values")
        found[role] = array
    return found


def _touching(source: dict[str, np.ndarray], aims: dict[str, np.ndarray], scale: float, leg: float) -> None:
    """Hands near another part keep their distance to it: the nearer, the more."""
    for side, other in (("left", "right"), ("right", "left")):
        hand = f"{side}_wrist"
        if hand not in aims:
            continue
        moved = aims[hand].copy()
        for part in (
            f"{other}_wrist",
            f"{side}_knee",
            f"{other}_knee",
            f"{side}_hip",
            "head",
            f"{other}_elbow",
        ):
            if part not in aims or part not in source:
                continue
            away = source[hand] - source[part]
            near = 1.0 - smooth((np.linalg.norm(away, axis=1) / leg - _GRIP) / _GRIP)
            share = (0.5 if part.endswith("_wrist") else 1.0) * near[:, None]
            moved += share * (aims[part] + scale * away - aims[hand])
        aims[hand] = moved


def _stand(
    times: np.ndarray,
    aims: dict[str, np.ndarray],
    standing: dict[str, np.ndarray],
    ankle: float,
    toe: float,
) -> dict[str, np.ndarray]:
    """Where standing feet stand, by role, (T, 3), and `aims` led there: what they are off while standing fades
    between."""
    found = {}
    for role, mask in standing.items():
        if role not in aims or not mask.any():
            continue
        place = aims[role].copy()
        for low, high in spans(mask):
            spot = np.median(aims[role][low:high], axis=0)
            spot[2] = ankle if role.endswith("_ankle") else toe
            place[low:high] = spot
        off = place - aims[role]
        known = np.flatnonzero(mask)
        for k in range(3):
            aims[role][:, k] += np.interp(times, times[known], off[known, k])
        aims[role][mask] = place[mask]
        found[role] = place
    return found


class _Clip:
    """The target's clip as one problem."""

    def __init__(
        self,
        figure: Figure,
        roles: Roles,
        own: Sizes,
        times: np.ndarray,
        source: dict[str, np.ndarray],
        aims: dict[str, np.ndarray],
        standing: dict[str, np.ndarray],
        stays: dict[str, np.ndarray],
    ) -> None:
        self.figure, self.roles, self.times = figure, roles, times
        self.wishes: list[Wish] = []
        for role, place in aims.items():
            if role not in roles:
                continue
            weight = WEIGHTS[role.rpartition("_")[2]] * np.ones(len(times))
            mask = standing.get(role)
            if role in stays and mask is not None and self._holds(role, mask, standing):
                weight = np.where(mask, STANDS, weight)
            self.wishes.append(Wish(Position(roles[role], place[0]), place, weight))
        for side in ("left", "right"):
            self._flat(side, source, standing, stays)
        self.basis = tied(figure, self._columns())

    @staticmethod
    def _holds(role: str, mask: np.ndarray, standing: dict[str, np.ndarray]) -> bool:
        """Both ends of a rigid foot would be held twice: a flat foot by its ankle and its turn."""
        return role.endswith("_ankle") or f"{role.rpartition('_')[0]}_ankle" not in standing

    def _flat(
        self,
        side: str,
        source: dict[str, np.ndarray],
        standing: dict[str, np.ndarray],
        stays: dict[str, np.ndarray],
    ) -> None:
        """A foot that stands is flat and keeps its heading."""
        ankle = f"{side}_ankle"
        if ankle not in stays:
            return
        mask = standing[ankle]
        foot = self._foot(side)
        rest = self.figure.forward(self.figure.rest, foot)[0, :3, :3]
        forward = self._heading_at_rest(side)
        heading = _foot_heading(side, source)
        turn = np.unwrap(np.arctan2(heading[:, 1], heading[:, 0])) - np.arctan2(forward[1], forward[0])
        for low, high in spans(mask):
            turn[low:high] = np.median(turn[low:high])
        vectors = np.zeros((len(turn), 3))
        vectors[:, 2] = turn
        targets = matrices(exp(vectors)) @ rest
        weight = np.where(mask, FLAT, 0.0)
        self.wishes.append(Wish(Orientation(foot, targets[0]), targets, weight))

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

    def solved(self, smoothing: float) -> np.ndarray:
        """The values of all frames."""
        first = self._first()
        q = np.repeat(first[None], len(self.times), axis=0)
        hips = [
            wish for wish in self.wishes if wish.site in (self.roles["left_hip"], self.roles["right_hip"])
        ]
        middle = np.mean([wish.targets for wish in hips], axis=0)
        q[:, :3] += (middle - middle[0]) @ self.figure.location[:3, :3]
        across = unit(hips[0].targets - hips[1].targets)
        heading = np.unwrap(np.arctan2(across[:, 1], across[:, 0]))
        self._turned(q, heading - heading[0], middle)
        if len(q) > 4 * _STRIDE:  # some frames first, and all from the curve through these
            knots = np.unique(np.append(np.arange(0, len(q), _STRIDE), len(q) - 1))
            some = [Wish(w.goal, w.targets[knots], np.minimum(w.weights[knots], _FIRM)) for w in self.wishes]
            part, _ = in_parts(self.figure, self.times[knots], q[knots], some, 0.0, False, self.basis)
            q = Curve(self.figure, self.times[knots], part, "cubic", "natural", True).at(self.times)
        q, _ = in_parts(self.figure, self.times, q, self.wishes, 0.0, False, self.basis)
        if smoothing > 0.0:
            q, _ = in_parts(self.figure, self.times, q, self.wishes, smoothing, False, self.basis)
        return q

    def _turned(self, q: np.ndarray, angle: np.ndarray, about: np.ndarray) -> None:
        """Turn the root of every frame about the vertical through a point."""
        location = self.figure.location
        for t in range(len(q)):
            root = (
                location @ transforms.translation(q[t, :3]) @ transforms.rotation(transforms.exp(q[t, 3:6]))
            )
            turn = transforms.rotation(transforms.turn_z(float(angle[t])))
            turn[:3, 3] = about[t] - turn[:3, :3] @ about[t]
            moved = transforms.inverse(location) @ turn @ root
            q[t, :3], q[t, 3:6] = moved[:3, 3], transforms.log(moved[:3, :3])

    def _columns(self) -> np.ndarray:
        """The coordinates that move some part; eyes and fingers stay at rest."""
        moves = np.zeros(self.figure.n, bool)
        for wish in self.wishes:
            moves |= np.abs(self.figure.jacobian(self.figure.rest, wish.site)).max(axis=0) > 1e-9
        return np.flatnonzero(moves)

    def _first(self) -> np.ndarray:
        """The first frame, from a standing start turned and moved to its place."""
        figure = self.figure
        left, right = self.roles["left_hip"], self.roles["right_hip"]
        at = figure.forward(figure.rest, [left, right])[:, :3, 3]
        want = {wish.site: wish.targets[0] for wish in self.wishes if isinstance(wish.goal, Position)}
        one, two = at[0] - at[1], want[left] - want[right]
        angle = float(np.arctan2(two[1], two[0]) - np.arctan2(one[1], one[0]))
        q = self._off_limits(figure.rest)[None]
        q[0, :3] += figure.location[:3, :3].T @ (0.5 * (want[left] + want[right]) - at.mean(axis=0))
        self._turned(q, np.array([angle]), 0.5 * (want[left] + want[right])[None])
        one = [Wish(wish.goal, wish.targets[:1], np.minimum(wish.weights[:1], 10.0)) for wish in self.wishes]
        found = refine(figure, self.times[:1], q, one, smoothing=0.0, robust=False, free=self.basis, steps=60)
        return found.q[0]

    def _off_limits(self, q: np.ndarray) -> np.ndarray:
        """A pose with what is at the end of its range a tenth of it away: a straight knee does not know how to bend."""
        figure, result = self.figure, np.array(q)
        moving = np.abs(self.basis).max(axis=1) == 1.0  # not those that move together
        width = figure.upper - figure.lower
        low, high = result <= figure.lower + 1e-9, result >= figure.upper - 1e-9
        result[moving & low] += 0.1 * width[moving & low]
        result[moving & high] -= 0.1 * width[moving & high]
        return result

    def misses(self, q: np.ndarray) -> list[np.ndarray]:
        """Residuals of all wishes."""
        return residuals(self.figure, q, self.wishes)


def _foot_heading(side: str, source: dict[str, np.ndarray]) -> np.ndarray:
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

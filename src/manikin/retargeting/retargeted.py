"""`retarget`: a motion of one figure taken over to another of other size, names and structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import Figure
from manikin.motion.limits import Limits, limit
from manikin.motion.motion import Motion
from manikin.motion.tracking import unrolled, within
from manikin.motion.violations import judged, too_fast, worst_of
from manikin.retargeting.aims import rolled_over, stand
from manikin.retargeting.bones import points, sizes, wanted
from manikin.retargeting.clip import RAMP, Clip
from manikin.retargeting.contacts import spans, standing, touching
from manikin.retargeting.feet import Feet
from manikin.retargeting.roles import Roles, guess, needed
from manikin.retargeting.soles import has_soles, lowest
from manikin.retargeting.steady import beyond, usual_speeds

_SIDES = ("left", "right")
_FEET = [f"{side}_{part}" for side in _SIDES for part in ("ankle", "toe")]
#: Metres below the ground from which on it is said: less cannot be seen, and feet give way by as much.
_BELOW = 0.005


class Retargeted(Motion):
    """A motion taken over from another figure.

    roles, source_roles: which site plays which part. scale: the ratio of the legs. contacts: by role, when a foot or
        hand stands, (T,). touches: by wrist and part, how near they are, (T,): 1 in contact, 0 far away. misses: by
        role, how far each part is from where its bones should point, metres, (T,). speed: the speeds that it is kept
        within, (n,). passed: where limits on speed or acceleration led it off its targets, (T,) of bool. hurry: the
        greatest share of such a limit that it uses. below: how far the lowest point of the feet is below the ground,
        metres, (T,), of what is known of them: sites, shapes, meshes. notes: what else there is to know.
    """

    roles: Roles
    source_roles: Roles
    scale: float
    contacts: dict[str, np.ndarray]
    touches: dict[tuple[str, str], np.ndarray]
    misses: dict[str, np.ndarray]
    passed: np.ndarray
    speed: np.ndarray
    hurry: float
    below: np.ndarray
    notes: tuple[str, ...]

    def touch_misses(self, source: Motion) -> dict[tuple[str, str], np.ndarray]:
        """Of hands that touch in the source, how far the way from the part to the hand is from s times the source's,
        metres, in the frames of contact."""
        theirs, mine = (
            points(source.figure, source.q, self.source_roles),
            points(self.figure, self.q, self.roles),
        )
        found = {}
        for (hand, part), near in self.touches.items():
            if hand in mine and part in mine and (near >= 1.0).any():
                off = mine[hand] - mine[part] - self.scale * (theirs[hand] - theirs[part])
                found[hand, part] = np.linalg.norm(off, axis=1)[near >= 1.0]
        return found

    def slip(self) -> float:
        """The farthest that any standing foot moves while it stands, metres."""
        worst = 0.0
        for role, found in self.contacts.items():
            if role not in self.roles:
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
    velocity: Any = None,
    acceleration: Any = None,
    name: str = "",
) -> Retargeted:
    """The motion on another figure: every bone points as it did, feet that stand stay, heights are in proportion.

    figure: the figure to move; its base must be free.
    roles, source_roles: sites by role (``"left_knee"``, see `manikin.retargeting.roles`) in place of those
        guessed from names and geometry; `roles_of` shows the guess.
    scale: of heights and ways; by default the ratio of the legs' lengths.
    ground: the height of the ground in the source, metres; by default under its lowest foot.
    sole: how high the target's ankles are above the ground when it stands; by default from its toes and shapes.
    contacts: by role (``"left_ankle"``, ``"left_toe"``, ``"left_wrist"``), when a foot or hand stands, (T,) of bool; by
        default found from how low and slow it is.
    smoothing: λ of `refine`, s⁵, for sources that jitter; the clip as a whole is smoothed by it.
    velocity: the greatest speeds, rad/s or m/s: a number, n numbers, numbers by name or pattern, or False for none. By
        default of a joint its own (from its URDF), at most twice the source's fastest bone's or 10 rad/s, and of the
        root's way twice that of the source's hips, scaled, or 2 m/s. acceleration: likewise, rad/s² or m/s²; by default
        none. Both hold from frame to frame. Flips from one pose into another, which fits better from some frame on, are
        passed C² within them.

    Ranges and couplings of the target hold in every frame; bones keep their lengths. Hands that touch each other or
    another part of the body in the source, wrists nearer to it than an eighth of a leg, do so in the target where its
    joints reach: the way between them is then the source's times the scale.
    """
    _check(figure, roles, source_roles)
    if not all(hasattr(motion, name) for name in ("figure", "times", "q")):
        raise FigureError(f"retarget: the motion must be a Motion, got {motion!r}")
    for what, value in (("scale", scale), ("ground", ground), ("sole", sole), ("smoothing", smoothing)):
        given = value is not None or what == "smoothing"
        if given and not (isinstance(value, (int, float, np.number)) and -np.inf < value < np.inf):
            raise FigureError(f"retarget: {what} must be a finite number, got {value!r}")
    if contacts is not None and not isinstance(contacts, Mapping):
        raise FigureError(f"retarget: contacts are arrays by role, got {contacts!r}")
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
    found = standing(times, source, other.leg, height, contacts)
    aims = wanted(source, own, ratio, height)
    ankle = own.ankle if sole is None else float(sole)
    heights = {role: ratio * (source[role][:, 2] - height) for role in found}
    heights |= {role: np.full(len(times), ankle if role.endswith("_ankle") else own.toe) for role in _FEET}
    feet = Feet(figure, mine, times, source, RAMP)
    held = stand(
        times, aims, {role: mask for role, mask in found.items() if not role.endswith("_toe")}, heights
    )
    held |= _toes_stand(feet, aims, found, heights)
    near = touching(source, other.leg)
    usual = usual_speeds(figure, times, source, ratio)
    speed = limit(figure, velocity, usual, "velocity")
    most = limit(figure, acceleration, None, "acceleration")
    slides = _slides(figure)
    clip = Clip(_unstretched(figure, slides), mine, times, source, aims, found, held, near, ratio, feet)
    q, passed = clip.solved(smoothing, speed, most)
    q[:, slides] = figure.rest[slides]
    limits = Limits(speed, most, np.full(figure.n, np.inf))
    q, lagging = within(figure, times, q, limits, between_samples=False)
    passed |= lagging
    result = Retargeted(figure, times, q, name=name or motion.name)
    result.roles, result.source_roles, result.scale = mine, theirs, ratio
    result.contacts, result.touches = found, near
    result.passed, result.speed, result.hurry = passed, speed, beyond(figure, times, q, speed, most)
    at = points(figure, q, mine)
    result.misses = {role: np.linalg.norm(at[role] - aims[role], axis=1) for role in aims if role in at}
    result.below = np.maximum(-np.min([lowest(figure, mine, side, q) for side in _SIDES], axis=0), 0.0)
    result.notes = tuple(_notes(result, motion, sole is not None))
    kept, broken = judged(figure, times, q)
    hurried, over = too_fast(figure, times, unrolled(figure, q), limits)
    result.note_verdict(kept & ~hurried, worst_of([*broken, *over]))
    return result


def _toes_stand(
    feet: Feet,
    aims: dict[str, np.ndarray],
    found: Mapping[str, np.ndarray],
    heights: Mapping[str, np.ndarray],
) -> set[str]:
    """Lead toes to where they stand, alone or under a flat foot, and name those that stand alone at times."""
    held = set()
    for side in _SIDES:
        ankle, toe = f"{side}_ankle", f"{side}_toe"
        if toe not in aims or toe not in found:
            continue
        alone, spots = rolled_over(
            found[ankle], found[toe], aims[ankle], feet.toe_of_flat(side, found[ankle])
        )
        if alone.any():
            held.add(toe)
        stand(feet.times, aims, {toe: alone | found[ankle]}, heights, {toe: spots})
    return held


def _slides(figure: Figure) -> np.ndarray:
    """The coordinates by which bones are stretched: slides of joints that turn as well, since a clip of a file moves
    them."""
    return np.array(
        [
            figure.index(axis.name)
            for joint in figure.joints.values()
            if joint.name != "root" and joint.motion.startswith("free")
            for axis in joint.axes
            if axis.name in figure.dofs and figure.dof(axis.name).unit == "m"
        ],
        dtype=np.int64,
    )


def _unstretched(figure: Figure, slides: np.ndarray) -> Figure:
    """The figure with slides that stay where they rest, to a nanometre: a range has some width."""
    ends = {figure.dofs[k]: (figure.rest[k] - 1e-9, figure.rest[k] + 1e-9) for k in slides}
    return figure.with_limits(ends) if ends else figure


def _notes(result: Retargeted, source: Motion, told: bool) -> Iterator[str]:
    """What a user should know of a retargeted motion beside how well it does."""
    if not told and not has_soles(result.figure, result.roles):
        yield (
            f"figure {result.figure.name!r}: nothing says how far its soles are below its ankles; they are taken to be "
            "as high; give sole="
        )
    worst = float(result.below.max())
    if worst > _BELOW:
        when = float(result.times[int(np.argmax(result.below))])
        yield f"feet are below the ground by up to {1e3 * worst:.0f} mm, most at {when:.2f} s"
    if len(source) > 2 and result.passed[1]:
        yield (
            "the first frames are passed over within the limits on speed: the clip begins with a jump, as from a "
            "T-pose; trim() leaves that out"
        )
    if result.hurry > 1.0 + 1e-6:
        yield f"limits on speed are broken: {result.hurry:.2f} times one of them"


def roles_of(figure: Figure, roles: Mapping[str, str] | None = None) -> Roles:
    """The roles of a figure's sites as `retarget` guesses them; print it to see them."""
    _check(figure, roles)
    return guess(figure, roles)


def _check(figure: Figure, *roles: Mapping[str, str] | None) -> None:
    if not isinstance(figure, Figure):
        raise FigureError(f"retarget: a Figure to move is wanted, got {figure!r}")
    for given in roles:
        texts = isinstance(given, Mapping) and all(
            isinstance(role, str) and (site is None or isinstance(site, str)) for role, site in given.items()
        )
        if given is not None and not texts:
            raise FigureError(f"retarget: roles are names of sites, or None, by role, got {given!r}")


def _floor(source: dict[str, np.ndarray]) -> float:
    """The height under the lowest foot, but for the lowest two frames in a hundred."""
    feet = [p[:, 2] for role, p in source.items() if role.endswith(("_ankle", "_toe"))]
    return float(np.quantile(np.min(feet, axis=0), 0.02))

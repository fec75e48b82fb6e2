"""Grips of a human hand: flat, relaxed, fist, point, pinch, and the grasp of a bar, a ball or a box of given size.

What is grasped lies on the palm, or between thumb and fingers, and the digits close until they touch it
(`closing`). Places and directions are in the frame of the palm's site, ``left_hand`` or ``right_hand``: x along the
fingers, z out of the back of the hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import radians
from typing import Any

import numpy as np

from manikin.errors import PoseError
from manikin.figure import checks, transforms
from manikin.figure.figure import Figure
from manikin.figure.human.hands.closing import close
from manikin.figure.human.hands.contact import Bar, Beyond, Face, Flesh, Orb, Thing, nearest
from manikin.figure.human.hands.hand import DIGITS, FINGERS, Hand
from manikin.figure.pose import Pose

#: Where a bar or a ball lies on the palm, along the hand from the wrist, of the hand's length: the first that fits.
SEATS = (0.44, 0.47, 0.50, 0.53, 0.56, 0.59, 0.62)
#: Metres at which bones count as touching.
TOUCH = 1e-6
# Angles of each of the thumb's joints that are tried, and how many of these postures are looked at closely.
_THUMBS, _TRIED = 7, 300
# Metres beyond which a bone's distance no longer counts; metres that a squared radian away from rest counts as.
_REACH, _EASE = 0.05, 5e-4
_THUMB_REST = np.radians([20.0, 5.0, 12.0, 15.0])
_STRAIGHT: Mapping[str, float] = {}
RELAXED = {"mcp_flexion": 14.0, "pip": 22.0, "dip": 12.0, "cmc_abduction": 10.0, "mcp": 8.0, "ip": 10.0}


@dataclass(frozen=True)
class Grip:
    """The digits of one hand, as values of their coordinates.

    values: radians, by the names of the degrees of freedom. touching: the segments that touch what is held, or the
    hand itself. object: 4×4, the frame of what is held in that of the palm's site, None where nothing is: its origin
    in the middle, x along a bar's axis or across a box's thickness. size: metres.
    """

    name: str
    side: str
    values: Mapping[str, float]
    touching: tuple[str, ...] = ()
    object: np.ndarray | None = None
    size: float | None = None

    def applied(self, pose: Pose) -> Pose:
        """The pose with this hand's digits."""
        if not isinstance(pose, Pose):
            raise PoseError(f"grip {self.name!r}: it is applied to a Pose, got {pose!r}")
        return pose.with_values(self.values)

    def blended(self, other: Grip, share: float | Mapping[str, float]) -> Grip:
        """Between this grip (0) and another of the same hand (1): one share, or one a digit, ``{"index": 0.5}``.

        Ranges and couplings are convex, so all that lies between is inside them.
        """
        if not isinstance(other, Grip):
            raise PoseError(f"grip {self.name!r}: it is blended with a Grip, got {other!r}")
        if other.side != self.side:
            raise PoseError(f"grip: a {self.side} hand cannot be blended with a {other.side} one")
        shares = dict.fromkeys(DIGITS, 0.0)
        if isinstance(share, Mapping):
            for digit, value in share.items():
                if digit not in DIGITS:
                    raise PoseError(f"grip: unknown digit {digit!r}; {checks.near(str(digit), DIGITS)}")
                shares[digit] = _share(value)
        else:
            shares = dict.fromkeys(DIGITS, _share(share))
        values = {
            name: value + shares[name.split("_")[1]] * (other.values[name] - value)
            for name, value in self.values.items()
        }
        return Grip(f"{self.name}–{other.name}", self.side, values)

    def hand_at(self, frame: Any) -> np.ndarray:
        """Where the palm's site has to be, 4×4, for what is held to be at a frame of the world."""
        if self.object is None:
            raise PoseError(f"grip {self.name!r}: it holds nothing")
        return checks.placement(frame, "grip: frame") @ transforms.inverse(self.object)


#: Metres. The digits of a hand do not close around a smaller one, which takes seconds to find.
_SMALLEST_BALL = 0.001


def grip(
    figure: Figure, name: str, side: str = "right", *, size: float | None = None, amount: float = 1.0
) -> Grip:
    """A grip of one hand of a figure made by `human`, by name.

    flat: straight, the thumb beside the palm. relaxed: as a hand hangs. fist: closed, the thumb over the fingers.
    point: a fist, the index straight. pinch: thumb against index, `size` metres between their pads (0 by default).
    bar, or cylinder: around one of diameter `size` across the palm. ball: around a ball of diameter `size`, 1 mm at
    least. box: the pads of four fingers on one face and the thumb's on the other, `size` metres apart.
    amount: 0 is relaxed, 1 the whole grip.
    """
    if not isinstance(name, str) or name not in (*GRIPS, "cylinder"):
        raise PoseError(f"human: unknown grip {name!r}; {checks.near(str(name), GRIPS)}")
    name = "bar" if name == "cylinder" else name
    if not isinstance(figure, Figure) or not isinstance(side, str):
        raise PoseError(f"grip {name!r}: a Figure and a side are wanted, got {figure!r} and {side!r}")
    share = _share(amount)
    make, sized = GRIPS[name]
    width = _size(name, size, sized)
    hand = Hand(figure, side)
    known = figure.__dict__.setdefault("_grips", {})
    key = (name, side, width)
    if key not in known:
        known[key] = make(hand, width)
    found: Grip = known[key]
    return found if share == 1.0 else _relaxed(hand, 0.0).blended(found, share)


def _share(value: Any) -> float:
    share = checks.number(value, "grip: amount")
    if not 0.0 <= share <= 1.0:
        raise PoseError(f"grip: a share is from 0 to 1, got {share:g}")
    return share


def _size(name: str, size: float | None, sized: float | None) -> float:
    if sized is None:
        if size is not None:
            raise PoseError(f"grip {name!r}: it holds nothing, so it has no size; got {size!r}")
        return 0.0
    width = sized if size is None else checks.number(size, f"grip {name!r}: size")
    if width < 0.0:
        raise PoseError(f"grip {name!r}: the size must not be negative, got {width:g} m")
    if name == "ball" and width < _SMALLEST_BALL:
        raise PoseError(f"grip {name!r}: the size must be {_SMALLEST_BALL:g} m or more, got {width:g} m")
    return width


def _digits(hand: Hand, degrees: Mapping[str, float] = _STRAIGHT) -> dict[str, float]:
    """All the hand's coordinates, in radians, from degrees by their names without side and finger; others 0."""
    values = dict.fromkeys(hand.dofs, 0.0)
    for name in hand.dofs:
        _, digit, joint = name.split("_", 2)
        if (joint in ("mcp", "ip") or joint.startswith("cmc")) and digit != "thumb":
            continue
        values[name] = radians(degrees.get(f"{digit}_{joint}", degrees.get(joint, 0.0)))
    return values


def _flat(hand: Hand, _: float) -> Grip:
    return Grip("flat", hand.side, _digits(hand))


def _relaxed(hand: Hand, _: float) -> Grip:
    return Grip("relaxed", hand.side, _digits(hand, RELAXED))


def _curled(hand: Hand, fingers: Iterable[str]) -> tuple[dict[str, float], list[str]]:
    """Fingers closed on the palm, then the thumb on them."""
    values = _digits(hand)
    touching: list[str] = []
    palm = Beyond(Flesh(hand.palm), 1)
    for finger in fingers:
        closed = close(hand, finger, [palm], values, paces=(1.0, 1.12, 0.6))
        values, touching = closed.values, touching + closed.touching
    return values, touching


def _thumb_on(
    hand: Hand, values: dict[str, float], thing: Thing, flesh: Thing
) -> tuple[dict[str, float], list[str]]:
    """The thumb on a thing: of a grid of its postures that are clear, the one whose bones lie nearest, closed on it.

    The tip counts most; among equals the thumb is as when relaxed.
    """
    names = [f"{hand.side}_thumb_{joint}" for joint in ("cmc_abduction", "cmc_flexion", "mcp", "ip")]
    box = np.array([hand.range(name) for name in names])
    grid = np.meshgrid(*[np.linspace(low, high, _THUMBS) for low, high in box], indexing="ij")
    angles = np.array([axis.ravel() for axis in grid])
    given = {**values, **dict(zip(names, angles, strict=True))}
    capsules = hand.capsules("thumb", given)
    gaps = thing.clearance(capsules)
    off = np.minimum(gaps, _REACH) @ [0.2, 0.5, 1.0] + _EASE * ((angles.T - _THUMB_REST) ** 2).sum(axis=1)
    off = np.where((gaps > 0.0).all(axis=1), off, np.inf)
    best = int(np.argmax(gaps.min(axis=1)))
    for k in np.argsort(off)[:_TRIED]:
        if np.isfinite(off[k]) and flesh.clearance(capsules[k]).min() > 0.0:
            best = int(k)
            break
    start = {**values, **dict(zip(names, angles[:, best].tolist(), strict=True))}
    closed = close(hand, "thumb", [thing, flesh], start)
    return closed.values, closed.touching


def _knuckled(hand: Hand, values: dict[str, float], fingers: Iterable[str]) -> Flesh:
    return Flesh(np.concatenate([hand.capsules(finger, values) for finger in fingers]))


def _fist(hand: Hand, _: float) -> Grip:
    values, touching = _curled(hand, FINGERS)
    values, more = _over(hand, values, FINGERS)
    return Grip("fist", hand.side, values, (*touching, *more))


def _over(hand: Hand, values: dict[str, float], fingers: Iterable[str]) -> tuple[dict[str, float], list[str]]:
    """The thumb over the middle bones of the first two of closed fingers, clear of all of them and of the palm."""
    under = Flesh(np.array([hand.capsules(finger, values)[1] for finger in list(fingers)[:2]]))
    everything = np.concatenate([_knuckled(hand, values, FINGERS).capsules, hand.palm])
    return _thumb_on(hand, values, under, Beyond(Flesh(everything), 1))


def _point(hand: Hand, _: float) -> Grip:
    values, touching = _curled(hand, FINGERS[1:])
    values, more = _over(hand, values, FINGERS[1:])
    return Grip("point", hand.side, values, (*touching, *more))


def _on_palm(hand: Hand, thing: Callable[[float, float], Thing], along: float) -> Thing:
    """A thing that lies on the palm: let down along −z of the site, at `along` of the hand, until it is clear."""
    x = (along - 0.32) * hand.length
    low, high = 0.0, hand.length
    for _ in range(60):
        middle = 0.5 * (low + high)
        if thing(x, middle).clearance(hand.palm).min() < 0.0:
            low = middle
        else:
            high = middle
    return thing(x, high)


def _around(
    hand: Hand, make: Callable[[float, float], Thing], name: str, size: float
) -> tuple[dict[str, float], list[str], Thing]:
    """Fingers, then the thumb, around a thing on the palm; what is too thick for the thumb lies farther out."""
    for along in SEATS:
        thing = _on_palm(hand, make, along)
        values = _digits(hand)
        touching: list[str] = []
        for finger in FINGERS:
            closed = close(hand, finger, [thing, Beyond(Flesh(hand.palm), 1)], values)
            values, touching = closed.values, touching + closed.touching
        values, more = _thumb_on(hand, values, thing, Beyond(_knuckled(hand, values, FINGERS), 1))
        fingers = [hand.capsules(finger, values) for finger in FINGERS]
        clear = min(thing.clearance(bones).min() for bones in (*fingers, hand.capsules("thumb", values)))
        if clear > -TOUCH and any(thing.clearance(bones).min() < TOUCH for bones in fingers):
            return values, [*touching, *more], thing
    raise PoseError(
        f"grip {name!r}: the digits do not go around a thing {size:g} m across; the hand is {hand.length:.3g} m long: "
        f"take a smaller size"
    )


def _bar(hand: Hand, size: float) -> Grip:
    across = np.array([0.0, 1.0, 0.0])

    def at(x: float, depth: float) -> Bar:
        return Bar(np.array([x, 0.0, -depth]), across, 0.5 * size)

    values, touching, thing = _around(hand, at, "bar", size)
    assert isinstance(thing, Bar)
    frame = np.eye(4)
    frame[:3, :3] = np.column_stack([across, [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    frame[:3, 3] = thing.point
    return Grip("bar", hand.side, values, tuple(touching), frame, size)


def _ball(hand: Hand, size: float) -> Grip:
    def at(x: float, depth: float) -> Orb:
        return Orb(np.array([x, 0.0, -depth]), 0.5 * size)

    values, touching, thing = _around(hand, at, "ball", size)
    assert isinstance(thing, Orb)
    return Grip("ball", hand.side, values, tuple(touching), transforms.translation(thing.point), size)


def _opposed(hand: Hand, finger: str, size: float) -> dict[str, float]:
    """Thumb and a finger about pad to pad, `size` apart: their values.

    Least squares over the finger's flexion (the last joint going with the middle one) and the thumb's four angles: the
    pads' gap, their normals opposite, and otherwise as a relaxed hand.
    """
    side = hand.side
    thumb = [f"{side}_thumb_{joint}" for joint in ("cmc_abduction", "cmc_flexion", "mcp", "ip")]
    free = [f"{side}_{finger}_mcp_flexion", f"{side}_{finger}_pip", *thumb]
    box = np.array([hand.range(joint) for joint in free])
    box[0, 0] = 0.0
    rest = np.radians([45.0, 35.0, 30.0, 12.0, 15.0, 25.0])

    def values_of(x: np.ndarray) -> dict[str, float]:
        given = dict(zip(free, x.tolist(), strict=True))
        return {**base, **given, f"{side}_{finger}_dip": 0.6 * given[f"{side}_{finger}_pip"]}

    base = _digits(hand, RELAXED)

    def misses(x: np.ndarray) -> np.ndarray:
        values = values_of(x)
        (p, n), (o, m) = _pad(hand, finger, values), _pad(hand, "thumb", values)
        return np.concatenate([(p - o - size * _across(m)) / 1e-4, 2.0 * (n + m), 0.5 * (x - rest)])

    # From full opposition: beside the palm is another minimum.
    start = np.clip(np.radians([60.0, 30.0, 40.0, 20.0, 5.0, 5.0]), *box.T)
    return values_of(_least(misses, start, box[:, 0], box[:, 1]))


def _least(
    misses: Callable[[np.ndarray], np.ndarray], x: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """The least of ‖misses‖² inside bounds, near x, by Levenberg's and Marquardt's steps among what may move.

    A coordinate on a bound that the gradient pushes against stays; a step counts only if it is a gain.
    """
    now, damping, h = misses(x), 1e-3, 1e-6
    for _ in range(200):
        inward = np.where(x + h > upper, -h, h)
        J = np.stack([(misses(x + e) - now) / e.sum() for e in np.diag(inward)], axis=1)
        slope = J.T @ now
        held = ((x <= lower) & (slope > 0.0)) | ((x >= upper) & (slope < 0.0))
        A = J.T @ J
        scale = np.diag(np.diag(A) + 1e-12)
        moved = False
        while damping < 1e12:
            there = _bounded_step(A + damping * scale, slope, x, held, lower, upper)
            then = misses(there)
            if then @ then < now @ now:
                gain, moved = 1.0 - (then @ then) / (now @ now), True
                x, now, damping = there, then, max(0.2 * damping, 1e-12)
                break
            damping *= 4.0
        if not moved or gain < 1e-14:
            break
    return x


def _bounded_step(
    H: np.ndarray, slope: np.ndarray, x: np.ndarray, held: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """x + d with H d = −slope among what may move; what would leave its bounds goes there, the rest is solved anew."""
    free, d = ~held, np.zeros(len(x))
    while free.any():
        d[free] = np.linalg.solve(H[np.ix_(free, free)], -slope[free] - H[np.ix_(free, ~free)] @ d[~free])
        beyond = free & ((x + d < lower) | (x + d > upper))
        if not beyond.any():
            break
        d[beyond] = np.clip(x + d, lower, upper)[beyond] - x[beyond]
        free &= ~beyond
    return np.clip(x + d, lower, upper)


def _across(normal: np.ndarray) -> np.ndarray:
    """The direction nearest to the thumb's pad's in which all fingers, side by side, can lie flat: none along y."""
    flat = np.array([normal[0], 0.0, normal[2]])
    return flat / max(float(np.linalg.norm(flat)), 1e-9)


def _pad(hand: Hand, digit: str, values: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The middle of a digit's pad and the normal out of it, in the site's frame."""
    bone = hand.bones(digit)[-1]
    frame = hand.frames(values, (bone,))[0]
    capsule = hand.capsules(digit, values)[-1]
    normal = frame[:3, :3] @ hand.palmar(digit)
    middle = 0.35 * capsule[:3] + 0.65 * capsule[3:6]
    return middle + (0.35 * capsule[6] + 0.65 * capsule[7]) * normal, normal


def _between_pads(hand: Hand, finger: str, values: Mapping[str, float]) -> np.ndarray:
    """The frame midway between the nearest points of thumb and finger, x from the one to the other."""
    tip, thumb = hand.capsules(finger, values)[-1:], hand.capsules("thumb", values)[-1:]
    (p,), (r,) = nearest(tip, thumb)
    (o,), (s,) = nearest(thumb, tip)
    across = (p - o) / np.linalg.norm(p - o)
    frame = np.eye(4)
    frame[:3, :3] = _x_along(across)
    frame[:3, 3] = 0.5 * (p - r * across + o + s * across)
    return frame


def _x_along(direction: np.ndarray) -> np.ndarray:
    """A rotation whose x is a direction and whose z is as near to the site's as can be."""
    up = np.array([0.0, 0.0, 1.0]) if abs(direction[2]) < 0.9 else np.array([-1.0, 0.0, 0.0])
    y = np.cross(up, direction)
    y /= np.linalg.norm(y)
    return np.column_stack([direction, y, np.cross(direction, y)])


def _pinch(hand: Hand, size: float) -> Grip:
    """The index, opened a little, closes at its knuckle until the tips are `size` apart."""
    values = _opposed(hand, "index", size)
    knuckle = hand.joints("index")[0]
    values[knuckle] = max(values[knuckle] - 0.35, hand.range(knuckle)[0])
    tip = Beyond(Flesh(hand.capsules("thumb", values)[-1:], size + 0.02), 2)
    values = close(hand, "index", [tip], values, only=(0,), gap=size).values
    if not abs(tip.clearance(hand.capsules("index", values)).min() - size) < TOUCH:
        raise PoseError(
            f"grip 'pinch': thumb and index cannot be {size:g} m apart pad to pad; the hand is {hand.length:.3g} m "
            f"long: take a smaller size"
        )
    frame = _between_pads(hand, "index", values)
    for finger in FINGERS[1:]:
        for joint, angle in zip(hand.joints(finger), (28.0, 36.0, 20.0), strict=True):
            values[joint] = radians(angle)
    touching = (hand.bones("thumb")[-1], hand.bones("index")[-1])
    return Grip("pinch", hand.side, values, touching, frame, size)


def _box(hand: Hand, size: float) -> Grip:
    """The middle finger opposes the thumb, whose pad lies flat on one face; the other face stops the fingers."""
    values = _opposed(hand, "middle", size)
    middle, normal = _pad(hand, "thumb", values)
    normal = _across(normal)
    thumb = hand.capsules("thumb", values)[-1]
    reach = max(float(thumb[:3] @ normal + thumb[6]), float(thumb[3:6] @ normal + thumb[7]))
    far = Face((reach + size) * normal, normal)
    touching = [hand.bones("thumb")[-1]]
    bent = [values[joint] for joint in hand.joints("middle")]
    for finger in FINGERS:
        first, *others = hand.joints(finger)
        start = {**values, first: hand.range(first)[0], **dict(zip(others, bent[1:], strict=True))}
        closed = close(hand, finger, [Beyond(far, 2)], start, only=(0,))
        if abs(far.clearance(hand.capsules(finger, closed.values)[-1])) > TOUCH:
            raise PoseError(
                f"grip 'box': thumb and {finger} finger do not reach around a box {size:g} m thick; the hand is "
                f"{hand.length:.3g} m long: take a smaller size"
            )
        values, touching = closed.values, touching + closed.touching
    frame = np.eye(4)
    frame[:3, :3] = _x_along(normal)
    frame[:3, 3] = middle + (reach + 0.5 * size - middle @ normal) * normal
    return Grip("box", hand.side, values, tuple(touching), frame, size)


#: Name: how it is made, and its size by default, None where it holds nothing.
GRIPS: dict[str, tuple[Callable[[Hand, float], Grip], float | None]] = {
    "flat": (_flat, None),
    "relaxed": (_relaxed, None),
    "fist": (_fist, None),
    "point": (_point, None),
    "pinch": (_pinch, 0.0),
    "bar": (_bar, 0.04),
    "ball": (_ball, 0.07),
    "box": (_box, 0.04),
}

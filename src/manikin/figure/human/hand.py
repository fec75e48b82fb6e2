"""The hand: palm, four fingers and a thumb, or all of it in one piece.

Bones as fractions of the hand's length (metacarpal, proximal, middle, distal). At rest the fingers point down, the
back of the left hand faces left, its thumb forward.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from math import pi, radians

import numpy as np

from manikin.figure.checks import frozen
from manikin.figure.coupling import Coupling
from manikin.figure.human.arm import X_OUT_DOWN, arm_points
from manikin.figure.human.looks import DARK_WOOD, PALE_WOOD, WOOD, ball, limb
from manikin.figure.human.parts import Axis, Parts, Side
from manikin.figure.human.ranges import LIMBS, SPREAD_ENDS_AT
from manikin.figure.human.size import Size
from manikin.figure.joint import Follow
from manikin.figure.segment import Shape

#: Finger: knuckle along the hand, across it (of its breadth, towards the thumb), then three bones.
FINGERS = {
    "index": (0.476, 0.33, (0.214, 0.120, 0.085)),
    "middle": (0.482, 0.11, (0.240, 0.141, 0.093)),
    "ring": (0.451, -0.11, (0.222, 0.138, 0.093)),
    "little": (0.415, -0.32, (0.176, 0.097, 0.086)),
}
THUMB = (0.248, 0.169, 0.116)
#: Flesh beyond the last bone, of the hand's length: the middle finger's tip ends the hand.
PULP = 1.0 - 0.482 - 0.240 - 0.141 - 0.093
THUMB_DIRECTION = np.array([0.55, -0.30, -0.78]) / np.linalg.norm([0.55, -0.30, -0.78])
#: How far the thumb's metacarpal turns about itself, radians a radian of palmar abduction. Chosen so that in full
#: opposition its pad faces the fingers' pads; of these 67° the trapeziometacarpal joint has a third or so, the
#: metacarpophalangeal joint the rest (Kapandji, The Physiology of the Joints), here all in one place.
PRONATION = 1.6
BONES = ("proximal", "middle", "distal")
#: Radii over stature at a finger's knuckle and tip, and half the thickness of the palm.
THICK, THIN, PALM = 0.0056, 0.0042, 0.0078


def add_hand(parts: Parts, size: Size, side: Side, *, fingers: bool) -> None:
    """From the wrist to the finger tips; one segment unless `fingers`."""
    p, h = size.proportions, size.stature
    wrist = arm_points(size)["wrist"]
    hand = side.of("hand")
    shapes = _palm(size, side, wrist)
    chains = {name: _finger(size, name, wrist) for name in FINGERS}
    thumb = _thumb(size, wrist)
    if not fingers:
        for points, radii in (*chains.values(), thumb):
            shapes += [
                limb(side.point(a), side.point(b), r, s, WOOD)
                for a, b, r, s in zip(points[:-1], points[1:], radii[:-1], radii[1:], strict=True)
            ]
    parts.segment(hand, side.point(wrist), shapes)
    _add_wrist(parts, side)
    ends = {"index": hand, "middle": hand}
    if fingers:
        _add_thumb(parts, side, *thumb)
        for name, (points, radii) in chains.items():
            ends[name] = _add_finger(parts, side, name, points, radii)
    frame = side.frame(X_OUT_DOWN)
    palm = wrist - np.array([0.0, PALM * h, 0.32 * p.hand * h])
    parts.site(hand, hand, side.point(palm), frame)
    for site, name in (("fingertip", "index"), ("dactylion", "middle")):
        points, radii = chains[name]
        parts.site(side.of(site), ends[name], side.point(points[-1] - [0.0, 0.0, radii[-1]]), frame)


def _finger(size: Size, name: str, wrist: np.ndarray) -> tuple[list[np.ndarray], list[float]]:
    """The left finger's joints and the centre of its tip's ball, and radii there."""
    p, h = size.proportions, size.stature
    along, across, bones = FINGERS[name]
    depth = [along + length for length in accumulate(bones, initial=0.0)]
    depth[-1] += PULP - THIN / p.hand
    scale = 0.88 if name == "little" else 1.0
    points = [wrist + h * np.array([across * p.hand_breadth, 0.0, -d * p.hand]) for d in depth]
    radii = [scale * h * r for r in (THICK, 0.5 * (THICK + THIN) + 0.0003, THIN + 0.0003)] + [h * THIN]
    return points, radii


def _thumb(size: Size, wrist: np.ndarray) -> tuple[list[np.ndarray], list[float]]:
    p, h = size.proportions, size.stature
    start = wrist + h * np.array([0.24 * p.hand_breadth, -0.3 * PALM, -0.12 * p.hand])
    depth = [length * p.hand * h for length in accumulate(THUMB, initial=0.0)]
    depth[-1] += 0.03 * p.hand * h - THIN * h
    radii = [h * r for r in (0.0085, 0.0068, 0.0060, THIN + 0.0006)]
    return [start + d * THUMB_DIRECTION for d in depth], radii


def _palm(size: Size, side: Side, wrist: np.ndarray) -> list[Shape]:
    """A fan from the wrist to the four knuckles, and the ball of the wrist."""
    p, h = size.proportions, size.stature
    shapes = [ball(side.point(wrist), 0.96 * p.wrist_girth / (2 * pi) * size.girth * h, DARK_WOOD)]
    for along, across, _ in FINGERS.values():
        knuckle = wrist + h * np.array([across * p.hand_breadth, 0.0, -along * p.hand])
        root = wrist + h * np.array([0.55 * across * p.hand_breadth, 0.0, -0.11 * p.hand])
        shapes.append(limb(side.point(root), side.point(knuckle), 0.0098 * h, 0.0070 * h, PALE_WOOD))
    return shapes


def _add_wrist(parts: Parts, side: Side) -> None:
    parts.joint(
        side.of("wrist"),
        side.of("radius"),
        side.of("hand"),
        Axis(
            side.axis((-1, 0, 0)),
            side.of("wrist_flexion"),
            LIMBS["wrist_flexion"],
            f"{side.name} wrist flexion: 0 straight, positive bends to the palm",
        ),
        Axis(
            side.axis((0, -1, 0)),
            side.of("wrist_deviation"),
            LIMBS["wrist_deviation"],
            f"{side.name} wrist deviation: 0 straight, positive radial (to the thumb)",
        ),
    )


def _add_finger(parts: Parts, side: Side, name: str, points: list[np.ndarray], radii: list[float]) -> str:
    """Three segments; spread comes before flexion, and shrinks as flexion grows. Returns the last one's name."""
    finger = side.of(name)
    segments = [f"{finger}_{bone}" for bone in BONES]
    _add_bones(parts, side, segments, points, radii)
    away = (0, -1, 0) if name in ("index", "middle") else (0, 1, 0)
    sense = "to the thumb" if name == "middle" else "away from the middle finger"
    flexion, spread = f"{finger}_mcp_flexion", f"{finger}_mcp_spread"
    title = f"{side.name} {name} finger"
    bend = side.axis((-1, 0, 0))
    parts.joint(
        f"{finger}_mcp",
        side.of("hand"),
        segments[0],
        Axis(
            side.axis(away), spread, LIMBS["mcp_spread"], f"{title} abduction: 0 straight, positive {sense}"
        ),
        Axis(
            bend,
            flexion,
            LIMBS["mcp_flexion"],
            f"{title} MCP flexion: 0 straight, positive bends to the palm",
        ),
    )
    for k, joint in enumerate(("pip", "dip")):
        parts.joint(
            f"{finger}_{joint}",
            segments[k],
            segments[k + 1],
            Axis(
                bend,
                f"{finger}_{joint}",
                LIMBS[joint],
                f"{title} {joint.upper()} flexion: 0 straight, positive bends",
            ),
        )
    widest = radians(LIMBS["mcp_spread"][1])
    shrink = widest / radians(SPREAD_ENDS_AT)
    parts.couplings += [
        Coupling({spread: 1.0, flexion: shrink}, upper=widest, name=f"{spread}_out"),
        Coupling({spread: -1.0, flexion: shrink}, upper=widest, name=f"{spread}_in"),
    ]
    return segments[-1]


def _add_thumb(parts: Parts, side: Side, points: list[np.ndarray], radii: list[float]) -> None:
    """Metacarpal, proximal and distal: flexion runs across the palm, abduction away from it.

    As the saddle of the thumb abducts it turns the metacarpal about itself, so that the pad comes to face the fingers'.
    """
    thumb = side.of("thumb")
    segments = [f"{thumb}_{bone}" for bone in ("metacarpal", "proximal", "distal")]
    _add_bones(parts, side, segments, points, radii)
    title = f"{side.name} thumb"
    bend = side.axis(_towards((-0.75, -0.66, 0.0)))
    parts.joint(
        f"{thumb}_cmc",
        side.of("hand"),
        segments[0],
        Axis(
            side.axis(_towards((0.0, -1.0, 0.0))),
            f"{thumb}_cmc_abduction",
            LIMBS["thumb_cmc_abduction"],
            f"{title} CMC palmar abduction: 0 by the palm, positive away from it",
        ),
        Axis(
            side.axis(_towards((-1.0, 0.0, 0.0))),
            f"{thumb}_cmc_flexion",
            LIMBS["thumb_cmc_flexion"],
            f"{title} CMC flexion: 0 at rest, positive across the palm",
        ),
        Axis(
            side.axis(THUMB_DIRECTION),
            f"{thumb}_cmc_pronation",
            None,
            "",
            Follow({f"{thumb}_cmc_abduction": PRONATION}),
        ),
    )
    for k, joint in enumerate(("mcp", "ip")):
        parts.joint(
            f"{thumb}_{joint}",
            segments[k],
            segments[k + 1],
            Axis(
                bend,
                f"{thumb}_{joint}",
                LIMBS[f"thumb_{joint}"],
                f"{title} {joint.upper()} flexion: 0 straight, positive bends",
            ),
        )


@cache
def _towards(direction: tuple[float, float, float]) -> np.ndarray:
    """The axis at right angles to the thumb about which it turns towards `direction`."""
    axis = np.cross(THUMB_DIRECTION, direction)
    return frozen(axis / np.linalg.norm(axis))


def _add_bones(
    parts: Parts, side: Side, segments: list[str], points: list[np.ndarray], radii: list[float]
) -> None:
    for k, segment in enumerate(segments):
        start, end = side.point(points[k]), side.point(points[k + 1])
        shapes = [limb(start, end, radii[k], radii[k + 1], WOOD), ball(start, 1.10 * radii[k], DARK_WOOD)]
        parts.segment(segment, start, shapes)

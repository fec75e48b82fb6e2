"""Rotations as Euler products of three turns, and as the swing and twist of a ball joint; from each to the other.

With the axes a1, a2, a3 an Euler product is R = e(a1, θ1) e(a2, θ2) e(a3, θ3), e(a, θ) the turn about a by θ. The
middle angle follows from γ, the angle between a1 and u = R a3: with α between a1 and a2, β between a2 and a3,

    cos γ = cos α cos β + sin α sin β cos x,   θ2 = θ2⁰ ± x,
    sin²(x/2) = sin ½(γ − α + β) sin ½(γ + α − β) / (sin α sin β),
    cos²(x/2) = sin ½(α + β − γ) sin ½(α + β + γ) / (sin α sin β),

half angles because an arc cosine would lose half of the digits near x = 0 and π. Then θ1 turns e(a2, θ2) a3 to u about
a1, and θ3 is what remains. There are two families of angles, x and −x. Where e(a2, θ2) a3 is along a1 (the gimbal
lock) only θ1 ± θ3 counts. Axes that are not at right angles cannot make every rotation.

A ball joint with its twist about z is R = exp([s1, s2, 0]) Rz(t): from the quaternion (w, x, y, z) of R,
t = 2 atan2(z, w), and the swing is (x, y) turned by t/2, of length |s| = 2 atan2(|(x, y)|, |(w, z)|). The second family
swings the long way round, |s| − 2π; with |s| = π only t and the direction of s together count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from manikin.errors import FigureError
from manikin.figure import checks, transforms
from manikin.figure.motions import align, parse_axis, unit

_TURN = 2.0 * math.pi
# Below this sine two axes count as parallel; a rotation out of reach by less than _REACH radians is rounding.
_POLE, _REACH = 1e-12, 1e-9


def euler_rotation(axes: Any, angles: Sequence[float] | np.ndarray) -> np.ndarray:
    """e(a1, θ1) e(a2, θ2) e(a3, θ3), 3×3. `axes` are letters, ``"zxz"``, or three vectors or texts such as ``"-y"``."""
    first, second, third = _axes(axes)
    theta = checks.vector(angles, (3,), "euler: angles")
    return (
        transforms.exp(theta[0] * first)
        @ transforms.exp(theta[1] * second)
        @ transforms.exp(theta[2] * third)
    )


def euler_solutions(axes: Any, rotation: Any, near: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
    """Every (θ1, θ2, θ3), (k, 3): two families, one where they meet, none where the axes cannot make this rotation.

    near: three angles; of each family the angles, whole turns apart, nearest to them, the nearer family first. By
        default near 0. In a gimbal lock the nearest of all that there are.
    """
    a1, a2, a3 = _axes(axes)
    r = _rotation(rotation)
    wish = np.zeros(3) if near is None else checks.vector(near, (3,), "euler: near")
    middle = _middle_angles(a1, a2, a3, r @ a3)
    found = [_outer_angles(a1, a2, a3, r, theta, wish) for theta in middle]
    found.sort(key=lambda angles: float(np.sum((angles - wish) ** 2)))
    return np.array(found).reshape(-1, 3)


def euler_angles(axes: Any, rotation: Any, near: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
    """The (θ1, θ2, θ3) nearest to `near`; a FigureError where there are none."""
    found = euler_solutions(axes, rotation, near)
    if not len(found):
        raise FigureError(
            "euler: turns about these axes cannot make this rotation; only axes at right angles make all"
        )
    return found[0]


def swing_twist_rotation(values: Sequence[float] | np.ndarray, axis: Any = "z") -> np.ndarray:
    """The rotation of a ball joint at (swing_1, swing_2, twist), 3×3; `axis` is that of its twist."""
    turn = _turn(axis)
    s1, s2, t = checks.vector(values, (3,), "swing and twist")
    return turn @ transforms.exp([s1, s2, 0.0]) @ transforms.turn_z(t) @ turn.T


def swing_twist_solutions(
    rotation: Any, axis: Any = "z", near: Sequence[float] | np.ndarray | None = None
) -> np.ndarray:
    """Every (swing_1, swing_2, twist), (k, 3): the swing the short and the long way round, at its best whole turn.

    near: values to be near to, as in `euler_solutions`; by default 0.
    """
    turn = _turn(axis)
    r = turn.T @ _rotation(rotation) @ turn
    wish = np.zeros(3) if near is None else checks.vector(near, (3,), "swing and twist: near")
    w, x, y, z = _quaternion(r)
    level, upright = math.hypot(x, y), math.hypot(w, z)
    half = math.atan2(z, w) if upright > _POLE else 0.5 * wish[2]
    twist = _turned_to(2.0 * half, wish[2])
    c, s = math.cos(half), math.sin(half)
    swing = np.array([x * c - y * s, x * s + y * c])
    if level <= _POLE:  # at 0, and a whole turn away, all directions are the same: take that of the wish
        length = float(np.hypot(*wish[:2]))
        whole = _TURN * round(length / _TURN)
        return np.array([[*(wish[:2] * (whole / length) if whole else 2.0 * swing), twist]])
    direction = swing / np.linalg.norm(swing)
    size, along = 2.0 * math.atan2(level, upright), float(direction @ wish[:2])
    nearest = size + _TURN * round((along - size) / _TURN)
    other = nearest - math.copysign(_TURN, nearest)
    return np.array([[*(length * direction), twist] for length in (nearest, other)])


def swing_twist(
    rotation: Any, axis: Any = "z", near: Sequence[float] | np.ndarray | None = None
) -> np.ndarray:
    """The (swing_1, swing_2, twist) nearest to `near`."""
    return swing_twist_solutions(rotation, axis, near)[0]


def swing_twist_from_euler(
    axes: Any,
    angles: Sequence[float] | np.ndarray,
    axis: Any = "z",
    near: Sequence[float] | np.ndarray | None = None,
) -> np.ndarray:
    """A ball joint's values for the rotation that three turns make."""
    return swing_twist(euler_rotation(axes, angles), axis, near)


def euler_from_swing_twist(
    axes: Any,
    values: Sequence[float] | np.ndarray,
    axis: Any = "z",
    near: Sequence[float] | np.ndarray | None = None,
) -> np.ndarray:
    """Three turns' angles for the rotation of a ball joint at (swing_1, swing_2, twist)."""
    return euler_angles(axes, swing_twist_rotation(values, axis), near)


def _axes(axes: Any) -> np.ndarray:
    """Three unit vectors, no neighbours parallel."""
    listed = list(axes)
    if len(listed) != 3:
        raise FigureError(f"euler: expected three axes, got {axes!r}")
    found = np.array([_axis(entry) for entry in listed])
    for k in (0, 1):
        if np.linalg.norm(np.cross(found[k], found[k + 1])) < _POLE:
            raise FigureError(f"euler: axes {k + 1} and {k + 2} of {axes!r} are parallel")
    return found


def _axis(entry: Any) -> np.ndarray:
    if isinstance(entry, str):
        return parse_axis(entry, "euler")
    return unit(checks.vector(entry, (3,), "euler: axis"), "euler")


def _turn(axis: Any) -> np.ndarray:
    """Q with Q z the axis, as a ball joint about it has it."""
    return align(_axis(axis))[0]


def _rotation(rotation: Any) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = checks.vector(rotation, (3, 3), "euler: rotation")
    return checks.placement(matrix, "euler: rotation")[:3, :3]


def _quaternion(rotation: np.ndarray) -> tuple[float, float, float, float]:
    vector = transforms.log(rotation)
    angle = float(np.linalg.norm(vector))
    x, y, z = 0.5 * vector * np.sinc(0.5 * angle / math.pi)
    return math.cos(0.5 * angle), float(x), float(y), float(z)


def _turned_to(angle: float, wish: float) -> float:
    """The angle with whole turns added that bring it nearest to the wish."""
    return angle + _TURN * round((wish - angle) / _TURN)


def _between(a: np.ndarray, b: np.ndarray) -> float:
    return math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b))


def _middle_angles(a1: np.ndarray, a2: np.ndarray, a3: np.ndarray, u: np.ndarray) -> list[float]:
    """θ2 of both families, in (−π, π]."""
    alpha, beta, gamma = _between(a1, a2), _between(a2, a3), _between(a1, u)
    if gamma < abs(alpha - beta) - _REACH or gamma > min(alpha + beta, _TURN - alpha - beta) + _REACH:
        return []
    sine = math.sin(0.5 * (gamma - alpha + beta)) * math.sin(0.5 * (gamma + alpha - beta))
    cosine = math.sin(0.5 * (alpha + beta - gamma)) * math.sin(0.5 * (alpha + beta + gamma))
    x = 2.0 * math.atan2(math.sqrt(max(sine, 0.0)), math.sqrt(max(cosine, 0.0)))
    start = math.atan2(float(a1 @ np.cross(a2, a3)), float(a1 @ a3 - (a1 @ a2) * (a2 @ a3)))
    if min(x, math.pi - x) < _POLE:
        return [start + x]
    return [start + x, start - x]


def _outer_angles(
    a1: np.ndarray, a2: np.ndarray, a3: np.ndarray, r: np.ndarray, theta: float, wish: np.ndarray
) -> np.ndarray:
    """θ1, θ2, θ3 with θ2 given, whole turns nearest to the wish."""
    middle = transforms.exp(theta * a2)
    v, u = middle @ a3, r @ a3
    level = np.cross(a1, v)
    locked = float(np.linalg.norm(level)) < _POLE
    first = wish[0] if locked else math.atan2(float(level @ u), float(np.cross(level, a1) @ u))
    first = _turned_to(first, wish[0])
    rest = middle.T @ transforms.exp(-first * a1) @ r
    w = transforms.basis(a3)[:, 0]
    third = math.atan2(float(np.cross(a3, w) @ rest @ w), float(w @ rest @ w))
    third = _turned_to(third, wish[2])
    if locked:  # θ1 + σθ3 is all that counts: share the way between them
        half = 0.5 * (third - wish[2])
        first += math.copysign(half, half * float(a1 @ v))
        third -= half
    return np.array([first, _turned_to(theta, wish[1]), third])

"""The formulas of Tolani and Badler (1996) as printed but for the errors of the print, in plain NumPy.

Equation by equation, with the paper's letters: an independent path to what `mk.Arm` says of the paper's own arm.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import acos, asin, atan2, cos, pi, sin, sqrt

import numpy as np

import manikin as mk

L1, L2 = 0.33, 0.27
#: For square roots and arcs whose arguments leave their domain by rounding.
_EDGE = 1e-9


def turn(axis: str, angle: float) -> np.ndarray:
    """R_x, R_y or R_z, 4×4."""
    c, s = cos(angle), sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(4)
    matrix[i, i], matrix[i, j], matrix[j, i], matrix[j, j] = c, -s, s, c
    return matrix


def along_z(length: float) -> np.ndarray:
    """T(0, 0, length)."""
    matrix = np.eye(4)
    matrix[2, 3] = length
    return matrix


def A(i: int, theta: float) -> np.ndarray:
    """A₁ … A₇ of section 2."""
    after = {3: along_z(L1), 4: along_z(L2)}
    return turn("zxzyyxz"[i - 1], theta) @ after.get(i, np.eye(4))


def product(theta: np.ndarray, first: int = 1, last: int = 7) -> np.ndarray:
    """A_first … A_last."""
    matrix = np.eye(4)
    for i in range(first, last + 1):
        matrix = matrix @ A(i, theta[i - 1])
    return matrix


def figure() -> mk.Figure:
    """The same arm as a figure, without limits."""
    joints = [
        mk.Joint(
            f"t{i}", f"s{i - 1}", f"s{i}", f"R({'zxzyyxz'[i - 1]})",
            placement=(0.0, 0.0, {4: L1, 5: L2}.get(i, 0.0)), lower=-pi, upper=pi,
        )
        for i in range(1, 8)
    ]  # fmt: skip
    return mk.Figure("paper", [f"s{i}" for i in range(8)], joints, [mk.Site("wrist", "s7")])


def elbow_angles(g: np.ndarray) -> tuple[float, float]:
    """(3)."""
    p = g[:3, 3]
    inner = acos(min(1.0, max(-1.0, (L1**2 + L2**2 - p @ p) / (2.0 * L1 * L2))))
    return pi + inner, pi - inner


def scheme_one(g: np.ndarray, phi: float) -> Iterator[np.ndarray]:
    """(4) to (14) with both families of the shoulder and both signs of the elbow."""
    w = g[:3, 3]
    far = float(np.linalg.norm(w))
    n = w / far
    down = np.array([0.0, 0.0, -1.0])
    u = down - (down @ n) * n
    u /= np.linalg.norm(u)
    v = np.cross(n, u)
    cosine = (L2**2 - L1**2 - far**2) / (-2.0 * L1 * far)
    for t4 in elbow_angles(g):
        c = cosine * L1 * n
        r = L1 * abs(L2 * sin(pi - t4) / far)
        ex, ey, ez = r * (cos(phi) * u + sin(phi) * v) + c
        for side in (1.0, -1.0):
            t1 = atan2(side * ex, -side * ey)
            s2 = -ey / (cos(t1) * L1) if abs(cos(t1)) > 0.5 else ex / (sin(t1) * L1)
            t2 = atan2(s2, ez / L1)
            c1, s1, c2, s2 = cos(t1), sin(t1), cos(t2), sin(t2)
            s4 = sin(t4)
            t3 = atan2(
                (-s1 * c2 * g[0, 3] + c1 * c2 * g[1, 3] + s2 * g[2, 3]) / s4,
                (c1 * g[0, 3] + s1 * g[1, 3]) / s4,
            )
            yield from wrist(g, t1, t2, t3, t4)


def wrist(g: np.ndarray, *shoulder: float) -> Iterator[np.ndarray]:
    """(11) to (14)."""
    r = np.linalg.inv(product(np.array(shoulder), 1, 4)) @ g
    for t6 in (asin(-r[1, 2]), -(pi + asin(-r[1, 2]))):
        c6 = cos(t6)
        t5 = atan2(r[0, 2] / c6, r[2, 2] / c6)
        t7 = atan2(r[1, 0] / c6, r[1, 1] / c6)
        yield np.array([*shoulder, t5, t6, t7])


def shoulder(g: np.ndarray, t4: float, t5: float, t6: float, t7: float) -> Iterator[np.ndarray]:
    """(32), (33)."""
    r = g @ np.linalg.inv(product(np.array([0.0, 0.0, 0.0, t4, t5, t6, t7]), 4, 7))
    for t2 in (acos(r[2, 2]), -acos(r[2, 2])):
        s2 = sin(t2)
        yield np.array(
            [atan2(r[0, 2] / s2, -r[1, 2] / s2), t2, atan2(r[2, 0] / s2, r[2, 1] / s2), t4, t5, t6, t7]
        )


def _root(x: float) -> float:
    return sqrt(x) if x > 0.0 else 0.0 if x > -_EDGE else float("nan")


def _both(a: float, b: float, c: float, d: float) -> float:
    """θ of a cos θ − b sin θ = c, a sin θ + b cos θ = d."""
    return atan2(a * d - b * c, a * c + b * d)


def fixed(g: np.ndarray, joint: int, value: float) -> Iterator[np.ndarray]:
    """(15) to (31): the six cases, each with both signs of the elbow."""
    g14, g24, g34 = g[:3, 3]
    alpha, beta, gamma = -g[:3, :3].T @ g[:3, 3]
    for t4 in elbow_angles(g):
        s4, c4 = sin(t4), cos(t4)
        along, down = c4 * L2 + L1, -c4 * L1 - L2
        if joint == 1:
            c1, s1 = cos(value), sin(value)
            x = (c1 * g14 + s1 * g24) / (s4 * L2)
            for sign in (1.0, -1.0) if abs(x) <= 1.0 else ():
                t3 = sign * acos(x)
                t2 = _both(s4 * L2 * sin(t3), along, -s1 * g14 + c1 * g24, g34)
                yield from wrist(g, value, t2, t3, t4)
        elif joint == 2:
            c2, s2 = cos(value), sin(value)
            eta = (g34 - along * c2) / (s4 * L2 * s2)
            for t3 in (asin(eta), pi - asin(eta)) if abs(eta) <= 1.0 else ():
                t1 = _both(g24, g14, s4 * L2 * sin(t3) * c2 - along * s2, s4 * L2 * cos(t3))
                yield from wrist(g, t1, value, t3, t4)
        elif joint == 3:
            x = s4 * L2 * cos(value)
            y = _root(g14**2 + g24**2 - x**2)
            for sign in (1.0, -1.0) if y == y else ():
                t1 = atan2(g24, g14) + sign * atan2(y, x)
                t2 = _both(g34, -sin(t1) * g14 + cos(t1) * g24, along, s4 * L2 * sin(value))
                yield from wrist(g, t1, t2, value, t4)
        elif joint == 7:
            c7, s7 = cos(value), sin(value)
            u1, u2 = alpha * c7 - beta * s7, alpha * s7 + beta * c7
            for sign in (1.0, -1.0):
                t6 = atan2(-gamma, u2) + sign * pi / 2.0
                t5 = _both(u2 * sin(t6) + gamma * cos(t6), u1, down, s4 * L1)
                yield from shoulder(g, t4, t5, t6, value)
        elif joint == 5:
            c5, s5 = cos(value), sin(value)
            c = c5 * s4 * L1 - s5 * down
            d = s5 * s4 * L1 + c5 * down
            y = _root(alpha**2 + beta**2 - c**2)
            for sign in (1.0, -1.0) if y == y else ():
                t7 = atan2(-beta, alpha) + sign * atan2(y, c)
                a = alpha * sin(t7) + beta * cos(t7)
                yield from shoulder(g, t4, value, atan2(a * d, gamma * d), t7)
        else:
            c6, s6 = cos(value), sin(value)
            y = _root((alpha * c6) ** 2 + (beta * c6) ** 2 - (gamma * s6) ** 2)
            for sign in (1.0, -1.0) if y == y else ():
                t7 = atan2(alpha * c6, beta * c6) + sign * atan2(y, gamma * s6)
                c = alpha * cos(t7) - beta * sin(t7)
                d = alpha * s6 * sin(t7) + beta * s6 * cos(t7) + gamma * c6
                yield from shoulder(g, t4, _both(s4 * L1, down, c, d), value, t7)

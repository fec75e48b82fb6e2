"""Random robots of six joints of every kind that has a closed form, and their kinematics in NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manikin.figure import transforms
from manikin.plan.six_axis_spec import ALIGNED, six_axis_spec

#: Every way through the closed form, from both ends of the chain.
KINDS = (
    "parallel",
    "parallel, last two apart",
    "parallel, mirrored",
    "parallel, last two apart, mirrored",
    "wrist, second and third parallel",
    "wrist, second and third parallel, first two meet",
    "wrist, first two meet",
    "wrist, first two parallel",
    "wrist",
    "wrist, second and third parallel, mirrored",
    "wrist, first two meet, mirrored",
    "wrist, mirrored",
    *(f"{kind} {first}" for kind in ("meet", "flat") for first in (1, 2, 3, 4)),
    "meet 2, last two meet",
    "meet 2, last two parallel",
    "meet 3, first two meet",
    "meet 3, first two parallel",
    "flat 1, last two meet",
    "flat 2, last two parallel",
    *(f"meet {first} slide {slide}" for first, slide in ((4, 1), (4, 2), (4, 3), (2, 1), (2, 5), (2, 6))),
    *(f"meet {first} slide {slide}" for first, slide in ((3, 1), (3, 2), (3, 6), (1, 4), (1, 5), (1, 6))),
    *(f"meet {first} slide {slides}" for first, slides in ((4, "12"), (4, "13"), (4, "23"), (4, "123"))),
    *(f"meet {first} slide {slides}" for first, slides in ((2, "15"), (2, "16"), (2, "56"), (1, "456"))),
    *(f"flat {first} slide {slide}" for first, slide in ((1, 4), (1, 5), (1, 6), (2, 1), (2, 5), (2, 6))),
    *(f"flat {first} slide {slide}" for first, slide in ((3, 1), (3, 2), (3, 6), (4, 1), (4, 2), (4, 3))),
)


def unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def frame(rng: np.random.Generator) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3] = transforms.exp(unit(rng) * rng.uniform(0.0, np.pi))
    result[:3, 3] = rng.uniform(-1.0, 1.0, 3)
    return result


@dataclass
class Robot:
    """Axes and points (6, 3) at zero in the frame of the carrier, and the end's frame there."""

    h: np.ndarray
    o: np.ndarray
    carrier: np.ndarray
    tip: np.ndarray
    slides: np.ndarray = field(default_factory=lambda: np.zeros(6, dtype=bool))

    def spec(self, tolerance: float = ALIGNED) -> np.ndarray:
        return six_axis_spec(self.h, self.o, self.carrier, self.tip, tolerance, self.slides)

    def away(self, rows: np.ndarray, q: np.ndarray) -> np.ndarray:
        """The greatest difference of each row from q but for whole turns."""
        if not len(rows):
            return np.array([np.inf])
        return np.abs(np.where(self.slides, rows - q, wrapped(rows - q))).max(axis=1)

    def made(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Random joint values (count, 6)."""
        return rng.uniform(-np.pi, np.pi, (count, 6)) * np.where(self.slides, 0.2, 1.0)

    def motions(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What rows q (n, 6) make of the carrier's space: (n, 4, 4); the axes and points (n, 6, 3) as they then are."""
        whole = np.tile(np.eye(4), (len(q), 1, 1))
        axes, points = np.empty((len(q), 6, 3)), np.empty((len(q), 6, 3))
        for j in range(6):
            axes[:, j] = whole[:, :3, :3] @ self.h[j]
            points[:, j] = whole[:, :3, :3] @ self.o[j] + whole[:, :3, 3]
            k = transforms.skew(self.h[j])
            one = np.tile(np.eye(4), (len(q), 1, 1))
            if self.slides[j]:
                one[:, :3, 3] = q[:, j, None] * self.h[j]
                whole = whole @ one
                continue
            s, c = np.sin(q[:, j])[:, None, None], np.cos(q[:, j])[:, None, None]
            one[:, :3, :3] += s * k + (1.0 - c) * (k @ k)
            one[:, :3, 3] = self.o[j] - one[:, :3, :3] @ self.o[j]
            whole = whole @ one
        return whole, axes, points

    def ends(self, q: np.ndarray) -> np.ndarray:
        """The end's frame in the world at rows q."""
        return self.carrier @ self.motions(np.atleast_2d(q))[0] @ self.tip

    def search(self, target: np.ndarray, starts: np.ndarray, steps: int = 60) -> np.ndarray:
        """Where damped Newton steps from many starts reach a target: distinct rows, in (−π, π]."""
        goal = transforms.inverse(self.carrier) @ target
        q = starts.copy()
        for _ in range(steps):
            whole, axes, points = self.motions(q)
            now = whole @ self.tip
            turn = goal[:3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)
            away = np.array([transforms.log(t) for t in turn]) if len(q) < 4 else _logs(turn)
            e = np.concatenate([goal[:3, 3] - now[:, :3, 3], away], axis=1)
            slides = self.slides[:, None]
            ways = np.where(slides, axes, np.cross(axes, now[:, None, :3, 3] - points))
            j = np.swapaxes(np.concatenate([ways, np.where(slides, 0.0, axes)], axis=2), 1, 2)
            jt = np.swapaxes(j, 1, 2)
            damping = np.minimum(1e-2, (e**2).sum(axis=1))[:, None, None] * np.eye(6) * 0.1
            q = q + np.linalg.solve(jt @ j + damping + 1e-15 * np.eye(6), jt @ e[:, :, None])[:, :, 0]
        good = np.abs(e).max(axis=1) < 1e-11
        found: list[np.ndarray] = []
        for row in np.where(self.slides, q, wrapped(q))[good]:
            if not found or self.away(np.array(found), row).min() > 1e-5:
                found.append(row)
        return np.array(found).reshape(-1, 6)


def _logs(turns: np.ndarray) -> np.ndarray:
    """Rotation vectors, those near half a turn only roughly."""
    sine = 0.5 * np.stack(
        [turns[:, 2, 1] - turns[:, 1, 2], turns[:, 0, 2] - turns[:, 2, 0], turns[:, 1, 0] - turns[:, 0, 1]],
        axis=1,
    )
    size = np.linalg.norm(sine, axis=1)
    angle = np.arctan2(size, 0.5 * (np.trace(turns, axis1=1, axis2=2) - 1.0))
    return sine * np.where(size > 1e-9, angle / np.maximum(size, 1e-9), 1.0)[:, None]


def wrapped(q: np.ndarray) -> np.ndarray:
    """Angles in (−π, π]."""
    return q - 2.0 * np.pi * np.ceil(q / (2.0 * np.pi) - 0.5)


def random_robot(kind: str, rng: np.random.Generator, offset: float | None = None) -> Robot:
    """A robot of a kind, nothing aligned with anything else; ``offset`` shifts what need not meet."""
    h = np.array([unit(rng) for _ in range(6)])
    o = rng.uniform(-0.5, 0.5, (6, 3))
    slides = np.zeros(6, dtype=bool)
    if kind.startswith(("meet", "flat")):
        words = kind.replace(",", "").split()
        three = slice(int(words[1]) - 1, int(words[1]) + 2)
        if words[0] == "meet":
            o[three] = rng.uniform(-0.5, 0.5, 3) + rng.uniform(-0.2, 0.2, (3, 1)) * h[three]
        else:
            h[three] = h[three.start] * rng.choice([-1, 1], (3, 1))
        if "slide" in kind:
            slides[[int(digit) - 1 for digit in words[3]]] = True
        elif "two" in kind:
            one, two = (4, 5) if "last" in kind else (0, 1)
            if words[-1] == "parallel":
                h[two] = h[one]
            else:
                o[two] = o[one] + rng.uniform(-0.2, 0.2) * h[one] + rng.uniform(-0.2, 0.2) * h[two]
    elif kind.startswith("parallel"):
        h[2], h[3] = h[1] * rng.choice([-1, 1]), h[1] * rng.choice([-1, 1])
        if "apart" not in kind:
            o[5] = o[4] + rng.uniform(-0.2, 0.2) * h[4] + rng.uniform(-0.2, 0.2) * h[5]
        if offset is not None:
            n = np.cross(h[4], h[5])
            o[5] = o[4] + rng.uniform(-0.2, 0.2) * h[4] + offset * n / np.linalg.norm(n)
    else:
        centre = rng.uniform(-0.5, 0.5, 3)
        o[3:] = centre + rng.uniform(-0.2, 0.2, (3, 1)) * h[3:]
        if "second and third parallel" in kind:
            h[2] = h[1] * rng.choice([-1, 1])
        if "first two parallel" in kind:
            h[1] = h[0] * rng.choice([-1, 1])
        if "meet" in kind or offset is not None:
            n = np.cross(h[0], h[1])
            o[1] = o[0] + rng.uniform(-0.2, 0.2) * h[0] + rng.uniform(-0.2, 0.2) * h[1]
            o[1] += (offset or 0.0) * n / np.linalg.norm(n)
    if "mirrored" in kind:
        h, o = h[::-1].copy(), o[::-1].copy()
    return Robot(h, o, frame(rng), frame(rng), slides)


def universal() -> Robot:
    """Lengths like a UR5's: 2 ∥ 3 ∥ 4, the others at right angles."""
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    h = np.array([z, y, y, y, -z, y])
    o = np.array(
        [
            [0, 0, 0],
            [0, 0.13, 0.09],
            [0.42, 0.13, 0.09],
            [0.81, 0.02, 0.09],
            [0.81, 0.11, 0.09],
            [0.81, 0.11, 0],
        ]
    )
    tip = np.eye(4)
    tip[:3, 3] = 0.81, 0.19, 0.0
    return Robot(h, o, np.eye(4), tip)


def anthropomorphic(shoulder: float = 0.0, fore: float = 0.35) -> Robot:
    """An arm with all axes at right angles, its wrist able to come over the first axis."""
    z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    h = np.array([z, y, y, z, y, z])
    o = np.array([[0, 0, 0], [0, shoulder, 0.3], [0, 0, 0.7]] + 3 * [[0, shoulder, 0.7 + fore]], dtype=float)
    tip = np.eye(4)
    tip[:3, 3] = 0.02, 0.01, 0.8 + fore
    return Robot(h, o, np.eye(4), tip)


def _right_angled(
    axes: str, points: list[tuple[float, float, float]], end: tuple[float, float, float]
) -> Robot:
    h = np.array([np.eye(3)["xyz".index(axis)] for axis in axes.lower()])
    tip = np.eye(4)
    tip[:3, 3] = end
    return Robot(h, np.array(points), np.eye(4), tip, np.array([axis.isupper() for axis in axes]))


def stanford() -> Robot:
    """Lengths as of the Stanford arm: its third joint slides, its last three axes meet."""
    wrist = (0.0, 0.15, 0.7)
    return _right_angled("zyZzyz", [(0, 0, 0), (0, 0.15, 0.4), *4 * [wrist]], (0, 0.15, 0.9))


def gantry() -> Robot:
    """Three slides and a wrist."""
    return _right_angled("XYZzyz", [*3 * [(0, 0, 0)], *3 * [(0, 0, 0.3)]], (0, 0.1, 0.4))


def middle(first: int) -> Robot:
    """Axes 2 to 4, or 3 to 5, meet, all others at right angles."""
    robot = _right_angled(
        "zyzyyz", [(0, 0, 0), *3 * [(0.1, 0, 0.3)], (0.1, 0, 0.7), (0.1, 0.1, 0.7)], (0.1, 0.1, 0.9)
    )
    if first == 3:
        robot.h, robot.o = robot.h[::-1].copy(), robot.o[::-1].copy()
    return robot


def flat_first() -> Robot:
    """The first three axes parallel, the others at right angles."""
    points = [(0, 0, 0), (0.4, 0, 0), (0.7, 0, 0), (0.8, 0, 0.1), (0.8, 0, 0.2), (0.9, 0, 0.2)]
    return _right_angled("zzzyxz", points, (1, 0, 0.3))

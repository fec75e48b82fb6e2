"""Figures that the tests and the benchmark of the reach hierarchy share: robots, and the human's limbs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import manikin as mk
from manikin.figure.dh import from_dh
from manikin.papers.chains import planar_chain

QUARTER = np.pi / 2

#: A figure, its site, and what is free: None for all that moves the site.
Case = tuple[mk.Figure, str, list[str] | None]

RIGHT_ARM = [
    "right_clavicle_*",
    "right_shoulder_*",
    "right_elbow",
    "right_forearm_*",
    "right_wrist_*",
]
RIGHT_LEG = ["right_hip_*", "right_knee", "right_ankle_*", "right_toes"]


def planar(hinges: int) -> Case:
    """Unit links with hinges of ±1.5 rad."""
    figure = planar_chain([1.0] * hinges, lower=[-1.5] * hinges, upper=[1.5] * hinges, rest=[0.2] * hinges)
    return figure, f"P{hinges}", None


def puma() -> Case:
    """A PUMA 560 with its maker's limits and a tool of 5 cm."""
    rows = [
        (0.0, QUARTER, 0.0, 0.0),
        (0.4318, 0.0, 0.0, 0.0),
        (0.0203, -QUARTER, 0.15005, 0.0),
        (0.0, QUARTER, 0.4318, 0.0),
        (0.0, -QUARTER, 0.0, 0.0),
        (0.0, 0.0, 0.05, 0.0),
    ]
    ends = np.radians([160, 135, 135, 140, 100, 180])
    return from_dh(rows, name="puma", lower=list(-ends), upper=list(ends)), "tip", None


def stanford() -> Case:
    """The Stanford arm: two hinges, a slide, a wrist, a tool of 26.3 cm."""
    rows = [
        (0.0, -QUARTER, 0.412, 0.0),
        (0.0, QUARTER, 0.154, 0.0),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, -QUARTER, 0.0, 0.0),
        (0.0, QUARTER, 0.0, 0.0),
        (0.0, 0.0, 0.263, 0.0),
    ]
    low = [*np.radians([-170, -170]), 0.2, *np.radians([-170, -90, -170])]
    high = [*np.radians([170, 170]), 0.9, *np.radians([170, 90, 170])]
    slides = [False, False, True, False, False, False]
    return from_dh(rows, name="stanford", lower=low, upper=high, prismatic=slides), "tip", None


def iiwa() -> Case:
    """A KUKA LBR iiwa 7 with a tool aside of its flange."""
    heights = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
    ends = (2.967, 2.094, 2.967, 2.094, 2.967, 2.094, 3.054)
    axes = ("z", "y", "z", "-y", "z", "y", "z")
    return _seven("iiwa", heights, axes, ends, (0.02, 0.01, 0.1))


def skewed() -> Case:
    """Seven hinges about skew axes, of which no three meet or are parallel."""
    rng = np.random.default_rng(5)
    names = [f"link{i}" for i in range(8)]
    joints = [
        mk.Joint.revolute(
            f"a{i + 1}", names[i], names[i + 1], tuple(rng.normal(size=3)),
            placement=tuple(0.15 * rng.normal(size=3)), lower=-1.8, upper=1.8,
        )
        for i in range(7)
    ]  # fmt: skip
    return mk.Figure("skewed", names, joints, [mk.Site("tool", "link7", (0.1, 0.05, 0.02))]), "tool", None


def _seven(
    name: str,
    heights: tuple[float, ...],
    axes: tuple[str, ...],
    ends: tuple[float, ...],
    tool: tuple[float, float, float],
) -> Case:
    names = [f"link{i}" for i in range(8)]
    joints = [
        mk.Joint(
            f"a{i + 1}", names[i], names[i + 1], f"R({axis})", placement=(0, 0, height), lower=-end, upper=end
        )
        for i, (height, axis, end) in enumerate(zip(heights, axes, ends, strict=True))
    ]
    return mk.Figure(name, names, joints, [mk.Site("tool", "link7", tool)]), "tool", None


def arm() -> Case:
    """The human's right arm with its girdle, whose rhythm follows the arm, to the tip of the forefinger."""
    return mk.human(base="fixed"), "right_fingertip", RIGHT_ARM


def leg() -> Case:
    """The human's right leg, to the toes."""
    return mk.human(base="fixed"), "right_toe", RIGHT_LEG


def leg_in_cones() -> Case:
    """The same, the hip's swing limited by an ellipse of directions."""
    return mk.human(base="fixed", swings="cones"), "right_toe", RIGHT_LEG


CASES: dict[str, Callable[[], Case]] = {
    **{f"planar, {n} hinges": (lambda n=n: planar(n)) for n in range(3, 9)},  # type: ignore[misc]
    "PUMA 560, 5 cm tool": puma,
    "Stanford arm": stanford,
    "iiwa": iiwa,
    "seven skew hinges": skewed,
    "human arm": arm,
    "human leg": leg,
    "human leg, hip in a cone": leg_in_cones,
}


def legal(figure: mk.Figure, moved: np.ndarray, count: int, seed: int = 0) -> np.ndarray:
    """Random legal poses, (count, n): these coordinates anywhere in their ranges, couplings and cones; others at
    rest.
    """
    rng = np.random.default_rng(seed)
    found: list[np.ndarray] = []
    while sum(map(len, found)) < count:
        q = np.repeat(figure.rest[None], 4 * count, axis=0)
        q[:, moved] = rng.uniform(figure.lower[moved], figure.upper[moved], (4 * count, len(moved)))
        good = np.ones(len(q), bool)
        for coupling in figure.couplings:
            places = [figure.index(name) for name in coupling.coefficients]
            value = q[:, places] @ np.array(list(coupling.coefficients.values()))
            good &= (value >= coupling.lower) & (value <= coupling.upper)
        for cone in figure.cones:
            good &= cone.value(q) <= 1.0
        found.append(q[good])
    return np.concatenate(found)[:count]

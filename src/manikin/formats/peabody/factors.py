"""A joint's motion as the product of one-axis factors that Peabody has, and its values from theirs.

Vectors are rows there, so the order is the other way round: the factor nearest to the child's segment comes first. A
ball joint is ``R(x)*R(y)*R(z)``, the rotation by Euler angles; so is the rotation vector of a free joint. Such factors
have no limits of their own, since a box of Euler angles is no range of swing and twist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from manikin.figure import Joint, euler, rotations, transforms
from manikin.figure.joint import Axis
from manikin.figure.motions import Step


class Factor(NamedTuple):
    """One factor: its letter, R or T, its axis, its value, and the joint's axis of the same value, if there is one."""

    letter: str
    direction: tuple[float, float, float]
    value: float
    axis: Axis | None


def factors(joint: Joint, values: Sequence[float]) -> list[Factor]:
    """The factors of a joint in the file's order, at these values of its axes."""
    found: list[Factor] = []
    for step, axes, at in _by_step(joint, values):
        if step.kind.turns or step.kind.slides:
            direction = tuple(step.turn[:, 2].tolist())
            found.append(Factor(step.kind.word, direction, at[0], axes[0]))
        else:
            found += rotation_factors(_rotation(step, at))[::-1]
    return found[::-1]


def rotation_factors(rotation: np.ndarray) -> list[Factor]:
    """R(x)*R(y)*R(z) of a rotation, in the file's order."""
    z, y, x = euler.euler_angles("zyx", rotation).tolist()
    return [
        Factor("R", (1.0, 0.0, 0.0), x, None),
        Factor("R", (0.0, 1.0, 0.0), y, None),
        Factor("R", (0.0, 0.0, 1.0), z, None),
    ]


def default_names(joint: str, product: str) -> list[str]:
    """The names that the axes of a product have unless others are given, in the order of the product."""
    return [axis.name for axis in Joint(joint, "near", "far", product).axes]


def values_of(joint: Joint, at: Sequence[float], near: Sequence[float]) -> list[float]:
    """The values of a joint's axes at which its factors have the values `at`, in the file's order.

    near: of the values of swing and twist that make the same rotation, those nearest to these are taken.
    """
    left, result = [*at][::-1], []
    for step, axes, old in _by_step(joint, near):
        if step.kind.turns or step.kind.slides:
            result.append(left.pop(0))
            continue
        z, y, x = (left.pop(0) for _ in axes)
        rotation = euler.euler_rotation("zyx", (z, y, x))
        if step.kind.swings:
            result += euler.swing_twist(rotation, step.turn[:, 2], old).tolist()
        else:
            result += transforms.log(rotation).tolist()
    return result


def _by_step(joint: Joint, values: Sequence[float]) -> list[tuple[Step, tuple[Axis, ...], list[float]]]:
    """The steps of a motion, each with its axes and their values."""
    found, place = [], 0
    for step in joint.steps:
        end = place + len(step.labels)
        found.append((step, joint.axes[place:end], [*values[place:end]]))
        place = end
    return found


def _rotation(step: Step, values: Sequence[float]) -> np.ndarray:
    """The rotation of a step of three values: swing and twist, or a rotation vector."""
    at = np.array([values])
    if step.kind.swings:
        return rotations.from_swing_twist(at, step.turn)[0]
    return rotations.from_vectors(at)[0]

"""How a rotation is given to a goal, and the rows that turn a site to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.figure.transforms import skew
from manikin.goals.goal import Goal
from manikin.residuals.block import EYE, Block, equal, pointing

ALIKE = (1.0, 1.0, 1.0)
# How far a quaternion may be from length 1, and a transform's last row from 0 0 0 1: numbers with few digits.
_UNIT = 1e-3


def axis_weights(goal: Goal, axes: ArrayLike) -> tuple[float, float, float]:
    """Three weights, none negative, not all zero; stored as a tuple."""
    if axes is ALIKE:
        return ALIKE
    try:
        values = tuple(float(a) for a in np.asarray(axes, dtype=np.float64).ravel())
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: axes must be three weights, got {axes!r}") from None
    if len(values) != 3 or not all(np.isfinite(values)) or min(values) < 0.0 or max(values) == 0.0:
        raise GoalError(
            f"{goal.label()}: axes must be three weights, none negative and not all 0, got {values}"
        )
    object.__setattr__(goal, "axes", values)
    return (values[0], values[1], values[2])


def one_of(goal: Goal, name: str, given: Any, wxyz: ArrayLike | None) -> Any:
    """The rotation as given, or the matrix of a quaternion (w, x, y, z), which may be off length 1 by rounding."""
    if (given is None) == (wxyz is None):
        both = "got both" if wxyz is not None else "got neither"
        raise GoalError(f"{goal.label()}: give a rotation as {name}, or as wxyz, a quaternion; {both}")
    if wxyz is None:
        return given
    try:
        numbers = np.array(wxyz, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    length = float(np.linalg.norm(numbers))
    if numbers.shape != (4,) or not abs(length - 1.0) < _UNIT:
        raise GoalError(
            f"{goal.label()}: wxyz must be a quaternion of length 1, four numbers, w first; got {wxyz!r}"
        )
    w, v = numbers[0] / length, numbers[1:] / length
    turned: np.ndarray = (w * w - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * w * skew(v)
    return turned


def transform(value: Any) -> np.ndarray | None:
    """A 4×4 array; None for anything else."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return None
    if isinstance(value, (np.ndarray, list, tuple)) and len(value) == 4:
        try:
            numbers = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            return None
        return numbers if numbers.shape == (4, 4) else None
    return None


def split(goal: Goal, whole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of a transform, whose last row has to be (0, 0, 0, 1)."""
    if np.abs(whole[3] - [0.0, 0.0, 0.0, 1.0]).max() > _UNIT:
        raise GoalError(
            f"{goal.label()}: a transform's last row must be 0 0 0 1, got {whole[3].tolist()}; is it transposed?"
        )
    return whole[:3, 3], whole[:3, :3]


def turned(site: str, target: np.ndarray, axes: Sequence[float], weight: float, *, hard: bool) -> Block:
    """The site's axes along the target's: all alike by the rotation between the frames, one alone by its direction.

    What is hard has to hold whatever the weights are: then two axes and three are the same.
    """
    alike = axes[0] == axes[1] == axes[2]
    minded = () if alike else tuple(k for k in range(3) if axes[k] > 0.0)
    if len(minded) == 1:
        k = minded[0]
        own = 0.5 * axes[k] * weight
        return pointing(
            site, EYE[k], target[:, k], own, hard=hard, fixed=True, turn=target, components=minded
        )
    if hard or alike:
        return Block(
            "turn",
            **equal(weight * sum(axes) / 3.0, 3),
            site=site,
            unit="rad",
            hard=hard,
            target="turn",
            turn=target,
        )
    which = list(minded)
    rows = equal(1.0, 3 * len(which)) | {"weight": np.repeat(0.5 * weight * np.asarray(axes)[which], 3)}
    return Block(
        "axes",
        **rows,
        site=site,
        unit="rad",
        target="turn",
        directions=target.T[which],
        site_axes=EYE[which],
        turn=target,
        components=minded,
    )

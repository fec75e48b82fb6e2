"""A site turned a given way, with or without a position, or pointing at something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from manikin.errors import GoalError
from manikin.figure.transforms import skew
from manikin.goals.goal import (
    Goal,
    angle_weight,
    check_degrees_per_metre,
    direction,
    number,
    rotation,
    vector,
)
from manikin.residuals.block import EYE, Block, equal, pointing

_ALIKE = (1.0, 1.0, 1.0)
# How far a quaternion may be from length 1, and a transform's last row from 0 0 0 1: numbers with few digits.
_UNIT = 1e-3


def _axis_weights(goal: Goal, axes: ArrayLike) -> tuple[float, float, float]:
    """Three weights, none negative, not all zero; stored as a tuple."""
    if axes is _ALIKE:
        return _ALIKE
    try:
        values = tuple(float(a) for a in np.asarray(axes, dtype=np.float64).ravel())
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: axes must be three weights, got {axes!r}") from None
    if len(values) != 3 or not all(np.isfinite(values)) or min(values) < 0.0 or max(values) == 0.0:
        raise GoalError(
            f"{goal.label()}: axes must be three weights, none negative and not all 0, got {values}"
        )
    goal._set("axes", values)
    return (values[0], values[1], values[2])


@dataclass(frozen=True, eq=False, init=False)
class Orientation(Goal):
    """The site's axes along those of ``target`` (columns): P = c² Σ ½ aₖ ‖vₖ − gₖ‖² (11).

    ``axes`` are the aₖ: a direction is suppressed by 0, so ``axes=(0, 0, 1)`` minds only where the site's z points
    (a cup held level). With (1, 1, 1), P is c² (2 sin θ/2)² for an angle θ between the frames.
    ``degrees_per_metre``: the angle that matters as much as one metre; c = 180/(π degrees_per_metre) (10).
    The miss is the angle between the frames, or between the axes where only one is minded.

    The rotation is a 3×3 matrix, a 4×4 transform or a SciPy ``Rotation``; or ``wxyz=``, a quaternion, w first.
    """

    target: ArrayLike
    _: KW_ONLY
    axes: Sequence[float] = _ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "orientation"

    def __init__(
        self,
        site: str,
        target: ArrayLike | None = None,
        *,
        axes: Sequence[float] = _ALIKE,
        degrees_per_metre: float = 57.3,
        weight: float = 1.0,
        hard: bool = False,
        wxyz: ArrayLike | None = None,
    ) -> None:
        self._set("site", site)
        self._set("target", _one_of(self, "target", target, wxyz))
        for name, value in (("axes", axes), ("degrees_per_metre", degrees_per_metre), ("weight", weight)):
            self._set(name, value)
        self._set("hard", hard)
        self.__post_init__()

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments, ``wxyz=`` among them."""
        if "wxyz" in changes:
            changes["target"] = _one_of(self, "target", changes.get("target"), changes.pop("wxyz"))
        return super().changed(**changes)

    def _check(self) -> None:
        rotation(self, "target")
        _axis_weights(self, self.axes)
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """The rotation between the frames, or what of it is minded."""
        return (_turned(self, np.asarray(self.target), self.weight),)


@dataclass(frozen=True, eq=False, init=False)
class Placement(Goal):
    """Position and orientation together: P = s ‖r − p‖² + (1 − s) c² Σ ½ aₖ ‖vₖ − gₖ‖² (14).

    Both in one 4×4 transform, ``Placement(site, T)``, or each by itself, the orientation as of `Orientation`:
    ``Placement(site, p, R)``, ``Placement(site, p, wxyz=q)``. ``position_share`` is s, between 0 and 1.
    """

    position: ArrayLike
    orientation: ArrayLike
    _: KW_ONLY
    position_share: float = 0.5
    axes: Sequence[float] = _ALIKE
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "place"

    def __init__(
        self,
        site: str,
        position: ArrayLike,
        orientation: ArrayLike | None = None,
        *,
        position_share: float = 0.5,
        axes: Sequence[float] = _ALIKE,
        degrees_per_metre: float = 57.3,
        weight: float = 1.0,
        hard: bool = False,
        wxyz: ArrayLike | None = None,
    ) -> None:
        self._set("site", site)
        whole = _transform(position)
        if whole is not None and orientation is None and wxyz is None:
            position, orientation = _split(self, whole)
        self._set("position", position)
        self._set("orientation", _one_of(self, "orientation", orientation, wxyz))
        self._set("position_share", position_share)
        for name, value in (("axes", axes), ("degrees_per_metre", degrees_per_metre), ("weight", weight)):
            self._set(name, value)
        self._set("hard", hard)
        self.__post_init__()

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments: ``position=`` may be one 4×4, the rotation come as ``wxyz=``."""
        whole = _transform(changes.get("position"))
        if whole is not None and not {"orientation", "wxyz"} & set(changes):
            changes["position"], changes["orientation"] = _split(self, whole)
        if "wxyz" in changes:
            changes["orientation"] = _one_of(
                self, "orientation", changes.get("orientation"), changes.pop("wxyz")
            )
        return super().changed(**changes)

    def _check(self) -> None:
        vector(self, "position")
        rotation(self, "orientation")
        share = number(self, "position_share")
        if not 0.0 < share < 1.0:
            raise GoalError(f"{self.label()}: position_share must lie between 0 and 1, got {share:g}")
        _axis_weights(self, self.axes)
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """Three coordinates, and what an Orientation has."""
        share = self.position_share
        place = Block(
            "coordinates",
            **equal(self.weight * share, 3),
            site=self.site,
            hard=self.hard,
            point=np.asarray(self.position),
            directions=EYE,
        )
        return place, _turned(self, np.asarray(self.orientation), self.weight * (1.0 - share))


def _one_of(goal: Goal, name: str, given: Any, wxyz: ArrayLike | None) -> Any:
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


def _transform(value: Any) -> np.ndarray | None:
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


def _split(goal: Goal, whole: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of a transform, whose last row has to be (0, 0, 0, 1)."""
    if np.abs(whole[3] - [0.0, 0.0, 0.0, 1.0]).max() > _UNIT:
        raise GoalError(
            f"{goal.label()}: a transform's last row must be 0 0 0 1, got {whole[3].tolist()}; is it transposed?"
        )
    return whole[:3, 3], whole[:3, :3]


def _turned(goal: Orientation | Placement, target: np.ndarray, weight: float) -> Block:
    """The site's axes along the target's: all alike by the rotation between the frames, one alone by its direction.

    What is hard has to hold whatever the weights are: then two axes and three are the same.
    """
    whole, a, hard = angle_weight(weight, goal.degrees_per_metre), goal.axes, goal.hard
    alike = a[0] == a[1] == a[2]
    minded = () if alike else tuple(k for k in range(3) if a[k] > 0.0)
    if len(minded) == 1:
        k = minded[0]
        return pointing(
            goal.site,
            EYE[k],
            target[:, k],
            0.5 * a[k] * whole,
            hard=hard,
            fixed=True,
            turn=target,
            components=minded,
        )
    if hard or alike:
        return Block(
            "turn", **equal(whole * sum(a) / 3.0, 3), site=goal.site, unit="rad", hard=hard, turn=target
        )
    which = list(minded)
    rows = equal(1.0, 3 * len(which)) | {"weight": np.repeat(0.5 * whole * np.asarray(a)[which], 3)}
    return Block(
        "axes",
        **rows,
        site=goal.site,
        unit="rad",
        directions=target.T[which],
        site_axes=EYE[which],
        turn=target,
        components=minded,
    )


@dataclass(frozen=True, eq=False)
class Aim(Goal):
    """The site's ``axis`` pointing at the point ``at``: P = c² ‖v − d/‖d‖‖², d = at − r (15).

    The miss is the angle between the two directions. A site within 0.1 µm of the point points nowhere: its miss is 90°.
    """

    at: ArrayLike
    _: KW_ONLY
    axis: ArrayLike = (1.0, 0.0, 0.0)
    degrees_per_metre: float = 57.3
    weight: float = 1.0
    hard: bool = False
    noun = "aim"

    def _check(self) -> None:
        vector(self, "at")
        direction(self, "axis")
        check_degrees_per_metre(self)

    def parts(self) -> tuple[Block, ...]:
        """The direction to the point, across the axis."""
        axis, at = np.asarray(self.axis), np.asarray(self.at)
        weight = angle_weight(self.weight, self.degrees_per_metre)
        return (pointing(self.site, axis, at, weight, hard=self.hard),)

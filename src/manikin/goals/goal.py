"""What all goals have in common, and the checks of their arguments."""

from __future__ import annotations

import copy
import math
import re
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from manikin.errors import GoalError

if TYPE_CHECKING:
    from manikin.figure import Pose
    from manikin.residuals.block import Block

# How far a rotation matrix may be from orthonormal: numbers printed to six digits.
_ROTATION_TOLERANCE = 1e-5
# A matrix nearer to one than this is taken as it is.
_ROUNDING = 1e-13
# Metres; what lies beyond is a mistake, and its square would overflow.
_FARTHEST = 1e12


@dataclass(frozen=True, eq=False)
class Goal:
    """A wish about a site of the figure. Goals are compared by identity: two equal ones are two wishes.

    ``weight`` says how much a miss matters beside the other goals'; it multiplies the square of the miss.
    ``hard=True`` asks that no returned pose misses it at all.
    """

    site: str
    noun: ClassVar[str] = "target"
    settled_by: ClassVar[bool] = False
    """Whether it depends on the figure or on the pose a solve starts from, so that `settle` has to come first."""

    means_start: ClassVar[bool] = False
    """Whether it says "where it is", that is, what the start of a solve has."""

    def __post_init__(self) -> None:
        self._check_site()
        weight = number(self, "weight")
        if weight < 0.0:
            raise GoalError(f"{self.label()}: the weight must not be negative, got {weight:g}")
        if not isinstance(getattr(self, "hard", False), bool):
            raise GoalError(
                f"{self.label()}: hard must be true or false, got {getattr(self, 'hard', None)!r}"
            )
        self._check()

    def _check_site(self) -> None:
        if not isinstance(self.site, str) or not self.site:
            raise GoalError(f"{self.kind()}: the site must be a name, got {self.site!r}")

    def _check(self) -> None:
        """Check and convert the arguments that are the goal's own."""

    @classmethod
    def kind(cls) -> str:
        """The name of this kind of goal in files: ``"on_line"`` for OnLine."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def label(self) -> str:
        """How messages name this goal: its kind and its site."""
        return f"{self.kind()} of {self.site!r}"

    def settle(self, pose: Pose) -> Self:
        """The goal as it stands for a solve that starts from this pose: where a pin is, which shapes a segment has."""
        if not self.settled_by:
            return self
        settled = copy.copy(self)
        settled._set("_pose", pose)
        return settled

    @property
    def pose(self) -> Pose:
        """The pose that the goal was settled for."""
        pose = self.__dict__.get("_pose")
        if pose is None:
            raise GoalError(f"{self.label()}: it depends on the start; settle(pose) comes first")
        return pose

    def alternatives(self) -> tuple[tuple[Block, ...], ...]:
        """What this goal asks of a pose: one choice of parts, or several of which any one will do."""
        return (self.parts(),)

    def parts(self) -> tuple[Block, ...]:
        """What a goal that offers no choice asks of a pose: its rows, those of one kind in one part."""
        raise GoalError(f"{self.label()}: it offers a choice; its parts are in alternatives()")

    def arguments(self) -> dict[str, Any]:
        """The goal's arguments by name, as given."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def changed(self, **changes: Any) -> Self:
        """The same goal with other arguments, checked anew."""
        names = _arguments_of(type(self))  # type: ignore[arg-type]
        if not names.issuperset(changes):
            raise GoalError(
                f"{self.label()}: cannot set {', '.join(changes)}; it has {', '.join(self.arguments())}"
            )
        # Not by `dataclasses.replace`, which takes longer than a solve: a followed target changes all the time.
        other = object.__new__(type(self))
        own = other.__dict__
        for name, value in self.__dict__.items():
            if name in names:
                own[name] = value
        own.update(changes)
        other.__post_init__()
        return other

    def subject(self) -> str:
        """What a sentence about this goal begins with."""
        return self.site or "the figure"

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


@cache
def _arguments_of(kind: Any) -> frozenset[str]:
    return frozenset(f.name for f in fields(kind) if f.init)


@dataclass(frozen=True, eq=False)
class FigureGoal(Goal):
    """A wish about the figure as a whole: it has no site."""

    site: str = field(default="", init=False, repr=False)

    def _check_site(self) -> None:
        """There is none."""

    def label(self) -> str:
        """How messages name this goal: its kind."""
        return self.kind()


def number(goal: Goal, name: str) -> float:
    """The finite number under ``name``, stored as a float."""
    value = getattr(goal, name)
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be a number, got {value!r}") from None
    if not math.isfinite(result):
        raise GoalError(f"{goal.label()}: {name} must be finite, got {result}")
    goal._set(name, result)
    return result


def vector(goal: Goal, name: str) -> np.ndarray:
    """The three finite numbers under ``name``, stored as a read-only array."""
    value = getattr(goal, name)
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be three numbers, got {value!r}") from None
    if result.shape != (3,):
        raise GoalError(f"{goal.label()}: {name} must be three numbers, got shape {result.shape}")
    x, y, z = result.tolist()
    if not (abs(x) <= _FARTHEST and abs(y) <= _FARTHEST and abs(z) <= _FARTHEST):
        if not np.isfinite(result).all():
            raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
        raise GoalError(f"{goal.label()}: {name} is farther than {_FARTHEST:g} m away: {result.tolist()}")
    result.flags.writeable = False
    goal._set(name, result)
    return result


def direction(goal: Goal, name: str) -> np.ndarray:
    """The vector under ``name``, of any length but zero, stored with length 1."""
    given = vector(goal, name)
    length = float(np.linalg.norm(given))
    if length < 1e-12:
        raise GoalError(f"{goal.label()}: {name} has no direction, its length is {length:g}")
    result = unit(given, length)
    result.flags.writeable = False
    goal._set(name, result)
    return result


def unit(given: np.ndarray, length: float) -> np.ndarray:
    """A vector of this length made 1 long; one that is so to rounding stays as it is, so that doing it again changes
    nothing: a goal that was changed is then the goal as it would have been made.
    """
    return given.copy() if abs(length - 1.0) < 1e-15 else given / length


def rotation(goal: Goal, name: str) -> np.ndarray:
    """The rotation under ``name``, stored as a read-only 3×3 matrix.

    It may be given as a 3×3 matrix, a 4×4 transform (its position is ignored) or a SciPy ``Rotation``.
    """
    value = getattr(goal, name)
    if hasattr(value, "as_matrix"):
        value = value.as_matrix()
    try:
        result = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise GoalError(f"{goal.label()}: {name} must be a rotation, got {value!r}") from None
    if result.shape == (4, 4):
        result = result[:3, :3].copy()
    if result.shape != (3, 3):
        raise GoalError(
            f"{goal.label()}: {name} must be a 3×3 rotation matrix, a 4×4 transform or a Rotation, "
            f"got shape {result.shape}"
        )
    off = _off_rotation(*result.ravel().tolist())
    if not off < _ROTATION_TOLERANCE:
        if not np.isfinite(result).all():
            raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
        raise GoalError(f"{goal.label()}: {name} is not a rotation matrix: {result.tolist()}")
    if off > _ROUNDING:
        u, _, vt = np.linalg.svd(result)
        result = u @ vt
    result.flags.writeable = False
    goal._set(name, result)
    return result


def frame(goal: Goal, name: str) -> np.ndarray:
    """The transform under ``name``, 4×4, stored read-only."""
    try:
        result = np.array(getattr(goal, name), dtype=np.float64)
    except (TypeError, ValueError):
        result = np.zeros(0)
    if result.shape != (4, 4) or not np.array_equal(result[3], [0.0, 0.0, 0.0, 1.0]):
        raise GoalError(f"{goal.label()}: {name} must be a 4×4 transform, got {getattr(goal, name)!r}")
    point = result[:3, 3].copy()
    if not (np.abs(point) < _FARTHEST).all():
        raise GoalError(f"{goal.label()}: {name} must be finite, got {result.tolist()}")
    rotation(goal, name)
    result[:3, :3] = getattr(goal, name)
    result.flags.writeable = False
    goal._set(name, result)
    return result


def _off_rotation(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> float:
    """How far the matrix of these rows is from a rotation: the largest entry of RRᵀ − I, infinite for a mirror image.

    Written out, since a dragged target is checked sixty times a second and more.
    """
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        return math.inf
    square = max(
        abs(a * a + b * b + c * c - 1.0), abs(d * d + e * e + f * f - 1.0), abs(g * g + h * h + i * i - 1.0)
    )
    return max(square, abs(a * d + b * e + c * f), abs(a * g + b * h + c * i), abs(d * g + e * h + f * i))


def check_degrees_per_metre(goal: Goal) -> None:
    """A positive number under ``degrees_per_metre``."""
    degrees = number(goal, "degrees_per_metre")
    if degrees <= 0.0:
        raise GoalError(f"{goal.label()}: degrees_per_metre must be positive, got {degrees:g}")


def angle_weight(weight: float, degrees_per_metre: float) -> float:
    """w c², c of equation (10): what the squares of angles are multiplied by to weigh as those of lengths do."""
    c = 180.0 / (math.pi * degrees_per_metre)
    return weight * c * c

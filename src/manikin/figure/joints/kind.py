"""A kind of motion, what Python knows of it: a file of `figure.joints`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class JointKind:
    """A motion by one value, about or along the z axis of its own frame, or by three.

    name: that of its file, and of those in `kernels.tree.joints` and `kernels.verify.joints`.
    units: of each of its values.
    motion: the 4×4 matrix of its values.
    twists: what a unit of each value does, (values, 6): the velocity of the frame's origin and the angular velocity,
        along the axes of the frame where the values have brought it.
    inverse: the kind that undoes it, whether about the opposite axis, and the factor on the values.
    word: how a motion's text names it: ``"R"`` in ``"R(z)"``. Those of one value may be factors of a product.
    labels: the names of its values, from those of the frame's axes: letters, or "" for axes that have none.
    turns, slides: whether it is just a turn about z, or just a slide along it.
    vector: how many of its values, from the first, are a rotation vector: one longer than π has a shorter twin.
    swings: whether these two are a swing and the third a twist, so that cones limit them.
    stays: whether the frame's origin stays where it is.
    """

    name: str
    units: tuple[str, ...]
    motion: Callable[[np.ndarray], np.ndarray]
    twists: Callable[[np.ndarray], np.ndarray]
    inverse: tuple[str, bool, float]
    word: str = ""
    labels: Callable[[tuple[str, str, str]], tuple[str, ...]] = lambda letters: letters[2:]
    turns: bool = False
    slides: bool = False
    vector: int = 0
    swings: bool = False
    stays: bool = False

    @property
    def size(self) -> int:
        """How many values it has."""
        return len(self.units)

    def __reduce__(self) -> tuple[object, ...]:
        from manikin.figure.joints import kind_named

        return kind_named, (self.name,)

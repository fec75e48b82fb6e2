"""The flat tree: a figure as arrays of numbers, the form in which the compiled kernels read it.

M motions of one or three axis values each, K axis values in all, driven by n coordinates q, carry S segments:

- axis values  a = axis_offset + D q; `drive_axis`, `drive_dof`, `drive_coefficient` list the entries of D;
  of an axis in `curve_axis` that is the argument of its curve, and a is the curve's value;
- frames       frame_i = frame_parent(i) · placement_i · motion_i(a), the world standing for parent −1;
- segments     frame_s = frame_segment_motion(s) · segment_placement_s.

A motion turns about or slides along the z axis of its own frame; every other axis is folded into the
placements. Transforms are twelve numbers: the rotation row by row, then the position.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from manikin.errors import FigureError
from manikin.figure.curve import Curve

#: Rotation about the local z axis by one value.
ROTATE = 0
#: Translation along the local z axis by one value.
SLIDE = 1
#: R = exp([s0, s1, 0]) · Rz(s2), three consecutive values.
SWING_TWIST = 2
#: R = Rz(s2) · exp([s0, s1, 0]), three consecutive values.
TWIST_SWING = 3
#: R = exp([s0, s1, s2]), three consecutive values.
ROTATION_VECTOR = 4


@dataclass(frozen=True, eq=False)
class Tree:
    """A figure in flat arrays; see the module for what they mean. Parents come before their children."""

    n: int
    parent: np.ndarray
    kind: np.ndarray
    axis: np.ndarray
    placement: np.ndarray
    axis_offset: np.ndarray
    drive_axis: np.ndarray
    drive_dof: np.ndarray
    drive_coefficient: np.ndarray
    segment_motion: np.ndarray
    segment_placement: np.ndarray
    segment_mass: np.ndarray
    segment_com: np.ndarray
    curve_axis: np.ndarray
    curves: tuple[Curve, ...]

    def __post_init__(self) -> None:
        for field in fields(self):
            array = getattr(self, field.name)
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    @cached_property
    def identity(self) -> bool:
        """Whether axis value k is exactly coordinate k: no followers, no turned-round ball joints."""
        count = len(self.axis_offset)
        return (
            count == self.n == len(self.drive_axis)
            and bool((self.drive_axis == self.drive_dof).all())
            and bool((self.drive_coefficient == 1.0).all())
            and not self.axis_offset.any()
            and not self.curves
        )

    def linear(self, q: np.ndarray) -> np.ndarray:
        """axis_offset + D q, (K,): the axis values, and the arguments of those that follow curves."""
        values = self.axis_offset.copy()
        np.add.at(values, self.drive_axis, self.drive_coefficient * q[self.drive_dof])
        return values

    def drives(self, q: np.ndarray | None = None) -> np.ndarray:
        """Each axis value's derivative by each coordinate, a dense matrix (K, n); at q where there are curves."""
        matrix = np.zeros((len(self.axis_offset), self.n))
        np.add.at(matrix, (self.drive_axis, self.drive_dof), self.drive_coefficient)
        if self.curves:
            if q is None:
                raise FigureError(
                    "some axes of this figure follow curves, which this cannot take; see Figure.tangent"
                )
            arguments = self.linear(q)
            for axis, curve in zip(self.curve_axis, self.curves, strict=True):
                matrix[axis] *= curve(arguments[axis], 1)
        return matrix

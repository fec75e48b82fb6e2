"""The flat tree: a figure as arrays of numbers, the form in which the compiled kernels read it.

M motions of one or three axis values each, K axis values in all, driven by n coordinates q, carry S segments:

- axis values  a = axis_offset + D q; `drive_axis`, `drive_dof`, `drive_coefficient` list the entries of D;
  of an axis in `curve_axis` that is the argument of its curve, and a is the curve's value;
- frames       frame_i = frame_parent(i) · placement_i · motion_i(a), the world standing for parent −1;
- segments     frame_s = frame_segment_motion(s) · segment_placement_s.

Motions are of the kinds in `joints`. A turn or slide is about or along the z axis of its own frame; every other axis is
folded into the placements. Transforms are twelve numbers: the rotation row by row, then the position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from manikin.errors import FigureError
from manikin.figure.curve import Curve
from manikin.figure.joints import KINDS, JointKind


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
    def kinds(self) -> tuple[JointKind, ...]:
        """The kind of each motion."""
        known = list(KINDS.values())
        return tuple(known[number] for number in self.kind.tolist())

    @cached_property
    def size(self) -> np.ndarray:
        """How many axis values each motion has, (M,)."""
        return np.array([kind.size for kind in self.kinds], np.int64)

    @cached_property
    def turns(self) -> np.ndarray:
        """Mask of the motions that are just a turn about an axis."""
        return np.array([kind.turns for kind in self.kinds], bool)

    @cached_property
    def slides(self) -> np.ndarray:
        """Mask of the motions that are just a slide along an axis."""
        return np.array([kind.slides for kind in self.kinds], bool)

    def values_of(self, motion: int) -> slice:
        """Where a motion's values lie among the axis values."""
        first = int(self.axis[motion])
        return slice(first, first + int(self.size[motion]))

    def moved(self, motion: int, values: np.ndarray) -> np.ndarray:
        """The 4×4 matrix of a motion at these axis values, (K,)."""
        return self.kinds[motion].motion(values[self.values_of(motion)])

    def path(self, motion: int) -> list[int]:
        """A motion and those that carry it, the root's first; none for −1."""
        found = []
        while motion >= 0:
            found.append(motion)
            motion = int(self.parent[motion])
        return found[::-1]

    def on_the_way(self, tips: Iterable[int]) -> np.ndarray:
        """The motions on the way from the tips to the root, parents first."""
        wanted = np.zeros(len(self.parent), bool)
        for motion in tips:
            while motion >= 0 and not wanted[motion]:
                wanted[motion] = True
                motion = int(self.parent[motion])
        return np.flatnonzero(wanted)

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

    @cached_property
    def coefficients(self) -> np.ndarray:
        """D, a dense matrix (K, n): how each axis value, or the argument of its curve, depends on the coordinates."""
        matrix = np.zeros((len(self.axis_offset), self.n))
        np.add.at(matrix, (self.drive_axis, self.drive_dof), self.drive_coefficient)
        matrix.flags.writeable = False
        return matrix

    def drives(self, q: np.ndarray | None = None) -> np.ndarray:
        """Each axis value's derivative by each coordinate, a dense matrix (K, n); at q where there are curves."""
        matrix = self.coefficients.copy()
        if self.curves:
            if q is None:
                raise FigureError(
                    "some axes of this figure follow curves, which this cannot take; see Figure.tangent"
                )
            arguments = self.linear(q)
            for axis, curve in zip(self.curve_axis, self.curves, strict=True):
                matrix[axis] *= curve(arguments[axis], 1)
        return matrix

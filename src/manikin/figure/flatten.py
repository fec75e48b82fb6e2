"""Lays a figure out as the flat tree that the kernels read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from manikin.figure import transforms
from manikin.figure.dofs import Coordinates
from manikin.figure.graph import walk
from manikin.figure.joint import Joint
from manikin.figure.joints import number_of
from manikin.figure.segment import Segment
from manikin.figure.tree import Tree


class _Layout:
    """The motions laid down so far, and the sign of every axis value."""

    def __init__(self, axes: Sequence[str]) -> None:
        self.index = {name: k for k, name in enumerate(axes)}
        self.parent: list[int] = []
        self.kind: list[int] = []
        self.axis: list[int] = []
        self.placement: list[np.ndarray] = []
        self.sign = np.ones(len(axes))

    def cross(self, joint: Joint, backwards: bool, motion: int, carry: np.ndarray) -> tuple[int, np.ndarray]:
        """Lays the joint's motions after `motion`; takes and returns the fixed transform since the last one.

        Forwards it is placement · steps · child_placement⁻¹; backwards child_placement · the inverse steps
        in reverse · placement⁻¹.
        """
        carry = carry @ (joint.child_placement if backwards else joint.placement)
        first = 0
        plan = []
        for step in joint.steps:
            kind, turn, sign = step.inverse if backwards else (step.kind, step.turn, 1.0)
            plan.append((kind, turn, sign, self.index[joint.axes[first].name]))
            first += len(step.labels)
        for kind, turn, sign, axis in reversed(plan) if backwards else plan:
            self.parent.append(motion)
            self.kind.append(number_of(kind))
            self.axis.append(axis)
            self.placement.append(transforms.pack(carry @ transforms.rotation(turn)))
            self.sign[axis : axis + kind.size] = sign
            motion = len(self.parent) - 1
            carry = transforms.rotation(turn.T)
        return motion, carry @ transforms.inverse(joint.placement if backwards else joint.child_placement)


def flatten(
    root: str,
    base: Joint,
    segments: Mapping[str, Segment],
    joints: Mapping[str, Joint],
    coordinates: Coordinates,
) -> Tree:
    """The flat tree hung from `root`, which the joint `base` holds in the world.

    The axis values come in the order of the coordinates whichever segment is the root.
    """
    layout = _Layout(list(coordinates.axes))
    places = {root: layout.cross(base, False, -1, np.eye(4))}
    for joint, backwards in walk(root, joints):
        near, far = (joint.child, joint.parent) if backwards else (joint.parent, joint.child)
        places[far] = layout.cross(joint, backwards, *places[near])
    dofs = {name: k for k, name in enumerate(coordinates.dofs)}
    offset, drives = np.zeros(len(coordinates.axes)), []
    for k, follow in enumerate(coordinates.axes.values()):
        sign = 1.0 if follow.curve is not None else layout.sign[k]
        offset[k] = sign * follow.offset + 0.0
        drives += [
            (k, dofs[name], sign * c)
            for name, c in sorted(follow.coefficients.items(), key=lambda e: dofs[e[0]])
        ]
    curved = {k: f.curve for k, f in enumerate(coordinates.axes.values()) if f.curve is not None}
    return Tree(
        n=len(dofs),
        parent=np.array(layout.parent, dtype=np.int64),
        kind=np.array(layout.kind, dtype=np.int64),
        axis=np.array(layout.axis, dtype=np.int64),
        placement=np.array(layout.placement, dtype=np.float64).reshape(-1, 12),
        axis_offset=offset,
        drive_axis=np.array([entry[0] for entry in drives], dtype=np.int64),
        drive_dof=np.array([entry[1] for entry in drives], dtype=np.int64),
        drive_coefficient=np.array([entry[2] for entry in drives], dtype=np.float64),
        segment_motion=np.array([places[name][0] for name in segments], dtype=np.int64),
        segment_placement=np.array([transforms.pack(places[name][1]) for name in segments], dtype=np.float64),
        segment_mass=np.array([segment.mass for segment in segments.values()], dtype=np.float64),
        segment_com=np.array([segment.center_of_mass for segment in segments.values()], dtype=np.float64),
        curve_axis=np.array(list(curved), dtype=np.int64),
        curves=tuple(c if layout.sign[k] > 0.0 else c.scaled(-1.0) for k, c in curved.items()),
    )

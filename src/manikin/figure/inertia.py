"""The mass matrix of a figure at a pose, by composite bodies, in plain NumPy.

Motion k moves everything beyond it by a twist s = (v, ω), v the velocity of what passes through the reference point c.
A segment of mass m with its centre at c + r and inertia I about it has the momentum p = m(v + ω × r) and, about c,
I ω + r × p: the product of its 6×6 inertia

    [ m 1      −m [r]       ]
    [ m [r]    I − m [r][r] ]

with the twist. All that hangs on a motion moves with it, so its 6×6 inertias add up to a composite B, and for an axis k
on the way from axis l to the root H_kl = s_k · B_l s_l: the momentum that l gives to what it carries, along k's twist.
Of two axes neither of which carries the other H_kl = 0. In coordinates, a = offset + D q, it is Dᵀ H D.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from manikin.figure import kinematics, transforms
from manikin.figure.segment import Segment
from manikin.figure.tree import Tree


def mass_matrix(
    tree: Tree, segments: Iterable[Segment], q: np.ndarray, frames: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """(n, n): twice the kinetic energy is q̇ᵀ H q̇. A segment whose inertia is not known is a point at its centre.

    frames: the motions' at q, (M, 12); places: the segments', (S, 4, 4).
    """
    motions = len(tree.parent)
    reference = _middle(places)
    composite = np.zeros((motions, 6, 6))
    for segment, motion, place in zip(segments, tree.segment_motion, places, strict=True):
        if motion >= 0:
            composite[motion] += _inertia(segment, place, reference)
    for motion in range(motions - 1, -1, -1):
        if tree.parent[motion] >= 0:
            composite[tree.parent[motion]] += composite[motion]
    turn, slide, point = kinematics.axes(tree, frames, kinematics.axis_values(tree, q))
    twists = np.hstack([slide + np.cross(turn, reference - point), turn])
    carrier = np.empty(len(tree.axis_offset), dtype=np.int64)
    for motion in range(motions):
        carrier[tree.values_of(motion)] = motion
    by_axis = twists @ np.einsum("kij,kj->ki", composite[carrier], twists).T
    carries = _carries(tree)[np.ix_(carrier, carrier)]
    by_axis = np.where(carries, by_axis, np.where(carries.T, by_axis.T, 0.0))
    drives = tree.drives(q)
    result = drives.T @ by_axis @ drives
    return 0.5 * (result + result.T)


def _middle(places: np.ndarray) -> np.ndarray:
    """The mean of the segments' origins: near the masses, so that nothing cancels in a figure far from the origin."""
    return places[:, :3, 3].mean(axis=0)


def _inertia(segment: Segment, place: np.ndarray, reference: np.ndarray) -> np.ndarray:
    rotation = place[:3, :3]
    r = transforms.skew(place[:3, 3] + rotation @ segment.center_of_mass - reference)
    result = np.zeros((6, 6))
    result[:3, :3] = segment.mass * np.eye(3)
    result[:3, 3:] = -segment.mass * r
    result[3:, :3] = segment.mass * r
    result[3:, 3:] = -segment.mass * (r @ r)
    if segment.inertia is not None:
        result[3:, 3:] += rotation @ segment.inertia @ rotation.T
    return result


def _carries(tree: Tree) -> np.ndarray:
    """(M, M): whether the first motion is the second or on its way to the root; parents come before children."""
    motions = len(tree.parent)
    result = np.eye(motions, dtype=bool)
    for motion, parent in enumerate(tree.parent):
        if parent >= 0:
            result[:, motion] |= result[:, parent]
    return result

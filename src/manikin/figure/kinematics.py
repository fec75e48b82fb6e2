"""Forward kinematics and Jacobians over the flat tree, in plain NumPy.

The readable form, and what the compiled one (`forward`) is checked against; a hundred times slower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from manikin.figure import transforms
from manikin.figure.tree import Tree

if TYPE_CHECKING:
    from manikin.figure.figure import Figure


def axis_values(tree: Tree, q: np.ndarray) -> np.ndarray:
    """a = axis_offset + D q, (K,), of an axis that follows a curve the curve's value there."""
    values = tree.linear(q)
    for axis, curve in zip(tree.curve_axis, tree.curves, strict=True):
        values[axis] = curve(values[axis])
    return values


def frames(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Each motion's frame in the world, (M, 12): frame_i = frame_parent · placement_i · motion_i."""
    values = axis_values(tree, q)
    result = np.empty((len(tree.parent), 12))
    world = np.eye(4)
    for i, parent in enumerate(tree.parent):
        base = world if parent < 0 else transforms.unpack(result[parent])
        result[i] = transforms.pack(base @ transforms.unpack(tree.placement[i]) @ tree.moved(i, values))
    return result


def segment_frames(tree: Tree, motion_frames: np.ndarray) -> np.ndarray:
    """The world frame of each segment, (S, 4, 4)."""
    result = np.empty((len(tree.segment_motion), 4, 4))
    for s, motion in enumerate(tree.segment_motion):
        local = transforms.unpack(tree.segment_placement[s])
        result[s] = local if motion < 0 else transforms.unpack(motion_frames[motion]) @ local
    return result


def axes(
    tree: Tree, motion_frames: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How each axis value moves what hangs on it: turn, slide and a point on the axis, (K, 3) each, world.

    A point p moves by slide + turn × (p − point) and every frame turns by `turn`, a unit of the axis value.
    """
    turn, slide, point = np.zeros((3, len(values), 3))
    for i, kind in enumerate(tree.kinds):
        own = tree.values_of(i)
        frame = transforms.unpack(motion_frames[i])
        twists = kind.twists(values[own])
        slide[own] = twists[:, :3] @ frame[:3, :3].T
        turn[own] = twists[:, 3:] @ frame[:3, :3].T
        point[own] = frame[:3, 3]
    return turn, slide, point


def jacobian(
    tree: Tree, q: np.ndarray, motion_frames: np.ndarray, motion: int, point: np.ndarray
) -> np.ndarray:
    """(6, n): the velocity of `point`, carried by `motion`, and the angular velocity, in the world."""
    turn, slide, origin = axes(tree, motion_frames, axis_values(tree, q))
    by_axis = np.zeros((6, len(tree.axis_offset)))
    for carrier in tree.path(motion):
        k = tree.values_of(carrier)
        by_axis[:3, k] = (slide[k] + np.cross(turn[k], point - origin[k])).T
        by_axis[3:, k] = turn[k].T
    return by_axis @ tree.drives(q)


def site_matrix(figure: Figure, q: np.ndarray, site: str) -> np.ndarray:
    """A site's frame in the world, 4×4."""
    segment = list(figure.segments).index(figure.site(site).segment)
    return segment_frames(figure.tree, frames(figure.tree, q))[segment] @ figure.site(site).placement


def site_jacobian(figure: Figure, q: np.ndarray, site: str) -> np.ndarray:
    """(6, n): a site's linear, then its angular velocity in the world, by each coordinate."""
    tree = figure.tree
    motion = int(tree.segment_motion[list(figure.segments).index(figure.site(site).segment)])
    return jacobian(tree, q, frames(tree, q), motion, site_matrix(figure, q, site)[:3, 3])


def center_of_mass(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Σ m·c / Σ m over the segments, in the world."""
    world = segment_frames(tree, frames(tree, q))
    centers = np.einsum("sij,sj->si", world[:, :3, :3], tree.segment_com) + world[:, :3, 3]
    return tree.segment_mass @ centers / tree.segment_mass.sum()


def center_of_mass_jacobian(tree: Tree, q: np.ndarray) -> np.ndarray:
    """(3, n): the velocity of the centre of mass by each coordinate, the mean of the segments' centres'."""
    motions = frames(tree, q)
    world = segment_frames(tree, motions)
    total = np.zeros((3, tree.n))
    for s, mass in enumerate(tree.segment_mass):
        center = world[s, :3, :3] @ tree.segment_com[s] + world[s, :3, 3]
        total += mass * jacobian(tree, q, motions, int(tree.segment_motion[s]), center)[:3]
    return total / tree.segment_mass.sum()

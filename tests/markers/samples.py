"""Figures with markers, and problems of following them as plain functions."""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.figure import Curve, Follow, Joint, Site
from manikin.kernels.tracking.entries import normal_at
from manikin.markers import Marker, MarkerSet, Tracker, marker_set
from manikin.markers.places import marker_places, segment_frames


def arm(**changes):
    """A free base, a ball joint, a hinge that slides along a curve, and one that follows it."""
    curve = Curve.simm_spline([-1.0, 0.0, 1.0, 2.5], [0.0, 0.02, 0.1, 0.05])
    joints = [
        Joint("shoulder", "trunk", "upper", "ball", [0, 0.2, 0.4], lower=-1.5, upper=1.5),
        Joint(
            "elbow",
            "upper",
            "fore",
            "R(y)*T(z)*R(x)",
            [0.02, 0, -0.3],
            dofs=["elbow", "slide", "carry"],
            follow=[None, Follow({"elbow": 1.0}, 0.0, curve), Follow({"elbow": 0.3}, 0.05)],
            lower=[0.0, None, None],
            upper=[2.5, None, None],
        ),
        Joint("wrist", "fore", "hand", "R(x)*R(z)", [0, 0, -0.25], lower=-0.8, upper=0.8),
    ]
    return mk.Figure("arm", ["trunk", "upper", "fore", "hand"], joints, base="free", **changes)


def spots(figure, seed=0, each=3):
    rng = np.random.default_rng(seed)
    return MarkerSet(
        {
            f"{name}_{k}": Marker(name, rng.normal(0, 0.1, 3), float(rng.uniform(0.5, 2.0)))
            for name in figure.segments
            for k in range(each)
        }
    )


def human():
    body = mk.human(spine="bend", fingers=False)
    return body, marker_set(body, "plug_in_gait")


def pose(figure, seed=0, share=0.5):
    """A pose in the inner part of the ranges."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(figure.lower, -0.6), np.minimum(figure.upper, 0.6)
    return 0.5 * (low + high) + share * (high - low) * rng.uniform(-0.5, 0.5, figure.n)


def half_sum(tracker, q, targets, rotations=None):
    """½P in plain NumPy."""
    figure, markers = tracker.figure, tracker.markers
    total = 0.0
    if markers:
        away = marker_places(figure, q, markers) - targets
        total += np.nansum(tracker._weights[: len(markers)] * (away**2).sum(axis=1))
    for k, (_name, sensor) in enumerate(tracker.sensors.items()):
        from scipy.spatial.transform import Rotation

        frame = segment_frames(figure, q, [sensor.segment])[0, :3, :3] @ sensor.rotation
        angle = Rotation.from_matrix(frame @ rotations[k].T).magnitude()
        total += tracker._weights[len(markers) + k] * angle**2
    away = (q - tracker._wish)[tracker._packed.variables]
    return 0.5 * (total + tracker._packed.track.prior @ away**2)


def derivatives(tracker, q, targets, newton=True):
    """½P, its gradient and second derivatives, compiled."""
    packed = tracker._packed
    count = len(packed.variables)
    gradient, hessian = np.zeros(count), np.zeros((count, count))
    value = normal_at(
        packed.structure,
        packed.parameters,
        packed.work,
        packed.ints,
        packed.reals,
        packed.scratch,
        np.array(q),
        np.ascontiguousarray(targets).ravel(),
        tracker._weights,
        tracker._wished.ravel(),
        newton,
        gradient,
        hessian,
    )
    return value, gradient, hessian


__all__ = ["Site", "Tracker", "arm", "derivatives", "half_sum", "human", "pose", "spots"]

"""OpenSim's joints, of versions 3 and 4: frames, motions, coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from manikin.figure import Follow
from manikin.formats.opensim.document import Node
from manikin.formats.opensim.functions import read_function, value_of
from manikin.formats.opensim.spec import AxisSpec, CoordinateSpec, JointSpec

#: A frame's body, and where it is on it.
Place = tuple[str, np.ndarray]

#: Motions of joints that need nothing but their coordinates: kind and axis of each, in the order of multiplication,
#: with the coordinate that it takes.
_PLAIN: dict[str, tuple[tuple[str, str, int], ...]] = {
    "WeldJoint": (),
    "PinJoint": (("R", "z", 0),),
    "SliderJoint": (("T", "x", 0),),
    "UniversalJoint": (("R", "x", 0), ("R", "y", 1)),
    "BallJoint": (("R", "x", 0), ("R", "y", 1), ("R", "z", 2)),
    "GimbalJoint": (("R", "x", 0), ("R", "y", 1), ("R", "z", 2)),
    "PlanarJoint": (("T", "x", 1), ("T", "y", 2), ("R", "z", 0)),
    "FreeJoint": (
        ("T", "x", 3),
        ("T", "y", 4),
        ("T", "z", 5),
        ("R", "x", 0),
        ("R", "y", 1),
        ("R", "z", 2),
    ),
}
_REFUSED = {
    "EllipsoidJoint": "its centre moves over an ellipsoid as all three angles change together",
    "ScapulothoracicJoint": "the scapula glides over an ellipsoid as its angles change together",
    "ConstantCurvatureJoint": "its beam bends as all three angles change together",
}
_ORDER = ("translation1", "translation2", "translation3", "rotation1", "rotation2", "rotation3")


def read_joint(node: Node, place_of: Callable[[Node, str, str], Place], new: bool) -> JointSpec:
    """A joint.

    place_of(joint, role, socket): body and frame of the ``"parent"`` or ``"child"``.
    new: whether the file is of version 4.
    """
    if node.tag in _REFUSED:
        node.fail(
            f"a {node.tag} is not read: {_REFUSED[node.tag]}; replace it by a CustomJoint or a WeldJoint"
        )
    if node.tag != "CustomJoint" and node.tag not in _PLAIN:
        known = ", ".join(["CustomJoint", *_PLAIN])
        node.fail(f"this kind of joint is not read; expected one of {known}")
    if node.truth("reverse"):
        node.fail("a reversed joint is not read; exchange its parent and child")
    parent, placement = place_of(node, "parent", "socket_parent_frame")
    child, child_placement = place_of(node, "child", "socket_child_frame")
    listed = node.child("coordinates") if new else node.child("CoordinateSet")
    if listed is not None and not new:
        listed = listed.child("objects")
    nodes = [] if listed is None else [entry for entry in listed if entry.tag == "Coordinate"]
    names = [entry.name for entry in nodes]
    axes = _custom(node, names) if node.tag == "CustomJoint" else _plain(node, names)
    turning = {name for axis in axes if axis.rotation for name in axis.function.coefficients}
    custom = node.child("SpatialTransform") if node.tag == "CustomJoint" else None
    degrees = turning if custom is None else motion_in_degrees(custom)
    coordinates = tuple(_coordinate(entry, entry.name in turning, entry.name in degrees) for entry in nodes)
    return JointSpec(node.name, node.tag, parent, child, placement, child_placement, axes, coordinates)


def _plain(node: Node, names: list[str]) -> tuple[AxisSpec, ...]:
    steps = _PLAIN[node.tag]
    if len(names) != len(steps):
        node.fail(f"a {node.tag} has {len(steps)} coordinates, this one {len(names)}")
    return tuple(
        AxisSpec(
            f"{node.name}_{letter}{axis}",
            letter == "R",
            np.eye(3)["xyz".index(axis)],
            Follow({names[k]: 1.0}),
        )
        for letter, axis, k in steps
    )


def _custom(node: Node, names: list[str]) -> tuple[AxisSpec, ...]:
    """Slides along three axes of the parent's frame, then turns about three, each by its function."""
    transform = node.child("SpatialTransform")
    if transform is None:
        node.fail("it has no <SpatialTransform>")
    by_name: Mapping[str, Node] = {entry.name: entry for entry in transform if entry.tag == "TransformAxis"}
    missing = [name for name in _ORDER if name not in by_name]
    if missing:
        node.fail(f"its <SpatialTransform> has no {missing[0]}")
    found = []
    for name in _ORDER:
        entry = by_name[name]
        coordinates = entry.words("coordinates")
        unknown = [word for word in coordinates if word not in names]
        if unknown:
            entry.fail(
                f"{unknown[0]!r} is no coordinate of this joint, which has {', '.join(names) or 'none'}"
            )
        functions = [child for child in entry if child.tag not in ("coordinates", "axis")]
        if len(functions) > 1:
            entry.fail(f"it has {len(functions)} functions")
        function = read_function(functions[0], coordinates) if functions else _default(coordinates)
        axis = entry.numbers("axis", count=3)
        if not axis.any():
            entry.fail("its axis is zero; it has no direction")
        length = float(np.linalg.norm(axis))
        found.append(AxisSpec(f"{node.name}_{name}", name.startswith("r"), axis / length, function))
    return tuple(found)


def motion_in_degrees(transform: Node) -> set[str]:
    """The coordinates of a CustomJoint whose motion type is rotational: those that tables in degrees convert.

    OpenSim's rule: a coordinate is rotational or translational by the last axis, rotations first, that takes it by a
    LinearFunction of slope 1 or −1; if none does, it is coupled, and stays in radians and metres.
    Source: opensim-core, CustomJoint::constructCoordinates and SimbodyEngine::scaleRotationalDofColumns.
    """
    by_name = {entry.name: entry for entry in transform if entry.tag == "TransformAxis"}
    kinds: dict[str, bool] = {}
    for rotation, name in [(True, f"rotation{k}") for k in (1, 2, 3)] + [
        (False, f"translation{k}") for k in (1, 2, 3)
    ]:
        entry = by_name.get(name)
        if entry is not None and _is_pure(entry):
            kinds.update(dict.fromkeys(entry.words("coordinates"), rotation))
    return {name for name, rotation in kinds.items() if rotation}


def _is_pure(axis: Node) -> bool:
    """Whether an axis takes its coordinate by a LinearFunction of slope 1 or −1; one without a function does."""
    functions = [child for child in axis if child.tag not in ("coordinates", "axis")]
    if functions and functions[0].tag == "function":
        functions = list(functions[0])[:1]
    if not functions:
        return True
    if functions[0].tag != "LinearFunction":
        return False
    return abs(float(functions[0].numbers("coefficients", default=[1.0, 0.0])[0])) == 1.0


def _default(coordinates: list[str]) -> Follow:
    """Without a function an axis takes its coordinate as it is."""
    return Follow({coordinates[0]: 1.0}) if coordinates else Follow({})


def _coordinate(node: Node, rotational: bool, in_degrees: bool) -> CoordinateSpec:
    function = node.child("prescribed_function")
    given = next(iter(function), None) if function is not None else None
    prescribed = None
    if given is not None and node.truth("prescribed"):
        follow = read_function(given, ["time"])
        prescribed = follow.curve
        if prescribed is None:
            from manikin.figure import Curve

            prescribed = Curve.polynomial([value_of(follow), follow.coefficients.get("time", 0.0)])
    low, high = node.numbers("range", count=2, default=[-np.inf, np.inf]).tolist()
    if low > high:
        node.fail(f"its range {low:g} to {high:g} is empty")
    return CoordinateSpec(
        node.name,
        node.number("default_value", default=0.0),
        (low, high),
        node.truth("clamped"),
        node.truth("locked"),
        prescribed,
        rotational,
        in_degrees,
    )

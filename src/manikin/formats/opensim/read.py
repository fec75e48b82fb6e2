"""Reads an OpenSim model, versions 3 and 4, into a `ModelSpec`. Muscles and other forces are passed over."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.formats.opensim.document import Node, part_of, read_document
from manikin.formats.opensim.functions import read_function, times
from manikin.formats.opensim.joints import Place, read_joint
from manikin.formats.opensim.spec import BodySpec, CouplerSpec, HeldSpec, JointSpec, MarkerSpec, ModelSpec

#: Documents of this version and later have joints in a set of their own, with frames.
_NEW = 30500


def read_spec(path: str | os.PathLike[str]) -> ModelSpec:
    """The model in a file."""
    root = read_document(path)
    if root.tag != "OpenSimDocument":
        raise FormatError(f"{path}: it is no OpenSim document: its root is <{root.tag}>")
    written = (root.element.get("Version") or "0").strip()
    if not written.isdecimal() or len(written) > 9:
        root.fail(f"its Version must be a whole number such as 40000, got {written[:40]!r}")
    version = int(written)
    model = root.child("Model")
    if model is None:
        raise FormatError(f"{path}: it holds no <Model>")
    return _Reader(model, version >= _NEW and model.child("JointSet") is not None).spec()


def read_marker_set(path: str | os.PathLike[str]) -> dict[str, MarkerSpec]:
    """The markers in a file that holds a MarkerSet."""
    node = part_of(path, "MarkerSet")
    inner = node.child("objects")
    return _markers(list(inner) if inner is not None else [])


class _Reader:
    """One model, its frames found once."""

    def __init__(self, model: Node, new: bool) -> None:
        self.model, self.new = model, new
        self.bodies = [node for node in model.objects("BodySet") if node.tag == "Body"]
        self.names = {node.name for node in self.bodies} | {"ground"}
        self.frames = {
            node.name: node for node in model.every("PhysicalOffsetFrame") if self._has_parent(node)
        }

    @staticmethod
    def _has_parent(node: Node) -> bool:
        return node.child("socket_parent", "socket_parent_connectee_name") is not None

    def spec(self) -> ModelSpec:
        bodies = {node.name: _body(node) for node in self.bodies if node.name != "ground"}
        joints = tuple(self._joints())
        self._check_tree(joints)
        couplers, held, notes = self._constraints()
        markers = _markers(self.model.objects("MarkerSet"), self._place)
        forces = len(self.model.objects("ForceSet"))
        if forces:
            notes.append(f"{forces} forces (muscles, springs, contacts) passed over")
        return ModelSpec(
            self.model.name or "model", bodies, joints, markers, tuple(couplers), tuple(held), tuple(notes)
        )

    def _joints(self) -> list[JointSpec]:
        if self.new:
            return [read_joint(node, self._new_place, True) for node in self.model.objects("JointSet")]
        found = []
        for body in self.bodies:
            holder = body.child("Joint")
            for node in holder if holder is not None else ():
                found.append(read_joint(node, self._old_place(body), False))
        return found

    def _check_tree(self, joints: tuple[JointSpec, ...]) -> None:
        seen: dict[str, str] = {}
        for joint in joints:
            if joint.child in seen:
                self.model.fail(
                    f"the body {joint.child!r} is carried by two joints, {seen[joint.child]!r} and {joint.name!r}; "
                    "cut the loop and hold it together with a constraint"
                )
            seen[joint.child] = joint.name

    def _new_place(self, joint: Node, role: str, socket: str) -> Place:
        path = joint.text(socket, f"{socket}_connectee_name")
        own = {node.name: node for node in joint.every("PhysicalOffsetFrame") if self._has_parent(node)}
        return self._place(joint, path, own)

    def _place(self, node: Node, path: str, own: Mapping[str, Node] | None = None) -> Place:
        """The body and frame that a socket's path means: a body, or an offset frame on another."""
        name = path.rstrip("/").split("/")[-1]
        frame = (own or {}).get(name)
        if frame is None:
            if name in self.names:
                return name, np.eye(4)
            frame = self.frames.get(name)
        if frame is None:
            node.fail(f"its frame {path!r} is neither a body nor an offset frame of the model")
        body, matrix = self._place(frame, frame.text("socket_parent", "socket_parent_connectee_name"))
        return body, matrix @ transform(
            frame.numbers("translation", count=3, default=np.zeros(3)),
            frame.numbers("orientation", count=3, default=np.zeros(3)),
        )

    def _old_place(self, body: Node) -> Any:
        def place(joint: Node, role: str, socket: str) -> Place:
            end = "_in_parent" if role == "parent" else ""
            name = joint.text("parent_body") if role == "parent" else body.name
            if name not in self.names:
                joint.fail(f"its parent_body {name!r} is no body of the model")
            location = joint.numbers(f"location{end}", count=3, default=np.zeros(3))
            return name, transform(location, joint.numbers(f"orientation{end}", count=3, default=np.zeros(3)))

        return place

    def _constraints(self) -> tuple[list[CouplerSpec], list[HeldSpec], list[str]]:
        couplers, held, notes = [], [], []
        for node in self.model.objects("ConstraintSet"):
            if not node.truth("isEnforced", default=True) or node.truth("isDisabled"):
                notes.append(f"constraint {node.name!r} passed over: it is switched off")
            elif node.tag == "CoordinateCouplerConstraint":
                couplers.append(_coupler(node))
            elif node.tag == "PointConstraint":
                held.append(self._point(node))
            elif node.tag == "WeldConstraint":
                held.append(self._weld(node))
            else:
                node.fail(
                    "this kind of constraint is not read; expected one of CoordinateCouplerConstraint, "
                    "PointConstraint, WeldConstraint; switch it off to do without"
                )
        return couplers, held, notes

    def _ends(self, node: Node) -> list[Place]:
        sockets = [("body_1", "frame1"), ("body_2", "frame2")]
        return [
            self._place(
                node,
                node.text(
                    f"socket_{new}",
                    f"socket_{old}",
                    f"socket_{new}_connectee_name",
                    old,
                    f"socket_{old}_connectee_name",
                ),
                {inner.name: inner for inner in node.every("PhysicalOffsetFrame") if self._has_parent(inner)},
            )
            for old, new in sockets
        ]

    def _point(self, node: Node) -> HeldSpec:
        (a, first), (b, second) = self._ends(node)
        places = [
            frame @ transform(node.numbers(f"location_body_{k}", count=3, default=np.zeros(3)), np.zeros(3))
            for k, frame in ((1, first), (2, second))
        ]
        return HeldSpec(node.name, "position", (a, b), (places[0], places[1]))

    def _weld(self, node: Node) -> HeldSpec:
        (a, first), (b, second) = self._ends(node)
        places = [
            frame
            @ transform(
                node.numbers(f"location_body_{k}", count=3, default=np.zeros(3)),
                node.numbers(f"orientation_body_{k}", count=3, default=np.zeros(3)),
            )
            for k, frame in ((1, first), (2, second))
        ]
        return HeldSpec(node.name, "placement", (a, b), (places[0], places[1]))


def transform(translation: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """The 4×4 of a translation and turns about x, then the new y, then the new z."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(orientation), np.sin(orientation)
    result = np.eye(4)
    result[:3, :3] = (
        np.array([[1.0, 0.0, 0.0], [0.0, ca, -sa], [0.0, sa, ca]])
        @ np.array([[cb, 0.0, sb], [0.0, 1.0, 0.0], [-sb, 0.0, cb]])
        @ np.array([[cc, -sc, 0.0], [sc, cc, 0.0], [0.0, 0.0, 1.0]])
    )
    result[:3, 3] = translation
    return result


def _body(node: Node) -> BodySpec:
    if node.child("inertia") is not None:
        xx, yy, zz, xy, xz, yz = node.numbers("inertia", count=6)
    else:
        xx, yy, zz, xy, xz, yz = (
            node.number(f"inertia_{axes}", default=0.0) for axes in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return BodySpec(
        node.name,
        node.number("mass", default=0.0),
        node.numbers("mass_center", count=3, default=np.zeros(3)),
        inertia,
    )


def _coupler(node: Node) -> CouplerSpec:
    drivers = node.words("independent_coordinate_names")
    function = node.child("coupled_coordinates_function")
    if function is None or not drivers:
        node.fail("it needs <independent_coordinate_names> and a <coupled_coordinates_function>")
    inner = next(iter(function), None)
    if inner is None:
        function.fail("it holds no function")
    found = times(read_function(inner, drivers), node.number("scale_factor", default=1.0))
    return CouplerSpec(node.name, node.text("dependent_coordinate_name"), found)


def _markers(nodes: list[Node], place: Any = None) -> dict[str, MarkerSpec]:
    found = {}
    for node in nodes:
        if node.tag != "Marker":
            continue
        path = node.text("socket_parent_frame", "socket_parent_frame_connectee_name", "body")
        location = node.numbers("location", count=3)
        body = path.rstrip("/").split("/")[-1]
        if place is not None:
            body, matrix = place(node, path)
            location = matrix[:3, :3] @ location + matrix[:3, 3]
        found[node.name] = MarkerSpec(node.name, body, location, node.truth("fixed"))
    return found

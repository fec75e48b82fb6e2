"""A figure as URDF: a link for each segment and site, a joint for each axis.

URDF knows hinges, slides, planar and floating joints. A joint of several axes, and a planar one with ranges or
followers, becomes as many joints with links of no mass between them; a ball joint becomes three hinges, about its two
axes of swing and its twist's.
"""

from __future__ import annotations

import os
from math import inf, isfinite
from typing import Any

import numpy as np

from manikin.figure import Figure, Joint, Segment, Shape, rotations, transforms
from manikin.formats.chain import Link, links
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.posed import edges
from manikin.formats.xml import number, numbers, write_xml, xml_name

#: What is written for no limit: URDF's readers do not know infinity.
UNLIMITED = 1e9


def write(contents: Contents, path: str | os.PathLike[str]) -> list[Note]:
    """Write the figure and say what was not kept. Meshes are named as they are, not copied."""
    writer = _Writer(contents.figure)
    if contents.clips:
        writer.notes.left_out("clips", "URDF holds no motion")
    if contents.skins:
        writer.notes.left_out("skins", "URDF holds no skins")
    write_xml(path, writer.robot())
    return list(writer.notes)


class _Writer:
    def __init__(self, figure: Figure) -> None:
        from lxml import etree

        self.figure, self.notes = figure, Notes()
        self.root = etree.Element("robot", name=xml_name(figure.name))
        self.whole = {
            axis.name
            for joint, _, _, backwards in edges(figure)
            for axis in joint.axes
            if joint.motion == "free"
            or (backwards and any(link.kind == "vector" for link in links(joint, True)[1]))
        }
        self.link_names, self.joint_names = Names(figure.segments), Names(figure.axes)

    def robot(self) -> Any:
        """The <robot> element."""
        figure = self.figure
        for segment in figure.segments.values():
            self._segment(segment)
        for joint, near, far, backwards in edges(figure):
            self._joint(joint, near, far, backwards)
        for site in figure.given.sites.values():
            name = self.link_names.unique(site.name)
            if name != site.name:
                self.notes.changed(f"site {site.name!r}", f"a link has this name; it is written as {name!r}")
            self._sub(self.root, "link", name=xml_name(name))
            joint_name = self.joint_names.unique(f"{name}_site")
            self._fixed(joint_name, site.segment, name, site.placement)
        self._tell()
        return self.root

    def _sub(self, parent: Any, tag: str, **attributes: str) -> Any:
        from lxml import etree

        return etree.SubElement(parent, tag, **attributes)

    def _origin(self, parent: Any, matrix: np.ndarray) -> None:
        if np.array_equal(matrix, np.eye(4)):
            return
        yaw, pitch, roll = rotations.to_euler("zyx", matrix[None, :3, :3])[0].tolist()
        self._sub(parent, "origin", xyz=numbers(matrix[:3, 3]), rpy=numbers([roll, pitch, yaw]))

    def _segment(self, segment: Segment) -> None:
        link = self._sub(self.root, "link", name=xml_name(segment.name))
        if segment.mass or segment.inertia is not None:
            inertial = self._sub(link, "inertial")
            self._origin(inertial, transforms.translation(segment.center_of_mass))
            self._sub(inertial, "mass", value=number(segment.mass))
            table = np.zeros((3, 3)) if segment.inertia is None else segment.inertia
            if segment.inertia is None:
                self.notes.changed(
                    f"segment {segment.name!r}", "its inertia is not known; it is written as 0"
                )
            self._sub(
                inertial,
                "inertia",
                **{
                    key: number(table["xyz".index(key[1]), "xyz".index(key[2])])
                    for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
                },
            )
        for shape in segment.shapes:
            for part in self._parts(segment.name, shape):
                self._visual(link, part)

    def _parts(self, segment: str, shape: Shape) -> list[Shape]:
        """Shapes that URDF knows, in the place of one that it does not."""
        where = f"segment {segment!r}"
        if shape.kind in ("box", "sphere", "cylinder", "mesh"):
            return [shape]
        if shape.kind == "ellipsoid":
            self.notes.left_out(where, "URDF has no ellipsoids")
            return []
        if shape.kind == "capsule":
            first = second = float(shape.size[0])
            length = float(shape.size[1])
            low, high = -0.5 * length, 0.5 * length
            self.notes.changed(where, "URDF has no capsules; one is written as a cylinder and two spheres")
        else:
            first, second, length = shape.size.tolist()
            low, high = 0.0, length
            self.notes.changed(
                where,
                "URDF has no tapered capsules; one is written as two spheres and a cylinder of their mean radius",
            )
        found: list[tuple[str, tuple[float, ...], float]] = [
            ("sphere", (first,), low),
            ("sphere", (second,), high),
        ]
        if length:
            found.insert(0, ("cylinder", (0.5 * (first + second), length), 0.5 * (low + high)))
        return [
            Shape(kind, size, shape.placement @ transforms.translation([0.0, 0.0, z]), color=shape.color)
            for kind, size, z in found
        ]

    def _visual(self, link: Any, shape: Shape) -> None:
        visual = self._sub(link, "visual")
        self._origin(visual, shape.placement)
        geometry = self._sub(visual, "geometry")
        if shape.kind == "mesh":
            mesh = self._sub(geometry, "mesh", filename=xml_name(str(shape.mesh)))
            if not np.array_equal(shape.scale, np.ones(3)):
                mesh.set("scale", numbers(shape.scale))
        elif shape.kind == "box":
            self._sub(geometry, "box", size=numbers(shape.size))
        elif shape.kind == "sphere":
            self._sub(geometry, "sphere", radius=number(shape.size[0]))
        else:
            self._sub(geometry, "cylinder", radius=number(shape.size[0]), length=number(shape.size[1]))
        if shape.color is not None:
            red, green, blue = (round(255 * float(value)) for value in shape.color)
            material = self._sub(visual, "material", name=f"color_{red:02x}{green:02x}{blue:02x}")
            self._sub(material, "color", rgba=numbers([*shape.color, 1.0]))

    def _joint_element(self, name: str, kind: str, near: str, far: str, matrix: np.ndarray) -> Any:
        element = self._sub(self.root, "joint", name=xml_name(name), type=kind)
        self._origin(element, matrix)
        self._sub(element, "parent", link=xml_name(near))
        self._sub(element, "child", link=xml_name(far))
        return element

    def _fixed(self, name: str, near: str, far: str, matrix: np.ndarray) -> None:
        self._joint_element(name, "fixed", near, far, matrix)

    def _between(self, joint: Joint) -> str:
        """A link of no mass."""
        name = self.link_names.unique(f"{joint.name}_link")
        self._sub(self.root, "link", name=xml_name(name))
        return name

    def _joint(self, joint: Joint, near: str, far: str, backwards: bool) -> None:
        first, motions, last = links(joint, backwards)
        if not motions:
            self._fixed(self.joint_names.unique(joint.name), near, far, first @ last)
            return
        if not backwards and (
            joint.motion == "free" or (joint.motion == "planar" and not self._limited(joint))
        ):
            self._whole(joint, near, far, first, last)
            return
        if any(link.kind == "vector" for link in motions):
            self.notes.changed(
                f"joint {joint.name!r}", "met from its child's side it is written as a floating joint"
            )
            self._whole(joint, near, far, first, last)
            return
        pieces = [piece for link in motions for piece in self._pieces(joint, link)]
        for k, (link, axis_name) in enumerate(pieces):
            ends = k == len(pieces) - 1
            # The last frame is drawn into the one before where the axis goes through the link's origin.
            drawn = ends and np.linalg.norm(np.cross(link.axis, last[:3, 3])) < 1e-15
            child = far if drawn else self._between(joint)
            turn = last if drawn else np.eye(4)
            self._one_axis(link, axis_name, near, child, first @ turn, turn[:3, :3].T @ link.axis)
            near, first = child, np.eye(4)
            if ends and not drawn:
                self._fixed(self.joint_names.unique(f"{joint.name}_offset"), near, far, last)

    def _pieces(self, joint: Joint, link: Link) -> list[tuple[Link, str]]:
        """One-axis motions with the names of their axes."""
        if link.kind != "ball":
            return [(link, link.axes[0].name)]
        self.notes.changed(
            f"joint {joint.name!r}", "URDF has no ball joints; it is written as three hinges without limits"
        )
        return [
            (Link("turn", link.turn[:, k].copy(), link.turn, ()), axis.name)
            for k, axis in enumerate(link.axes)
        ]

    def _limited(self, joint: Joint) -> bool:
        """Whether a joint has what URDF's floating and planar joints have not: ranges, speeds, efforts, followers."""
        numbers = [(axis.lower, axis.upper, axis.velocity, axis.effort) for axis in joint.axes]
        return (
            any(axis.follow is not None for axis in joint.axes)
            or any(isfinite(value) for row in numbers for value in row)
            or any(self._drives(axis.name) for axis in joint.axes)
        )

    def _drives(self, name: str) -> bool:
        return any(name in follow.coefficients for follow in self.figure.followers.values())

    def _whole(self, joint: Joint, near: str, far: str, first: np.ndarray, last: np.ndarray) -> None:
        """A floating or planar joint, and a link between where the segment is not at the joint."""
        kind = "planar" if joint.motion == "planar" else "floating"
        if self._limited(joint):
            self.notes.left_out(
                f"joint {joint.name!r}",
                f"URDF's {kind} joints have no ranges, speeds or efforts, follow nothing and are not followed",
            )
        direct = np.array_equal(last, np.eye(4))
        child = far if direct else self._between(joint)
        element = self._joint_element(self.joint_names.unique(joint.name), kind, near, child, first)
        if kind == "planar":
            self._sub(element, "axis", xyz="0 0 1")
        if not direct:
            self._fixed(self.joint_names.unique(f"{joint.name}_offset"), child, far, last)

    def _one_axis(
        self, link: Link, name: str, near: str, far: str, matrix: np.ndarray, axis: np.ndarray
    ) -> None:
        figure = self.figure
        follow = figure.followers.get(name) if link.axes else None
        if follow is not None and not follow.coefficients:
            held = np.eye(4)
            if link.kind == "turn":
                held[:3, :3] = transforms.exp(follow.offset * axis)
            else:
                held[:3, 3] = follow.offset * axis
            self.notes.changed(
                f"joint {name!r}", f"it is held at {follow.offset:g}: written as a fixed joint"
            )
            self._fixed(name, near, far, matrix @ held)
            return
        lower, upper, velocity, effort = -inf, inf, inf, inf
        if link.axes:
            source: Any = link.axes[0] if follow is not None else figure.dof(name)
            lower, upper = source.lower, source.upper
            velocity, effort = source.velocity, source.effort
        bounded = isfinite(lower) or isfinite(upper)
        kind = "prismatic" if link.kind == "slide" else "revolute" if bounded else "continuous"
        element = self._joint_element(name, kind, near, far, matrix)
        self._sub(element, "axis", xyz=numbers(axis))
        if kind != "continuous" or isfinite(velocity) or isfinite(effort):
            limit = self._sub(element, "limit")
            if kind != "continuous":
                limit.set("lower", number(max(lower, -UNLIMITED)))
                limit.set("upper", number(min(upper, UNLIMITED)))
            limit.set("effort", number(min(effort, UNLIMITED)))
            limit.set("velocity", number(min(velocity, UNLIMITED)))
        if follow is not None and set(follow.coefficients) & self.whole:
            self.notes.left_out(
                f"joint {name!r}",
                "it follows a coordinate of a joint that is written as floating, and moves alone",
            )
        elif follow is not None and len(follow.coefficients) == 1:
            ((driver, factor),) = follow.coefficients.items()
            self._sub(
                element,
                "mimic",
                joint=xml_name(driver),
                multiplier=number(factor),
                offset=number(follow.offset),
            )
        elif follow is not None:
            self.notes.left_out(
                f"joint {name!r}", "URDF's joints mimic one other; this follows several and is written alone"
            )

    def _tell(self) -> None:
        figure, notes = self.figure, self.notes
        if figure.base != "fixed":
            notes.left_out(
                "base", f"URDF does not say that the base is {figure.base}; load it with base={figure.base!r}"
            )
        if not np.array_equal(figure.location, np.eye(4)):
            notes.left_out("location", "URDF does not say where the root stands; load it with location=")
        if figure.couplings or figure.cones or figure.loops:
            notes.left_out("couplings", "URDF holds no couplings, cones or loops")
        dofs = [figure.dof(name) for name in figure.dofs]
        plain = [dof.rest == (0.0 if dof.lower <= 0.0 <= dof.upper else dof.rest) for dof in dofs]
        if not all(plain) or any(dof.stiffness != 1.0 for dof in dofs):
            notes.left_out("rest", "URDF holds no rest values or stiffnesses")
        if any(dof.description for dof in dofs):
            notes.left_out("descriptions", "URDF holds no descriptions of joints")

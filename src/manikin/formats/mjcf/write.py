"""A figure as a plain MJCF model: bodies, joints, shapes and sites, equalities, tendons for couplings, clips as
key frames.
"""

from __future__ import annotations

import os
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from manikin.figure import Coupling, Figure, Joint, Segment, Shape, rotations
from manikin.figure.transforms import inverse, translation
from manikin.formats.chain import Link, links
from manikin.formats.contents import Contents, Names, Note, Notes
from manikin.formats.posed import axis_values, edges, segment_frames
from manikin.formats.xml import number, numbers, write_xml, xml_name
from manikin.motion.motion import Motion

_UNLIMITED = 1e9
_MESHES = (".stl", ".obj", ".msh")


def write(contents: Contents, path: str | os.PathLike[str]) -> list[Note]:
    """Write the figure, with its clips as key frames ``clip:0``, ``clip:1`` …, and say what was not kept."""
    writer = _Writer(contents.figure)
    if contents.skins:
        writer.notes.left_out("skins", "they are not written to MJCF")
    root = writer.model(contents.clips)
    write_xml(path, root)
    return list(writer.notes)


class _Writer:
    def __init__(self, figure: Figure) -> None:
        from lxml import etree

        self.figure, self.notes = figure, Notes()
        self.etree = etree
        self.root = etree.Element("mujoco", model=xml_name(figure.name))
        self.asset = etree.Element("asset")
        self.bodies: dict[str, Any] = {}
        self.body_names = Names(["world"])
        self.joint_names = Names(figure.axes)
        #: What makes each number of qpos, in order.
        self.qpos: list[tuple[str, Any]] = []
        self.scalars: set[str] = set()

    def model(self, clips: tuple[Motion, ...]) -> Any:
        """The <mujoco> element."""
        figure, sub = self.figure, self.etree.SubElement
        sub(
            self.root,
            "compiler",
            angle="radian",
            autolimits="true",
            boundmass="1e-9",
            boundinertia="1e-9",
            balanceinertia="true",
        )
        # Joints of no mass, and two about one axis, are no dynamics without some inertia of their own.
        sub(sub(self.root, "default"), "joint", armature="1e-6")
        self.root.append(self.asset)
        world = sub(self.root, "worldbody")
        self._base(world)
        for joint, near, far, backwards in edges(figure):
            self._joint(joint, near, far, backwards)
        for site in figure.given.sites.values():
            element = sub(self.bodies[site.segment], "site", name=xml_name(site.name))
            self._place(element, site.placement)
        self._ties()
        self._keys(clips)
        self._tell()
        for name in ("asset", "equality", "tendon", "keyframe"):
            part = self.root.find(name)
            if part is not None and not len(part):
                self.root.remove(part)
        return self.root

    def _place(self, element: Any, matrix: np.ndarray) -> None:
        if matrix[:3, 3].any():
            element.set("pos", numbers(matrix[:3, 3]))
        if not np.array_equal(matrix[:3, :3], np.eye(3)):
            x, y, z, w = rotations.quaternions(matrix[None, :3, :3])[0].tolist()
            element.set("quat", numbers([w, x, y, z]))

    def _body(self, parent: Any, segment: Segment, matrix: np.ndarray) -> Any:
        name = self.body_names.unique(xml_name(segment.name))
        if name != segment.name:
            self.notes.changed(
                f"segment {segment.name!r}", f"MuJoCo has a body of this name; it is called {name!r}"
            )
        element = self.etree.SubElement(parent, "body", name=name)
        self._place(element, matrix)
        self.bodies[segment.name] = element
        return element

    def _base(self, world: Any) -> None:
        figure = self.figure
        segment = figure.segments[figure.root]
        place = figure.location @ figure.mount
        if figure.base == "fixed" and figure.root == "world" and np.array_equal(place, np.eye(4)):
            self.notes.changed(
                "segment 'world'", "it is MuJoCo's world, which has no frame or mass of its own"
            )
            self.bodies["world"] = world
            self._geoms(world, segment)
            return
        body = self._body(world, segment, place)
        if figure.base == "free":
            self.etree.SubElement(body, "freejoint", name="root")
            self.qpos.append(("world", figure.root))
            if not np.array_equal(figure.mount, np.eye(4)):
                self.notes.changed("base", "the root's values count from the segment's own frame")
        elif figure.base == "planar":
            _, motions, last = links(figure.base_joint, False)
            self._motions(body, figure.base_joint, motions, last)
        self._inertial(body, segment)
        self._geoms(body, segment)

    def _joint(self, joint: Joint, near: str, far: str, backwards: bool) -> None:
        first, motions, last = links(joint, backwards)
        parent, segment = self.bodies[near], self.figure.segments[far]
        body = self._body(parent, segment, first @ last)
        if joint.motion == "free" and parent.tag == "worldbody":
            self.etree.SubElement(body, "freejoint", name=self.joint_names.unique(xml_name(joint.name)))
            self.qpos.append(("world", far))
        else:
            self._motions(body, joint, motions, last)
        self._inertial(body, segment)
        self._geoms(body, segment)

    def _motions(self, body: Any, joint: Joint, motions: list[Link], last: np.ndarray) -> None:
        """A body's joints: their point and axes are in the body's frame."""
        at = inverse(last)
        for link in motions:
            element = self.etree.SubElement(body, "joint")
            if link.kind in ("turn", "slide"):
                axis = link.axes[0]
                element.set("name", xml_name(axis.name))
                element.set("type", "hinge" if link.kind == "turn" else "slide")
                element.set("axis", numbers(at[:3, :3] @ link.axis))
                self._range(element, axis.name)
                self.qpos.append(("axis", axis.name))
                self.scalars.add(axis.name)
            else:
                element.set("name", self.joint_names.unique(xml_name(joint.name)))
                element.set("type", "ball")
                self.qpos.append(("ball", (joint, link, at[:3, :3])))
                if any(np.isfinite([axis.lower, axis.upper]).any() for axis in link.axes):
                    self.notes.left_out(f"joint {joint.name!r}", "MuJoCo has no limits of swing and twist")
            if link.kind != "slide" and at[:3, 3].any():
                element.set("pos", numbers(at[:3, 3]))

    def _range(self, element: Any, name: str) -> None:
        figure = self.figure
        axis: Any = figure.dof(name) if name not in figure.followers else None
        for joint in figure.joints.values() if axis is None else ():
            axis = next((own for own in joint.axes if own.name == name), axis)
        lower, upper = axis.lower, axis.upper
        if axis.effort < inf:
            element.set("actuatorfrcrange", numbers([-axis.effort, axis.effort]))
        if lower == -inf and upper == inf:
            return
        if lower == upper:
            element.set("range", numbers([lower - 1e-12, upper + 1e-12]))
            self.notes.changed(
                f"joint {name!r}", "MuJoCo's ranges have a width; this has 1e-12 to either side"
            )
            return
        element.set("range", numbers([max(lower, -_UNLIMITED), min(upper, _UNLIMITED)]))

    def _inertial(self, body: Any, segment: Segment) -> None:
        if not segment.mass:
            return
        element = self.etree.SubElement(
            body, "inertial", pos=numbers(segment.center_of_mass), mass=number(segment.mass)
        )
        table = segment.inertia
        if table is None:
            element.set("diaginertia", "0 0 0")
            return
        sizes, turn = np.linalg.eigh(table)
        if sizes[0] <= 0.0 or sizes[0] + sizes[1] < sizes[2] * (1 - 1e-9):
            self.notes.changed(
                f"segment {segment.name!r}", "its inertia is none of a real body; MuJoCo evens it out"
            )
            table = turn @ np.diag(np.maximum(sizes, 1e-9)) @ turn.T
        order = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        element.set("fullinertia", numbers([table[i, j] for i, j in order]))

    def _geoms(self, body: Any, segment: Segment) -> None:
        for shape in segment.shapes:
            self._geom(body, segment.name, shape)

    def _geom(self, body: Any, name: str, shape: Shape) -> None:
        where, size, place = f"segment {name!r}", shape.size.tolist(), shape.placement
        kind = shape.kind
        if kind == "mesh":
            self._mesh(body, name, shape)
            return
        if kind == "tapered_capsule":
            self.notes.changed(where, "MuJoCo has no tapered capsules; one is written with its mean radius")
            kind, length = "capsule", size[2]
            size, place = [0.5 * (size[0] + size[1]), length], place @ translation([0.0, 0.0, 0.5 * length])
        if kind == "capsule" and size[1] == 0.0:
            kind, size = "sphere", size[:1]
        if min(size) <= 0.0:
            self.notes.left_out(where, f"a {kind} without size")
            return
        if kind in ("capsule", "cylinder"):
            size = [size[0], 0.5 * size[1]]
        elif kind == "box":
            size = [0.5 * entry for entry in size]
        element = self.etree.SubElement(body, "geom", type=kind, size=numbers(size), mass="0")
        self._finish(element, shape, place)

    def _finish(self, element: Any, shape: Shape, place: np.ndarray) -> None:
        self._place(element, place)
        if shape.color is not None:
            element.set("rgba", numbers([*shape.color, 1.0]))

    def _mesh(self, body: Any, name: str, shape: Shape) -> None:
        file = Path(str(shape.mesh))
        if file.suffix.lower() not in _MESHES or not file.is_file():
            self.notes.left_out(
                f"segment {name!r}", f"MuJoCo cannot read the mesh {file.name!r}, or it is not there"
            )
            return
        number = f"mesh_{len(self.asset)}"
        asset = self.etree.SubElement(self.asset, "mesh", name=number, file=str(file.resolve()))
        if not np.array_equal(shape.scale, np.ones(3)):
            asset.set("scale", numbers(shape.scale))
        element = self.etree.SubElement(
            body, "geom", type="mesh", mesh=number, mass="0", contype="0", conaffinity="0"
        )
        self._finish(element, shape, shape.placement)

    def _ties(self) -> None:
        figure, sub = self.figure, self.etree.SubElement
        equality, tendon = sub(self.root, "equality"), sub(self.root, "tendon")
        for name, follow in figure.followers.items():
            if name not in self.scalars or any(driver not in self.scalars for driver in follow.coefficients):
                self.notes.left_out(f"follower {name!r}", "MuJoCo's ball joints follow nothing")
            elif len(follow.coefficients) <= 1:
                element = sub(equality, "joint", joint1=xml_name(name))
                for driver in follow.coefficients:
                    element.set("joint2", xml_name(driver))
                factors = [*follow.coefficients.values(), 0.0][:1]
                element.set("polycoef", numbers([follow.offset, *factors, 0, 0, 0]))
            else:
                terms = {name: 1.0, **{driver: -c for driver, c in follow.coefficients.items()}}
                self._tendon(tendon, equality, Coupling(terms, follow.offset, follow.offset, name))
        # Ranges of followers, which the figure has as couplings, are their joints' own.
        given = [entry for entry in figure.couplings if entry.name not in figure.followers]
        for coupling in given:
            if any(name not in self.scalars for name in coupling.coefficients):
                self.notes.left_out(f"coupling {coupling}", "MuJoCo couples hinges and slides only")
            else:
                self._tendon(tendon, equality, coupling)
        for loop in figure.loops:
            self._loop(equality, loop)

    def _tendon(self, tendon: Any, equality: Any, coupling: Coupling) -> None:
        sub = self.etree.SubElement
        name = f"{coupling.name or 'coupling'}_{len(tendon)}"
        element = sub(tendon, "fixed", name=xml_name(name))
        for dof, c in coupling.coefficients.items():
            sub(element, "joint", joint=xml_name(dof), coef=number(c))
        if coupling.equality:
            sub(equality, "tendon", tendon1=xml_name(name), polycoef=numbers([coupling.lower, 0, 0, 0, 0]))
        else:
            ends = [max(coupling.lower, -_UNLIMITED), min(coupling.upper, _UNLIMITED)]
            element.set("range", numbers(ends))

    def _loop(self, equality: Any, loop: Any) -> None:
        sub = self.etree.SubElement
        names = [self._loop_site(name) for name in (loop.site, loop.other)]
        if loop.kind == "placement":
            sub(equality, "weld", name=xml_name(loop.name), site1=names[0], site2=names[1])
        elif loop.kind in ("position", "hinge"):
            sub(equality, "connect", name=xml_name(loop.name), site1=names[0], site2=names[1])
            if loop.kind == "hinge":
                self.notes.changed(
                    f"loop {loop.name!r}", "a hinge is written as two points that stay together"
                )
                ends = [self._loop_site(name, 0.1) for name in (loop.site, loop.other)]
                sub(equality, "connect", name=xml_name(f"{loop.name} axis"), site1=ends[0], site2=ends[1])
        else:
            self.notes.left_out(f"loop {loop.name!r}", "MuJoCo has no equality of orientations alone")

    def _loop_site(self, name: str, along: float = 0.0) -> str:
        """The name of a site that is in the file; one is added for a segment's own, and for a point on a
        hinge's axis.
        """
        site = self.figure.sites[name]
        if name in self.figure.given.sites and not along:
            return xml_name(name)
        added = xml_name(f"{name} {'axis' if along else 'origin'}")
        body = self.bodies[site.segment]
        if not any(part.get("name") == added for part in body.findall("site")):
            element = self.etree.SubElement(body, "site", name=added)
            self._place(element, site.placement @ translation([0.0, 0.0, along]))
        return added

    def _keys(self, clips: tuple[Motion, ...]) -> None:
        keyframe = self.etree.SubElement(self.root, "keyframe")
        names = Names()
        for clip in clips:
            head = names.unique(xml_name(clip.name or "clip"))
            rows = self._rows(clip.q)
            for k, (time, row) in enumerate(zip(clip.times.tolist(), rows, strict=True)):
                name = head if len(rows) == 1 else f"{head}:{k}"
                self.etree.SubElement(keyframe, "key", name=name, time=number(time), qpos=numbers(row))

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """MuJoCo's qpos, (T, nq), of the figure's values."""
        values, frames = axis_values(self.figure, q), segment_frames(self.figure, q)
        columns = []
        for kind, what in self.qpos:
            if kind == "axis":
                columns.append(values[what][:, None])
                continue
            if kind == "world":
                turns = frames[what][:, :3, :3]
                columns.append(frames[what][:, :3, 3])
            else:
                joint, link, at = what
                own = np.stack([values[axis.name] for axis in link.axes], axis=1)
                ball = any(step.kind.swings for step in joint.steps)
                turns = rotations.from_swing_twist(own, link.turn) if ball else rotations.from_vectors(own)
                if link.sign < 0.0:
                    turns = np.swapaxes(turns, 1, 2)
                turns = at @ turns @ at.T
            columns.append(rotations.quaternions(turns)[:, [3, 0, 1, 2]])
        return np.concatenate(columns, axis=1) if columns else np.zeros((len(q), 0))

    def _tell(self) -> None:
        figure, notes = self.figure, self.notes
        dofs = [figure.dof(name) for name in figure.dofs]
        if np.isfinite(figure.velocity).any():
            notes.left_out("velocities", "MuJoCo's joints have no greatest speed")
        if figure.cones:
            notes.left_out("cones", "MuJoCo has no limits of swing and twist")
        if any(dof.rest != 0.0 for dof in dofs) or any(dof.stiffness != 1.0 for dof in dofs):
            notes.left_out("rest", "MuJoCo's joints have no rest values or stiffnesses of ours")
        if any(dof.description for dof in dofs):
            notes.left_out("descriptions", "MuJoCo's joints have no descriptions")
        if any(not segment.mass for segment in figure.segments.values()):
            notes.changed("mass", "MuJoCo's bodies have mass: those without get 1e-9 kg")

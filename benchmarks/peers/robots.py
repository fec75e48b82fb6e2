"""The robots, as URDF files that every program can read: the published ones less what kinematics does not need.

Shapes, meshes, materials, transmissions and the rest of what simulators want go, since programs differ in what
they accept there. Joints that no goal concerns (fingers) become fixed. Frames, axes and limits stay as published.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from benchmarks.peers.setup import ROOT
from manikin.files import whole_file

_KEPT_OF_LINK = ("inertial",)
_KEPT_OF_JOINT = ("origin", "parent", "child", "axis", "limit")


@dataclass(frozen=True)
class Robot:
    """A robot of example-robot-data.

    file: below its folder of robots.
    root: the link that stands still, or floats.
    tips: the links that have goals.
    fixed: how the names of joints begin that do not move here.
    """

    name: str
    file: str
    root: str
    tips: tuple[str, ...]
    fixed: tuple[str, ...] = ()


ROBOTS = {
    robot.name: robot
    for robot in (
        Robot(
            "panda", "panda_description/urdf/panda.urdf", "panda_link0", ("panda_link8",), ("panda_finger",)
        ),
        Robot("ur5", "ur_description/urdf/ur5_robot.urdf", "base_link", ("tool0",)),
        Robot("xarm7", "xarm_description/urdf/xarm7.urdf", "link_base", ("link_eef",)),
        Robot("z1", "z1_description/urdf/z1.urdf", "link00", ("link06",), ("jointGripper",)),
        Robot(
            "g1",
            "g1_description/urdf/g1_29dof_rev_1_0.urdf",
            "pelvis",
            ("left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"),
        ),
        Robot(
            "talos",
            "talos_data/robots/talos_reduced.urdf",
            "base_link",
            ("gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link"),
            ("gripper",),
        ),
        Robot(
            "icub",
            "icub_description/robots/icub_reduced.urdf",
            "base_link",
            ("l_hand", "r_hand", "l_sole", "r_sole"),
        ),
        Robot(
            "romeo",
            "romeo_description/urdf/romeo_small.urdf",
            "base_link",
            ("l_gripper", "r_gripper", "l_sole", "r_sole"),
        ),
    )
}
#: The joints of a bounded base, from the world to the root: three slides, then three hinges, about x, y and z.
BASE_JOINTS = tuple(f"base_{kind}_{axis}" for kind in ("slide", "hinge") for axis in "xyz")
#: How far a bounded base moves to either side: metres and radians.
BASE_REACH = 0.5, 1.0


def published(robot: Robot) -> Path:
    """The file as example-robot-data installs it."""
    data = metadata.distribution("example-robot-data")
    return Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / robot.file


def plain(robot: Robot, bounded: bool = False) -> Path:
    """The stripped file of a robot, on a bounded base where that is asked for; written when it is missing."""
    path = ROOT / "robots" / f"{robot.name}{'-bounded' if bounded else ''}.urdf"
    text = stripped(published(robot).read_text(encoding="utf-8"), robot)
    if bounded:
        text = on_bounded_base(text, robot.root)
    return kept(path, text)


def kept(path: Path, text: str) -> Path:
    """A file with this text: written whole where it is missing or differs, since other processes may read it now."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as beside:
            beside.write_text(text, encoding="utf-8")
    return path


def stripped(text: str, robot: Robot) -> str:
    """A URDF with only the links below the root and the joints between them."""
    given = ET.fromstring(text)
    joints = [joint for joint in given.findall("joint") if joint.find("parent") is not None]
    below, more = {robot.root}, True
    while more:
        reached = {_child(j) for j in joints if _parent(j) in below} - below
        below, more = below | reached, bool(reached)
    made = ET.Element("robot", name=robot.name)
    for link in given.findall("link"):
        if link.get("name") in below:
            _copy(made, link, _KEPT_OF_LINK)
    for joint in joints:
        if _parent(joint) in below:
            fixed = joint.get("name", "").startswith(robot.fixed) if robot.fixed else False
            kept = _copy(made, joint, _KEPT_OF_JOINT[:3] if fixed else _KEPT_OF_JOINT)
            kept.set("type", "fixed" if fixed else joint.get("type", ""))
    ET.indent(made)
    return ET.tostring(made, encoding="unicode") + "\n"


def on_bounded_base(text: str, root: str) -> str:
    """The same robot, its root carried by six joints with limits (`BASE_JOINTS`) on a link called ``world``."""
    made = ET.fromstring(text)
    below = "world"
    ET.SubElement(made, "link", name=below)
    for name in BASE_JOINTS:
        slides = "slide" in name
        above = root if name == BASE_JOINTS[-1] else f"{name}_link"
        if above != root:
            ET.SubElement(made, "link", name=above)
        joint = ET.SubElement(made, "joint", name=name, type="prismatic" if slides else "revolute")
        ET.SubElement(joint, "parent", link=below)
        ET.SubElement(joint, "child", link=above)
        ET.SubElement(joint, "axis", xyz=" ".join("1" if name.endswith(axis) else "0" for axis in "xyz"))
        reach = str(BASE_REACH[0 if slides else 1])
        ET.SubElement(joint, "limit", lower=f"-{reach}", upper=reach, velocity="1", effort="1")
        below = above
    ET.indent(made)
    return ET.tostring(made, encoding="unicode") + "\n"


def _parent(joint: ET.Element) -> str:
    return joint.find("parent").get("link")  # type: ignore[union-attr, return-value]


def _child(joint: ET.Element) -> str:
    return joint.find("child").get("link")  # type: ignore[union-attr, return-value]


def _copy(into: ET.Element, element: ET.Element, kept: tuple[str, ...]) -> ET.Element:
    made = ET.SubElement(into, element.tag, dict(element.attrib))
    made.extend(child for child in element if child.tag in kept)
    return made

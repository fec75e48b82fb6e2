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
    )
}


def published(robot: Robot) -> Path:
    """The file as example-robot-data installs it."""
    data = metadata.distribution("example-robot-data")
    return Path(str(data.locate_file("cmeel.prefix/share/example-robot-data/robots"))) / robot.file


def plain(robot: Robot) -> Path:
    """The stripped file of a robot, written when it is missing."""
    path = ROOT / "robots" / f"{robot.name}.urdf"
    text = stripped(published(robot).read_text(encoding="utf-8"), robot)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
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


def _parent(joint: ET.Element) -> str:
    return joint.find("parent").get("link")  # type: ignore[union-attr, return-value]


def _child(joint: ET.Element) -> str:
    return joint.find("child").get("link")  # type: ignore[union-attr, return-value]


def _copy(into: ET.Element, element: ET.Element, kept: tuple[str, ...]) -> ET.Element:
    made = ET.SubElement(into, element.tag, dict(element.attrib))
    made.extend(child for child in element if child.tag in kept)
    return made

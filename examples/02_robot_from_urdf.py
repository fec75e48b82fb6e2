"""A robot from a URDF file: its tool goes to a point and points straight down."""

import tempfile
from math import degrees
from pathlib import Path

import numpy as np
from gallery import show

import manikin as mk

# name, parent, child, axis, origin in the parent, length, lower, upper
JOINTS = [
    ("waist", "base", "column", "0 0 1", 0.12, 0.22, -2.9, 2.9),
    ("shoulder", "column", "upper_arm", "0 1 0", 0.22, 0.34, -1.8, 1.8),
    ("elbow", "upper_arm", "forearm", "0 1 0", 0.34, 0.30, -0.1, 2.6),
    ("roll", "forearm", "wrist", "0 0 1", 0.30, 0.08, -3.1, 3.1),
    ("pitch", "wrist", "tool", "0 1 0", 0.08, 0.14, -2.1, 2.1),
]


def link(name, length, radius):
    body = f'<geometry><cylinder radius="{radius}" length="{length}"/></geometry>'
    return f'<link name="{name}"><visual><origin xyz="0 0 {length / 2}"/>{body}</visual></link>'


parts = [link("base", 0.12, 0.09)]
for k, (name, parent, child, axis, origin, length, lower, upper) in enumerate(JOINTS):
    parts.append(link(child, length, 0.055 - 0.008 * k))
    parts.append(
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 {origin}"/><axis xyz="{axis}"/>'
        f'<limit lower="{lower}" upper="{upper}" velocity="2" effort="50"/></joint>'
    )

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "arm.urdf")
    file.write_text(f'<robot name="arm">{"".join(parts)}</robot>')
    arm = mk.load(file).with_site("tip", "tool", [0.0, 0.0, 0.14])

down = np.diag([1.0, -1.0, -1.0])
result = mk.solve(arm, [mk.Position("tip", [0.35, 0.25, 0.15]), mk.Orientation("tip", down, axes=(0, 0, 1))])
print(arm)
print(result.explain())
print(", ".join(f"{name} {degrees(value):.1f}°" for name, value in result.pose.values().items()))
show([arm, result], "02_robot_from_urdf.png", captions=["as loaded", "pointing down"])

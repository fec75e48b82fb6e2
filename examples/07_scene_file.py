"""A scene file: the figure, its start and its goals as TOML, solved as ``manikin solve`` does."""

import tempfile
from pathlib import Path

from gallery import show

from manikin.formats.scene import read_scene

LINK = """<link name="{}"><visual><origin xyz="0 0 {}"/>
  <geometry><cylinder radius="{}" length="{}"/></geometry></visual></link>"""
JOINT = """<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="0 0 {}"/>
  <axis xyz="{}"/><limit lower="-2.4" upper="2.4" velocity="1" effort="1"/></joint>"""
PARTS = [("foot", 0.04, 0.13), ("stem", 0.30, 0.018), ("arm", 0.36, 0.014), ("shade", 0.10, 0.07)]
JOINTS = [("turn", "0 0 1"), ("bend", "0 1 0"), ("tilt", "0 1 0")]
LAMP = [LINK.format(name, length / 2, radius, length) for name, length, radius in PARTS]
for (joint, axis), (parent, length, _), (child, *_) in zip(JOINTS, PARTS, PARTS[1:], strict=False):
    LAMP.append(JOINT.format(joint, parent, child, length, axis))

SCENE = """figure = "lamp.urdf"

[start]
bend = 20                           # degrees

[[goal]]                            # the light falls on the page
kind = "aim"
site = "shade"
at = [0.40, 0.30, 0.0]
axis = [0, 0, 1]

[[goal]]                            # from this height
kind = "on_plane"
site = "shade"
point = [0, 0, 0.55]
normal = [0, 0, 1]

[[constraint]]
text = "tilt <= 150 - bend/4"
"""

with tempfile.TemporaryDirectory() as folder:
    Path(folder, "lamp.urdf").write_text(f'<robot name="lamp">{"".join(LAMP)}</robot>')
    Path(folder, "scene.toml").write_text(SCENE)
    scene = read_scene(Path(folder, "scene.toml"))  # in a shell: manikin solve scene.toml --json

result = scene.solve()
print(f"{scene.figure}, goals: {', '.join(goal.label() for goal in scene.goals)}")
print(result.explain())
show([scene.start, result], "07_scene_file.png", goals=scene.goals, captions=["the scene's start", "solved"])

"""Draw the picture of docs/formats.md again: ``python docs/draw_formats.py DATA`` (needs the extras ``pictures`` and
``formats``; DATA is a folder with the three files that it shows).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import manikin as mk
from manikin import formats
from manikin.formats.contents import Contents
from manikin.pictures import picture

TARGET = Path(__file__).parent / "pictures" / "formats.png"
SIZE = (300, 420)


def clothed(contents: Contents, pose: mk.Pose, folder: Path) -> mk.Pose:
    """The skins of a file at a pose, as shapes of a figure of one segment."""
    shapes = []
    for k, skin in enumerate(contents.skins):
        path = folder / f"skin_{k}.obj"
        vertices = [f"v {x} {y} {z}" for x, y, z in skin.posed(pose).tolist()]
        faces = [f"f {a} {b} {c}" for a, b, c in (skin.triangles + 1).tolist()]
        path.write_text("\n".join([*vertices, *faces]))
        color = None if skin.color is None else np.array(skin.color) ** (1 / 2.2)  # files hold linear light
        shapes.append(mk.Shape("mesh", mesh=str(path), color=color))
    return mk.Figure(contents.figure.name, [mk.Segment("skins", shapes=tuple(shapes))], []).pose()


def main(data: Path) -> None:
    """A frame of motion capture, MuJoCo's humanoid, and a character with its skin, side by side."""
    from PIL import Image

    walk = mk.load_motion(data / "bvh" / "cmu_78_11.bvh", unit="cmu")
    humanoid = mk.load(data / "mjcf" / "humanoid_CMU.xml")
    robot = formats.read(data / "gltf" / "RobotExpressive.glb")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        poses = [walk[30], humanoid.pose(), clothed(robot, robot.clip("Wave")[20], folder)]
        whole = Image.new("RGB", (SIZE[0] * len(poses), SIZE[1]))
        for k, pose in enumerate(poses):
            picture(pose, folder / f"{k}.png", size=SIZE)
            whole.paste(Image.open(folder / f"{k}.png"), (k * SIZE[0], 0))
        whole.save(TARGET, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

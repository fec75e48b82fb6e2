"""Draw the pictures of the people pages again: ``python docs/draw_people.py [names]`` (needs the extra ``pictures``).

hands, hold, presets, body, sizes, children, clinical: each a file docs/pictures/people-NAME.png.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

import manikin as mk
from manikin.figure.human import PRESETS, preset
from manikin.pictures import Camera, picture

FOLDER = Path(__file__).parent / "pictures"
BLUE = "#4477aa"
CARDBOARD = "#b08850"
QUALITY = "draft"


def sheet(tiles: Sequence[Image.Image], across: int, path: Path) -> None:
    """Tiles side by side, in at most 256 colours, which is enough for a page."""
    width, height = tiles[0].size
    down = -(-len(tiles) // across)
    whole = Image.new("RGB", (across * width, down * height), "#f4f2ee")
    for k, tile in enumerate(tiles):
        whole.paste(tile, (k % across * width, k // across * height))
    whole.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1e3:.0f} kB")


def bilateral(body: mk.Figure, degrees: dict[str, float]) -> mk.Pose:
    """A pose with both sides alike."""
    return body.pose({f"{s}_{n}": np.radians(v) for s in ("left", "right") for n, v in degrees.items()})


def hands(path: Path) -> None:
    """Grips of the right hand, each with what it holds."""
    body = mk.human(stature=1.75)
    rest = body.pose({"right_shoulder_flexion": 1.5})
    eye = rest.position("right_hand") + np.array([0.03, 0.0, -0.02])
    camera = Camera(eye + np.array([0.2, 0.48, -0.12]), eye, fov=21)
    cases = [
        ("flat", None),
        ("relaxed", None),
        ("fist", None),
        ("point", None),
        ("pinch", 0.0),
        ("pinch", 0.03),
    ]
    cases += [("bar", 0.025), ("bar", 0.05), ("ball", 0.05), ("ball", 0.08), ("box", 0.01), ("box", 0.06)]
    tiles = []
    for name, size in cases:
        found = mk.grip(body, name, size=size)
        pose = found.applied(rest)
        things = []
        if found.object is not None and size:
            place = pose.matrix("right_hand") @ found.object
            middle, along = place[:3, 3], place[:3, 0]
            if name == "bar":
                things = [(mk.Capsule(middle - 0.08 * along, middle + 0.08 * along, size / 2), BLUE)]
            elif name == "box":
                things = [(mk.Box(middle, [size, 0.05, 0.08], place[:3, :3]), BLUE)]
            else:
                things = [(mk.Ball(middle, size / 2), BLUE)]
        caption = f"{name} {100 * size:g} cm" if size else name
        tiles.append(
            picture(pose, things=things, camera=camera, caption=caption, size=(200, 200), ground=False)
        )
    sheet(tiles, 6, path)


def hold(path: Path) -> None:
    """A box in both hands, from the floor up, and carried level."""
    body = mk.human(stature=1.75)
    rest = body.pose()
    feet = [
        mk.Placement(f"{s}_foot", rest.position(f"{s}_foot"), rest.matrix(f"{s}_foot")[:3, :3], hard=True)
        for s in ("left", "right")
    ]
    tiles = []
    for center in ([0.42, 0.0, 0.16], [0.40, 0.0, 0.75], [0.38, 0.0, 1.1], [0.42, 0.0, 1.5]):
        box = mk.Box(center=center, size=[0.3, 0.38, 0.26])
        pose = mk.solve(body, [*mk.hold(box), *feet, mk.Balance()]).pose
        tiles.append(
            picture(
                pose, things=[(box, CARDBOARD)], view=(-50, 12), size=(240, 300), look="skin", quality=QUALITY
            )
        )
    sheet(tiles, 4, path)


def presets(path: Path) -> None:
    """All presets."""
    body = mk.human(stature=1.75)
    poses = [preset(body, name) for name in PRESETS]
    whole = picture(poses, captions=list(PRESETS), size=(200, 250), columns=6, look="skin", quality=QUALITY)
    sheet([whole], 1, path)


def body(path: Path) -> None:
    """The body from eight sides, the arms down, up and across."""
    person = mk.human(stature=1.75)
    poses = [
        preset(person, "stand"),
        bilateral(person, {"shoulder_flexion": 150.0, "shoulder_abduction": 20.0}),
        bilateral(person, {"shoulder_flexion": 75.0, "shoulder_abduction": -25.0, "elbow": 50.0}),
    ]
    tiles = [
        picture(pose, view=(azimuth, 6.0), size=(150, 240), look="skin", quality=QUALITY)
        for pose in poses
        for azimuth in range(0, -360, -45)
    ]
    sheet(tiles, 8, path)


def sizes(path: Path) -> None:
    """Five statures and weights of both sexes, the last a woman with child."""
    people = [
        ("1.60 m, 55 kg", {"stature": 1.60, "mass": 55.0}),
        ("1.70 m, 80 kg", {"stature": 1.70, "mass": 80.0}),
        ("1.76 m, 86 kg", {}),
        ("1.95 m, 95 kg", {"stature": 1.95, "mass": 95.0}),
        ("waist 1.30 m", {"mass": 125.0, "circumferences": {"waist": 1.30, "hip": 1.25, "chest": 1.22}}),
        ("1.50 m, 45 kg", {"sex": "female", "stature": 1.50, "mass": 45.0}),
        ("1.63 m, 68 kg", {"sex": "female"}),
        ("1.63 m, 90 kg", {"sex": "female", "mass": 90.0}),
        ("1.80 m, 70 kg", {"sex": "female", "stature": 1.80, "mass": 70.0}),
        ("36 weeks", {"sex": "female", "pregnancy": 36.0}),
    ]
    poses = [preset(mk.human(**options), "stand") for _, options in people]  # type: ignore[arg-type]
    names = [name for name, _ in people]
    whole = picture(
        poses, captions=names, size=(140, 250), columns=5, look="skin", view=(-30, 6), quality=QUALITY
    )
    sheet([whole], 1, path)


def children(path: Path) -> None:
    """Two, six and ten years old."""
    people = {"2 years": {"age": 2.0}, "6 years": {"age": 6.0, "sex": "female"}, "10 years": {"age": 10.0}}
    poses = [preset(mk.human(**options), "stand") for options in people.values()]  # type: ignore[arg-type]
    whole = picture(
        poses, captions=list(people), size=(140, 250), look="skin", view=(-30, 6), quality=QUALITY
    )
    sheet([whole], 1, path)


def clinical(path: Path) -> None:
    """The clinical angles of a lift against their ranges."""
    preset(mk.human(), "lift").clinical().plot(path, title="lift")


DRAWN: dict[str, Callable[[Path], None]] = {
    "hands": hands,
    "hold": hold,
    "presets": presets,
    "body": body,
    "sizes": sizes,
    "children": children,
    "clinical": clinical,
}


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        DRAWN[name](FOLDER / f"people-{name}.png")

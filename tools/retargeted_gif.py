"""A recorded person, a smaller one and a robot doing the same, side by side, as the documentation shows them.

``python -m tools.retargeted_gif docs/pictures/retargeted.gif`` needs the recordings of the shared data, the robot of
example-robot-data, and the extra `pictures`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.peers.robots import ROBOTS, published

import manikin as mk
from benchmarks import recordings
from manikin.files import whole_file
from manikin.pictures import animate

#: Of the recording: its name, from when to when, seconds, and how much faster it is shown.
CLIP, START, END, FASTER = "02_06", 7.0, 14.0, 2.5
FPS, SIZE, COLORS = 8.0, (180, 240), 48


def clips() -> list[tuple[mk.Motion, str]]:
    """The source and its copies, each with a view of it."""
    source = recordings.from_postures(CLIP, 30.0)
    if source is None:
        raise SystemExit("the recordings are not there: ../shared/data/postures")
    source = source.trim(START, END).shift(-START)
    robot = mk.load(published(ROBOTS["g1"]), base="free")
    copies = [
        mk.retarget(source, mk.human(stature=0.8 * 1.756, fingers=False)),
        mk.retarget(source, robot, sole=0.03),
    ]
    return [(motion.retime(factor=1.0 / FASTER), "three-quarter") for motion in (source, *copies)]


def main(path: Path) -> None:
    """Draw each by itself, and put the frames beside each other."""
    from PIL import Image, ImageSequence

    panels = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (motion, view) in enumerate(clips()):
            file = Path(folder) / f"{number}.gif"
            animate(motion, file, rate=FPS, size=SIZE, view=view)
            with Image.open(file) as drawn:
                panels.append([frame.convert("RGB") for frame in ImageSequence.Iterator(drawn)])
    frames = []
    for parts in zip(*panels, strict=True):
        whole = Image.new("RGB", (SIZE[0] * len(parts), SIZE[1]))
        for k, part in enumerate(parts):
            whole.paste(part, (k * SIZE[0], 0))
        frames.append(whole.quantize(COLORS, dither=Image.Dither.NONE))
    with whole_file(path) as beside, Path(beside).open("wb") as stream:
        frames[0].save(
            stream,
            "GIF",
            save_all=True,
            append_images=frames[1:],
            duration=int(1000 / FPS),
            loop=0,
            optimize=True,
        )
    print(f"{path}: {len(frames)} frames, {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/retargeted.gif"))

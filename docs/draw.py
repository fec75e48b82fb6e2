"""Draw the pictures of the README again: ``python docs/draw.py`` (needs the extra ``pictures``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import manikin as mk
from manikin.cli.report import cases
from manikin.pictures import picture, side_by_side

FOLDER = Path(__file__).parent / "pictures"


def whole_body_poses(count: int, seed: int = 3) -> list[mk.Solution]:
    """Both hands and the gaze to random places in reach, the feet kept where they are."""
    body = mk.human(stature=1.75)
    rest = body.pose()
    rng = np.random.default_rng(seed)
    feet = [
        mk.Placement(f"{side}_foot", *_place(rest, f"{side}_foot"), weight=10.0) for side in ("left", "right")
    ]
    found: list[mk.Solution] = []
    while len(found) < count:
        middle = rng.uniform([0.25, -0.35, 0.5], [0.6, 0.35, 1.7])
        right = middle - np.array([0.0, rng.uniform(0.1, 0.35), rng.uniform(-0.15, 0.15)])
        left = middle + np.array([0.0, rng.uniform(0.1, 0.35), rng.uniform(-0.15, 0.15)])
        goals = [
            mk.Position("right_hand", right),
            mk.Position("left_hand", left),
            mk.Aim("eyes", at=middle),
            *feet,
        ]
        solution = mk.solve(rest, goals)
        if solution.reached:
            found.append(solution)
    return found


def _place(pose: mk.Pose, site: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pose.matrix(site)
    return frame[:3, 3], frame[:3, :3]


def gallery(path: Path, height: int = 250, across: int = 3) -> None:
    """The pictures of the examples from the tenth to the seventeenth, in one: as many rows as they fill."""
    import subprocess
    import sys
    import tempfile

    from PIL import Image

    scripts = sorted((Path(__file__).parent.parent / "examples").glob("1[0-7]_*.py"))
    with tempfile.TemporaryDirectory() as folder:
        for script in scripts:
            subprocess.run([sys.executable, str(script), folder], check=True, stdout=subprocess.DEVNULL)
        found = []
        for script in scripts:
            with Image.open(Path(folder) / f"{script.stem}.png") as image:
                found.append(
                    image.convert("RGB").resize((round(image.width * height / image.height), height))
                )
    rows = [found[k : k + across] for k in range(0, len(found), across)]
    width = max(sum(image.width for image in row) for row in rows)
    sheet = Image.new("RGB", (width, height * len(rows)), "#f4f2ee")
    for down, row in enumerate(rows):
        spare = (width - sum(image.width for image in row)) // 2
        for image in row:
            sheet.paste(image, (spare, down * height))
            spare += image.width
    sheet.save(path, optimize=True)


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for case in cases():
        solution = mk.Problem(case.start, case.goals, free=case.free).solve()
        path = FOLDER / f"report-figure-{case.figure}.png"
        side_by_side(case.start, solution, path, captions=("start", "found"), size=(360, 460))
    poses = whole_body_poses(12)
    picture(poses, FOLDER / "twelve.png", columns=6, size=(240, 330), captions=[""] * 12)
    gallery(FOLDER / "gallery.png")


if __name__ == "__main__":
    main()

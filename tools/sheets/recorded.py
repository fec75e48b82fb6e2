"""Twenty-four recorded postures beside what the figure does for the same hands and feet.

The people are left out of the learning of the network that poses them; which postures are shown is drawn, four of each
kind, by the rule of `tools.posture.check`, not chosen.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import manikin as mk
from manikin.pictures import picture
from manikin.pictures.camera import Camera
from tools.posture import check
from tools.posture.dataset import CATEGORIES
from tools.sheets import paper

if TYPE_CHECKING:
    from PIL.Image import Image

#: Where both are seen from, degrees from the feet's heading and above the level; how far from, in statures.
VIEW, DISTANCE = (55.0, 10.0), 2.9
EACH = 4


def draw(out: Path, retargeted: Path, networks: Path, *, size: tuple[int, int] = (120, 170)) -> None:
    """Pairs, recorded person and figure, four a row, a kind of posture a row."""
    cases = check.cases(retargeted, networks, EACH)
    found = [check.natural(case, case.goals()) for case in cases]
    panels = [_pair(case, each, size) for case, each in zip(cases, found, strict=True)]
    paper.save(paper.grid(panels, EACH, gap=4), out)
    for k, name in enumerate(CATEGORIES):
        off = [100.0 * c.off(each.pose) for c, each in zip(cases, found, strict=True) if c.category == k]
        print(f"{name}: {', '.join(f'{value:.1f}' for value in off)} cm off")


def _pair(case: check.Case, found: mk.Solution, size: tuple[int, int]) -> Image:
    """The recorded person in grey and the figure in wood, from the same place."""
    stature = float(case.figure.pose().position("vertex")[2])
    ahead = case.feet["left"][:3, 0] + case.feet["right"][:3, 0]
    turn = np.arctan2(ahead[1], ahead[0]) + np.radians(VIEW[0])
    rise = np.radians(VIEW[1])
    towards = np.array([np.cos(turn) * np.cos(rise), np.sin(turn) * np.cos(rise), np.sin(rise)])
    floor = min(case.feet[side][2, 3] for side in case.feet)
    middle = 0.5 * (case.feet["left"][:3, 3] + case.feet["right"][:3, 3])
    pelvis = case.joints["pelvis"]
    target = np.array([*(0.5 * (middle + pelvis))[:2], floor + 0.5 * stature])
    camera = Camera(target + DISTANCE * stature * towards, target)
    off = 100.0 * case.off(found.pose)
    options = {"size": size, "camera": camera, "ground": float(floor), "quality": "good"}
    panels = [
        picture(case.recorded, caption="recorded", **options).convert("L").convert("RGB"),
        picture(found, caption=f"natural, {off:.0f} cm off", **options),
    ]
    return paper.grid(panels, 2)

"""The body from all sides, and people of several sizes, in their skin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.figure.human import preset
from manikin.pictures import picture
from tools.sheets import paper

#: Where it is looked from, degrees from the front towards the left.
SIDES = tuple(45.0 * k for k in range(8))
#: Statures in metres and masses in kilograms, five of either sex: small and light to tall and heavy.
MEN = ((1.60, 55.0), (1.70, 80.0), (1.76, 86.0), (1.76, 115.0), (1.95, 95.0))
WOMEN = ((1.50, 45.0), (1.57, 68.0), (1.63, 68.0), (1.63, 95.0), (1.80, 72.0))
CHILDREN = (2.0, 4.0, 6.0, 10.0, 14.0)


def attitudes(body: mk.Figure) -> list[mk.Pose]:
    """Standing at ease; both hands high; both hands before the other side's chest."""
    stand = preset(body, "stand")
    feet = [mk.Pin("left_foot"), mk.Pin("right_foot")]
    shoulders = {side: stand.position(f"{side}_shoulder") for side in ("left", "right")}
    stature = float(body.pose().position("vertex")[2])

    def with_hands(left: Sequence[float], right: Sequence[float]) -> mk.Pose:
        """Hands so far from the shoulders of their sides, in statures."""
        goals = [
            mk.Position(f"{side}_hand", shoulders[side] + stature * np.array(way))
            for side, way in (("left", left), ("right", right))
        ]
        return mk.solve(stand, [*feet, *goals]).pose

    up = with_hands((0.04, 0.0, 0.37), (0.04, 0.0, 0.37))
    across = with_hands((0.17, -0.19, -0.04), (0.15, 0.19, -0.11))
    return [stand, up, across]


def draw_body(out: Path, *, size: tuple[int, int] = (150, 240)) -> None:
    """Eight views of each attitude, a row each."""
    panels = [
        picture(pose, size=size, view=(side, 8.0), look="skin", quality="good")
        for pose in attitudes(mk.human())
        for side in SIDES
    ]
    paper.save(paper.grid(panels, len(SIDES)), out)


def draw_people(out: Path, *, size: tuple[int, int] = (150, 250)) -> None:
    """Men, women and children of several statures and weights, all at one scale."""
    people = [
        mk.human(stature, mass, sex)
        for sex, sizes in (("male", MEN), ("female", WOMEN))
        for stature, mass in sizes
    ]
    captions = [f"{stature:.2f} m, {mass:.0f} kg" for stature, mass in (*MEN, *WOMEN)]
    people += [mk.human(age=age, sex="female" if k % 2 else "male") for k, age in enumerate(CHILDREN)]
    captions += [f"{'girl' if k % 2 else 'boy'}, {age:.0f} years" for k, age in enumerate(CHILDREN)]
    sheet = picture(
        [preset(person, "stand") for person in people],
        captions=captions,
        columns=5,
        size=size,
        view=(35.0, 8.0),
        look="skin",
        quality="good",
    )
    paper.save(sheet, out)

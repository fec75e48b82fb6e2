"""The sheets of people: what is drawn is what was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tools.sheets import bodies, paper, tasks

import manikin as mk

images = pytest.importorskip("PIL.Image")


def test_forty_eight_tasks_are_all_reached_naturally():
    body = mk.human(stature=1.75)
    problems = tasks.tasks()
    assert len(problems) == 48 and len({name for name, _ in problems}) == 48
    assert [name for name, goals in problems if not mk.solve(body, goals).reached] == []


def test_people_who_hold_a_box_at_the_chest_or_higher_stand_on_nearly_straight_legs():
    body = mk.human(stature=1.75)
    held = dict(tasks.tasks())
    for height in ("1.30", "1.60", "1.90"):
        values = mk.solve(body, held[f"box at {height} m"]).pose.values()
        assert max(np.degrees(values[f"{side}_knee"]) for side in ("left", "right")) < 10.0


def test_hands_are_high_and_across_where_the_sheet_of_the_body_says_so():
    body = mk.human(fingers=False)
    stand, up, across = bodies.attitudes(body)
    vertex = stand.position("vertex")[2]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        assert stand.position(f"{side}_hand")[2] < 0.55 * vertex
        assert up.position(f"{side}_hand")[2] > up.position("vertex")[2]
        assert sign * across.position(f"{side}_hand")[1] < 0.05
        assert not up.outside and not across.outside


def test_a_sheet_has_its_panels_in_rows_and_is_written_in_few_colours(tmp_path):
    panels = [images.new("RGB", (10, 20), color) for color in ("red", "green", "blue")]
    sheet = paper.grid(panels, 2, gap=1)
    assert sheet.size == (21, 41)
    assert sheet.getpixel((12, 3)) == (0, 128, 0) and sheet.getpixel((3, 30)) == (0, 0, 255)
    paper.save(sheet, tmp_path / "sheet.png")
    back = images.open(tmp_path / "sheet.png")
    assert back.mode == "P" and back.size == sheet.size
    assert np.abs(np.asarray(back.convert("RGB"), int) - np.asarray(sheet, int)).max() < 8

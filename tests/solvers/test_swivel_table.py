"""Swivel angles learned from poses."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import manikin as mk


def _smooth(x: np.ndarray) -> np.ndarray:
    return 2.8 + 0.9 * x[..., 0] - 0.5 * x[..., 1] + 0.4 * x[..., 2] ** 2


def test_a_table_gives_back_what_it_learned_over_the_seam_at_pi_too():
    rng = np.random.default_rng(70)
    x = rng.uniform(-0.5, 0.5, (2000, 3))
    table = mk.SwivelTable.fit(x, _smooth(x))
    inside = rng.uniform(-0.45, 0.45, (200, 3))
    error = np.array([table.swivel(p) for p in inside]) - _smooth(inside)
    error -= 2 * np.pi * np.round(error / (2 * np.pi))
    assert np.abs(error).max() < 0.02
    assert _smooth(inside).max() > np.pi > _smooth(inside).min()


def test_few_samples_and_none_nearby_still_give_an_angle():
    table = mk.SwivelTable.fit([[0.3, 0.0, 0.0]], [0.4])
    for point in ([0.3, 0.0, 0.0], [5.0, -3.0, 2.0]):
        assert table.swivel(point) == pytest.approx(0.4, abs=1e-3)


def test_a_table_survives_the_way_through_a_file(tmp_path):
    rng = np.random.default_rng(71)
    x = rng.uniform(-0.5, 0.5, (50, 3))
    table = mk.SwivelTable.fit(x, _smooth(x), size=3)
    table.save(tmp_path / "table.json")
    back = mk.SwivelTable.load(tmp_path / "table.json")
    assert np.array_equal(back.nodes, table.nodes)
    assert back.swivel(x[0]) == table.swivel(x[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "manikin swivel table 1"}',
        '{"format": "manikin swivel table 1", "low": [0,0,0], "high": [1,1,1], "nodes": [[1]]}',
        '{"format": "manikin swivel table 1", "low": [0,0,0], "high": [0,1,1], "nodes": []}',
        '{"format": "manikin swivel table 1", "low": [0,0,"x"], "high": [1,1,1], "nodes": []}',
        "[" * 100_000,
    ],
)
def test_another_text_is_refused(text):
    with pytest.raises(mk.FormatError, match="swivel table"):
        mk.SwivelTable.from_json(text)


def test_numbers_that_are_none_are_refused(tmp_path):
    rng = np.random.default_rng(72)
    x = rng.uniform(-0.5, 0.5, (50, 3))
    data = json.loads(mk.SwivelTable.fit(x, _smooth(x), size=2).to_json())
    data["nodes"][0][0][0][0] = float("nan")
    with pytest.raises(mk.FormatError, match="finite"):
        mk.SwivelTable.from_json(json.dumps(data))
    for points, swivels in ((x, [0.0]), (x[:0], []), (x * np.nan, np.zeros(50)), (x[:, :2], np.zeros(50))):
        with pytest.raises(mk.SolveError, match="swivel table"):
            mk.SwivelTable.fit(points, swivels)
    with pytest.raises(mk.FormatError, match="missing"):
        mk.SwivelTable.load(tmp_path / "missing.json")


def test_an_arm_learns_how_its_elbow_was_held_and_the_other_side_mirrors_it():
    arms = {side: mk.Arm(mk.human(girdle=False), side) for side in ("left", "right")}
    arm = arms["right"]
    rng = np.random.default_rng(73)
    rows, targets = [], []
    while len(rows) < 60:
        target = np.eye(4)
        target[:3, 3] = arm.pose(np.zeros(7)).position("right_shoulder")
        target[:3, 3] += rng.uniform([0.2, -0.2, -0.2], [0.4, 0.1, 0.1])
        found = arm.solve(target, prefer=-0.6)
        if len(found):
            rows.append(found[0])
            targets.append(target)
    table = arm.learn_swivels(targets, rows)
    errors = [abs(arm.preferred_swivel(t, table) - arm.swivel(q)) for t, q in zip(targets, rows, strict=True)]
    assert np.median(errors) < 0.1
    chosen = arm.solve(targets[0], prefer=table)
    assert len(chosen)
    mirrored = targets[0].copy()
    mirrored[1, 3] *= -1.0
    assert arms["left"].preferred_swivel(mirrored, table) == pytest.approx(
        -arm.preferred_swivel(targets[0], table), abs=1e-9
    )


def test_the_small_angle_is_away_from_the_body_on_both_sides():
    for side, sign in (("left", 1.0), ("right", -1.0)):
        arm = mk.Arm(mk.human(girdle=False), side)
        target = np.eye(4)
        target[:3, 3] = arm.pose(np.zeros(7)).position(f"{side}_shoulder")
        target[0, 3] += 0.35
        assert arm.preferred_swivel(target, "outward") == pytest.approx(0.2 * sign)
        for q in arm.solve(target, 0.2 * sign):
            pose = arm.pose(q)
            assert sign * (pose.position(f"{side}_elbow")[1] - pose.position(f"{side}_shoulder")[1]) > 0.0
    with pytest.raises(mk.SolveError, match="'outward', a SwivelTable or a number"):
        arm.solve(target, prefer="sideways")


def test_a_pipe_in_the_place_of_a_table_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "table.json")
    with pytest.raises(mk.FormatError, match="pipe"):
        mk.SwivelTable.load(tmp_path / "table.json")

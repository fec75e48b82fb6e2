"""Forty-eight everyday tasks, as goals: what the sheet of natural postures shows."""

from __future__ import annotations

import numpy as np

import manikin as mk


def tasks() -> list[tuple[str, list[mk.Goal]]]:
    """Names and goals of 48 tasks for a person of 1.75 m: reaching, lifting, low work, sitting, stepping, looking."""
    body = mk.human(stature=1.75)
    rest = body.pose()

    def feet(left=(0.0, 0.09), right=(0.0, -0.09), turn=(0.0, 0.0), lift=(0.0, 0.0)) -> list[mk.Goal]:
        goals: list[mk.Goal] = []
        for side, at, yaw, up in zip(("left", "right"), (left, right), turn, lift, strict=True):
            frame = rest.matrix(f"{side}_foot")
            c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
            turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
            goals.append(mk.Placement(f"{side}_foot", [at[0] + frame[0, 3], at[1], up], turned))
        return goals

    def hands(left=None, right=None) -> list[mk.Goal]:
        found = []
        for side, at in (("left", left), ("right", right)):
            if at is not None:
                found.append(mk.Position(f"{side}_hand", at))
        return found

    def box(x: float, z: float, half: float = 0.2, y: float = 0.0) -> list[mk.Goal]:
        return hands((x, y + half, z), (x, y - half, z))

    wide = feet((0.0, 0.16), (0.0, -0.16))
    stride = feet((0.25, 0.09), (-0.2, -0.09))
    plain = feet()
    found: list[tuple[str, list[mk.Goal]]] = []
    for z in (0.15, 0.35, 0.6, 0.85, 1.1, 1.35, 1.6, 1.85):
        found.append((f"right hand ahead, {z:.2f} m", [*plain, *hands(right=(0.5, -0.15, z))]))
    for z in (0.1, 0.25, 0.45, 0.7, 1.0, 1.3, 1.6, 1.9):
        found.append((f"box at {z:.2f} m", [*wide, *box(0.42, z)]))
    for y in (-0.8, -0.55, 0.3, 0.55):
        found.append((f"right hand to the side, {y:.2f}", [*plain, *hands(right=(0.25, y, 1.0))]))
    for x in (0.35, 0.55, 0.75, 0.95):
        found.append((f"both hands {x:.2f} m ahead", [*plain, *box(x, 1.05)]))
    for z in (0.05, 0.3, 0.8, 1.4):
        found.append((f"in a stride, hands at {z:.2f} m", [*stride, *box(0.45, z)]))
    for z, seat in ((0.75, 0.45), (0.75, 0.55), (1.2, 0.45), (0.5, 0.45)):
        goals = [*feet((0.35, 0.1), (0.35, -0.1)), *box(0.55, z), mk.Position("seat", [-0.05, 0.0, seat])]
        found.append((f"on a seat of {seat:.2f} m, hands at {z:.2f}", goals))
    for at in ((2.0, 0.0, 0.0), (2.0, 0.0, 2.5), (1.0, 1.6, 1.5), (0.5, 0.0, 0.6)):
        found.append((f"looking at {at}", [*plain, *hands(right=(0.4, -0.2, 1.1)), mk.Aim("eyes", at)]))
    for lift in (0.2, 0.35):
        goals = [*feet((0.3, 0.1), (0.0, -0.1), lift=(lift, 0.0)), *hands(right=(0.5, -0.25, 1.1))]
        found.append((f"a foot on a step of {lift:.2f} m", goals))
    for head in (0.9, 1.2, 1.45):
        found.append(
            (f"head at {head:.2f} m", [*wide, *box(0.45, 0.8), mk.Position("head", [0.25, 0.0, head])])
        )
    found.append(
        ("tying a shoe", [*feet((0.25, 0.1), (-0.1, -0.1)), *hands((0.36, 0.16, 0.1), (0.36, 0.04, 0.1))])
    )
    found.append(("turned feet", [*feet(turn=(60.0, 60.0)), *box(0.45, 1.0)]))
    found.append(("far reach", [*stride, *hands(right=(1.05, -0.2, 1.2))]))
    found.append(("behind", [*plain, *hands(right=(-0.45, -0.35, 1.0))]))
    found.append(("overhead", [*wide, *box(0.25, 2.1, 0.15)]))
    found.append(("pushing low", [*stride, *box(0.7, 0.9)]))
    found.append(("left hand on the right", [*plain, *hands(left=(0.35, -0.3, 1.15))]))
    return found[:48]

"""A full cup: walked to a table in four steps, it is level in all of them; only its heading is free."""

from math import atan2, degrees

import numpy as np
from gallery import show

import manikin as mk
from manikin.figure.human import preset

# A site for the cup in the right hand: x along the hand, z to the side of the thumb, which is up.
hand = mk.human(stature=1.75)
turn = np.eye(4)
turn[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
body = hand.with_site("cup", "right_hand", hand.sites["right_hand"].placement @ turn)

pose = preset(body, "stand")
place = np.array([1.45, -0.20, 1.10])
level = mk.Range("cup", turn_x=0.0, turn_y=0.0, hard=True)  # it turns about the vertical at most
walk = []
for step, (stands, swings) in enumerate([("left", "right"), ("right", "left")] * 2):
    forward = 0.25 * (step + 1)
    there = pose.matrix(f"{swings}_foot")
    there[0, 3] = forward
    at = place - [1.0 - forward, 0.0, 0.0] if step < 3 else place
    goals = [
        level,
        mk.Pin(f"{stands}_foot"),
        mk.Placement(f"{swings}_foot", there[:3, 3], there),
        mk.Position("cup", at),
        mk.Aim("eyes", at=place),
        mk.Balance(),
        mk.Discomfort(),  # of all poses that do this, the easiest on the joints
    ]
    result = mk.solve(pose, goals)
    pose = result.pose
    walk.append(result)
    x, y, z = pose.matrix("cup")[:3, 2]
    tilt = degrees(atan2(np.hypot(x, y), z))
    print(f"step {step + 1}: {result.status}, the cup {tilt:.1g}° from level, {result.seconds * 1e3:.0f} ms")
print(result.explain())

top = mk.Box(center=place - [0.0, 0.0, 0.08], size=[0.5, 0.7, 0.04])
leg = mk.Capsule(place - [0.0, 0.0, 0.1], [*place[:2], 0.0], 0.04)
show(walk, "11_full_cup.png", things=[top, leg], sites=["cup"], size=(400, 640), view=(-60, 10))

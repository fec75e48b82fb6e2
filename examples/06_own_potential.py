"""A goal of one's own: a function in Python says how far from met it is, and how that changes."""

import numpy as np
from gallery import show

import manikin as mk

CENTER = np.array([0.42, 0.0, 1.22])
RADIUS = 0.24


def palm_on_ball(position, axes):
    """0 where the site lies on the ball and its z axis, the back of the hand, points away from the middle.

    P = (d − R)² + (1 − z·u)/10, with d the distance from the middle and u the direction away from it.
    """
    d = np.linalg.norm(position - CENTER)
    u = (position - CENTER) / d
    z = axes[:, 2]
    value = (d - RADIUS) ** 2 + 0.1 * (1.0 - z @ u)
    by_position = 2.0 * (d - RADIUS) * u - 0.1 * (z - (z @ u) * u) / d
    by_axes = np.zeros((3, 3))
    by_axes[:, 2] = -0.1 * u
    return value, by_position, by_axes


# The ball is held to the pelvis, which a fixed base does not move, so that the picture shows it.
body = mk.human(stature=1.75, base="fixed")
ball = mk.Shape("sphere", RADIUS - 0.02, color=(0.80, 0.33, 0.28))
body = body.with_held("ball", "pelvis", shape=ball, placement=CENTER - body.pose().position("pelvis"))

ready = {"shoulder_abduction": 0.6, "shoulder_flexion": 0.5, "elbow": 1.2}
start = body.pose({f"{side}_{name}": value for side in ("left", "right") for name, value in ready.items()})
result = mk.solve(
    start,
    [
        mk.Potential("left_hand", palm_on_ball),
        mk.Potential("right_hand", palm_on_ball),
        mk.Aim("eyes", at=CENTER),
    ],
)
print(result)
print(result.explain())
for hand in ("left_hand", "right_hand"):
    distance = np.linalg.norm(result.pose.position(hand) - CENTER)
    print(f"{hand} is {1e6 * abs(distance - RADIUS):.2g} µm from the surface")
show([start, result], "06_own_potential.png", view=(-50, 10), captions=["ready", "palms on the ball"])

"""Over the shoulder: the feet are pinned, so the whole body turns to look at what is behind it."""

from math import atan2, degrees

import numpy as np
from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.70, sex="female")
standing = preset(body, "stand")
behind = [-2.0, -0.9, 1.3]

result = mk.solve(
    standing,
    [
        mk.Aim("eyes", at=behind),
        mk.Orientation("head", np.eye(3), axes=(0, 0, 1)),  # its z axis up: she does not tilt her head
        mk.Pin("left_foot"),  # a pin is hard: no answer moves the feet, however far the eyes have to turn
        mk.Pin("right_foot"),
        mk.Balance(),
    ],
)
print(result.explain())

for foot in ("left_foot", "right_foot"):
    moved = np.linalg.norm(result.pose.position(foot) - standing.position(foot))
    print(f"{foot} moved {moved:.1g} m")
print("\nTurned to the right, seen from above:")
for site in ("pelvis", "chest", "head", "eyes"):
    x, y, _ = result.pose.matrix(site)[:3, 0]
    print(f"  {degrees(atan2(-y, x)):4.0f}°  {site}")

show([standing, result], "12_over_the_shoulder.png", view=(-35, 12), captions=["at ease", "what was that?"])

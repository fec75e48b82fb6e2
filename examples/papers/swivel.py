"""Figure 2 of Tolani and Badler (1996): one place of the hand, and the elbow all along its circle within the ranges.

python examples/papers/swivel.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import draw

import manikin as mk

VALUES = np.array([0.7, 0.35, 0.2, 1.5, 0.3, 0.1, 0.0])


def main() -> None:
    body = mk.human(stature=1.75, girdle=False)
    arm = mk.Arm(body, "right")
    target = arm.pose(VALUES).matrix("right_hand")
    low, high = max(arm.swivel_intervals(target), key=lambda ends: ends[1] - ends[0])
    print(f"the ranges allow φ from {np.degrees(low):.0f}° to {np.degrees(high):.0f}°")
    poses, captions = [], []
    for share in (0.02, 0.35, 0.65, 0.98):
        phi = low + share * (high - low)
        poses.append(arm.pose(arm.solve(target, phi)[0]))
        captions.append(f"swivel {np.degrees(phi):.0f}°")
    for joint, value in zip(arm.joints, VALUES, strict=True):
        if joint != "right_elbow":
            found = arm.solve_fixed(target, joint, value)
            print(
                f"{joint} fixed: {len(found)} solutions, {np.abs(found - VALUES).max(axis=1).min():.0e} rad off"
            )
    nearest = arm.solve_position(target[:3, 3], near=np.zeros(7))
    print("by position only, nearest to zero:", np.round(nearest, 2))
    looked = arm.solve(arm.aimed(target[:3, 3], at=[2.0, -0.3, 1.2]), prefer="natural")
    print(f"x towards a point: {len(looked)} solutions")
    draw("swivel.png", poses, captions, view=(30.0, 8.0), ground=True)


if __name__ == "__main__":
    main()

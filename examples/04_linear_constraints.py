"""Linear constraints as text: a box is picked up any way, and with the knees bent and the back straight."""

from math import degrees

from gallery import show

import manikin as mk

body = mk.human(stature=1.75, spine="bend")
standing = body.pose()


def stay(site):
    now = standing.matrix(site)
    return mk.Placement(site, now[:3, 3], now, weight=10.0)


box = [
    mk.Position("left_hand", [0.45, 0.18, 0.40]),
    mk.Position("right_hand", [0.45, -0.18, 0.40]),
    mk.Aim("eyes", at=[0.8, 0.0, 0.2]),
    stay("left_foot"),
    stay("right_foot"),
]
rules = [
    "left_knee = right_knee",
    "left_hip_flexion = right_hip_flexion",
    "left_knee >= left_hip_flexion",
    "left_knee >= 1.2",  # radians
    "-0.1 <= spine_flexion <= 0.1",
]
anyhow = mk.solve(standing, box)
lifting = mk.solve(standing, box, constraints=rules)

for name, found in (("any way", anyhow), ("by the rules", lifting)):
    values = found.pose.values()
    angles = ("left_knee", "right_knee", "left_hip_flexion", "spine_flexion")
    print(f"{name}: {found.status}")
    print("  " + ", ".join(f"{joint} {degrees(values[joint]):.1f}°" for joint in angles))

# Rules that contradict each other are named.
never = mk.solve(standing, box, constraints=[*rules, "left_knee >= right_knee + 1"])
print(f"\n{never.status}: {never.explain()}")

show([anyhow, lifting], "04_linear_constraints.png", view=(-65, 10), captions=["any way", "by the rules"])

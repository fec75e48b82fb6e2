"""A first pose: a person reaches for a cup and looks at it, and the feet stay where they are."""

from math import degrees

from gallery import show

import manikin as mk

body = mk.human(stature=1.75)
standing = body.pose()
cup = [0.62, 0.05, 0.95]


def stay(site):
    """The site where it is, turned as it is."""
    now = standing.matrix(site)
    return mk.Placement(site, position=now[:3, 3], orientation=now, weight=10.0)


goals = [
    mk.Position("right_hand", cup),
    mk.Aim("eyes", at=cup),
    stay("left_foot"),
    stay("right_foot"),
]
result = mk.solve(standing, goals)

print(result)
print(result.explain())

values = result.pose.values()
print("\nWhat turned most:")
for name in sorted(values, key=lambda name: -abs(values[name]))[:5]:
    print(f"  {degrees(values[name]):6.1f}°  {body.dof(name).description}")

show([standing, result], "01_first_pose.png", goals=goals, captions=["at rest", "reaching for the cup"])

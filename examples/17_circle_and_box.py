"""Korein and Badler's two examples of 1981: a fingertip anywhere on a circle, and a fingertip anywhere in a box.

Their circle lies across z, x² + y² = kr and z = kz; their box is six inequalities. Both leave the arm freedom, and it
stops where it comes first.
"""

import numpy as np
from gallery import show

import manikin as mk

body = mk.human(stature=1.75)
arm = ["right_clavicle*", "right_shoulder*", "right_elbow", "right_forearm*", "right_wrist*"]
tip = "right_fingertip"

circle = mk.Circle(center=[0.45, -0.25, 1.10], normal=[0, 0, 1], radius=0.15)
box = mk.Box(lower=[0.30, -0.45, 1.20], upper=[0.60, -0.15, 1.45])

found = []
for region in (circle, box):
    result = mk.solve(body, [mk.Inside(tip, region)], free=arm)
    found.append(result)
    place = result.pose.position(tip).round(3)
    print(
        f"{result.explain()}\n  at {place}; {result.degree_of_redundancy()} degrees of freedom are left over"
    )

# All around the circle: a second goal asks for a direction, the circle comes first.
problem = mk.Problem(found[0].pose, [[mk.Inside(tip, circle)], [mk.Position(tip, circle.center)]], free=arm)
worst = 0.0
for turn in np.linspace(0.0, 2.0 * np.pi, 60):
    outside = circle.center + [np.cos(turn), np.sin(turn), 0.3]
    place = problem.solve(targets=[None, outside]).pose.position(tip)
    worst = max(worst, circle.distance(place))
print(f"Drawn around by a point far outside, it leaves the circle by {worst:.1g} m at most.")

show(found, "17_circle_and_box.png", view=(-60, 20), captions=["on a circle", "in a box"])

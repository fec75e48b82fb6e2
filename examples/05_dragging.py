"""Dragging: a problem is prepared once; a session follows a moving target, each solve from the end of the last."""

from statistics import median

import numpy as np
from gallery import show

import manikin as mk

STEPS = 400

body = mk.human(stature=1.75)
standing = body.pose()
goals = [mk.Position("left_hand", [0.4, 0.3, 1.2]), mk.Aim("eyes", at=[0.4, 0.3, 1.2])]
for foot in ("left_foot", "right_foot"):
    now = standing.matrix(foot)
    goals.append(mk.Placement(foot, now[:3, 3], now, weight=10.0))

problem = mk.Problem(standing, goals)
print(f"{len(problem.variables)} of {body.n} degrees of freedom are solved for")

session = problem.session()
session.solve()
taken, worst, moments = [], 0.0, []
for step, turn in enumerate(np.linspace(0.0, 2.0 * np.pi, STEPS, endpoint=False)):
    hand = [0.45, 0.25 + 0.45 * np.sin(turn), 1.15 + 0.6 * np.cos(turn)]
    found = session.solve([hand, hand, None, None])  # from the pose before: little changes, so it is quick
    taken.append(found.seconds)
    worst = max(worst, found.position_errors.max())
    if step % (STEPS // 4) == 0:
        moments.append(found)

print(f"{STEPS} places, every goal met within {worst:.1g} m or rad")
print(f"{1e6 * median(taken):.0f} µs a solve, the slowest {1e6 * max(taken[1:]):.0f} µs")

show(moments, "05_dragging.png", size=(480, 640), view=(40, 10))

"""Example 7.4: joint 6 limited to (−π, 0), the others to (−π, π), by damped least squares inside the limits.

python examples/papers/limited_joint.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import draw

import manikin as mk
from manikin.papers.chains import branched_chain

START = (0.6, 0.4, 0.3, 0.5, 0.4, -0.1, -0.7, -0.4, -0.3)


def main() -> None:
    panels = []
    for upper in (np.pi, 0.0):
        limits = [np.pi] * 9
        limits[5] = upper
        chain = branched_chain(rest=START, lower=[-np.pi] * 9, upper=limits)
        start = chain.pose()
        goals = [
            mk.Position("P6", start.position("P6") + np.array([0.0, -2.0, 0.0])),
            mk.Position("P9", start.position("P9")),
        ]
        solution = mk.solve(chain, goals, method="bounded", options={"damping": 0.25})
        highest = solution.details["trajectory"][:, 5].max()
        print(
            f"θ6 up to {upper:.2f}: {solution.status}, θ6 ends at {solution.q[5]:.3f}, highest {highest:.3f}"
        )
        panels.append(solution)
    draw("limited-joint.png", [start, *panels], ["start", "θ6 to π", "θ6 to 0"])


if __name__ == "__main__":
    main()

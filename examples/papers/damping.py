"""Example 7.3: damping 0.1, 0.25, 1.5 and 10 where the chain is drawn past the end of its reach.

python examples/papers/damping.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import draw

import manikin as mk
from manikin.papers.chains import branched_chain
from manikin.papers.inverse import damping_curve

START = (1.2, -0.3, 0.3, -0.5, -0.4, -0.3, 0.7, 0.4, 0.3)
DAMPINGS = (0.1, 0.25, 1.5, 10.0)


def main() -> None:
    chain = branched_chain(rest=START)
    start = chain.pose()
    goals = [mk.Position("P6", [5.8, 2.5, 0.0]), mk.Position("P9", start.position("P9"))]
    problem = mk.Problem(chain, goals)
    panels = []
    print("damping  largest step  miss of P6  condition")
    for damping in (*DAMPINGS, "adaptive"):
        options = {"damping": damping, "intermediate": 40, "iterations": 0, "threshold": 1.0, "largest": 1.5}
        solution = problem.solve(method="damped", options=options)
        steps = np.abs(np.diff(np.vstack([START, solution.details["trajectory"]]), axis=0))
        worst = solution.details["condition"].max()
        print(f"{damping!s:>8}  {steps.max():9.3f} rad  {solution.position_errors[0]:8.3f} m  {worst:9.2g}")
        panels.append(solution)
    J = np.vstack([start.jacobian(goal.site)[:2] for goal in goals])
    dX = np.concatenate([(goal.target - start.position(goal.site))[:2] for goal in goals])
    curve = damping_curve(J, dX, DAMPINGS)
    print(
        "at the start, condition:", np.round(curve.condition, 2), "residual, m:", np.round(curve.residual, 3)
    )
    draw("damping.png", panels, [f"damping {damping}" for damping in (*DAMPINGS, "adaptive")], columns=5)


if __name__ == "__main__":
    main()

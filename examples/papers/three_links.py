"""Example 3.1: a chain of three links by nonlinear programming, along intermediate targets.

python examples/papers/three_links.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import along, draw

import manikin as mk
from manikin.papers import constrainedness
from manikin.papers.chains import planar_chain


def main() -> None:
    chain = planar_chain([1.0, 1.0, 1.0], lower=[-np.pi] * 3, upper=[np.pi] * 3, rest=[0.3, 0.4, 0.3])
    problem = mk.Problem(chain, [mk.Position("P3", [-0.6, 1.7, 0.0])])
    print(constrainedness(problem))
    for spacing in ("even", "smooth"):
        solution = problem.solve(method="lbfgsb", options={"intermediate": 8, "spacing": spacing})
        print(f"{spacing}: {solution}")
        trajectory = solution.details["trajectory"]
        steps = np.abs(np.diff(np.vstack([problem.q0, trajectory]), axis=0)).max(axis=1)
        print("  largest joint step to each target, rad:", np.round(steps, 3))
    panels = [mk.Pose(problem.figure, problem.q0), *along(solution)[:-1], solution]
    draw("three-links.png", panels, ["start", "a third", "two thirds", solution.status])


if __name__ == "__main__":
    main()

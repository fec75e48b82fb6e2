"""The planar chain of Korein and Badler (1981): how much a goal leaves open, and what each method makes of it.

python examples/papers/planar_chain.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import draw

import manikin as mk
from manikin.papers import constrainedness
from manikin.papers.chains import planar_chain

METHODS = ("newton", "resolved_rate", "lagrange", "penalty", "slack", "ccd", "fabrik")


def main() -> None:
    chain = planar_chain([1.0, 0.8, 0.6], lower=[-2.5] * 3, upper=[2.5, 2.5, 0.9], rest=[0.4, 0.5, 0.4])
    start = chain.pose()
    there = chain.pose([1.3, 0.7, 0.6])
    goals = {
        "one link, a point": mk.Position("P1", start.position("P1")),
        "two links, a point (eqs. 13-16)": mk.Position("P2", there.position("P2")),
        "three links, a point (20, 21)": mk.Position("P3", there.position("P3")),
        "with the last link's direction (17)": mk.Placement(
            "P3", there.position("P3"), there.matrix("P3")[:3, :3]
        ),
    }
    for words, goal in goals.items():
        print(f"{words}: {constrainedness(mk.Problem(chain, [goal]))}")
    problem = mk.Problem(chain, [mk.Position("P3", [-0.9, 0.9, 0.0])])
    panels: list[mk.Pose | mk.Solution] = [start]
    for method in METHODS:
        solution = problem.solve(method=method)
        moved = np.linalg.norm(solution.q - start.q)
        print(
            f"{method:>14}: {solution.status}, {solution.iterations} iterations, joints moved {moved:.3f} rad"
        )
        panels.append(solution)
    print("resolved rate and Newton know no limits; where they leave one, the last pose inside is taken")
    draw("planar-chain.png", panels, ["start", *METHODS], columns=4, size=(260, 260))


if __name__ == "__main__":
    main()

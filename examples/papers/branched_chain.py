"""Example 5.7 and section 6: a branched chain with two, three and four end effectors, by recursion over null spaces.

python examples/papers/branched_chain.py [FOLDER]
"""

from __future__ import annotations

import numpy as np
from draw import draw

import manikin as mk
from manikin.papers import constrainedness
from manikin.papers.chains import branched_chain

START = (1.2, -0.3, 0.3, -0.5, -0.4, -0.3, 0.7, 0.4, 0.3)
# The tips of the chain and of its branch; a middle joint; joint 2, to P₂ + (0, −1).
MOVES = {"P6": (0.3, -3.5), "P9": (1.3, -0.9), "P4": (0.7, -2.1), "P2": (0.0, -1.0)}


def main() -> None:
    chain = branched_chain(rest=START)
    start = chain.pose()
    panels: list[mk.Pose | mk.Solution] = [start]
    captions = ["start"]
    for count in (2, 3, 4):
        goals = [
            mk.Position(site, start.position(site) + np.array([*MOVES[site], 0.0]))
            for site in list(MOVES)[:count]
        ]
        problem = mk.Problem(chain, goals)
        solution = problem.solve(method="recursive")
        stacked = problem.solve(method="pseudoinverse")
        print(constrainedness(problem))
        print(f"  {solution}")
        print(f"  from the stacked pseudo-inverse by {np.abs(solution.q - stacked.q).max():.1e} rad")
        panels.append(solution)
        captions.append(f"{count} end effectors")
    draw("branched-chain.png", panels, captions)


if __name__ == "__main__":
    main()

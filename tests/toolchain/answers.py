"""Many problems solved, all answers into a file: run by the library's kernels and by single entries, to be compared.

python -m tests.toolchain.answers OUT.npz COUNT
"""

from __future__ import annotations

import sys

import numpy as np

import manikin as mk
from manikin.kernels import jit


def arm(joints: int) -> mk.Figure:
    """A chain of hinges with limits, about a metre long."""
    axes = "zyzyzyz"
    links = [
        mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", f"R({axes[k]})", placement=(0.02, 0.0, 0.16), lower=-2.4, upper=2.4
        )
        for k in range(joints)
    ]
    return mk.Figure(
        "arm", [f"s{k}" for k in range(joints + 1)], links, [mk.Site("tip", f"s{joints}", (0, 0, 0.1))]
    )


def placements(figure: mk.Figure, count: int, rng: np.random.Generator, near: float):
    """Poses to be found again, from near starts."""
    for _ in range(count):
        q = rng.uniform(0.9 * figure.lower, 0.9 * figure.upper)
        place = mk.Pose(figure, q).matrix("tip")
        start = np.clip(q + rng.uniform(-near, near, len(q)), figure.lower, figure.upper)
        yield mk.solve(mk.Pose(figure, start), [mk.Placement("tip", place[:3, 3], place[:3, :3])])


def people(count: int, rng: np.random.Generator):
    """A hand and the gaze, then with pinned feet and balance."""
    body = mk.human()
    feet = [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance(margin=0.02)]
    for k in range(count):
        target = rng.uniform([0.2, -0.6, 0.6], [0.6, 0.2, 1.6])
        goals = [mk.Position("right_hand", target), mk.Aim("eyes", at=target)]
        yield mk.solve(body, goals + (feet if k % 2 else []))


def row(solution: mk.Solution, width: int) -> np.ndarray:
    """Pose, whether it is reached, iterations, status."""
    out = np.zeros(width)
    out[: len(solution.q)] = solution.q
    status = float(sum(map(ord, solution.status)))
    out[-3:] = solution.reached, solution.iterations, status
    return out


def answers(count: int) -> dict[str, np.ndarray]:
    """All answers by kind of problem: seven tenths arms, the rest people."""
    rng = np.random.default_rng(17)
    found = {
        "six joints": [row(s, 9) for s in placements(arm(6), count * 3 // 10, rng, 0.4)],
        "seven joints": [row(s, 10) for s in placements(arm(7), count * 4 // 10, rng, 0.4)],
        "people": [row(s, mk.human().n + 3) for s in people(count * 3 // 10, rng)],
    }
    return {name: np.array(rows) for name, rows in found.items()}


if __name__ == "__main__":
    np.savez(sys.argv[1], **answers(int(sys.argv[2])))
    print("single entries" if jit.PREBUILT is None else f"library {jit.PREBUILT.LEVEL}")

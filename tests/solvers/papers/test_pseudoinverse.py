from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.papers.inverse import is_general_inverse, pseudo_inverse

from ..samples import check
from .samples import branched, three_links


def test_the_homogeneous_term_moves_the_joints_and_keeps_the_target():
    problem = three_links()
    plain = check(problem.solve(method="pseudoinverse"))
    for Z in (np.array([0.0, 1.0, 0.0]), lambda q: np.array([0.0, 1.0, 0.0])):
        moved = check(problem.solve(method="pseudoinverse", options={"Z": Z}))
        assert plain.reached and moved.reached
        assert moved.q[1] > plain.q[1] + 0.05


def test_a_term_towards_a_posture_brings_the_chain_nearer_to_it():
    problem = branched(2)
    liked = np.zeros(9)
    plain = problem.solve(method="pseudoinverse")
    led = check(problem.solve(method="pseudoinverse", options={"Z": lambda q: liked - q, "intermediate": 40}))
    assert led.reached
    assert np.linalg.norm(led.q - liked) < np.linalg.norm(plain.q - liked)


def weighted(J: np.ndarray) -> np.ndarray:
    """The generalized inverse W⁻¹Jᵀ(J W⁻¹ Jᵀ)⁺ that spares the first joint."""
    inverse = np.diag([0.01, 1.0, 1.0])
    return inverse @ J.T @ pseudo_inverse(J @ inverse @ J.T)


def test_general_inverses_take_the_place_of_the_pseudo_inverse():
    problem = three_links()
    J = mk.Pose(problem.figure, problem.q0).jacobian("P3")[:3]
    assert is_general_inverse(weighted(J), J)
    plain = problem.solve(method="pseudoinverse")
    spared = check(problem.solve(method="pseudoinverse", options={"G1": weighted, "G2": weighted}))
    assert spared.reached
    assert abs(spared.q[0] - 0.6) < 0.5 * abs(plain.q[0] - 0.6)

"""`mk.Arm` beside the formulas of Tolani and Badler (1996), equation by equation, on the arm of their figure 1."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk

from . import tolani_badler as paper


def random_angles(rng: np.random.Generator) -> np.ndarray:
    """Seven angles away from the singular cases of section 3.2."""
    while True:
        theta = rng.uniform(-np.pi, np.pi, 7)
        if min(np.abs(np.sin(theta[[1, 3]])).min(), abs(np.cos(theta[5]))) > 0.05:
            return theta


def alike(one: np.ndarray, other: np.ndarray) -> float:
    """The greatest difference of two rows of angles, whole turns aside."""
    return float(np.abs((one - other + np.pi) % (2.0 * np.pi) - np.pi).max())


def same(rows: np.ndarray, others: list[np.ndarray]) -> bool:
    """Whether two sets of solutions are the same."""
    distinct: list[np.ndarray] = []
    for row in others:
        if all(alike(row, seen) > 1e-6 for seen in distinct):
            distinct.append(row)
    return len(rows) == len(distinct) and all(
        min(alike(row, other) for other in distinct) < 1e-9 for row in rows
    )


@pytest.fixture(scope="module")
def arm() -> mk.Arm:
    return mk.Arm(paper.figure(), ("t1", "t4", "t7"), site="wrist")


def test_the_figure_is_the_product_of_section_2(arm):
    rng = np.random.default_rng(0)
    for _ in range(20):
        theta = random_angles(rng)
        np.testing.assert_allclose(arm.pose(theta).matrix("wrist"), paper.product(theta), atol=1e-14)


def test_every_formula_of_the_paper_satisfies_equation_1():
    rng = np.random.default_rng(1)
    for _ in range(50):
        theta = random_angles(rng)
        g = paper.product(theta)
        rows = list(paper.scheme_one(g, rng.uniform(-np.pi, np.pi)))
        assert len(rows) == 8
        for joint in (1, 2, 3, 5, 6, 7):
            found = list(paper.fixed(g, joint, theta[joint - 1]))
            assert len(found) in (4, 8) and min(alike(theta, row) for row in found) < 1e-9
            rows += found
        for row in rows:
            np.testing.assert_allclose(paper.product(row), g, atol=1e-11)


def test_scheme_one_finds_the_papers_solutions_at_a_swivel_angle(arm):
    rng = np.random.default_rng(2)
    for _ in range(100):
        g = paper.product(random_angles(rng))
        phi = rng.uniform(-np.pi, np.pi)
        assert same(arm.solve(g, phi), list(paper.scheme_one(g, phi)))


@pytest.mark.parametrize("joint", [1, 2, 3, 5, 6, 7])
def test_each_of_the_six_cases_finds_the_papers_solutions(arm, joint):
    rng = np.random.default_rng(joint)
    for _ in range(100):
        theta = random_angles(rng)
        g = paper.product(theta)
        rows = arm.solve_fixed(g, f"t{joint}", theta[joint - 1])
        assert same(rows, list(paper.fixed(g, joint, theta[joint - 1])))
        assert len(rows) <= 8  # four for one sign of the elbow

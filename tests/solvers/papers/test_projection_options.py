"""What the report's method may be told: the formula of the metric, δ₁ and δ₂ of the line search."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.cli.robot import arm

from ..samples import check, random_pose


def problems(count: int, **more) -> list[mk.Problem]:
    """Placements that the arm can reach, at random."""
    figure, rng = arm(), np.random.default_rng(3)
    found = []
    for _ in range(count):
        there = random_pose(figure, rng).matrix("tool")
        found.append(mk.Problem(figure, [mk.Placement("tool", there[:3, 3], there[:3, :3])], **more))
    return found


def same(one: mk.Solution, other: mk.Solution) -> bool:
    return (
        np.array_equal(one.q, other.q)
        and one.iterations == other.iterations
        and one.evaluations == other.evaluations
    )


def test_the_defaults_said_aloud_change_nothing():
    for problem in problems(6):
        plain = problem.solve(method="projection")
        for options in ({"update": "bfgs"}, {"delta_1": 1e-4, "delta_2": 0.5}, {}):
            assert same(plain, problem.solve(method="projection", options=options))


def test_options_last_for_one_solve_only():
    for problem in problems(4):
        plain = problem.solve(method="projection")
        problem.solve(method="projection", options={"update": "dfp", "delta_2": 0.9})
        assert same(plain, problem.solve(method="projection"))


@pytest.mark.parametrize("update", ["bfgs", "dfp", "bfgs_only"])
def test_every_formula_ends_where_nothing_improves(update):
    for problem in problems(8):
        solution = check(problem.solve(method="projection", options={"update": update}))
        assert solution.status in ("reached", "stationary")


def test_the_formulas_go_different_ways_and_bfgs_needs_fewer_steps():
    steps = {
        update: [p.solve(method="projection", options={"update": update}).iterations for p in problems(30)]
        for update in ("bfgs", "dfp", "bfgs_only")
    }
    assert steps["bfgs"] != steps["dfp"] and steps["bfgs"] != steps["bfgs_only"]
    assert np.mean(steps["bfgs"]) < np.mean(steps["dfp"])


def test_a_strict_search_takes_more_evaluations_a_step():
    shares = []
    for delta_2 in (0.01, 0.9):
        found = [p.solve(method="projection", options={"delta_2": delta_2}) for p in problems(20)]
        shares.append(sum(s.evaluations for s in found) / sum(s.iterations for s in found))
    assert shares[0] > shares[1]


def test_a_few_iterations_stop_the_search_early():
    (problem,) = problems(1)
    solution = check(problem.solve(method="projection", options={"iterations": 2}))
    assert solution.iterations == 2 and solution.status == "iteration_limit"


def test_options_reach_problems_with_ties_and_with_potentials_in_python():
    asked = problems(3, constraints=["waist = 0.5*shoulder"])
    goal = mk.Potential("tool", lambda r, axes: (float((r @ r) ** 2), 4.0 * (r @ r) * r, np.zeros((3, 3))))
    asked.append(mk.Problem(arm(), [goal]))
    for problem in asked:
        usual = check(problem.solve(method="projection"), problem.couplings)
        other = check(problem.solve(method="projection", options={"update": "dfp"}), problem.couplings)
        assert not np.array_equal(usual.q, other.q)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": 1.0}, "has no option 'speed'; expected one of: update, delta_1, delta_2, iterations"),
        ({"update": "sr1"}, "unknown update 'sr1'; expected one of: bfgs, bfgs_only, dfp"),
        ({"update": ["bfgs"]}, "unknown update"),
        ({"delta_1": 0.6, "delta_2": 0.7}, "delta_1 must be below delta_2 and below 0.5"),
        ({"delta_1": 0.3, "delta_2": 0.2}, "delta_1 must be below delta_2"),
        ({"delta_2": 1.0}, "delta_2 must be a number between 0 and 1, got 1.0"),
        ({"delta_1": "small"}, "delta_1 must be a number between 0 and 1"),
        ({"iterations": 0}, "iterations must be a whole number above zero"),
        ([0.1], "options must map names to values"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_words(options, words):
    (problem,) = problems(1)
    with pytest.raises(mk.SolveError, match=words):
        problem.solve(method="projection", options=options)

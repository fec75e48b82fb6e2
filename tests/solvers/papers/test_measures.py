"""Every row that a goal of the papers asks for: derivatives against differences, misses against the judge's."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Pose
from manikin.kernels.verify.check import judge
from manikin.papers.projection.potential import Total
from manikin.papers.regions import distance
from manikin.papers.view import View

from .kinds import ARM, KINDS, problems


def view_of(kind: str, seed: int) -> tuple[View, np.ndarray]:
    problem, options = problems(seed)[kind]
    given = options.get("constraints")
    view = View(problem, np.array(problem.q0), "m", constraints=() if given is None else (given,))
    return view, view.start + np.random.default_rng(seed).uniform(-0.2, 0.2, len(view.start))


def differences(f, x: np.ndarray, h: float) -> np.ndarray:
    steps = h * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / (2.0 * h) for step in steps]).T


# Of a whole orientation methods step by the angular velocity: that of the rotation vector near the target only.
WHOLE = ("orientation (11)", "position and orientation (14)", "relative to another part")


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in WHOLE])
@pytest.mark.parametrize("seed", range(3))
def test_the_slopes_of_rows_are_those_of_their_values(kind, seed):
    view, x = view_of(kind, seed)
    found = differences(lambda x: view.values(x)[0], x, 1e-6)
    np.testing.assert_allclose(view.values(x)[1], found, atol=2e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_and_second_derivatives_of_the_potential_are_right(kind, seed):
    view, x = view_of(kind, seed)
    total = Total(view)
    gradient = total(x)[1]
    scale = 1.0 + np.abs(gradient).max()
    np.testing.assert_allclose(gradient, differences(lambda x: total(x)[0], x, 1e-6), atol=1e-7 * scale)
    curved = differences(lambda x: total(x)[1], x, 1e-6)
    np.testing.assert_allclose(total.hessian(x), curved, atol=1e-6 * (1.0 + np.abs(curved).max()))


@pytest.mark.parametrize("kind", [k for k in KINDS if "any " not in k])
@pytest.mark.parametrize("seed", range(3))
def test_misses_are_those_that_the_judge_finds(kind, seed):
    problem, _ = problems(seed)[kind]
    view, x = view_of(kind, seed)
    pose = Pose(ARM, np.clip(view.full(x), ARM.lower, ARM.upper))
    judged = problem.spec.judge.twin()
    out = np.zeros(len(judged.atoms) + 2)
    judge(*judged.arrays, pose.q, problem.q0.copy(), out, 0)
    first = [atom.goal >= 0 and atom.alternative == 0 for atom in judged.atoms]
    found = [part.miss(pose) for part in view.asked]
    np.testing.assert_allclose(found, out[:-2][first], atol=1e-12)


@pytest.mark.parametrize(
    "piece",
    [
        mk.HalfSpace([0.1, 0.2, 0.3], [0.3, -0.4, 0.8]),
        mk.Ball([0.1, 0.2, 0.3], 0.4),
        mk.Box(center=[0.1, 0.2, 0.3], size=[0.5, 0.9, 0.3]),
        mk.Capsule([0.1, 0.2, 0.3], [0.5, -0.2, 0.4], 0.2),
        mk.Circle([0.1, 0.2, 0.3], [0.3, -0.4, 0.8], 0.4),
    ],
)
def test_distances_to_pieces_and_their_gradients(piece):
    rng = np.random.default_rng(7)
    for x in rng.uniform(-1.0, 1.0, (50, 3)):
        value, gradient = distance(piece.numbers(), x)
        assert value == pytest.approx(piece.distance(x), abs=1e-12)
        np.testing.assert_allclose(gradient, differences(piece.distance, x, 1e-6), atol=1e-6)

"""The synthetic figures are the prototypes', and their problems are what they say."""

import numpy as np
import pytest
from benchmarks.figures import FIGURES, chain
from benchmarks.problems import OUTWARDS, random_problem
from benchmarks.prototypes import prototype_figures, twin_targets, worst_difference
from benchmarks.recheck import reached

ALL = [*FIGURES.values(), lambda: chain(60)]
SIZES = {"arm7": 7, "tree16": 16, "torso31": 31, "human120": 120, "chain60": 60}


@pytest.mark.parametrize("make", ALL)
def test_size_is_in_the_name(make):
    body = make()
    assert body.n == SIZES[body.name]
    assert (body.figure.lower < body.figure.upper).all()


@pytest.mark.parametrize("make", ALL)
def test_forward_kinematics_and_limits_are_the_prototypes(make):
    others = prototype_figures()
    if others.figures is None:
        pytest.skip(others.reasons[0])
    body = make()
    twin = others.twin(body)
    assert worst_difference(body, twin, others.figures) < 1e-12
    assert np.array_equal(body.figure.lower, twin.lo) and np.array_equal(body.figure.upper, twin.hi)
    q = random_problem(body, 3, reachable=True).pose
    assert np.allclose(twin_targets(body, body.frames(q)), others.figures.targets(twin, q), atol=1e-12)


@pytest.mark.parametrize("make", ALL)
def test_reachable_targets_are_met_by_the_pose_they_come_from(make):
    body = make()
    drawn = random_problem(body, 5, reachable=True)
    assert reached(body, drawn.pose, drawn.targets)
    assert not reached(body, drawn.start, drawn.targets)


def test_a_pose_outside_its_limits_does_not_count_as_reached():
    body = chain(7)
    q = body.figure.upper + 0.1
    assert not reached(body, q, body.frames(q))


def test_out_of_reach_targets_lie_further_out():
    body = FIGURES["torso31"]()
    near = random_problem(body, 2, reachable=True).targets[:, :3, 3] - body.center
    far = random_problem(body, 2, reachable=False).targets[:, :3, 3] - body.center
    assert np.allclose(far, OUTWARDS * near)
    target = random_problem(chain(16), 0, reachable=False).targets[0, :3, 3]
    assert np.linalg.norm(target) > 1.05


def test_the_same_seed_draws_the_same_problem():
    body = FIGURES["tree16"]()
    first, second = (random_problem(body, 11, reachable=True) for _ in range(2))
    assert np.array_equal(first.targets, second.targets) and np.array_equal(first.start, second.start)

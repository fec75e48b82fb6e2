"""`solve_many` against forward kinematics, against `Problem.solve`, and against itself in other company."""

from __future__ import annotations

import numpy as np
import pytest
from tests.solvers.samples import robot

import manikin as mk
from manikin.figure import Figure, Joint, Segment, Site

TIP = "panda_hand_tcp"


def poses(count: int, seed: int = 0) -> tuple[Figure, np.ndarray, np.ndarray]:
    """A Panda, its frames at random poses, and random starts."""
    figure = robot("panda")
    rng = np.random.default_rng(seed)
    low, high = figure.lower, figure.upper
    frames = figure.forward(rng.uniform(low, high, (count, figure.n)), [TIP])[:, 0]
    return figure, frames, rng.uniform(low, high, (count, figure.n))


def arm(*lengths: float, limit: float = 2.5) -> Figure:
    """A chain of hinges about y, x, y … with these lengths between them."""
    names = ["base", *(f"link{k}" for k in range(len(lengths)))]
    axes = [(0, 1, 0), (1, 0, 0)]
    joints = [
        Joint.revolute(
            f"j{k}",
            names[k],
            names[k + 1],
            axes[k % 2],
            placement=(0, 0, 0 if k == 0 else lengths[k - 1]),
            lower=-limit,
            upper=limit,
        )
        for k in range(len(lengths))
    ]
    tip = Site("tip", names[-1], (0, 0, lengths[-1]))
    return Figure("arm", [Segment(name, mass=1.0) for name in names], joints, [tip])


def placement() -> mk.Placement:
    return mk.Placement(TIP, [0.4, 0.0, 0.4], np.eye(3))


def test_poses_are_reached_inside_the_limits_as_forward_kinematics_says():
    figure, frames, starts = poses(400)
    found = mk.solve_many(figure, [placement()], q0=starts, targets=frames)
    assert found.reached.all()
    there = figure.forward(found.q, [TIP])[:, 0]
    assert np.linalg.norm(there[:, :3, 3] - frames[:, :3, 3], axis=1).max() <= 1e-4
    turn = np.einsum("kij,kij->k", there[:, :3, :3], frames[:, :3, :3])
    assert np.arccos(np.clip(0.5 * (turn - 1.0), -1.0, 1.0)).max() <= 1e-3
    assert (found.q >= figure.lower).all() and (found.q <= figure.upper).all()
    away = np.linalg.norm(there[:, :3, 3] - frames[:, :3, 3], axis=1)
    assert np.abs(found.position_errors[:, 0] - away).max() <= 1e-12


def test_an_answer_depends_neither_on_threads_nor_on_company_nor_on_order():
    figure, frames, starts = poses(600)
    frames[::7, :3, 3] *= 3.0  # some are out of reach
    all_of = mk.solve_many(figure, [placement()], q0=starts, targets=frames, multistart=False, threads=1)
    threaded = mk.solve_many(figure, [placement()], q0=starts, targets=frames, multistart=False, threads=3)
    order = np.random.default_rng(5).permutation(600)
    mixed = mk.solve_many(
        figure, [placement()], q0=starts[order], targets=frames[order], multistart=False, threads=2
    )
    some = mk.solve_many(figure, [placement()], q0=starts[100:130], targets=frames[100:130], multistart=False)
    assert np.array_equal(all_of.q, threaded.q)
    assert np.array_equal(all_of.q[order], mixed.q)
    assert np.array_equal(all_of.q[100:130], some.q)
    assert np.array_equal(all_of.iterations[order], mixed.iterations)


def test_no_fewer_are_reached_than_one_by_one():
    figure, frames, starts = poses(150, seed=3)
    problem = mk.Problem(figure, [placement()])
    single = [
        problem.solve(start, targets=[frame]).reached for start, frame in zip(starts, frames, strict=True)
    ]
    found = mk.solve_many(figure, [placement()], q0=starts, targets=frames)
    assert found.reached.sum() >= sum(single)


def test_what_is_out_of_reach_ends_as_near_as_a_single_solve_does():
    figure, frames, starts = poses(6, seed=1)
    frames[:, :3, 3] += [0.0, 0.0, 2.5]
    problem = mk.Problem(figure, [placement()])
    found = mk.solve_many(figure, [placement()], q0=starts, targets=frames)
    for k in range(6):
        alone = problem.solve(starts[k], targets=[frames[k]])
        assert not found.reached[k]
        assert found.position_errors[k, 0] == pytest.approx(alone.position_errors[0], rel=1e-9)


def test_without_thoroughness_a_miss_is_still_told_truly():
    figure, frames, starts = poses(40, seed=2)
    frames[:, :3, 3] += [0.0, 0.0, 2.5]
    found = mk.solve_many(figure, [placement()], q0=starts, targets=frames, multistart=False)
    there = figure.forward(found.q, [TIP])[:, 0, :3, 3]
    assert (
        np.abs(np.linalg.norm(there - frames[:, :3, 3], axis=1) - found.position_errors[:, 0]).max() < 1e-12
    )
    assert not found.reached.any() and np.isfinite(found.q).all()


def test_figures_of_one_structure_have_a_batch_axis():
    rng = np.random.default_rng(0)
    figures = [arm(*rng.uniform(0.2, 0.5, 5), limit=rng.uniform(1.0, 2.5)) for _ in range(37)]
    q = rng.uniform(-1.0, 1.0, (37, 5))
    points = np.array(
        [figure.forward(row, ["tip"])[0, :3, 3] for figure, row in zip(figures, q, strict=True)]
    )
    found = mk.solve_many(figures, [mk.Position("tip", [0, 0, 1])], targets=points)
    assert found.reached.all()
    for k, figure in enumerate(figures):
        assert np.linalg.norm(found.pose(k).position("tip") - points[k]) <= 1e-4
        assert (np.abs(found.q[k]) <= figure.upper).all()


def test_a_figure_gives_the_same_answer_alone_and_among_others():
    rng = np.random.default_rng(0)
    figures = [arm(*rng.uniform(0.2, 0.5, 5)) for _ in range(9)]
    points = rng.uniform(-0.5, 0.8, (90, 3))
    which = np.arange(90) % 9
    goals = [mk.Position("tip", [0, 0, 1])]
    found = mk.solve_many(figures, goals, targets=points, figure_index=which, multistart=False)
    for f in (0, 4, 8):
        alone = mk.solve_many(figures[f], goals, targets=points[which == f], multistart=False)
        assert np.abs(alone.q - found.q[which == f]).max() < 1e-9
        assert np.array_equal(alone.reached, found.reached[which == f])


def test_goals_of_every_kind_pins_meaning_each_start():
    body = mk.human(fingers=False, spine="bend")
    rng = np.random.default_rng(1)
    starts = np.repeat(body.rest[None], 24, axis=0)
    starts[:, body.index("root_x")] = rng.uniform(-0.3, 0.3, 24)
    starts[:, body.index("left_knee")] = starts[:, body.index("right_knee")] = 0.1
    points = rng.uniform([0.2, -0.5, 0.9], [0.5, 0.0, 1.4], (24, 3))
    points[:, 0] += starts[:, body.index("root_x")]
    goals = [
        mk.Position("right_hand", [0.4, -0.2, 1.2]),
        mk.Pin("left_foot"),
        mk.Pin("right_foot"),
        mk.Balance(),
    ]
    found = mk.solve_many(body, goals, q0=starts, targets=[points, None, None, None])
    assert found.reached.all()
    for k in range(24):
        pose, begun = found.pose(k), body.pose(starts[k])
        assert np.linalg.norm(pose.position("right_hand") - points[k]) <= 1e-4
        for foot in ("left_foot", "right_foot"):
            assert np.abs(pose.matrix(foot) - begun.matrix(foot)).max() < 1e-7
    again = mk.solve_many(body, goals, q0=starts[::-1], targets=[points[::-1], None, None, None], threads=1)
    assert np.array_equal(again.q[::-1], found.q)


def test_alternatives_go_one_by_one_and_are_answered_all_the_same():
    figure = arm(0.4, 0.4, 0.3, 0.2)
    either = mk.AnyOf([mk.Position("tip", [0.3, 0.1, 0.8]), mk.Position("tip", [9.0, 0.0, 0.0])])
    starts = np.random.default_rng(0).uniform(-0.5, 0.5, (3, 4))
    found = mk.solve_many(figure, [either], q0=starts)
    assert found.reached.all()
    tips = figure.forward(found.q, ["tip"])[:, 0, :3, 3]
    assert np.linalg.norm(tips - [0.3, 0.1, 0.8], axis=1).max() <= 1e-4


def test_progress_counts_up_to_all_of_them():
    figure, frames, starts = poses(1500)
    seen: list[tuple[int, int]] = []
    mk.solve_many(
        figure,
        [placement()],
        q0=starts,
        targets=frames,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (1500, 1500) and [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_none_at_all_is_no_error():
    figure = robot("panda")
    found = mk.solve_many(figure, [placement()], targets=np.zeros((0, 4, 4)))
    assert len(found) == 0 and found.q.shape == (0, figure.n)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"targets": np.zeros((3, 3))}, "shape"),
        ({"targets": np.full((2, 4, 4), np.nan)}, "number 0"),
        ({"targets": np.zeros((2, 4, 4))}, "number 0"),
        ({"q0": np.zeros((2, 3))}, "degrees of freedom"),
        ({"q0": np.full((2, 8), np.inf)}, "not finite"),
        ({"q0": np.zeros((3, 8)), "targets": np.tile(np.eye(4), (2, 1, 1))}, "wanted"),
        ({"device": "tpu"}, "unknown device"),
        ({"threads": 0}, "threads"),
        ({"figure_index": [1]}, "figures"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, words):
    figure = robot("panda")
    assert figure.n == 8
    with pytest.raises(mk.ManikinError, match=words):
        mk.solve_many(figure, [placement()], **change)


def test_figures_of_other_structures_are_refused():
    with pytest.raises(mk.SolveError, match="structure"):
        mk.solve_many([arm(0.3, 0.3, 0.3), arm(0.3, 0.3)], [mk.Position("tip", [0, 0, 1])])


def test_a_human_takes_the_posture_that_it_takes_in_a_solve():
    body = mk.human(fingers=False, spine="bend")
    points = np.random.default_rng(3).uniform([0.2, -0.5, 0.7], [0.6, 0.0, 1.5], (12, 3))
    goals = [mk.Position("right_hand", points[0])]
    found = mk.solve_many(body, goals, targets=points)
    problem = mk.Problem(body, goals)
    alone = np.array([problem.solve(targets=[point]).q for point in points])
    again = mk.solve_many(body, goals, targets=points[::-1], threads=1)
    without = mk.solve_many(body, goals, targets=points, natural=False)
    assert found.reached.all() and without.reached.all() and np.array_equal(again.q[::-1], found.q)
    assert np.array_equal(found.q, alone) and np.abs(without.q - alone).max() > 0.1


def test_without_thoroughness_a_posture_that_misses_is_not_searched_for_again():
    body = mk.human(fingers=False, spine="bend")
    near = body.pose().position("right_hand") + [0.1, -0.05, 0.2]
    points, goals = np.array([near, [9.0, 0.0, 1.0]]), [mk.Position("right_hand", near)]
    quick, all_ = (
        mk.solve_many(body, goals, targets=points, fixed="root_*", multistart=yes) for yes in (False, True)
    )
    assert all_.reached.tolist() == quick.reached.tolist() == [True, False]
    assert (quick.starts <= all_.starts).all() and (
        all_.position_errors <= quick.position_errors + 1e-9
    ).all()
    assert quick.starts[1] < all_.starts[1]

"""Paths, batches and motions are judged row by row: the same judge, and what does not hold is not called so."""

from __future__ import annotations

import numpy as np
import pytest
from tests.campaign.calls import Draw
from tests.campaign.judge import CONE, HARD, LINEAR, _figure
from tests.campaign.misses import Misses
from tests.campaign.poses import Poses
from tests.campaign.series import Series

import manikin as mk
from manikin.engines import path
from manikin.engines.batch import plain
from manikin.errors import ManikinError
from manikin.kernels.memory.targets import NUMBERS
from manikin.kernels.pose.report import OUT_REACHED
from manikin.kernels.verify.rows import BROKEN, HARD as HARD_BIT, MISSED
from manikin.verify.rows import RowJudge, judge_of, kept_by

POSES = 12


def arm(axes: str = "zyzyzyz", **options) -> mk.Figure:
    joints = [
        mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", f"R({axis})", (0.0, 0.0, 0.3), lower=-2.5, upper=2.5, **options
        )
        for k, axis in enumerate(axes)
    ]
    return mk.Figure(
        "arm", [f"s{k}" for k in range(len(axes) + 1)], joints, [mk.Site("tip", f"s{len(axes)}", (0, 0, 0.1))]
    )


def _plainly(amount: np.ndarray, allowed: float) -> tuple[np.ndarray, np.ndarray]:
    """Whether a miss is allowed without doubt, and whether it is not: rounding is neither."""
    return amount < 0.9 * allowed, amount > 1.1 * allowed + 1e-9


def test_rows_are_judged_as_the_goals_say_by_numpy():
    """Random figures, goals and targets, at random poses: ranges, couplings, cones, loops, goals and alternatives."""
    seen = {BROKEN: 0, MISSED: 0, HARD_BIT: 0, 0: 0}
    for seed in range(8_900_000, 8_900_120):
        series = Series(seed)
        try:
            problem = series.problem()
        except ManikinError:
            continue
        goals = list(problem.goals)
        meshes = series.kind not in ("random", "arm", "human")  # of which NumPy does not know the hull
        if meshes or series.body.n == 0 or any(isinstance(goal, mk.Potential) for goal in goals):
            continue
        draw = Draw(series.body, goals, seed, near=True, about=series.there.q)
        rng = draw.rng(1, 1)
        q, starts = draw.starts(rng, POSES), draw.starts(rng, POSES)
        q[0] = series.there.q
        targets = draw.targets(rng, POSES)
        judge = judge_of(problem.spec, series.body)
        assert RowJudge.takes(judge, targets)
        numbers = np.zeros((POSES, len(goals), NUMBERS))
        for k, target in targets.items():
            flat = target.reshape(POSES, -1)
            numbers[:, k, : flat.shape[1]] = flat
        bits = RowJudge(judge, tuple(targets)).bits(q, starts, numbers)
        poses = Poses(series.body, q)
        begun = Poses(series.body, np.clip(starts, series.body.lower, series.body.upper))
        off = np.maximum(series.body.lower - q, q - series.body.upper).max(axis=1)
        sure, broken = off < 0.9e-9, off > 1.1e-9
        for _, miss, allowed, _ in _figure(poses, ()):
            fine, bad = _plainly(miss, max(allowed, min(LINEAR, CONE, HARD)))
            sure, broken = sure & fine, broken | bad
        misses, unit = Misses(poses, begun), poses.size()
        met, missed, hard = np.ones(POSES, bool), np.zeros(POSES, bool), np.zeros(POSES, bool)
        for k, goal in enumerate(goals):
            options = misses.options(goal, targets.get(k))
            fine, bad, bad_hard = np.zeros(POSES, bool), np.ones(POSES, bool), np.ones(POSES, bool)
            for option in options:
                one, off_one, off_hard = np.ones(POSES, bool), np.zeros(POSES, bool), np.zeros(POSES, bool)
                for miss in option:
                    allowed = HARD if miss.hard else series.tolerance[miss.unit == "rad"]
                    good, wrong = _plainly(miss.amount, allowed)
                    one, off_one = one & good, off_one | (wrong & (miss.amount > 1e-12 * unit))
                    off_hard |= wrong & miss.hard & (miss.amount > 1e-12 * unit)
                fine, bad, bad_hard = fine | one, bad & off_one, bad_hard & off_hard
            met, missed, hard = met & fine, missed | bad, hard | bad_hard
        if misses.unsure:  # shapes that NumPy does not know here
            continue
        assert (bits[broken] & BROKEN != 0).all(), seed
        assert (bits[sure] & BROKEN == 0).all(), seed
        assert (bits[missed] & MISSED != 0).all(), seed
        assert (bits[met] & (MISSED | HARD_BIT) == 0).all(), seed
        assert (bits[hard] & HARD_BIT != 0).all(), seed
        for bit in seen:
            seen[bit] += int((bits == 0).sum() if bit == 0 else (bits & bit != 0).sum())
    assert min(seen.values()) > 40, seen


@pytest.mark.parametrize(
    "goal",
    [
        mk.Position("tip", [0, 0, 0]),
        mk.Placement("tip", np.eye(4)),
        mk.Orientation("tip", np.eye(3), axes=(0, 0, 1)),
        mk.Orientation("tip", np.eye(3), axes=(0.5, 1, 0)),
        mk.Aim("tip", [1.0, 0.0, 0.0]),
        mk.Inside("tip", mk.Ball([0, 0, 1], 3.0)),
    ],
    ids=lambda goal: goal.kind(),
)
def test_a_batch_that_claims_what_is_not_so_is_taken_at_the_judges_word(goal, monkeypatch):
    figure, rng = arm(), np.random.default_rng(5)
    q = rng.uniform(-2.0, 2.0, (40, 7))
    frames = figure.forward(q, ["tip"])[:, 0]
    place = frames[:, :3, 3] + np.where(np.arange(40) % 4 == 0, 9.0, 0.0)[:, None]
    frames[:, :3, 3] = place
    targets = {"position": place, "placement": frames, "orientation": frames[:, :3, :3], "aim": place}.get(
        goal.kind()
    )
    honest = mk.solve_many(figure, [goal], q0=q, targets=targets, multistart=False, threads=1)
    real = plain.Worker.judge

    def lying(self, misses):
        reached, errors = real(self, misses)
        return np.ones_like(reached), errors

    monkeypatch.setattr(plain.Worker, "judge", lying)
    found = mk.solve_many(figure, [goal], q0=q, targets=targets, multistart=False, threads=1)
    assert (found.reached == honest.reached).all() and found.feasible.all()
    if goal.kind() in ("position", "placement"):
        assert not found.reached[::4].any() and found.reached.any()


def test_a_sample_of_a_path_that_does_not_hold_is_solved_anew_and_not_called_kept(monkeypatch):
    figure = arm()
    problem = mk.Problem(figure, [mk.Position("tip", [0.2, 0.0, 1.8], hard=True)])
    targets = np.linspace([0.2, 0.0, 1.8], [0.4, 0.3, 1.6], 30)
    targets[20:] *= 9.0  # out of reach
    real = path._quickly

    def lying(*given):
        reports, ends = real(*given)
        reports, ends = reports.copy(), ends.copy()
        reports[:, OUT_REACHED] = 1.0
        ends[5:8] += 1e-6
        return reports, ends

    monkeypatch.setattr(path, "_quickly", lying)
    found = problem.solve_path(targets, figure.pose({"j1": 0.5}), restarts=0)
    away = np.linalg.norm(figure.forward(found.q, ["tip"])[:, 0, :3, 3] - targets, axis=1)
    assert (found.feasible == (away <= 1e-8)).all() and (found.reached == found.feasible).all()
    assert found.feasible[:20].all() and not found.feasible[20:].any()


def test_a_hard_goal_that_time_did_not_suffice_for_is_stopped_by_time_and_not_kept():
    figure = mk.human(fingers=False)
    goals = [
        mk.Position("right_hand", [0.5, -0.3, 1.0], hard=True),
        mk.Position("left_hand", [9.0, 0.3, 1.0], hard=True),
        mk.Pin("left_foot"),
    ]
    found = mk.solve(figure, goals, time_limit=1e-4)
    assert found.status == "time_limit" and not found.feasible and not found.reached
    assert "stopped after 0.0001 s" in found.explain() and found.to_dict()["feasible"] is False
    assert mk.solve(figure, goals, restarts=0).status == "infeasible"


def test_a_hard_goal_that_speed_did_not_suffice_for_is_stopped_by_speed_and_not_kept():
    figure = arm(velocity=0.5)
    there = figure.pose({"j1": 0.8, "j3": -0.5}).position("tip")
    problem = mk.Problem(figure, [mk.Position("tip", there, hard=True)])
    slow = problem.solve(figure.pose(), dt=0.1)
    assert slow.status == "velocity_limit" and not slow.feasible and slow.at_velocity_limit
    assert "velocity limits" in slow.explain()
    fast = problem.solve(figure.pose(), dt=10.0)
    assert fast.reached and fast.feasible


def test_soft_goals_that_are_missed_leave_a_pose_that_is_kept():
    found = mk.solve(arm(), [mk.Position("tip", [9.0, 0.0, 0.0])], restarts=0)
    assert not found.reached and found.feasible and found.status == "stationary"


def test_a_motion_says_of_each_key_whether_the_figure_allows_it():
    figure = arm()
    q = np.zeros((3, 7))
    q[1, 2] = 2.5 + 1e-6
    assert mk.Motion(figure, [0.0, 1.0, 2.0], q).feasible.tolist() == [True, False, True]
    assert kept_by(figure, np.full((1, 7), np.nan)).tolist() == [False]


def test_a_tracked_motion_counts_hard_goals_and_kinds_that_are_no_points_of_a_clip():
    """A region that holds in part of the time: the judge measures it, and `reached` minds it."""
    figure = arm()
    begin = figure.pose({"j1": 0.8, "j3": -1.4, "j5": 0.8})
    times = np.linspace(0.0, 1.0, 21)
    line = mk.Line(begin.position("tip"), begin.position("tip") + [0.0, 0.4, 0.0], ease="even")
    wall = mk.Outside("tip", mk.HalfSpace([0.0, 0.2, 0.0], [0.0, -1.0, 0.0]), whole=False, hard=False)
    motion = mk.track(begin, [mk.Along(mk.Position("tip", [0, 0, 0]), line), wall], times)
    y = motion.forward(["tip"])[:, 0, 1, 3]
    assert np.isfinite(motion.position_errors).all() and motion.feasible.all()
    assert (motion.position_errors[:, 1] == pytest.approx(np.maximum(y - 0.2, 0.0), abs=1e-9)) and (
        y < 0.21 + 0.2
    ).all()
    assert motion.reached[:10].all() and not motion.reached[12:].any()
    held = mk.track(begin, [mk.Along(mk.Position("tip", [0, 0, 0], hard=True), line)], times)
    assert held.feasible.all() and held.position_errors.max() <= 1e-8


def test_rows_judged_four_at_a_time_miss_by_what_each_does_alone():
    """Every kind of joint, angles of many turns and beyond a million, what is not finite; rows that are no multiple of
    four: one row alone goes the way of a single pose."""
    kinds = set()
    for seed in range(8_910_000, 8_910_060):
        series = Series(seed)
        try:
            problem = series.problem()
        except ManikinError:
            continue
        if series.body.n == 0 or series.body.n > 60:
            continue
        rng = np.random.default_rng(seed)
        q = rng.normal(size=(11, series.body.n)) * rng.choice([1e-7, 1.0, 100.0, 3e6], (11, 1))
        q[4, 0] = np.nan
        judge = RowJudge(judge_of(problem.spec, series.body))
        together, alone = np.zeros((2, 11, len(judge.judge.atoms)))
        bits = judge.bits(q, q[:1], None, together)
        ones = [judge.bits(row[None], q[:1], None, alone[k : k + 1])[0] for k, row in enumerate(q)]
        kinds |= {joint.motion for joint in series.body.joints.values()}
        assert bits[4] & BROKEN and ones[4] & BROKEN
        size = np.maximum(Poses(series.body, np.nan_to_num(q)).size(), 1.0)[:, None]
        finite = np.isfinite(q).all(axis=1)
        mine, wanted = together[finite], alone[finite]
        assert (np.abs(mine - wanted) <= 1e-11 * np.maximum(np.abs(wanted), 1.0) * size[finite]).all()
        for k in (8, 9, 10):  # beyond the last four
            assert bits[k] == ones[k] and np.array_equal(together[k], alone[k])
    assert len(kinds) > 8

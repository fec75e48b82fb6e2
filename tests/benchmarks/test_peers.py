"""The comparison with other programs: its problems, its judge, its loop, and our own part in it."""

import importlib
import importlib.util
import json
import time
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("pinocchio")
try:
    metadata.distribution("example-robot-data")
except metadata.PackageNotFoundError:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

import pinocchio as pin
from benchmarks.__main__ import main
from benchmarks.peers import far, robots, setup, unfinished, works
from benchmarks.peers.compare import against, median
from benchmarks.peers.far_table import quality
from benchmarks.peers.judge import SLACK, Judge
from benchmarks.peers.path_table import largest_step, path_requirements
from benchmarks.peers.protocol import Answers, Refused, Work, work_through
from benchmarks.peers.report import chosen
from benchmarks.peers.restarts import Stepping
from benchmarks.peers.runner import OURS, PROGRAMS, Outcome, run_work
from benchmarks.peers.solve_table import solve_requirements

COUNTS = {"panda": 1000, "ur5": 1000, "xarm7": 1000, "z1": 1000, "g1": 500, "g1-far": 200, "g1-path": 1000}
COUNTS |= dict.fromkeys(works.HUMANOIDS, 500)


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Robots' files and unfinished runs go elsewhere than those of a checkout whose peers are set up."""
    patch = pytest.MonkeyPatch()
    patch.setattr(robots, "ROOT", tmp_path_factory.mktemp("peers"))
    patch.setattr(unfinished, "FOLDER", tmp_path_factory.mktemp("unfinished"))
    yield
    patch.undo()


def outcome(program, work, q, seconds=1e-5):
    """As if a program had answered so."""
    count = len(q)
    answers = Answers(np.array(q), np.full(count, seconds), np.ones(count, bool), "as told")
    judge = Judge(work)
    return Outcome(
        program, work, [answers], [judge.judge(a, t) for a, t in zip(q, work.targets, strict=True)]
    )


@pytest.mark.parametrize("name", works.KINDS)
def test_a_work_is_the_same_every_time_and_as_large_as_asked(name):
    first, second = works.make(name), works.make(name)
    np.testing.assert_array_equal(first.targets, second.targets)
    np.testing.assert_array_equal(first.starts, second.starts)
    np.testing.assert_array_equal(first.seeds, second.seeds)
    assert len(first.targets) == len(first.starts) == COUNTS.get(name, COUNTS[first.robot])


@pytest.mark.parametrize("name", works.KINDS)
def test_starts_and_seeds_are_inside_the_limits(name):
    work = works.make(name)
    judge = Judge(work)
    assert max(judge.beyond(q) for q in (*work.starts, *work.seeds)) <= 1e-12


def test_no_two_works_share_their_problems():
    targets = [works.make(name).targets for name in works.KINDS]
    assert len({t[0].tobytes() for t in targets}) == len(targets)


@pytest.mark.parametrize("robot", ["g1", *works.HUMANOIDS])
def test_a_bounded_base_takes_the_root_where_its_six_joints_say(robot):
    work, free = works.make(f"{robot}-bounded-near-poses"), works.make(f"{robot}-free-near-poses")
    assert work.joints == [*robots.BASE_JOINTS, *free.joints]
    assert work.upper[:6].tolist() == [0.5] * 3 + [1.0] * 3 == (-work.lower[:6]).tolist()
    on_base, alone = Judge(work), Judge(free)
    for q in work.starts[:5]:
        # Slides along x, y and z, then hinges about x, y and z, each in the frame of the last.
        turn = (
            pin.rpy.rpyToMatrix(q[3], 0, 0)
            @ pin.rpy.rpyToMatrix(0, q[4], 0)
            @ pin.rpy.rpyToMatrix(0, 0, q[5])
        )
        base = np.concatenate([q[:3], pin.Quaternion(turn).coeffs()])
        there = alone.placements(np.concatenate([base, q[6:]]))
        np.testing.assert_allclose(on_base.placements(q), there, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["panda-near", "g1-free-near", "g1-free-near-poses", "talos-bounded-near-poses"]
)
def test_a_target_is_met_by_a_pose_near_a_near_start(name):
    work = works.make(name)
    assert np.isfinite(work.targets).all()
    moved = Judge(work).placements(work.starts[0])[:, :3, 3] - work.targets[0, :, :3, 3]
    assert 1e-3 < np.linalg.norm(moved, axis=1).max() < 0.6


def test_goals_pushed_out_are_farther_than_the_limb_is_long():
    work = works.make(far.WORK)
    judge = Judge(work)
    limbs = [works._limb(judge, work, tip) for tip in work.tips]
    for targets in work.targets:
        away = [
            np.linalg.norm(t[:3, 3] - root) / length for t, (root, length) in zip(targets, limbs, strict=True)
        ]
        assert max(away) > 1.01


def test_the_stripped_file_has_the_kinematics_of_the_published_one():
    import pinocchio as pin

    robot = robots.ROBOTS["panda"]
    full = pin.buildModelFromUrdf(str(robots.published(robot)))
    bare = pin.buildModelFromUrdf(str(robots.plain(robot)))
    assert list(bare.names) == list(full.names)[:8]
    np.testing.assert_array_equal(bare.lowerPositionLimit, full.lowerPositionLimit[:7])
    q = np.linspace(-1.0, -0.1, 9)
    places = []
    for model in (full, bare):
        data = model.createData()
        pin.framesForwardKinematics(model, data, q[: model.nq])
        places.append(data.oMf[model.getFrameId("panda_link8")].homogeneous)
    np.testing.assert_allclose(*places, atol=1e-12)


@pytest.fixture(scope="module")
def path():
    """A work with known answers: configurations along a path, their frames as targets."""
    work = works.make("panda-path")
    q = works._path(work, np.random.default_rng(works.KINDS["panda-path"].seed), len(work.targets))
    return work, q


def test_the_judge_accepts_the_configuration_that_a_target_was_made_from(path):
    work, q = path
    assert all(Judge(work).judge(a, t).met for a, t in zip(q[:50], work.targets, strict=False))


def test_the_judge_refuses_a_wrong_position(path):
    work, q = path
    targets = work.targets[0].copy()
    targets[0, :3, 3] += [0.0, 0.9e-4, 0.0]
    assert Judge(work).judge(q[0], targets).met
    targets[0, :3, 3] += [0.0, 0.2e-4, 0.0]
    verdict = Judge(work).judge(q[0], targets)
    assert not verdict.met and verdict.metres[0] == pytest.approx(1.1e-4)


def test_the_judge_refuses_a_wrong_orientation(path):
    import pinocchio as pin

    work, q = path
    targets = work.targets[0].copy()
    targets[0, :3, :3] = targets[0, :3, :3] @ pin.exp3(np.array([0.0, 1.1e-3, 0.0]))
    verdict = Judge(work).judge(q[0], targets)
    assert not verdict.met and verdict.radians[0] == pytest.approx(1.1e-3)


def test_the_judge_refuses_a_configuration_outside_a_limit(path):
    work, q = path
    narrow = Work(**{**work.__dict__, "upper": work.upper.copy()})
    narrow.upper[3] = q[0][3] - 2e-6
    verdict = Judge(narrow).judge(q[0], work.targets[0])
    assert not verdict.met and verdict.beyond == pytest.approx(2e-6)
    narrow.upper[3] = q[0][3] - 0.5e-6
    assert Judge(narrow).judge(q[0], work.targets[0]).met


def test_the_judge_refuses_what_is_not_a_number_or_not_a_rotation():
    work = works.make("g1-free-near")
    assert not Judge(work).judge(np.full(36, np.nan), work.targets[0]).met
    stretched = work.starts[0].copy()
    stretched[3:7] *= 1.001
    assert Judge(work).beyond(stretched) == pytest.approx(1e-3)


def test_a_work_survives_its_file(tmp_path, path):
    work, _ = path
    work.save(tmp_path / "work.npz")
    again = Work.load(tmp_path / "work.npz")
    assert json.dumps({**again.__dict__}, default=np.ndarray.tolist) == json.dumps(
        {**work.__dict__}, default=np.ndarray.tolist
    )


class Slow:
    """Takes a hundredth of a second to lay a problem out, two to take its targets over and three to solve it."""

    settings = "waits"

    def ready(self, start, targets, number):
        burn(0.5)
        self.targets = None

    def solve(self):
        assert self.targets is None, "targets of the last problem"
        self.targets = burn(0.02)
        burn(0.03)

    def answer(self):
        return np.zeros(7), True


def burn(seconds):
    """Be busy for so long: a process that sleeps is not charged for it."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return end


def test_the_time_is_from_new_targets_to_the_answer_and_without_laying_them_out():
    answers = work_through(Slow(), works.make("panda-near").cut(2))
    assert (answers.seconds >= 0.05).all()
    assert (answers.seconds < 0.5).all()


def test_a_program_that_steps_takes_its_targets_over_inside_the_time():
    work = works.make("panda-near").cut(1)
    solver = Halving(work)
    solver.ready(work.starts[0], work.targets[0], 0)
    assert not hasattr(solver, "tried")
    solver.solve()
    assert solver.tried > 0


def test_ours_takes_targets_with_the_call_and_keeps_its_goals():
    adapter = importlib.import_module("benchmarks.peers.adapters.manikin")
    work = works.make("z1-near")
    solver = adapter.Manikin(work)
    before = solver.problem.goals[0].position.copy()
    for number in range(3):
        solver.ready(work.starts[number], work.targets[number], number)
        solver.solve()
        q, claimed = solver.answer()
        assert claimed and Judge(work).judge(q, work.targets[number]).met
    np.testing.assert_array_equal(solver.problem.goals[0].position, before)


class Halving(Stepping):
    """Halves the distance to a hidden answer, but only from its second seed on."""

    settings = "halves"
    hidden = 0.3

    def take(self, targets):
        self.tried = 0

    def place(self, q):
        self.q, self.tried = q.copy(), self.tried + 1

    def where(self):
        return self.q.copy()

    def misses(self):
        return [float(np.abs(self.q - self.hidden).max()) / self.work.metres]

    def step(self):
        if self.tried >= 3:
            self.q += 0.5 * (self.hidden - self.q)
        return True


def test_the_loop_begins_again_from_seeds_until_a_try_succeeds():
    work = works.make("panda-random").cut(2)
    solver = Halving(work)
    answers = work_through(solver, work)
    assert solver.tried == 3 and answers.claimed.all()
    np.testing.assert_allclose(answers.q, 0.3, atol=work.metres)


def test_the_loop_gives_its_best_when_nothing_succeeds():
    work = works.make("panda-random").cut(1)
    solver = Halving(work, tries=2)
    answers = work_through(solver, work)
    tried = [work.starts[0], work.seeds[1]]
    best = min(tried, key=lambda q: np.abs(q - 0.3).max())
    assert not answers.claimed[0]
    np.testing.assert_array_equal(answers.q[0], best)


def test_following_starts_each_sample_at_the_last_answer():
    work = works.make("panda-path").cut(5)

    class Recorder:
        settings = "records"
        starts = ()

        def ready(self, start, targets, number):
            self.starts = (*self.starts, start.copy())
            self.number = number

        def solve(self):
            pass

        def answer(self):
            return np.full(7, float(self.number)), True

    solver = Recorder()
    work_through(solver, work)
    np.testing.assert_array_equal(solver.starts[-5], work.starts[0])
    np.testing.assert_array_equal(np.array(solver.starts[-4:])[:, 0], [0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize("name", ["panda-near", "g1-free-near"])
def test_ours_solves_a_few_problems_in_a_process_of_its_own(name, capsys):
    work = works.make(name).cut(4)
    (found,) = run_work(work, [OURS], rounds=1)
    assert found.done, found.reason
    assert found.solved == found.claimed == 1.0
    assert found.beyond <= 1e-12 and (found.rounds[0].seconds > 0.0).all()
    assert f"{name}, round 1, manikin" in capsys.readouterr().err


@pytest.mark.parametrize("program", setup.POSING)
def test_a_peer_solves_a_few_problems_or_refuses_in_words(program):
    if setup.version(program) is None:
        pytest.skip(f"{program}: {setup.reason(program)}")
    (arm,) = run_work(works.make("ur5-near").cut(4), [program], rounds=1)
    assert arm.solved == 1.0, arm.reason
    (body,) = run_work(works.make("g1-free-near").cut(2), [program], rounds=1)
    assert body.solved == 1.0 if body.done else "only" in body.reason


def test_a_peer_that_is_not_set_up_is_left_out_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    (found,) = run_work(works.make("ur5-near").cut(1), ["placo"], rounds=1)
    assert not found.done and "benchmarks.peers.setup" in found.reason
    (tmp_path / "placo.failed").write_text("pip could not install it: no wheel\n")
    assert setup.reason("placo") == "pip could not install it: no wheel"


@pytest.fixture
def pip(monkeypatch, tmp_path):
    """Environments in a folder of their own, and a pip that does nothing but remember what it was asked."""
    asked = []

    def fake(name, *arguments):
        asked.append((name, *arguments))
        listed = json.dumps([{"name": "Placo", "version": "0.1"}]) if arguments[0] == "list" else ""
        failed = "drake" in arguments
        return SimpleNamespace(
            returncode=int(failed), stdout=listed, stderr="ERROR: no wheel" if failed else ""
        )

    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "_pip", fake)
    monkeypatch.setattr(setup.venv, "create", lambda path, with_pip: path.mkdir())
    return asked


def test_setting_up_installs_once_and_remembers_the_versions(pip, capsys):
    assert setup.main(["placo"]) == 0 and setup.version("placo") == "0.1"
    count = len(pip)
    assert setup.main(["placo"]) == 0 and len(pip) == count
    assert "set up already" in capsys.readouterr().out


def test_what_cannot_be_installed_keeps_its_reason_and_stops_nothing(pip, capsys):
    assert setup.main(["drake", "placo"]) == 1
    assert setup.version("drake") is None and setup.reason("drake").endswith("ERROR: no wheel")
    assert setup.version("placo") == "0.1" and "[2/2] placo: 0.1" in capsys.readouterr().out


def test_an_environment_of_another_list_of_packages_is_set_up_anew(pip, monkeypatch):
    setup.main(["placo"])
    monkeypatch.setitem(setup.PACKAGES, "placo", ("placo", "more"))
    assert setup.version("placo") is None


def test_every_program_has_an_adapter():
    for program in PROGRAMS:
        assert importlib.util.find_spec(f"benchmarks.peers.adapters.{program}") is not None


def test_a_refusal_is_reported_and_not_a_crash(monkeypatch, capsys):
    from benchmarks.peers import protocol

    def refuse(work):
        raise Refused("arms only")

    monkeypatch.setattr(protocol.Work, "load", lambda path: None)
    monkeypatch.setattr("sys.argv", ["adapter", "work", "answers"])
    with pytest.raises(SystemExit) as exit_:
        protocol.serve(refuse)
    assert exit_.value.code == 3 and capsys.readouterr().out == "arms only\n"


@pytest.mark.parametrize(("name", "bounds"), [("z1-random", [4.0, 5.0]), ("xarm7-near", [4.0])])
def test_an_arm_that_nothing_was_tuned_on_has_the_bounds_of_the_others(name, bounds):
    work = works.make(name).cut(2)
    found = {OURS: outcome(OURS, work, work.starts), "placo": outcome("placo", work, work.starts)}
    solved, *times = solve_requirements(name, found)
    assert solved.bound == 100.0 and [line.bound for line in times] == bounds


def test_a_time_counts_for_nothing_where_not_all_is_solved(path):
    work, q = path
    work = work.cut(10)
    wrong = q[:10].copy()
    wrong[0] += 0.1
    found = {OURS: outcome(OURS, work, wrong), "placo": outcome("placo", work, q[:10], 1e-3)}
    (line,) = against(found, median, "a median", 4.0)
    assert line.value == pytest.approx(100.0) and line.met is False and "ours solves 90 %" in line.line()


def test_the_fastest_peer_is_one_that_holds_the_limits_and_solves(path):
    work, q = path
    work, wrong = work.cut(10), q[:10] + 0.1
    found = {
        OURS: outcome(OURS, work, q[:10]),
        "eaik": outcome("eaik", work, q[:10], 1e-6),
        "pink": outcome("pink", work, wrong, 1e-6),
        "ssik": outcome("ssik", work, q[:10], 2e-5),
        "drake": outcome("drake", work, q[:10], 5e-5),
    }
    lines = against(found, median, "a median", 4.0)
    assert [line.value for line in lines] == [pytest.approx(2.0), pytest.approx(5.0)]
    assert "ssik" in lines[0].what and "drake" in lines[1].what


def test_the_largest_step_counts_the_first_and_compares_with_exact_peers_only(path):
    work, q = path
    work = work.cut(10)
    jump = q[:10].copy()
    jump[4:] += 0.5
    found = {OURS: outcome(OURS, work, q[:10]), "placo": outcome("placo", work, jump, 1e-3)}
    assert largest_step(found["placo"]) > 0.4
    within, step, time = path_requirements("panda-path", found)
    assert within.met and step.met is None and time.met is None


def test_the_projected_slope_is_the_potentials_by_differences():
    work = works.make(far.WORK)
    judge, q, targets = Judge(work), work.starts[0].copy(), work.targets[0]
    h, slope = 1e-6, np.zeros(len(q))
    for i, e in enumerate(np.eye(len(q))):
        slope[i] = (far.potential(judge, q + h * e, targets) - far.potential(judge, q - h * e, targets)) / (
            2 * h
        )
    assert far.projected_slope(judge, q, targets) == pytest.approx(np.linalg.norm(slope), rel=1e-6)
    # On a limit that the slope pushes against, a joint counts no more.
    held = int(np.abs(slope).argmax())
    limits = {"lower": work.lower.copy(), "upper": work.upper.copy()}
    limits["lower" if slope[held] > 0.0 else "upper"][held] = q[held]
    slope[held] = 0.0
    on_limit = Judge(Work(**{**work.__dict__, **limits}))
    assert far.projected_slope(on_limit, q, targets) == pytest.approx(np.linalg.norm(slope), rel=1e-6)


def test_the_stored_best_belongs_to_the_problems_and_is_no_better_than_it_can_be():
    best, work = far.stored_best(), works.make(far.WORK)
    assert best is not None and best.shape == (len(work.targets),)
    judge = Judge(work)
    limbs = [works._limb(judge, work, tip) for tip in work.tips]
    for least, targets in zip(best, work.targets, strict=True):
        away = [
            np.linalg.norm(t[:3, 3] - root) - length for t, (root, length) in zip(targets, limbs, strict=True)
        ]
        assert least >= sum(max(0.0, beyond) ** 2 for beyond in away) > 0.0


def test_the_best_of_a_few_starts_is_no_better_than_the_stored_best_of_many(capsys):
    stored, work = far.stored_best(), works.make(far.WORK).cut(2)
    few, more = far.find_best(work, starts=2), far.find_best(work, starts=6)
    assert (more <= few).all() and (more >= 0.999 * stored[:2]).all()
    assert "2 of 2" in capsys.readouterr().err


def test_the_quality_of_an_answer_is_its_potential_over_the_best_inside_the_limits():
    work = works.make(far.WORK).cut(3)
    found = quality(outcome(OURS, work, work.starts))
    judge = Judge(work)
    away = [
        judge.placements(q)[:, :3, 3] - t[:, :3, 3] for q, t in zip(work.starts, work.targets, strict=True)
    ]
    np.testing.assert_allclose(found.potential, [(a**2).sum() for a in away])
    assert found.inside.all() and found.still() == 0.0
    assert found.near(found.potential / 1.005) == 100.0 and found.near(found.potential / 1.02) == 0.0


def test_only_chooses_programs_and_works_by_name_or_beginning():
    assert chosen([]) == (list(PROGRAMS), list(works.KINDS))
    assert chosen(["manikin", "ur5"]) == ([OURS], ["ur5-random", "ur5-near", "ur5-path"])
    assert chosen(["panda-near"]) == (list(PROGRAMS), ["panda-near"])
    with pytest.raises(SystemExit, match="pandda"):
        chosen(["pandda"])


def test_the_command_runs_what_only_chooses(capsys):
    main(["peers", "--quick", "--only", "manikin,panda-near"])
    printed = capsys.readouterr().out
    assert "== peers ==" in printed and "panda-near: solved by ours, %: 100" in printed
    assert "panda-random" not in printed


def test_an_interrupted_run_goes_on_where_it_stopped(monkeypatch):
    from benchmarks.peers import report

    made, asked = works.make("panda-path").cut(3), []
    q = works._path(made, np.random.default_rng(works.KINDS["panda-path"].seed), 1000)

    def measured(work, programs, rounds):
        asked.append(work.name)
        if work.name == "ur5-near" and len(asked) < 3:
            raise KeyboardInterrupt
        return [outcome(program, work, work.starts) for program in programs]

    monkeypatch.setattr(report, "run_work", measured)
    with pytest.raises(KeyboardInterrupt):
        report.report(quick=True, only=["manikin", "panda-near", "ur5-near"])
    section = report.report(quick=True, only=["manikin", "panda-near", "ur5-near"], resume=True)
    assert asked == ["panda-near", "ur5-near", "ur5-near"]
    assert [row[0] for table in section.tables[1:] for row in table.rows] == ["panda-near", "ur5-near"]
    # What is finished is forgotten, and other problems or programs are never taken for these.
    assert unfinished.stored(made, [OURS]) is None
    unfinished.store(made, [outcome(OURS, made, q[:3])])
    assert unfinished.stored(made, [OURS])[0].solved == 1.0
    assert unfinished.stored(made, [OURS, "placo"]) is None
    assert unfinished.stored(made.cut(2), [OURS]) is None


def test_only_is_refused_for_other_benchmarks(capsys):
    with pytest.raises(SystemExit):
        main(["evaluation", "--only", "manikin"])
    assert "--only" in capsys.readouterr().err


def test_slack_is_what_the_table_says():
    assert SLACK == 1e-6

"""Batches on a graphics card. Where there is none, the kernels' own source runs as plain Python in single precision."""

from __future__ import annotations

import numpy as np
import pytest
from tests.batch import on_host
from tests.kernels.trees import branched, spread_goals
from tests.problems import work_of
from tests.solvers.samples import robot

import manikin as mk
from manikin.engines.batch.cuda import body, search, tree
from manikin.engines.batch.inputs import batch_of
from manikin.errors import DeviceError
from manikin.figure import Coupling, Figure, Joint, Site
from manikin.kernels.gpu import arm as arm_kernel, build, driver, load, queue, sources, unroll

TIP = "panda_hand_tcp"


def has_card() -> bool:
    try:
        driver.device()
    except DeviceError:
        return False
    return True


needs_card = pytest.mark.skipif(not has_card(), reason="no graphics card with a CUDA driver")


@pytest.fixture
def by_host(monkeypatch):
    """`solve_many(device="cuda")`, its searches by Python."""
    monkeypatch.setattr(load, "card", lambda: None)
    monkeypatch.setattr(search, "launch", on_host.launch)


def told(figure, goals, targets=None, starts=None, which=None):
    """The batch, and what the card would be told of it."""
    batch = batch_of(figure, goals, targets, starts, which)
    return batch, search.tables_of(work_of(mk.Problem(batch.figures[0], goals)), batch, None, 0)


def poses(figure, sites, count, seed=0):
    """Frames of sites at random poses, and other random poses."""
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(figure.lower), figure.lower, -1.0)
    high = np.where(np.isfinite(figure.upper), figure.upper, 1.0)
    frames = figure.forward(rng.uniform(low, high, (count, figure.n)), sites)
    return [np.ascontiguousarray(frames[:, k]) for k in range(len(sites))], rng.uniform(
        low, high, (count, figure.n)
    )


def away(figure, q, site, frames):
    """Distance and angle between a site and its target frames."""
    there = figure.forward(q, [site])[:, 0]
    chord = np.linalg.norm((there - frames)[:, :3, :3], axis=(1, 2)) / np.sqrt(8.0)
    return np.linalg.norm((there - frames)[:, :3, 3], axis=1), 2.0 * np.arcsin(np.minimum(chord, 1.0))


def test_an_arm_is_searched_in_registers_a_tree_axis_by_axis_and_what_has_followers_by_blocks():
    arm, goal = robot("panda"), mk.Placement(TIP, [0.4, 0.0, 0.4], np.eye(3))
    assert told(arm, [goal])[1].name == "arm_7"
    assert told(arm, [goal, mk.Position("panda_link5", [0.1, 0.0, 0.4])])[1].name == "tree_1024"
    assert told(branched("free"), [mk.Position("tip", [0.5, 0.0, 0.4])])[1].name == "tree_1024"
    followed = [mk.Position("tip", [0.5, 0.0, 0.4]), mk.Position("right", [0.1, 0.0, 0.4])]
    assert told(branched("free", crossed=True), followed)[1].name == "body_2048"
    hands = [mk.Position(f"{side}_hand", [0.4, 0.0, 1.1]) for side in ("left", "right")]
    feet = [mk.Placement(f"{side}_foot", np.zeros(3), np.eye(3)) for side in ("left", "right")]
    assert told(mk.human(), [*hands, *feet])[1].name == "body_6144"


def test_single_precision_reaches_poses_of_an_arm_inside_its_limits(by_host):
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 12)
    batch, tables = told(figure, [mk.Placement(TIP, np.zeros(3), np.eye(3))], frames, starts)
    q, reports, _ = search.search(tables, batch)
    metres, radians = away(figure, q, TIP, frames)
    assert (reports[:, 0] >= 0).all()
    assert metres.max() <= 1e-4 and radians.max() <= 1e-3
    assert (q >= figure.lower).all() and (q <= figure.upper).all()
    untouched = [figure.index("panda_finger_joint1")]
    assert np.array_equal(q[:, untouched], starts[:, untouched])


@pytest.mark.parametrize("kind", ["position", "orientation"])
def test_an_arm_is_asked_for_a_position_or_an_orientation_alone(by_host, kind):
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 4, seed=1)
    if kind == "position":
        goal, targets = mk.Position(TIP, np.zeros(3)), frames[:, :3, 3]
    else:
        goal, targets = mk.Orientation(TIP, np.eye(3)), frames[:, :3, :3]
    batch, tables = told(figure, [goal], np.ascontiguousarray(targets), starts)
    assert tables.name == "arm_7"
    q, reports, _ = search.search(tables, batch)
    metres, radians = away(figure, q, TIP, frames)
    assert (reports[:, 0] >= 0).all()
    assert (metres if kind == "position" else radians).max() <= 1e-3


def test_slides_offsets_and_an_endless_turn_end_where_forward_kinematics_says(by_host):
    joints = [
        Joint("lift", "o", "a", "T(z)", [0.1, 0.0, 0.2], lower=-0.3, upper=0.3),
        Joint("spin", "a", "b", "R(z)", [0.0, 0.0, 0.1]),
        Joint.revolute("bend", "b", "c", (0, 1, 0), placement=(0.2, 0.0, 0.0), lower=-2.0, upper=2.0),
    ]
    figure = Figure("crane", ["o", "a", "b", "c"], joints, [Site("hook", "c", [0.3, 0.0, 0.0])])
    (frames,), starts = poses(figure, ["hook"], 6, seed=2)
    starts[:, figure.index("spin")] += 20.0
    targets = np.ascontiguousarray(frames[:, :3, 3])
    batch, tables = told(figure, [mk.Position("hook", np.zeros(3))], targets, starts)
    assert tables.name == "arm_3"
    q, reports, _ = search.search(tables, batch)
    assert (reports[:, 0] >= 0).all()
    assert away(figure, q, "hook", frames)[0].max() <= 1e-4
    assert np.abs(q[:, figure.index("spin")] - starts[:, figure.index("spin")]).max() <= np.pi + 1e-6


@pytest.mark.parametrize(("base", "crossed"), [("fixed", True), ("free", False)])
def test_a_tree_of_balls_slides_and_followers_meets_goals_of_every_plain_kind(by_host, base, crossed):
    figure = branched(base, crossed=crossed)
    (tips, feet, rights), starts = poses(figure, ["tip", "foot", "right"], 3, seed=3)
    goals = [
        mk.Position("tip", np.zeros(3)),
        mk.Placement("foot", np.zeros(3), np.eye(3), axes=(1.0, 0.5, 0.0)),
        mk.OnPlane("right", [0.0, 0.0, rights[0, 2, 3]], [0.0, 0.0, 1.0]),
        mk.OnLine("right", rights[0, :3, 3], [0.0, 1.0, 0.0]),
    ]
    starts = starts[:1]
    targets = [np.ascontiguousarray(tips[:1, :3, 3]), feet[:1], None, None]
    batch, tables = told(figure, goals, targets, starts)
    q, reports, _ = search.search(tables, batch)
    assert reports[0, 0] >= 0
    assert away(figure, q, "tip", tips[:1])[0].max() <= 1e-4
    there = figure.forward(q, ["foot", "right"])[0]
    assert np.linalg.norm(there[0, :3, 3] - feet[0, :3, 3]) <= 1e-4
    assert np.abs(there[0, :3, :2] - feet[0, :3, :2]).max() <= 1e-3
    assert np.abs(there[1, [0, 2], 3] - rights[0, [0, 2], 3]).max() <= 1.5e-4


@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_step_axis_by_axis_is_that_of_the_dense_system(start):
    """The same damped step by `tree_step`, by `body_step`, and by NumPy from differences in double precision."""
    figure, goals = branched("free"), spread_goals()
    rng = np.random.default_rng(start)
    q0 = rng.uniform(-0.6, 0.6, (1, figure.n))
    batch = batch_of(figure, goals, None, q0, None)
    ends = []
    for kind in (tree.Tables, body.Tables):
        tables = kind(work_of(mk.Problem(figure, goals)), batch, None, 0)
        tables.counts[queue.STEPS] = 1
        ends.append(on_host.launch(tables, slice(0, 1), q0, 0, 1)[0][0])
    assert np.abs(ends[0] - q0[0]).max() >= 1e-2
    assert np.abs(ends[0] - ends[1]).max() <= 2e-5


def test_elimination_along_a_branch_gives_the_least_squares_step():
    """P, U and D of `tree_step`, on a chain that branches, against NumPy's solution of the whole system."""
    figure = branched("free")
    sites = ["tip", "right", "foot"]
    rng = np.random.default_rng(11)
    q0 = rng.uniform(-0.6, 0.6, figure.n)
    targets = figure.forward(q0, sites)[:, :3, 3] + rng.normal(0.0, 0.05, (3, 3))
    goals = [mk.Position(site, target) for site, target in zip(sites, targets, strict=True)]
    batch = batch_of(figure, goals, None, q0[None], None)
    tables = tree.Tables(work_of(mk.Problem(figure, goals)), batch, None, 0)
    tables.counts[queue.STEPS] = 1
    tables.scale[:] = 1.0
    tables.shares = np.sign(tables.shares)
    end = on_host.launch(tables, slice(0, 1), q0[None], 0, 1)[0][0]

    def miss(q):
        return (figure.forward(q, sites)[:, :3, 3] - targets).ravel()

    J = np.stack([(miss(q0 + 1e-6 * d) - miss(q0 - 1e-6 * d)) / 2e-6 for d in np.eye(figure.n)], axis=1)
    e = miss(q0)
    damping = body.SETTING[0] * e @ e + body.SETTING[1]
    step = -J.T @ np.linalg.solve(J @ J.T + damping * np.eye(9), e)
    assert np.abs(step).max() < body.SETTING[2]
    assert np.abs(end - q0 - step).max() <= 2e-5


def test_an_aim_is_met(by_host):
    figure = branched("free")
    goals = [mk.Aim("chest", [2.0, 1.0, 0.5]), mk.Position("foot", [0.1, 0.3, -0.6])]
    batch, tables = told(figure, goals)
    q, reports, _ = search.search(tables, batch)
    problem = mk.Problem(figure, goals)
    assert reports[0, 0] >= 0
    found = problem.solve(q[0])
    assert found.reached and np.abs(found.q - q[0]).max() <= 1e-2


def test_linear_constraints_are_kept_though_they_stand_in_the_way(by_host):
    names = ["o", "a", "b", "c"]
    joints = [
        Joint.revolute(
            f"j{k}",
            names[k],
            names[k + 1],
            (0, 1, 0),
            placement=(0, 0, 0.3 if k else 0.0),
            lower=-2.0,
            upper=2.0,
        )
        for k in range(3)
    ]
    figure = Figure(
        "bent",
        names,
        joints,
        [Site("tip", "c", (0, 0, 0.3))],
        couplings=[Coupling.parse("j0 + j1 <= 0.6")],
    )
    rng = np.random.default_rng(4)
    q0 = rng.uniform(-1.0, 1.0, (6, 3))
    q0[:, 1] = np.minimum(q0[:, 1], 0.6 - q0[:, 0])
    frames = figure.forward(q0, ["tip"])[:, 0]
    batch, tables = told(figure, [mk.Position("tip", np.zeros(3))], np.ascontiguousarray(frames[:, :3, 3]))
    assert tables.name == "tree_1024"
    q, reports, _ = search.search(tables, batch)
    assert (reports[:, 0] >= 0).all()
    assert away(figure, q, "tip", frames)[0].max() <= 1e-4
    assert (q[:, 0] + q[:, 1] <= 0.6).all()


def test_figures_of_other_lengths_are_searched_side_by_side(by_host):
    def figure(length):
        joints = [
            Joint.revolute("j0", "o", "a", (0, 1, 0), lower=-2.5, upper=2.5),
            Joint.revolute("j1", "a", "b", (0, 1, 0), placement=(0, 0, length), lower=-2.5, upper=2.5),
        ]
        return Figure("two", ["o", "a", "b"], joints, [Site("tip", "b", (0, 0, length))])

    figures = [figure(length) for length in (0.3, 0.4, 0.5)]
    found = mk.solve_many(figures, [mk.Position("tip", [0.35, 0.0, 0.4])], device="cuda", multistart=False)
    assert found.reached.tolist() == [True, True, True]
    for k, one in enumerate(figures):
        assert np.linalg.norm(one.forward(found.q[k], ["tip"])[0, :3, 3] - [0.35, 0.0, 0.4]) <= 1e-4


def test_the_whole_call_answers_as_the_cpu_does(by_host):
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 8, seed=5)
    frames[3, :3, 3] = [3.0, 0.0, 0.0]
    goals = [mk.Placement(TIP, np.zeros(3), np.eye(3))]
    options = {"targets": frames, "restarts": 20, "multistart": False}
    card = mk.solve_many(figure, goals, q0=starts, device="cuda", **options)
    cpu = mk.solve_many(figure, goals, q0=starts, **options)
    assert np.array_equal(card.reached, cpu.reached) and not card.reached[3]
    metres, radians = away(figure, card.q, TIP, frames)
    assert np.abs(card.position_errors[:, 0] - metres).max() <= 1e-12
    assert np.array_equal(card.reached, (metres <= 1e-4) & (radians <= 1e-3))
    fine = mk.solve_many(figure, goals, q0=starts, device="cuda", polish=True, **options)
    assert np.array_equal(fine.reached, card.reached)
    assert (
        np.median(fine.position_errors[fine.reached, 0])
        <= 1e-6
        < np.median(card.position_errors[card.reached, 0])
    )


def test_an_answer_counts_only_when_double_precision_finds_it_met(monkeypatch):
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 4, seed=6)

    def lies(tables, batch, progress=None):
        return starts.copy(), np.zeros((batch.count, 2), np.int32), 0.0

    monkeypatch.setattr(load, "card", lambda: None)
    monkeypatch.setattr(search, "search", lies)
    found = mk.solve_many(
        figure,
        [mk.Placement(TIP, np.zeros(3), np.eye(3))],
        q0=starts,
        targets=frames,
        device="cuda",
        multistart=False,
    )
    metres, radians = away(figure, found.q, TIP, frames)
    assert np.array_equal(found.reached, (metres <= 1e-4) & (radians <= 1e-3))


def test_targets_that_are_none_are_refused_by_number(by_host):
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 3, seed=7)
    frames[1, 0, 0] = np.nan
    with pytest.raises(mk.ManikinError, match="number 1"), np.errstate(invalid="ignore"):
        mk.solve_many(
            figure,
            [mk.Placement(TIP, np.zeros(3), np.eye(3))],
            q0=starts,
            targets=frames,
            device="cuda",
            restarts=1,
        )


def test_hard_goals_and_pins_are_searched_as_places_and_brought_about_on_the_cpu(by_host):
    figure = branched("free")
    rng = np.random.default_rng(5)
    starts = np.clip(figure.rest + rng.uniform(-0.2, 0.2, (3, figure.n)), figure.lower, figure.upper)
    goals = [mk.Position("tip", np.zeros(3), hard=True), mk.Pin("right", axes="position")]
    near = np.clip(starts + rng.uniform(-0.1, 0.1, starts.shape), figure.lower, figure.upper)
    points = np.ascontiguousarray(figure.forward(near, ["tip"])[:, 0, :3, 3])
    found = mk.solve_many(figure, goals, q0=starts, targets=[points, None], device="cuda", multistart=False)
    assert found.reached.all() and found.feasible.all()
    there = figure.forward(found.q, ["tip", "right"])[:, :, :3, 3]
    pinned = figure.forward(starts, ["right"])[:, 0, :3, 3]
    assert np.abs(there[:, 0] - points).max() <= 1e-8 and np.abs(there[:, 1] - pinned).max() <= 1e-8


def test_what_the_card_leaves_out_holds_in_the_answer(by_host):
    """A wall that the elbow may not enter, and two levels."""
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 6, seed=3)
    points = np.ascontiguousarray(frames[:, :3, 3])
    high = mk.Inside("panda_link4", mk.HalfSpace([0.0, 0.0, 0.25], [0.0, 0.0, -1.0]), hard=True)
    levels = [[high], [mk.Position(TIP, np.zeros(3))]]
    found = mk.solve_many(figure, levels, q0=starts, targets=[None, points], device="cuda")
    alone = mk.solve_many(figure, levels, q0=starts, targets=[None, points])
    assert found.reached.sum() >= alone.reached.sum() > 3 and found.feasible.all()
    there = figure.forward(found.q, [TIP, "panda_link4"])[:, :, :3, 3]
    assert (there[:, 1, 2] >= 0.25 - 1e-8).all()
    assert np.linalg.norm(there[:, 0] - points, axis=1)[found.reached].max() <= 1e-4


@pytest.mark.parametrize(
    "goals",
    [
        [mk.AnyOf([mk.Position(TIP, [0.4, 0.0, 0.4]), mk.Position(TIP, [0.0, 0.4, 0.4])])],
        [mk.Position(TIP, [0.4, 0.0, 0.4], hard=True), mk.LeastChange()],
        [mk.Inside(TIP, mk.Ball([0.4, 0.0, 0.4], 0.1))],
    ],
    ids=["alternatives", "least change", "no place"],
)
def test_goals_that_a_card_gains_nothing_for_are_said(by_host, goals):
    with pytest.raises(mk.SolveError, match='leave device="cpu"'):
        mk.solve_many(robot("panda"), goals, device="cuda")


@pytest.mark.skipif(has_card(), reason="there is a graphics card")
def test_without_a_driver_it_is_said_what_is_missing():
    with pytest.raises(DeviceError, match=r"no CUDA driver is installed|no graphics card"):
        mk.solve_many(robot("panda"), [mk.Placement(TIP, [0.4, 0.0, 0.4], np.eye(3))], device="cuda")


def test_unrolled_code_computes_what_its_source_says(monkeypatch):
    """The parts of an arm's step, on arrays by their source and on scalars by the unrolled one."""
    rng = np.random.default_rng(8)
    n = 3
    monkeypatch.setattr(arm_kernel, "N", n, raising=False)
    J, e = rng.normal(size=(6, n)).astype(np.float32), rng.normal(size=6).astype(np.float32)
    y, L = unroll.local(6), unroll.local(6, 6)
    arm_kernel.solve_rows(J, e, np.array([0.1], np.float32), L, y)
    expected = np.linalg.solve(J.astype(float) @ J.T.astype(float) + 0.1 * np.eye(6), e)
    assert np.abs(y - expected).max() <= 1e-4

    scope = {"solve_rows": arm_kernel.solve_rows, "local": unroll.local}
    function, text = unroll.unrolled(_straight, {"N": n}, {"J": 6 * n, "e": 6, "damping": 1}, scope)
    out = np.zeros(6)
    function(*J.ravel(), *e, np.float32(0.1), out)
    assert "for" not in text and np.abs(out - y).max() <= 1e-6


def _straight(J, e, damping, out):
    K = local(6, N)  # noqa: F821
    L = local(6, 6)  # noqa: F821
    y = local(6)  # noqa: F821
    for r in range(6):
        for j in range(N):  # noqa: F821
            K[r, j] = J[N * r + j]  # noqa: F821
    solve_rows(K, e, damping, L, y)  # noqa: F821
    for r in range(6):
        out[r] = y[r]


def test_fields_of_records_are_variables_of_their_own_and_shared_with_parts():
    scope = {"add_square": add_square, "local": unroll.local, "record": unroll.record}
    out = np.zeros(2)
    function, text = unroll.unrolled(
        _summed, {}, scope=scope, records={"data": ["values", "out"]}, single=False
    )
    function(np.array([3.0, 4.0]), out)
    assert out.tolist() == [25.0, 2.0] and "." not in text.replace("0.0", "")


@unroll.part
def add_square(data, sums, j):
    sums.each[j] = data.values[j] * data.values[j]
    sums.total += sums.each[j]
    sums.count += 1


def _summed(data):
    sums = record()  # noqa: F821
    sums.each = local(2)  # noqa: F821
    sums.total = 0.0
    sums.count = 0
    for j in range(2):
        add_square(data, sums, j)
    data.out[0] = sums.total
    data.out[1] = sums.count


def test_what_numpy_took_away_is_there_only_while_a_kernel_is_compiled(monkeypatch):
    monkeypatch.delattr(np, "row_stack", raising=False)
    with build._row_stack():
        assert np.row_stack is np.vstack  # noqa: NPY201
    assert not hasattr(np, "row_stack")


def test_every_kernel_unrolls_for_a_card():
    for name in sources.names():
        function, text = sources.source(name, {"cuda": None})
        assert "cuda.atomic.add" in text and callable(function)
        assert (not name.startswith("arm")) == ("cuda.local.array" in text)


def test_ptx_of_other_sources_is_not_taken(tmp_path):
    import gzip

    path = build.file_of("arm_7", tmp_path)
    assert build.read(path) is None
    path.write_bytes(gzip.compress(b"// 0123\n.version 8.0\n"))
    assert build.read(path) is None
    path.write_bytes(gzip.compress(f"// {build.stamp()}\n.version 8.0\n".encode()))
    assert build.read(path) is not None
    path.write_bytes(b"cut off")
    assert build.read(path) is None


@pytest.mark.long
def test_numba_compiles_an_arm_to_ptx_without_doubles_in_its_arithmetic():
    pytest.importorskip("numba_cuda")
    text = build.compile_kernel("arm_2")
    assert ".entry arm_2" in text and "fma.rn.f64" not in text and "mul.f64" not in text


@needs_card
def test_a_card_answers_what_forward_kinematics_confirms():
    figure = robot("panda")
    (frames,), starts = poses(figure, [TIP], 2000, seed=9)
    goals = [mk.Placement(TIP, np.zeros(3), np.eye(3))]
    found = mk.solve_many(figure, goals, q0=starts, targets=frames, device="cuda", multistart=False)
    metres, radians = away(figure, found.q, TIP, frames)
    assert found.reached.mean() >= 0.999
    assert np.array_equal(found.reached, (metres <= 1e-4) & (radians <= 1e-3))
    again = mk.solve_many(figure, goals, q0=starts[:50], targets=frames[:50], device="cuda", multistart=False)
    assert np.array_equal(again.q, found.q[:50])

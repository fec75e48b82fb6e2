"""Studies: the same wherever they run, resumed without repeating, and what they conclude."""

from __future__ import annotations

import json

import numpy as np
import pytest

import manikin as mk
from manikin.formats.study import read_study
from manikin.reach import study
from manikin.reach.outcome import Study, wilson
from manikin.reach.report import write_report
from manikin.reach.task import Task

POINTS = np.random.default_rng(0).uniform([0.3, -0.6, 0.4], [0.9, 0.3, 2.1], (12, 3))
FILE = """
site = "right_hand"

[population]
n = 4
seed = 3

[figure]
fingers = false
spine = "bend"

[points]
list = [[0.4, -0.2, 1.1], [0.6, -0.2, 2.2], [3.0, 0.0, 1.0]]

[[goal]]
kind = "pin"
site = "left_foot"

[[goal]]
kind = "pin"
site = "right_foot"

[study]
chunk = 2
"""


def crowd(n: int = 6) -> mk.Population:
    return mk.population(n, seed=1, fingers=False, spine="bend")


def goals() -> list[mk.Goal]:
    return [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance()]


@pytest.fixture(scope="module")
def found():
    return study(crowd(), POINTS, goals=goals(), chunk=2)


def test_every_answer_is_that_of_a_single_solve_or_better(found):
    people = crowd()
    for k in (0, 3):
        problem = found.task.problem(people.figures[k])
        single = [problem.solve(targets=[point, None, None, None]).reached for point in POINTS]
        assert found.reached[k].sum() >= sum(single) - 1
        assert (found.miss[k][found.reached[k]] <= 1e-3).all()


def test_chunks_and_threads_make_no_difference(found):
    again = study(crowd(), POINTS, goals=goals(), chunk=3, threads=1)
    assert np.array_equal(again.reached, found.reached) and np.array_equal(again.miss, found.miss)


def test_a_stopped_study_goes_on_without_repeating_a_chunk(found, tmp_path):
    pytest.importorskip("zarr")
    path = tmp_path / "study.zarr"

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(crowd(), POINTS, goals=goals(), chunk=2, path=path, progress=stop, threads=1)
    seen: list[int] = []
    resumed = study(
        crowd(), POINTS, goals=goals(), chunk=2, path=path, progress=lambda done, _: seen.append(done)
    )
    assert np.array_equal(resumed.reached, found.reached) and np.array_equal(resumed.miss, found.miss)
    assert resumed.computed.tolist() == [1, 1, 1]
    assert seen[0] >= 2
    whole = study(crowd(), POINTS, goals=goals(), chunk=2, path=path)
    assert whole.computed.tolist() == [1, 1, 1]
    with pytest.raises(mk.FormatError, match="another study"):
        study(crowd(), POINTS + 0.1, goals=goals(), chunk=2, path=path)


def test_a_cluster_gives_the_same_numbers(found, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        there = study(
            crowd(),
            POINTS,
            goals=goals(),
            chunk=2,
            cluster=cluster.scheduler_address,
            path=tmp_path / "c.zarr",
        )
    assert np.array_equal(there.reached, found.reached) and np.array_equal(there.miss, found.miss)
    with pytest.raises(mk.SolveError, match="no Dask scheduler"):
        study(crowd(), POINTS, cluster="nowhere")


def test_the_interval_is_wilson_s():
    low, high = wilson(np.array([8]), 10)
    assert low[0] == pytest.approx(0.4902, abs=1e-4) and high[0] == pytest.approx(0.9433, abs=1e-4)


def test_what_decides_is_the_measure_that_goes_with_it():
    people = mk.population(200, seed=1)
    tall = people.measure("stature") > 1.7
    made = Study(
        Task(people, POINTS[:2], "right_hand"),
        np.stack([tall, tall | True], axis=1),
        np.zeros((200, 2)),
        1.0,
        np.ones(1),
    )
    assert made.decides == ["stature", None] or made.decides[0] in (
        "acromion_height",
        "suprasternale_height",
        "cervicale_height",
    )
    assert made.best() == 1
    assert made.best(high=POINTS[0] + 1e-9) == 0 if (POINTS[0] < POINTS[1]).all() else True


def test_nothing_is_said_to_decide_where_chance_would_do_as_well():
    """Who reaches a point is drawn by lot: of some hundred points few are said to depend on a measure."""
    people = mk.population(40, seed=3, fingers=False, spine="bend")
    points = np.zeros((300, 3))
    reached = np.random.default_rng(1).random((40, 300)) < 0.5
    made = Study(Task(people, points, "right_hand"), reached, np.zeros((40, 300)), 1.0, np.ones(1))
    assert sum(name is not None for name in made.decides) <= 0.08 * 300


def test_a_file_is_read_run_and_reported(tmp_path):
    (tmp_path / "study.toml").write_text(FILE, encoding="utf-8")
    read = read_study(tmp_path / "study.toml")
    made = study(read.people, read.points, **read.options)
    assert made.share[0] == 1.0 and made.share[2] == 0.0
    told = made.to_dict()
    assert json.loads(json.dumps(told))["best"]["index"] == 0
    write_report(made, tmp_path / "page.html", "A lever & more")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A lever &amp; more" in page and "4 people" in page and "data:image/png;base64," in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("n = 4", "n = 4\npercentiles = [5]"), "one of"),
        (("chunk = 2", "chunks = 2"), "chunks"),
        (('kind = "pin"\nsite = "left_foot"', 'kind = "pinn"\nsite = "left_foot"'), "pinn"),
        (("list = [", "list = [[1, 2], "), "point 1 has 2 numbers"),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path, change, words):
    (tmp_path / "study.toml").write_text(FILE.replace(*change), encoding="utf-8")
    with pytest.raises(mk.FormatError, match=words):
        read_study(tmp_path / "study.toml")


@pytest.mark.long
def test_a_cluster_that_loses_a_worker_and_a_run_that_is_stopped_lose_nothing(tmp_path):
    distributed = pytest.importorskip("distributed")
    import os
    import signal

    points = np.random.default_rng(1).uniform([0.2, -0.7, 0.4], [0.9, 0.4, 2.0], (100, 3))
    people = crowd(60)
    expected = study(people, points, goals=goals(), chunk=3)
    path = tmp_path / "study.zarr"
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address

        def kill_then_stop(done: int, _: int) -> None:
            if done == 4:
                with distributed.Client(address, set_as_default=False) as client:
                    pid = next(iter(client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
            if done == 10:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            study(people, points, goals=goals(), chunk=3, cluster=address, path=path, progress=kill_then_stop)
        found = study(people, points, goals=goals(), chunk=3, cluster=address, path=path)
    assert np.array_equal(found.reached, expected.reached) and np.array_equal(found.miss, expected.miss)
    assert found.computed.tolist() == [1] * 20

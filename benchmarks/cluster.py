"""A study on a Dask scheduler with three worker processes, beside the same in this process.

One worker is killed when a quarter of the chunks is done, and the run itself is stopped at the half and taken up again.
What it says must be the same to the last bit, and no chunk may be computed twice.
"""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import manikin as mk
from benchmarks.tables import Requirement, Section, Table
from manikin.reach import study

WORKERS, CHUNK = 3, 10


def _goals() -> list[mk.Goal]:
    return [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance()]


def run(quick: bool = False) -> Section:
    """The study both ways."""
    section = Section("cluster", __doc__ or "")
    try:
        import distributed
    except ImportError:
        section.notes.append("Not measured here: Dask's distributed scheduler is not installed.")
        return section
    count, places = (60, 20) if quick else (1000, 500)
    begin = perf_counter()
    people = mk.population(count, fingers=False, spine="bend", seed=1)
    made = perf_counter() - begin
    points = np.random.default_rng(1).uniform([0.2, -0.7, 0.4], [0.9, 0.4, 2.0], (places, 3))
    chunks = -(-len(people) // CHUNK)
    begin = perf_counter()
    expected = study(people, points, goals=_goals(), chunk=CHUNK)
    alone = perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.zarr"
        with distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster:
            address = cluster.scheduler_address
            killed: list[int] = []

            def kill_then_stop(done: int, _: int) -> None:
                if done >= chunks // 4 and not killed:
                    with distributed.Client(address, set_as_default=False) as client:
                        killed.append(next(iter(client.run(os.getpid).values())))
                    os.kill(killed[0], signal.SIGKILL)
                if done >= chunks // 2:
                    raise KeyboardInterrupt

            begin = perf_counter()
            stopped = False
            try:
                study(
                    people,
                    points,
                    goals=_goals(),
                    chunk=CHUNK,
                    cluster=address,
                    path=path,
                    progress=kill_then_stop,
                )
            except KeyboardInterrupt:
                stopped = True
            found = study(people, points, goals=_goals(), chunk=CHUNK, cluster=address, path=path)
            together = perf_counter() - begin
    pairs = expected.reached.size
    table = Table(
        "People with pinned feet in balance: the same study in process and on three workers",
        (
            "people",
            "points",
            "chunks",
            "s to make them",
            "s in process",
            "s on workers",
            "pairs/s in process",
        ),
    )
    table.add(len(people), len(points), chunks, made, alone, together, pairs / alone)
    section.tables.append(table)
    differing = int((found.reached != expected.reached).sum() + (found.miss != expected.miss).sum())
    section.requirements += [
        Requirement(
            "a worker was killed and the run stopped", float(bool(killed) and stopped), 1.0, at_least=True
        ),
        Requirement("numbers that differ from the study in process", float(differing), 0.0),
        Requirement("chunks computed more or less than once", float((found.computed != 1).sum()), 0.0),
    ]
    section.notes.append(
        f"{os.cpu_count()} cores; the same machine runs the scheduler, the workers and this process."
    )
    return section

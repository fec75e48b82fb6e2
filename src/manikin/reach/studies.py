"""`study`: a population and a layout, in this process or on a Dask cluster; who can reach what."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from time import perf_counter
from typing import Any

import numpy as np

from manikin.errors import SolveError
from manikin.figure.human.crowd import Population
from manikin.figure.movable import movable
from manikin.goals import Goal
from manikin.plan.options import checked_threads
from manikin.reach.extra import need
from manikin.reach.outcome import Study
from manikin.reach.store import Memory, Store
from manikin.reach.task import Task, chunks_of, part_of, solve_bodies, with_reference

#: Bodies that are done together.
CHUNK = 10


def study(
    people: Population,
    points: Any,
    site: str = "right_hand",
    goals: Sequence[Goal] = (),
    *,
    posture: str = "stand",
    seat: Sequence[float] | None = None,
    free: str | Iterable[str] | None = None,
    fixed: str | Iterable[str] | None = None,
    tolerance: tuple[float, float] = (1e-3, 1e-2),
    path: str | os.PathLike[str] | None = None,
    cluster: str | None = None,
    chunk: int = CHUNK,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Who of a population reaches which points.

    points: (count, 3), metres. site: what is to reach them.
    goals: what has to hold besides, in the world: `Pin` (which means each body's own start), `Balance`, obstacles,
    gaze. posture: where bodies start, ``"rest"`` or a preset (stand, sit, …). seat: where their seat is put.
    free, fixed: the degrees of freedom that may move, or may not, by name or pattern.
    tolerance: metres, and radians, within which a goal counts as reached.
    path: a Zarr store; what is in it already is not computed again, so that a study that was stopped goes on.
    cluster: the address of a Dask scheduler, ``"tcp://host:8786"``; by default this process, on all cores. The
        numbers are the same. A worker that is lost loses only the chunk it was at, which another one does.
    chunk: bodies that are done together.
    progress: called with how many chunks are done and how many there are.

    Each body is solved for each point from a pose of the mean body there. Where that fails the point is proved to be
    out of its reach, or searched for from other postures and by whole solves (`reach.again`). What is said of a point
    does not depend on which other points are asked.
    """
    if not isinstance(people, Population):
        raise SolveError(f"study: a population is wanted, see manikin.population; got {people!r}")
    if isinstance(chunk, bool) or not isinstance(chunk, (int, np.integer)) or chunk < 1:
        raise SolveError(f"study: chunk must be a number of bodies, at least 1, got {chunk!r}")
    begin = perf_counter()
    if fixed is not None and len(people):
        free = movable(people.build(0), free, fixed)
    names = None if free is None else ((free,) if isinstance(free, str) else tuple(free))
    place = None if seat is None else tuple(float(value) for value in seat)
    task = Task(people, points, site, tuple(goals), posture, place, names, tolerance)  # type: ignore[arg-type]
    if len(people):
        people.build(0).site(site)
    pieces = chunks_of(len(people), int(chunk))
    size = len(people), len(task.points)
    store = Memory(*size, len(pieces)) if path is None else Store(path, task.digest(), *size, int(chunk))
    left = [k for k in range(len(pieces)) if not store.done[k]]
    if left:
        whole = with_reference(task)
        run = _in_process if cluster is None else _on_cluster
        run(whole, pieces, left, store, progress, cluster, threads)
    store.finish()
    return Study(task, *store.read(), perf_counter() - begin, np.asarray(store.done)[: len(pieces)])


def _in_process(
    task: Task,
    pieces: list[tuple[int, int]],
    left: list[int],
    store: Memory | Store,
    progress: Callable[[int, int], None] | None,
    _: str | None,
    threads: int | None,
) -> None:
    """Chunks on threads of this process; the compiled searches hold no lock of Python's."""
    done = len(pieces) - len(left)
    pool = ThreadPoolExecutor(checked_threads(threads), thread_name_prefix="manikin")
    try:
        futures = {pool.submit(solve_bodies, task, *pieces[k]): k for k in left}
        for future in as_completed(futures):
            store.put(futures[future], *pieces[futures[future]], *future.result())
            done += 1
            if progress is not None:
                progress(done, len(pieces))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _on_cluster(
    task: Task,
    pieces: list[tuple[int, int]],
    left: list[int],
    store: Memory | Store,
    progress: Callable[[int, int], None] | None,
    cluster: str | None,
    _: int | None,
) -> None:
    """The same chunks as tasks of a Dask cluster; results come back here, and only here are they written."""
    distributed = need("distributed", "a study on a cluster")
    try:
        client = distributed.Client(cluster, timeout="20s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise SolveError(f"study: no Dask scheduler answers at {cluster!r}: {problem}") from problem
    done = len(pieces) - len(left)
    with client:
        # Every chunk takes its own people along: what a lost worker held needs nobody to remember it.
        name = f"manikin-{task.digest()}-{id(store)}"
        futures = {
            client.submit(
                solve_bodies, part_of(task, *pieces[k]), 0, pieces[k][1] - pieces[k][0], key=f"{name}-{k}"
            ): k
            for k in left
        }
        for future in distributed.as_completed(list(futures), loop=client.loop):
            k = futures[future]
            store.put(k, *pieces[k], *future.result())
            future.release()
            done += 1
            if progress is not None:
                progress(done, len(pieces))

"""Reach maps and studies: the human's right hand over a grid, feet pinned and in balance; people and points.

A map is compared with poses that were sampled: trunk and arm drawn from their ranges, those kept that break no coupling
and stand in balance. None may have its hand outside of what the map calls reachable by more than a voxel.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.spatial import cKDTree

import manikin as mk
from benchmarks.tables import Requirement, Section, Table
from manikin.reach import reach_map, study
from manikin.reach.drawing import map_grid

MAP_COLUMNS = ("interior", "points", "reached", "asked", "s, 1 thread", "s, 2 threads", "differs from solve")
STUDY_COLUMNS = ("people", "points", "reached", "seconds", "pairs a second")
BOX = ((0.0, -0.9, 0.7), (1.0, 0.3, 2.1))


def _goals() -> list[mk.Goal]:
    return [mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance()]


def sampled(figure: mk.Figure, count: int, seed: int = 0) -> np.ndarray:
    """Where the right hand is in random poses of trunk and right arm that keep all couplings and stand in balance."""
    rng = np.random.default_rng(seed)
    moved = [j for j in figure.select(["spine_*", "right_clavicle_*", "right_shoulder_*", "right_elbow",
    "right_wrist_*", "right_forearm_*"])]  # fmt: skip
    found: list[np.ndarray] = []
    rest = figure.pose()
    corners = np.array(
        [rest.position(site)[:2] for site in ("left_heel", "left_toe", "right_heel", "right_toe")]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    couplings = [
        (
            [figure.index(name) for name in c.coefficients],
            np.array(list(c.coefficients.values())),
            c.lower,
            c.upper,
        )
        for c in figure.couplings
    ]
    left = count
    while left > 0:
        size = min(left, 200_000)
        q = np.repeat(figure.rest[None], size, axis=0)
        q[:, moved] = rng.uniform(figure.lower[moved], figure.upper[moved], (size, len(moved)))
        good = np.ones(size, bool)
        for index, factors, a, b in couplings:
            value = q[:, index] @ factors
            good &= (value >= a - 1e-9) & (value <= b + 1e-9)
        q = q[good]
        center = figure.center_of_mass(q)[:, :2]
        q = q[((center >= low) & (center <= high)).all(axis=1)]
        found.append(figure.forward(q, ["right_hand"])[:, 0, :3, 3])
        left -= size
    return np.concatenate(found)


def run(quick: bool = False) -> Section:
    """All tables."""
    section = Section("reach", __doc__ or "")
    _maps(section, quick)
    _study(section, quick)
    return section


def _maps(section: Section, quick: bool) -> None:
    figure = mk.human(fingers=False, spine="bend")
    pitch = 0.1 if quick else 0.02
    table = Table(
        f"The right hand on a grid of {1000 * pitch:g} mm, feet pinned, in balance",
        MAP_COLUMNS,
    )
    reach_map(figure, "right_hand", (*BOX, 0.3), _goals(), measures=())
    maps = {}
    for interior in ("solve", "infer"):
        seconds = {}
        for threads in (1, 2):
            begin = perf_counter()
            maps[interior] = reach_map(
                figure, "right_hand", (*BOX, pitch), _goals(), measures=(), interior=interior, threads=threads
            )
            seconds[threads] = perf_counter() - begin
        found = maps[interior]
        differs = float((found["reachable"] != maps["solve"]["reachable"]).mean())
        table.add(
            interior, found["reachable"].size, int(found["reachable"].sum()), found.attrs["asked"], seconds[1],
            seconds[2], differs,
        )  # fmt: skip
        section.requirements.append(
            Requirement(f"map, interior={interior!r}: seconds on two threads", seconds[2], 5.0)
        )
    section.tables.append(table)
    found = maps["solve"]
    grid = map_grid(found)
    places = sampled(figure, 100_000 if quick else 10_000_000)
    low, high = np.array(BOX)
    places = places[((places >= low) & (places <= high)).all(axis=1)]
    tree = cKDTree(grid.places(np.flatnonzero(found["reachable"].values.ravel())))
    away, _ = tree.query(places)
    section.notes.append(
        f"{len(places):,} sampled poses that keep all couplings, stand in balance and have the hand in the box: "
        f"the farthest is {1000 * away.max(initial=0.0):.1f} mm from a point that the map calls reachable."
    )
    section.requirements.append(
        Requirement(
            "samples outside by more than a voxel's diagonal", float((away > np.sqrt(3.0) * pitch).sum()), 0.0
        )
    )


def _study(section: Section, quick: bool) -> None:
    people = mk.population(6 if quick else 60, fingers=False, spine="bend")
    points = np.random.default_rng(0).uniform([0.2, -0.7, 0.4], [0.9, 0.4, 2.0], (20 if quick else 500, 3))
    found = study(people, points, goals=_goals())
    pairs = found.reached.size
    table = Table("A study in process", STUDY_COLUMNS)
    table.add(len(people), len(points), float(found.reached.mean()), found.seconds, pairs / found.seconds)
    section.tables.append(table)

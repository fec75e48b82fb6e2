"""What maps, workspaces and studies say of points, beside poses that reach them and beside single solves.

A point that some pose of the figure reaches, by plain NumPy, is never proved to be out of reach; one that is called
reached is reached by a solve too; what is said of a point does not depend on the others. How many points that can be
reached are denied is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from time import process_time
from typing import Any

import numpy as np
from tests.campaign.figures import arm, figure, pose, scale_of
from tests.campaign.judge import of_solution
from tests.campaign.poses import Poses, norm
from tests.campaign.robots import robot

import manikin as mk
from manikin.errors import ManikinError
from manikin.reach import reach_map, study, workspace
from manikin.reach.grid import MISSED, PROVED, REACHED

MAKERS = ("map", "workspace", "study")
TOLERANCE = (1e-4, 1e-3)


@cache
def _crowd(seed: int) -> Any:
    return mk.population(3, sex="both", seed=seed, fingers=False, spine="bend")


class Zone:
    """What one seed asks for."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng([seed, 41])
        self.maker = str(rng.choice(MAKERS, p=[0.55, 0.3, 0.15]))
        self.kind = "random"
        if self.maker == "study":
            self.kind, self.body = "human", mk.human(fingers=False)
        elif rng.random() < 0.15:
            self.kind, self.body = robot(rng)
        elif rng.random() < 0.6:
            self.kind, self.body = "arm", arm(rng)
        else:
            self.body = figure(rng)
        self.start = pose(self.body, rng)
        self.scale = scale_of(self.body)
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()

    def find(self, words: str) -> None:
        """Note what is wrong."""
        if len(self.found) < 8:
            self.found.append(f"{self.maker}: {words}")

    def run(self) -> dict[str, Any]:
        """Asked and compared; as JSON can hold it."""
        begin = process_time()
        try:
            getattr(self, f"_{self.maker}")()
        except ManikinError as error:
            self.counts["refused"] += 1
            self.refusal = f"{type(error).__name__}: {error}"
        except Exception as error:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1]
            self.find(f"{type(error).__name__}: {error} at {last.filename.rsplit('/', 1)[-1]}:{last.lineno}")
        return {
            "seed": self.seed,
            "solves": 0,
            "figure": self.kind,
            "counts": {self.maker: 1},
            "statuses": dict(self.counts),
            "found": self.found,
            "slowest": process_time() - begin,
            "cpu": process_time() - begin,
            **({"refusal": self.refusal} if hasattr(self, "refusal") else {}),
        }

    def _poses(self, count: int) -> np.ndarray:
        return np.array([pose(self.body, self.rng).q for _ in range(count)])

    def _map(self) -> None:
        body, rng = self.body, self.rng
        site = str(rng.choice(list(body.sites)))
        q = self._poses(30)
        places = Poses(body, q).site(site)[1]
        middle = places[int(rng.integers(len(places)))]
        pitch = float(rng.choice([0.05, 0.2])) * self.scale
        half = pitch * rng.integers(1, 3, 3)
        # A point of the grid is where a pose has the site.
        goals: list[mk.Goal] = []
        if rng.random() < 0.4 and len(body.sites) > 1:
            other = str(rng.choice([name for name in body.sites if name != site]))
            goals.append(
                mk.Pin(other, axes=str(rng.choice(["all", "position"])), hard=bool(rng.random() < 0.3))
            )
        tolerance = (TOLERANCE[0] * min(self.scale, 1.0), TOLERANCE[1])
        found = reach_map(
            self.start,
            site,
            (tuple(middle - half), tuple(middle + half), pitch),
            goals,
            tolerance=tolerance,
            multistart=bool(rng.random() < 0.8),
            interior=str(rng.choice(["solve", "infer"])),
            threads=1,
        )
        outcome, miss = found["outcome"].values, found["miss"].values
        if not np.array_equal(found["reachable"].values, outcome == REACHED):
            self.find("outcome and reachable differ")
        self.counts.update({"points": outcome.size, "points reached": int((outcome == REACHED).sum())})
        self.counts.update({"points proved": int((outcome == PROVED).sum())})
        if (np.isnan(miss) | (miss < 0.0)).any() or (
            miss[outcome == REACHED] > tolerance[0] * (1 + 1e-6)
        ).any():
            self.find("a miss is not finite, or too large where it is reached")
        inferred = np.isnan(found["discomfort"].values) & (outcome == REACHED)
        problem = mk.Problem(self.start, [mk.Position(site, middle), *goals], tolerance=tolerance)
        axes = [found[axis].values for axis in "xyz"]
        chosen = rng.permutation(outcome.size)[:12]
        for index in chosen:
            at = np.unravel_index(index, outcome.shape)
            point = np.array([axis[k] for axis, k in zip(axes, at, strict=True)])
            one = problem.solve(targets=[point, *[None] * len(goals)], restarts=6)
            wrong = of_solution(one, self.start.q, tolerance)
            if one.reached and not wrong:
                self.counts[
                    {REACHED: "agreed", PROVED: "proved wrongly"}.get(int(outcome[at]), "denied")
                ] += 1
                if outcome[at] == PROVED:
                    self.find(f"{point} is proved to be out of reach; a solve reaches it: {one.q.tolist()}")
            elif outcome[at] == REACHED and not inferred[at]:
                again = problem.solve(targets=[point, *[None] * len(goals)], restarts=60)
                self.counts["reached by sixty" if again.reached else "reached by none"] += 1
        if not goals:
            self._never_proved(axes, outcome, pitch, places)

    def _never_proved(
        self, axes: list[np.ndarray], outcome: np.ndarray, pitch: float, places: np.ndarray
    ) -> None:
        """No point next to where a pose has the site is proved to be out of reach."""
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)[outcome == PROVED]
        if len(grid):
            near = norm(grid[:, None] - places[None]).min()
            if near < 1e-9 * self.scale:
                self.find("a point where a pose has the site is proved to be out of reach")

    def _workspace(self) -> None:
        site = str(self.rng.choice(list(self.body.sites)))
        pitch = float(self.rng.choice([0.05, 0.1])) * self.scale
        made = workspace(self.start, site, pitch=pitch, samples=20_000, threads=1)
        places = Poses(self.body, self._held(self._poses(400))).site(site)[1]
        inside = made.contains(places)
        self.counts.update({"poses": len(places), "poses outside": int((~inside).sum())})
        if (~inside).mean() > 0.5 and made.inside.sum() > 50:
            self.find(f"{(~inside).sum()} of {len(inside)} places where poses have the site are not in it")

    def _held(self, q: np.ndarray) -> np.ndarray:
        """Poses whose root is where the figure's is."""
        roots = [self.body.dof(name).joint == "root" for name in self.body.dofs]
        return np.where(roots, self.start.q, q)

    def _study(self) -> None:
        rng = self.rng
        people = _crowd(int(rng.integers(5)))
        points = rng.uniform([-0.3, -1.0, 0.0], [1.2, 0.6, 2.2], (4, 3))
        goals: list[mk.Goal] = [mk.Pin("left_foot"), mk.Pin("right_foot")]
        if rng.random() < 0.5:
            goals.append(mk.Balance(margin=0.01))
        if rng.random() < 0.4:
            table = mk.Box(center=[0.55, 0.0, 0.88], size=[0.6, 1.4, 0.04])
            goals.append(mk.Outside("*", table))
        made = study(people, points, goals=goals, threads=1)
        alone = study(people, points[[1]], goals=goals, threads=1)
        if not np.array_equal(alone.state[:, 0], made.state[:, 1]):
            self.find(f"a point alone is {alone.state[:, 0]}, among others {made.state[:, 1]}")
        for k in range(len(people)):
            body = people.build(k)
            begun = mk.preset(body, "stand")
            for j, point in enumerate(points):
                one = mk.solve(
                    begun, [mk.Position("right_hand", point), *goals], tolerance=(1e-3, 1e-3), restarts=3
                )
                self.counts["points"] += 1
                if not one.reached or of_solution(one, begun.q, (1e-3, 1e-3)):
                    continue
                state = int(made.state[k, j])
                self.counts[{REACHED: "agreed", PROVED: "proved wrongly", MISSED: "denied"}[state]] += 1
                if state == PROVED:
                    self.find(f"{point} is proved to be out of the reach of person {k}; a solve reaches it")


def run_zone(seed: int) -> dict[str, Any]:
    """One map, workspace or study."""
    try:
        told = Zone(seed).run()
    except Exception as error:
        told = {"seed": seed, "solves": 0, "found": [f"make: {type(error).__name__}: {error}"]}
    json.dumps(told, allow_nan=False)
    return told

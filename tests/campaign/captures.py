"""Captures of motions that are known, followed by the markers' tracker: ranges and all of the figure hold where that is
said, misses are those of plain NumPy, and of a capture without noise the motion comes back.
"""

from __future__ import annotations

import json
from collections import Counter
from time import process_time
from typing import Any

import numpy as np
from tests.campaign.figures import arm, figure, pose, scale_of
from tests.campaign.judge import Answers, findings
from tests.campaign.poses import Poses, norm
from tests.campaign.robots import robot

import manikin as mk
from manikin.errors import ManikinError
from manikin.markers import Marker, Markers, MarkerSet, Tracker

#: A sum of squares this much above that of the true motion, in squares of the figure's length, is another minimum.
LOWER = 1e-6


class Capture:
    """What one seed captures, and follows."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng([seed, 42])
        kind = rng.random()
        self.kind = "random"
        if kind < 0.08:
            self.kind, self.body = "human", mk.human(fingers=False, spine="bend")
        elif kind < 0.15:
            self.kind, self.body = robot(rng)
        elif kind < 0.4:
            self.kind, self.body = "arm", arm(rng)
        else:
            self.body = figure(rng)
        self.scale = scale_of(self.body)
        self.count = int(rng.choice([1, 2, 20, 40]))
        self.noise = float(rng.choice([0.0, 0.0, 1e-3, 2e-2])) * self.scale
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()

    def find(self, words: str) -> None:
        """Note what is wrong."""
        if len(self.found) < 8:
            self.found.append(words)

    def run(self) -> dict[str, Any]:
        """Captured, followed, judged; as JSON can hold it."""
        begin = process_time()
        try:
            self._run()
        except ManikinError as error:
            self.counts["refused"] += 1
            self.refusal = f"{type(error).__name__}: {error}"
        except Exception as error:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1]
            self.find(f"{type(error).__name__}: {error} at {last.filename.rsplit('/', 1)[-1]}:{last.lineno}")
        return {
            "seed": self.seed,
            "solves": self.count,
            "figure": self.kind,
            "counts": {"capture": 1},
            "statuses": dict(self.counts),
            "scale": self.scale,
            "found": self.found,
            "slowest": process_time() - begin,
            "cpu": process_time() - begin,
            **({"refusal": self.refusal} if hasattr(self, "refusal") else {}),
        }

    def _run(self) -> None:
        if self.body.n == 0:
            return
        if self.body.cones:
            self.body = self.body.with_polygons()
        body, rng = self.body, self.rng
        each = int(rng.integers(1, 4))
        at = MarkerSet(
            {
                f"{name}_{k}": Marker(
                    name, 0.1 * self.scale * rng.normal(size=3), float(rng.uniform(0.5, 2.0))
                )
                for name in body.segments
                for k in range(each)
            }
        )
        one, other = pose(body, rng), pose(body, rng)
        share = 0.1 * np.sin(np.linspace(0.0, 2.0, self.count))[:, None]
        true = np.clip(one.q + share * (other.q - one.q), body.lower, body.upper)
        places = _places(body, true, at)
        seen = places + self.noise * rng.normal(size=places.shape)
        if rng.random() < 0.3:
            seen[rng.random(seen.shape[:2]) < 0.1] = np.nan
        capture = Markers(list(at), 0.01 * np.arange(self.count), seen)
        thorough = bool(rng.random() < 0.3)
        tracker = Tracker(body, at, multistart=thorough)
        begin = {"start": true[0]} if rng.random() < 0.5 else {}
        made = tracker.track(capture, **begin)
        again = Tracker(body, at, multistart=thorough).track(
            capture, threads=int(rng.choice([1, 2])), **begin
        )
        if made.q.tobytes() != again.q.tobytes():
            self.find("the same capture is followed otherwise a second time")
        self._judge(made, at, seen)
        self._minimum(made, at, seen, true, begin)

    def _judge(self, made: Any, at: MarkerSet, seen: np.ndarray) -> None:
        feasible = made.feasible
        nothing = np.zeros(len(made.q), bool)
        answers = Answers(self.body, [], made.q, made.q, nothing, (1.0, 1.0), feasible)
        for k, words in findings(answers):
            self.find(f"frame {k}: {words}")
        self.counts.update(
            {"frames": len(made.q), "feasible": int(feasible.sum()), "found": int(made.converged.sum())}
        )
        mine = norm(_places(self.body, made.q, at) - seen)
        told = made.marker_errors
        if not np.array_equal(np.isnan(mine), np.isnan(told)):
            self.find("misses are told of markers that were not seen, or not of some that were")
            return
        off = np.nanmax(np.abs(mine - told), initial=0.0)
        if off > 1e-9 * max(self.scale, float(np.nanmax(np.abs(seen), initial=1.0))):
            self.find(f"a miss is told {off:.1e} m wrong")

    def _minimum(
        self, made: Any, at: MarkerSet, seen: np.ndarray, true: np.ndarray, begin: dict[str, Any]
    ) -> None:
        """No frame costs more than the true pose does, where the tracker begins there; of figures of a micrometre and
        of a thousand kilometres, for which its least steps are not made, frames are counted.
        """
        weights = np.array([marker.weight for marker in at.values()])

        def costs(q: np.ndarray) -> np.ndarray:
            miss = norm(_places(self.body, q, at) - seen)
            return np.nansum(weights * miss**2, axis=1) / self.scale**2

        nothing = np.zeros(len(true), bool)
        held = ~nothing
        for k, _ in findings(Answers(self.body, [], true, true, nothing, (1.0, 1.0), held)):
            held[k] = False
        worse = held & (costs(made.q) > costs(true) + LOWER)
        self.counts["worse than the true pose" + ("" if begin else ", begun anywhere")] += int(worse.sum())
        if begin and 1e-4 < self.scale < 1e4 and (worse & made.converged).any() and self.noise == 0.0:
            self.find(
                f"{int((worse & made.converged).sum())} frames are said to be at a minimum, above the true pose"
            )


def _places(body: mk.Figure, q: np.ndarray, at: MarkerSet) -> np.ndarray:
    """Where markers are, (F, M, 3)."""
    poses = Poses(body, q)
    found = []
    for marker in at.values():
        turn, place = poses.segment(marker.segment)
        found.append(place + turn @ np.asarray(marker.position))
    return np.stack(found, axis=1)


def run_capture(seed: int) -> dict[str, Any]:
    """One capture."""
    try:
        told = Capture(seed).run()
    except Exception as error:
        told = {"seed": seed, "solves": 0, "found": [f"make: {type(error).__name__}: {error}"]}
    json.dumps(told, allow_nan=False)
    return told

"""Goals out of reach: how good an answer is, measured by Pinocchio and against the best of a thousand starts.

The potential is the sum of the squared distances, P = Σ‖rᵢ − pᵢ‖². Its slope, 2 Σ Jᵢᵀ(rᵢ − pᵢ), is *projected* by
leaving out the joints on a limit that it pushes against: at a minimum inside the limits nothing is left.

``python -m benchmarks.peers.far`` computes the best anew by our own solver and stores it beside this file.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pinocchio as pin

from benchmarks.peers import works
from benchmarks.peers.judge import Judge
from benchmarks.peers.protocol import Work

WORK = "g1-far"
PATH = Path(__file__).with_name("far_best.json")
STARTS = 1000
#: A joint this near to its limit is on it: programs leave limits by as much as their own tolerances.
ON_LIMIT = 1e-6


def potential(judge: Judge, q: np.ndarray, targets: np.ndarray) -> float:
    """Σ‖rᵢ − pᵢ‖² in m²."""
    away = judge.placements(q)[:, :3, 3] - targets[:, :3, 3]
    return float((away**2).sum())


def projected_slope(judge: Judge, q: np.ndarray, targets: np.ndarray) -> float:
    """Length of the potential's slope over the joints that may move against it."""
    model, data, work = judge.model, judge.data, judge.work
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    slope = np.zeros(model.nv)
    for frame, target in zip(judge.frames, targets, strict=True):
        away = data.oMf[frame].translation - target[:3, 3]
        rows = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
        slope += 2.0 * rows.T @ away
    held = ((q <= work.lower + ON_LIMIT) & (slope > 0.0)) | ((q >= work.upper - ON_LIMIT) & (slope < 0.0))
    return float(np.linalg.norm(slope[~held]))


def digest(work: Work) -> str:
    """What the stored values belong to."""
    return hashlib.sha256(np.round(work.targets, 9).tobytes()).hexdigest()[:16]


def stored_best() -> np.ndarray | None:
    """The least potential of each problem that a thousand starts found; None when the file is of other problems."""
    if not PATH.is_file():
        return None
    stored = json.loads(PATH.read_text(encoding="utf-8"))
    return np.array(stored["potential"]) if stored["digest"] == digest(works.make(WORK)) else None


def find_best(work: Work, starts: int = STARTS) -> np.ndarray:
    """Solve each problem from many random starts by the projection method."""
    from benchmarks.peers.adapters.manikin import Manikin

    solver, judge = Manikin(work), Judge(work)
    rng = np.random.default_rng(0)
    best = np.full(len(work.targets), np.inf)
    for number, targets in enumerate(work.targets):
        solver.ready(work.starts[number], targets, number)
        solver.keep_targets()
        for start in rng.uniform(work.lower, work.upper, (starts, len(work.lower))):
            solver.solve_from(start[solver.to_ours], method="projection")
            best[number] = min(best[number], potential(judge, solver.answer()[0], targets))
        print(f"\r{number + 1} of {len(work.targets)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return best


def main() -> None:
    """Compute and store."""
    work = works.make(WORK)
    values = {"digest": digest(work), "starts": STARTS, "potential": find_best(work).tolist()}
    PATH.write_text(json.dumps(values, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

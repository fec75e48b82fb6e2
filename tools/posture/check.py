"""Solves for recorded hands and feet with people left out of the learning, and measures the joints that were not given.

    python -m tools.posture.check RETARGETED.npz NETWORKS.npz [FRAMES_A_CATEGORY [postures]]

With ``postures`` every posture of a category is as likely to be drawn as any other; otherwise they are drawn as evenly
over people as there are.

Every figure has the person's own segment lengths; every network was learned without that person. What is asked for are
the wrists' places and the feet's (place and orientation), in further parts also the head's or the pelvis's place; the
error is the mean distance of pelvis, hips, knees, shoulders and elbows from where the recording has them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import manikin as mk
from manikin.figure.human.natural import Network, network_of
from manikin.figure.human.natural_posture import _KNOWN, NaturalPosture
from tools.posture import dataset, recorded as rec, retarget
from tools.posture.dataset import CATEGORIES
from tools.posture.recorded import SIDES, Recorded

FOLDS = 4
JOINTS = ("pelvis", *(f"{s}_{j}" for s in SIDES for j in ("hip", "knee", "shoulder", "elbow")))
PARTS = {"hands and feet": (), "and head": ("head",), "and pelvis": ("pelvis",)}


def fold_of(person: np.ndarray) -> np.ndarray:
    """As of `train`."""
    return (np.asarray(person) * 2654435761 % 2**32 >> 7) % FOLDS


@dataclass
class Case:
    """One recorded posture of a person: figure, network without the person, targets, where the joints were, and the
    posture on a figure whose spine bends as a whole.
    """

    category: int
    figure: mk.Figure
    network: Network
    wrists: dict[str, np.ndarray]
    feet: dict[str, np.ndarray]
    given: dict[str, np.ndarray]
    joints: dict[str, np.ndarray]
    recorded: mk.Pose
    text: str
    person: int

    def goals(self, extra: tuple[str, ...] = (), hands: tuple[str, ...] = SIDES) -> list[mk.Goal]:
        """Wrists and feet, and what else."""
        goals: list[mk.Goal] = [mk.Position(f"{s}_wrist", self.wrists[s]) for s in hands]
        goals += [mk.Placement(f"{s}_foot", self.feet[s][:3, 3], self.feet[s][:3, :3]) for s in SIDES]
        return goals + [mk.Position(name, self.given[name]) for name in extra]

    def off(self, pose: mk.Pose) -> float:
        """Mean distance of the joints not given, metres."""
        return float(np.mean([np.linalg.norm(pose.position(j) - self.joints[j]) for j in JOINTS]))

    def standing(self) -> mk.Pose:
        """At rest, on the middle of the feet and facing their way."""
        middle = 0.5 * (self.feet["left"][:3, 3] + self.feet["right"][:3, 3])
        ahead = self.feet["left"][:3, 0] + self.feet["right"][:3, 0]
        values = {"root_x": middle[0], "root_y": middle[1], "root_z": middle[2]}
        return self.figure.pose({**values, "root_rz": float(np.arctan2(ahead[1], ahead[0]))})


def cases(
    retargeted: Path, networks: Path, each: int, seed: int = 0, spine: str = "full", by_people: bool = True
) -> list[Case]:
    """So many postures of every category, as evenly over people as there are, or each as likely as any other."""
    everything = rec.load()
    with np.load(retargeted) as data:
        q, off, feet, statures = data["q"], data["off"], data["feet"], data["statures"]
    stature = statures[everything.person]
    kept = np.flatnonzero(dataset.everyday(everything, stature, off, feet))
    category = dataset.categories(everything.taken(kept), stature[kept])
    rng = np.random.default_rng(seed)
    learned = [network_of(networks, k) for k in range(FOLDS)]
    figures: dict[int, tuple[mk.Figure, mk.Figure]] = {}
    found = []
    for k in range(len(CATEGORIES)):
        own = kept[category == k]
        drawn = _spread(own, everything.person, each, rng) if by_people else rng.permutation(own)[:each]
        for i in drawn:
            person = int(everything.person[i])
            if person not in figures:
                mine = everything.taken(everything.person == person)
                figures[person] = retarget.person_of(mine).figure, full_figure(mine, spine)
            bend, figure = figures[person]
            network = learned[fold_of(person)]
            found.append(_case(k, bend, figure, network, everything, int(i), q[i], person))
    return found


def full_figure(own: Recorded, spine: str) -> mk.Figure:
    """The person's figure with every vertebra."""
    who = retarget.person_of(own)
    figure = mk.human(who.stature, spine=spine, fingers=False)
    mine, usual = retarget.lengths(own), retarget.figure_lengths(figure)
    return retarget.resized(figure, {name: mine[name] / usual[name] for name in mine})


def _spread(index: np.ndarray, person: np.ndarray, count: int, rng: np.random.Generator) -> list[int]:
    people = {
        p: list(rng.permutation(index[person[index] == p])) for p in rng.permutation(np.unique(person[index]))
    }
    chosen: list[int] = []
    while len(chosen) < count and any(people.values()):
        for frames in people.values():
            if frames and len(chosen) < count:
                chosen.append(int(frames.pop()))
    return chosen


def _case(k, bend, figure, network, everything: Recorded, i: int, q: np.ndarray, person: int) -> Case:
    at = {name: value[i] for name, value in everything.points.items()}
    rest = figure.pose()
    feet = {}
    for s in SIDES:
        frame = np.eye(4)
        frame[:3, :3] = everything.frames[f"{s}_foot"][i]
        frame[:3, 3] = at[f"{s}_ankle"] + frame[:3, :3] @ (
            rest.position(f"{s}_foot") - rest.position(f"{s}_ankle")
        )
        feet[s] = frame
    pelvis = 0.5 * (at["left_hip"] + at["right_hip"])
    head = bend.forward(q, ["head"])[0, :3, 3]
    joints = {name: at[name] for name in JOINTS if name != "pelvis"} | {"pelvis": pelvis}
    wrists = {s: at[f"{s}_wrist"] for s in SIDES}
    given = {"head": head, "pelvis": pelvis}
    return Case(
        k, figure, network, wrists, feet, given, joints, mk.Pose(bend, q), str(everything.text[i]), person
    )


def plain(case: Case, goals: list[mk.Goal]) -> mk.Solution:
    """Goals alone, from standing on the feet."""
    return mk.solve(case.standing(), goals, natural=False)


def natural(case: Case, goals: list[mk.Goal]) -> mk.Solution:
    """From rest at the origin, naturally, by the network that does not know the person."""
    _KNOWN[case.figure] = NaturalPosture(case.figure, case.network)
    return mk.solve(case.figure, goals)


WAYS: dict[str, Callable[[Case, list[mk.Goal]], mk.Solution]] = {"plain goals": plain, "natural": natural}


def measure(all_cases: list[Case], ways=WAYS) -> None:
    """Print the table."""
    for label, extra in PARTS.items():
        for name, way in ways.items():
            off = np.zeros(len(all_cases))
            seconds = []
            missed = 0
            for i, case in enumerate(all_cases):
                found = way(case, case.goals(extra))
                seconds.append(found.seconds)
                missed += not found.reached
                off[i] = 100.0 * case.off(found.pose)
            kind = np.array([case.category for case in all_cases])
            by = [off[kind == k].mean() for k in range(len(CATEGORIES))]
            numbers = "  ".join(f"{c} {v:.1f}" for c, v in zip(CATEGORIES, by, strict=True))
            print(
                f"{label:15} {name:12} mean {np.mean(by):5.2f} cm (all {off.mean():.2f})   {numbers}   "
                f"{1e6 * np.median(seconds):.0f} µs, {missed} of {len(all_cases)} not reached",
                flush=True,
            )


if __name__ == "__main__":
    began = time.perf_counter()
    each = int(sys.argv[3]) if len(sys.argv) > 3 else 27
    measure(cases(Path(sys.argv[1]), Path(sys.argv[2]), each, by_people="postures" not in sys.argv[4:]))
    print(f"{time.perf_counter() - began:.0f} s")

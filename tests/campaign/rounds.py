"""Random figures and motions through files and back: what comes back moves as what was written, or a note says why not.

Of every segment the frame, of the coordinates ranges, of the segments masses, and couplings, loops and followers are
compared, by plain NumPy; of formats of clips the frames at every key but for a constant turn and shift of a segment.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from tests.campaign.figures import arm, figure, pose, scale_of
from tests.campaign.poses import Poses, angle_of, norm, relative
from tests.campaign.robots import robot

import manikin as mk
from manikin import formats
from manikin.errors import ManikinError

FIGURES = (".urdf", ".xml", ".fig", ".npz")
CLIPS = (".bvh", ".glb", ".gltf", ".npz", ".fig", ".xml")
#: What single precision (glTF) and printed digits (BVH) leave of a length of the figure, and radians; of the others.
NEAR = {".bvh": 2e-5, ".glb": 2e-6, ".gltf": 2e-6}
EXACT = 1e-9


class Round:
    """What one seed writes and reads."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = rng = np.random.default_rng([seed, 40])
        kind = rng.random()
        self.kind = "random"
        if kind < 0.05:
            self.kind, self.body = "human", mk.human(fingers=bool(rng.random() < 0.3))
        elif kind < 0.15:
            self.kind, self.body = robot(rng)
        elif kind < 0.35:
            self.kind, self.body = "arm", arm(rng)
        else:
            self.body = figure(rng)
        self.clip = bool(rng.random() < 0.5)
        self.suffix = str(rng.choice(CLIPS if self.clip else FIGURES))
        self.found: list[str] = []
        self.outcome: Counter[str] = Counter()

    def find(self, words: str) -> None:
        """Note what is wrong."""
        if len(self.found) < 8:
            self.found.append(f"{'clip' if self.clip else 'figure'} {self.suffix}: {words}")

    def run(self) -> dict[str, Any]:
        """Written, read, compared; as JSON can hold it."""
        begin = process_time()
        try:
            with TemporaryDirectory() as folder:
                self._round(Path(folder) / f"round{self.suffix}")
        except ManikinError as error:
            self.outcome["refused"] += 1
            self.refusal = f"{type(error).__name__}: {error}"
        except Exception as error:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1]
            self.find(f"{type(error).__name__}: {error} at {last.filename.rsplit('/', 1)[-1]}:{last.lineno}")
        return {
            "seed": self.seed,
            "solves": 0,
            "files": 1,
            "figure": self.kind,
            "counts": {("clip" if self.clip else "figure") + self.suffix: 1},
            "statuses": dict(self.outcome),
            "found": self.found,
            "cpu": process_time() - begin,
            **({"refusal": self.refusal} if hasattr(self, "refusal") else {}),
        }

    def _round(self, path: Path) -> None:
        what: Any = self.body
        if self.clip:
            keys = [pose(self.body, self.rng) for _ in range(int(self.rng.integers(1, 5)))]
            what = mk.Motion.of(keys, np.arange(len(keys)) / 30.0, name="clip")
        written = formats.save(what, path)
        try:
            contents = formats.read(path)
        except ManikinError as error:
            self.find(f"what was written is refused: {error}")
            return
        self.notes = [*map(str, written), *map(str, contents.notes)]
        self.outcome["noted" if self.notes else "whole"] += 1
        if self.clip:
            self._clip(what, contents)
        else:
            self._figure(contents.figure)

    def _noted(self, *words: str) -> bool:
        """Whether some note says one of the words."""
        return any(re.search(word, note) for note in self.notes for word in words)

    def _clip(self, asked: mk.Motion, contents: Any) -> None:
        if not contents.clips:
            if not self._noted("clip", "motion", "pose"):
                self.find("the clip is lost, and nothing says so")
            return
        back = contents.clip(0)
        if len(back) != len(asked) or np.abs(back.times - asked.times).max() > 1e-5:
            if not self._noted("clip", "key", "time"):
                self.find(f"times {asked.times} are {back.times}")
            return
        self._same(
            Poses(self.body, asked.q), Poses(back.figure, back.q), NEAR.get(self.suffix, EXACT), loose=True
        )

    def _figure(self, back: mk.Figure) -> None:
        body, rng = self.body, self.rng
        own = [name for name in body.dofs if name in back.dofs]
        lost = [name for name in body.dofs if name not in back.dofs]
        if lost and not self._noted(
            *map(re.escape, lost), *(re.escape(body.dof(n).joint) for n in lost), "base"
        ):
            self.find(f"coordinates {lost[:3]} are lost, and nothing says so")
        for name in own:
            one, other = body.dof(name), back.dof(name)
            for which in ("lower", "upper", "velocity"):
                a, b = getattr(one, which), getattr(other, which)
                if not (a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a))) and not self._noted(
                    re.escape(name), re.escape(one.joint), which, "range", "limit", "speed"
                ):
                    self.find(f"{which} of {name} is {b}, was {a}")
        if lost or len(back.dofs) != len(body.dofs):
            return
        there = [pose(body, rng).q for _ in range(3)]
        q = np.array(there).reshape(3, body.n)
        other = np.zeros_like(q)
        for name in own:
            other[:, back.index(name)] = q[:, body.index(name)]
        self._same(Poses(body, q), Poses(back, other), EXACT, loose=False)
        self._masses(back)
        for what in ("couplings", "loops"):
            if len(getattr(body, what)) != len(getattr(back, what)) and not self._noted(what[:-1]):
                self.find(f"{len(getattr(body, what))} {what} are {len(getattr(back, what))}")
        if len(body.cones) != len(back.cones) and not self._noted("cone", "swing", "ellipse"):
            self.find(f"{len(body.cones)} cones are {len(back.cones)}")

    def _masses(self, back: mk.Figure) -> None:
        for name, segment in self.body.segments.items():
            other = back.segments.get(name)
            if other is None:
                if not self._noted(re.escape(name)):
                    self.find(f"segment {name} is lost")
            elif abs(other.mass - segment.mass) > 1e-9 * max(1.0, segment.mass) and not self._noted("mass"):
                self.find(f"{name} weighs {other.mass}, it was {segment.mass}")
            elif (
                segment.mass
                and np.abs(other.center_of_mass - segment.center_of_mass).max() > EXACT * scale_of(self.body)
                and not self._noted("mass")
            ):
                self.find(f"{name} has another centre of mass")

    def _same(self, one: Poses, other: Poses, near: float, *, loose: bool) -> None:
        """The same frames of segments; loose: but for a constant frame of each, as formats of bones have."""
        size = max(scale_of(self.body), float(one.size().max()) * 1e-3)
        for name in self.body.segments:
            if name not in other.body.segments:
                if not self._noted(re.escape(name)):
                    self.find(f"segment {name} is lost, and nothing says so")
                continue
            turn, place = relative(one.segment(name), other.segment(name))
            if loose:
                turn, place = turn @ turn[0].T, place - place[0]
            off, turned = float(norm(place).max()), float(angle_of(turn).max())
            if off > near * size * 10.0 or turned > max(10.0 * near, 1e-7):
                if not self._noted(re.escape(name), "joint", "pose", "frame", "scale", "slide", "key"):
                    self.find(
                        f"segment {name} is {off:.1e} m and {turned:.1e} rad elsewhere, notes {self.notes[:2]}"
                    )
                return


def run_round(seed: int) -> dict[str, Any]:
    """One figure through one format."""
    try:
        told = Round(seed).run()
    except Exception as error:
        told = {"seed": seed, "solves": 0, "found": [f"make: {type(error).__name__}: {error}"]}
    json.dumps(told, allow_nan=False)
    return told

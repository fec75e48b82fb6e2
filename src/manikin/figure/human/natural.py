"""The posture people take, learned from recordings: a small network from what is asked for to the human's coordinates.

In units of stature (as told by the legs), in a frame on the floor of the figure's feet: the middle of the ankles, x
their mean heading, z up.
In: places of wrists, ankles, head and pelvis, directions of feet, gaze and pelvis, whether each is given, and a style
or none. Out: a mean and a spread of 32 coordinates, and how likely each style is. With v the normalised input,

    v₁ = s(v W₀ + b₀),   v₂ = s(v₁ W₁ + b₁),   out = v₂ W₂ + b₂,   s(x) = x / (1 + e⁻ˣ):

smooth everywhere. The numbers (`natural.npz`, half precision) come from 18,373 everyday postures of 77 people;
``tools/posture`` is what made them, and how they were checked on people left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

#: What people do where they differ: on straight legs, bent at the hips, on bent knees, on a seat or the floor, on a
#: knee.
STYLES = ("stand", "stoop", "squat", "sit", "kneel")
#: How many times as far as recorded a chosen style goes: who asks for one means it, while people who pick something up
#: mostly do a little of both.
EMPHASIS = {"stoop": 3.0, "squat": 3.0}
#: What may be given, and how many numbers each has: a place (3), a direction (3), a place and two directions (9).
GROUPS = {
    "left_wrist": 3,
    "right_wrist": 3,
    "left_foot": 9,
    "right_foot": 9,
    "head": 3,
    "gaze": 3,
    "pelvis": 3,
    "facing": 6,
}
_SIDES = ("left", "right")
ROOT = ("root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz")
TRUNK = tuple(
    f"{region}_{movement}" for region in ("spine", "neck") for movement in ("flexion", "side_bend", "twist")
)
ARM = ("shoulder_abduction", "shoulder_flexion", "shoulder_rotation", "elbow")
LEG = ("hip_abduction", "hip_flexion", "hip_rotation", "knee", "ankle_flexion", "ankle_inversion")
#: The coordinates that were learned, by their names in ``human(spine="bend")``; the root's are those of the pelvis.
COORDINATES = (*ROOT, *TRUNK, *(f"{side}_{name}" for side in _SIDES for name in (*ARM, *LEG)))

#: Hip to knee to ankle of a mean man over his stature: what tells the unit of lengths.
LEG_LENGTH = 0.47140517161642576

NUMBERS = Path(__file__).with_name("natural.npz")


@dataclass(frozen=True)
class Network:
    """Weights and scales; see the module."""

    weights: tuple[np.ndarray, ...]
    biases: tuple[np.ndarray, ...]
    shift: np.ndarray
    scale: np.ndarray
    mean: np.ndarray
    spread: np.ndarray

    def __call__(
        self, features: np.ndarray, given: np.ndarray, style: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and spread of the coordinates, (…, 32) each, and the styles' chances (…, 5).

        features: (…, 39), in the order of `GROUPS`; what is not given may be anything finite.
        given: (…, 8), 1 or 0.
        style: the number of one, where it was chosen.
        """
        wide = np.repeat(given, tuple(GROUPS.values()), axis=-1)
        chosen = np.zeros((*given.shape[:-1], len(STYLES)), np.float32)
        if style is not None:
            chosen[..., style] = 1.0
        x = np.concatenate(
            [(features - self.shift) * self.scale * wide, given, chosen], axis=-1, dtype=np.float32
        )
        last = len(self.weights) - 1
        for weight, bias in zip(self.weights[:last], self.biases[:last], strict=True):
            x = x @ weight + bias
            x = x / (1.0 + np.exp(-x))
        out = (x @ self.weights[last] + self.biases[last]).astype(np.float64)
        n = len(COORDINATES)
        chances = np.exp(out[..., 2 * n :] - out[..., 2 * n :].max(axis=-1, keepdims=True))
        mean = self.mean + self.spread * out[..., :n]
        spread = self.spread * np.exp(np.clip(out[..., n : 2 * n], -4.0, 2.0))
        return mean, spread, chances / chances.sum(axis=-1, keepdims=True)


def network_of(path: Path, number: int | None = None) -> Network:
    """A network from a file; ``number``: which, of a file with several."""
    with np.load(path) as file:
        numbers = {name: file[name].astype(np.float32) for name in file.files}
    layers = sorted(name for name in numbers if name.startswith("weight_"))

    def one(name: str) -> np.ndarray:
        return numbers[name] if number is None else np.ascontiguousarray(numbers[name][number])

    return Network(
        tuple(one(name) for name in layers),
        tuple(one(name.replace("weight", "bias")) for name in layers),
        numbers["shift"],
        1.0 / numbers["scale"],
        numbers["mean"].astype(np.float64),
        numbers["spread"].astype(np.float64),
    )


@cache
def network() -> Network:
    """The network that is shipped, its styles `EMPHASIS` times as far from the usual posture as was recorded."""
    learned = network_of(NUMBERS)
    first = learned.weights[0].copy()
    for style, times in EMPHASIS.items():
        first[STYLES.index(style) - len(STYLES)] *= times
    return replace(learned, weights=(first, *learned.weights[1:]))

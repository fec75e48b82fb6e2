"""The natural posture of one human figure: what is asked for, in the world, to values and weights of its
coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary, ref

import numpy as np

from manikin.figure.figure import Figure
from manikin.figure.human import natural, spine
from manikin.figure.human.ranges import REGIONS
from manikin.figure.pose import Pose

SIDES = ("left", "right")
#: Sites by what they tell: the first of each is the one that was learned.
SITES = {
    **{
        f"{s}_wrist": tuple(f"{s}_{name}" for name in ("wrist", "hand", "fingertip", "dactylion"))
        for s in SIDES
    },
    **{f"{s}_foot": tuple(f"{s}_{name}" for name in ("ankle", "foot", "heel", "toe")) for s in SIDES},
    "head": ("head", "vertex", "eyes"),
    "pelvis": ("pelvis", "seat"),
}
_NEEDED = (
    *("pelvis", "head", "eyes"),
    *(f"{s}_{name}" for s in SIDES for name in ("wrist", "hip", "knee", "ankle", "foot")),
)
GROUP_OF = {site: group for group, sites in SITES.items() for site in sites}
GROUPS = tuple(natural.GROUPS)
#: Where points and directions lie among the features: `GROUPS` in order, feet as place, forward, up.
POINTS = ("left_wrist", "right_wrist", "left_foot", "right_foot", "head", "pelvis")
DIRECTIONS = ("left_forward", "left_up", "right_forward", "right_up", "gaze", "forward", "up")
_ORDER = np.array(
    [
        *(0, 1, 2, 3, 4, 5),  # wrists
        *(6, 7, 8, 18, 19, 20, 21, 22, 23),  # the left foot
        *(9, 10, 11, 24, 25, 26, 27, 28, 29),  # the right foot
        *(12, 13, 14),  # head
        *(30, 31, 32),  # gaze
        *(15, 16, 17),  # pelvis
        *(33, 34, 35, 36, 37, 38),  # its facing
    ]
)
# The weights of what was not learned, by parts of its name; an elbow's is 1.
_UNLEARNED = {"clavicle": 12.0, "wrist_": 2.0, "toes": 4.0, "eyes": 1.5}
# How far eyes turn before the neck does, radians.
_EYES_TURN = 0.35


@dataclass
class Given:
    """What is asked for, in the world: points (6, 3) as `POINTS`, directions (7, 3) as `DIRECTIONS`; and which (8,) of
    the network's `GROUPS` are, 1 or 0. What is not asked for is where the figure has it.
    """

    points: np.ndarray
    directions: np.ndarray
    which: np.ndarray


@dataclass
class Preferred:
    """A posture that is preferred: n values, n weights (an elbow's is 1), and the styles' chances."""

    q: np.ndarray
    weight: np.ndarray
    chances: np.ndarray


def is_human(figure: Figure) -> bool:
    """Whether the figure has a person's coordinates and sites, by the names of those made by `human`, and its base
    carries its pelvis: then its postures are known."""
    sites = figure.sites
    return (
        figure.base in ("free", "fixed")
        and all(name in sites for name in _NEEDED)
        and sites["pelvis"].segment == figure.root
        and np.allclose(figure.mount @ sites["pelvis"].placement, np.eye(4), rtol=0.0, atol=1e-12)
        and np.array_equal(figure.location[:3, :3], np.eye(3))
        and all(
            name in figure.dofs
            for name in natural.COORDINATES
            if not name.startswith(("root", "spine", "neck"))
        )
    )


_KNOWN: WeakKeyDictionary[Figure, NaturalPosture] = WeakKeyDictionary()


def natural_posture(figure: Figure) -> NaturalPosture:
    """The postures of a person's figure; made once a figure."""
    found = _KNOWN.get(figure)
    if found is None:
        found = _KNOWN[figure] = NaturalPosture(figure)
    return found


class NaturalPosture:
    """How the network's coordinates are those of one figure."""

    def __init__(self, figure: Figure, network: natural.Network | None = None) -> None:
        self.n = figure.n
        rest = Pose(figure, np.zeros(figure.n))
        self.rest_frames = {
            site: rest.matrix(site) for sites in SITES.values() for site in sites if site in figure.sites
        }
        #: The unit of lengths: the stature of a mean man whose legs are as long, so that straight legs stay straight.
        self.stature = _legs(rest) / natural.LEG_LENGTH
        self._network = network
        self._free_root, self._location = figure.base == "free", figure.location[:3, 3].copy()
        hanging = ("_shoulder_", "_elbow", "neck_")
        #: Arms and neck, (n,): what hangs, or looks ahead, beside what is asked for.
        self.hanging = np.array([any(part in name for part in hanging) for name in figure.dofs], bool)
        #: The eyes' two coordinates, −1 where there are none.
        self.eyes = [
            figure.index(name) if name in figure.dofs else -1 for name in ("eyes_azimuth", "eyes_elevation")
        ]
        self._figure = ref(figure)
        self._map(figure)
        self._rows = _sparse(figure)

    def _map(self, figure: Figure) -> None:
        """Which coordinate takes which share of which learned one; the ranges of whole regions; other weights."""
        index, learned, share = [], [], []
        for k, name in enumerate(natural.COORDINATES[6:], start=6):
            if name in figure.dofs:
                index.append(figure.index(name))
                learned.append(k)
                share.append(1.0)
                continue
            region, movement = name.split("_", 1)
            for dof, part in spine.shares_of(figure, region, movement).items():
                index.append(figure.index(dof))
                learned.append(k)
                share.append(part)
        self._index, self._learned, self._share = np.array(index), np.array(learned), np.array(share)
        ends = np.full((2, len(natural.COORDINATES)), np.inf)
        ends[0] *= -1.0
        for region, movements in REGIONS.items():
            for movement, limits in movements.items():
                ends[:, natural.COORDINATES.index(f"{region}_{movement}")] = np.radians(limits)
        self._ends = ends
        weight = [
            next((value for part, value in _UNLEARNED.items() if part in name), 1.0) for name in figure.dofs
        ]
        self._ranges = np.array([figure.lower, figure.upper, weight])

    @cached_property
    def weights(self) -> np.ndarray:
        """The network's layers as the kernel goes through them; loaded when first needed."""
        from manikin.kernels.memory.lane_tools import aligned_copy

        network = self._known_network
        first, *others = network.weights
        layers = [
            part
            for w, b in zip((first, *(w.T for w in others)), network.biases, strict=True)
            for part in (w.ravel(), b.ravel())
        ]
        return aligned_copy(np.concatenate(layers).astype(np.float32))

    @cached_property
    def arrays(self) -> list[np.ndarray]:
        """What the kernel reads besides (`kernels.posture.network.Posture`)."""
        from manikin.kernels.posture.network import Posture, allocate, sections

        network, (begin, *rows) = self._known_network, self._rows
        width = [len(b.ravel()) for b in network.biases]
        counts = (len(width), self.n, len(self._index), len(begin) - 1, len(rows[0]))
        arrays = allocate(dict(enumerate(counts)))
        p = sections(Posture, *arrays)
        p.free_root[...], p.stature[...], p.location[:], p.width[:] = (
            self._free_root,
            self.stature,
            self._location,
            width,
        )
        p.feature[:], p.group[:] = _ORDER, np.repeat(np.arange(len(GROUPS)), tuple(natural.GROUPS.values()))
        p.shift[:], p.scale[:] = network.shift, network.scale
        p.mean[:], p.spread[:], p.least[:], p.most[:] = network.mean, network.spread, *self._ends
        p.index[:], p.learned[:], p.share[:] = self._index, self._learned, self._share
        p.lower[:], p.upper[:], p.weight[:] = self._ranges
        p.begin[:] = begin
        p.column[:], p.coefficient[:], p.row_lower[:], p.row_upper[:] = rows
        return arrays

    @property
    def _known_network(self) -> natural.Network:
        return natural.network() if self._network is None else self._network

    @cached_property
    def learned(self) -> np.ndarray:
        """Which coordinates were learned, (n,)."""
        found = np.zeros(self.n, bool)
        found[self._index] = True
        found[: 6 if self._free_root else 0] = True
        return found

    @cached_property
    def size(self) -> int:
        """Numbers of workspace that the kernel needs."""
        from manikin.kernels.posture.network import BEFORE_LAYERS

        width = [len(b.ravel()) for b in self._known_network.biases]
        return BEFORE_LAYERS + width[0] + sum(width)

    def prefer(self, given: Given, q: np.ndarray, style: int | None = None) -> Preferred:
        """What people would do about it; coordinates that were not learned stay as in ``q``.

        Without a foot or the pelvis among what is given the root stays where it is.
        """
        from manikin.kernels.posture.network import FRAME, prefer

        chances = 2 * self.n + len(natural.STYLES)
        out = np.empty(chances + len(natural.COORDINATES) + FRAME)
        work = np.empty(self.size, np.float32)
        numbers = np.concatenate((given.points.ravel(), given.directions.ravel(), given.which))
        prefer(*self.arrays, self.weights, numbers, -1 if style is None else style, q, work, out)
        return Preferred(out[: self.n], out[self.n : 2 * self.n], out[2 * self.n : chances])

    def look(self, q: np.ndarray, at: np.ndarray, moves: np.ndarray) -> np.ndarray:
        """A posture with its eyes turned to a point, and its neck by what is left, as far as they move and go: whoever
        looks aside does not lean for it.
        """
        figure = self._figure()
        assert figure is not None
        head = Pose(figure, q).matrix("head")
        u, v, w = head[:3, :3].T @ (np.asarray(at, float) - head[:3, 3])
        angles = {"twist": float(np.arctan2(v, u)), "flexion": float(np.arctan2(w, np.hypot(u, v)))}
        found = q.copy()
        for j, movement in zip(self.eyes, angles, strict=True):
            if j >= 0 and moves[j]:
                found[j] = np.clip(angles[movement], -_EYES_TURN, _EYES_TURN)
                angles[movement] -= found[j]
        for movement, sign in (("twist", 1.0), ("flexion", -1.0)):
            k = natural.COORDINATES.index(f"neck_{movement}")
            mine = (self._learned == k) & moves[self._index]
            places, share = self._index[mine], self._share[mine]
            now = q[places].sum()
            by = np.clip(now + sign * angles[movement], *self._ends[:, k]) - now
            found[places] = np.clip(q[places] + share * by, self._ranges[0, places], self._ranges[1, places])
        return found


def _legs(rest: Pose) -> float:
    """Thigh and shank together, hip to ankle, metres."""
    hip, knee, ankle = (rest.position(f"left_{joint}") for joint in ("hip", "knee", "ankle"))
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))


def _sparse(figure: Figure) -> tuple[np.ndarray, ...]:
    """The figure's linear constraints: where each begins, columns, values, lower, upper."""
    begin, columns, values = [0], [], []
    for coupling in figure.couplings:
        columns += [figure.index(name) for name in coupling.coefficients]
        values += list(coupling.coefficients.values())
        begin.append(len(columns))
    lower, upper = ([getattr(c, end) for c in figure.couplings] for end in ("lower", "upper"))
    floats = (np.array(numbers, dtype=np.float64) for numbers in (values, lower, upper))
    return np.array(begin), np.array(columns, dtype=np.int64), *floats

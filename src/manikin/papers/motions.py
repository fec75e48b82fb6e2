"""Kinematics of the sites that goals ask for, in plain NumPy: of the figure's tree only what the variables move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from manikin.figure import Figure, kinematics, transforms
from manikin.figure.joints import JointKind
from manikin.figure.tree import Tree

_DIFFERENCE = 1e-5


@dataclass(frozen=True, eq=False)
class Motions:
    """The motions between the root and some sites that depend on the variables; those that do not are folded away.

    tree: these motions, its coordinates the variables.
    sites: of each site, the motion that carries it (−1: none moves it) and its frame there, 4×4.
    """

    tree: Tree
    sites: dict[str, tuple[int, np.ndarray]]

    @classmethod
    def of(cls, figure: Figure, q: np.ndarray, variables: np.ndarray, sites: Sequence[str]) -> Motions:
        """The motions that carry these sites with all coordinates but the variables at q."""
        whole = figure.tree
        fixed = q.copy()
        fixed[variables] = 0.0
        offset = kinematics.axis_values(whole, fixed)
        moved = np.zeros(len(offset), bool)
        moved[whole.drive_axis[np.isin(whole.drive_dof, variables)]] = True
        tips = {name: _frame(figure, name) for name in sites}
        index = np.full(len(whole.parent) + 1, -1)  # the last stands for the world
        rest = {-1: np.eye(4)}  # of each motion, its frame in that of the one that carries it
        kept: list[int] = []
        parents, placements = [], []
        for i in whole.on_the_way([motion for motion, _ in tips.values()]):
            parent, values = int(whole.parent[i]), whole.values_of(i)
            frame = rest[parent] @ transforms.unpack(whole.placement[i])
            if moved[values].any():
                parents.append(index[parent])
                placements.append(transforms.pack(frame))
                index[i], rest[i] = len(kept), np.eye(4)
                kept.append(i)
            else:
                index[i] = index[parent]
                rest[i] = frame @ whole.moved(i, offset)
        tree = _reduced(whole, variables, offset, kept, parents, placements)
        placed = {name: (int(index[m]), rest[m] @ frame) for name, (m, frame) in tips.items()}
        return cls(tree, placed)

    @cached_property
    def _carrying(self) -> dict[int, np.ndarray]:
        """Of each motion that carries a site, which axis values move it."""
        tree, found = self.tree, {}
        for first, _ in self.sites.values():
            found[first] = np.zeros(len(tree.axis_offset), bool)
            for motion in tree.path(first):
                found[first][tree.values_of(motion)] = True
        return found

    @cached_property
    def _drives(self) -> np.ndarray:
        return self.tree.coefficients

    def carriers(self, site: str) -> set[int]:
        """The motions that move a site."""
        return set(self.tree.path(self.sites[site][0]))

    def at(self, x: np.ndarray) -> Placed:
        """Where everything is with the variables at x."""
        return Placed(self, x, kinematics.frames(self.tree, x))


@dataclass(frozen=True, eq=False)
class Placed:
    """The motions' frames at one point, (motions, 12)."""

    motions: Motions
    x: np.ndarray
    frames: np.ndarray

    def matrix(self, site: str) -> np.ndarray:
        """A site's frame in the world, 4×4."""
        motion, frame = self.motions.sites[site]
        return frame if motion < 0 else transforms.unpack(self.frames[motion]) @ frame

    @cached_property
    def _axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        tree = self.motions.tree
        return kinematics.axes(tree, self.frames, kinematics.axis_values(tree, self.x))

    def jacobian(self, site: str) -> np.ndarray:
        """(6, variables): the site's velocity and its angular velocity by each variable, in the world."""
        turn, slide, origin = self._axes
        mask = self.motions._carrying[self.motions.sites[site][0]][:, None]
        linear = slide + np.cross(turn, self.matrix(site)[:3, 3] - origin)
        return np.vstack([(linear * mask).T, (turn * mask).T]) @ self.motions._drives

    def curvature(self, site: str, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """(variables, variables): Σ force·∂²p + moment·∂ω, the second half symmetric in its two indices by their
        mean.

        With axis j at or before axis i on the way from the root, ∂Jᵢ/∂aⱼ = ωⱼ × Jᵢ and ∂ωᵢ/∂aⱼ = ωⱼ × ωᵢ; what comes
        after an axis does not turn it. Within a block of three values ω itself changes: ∂ωₖ/∂aₗ by differences.
        """
        turn, slide, origin = self._axes
        carried = self.motions._carrying[self.motions.sites[site][0]]
        arm = self.matrix(site)[:3, 3] - origin
        linear = (slide + np.cross(turn, arm)) * carried[:, None]
        turn = turn * carried[:, None]
        by_force = np.tril(np.cross(linear, force) @ turn.T)  # [i, j] = ωⱼ·(Jᵢ × force)
        by_moment = np.tril(np.cross(turn, moment) @ turn.T, -1)
        H = by_force + np.tril(by_force, -1).T + 0.5 * (by_moment + by_moment.T)
        tree = self.motions.tree
        for motion in np.flatnonzero(tree.size > 1):
            block = tree.values_of(int(motion))
            if carried[block.start]:
                H[block, block] = self._block(int(motion), block, arm[block.start], force, moment)
        return self.motions._drives.T @ H @ self.motions._drives

    def _block(
        self, motion: int, block: slice, arm: np.ndarray, force: np.ndarray, moment: np.ndarray
    ) -> np.ndarray:
        """The same within one block, whose values are a: ω = F W(a), F the rotation before it."""
        tree = self.motions.tree
        kind, values = tree.kinds[motion], kinematics.axis_values(tree, self.x)[block]
        turned = kind.motion(values)[:3, :3]
        before = self.frames[motion, :9].reshape(3, 3) @ turned.T
        omega = self._axes[0][block]
        H = np.zeros((3, 3))
        for b, step in enumerate(_DIFFERENCE * np.eye(3)):
            ends = [_turns(kind, values + sign * step) for sign in (1.0, -1.0)]
            change = (before @ (ends[0] - ends[1]) / (2.0 * _DIFFERENCE)).T  # ∂ωₐ/∂a_b, a row each
            second = np.cross(change, arm) + np.cross(omega, np.cross(omega[b], arm))
            H[:, b] = second @ force + change @ moment
        return 0.5 * (H + H.T)


def _turns(kind: JointKind, values: np.ndarray) -> np.ndarray:
    """The angular velocity by each of a block's three values, as columns, in the frame before the motion."""
    return kind.motion(values)[:3, :3] @ kind.twists(values)[:, 3:].T


def _frame(figure: Figure, site: str) -> tuple[int, np.ndarray]:
    """The figure's motion that carries a site, and the site's frame there."""
    where = figure.site(site)
    return figure.carried(where.segment, where.placement)


def _reduced(
    whole: Tree,
    variables: np.ndarray,
    offset: np.ndarray,
    kept: Sequence[int],
    parents: Sequence[int],
    placements: Sequence[np.ndarray],
) -> Tree:
    """A tree of these motions alone, its coordinates the variables."""
    width = whole.size[kept]
    old = np.concatenate([np.r_[whole.values_of(i)] for i in kept] or [np.zeros(0, int)])
    new = np.full(len(offset), -1)
    new[old] = np.arange(len(old))
    place = np.full(whole.n, -1)
    place[variables] = np.arange(len(variables))
    drives = (new[whole.drive_axis] >= 0) & (place[whole.drive_dof] >= 0)
    return replace(
        whole,
        n=len(variables),
        parent=np.array(parents, dtype=np.int64),
        kind=whole.kind[kept],
        axis=np.concatenate(([0], np.cumsum(width)))[:-1].astype(np.int64),
        placement=np.array(placements).reshape(-1, 12),
        axis_offset=offset[old],
        drive_axis=new[whole.drive_axis[drives]],
        drive_dof=place[whole.drive_dof[drives]],
        drive_coefficient=whole.drive_coefficient[drives],
        curve_axis=whole.curve_axis[:0],
        curves=(),
    )

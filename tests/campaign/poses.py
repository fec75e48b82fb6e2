"""Where a figure's segments and sites are at many poses at once, by what its joints say: plain NumPy, no kernel.

The child's frame in its parent's is placement · motion(q) · child_placement⁻¹; a motion is a product of turns and
slides about and along axes, exp of a swing and a twist, or of a rotation vector.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

import manikin as mk

#: Rotations (N, 3, 3) and places (N, 3).
Frames = tuple[np.ndarray, np.ndarray]


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of vectors along the last axis."""
    return np.einsum("...i,...i->...", a, b)


def norm(a: np.ndarray) -> np.ndarray:
    """Of vectors along the last axis."""
    return np.sqrt(dot(a, a))


def cross_matrix(w: np.ndarray) -> np.ndarray:
    """[w]×, (…, 3, 3)."""
    made = np.zeros((*w.shape, 3))
    made[..., 0, 1], made[..., 0, 2], made[..., 1, 2] = -w[..., 2], w[..., 1], -w[..., 0]
    return made - np.swapaxes(made, -1, -2)


def exp(w: np.ndarray) -> np.ndarray:
    """Rotations (…, 3, 3) of rotation vectors: I + sin θ/θ [w]× + (1 − cos θ)/θ² [w]×²."""
    angle = norm(w)
    k = cross_matrix(w)
    a, b = np.sinc(angle / np.pi), 0.5 * np.sinc(0.5 * angle / np.pi) ** 2
    return np.eye(3) + a[..., None, None] * k + b[..., None, None] * (k @ k)


def angle_of(turn: np.ndarray) -> np.ndarray:
    """The angle of rotations (…, 3, 3): 2 asin(‖R − I‖/√8) below 2 rad, by the antisymmetric part beyond."""
    chord = np.minimum(np.sqrt(((turn - np.eye(3)) ** 2).sum(axis=(-1, -2)) / 8.0), 1.0)
    sine = 0.5 * np.sqrt(((turn - np.swapaxes(turn, -1, -2)) ** 2).sum(axis=(-1, -2)) / 2.0)
    cosine = 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0)
    return np.where(cosine > -0.4, 2.0 * np.arcsin(chord), np.arctan2(sine, cosine))


def log(turn: np.ndarray) -> np.ndarray:
    """Rotation vectors (N, 3) of rotations, none longer than π."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(turn).as_rotvec()


def between(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The angle between vectors."""
    return np.arctan2(norm(np.cross(u, v)), dot(u, v))


class Poses:
    """A figure at coordinates q, (N, n). Frames are found when asked for."""

    def __init__(self, body: mk.Figure, q: np.ndarray) -> None:
        self.body, self.q = body, q
        self.count = len(q)
        self._found: dict[str, Frames] = {}
        self._sites: dict[str, Frames] = {}

    @cached_property
    def _way(self) -> dict[str, tuple[mk.Joint, str, bool]]:
        """Of each segment the joint towards the root, the segment there, and whether that is backwards."""
        way: dict[str, tuple[mk.Joint, str, bool]] = {}
        seen, open_ = {self.body.root}, [self.body.root]
        joints = [joint for name, joint in self.body.joints.items() if joint.parent in self.body.segments]
        while open_:
            here = open_.pop()
            for joint in joints:
                for near, far, back in (
                    (joint.parent, joint.child, False),
                    (joint.child, joint.parent, True),
                ):
                    if near == here and far not in seen:
                        way[far] = joint, near, back
                        seen.add(far)
                        open_.append(far)
        return way

    def axis(self, name: str) -> np.ndarray:
        """The values (N,) of an axis: its own coordinate's, or what it follows."""
        follow = self.body.followers.get(name)
        if follow is None:
            return self.q[:, self.body.index(name)]
        total = np.full(self.count, follow.offset)
        for driver, factor in follow.coefficients.items():
            total = total + factor * self.q[:, self.body.index(driver)]
        return total if follow.curve is None else np.asarray(follow.curve(total))

    def _motion(self, joint: mk.Joint) -> Frames:
        """placement · motion(q) · child_placement⁻¹."""
        turn = np.broadcast_to(joint.placement[:3, :3], (self.count, 3, 3))
        place = np.broadcast_to(joint.placement[:3, 3], (self.count, 3))
        first = 0
        for step in joint.steps:
            values = [self.axis(axis.name) for axis in joint.axes[first : first + len(step.labels)]]
            first += len(step.labels)
            if step.kind.name == "slide":
                place = place + (turn @ step.turn[:, 2]) * values[0][:, None]
                continue
            if step.kind.name == "rotate":
                k = cross_matrix(step.turn[:, 2])
                own = np.eye(3) + np.sin(values[0])[:, None, None] * k
                own += 2.0 * np.sin(0.5 * values[0])[:, None, None] ** 2 * (k @ k)
            elif step.kind.name == "rotation_vector":
                own = exp(np.stack(values, axis=-1) @ step.turn.T)
            else:  # a swing, then a twist about the leaning axis
                swing = np.stack([values[0], values[1], np.zeros(self.count)], axis=-1) @ step.turn.T
                own = exp(swing) @ exp(values[2][:, None] * step.turn[:, 2])
            turn = turn @ own
        child = joint.child_placement
        turn = turn @ child[:3, :3].T
        return turn, place - turn @ child[:3, 3]

    def segment(self, name: str) -> Frames:
        """A segment's frames in the world."""
        if name not in self._found:
            if name == self.body.root:
                if self.body.base == "fixed":
                    at = self.body.location @ self.body.mount
                    found = (
                        np.broadcast_to(at[:3, :3], (self.count, 3, 3)),
                        np.broadcast_to(at[:3, 3], (self.count, 3)),
                    )
                else:
                    found = self._motion(self.body.joints["root"])
            else:
                joint, near, back = self._way[name]
                turn, place = self._motion(joint)
                if back:
                    turn = np.swapaxes(turn, -1, -2)
                    place = -np.einsum("nij,nj->ni", turn, place)
                found = _after(self.segment(near), (turn, place))
            self._found[name] = found
        return self._found[name]

    def site(self, name: str) -> Frames:
        """A site's frames in the world."""
        if name not in self._sites:
            site = self.body.sites[name]
            turn, place = self.segment(site.segment)
            self._sites[name] = turn @ site.placement[:3, :3], place + turn @ site.placement[:3, 3]
        return self._sites[name]

    @cached_property
    def center(self) -> np.ndarray:
        """The centres of mass, (N, 3)."""
        total = np.zeros((self.count, 3))
        mass = 0.0
        for name, segment in self.body.segments.items():
            if segment.mass > 0.0:
                turn, place = self.segment(name)
                total += segment.mass * (place + turn @ segment.center_of_mass)
                mass += segment.mass
        return total / mass

    def size(self) -> np.ndarray:
        """A length (N,) that everything looked at is small against."""
        found = 1.0 + np.abs(self.q).max(axis=1, initial=0.0)
        largest = np.zeros(self.count)
        for _, place in (*self._found.values(), *self._sites.values()):
            largest = np.maximum(largest, np.abs(place).max(axis=1))
        return found + largest


def _after(one: Frames, other: Frames) -> Frames:
    return one[0] @ other[0], one[1] + np.einsum("nij,nj->ni", one[0], other[1])


def relative(other: Frames, one: Frames) -> Frames:
    """Frames as other frames see them."""
    back = np.swapaxes(other[0], -1, -2)
    return back @ one[0], np.einsum("nij,nj->ni", back, one[1] - other[1])

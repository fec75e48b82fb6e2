"""Chains and people that the tests of reach share."""

from __future__ import annotations

import numpy as np

from manikin.figure import Figure, Joint, Site

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def chain(axes, lengths, limits) -> Figure:
    """Hinges along x with these lengths after them."""
    names = ["base", *(f"link{k}" for k in range(len(axes)))]
    joints = [
        Joint.revolute(
            f"j{k}",
            names[k],
            names[k + 1],
            axes[k],
            placement=(0.0 if k == 0 else lengths[k - 1], 0.0, 0.0),
            lower=limits[k][0],
            upper=limits[k][1],
        )
        for k in range(len(axes))
    ]
    return Figure("chain", names, joints, [Site("tip", names[-1], (lengths[-1], 0, 0))])


def plane_points(lengths, limits, count: int, seed: int = 0) -> np.ndarray:
    """Where the ends of such plane chains are, by adding up the links' angles."""
    low, high = np.array(limits).T
    q = np.random.default_rng(seed).uniform(low, high, (count, len(lengths)))
    angle = np.cumsum(q, axis=1)
    return np.stack([(np.cos(angle) * lengths).sum(axis=1), (np.sin(angle) * lengths).sum(axis=1)], axis=1)

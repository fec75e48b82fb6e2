"""Figures and keys that the tests of motion share."""

import numpy as np

import manikin as mk
from manikin.motion.edit import brought_in

HUMAN = mk.human()


def rows_of(figure):
    """The couplings as a matrix with ends."""
    rows = np.zeros((len(figure.couplings), figure.n))
    for row, coupling in zip(rows, figure.couplings, strict=True):
        for name, factor in coupling.coefficients.items():
            row[figure.index(name)] = factor
    low = np.array([coupling.lower for coupling in figure.couplings])
    high = np.array([coupling.upper for coupling in figure.couplings])
    return rows, low, high


def excess(figure, q):
    """How far values (…, n) are outside ranges, couplings and cones; at most 0 inside."""
    worst = float(np.maximum(figure.lower - q, q - figure.upper).max())
    if figure.couplings:
        rows, low, high = rows_of(figure)
        value = q @ rows.T
        worst = max(worst, float(np.maximum(low - value, value - high).max()))
    for cone in figure.cones:
        worst = max(worst, float(cone.value(q).max()) - 1.0)
    return worst


def random_keys(figure, rng, count):
    """Poses anywhere inside the limits, (count, n)."""
    low = np.where(np.isfinite(figure.lower), figure.lower, -2.0)
    high = np.where(np.isfinite(figure.upper), figure.upper, 2.0)
    return brought_in(figure, low + (high - low) * rng.random((count, figure.n)))


def ball_arm(limited=True):
    """A ball joint with a cone off centre, one with none, a hinge that wraps, on a free base."""
    options = {"cone": 0.8, "center": (0.4, 0.2), "twist": (-1.0, 1.5)} if limited else {}
    return mk.Figure(
        "balls",
        ["base", "upper", "lower", "tip"],
        [
            mk.Joint.ball("shoulder", "base", "upper", placement=(0, 0, 0.1), **options),
            mk.Joint.ball("elbow", "upper", "lower", placement=(0, 0, 0.3)),
            mk.Joint.continuous("spin", "lower", "tip", placement=(0, 0, 0.3)),
        ],
        base="free",
    )


def planar_arm(links=4, velocity=None):
    """Hinges about z, 0.3 m apart."""
    names = [f"link{k}" for k in range(links + 1)]
    joints = [
        mk.Joint.revolute(
            f"j{k}",
            names[k],
            names[k + 1],
            placement=(0.3 if k else 0.0, 0, 0),
            lower=-2.6,
            upper=2.6,
            velocity=velocity,
        )
        for k in range(links)
    ]
    return mk.Figure("planar", names, joints, [mk.Site("tool", names[-1], (0.3, 0, 0))])

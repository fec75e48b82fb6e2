"""The papers' own problems."""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.papers.chains import branched_chain, planar_chain

DOWN = np.diag([-1.0, 1.0, -1.0])
BRANCHED = (1.2, -0.3, 0.3, -0.5, -0.4, -0.3, 0.7, 0.4, 0.3)


def three_links(**options) -> mk.Problem:
    """Example 3.1, and the planar chain of Korein and Badler."""
    return mk.Problem(planar_chain(rest=[0.6, 0.5, 0.4], **options), [mk.Position("P3", [1.0, 1.8, 0.0])])


def branched(effectors: int, **options) -> mk.Problem:
    """Example 5.7 with two end effectors; section 6 with three and four."""
    figure = branched_chain(rest=BRANCHED, **options)
    start = figure.pose()
    moves = {"P6": (0.3, -3.5), "P9": (1.3, -0.9), "P4": (0.7, -2.1), "P2": (0.0, -1.0)}
    goals = [
        mk.Position(site, start.position(site) + np.array([*moves[site], 0.0]))
        for site in list(moves)[:effectors]
    ]
    return mk.Problem(figure, goals)

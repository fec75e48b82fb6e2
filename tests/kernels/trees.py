"""Figures with several limbs, and goals of every kind spread over them."""

from __future__ import annotations

import numpy as np

import manikin as mk
from manikin.figure import Figure, Follow, Joint, Site, transforms

from .support import placed


def branched(base: str = "fixed", *, crossed: bool = False) -> Figure:
    """Two arms on a waist and a leg that is not: turns, slides and balls; crossed: a wrist follows the other arm."""
    follow = Follow({"right_y": 0.6, "waist_z": -0.3}, 0.1) if crossed else None
    joints = [
        Joint("waist", "o", "chest", "R(z)*R(x)", placed(0.1, 0.2, 0.3, 0.4, -0.2, 0.1)),
        Joint("left", "chest", "la", "ball(x)", placed(0.3, 0.0, 0.1, 0.0, 0.3, 0.5)),
        Joint("right", "chest", "ra", "R(y)*T(x)", placed(-0.3, 0.1, 0.1, 0.2, 0.0, 0.5)),
        Joint("wrist", "la", "lb", "R(x)*T(z)", [0.3, 0.0, 0.0], follow=(None, follow)),
        Joint("thumb", "lb", "lc", "R(1,2,0)", [0.1, 0.1, 0.0]),
        Joint("elbow", "ra", "rb", "R(y)*R(z)", [0.2, 0.1, 0.1]),
        Joint("hip", "o", "leg", "R(y)*R(x)*T(z)", [0.0, 0.2, -0.3]),
    ]
    sites = [
        Site("tip", "lc", placed(0.1, 0.02, 0.03, 0.5, -0.1, 0.7)),
        Site("right", "rb", placed(0.2, 0.02, 0.03, 0.1, -0.1, 0.7)),
        Site("chest", "chest", [0.1, 0.2, 0.3]),
        Site("foot", "leg", placed(0.0, 0.1, -0.4, 0.3, 0.0, 0.2)),
        Site("ground", "o", [0.5, 0.0, 0.0]),
    ]
    return Figure("branched", ["o", "chest", "la", "ra", "lb", "lc", "rb", "leg"], joints, sites, base=base)


def spread_goals() -> list:
    """Goals of every kind, in no particular order of limbs."""
    turn = transforms.exp([0.8, -1.1, 0.5])
    return [
        mk.Position("tip", [0.7, -0.4, 0.9], weight=1.7),
        mk.Placement("foot", [0.1, 0.4, -0.9], turn, position_share=0.3),
        mk.OnPlane("right", [0.2, 0.1, 0.4], [1.0, -2.0, 0.5], weight=2.5),
        mk.Orientation("tip", turn, axes=(0.2, 3.0, 1.0)),
        mk.Aim("chest", [2.0, 1.0, 0.5], weight=0.4),
        mk.OnLine("foot", [0.3, 0.1, 0.2], [0.0, 1.0, 1.0]),
        mk.Placement("right", [0.3, 0.3, 0.9], turn, axes=(1.0, 0.5, 0.0), degrees_per_metre=90.0),
        mk.Position("ground", np.zeros(3), weight=0.3),
        mk.Orientation("right", turn.T),
    ]

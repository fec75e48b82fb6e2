"""Where people hold the elbow: the fits of Soechting and Flanders (1989) to pointing arms.

Of the target seen from the shoulder, with R its distance in cm, χ its azimuth (to the arm's own side) and ψ its
elevation in degrees, the upper arm's elevation from straight down and its yaw from straight ahead are linear functions.
The fit leaves centimetres of error at the hand, so only the elbow's direction is taken from it.
"""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin

import numpy as np

from manikin.errors import SolveError
from manikin.figure.pose import Pose

#: Constant and factors of R, χ and ψ: elevation, then yaw, of the upper arm.
TABLES = {
    "dark": ((-4.0, 1.10, 0.0, 0.90), (13.2, 0.0, 0.86, 0.11)),
    "accurate": ((-6.7, 1.09, 0.0, 1.10), (67.7, -0.68, 1.00, 0.0)),
}


#: The small swivel angle of tolani-badler-1996, away from the body: elbow down and a little out.
SMALL = 0.2


def outwards(site: str) -> float:
    """The sign of a swivel angle that brings the elbow away from the body, on the limb's side."""
    return -1.0 if site.startswith("right") else 1.0


def seen(pose: Pose, site: str, away: np.ndarray) -> tuple[float, float, float]:
    """A direction of the world as the chest has it: ahead, to the limb's own side, up."""
    forward, outward, up = _axes(pose, site)
    return float(away @ forward), float(away @ outward), float(away @ up)


def _axes(pose: Pose, site: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chest = pose.matrix("chest")[:3, :3] if "chest" in pose.figure.sites else np.eye(3)
    outward = -chest[:, 1] if site.startswith("right") else chest[:, 1]
    return chest[:, 0], outward, chest[:, 2]


def upper_arm(pose: Pose, site: str, shoulder: np.ndarray, target: np.ndarray, table: str) -> np.ndarray:
    """The direction of the upper arm, in the world, when a hand on the arm of `site` points at `target`."""
    if table not in TABLES:
        raise SolveError(f"natural elbow: unknown table {table!r}; expected one of: {', '.join(TABLES)}")
    forward, outward, up = _axes(pose, site)
    away = target - shoulder
    ahead, aside, above = seen(pose, site, away)
    terms = (
        1.0,
        100.0 * float(np.linalg.norm(away)),
        degrees(atan2(aside, ahead)),
        degrees(atan2(above, hypot(ahead, aside))),
    )
    elevation, yaw = (radians(sum(c * x for c, x in zip(row, terms, strict=True))) for row in TABLES[table])
    return sin(elevation) * (cos(yaw) * forward + sin(yaw) * outward) - cos(elevation) * up

"""Children: stature and mass by age, and how their proportions differ from grown people's.

Stature and mass are the medians of the CDC's growth charts (Kuczmarski and others 2002, Vital Health Stat. 11:246),
every second year from 2 to 18: the rows of 24.5, 48.5, … months, to the millimetre and to 0.1 kg. Proportions are
rounded from the means of Snyder and others (1977, Anthropometry of Infants, Children and Youths to Age 18,
UM-HSRI-77-17), the head's size from head circumferences (Nellhaus 1968, Pediatrics 41:106), sitting height over stature
from Fredriks and others (2005, Arch. Dis. Child. 90:807). They are approximate, to within some 5 % of a length. Between
the ages of the table they run linearly, and into the sex's own at 20. Shares of mass stay those of adults, though a
child's head weighs more than they say; ranges of motion too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from manikin.figure.human.proportions import BY_SEX, Proportions

AGES = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0, 20.0)
#: Metres and kilograms by age; the last entry, at 20, is that of the tables of adults.
STATURE = {
    "male": (0.869, 1.025, 1.157, 1.281, 1.388, 1.493, 1.641, 1.736, 1.762),
    "female": (0.854, 1.010, 1.150, 1.278, 1.382, 1.515, 1.605, 1.626, 1.631),
}
MASS = {
    "male": (12.7, 16.3, 20.8, 25.8, 32.1, 40.7, 51.2, 61.1, 67.3),
    "female": (12.1, 15.9, 20.3, 25.8, 33.1, 41.8, 49.5, 53.9, 56.2),
}
#: Sitting height over stature, less the adult's.
SITTING = (0.052, 0.030, 0.017, 0.008, 0.001, -0.005, -0.008, -0.004, -0.001)
#: The head's lengths over an adult's.
HEAD = (0.87, 0.90, 0.92, 0.935, 0.95, 0.965, 0.98, 0.99, 1.0)
#: Fractions of stature over an adult's, at 2, 6, 10, 14 and 20 years.
_KNOTS = (2.0, 6.0, 10.0, 14.0, 20.0)
FRACTIONS: dict[str, tuple[float, ...]] = {
    "upper_arm": (0.93, 0.955, 0.98, 1.0, 1.0),
    "forearm": (0.93, 0.955, 0.98, 1.0, 1.0),
    "hand": (1.02, 1.0, 1.0, 1.01, 1.0),
    "hand_breadth": (1.08, 1.03, 0.99, 1.0, 1.0),
    "foot": (1.0, 1.02, 1.03, 1.02, 1.0),
    "foot_breadth": (1.10, 1.06, 1.03, 1.02, 1.0),
    "ball_of_foot": (1.0, 1.02, 1.03, 1.02, 1.0),
    "biacromial": (0.97, 0.95, 0.94, 0.96, 1.0),
    "hip_breadth": (0.93, 0.88, 0.88, 0.93, 1.0),
    "chest_breadth": (1.08, 1.0, 0.97, 0.97, 1.0),
    "chest_depth": (0.97, 0.88, 0.86, 0.89, 1.0),
    "waist_breadth": (1.0, 0.91, 0.87, 0.87, 1.0),
    "waist_depth": (1.05, 0.91, 0.85, 0.85, 1.0),
    "buttock_depth": (0.93, 0.86, 0.87, 0.91, 1.0),
    "neck_girth": (1.12, 1.0, 0.94, 0.95, 1.0),
    "upper_arm_girth": (0.90, 0.80, 0.81, 0.86, 1.0),
    "forearm_girth": (0.98, 0.89, 0.87, 0.91, 1.0),
    "wrist_girth": (1.18, 1.06, 1.01, 1.0, 1.0),
    "thigh_girth": (0.88, 0.84, 0.87, 0.91, 1.0),
    "lower_thigh_girth": (0.95, 0.93, 0.93, 0.95, 1.0),
    "calf_girth": (1.0, 0.92, 0.92, 0.95, 1.0),
    "ankle_girth": (1.20, 1.10, 1.06, 1.04, 1.0),
}
_HEAD_LENGTHS = ("tragion_to_vertex", "head_length", "head_breadth", "interpupillary")
_TRUNK_HEIGHTS = ("omphalion_height", "acromion_height", "suprasternale_height")


def child(age: float, sex: str, stature: float | None = None, mass: float | None = None) -> Proportions:
    """The mean child of an age from 2 to 20 years, or one of another stature and mass with that age's proportions."""
    grown = BY_SEX[sex]
    tall = float(np.interp(age, AGES, (*STATURE[sex], grown.stature)))
    heavy = float(np.interp(age, AGES, (*MASS[sex], grown.mass)))
    height = tall if stature is None else stature
    weight = heavy * (height / tall) ** 3 if mass is None else mass
    own = {
        name: getattr(grown, name) * float(np.interp(age, _KNOTS, factors))
        for name, factors in FRACTIONS.items()
    }
    # The head against this body: its lengths over an adult's, over the ratio of statures.
    head = float(np.interp(age, AGES, (*HEAD, 1.0))) * grown.stature / tall
    own.update({name: getattr(grown, name) * head for name in _HEAD_LENGTHS})
    longer = float(np.interp(age, AGES, (*SITTING, 0.0)))
    hip = grown.hip_height - longer
    nape = 1.0 - (1.0 - grown.cervicale_height) * (1.0 + 0.85 * (head - 1.0))
    rise = (nape - hip) / (grown.cervicale_height - grown.hip_height)
    own.update({name: hip + (getattr(grown, name) - grown.hip_height) * rise for name in _TRUNK_HEIGHTS})
    leg = hip / grown.hip_height
    own.update(
        {
            name: getattr(grown, name) * leg
            for name in ("knee_height", "popliteal_height", "sitting_knee_height")
        }
    )
    sitting = grown.sitting_height + longer
    arms = sum(own[name] - getattr(grown, name) for name in ("upper_arm", "forearm", "hand"))
    own.update(
        hip_height=hip,
        cervicale_height=nape,
        sitting_height=sitting,
        sitting_eye_height=sitting - (grown.sitting_height - grown.sitting_eye_height) * head,
        span=grown.span + 2.0 * arms + own["biacromial"] - grown.biacromial,
        stature=height,
        mass=weight,
        stature_deviation=0.0,
        mass_deviation=0.0,
        mass_slope=0.0,
        head=head,
    )
    return replace(grown, **own)

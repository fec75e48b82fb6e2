"""Body sizes by sex: stature and mass of a population, and lengths as fractions of stature.

Means of ANSUR II (4082 men and 1986 women of the US Army, measured 2010–2012). Every length scales with stature,
so a person of the 5th or 95th percentile has the mean person's proportions. These are surface landmarks; the
files of the limbs say where the centres of the joints lie beneath them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Proportions:
    """One sex. Statures in metres, masses in kilograms, everything else a fraction of stature.

    mass_slope: kilograms a metre, the regression of mass on stature. head: how much larger than an adult's the head is
    against the body. belly: how far it comes forward besides.
    """

    stature: float
    stature_deviation: float
    mass: float
    mass_deviation: float
    mass_slope: float
    ankle_height: float
    knee_height: float
    hip_height: float
    omphalion_height: float
    acromion_height: float
    suprasternale_height: float
    cervicale_height: float
    tragion_to_vertex: float
    upper_arm: float
    forearm: float
    hand: float
    hand_breadth: float
    foot: float
    foot_breadth: float
    ball_of_foot: float
    biacromial: float
    hip_breadth: float
    chest_breadth: float
    chest_depth: float
    waist_breadth: float
    waist_depth: float
    buttock_depth: float
    head_length: float
    head_breadth: float
    interpupillary: float
    span: float
    sitting_height: float
    sitting_eye_height: float
    popliteal_height: float
    sitting_knee_height: float
    neck_girth: float
    upper_arm_girth: float
    forearm_girth: float
    wrist_girth: float
    thigh_girth: float
    lower_thigh_girth: float
    calf_girth: float
    ankle_girth: float
    head: float = 1.0
    belly: float = 0.0

    @property
    def seat_below_hip(self) -> float:
        """From the centre of the hip down to the seat: sitting height less what of stature is above the hip."""
        return self.sitting_height - (1.0 - self.hip_height)

    @property
    def eye_height(self) -> float:
        """Standing, from the height sitting on the same spine."""
        return self.sitting_eye_height - self.seat_below_hip + self.hip_height


MALE = Proportions(
    stature=1.7562,
    stature_deviation=0.0686,
    mass=85.52,
    mass_deviation=14.22,
    mass_slope=97.27,
    ankle_height=0.0415,
    knee_height=0.2799,
    hip_height=0.5128,
    omphalion_height=0.6016,
    acromion_height=0.8203,
    suprasternale_height=0.8191,
    cervicale_height=0.8639,
    tragion_to_vertex=0.0748,
    upper_arm=0.1909,
    forearm=0.1525,
    hand=0.1101,
    hand_breadth=0.0503,
    foot=0.1544,
    foot_breadth=0.0580,
    ball_of_foot=0.1144,
    biacromial=0.2368,
    hip_breadth=0.1970,
    chest_breadth=0.1649,
    chest_depth=0.1446,
    waist_breadth=0.1860,
    waist_depth=0.1355,
    buttock_depth=0.1400,
    head_length=0.1137,
    head_breadth=0.0880,
    interpupillary=0.0365,
    span=1.0330,
    sitting_height=0.5231,
    sitting_eye_height=0.4582,
    popliteal_height=0.2446,
    sitting_knee_height=0.3155,
    neck_girth=0.2264,
    upper_arm_girth=0.2039,
    forearm_girth=0.1765,
    wrist_girth=0.1002,
    thigh_girth=0.3560,
    lower_thigh_girth=0.2331,
    calf_girth=0.2234,
    ankle_girth=0.1306,
)

FEMALE = Proportions(
    stature=1.6285,
    stature_deviation=0.0642,
    mass=67.76,
    mass_deviation=10.98,
    mass_slope=91.28,
    ankle_height=0.0385,
    knee_height=0.2860,
    hip_height=0.5190,
    omphalion_height=0.6019,
    acromion_height=0.8198,
    suprasternale_height=0.8164,
    cervicale_height=0.8570,
    tragion_to_vertex=0.0778,
    upper_arm=0.1911,
    forearm=0.1482,
    hand=0.1112,
    hand_breadth=0.0480,
    foot=0.1513,
    foot_breadth=0.0570,
    ball_of_foot=0.1118,
    biacromial=0.2244,
    hip_breadth=0.2174,
    chest_breadth=0.1655,
    chest_depth=0.1520,
    waist_breadth=0.1842,
    waist_depth=0.1309,
    buttock_depth=0.1430,
    head_length=0.1167,
    head_breadth=0.0909,
    interpupillary=0.0379,
    span=1.0195,
    sitting_height=0.5262,
    sitting_eye_height=0.4593,
    popliteal_height=0.2383,
    sitting_knee_height=0.3139,
    neck_girth=0.2025,
    upper_arm_girth=0.1876,
    forearm_girth=0.1622,
    wrist_girth=0.0951,
    thigh_girth=0.3784,
    lower_thigh_girth=0.2461,
    calf_girth=0.2292,
    ankle_girth=0.1325,
)

BY_SEX = {"male": MALE, "female": FEMALE}

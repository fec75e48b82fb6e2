"""How far the joints go, in degrees.

Limbs: AAOS (American Academy of Orthopaedic Surgeons), (lower, upper) in the sense of the name, but hips, knees and
ankles as far as body weight takes them in deep squats, on the knees and cross-legged (Hemmerich et al. 2006, J.
Orthop. Res. 24:770), which is farther than a clinician's hand does: hip 140 (AAOS 120) of flexion, 60 (45) of
abduction and rotation, knee 160 (135), ankle 40 (20) of dorsiflexion. The neck extends by 70 and flexes by 55 (Youdas
et al. 1992, Phys. Ther. 72:770; AAOS 45 each). Of 18,373 recorded everyday postures 87 % lie inside these ranges and
62 % inside those of the AAOS; of squats 38 and 2 % (``tools/posture``). Vertebrae: White and Panjabi, flexion +
extension together, then to one side laterally and in rotation, thoracic rotation halved as in the living. The whole
neck and the whole thoracolumbar spine go less far than their vertebrae together; `NECK` and `TRUNK` bound the sums.
Eyes and the adduction of the shoulder are in neither table: common clinical figures.
"""

from __future__ import annotations

from functools import cache

#: One-axis movements of the limbs, each by its name without side.
LIMBS: dict[str, tuple[float, float]] = {
    "clavicle_elevation": (-10.0, 45.0),
    "clavicle_protraction": (-30.0, 30.0),
    "shoulder_abduction": (-70.0, 180.0),
    "shoulder_flexion": (-60.0, 180.0),
    "shoulder_rotation": (-90.0, 70.0),
    "elbow": (0.0, 150.0),
    "forearm_pronation": (-80.0, 80.0),
    "wrist_flexion": (-70.0, 80.0),
    "wrist_deviation": (-30.0, 20.0),
    "thumb_cmc_flexion": (-20.0, 33.0),
    "thumb_cmc_abduction": (0.0, 42.0),
    "thumb_mcp": (0.0, 50.0),
    "thumb_ip": (0.0, 80.0),
    "mcp_flexion": (-45.0, 90.0),
    "mcp_spread": (-20.0, 20.0),
    "pip": (0.0, 100.0),
    "dip": (0.0, 90.0),
    "hip_abduction": (-30.0, 60.0),
    "hip_flexion": (-30.0, 140.0),
    "hip_rotation": (-60.0, 60.0),
    "knee": (0.0, 160.0),
    "ankle_flexion": (-50.0, 40.0),
    "ankle_inversion": (-15.0, 35.0),
    "toes": (-45.0, 70.0),
    "eyes_azimuth": (-35.0, 35.0),
    "eyes_elevation": (-35.0, 25.0),
}

#: Joint: (flexion + extension, lateral to one side, rotation to one side), from the sacrum upwards.
VERTEBRAE: dict[str, tuple[float, float, float]] = {
    "spine_l5_s1": (17.0, 3.0, 1.0),
    "spine_l4_l5": (16.0, 6.0, 2.0),
    "spine_l3_l4": (15.0, 8.0, 2.0),
    "spine_l2_l3": (14.0, 6.0, 2.0),
    "spine_l1_l2": (12.0, 6.0, 2.0),
    "spine_t12_l1": (12.0, 8.0, 2.0),
    "spine_t11_t12": (12.0, 9.0, 1.0),
    "spine_t10_t11": (9.0, 7.0, 1.0),
    "spine_t9_t10": (6.0, 6.0, 2.0),
    "spine_t8_t9": (6.0, 6.0, 3.5),
    "spine_t7_t8": (6.0, 6.0, 4.0),
    "spine_t6_t7": (5.0, 6.0, 4.0),
    "spine_t5_t6": (4.0, 5.0, 4.0),
    "spine_t4_t5": (4.0, 5.0, 4.0),
    "spine_t3_t4": (4.0, 5.0, 4.0),
    "spine_t2_t3": (4.0, 5.0, 4.0),
    "spine_t1_t2": (4.0, 6.0, 4.5),
    "neck_c7_t1": (9.0, 4.0, 2.0),
    "neck_c6_c7": (17.0, 7.0, 6.0),
    "neck_c5_c6": (20.0, 8.0, 7.0),
    "neck_c4_c5": (20.0, 11.0, 7.0),
    "neck_c3_c4": (15.0, 11.0, 7.0),
    "neck_c2_c3": (10.0, 10.0, 3.0),
    "neck_c1_c2": (20.0, 5.0, 40.0),
    "neck_c0_c1": (25.0, 5.0, 5.0),
}

#: Whole regions: movement: (lower, upper), of the sum over their joints.
TRUNK = {"flexion": (-25.0, 80.0), "side_bend": (-35.0, 35.0), "twist": (-45.0, 45.0)}
NECK = {"flexion": (-70.0, 55.0), "side_bend": (-45.0, 45.0), "twist": (-60.0, 60.0)}
REGIONS = {"spine": TRUNK, "neck": NECK}

#: Spread of a finger falls from its full range at no flexion to none at this, degrees.
SPREAD_ENDS_AT = 90.0


def region(joint: str) -> str:
    """``"spine"`` or ``"neck"``, by the joint's name."""
    return joint.split("_", 1)[0]


@cache
def vertebra(joint: str) -> dict[str, tuple[float, float]]:
    """Movement: (lower, upper) of one vertebral joint.

    Flexion and extension share their sum as they do in the whole region: 80 to 25 in the trunk, evenly in the neck.
    """
    sagittal, lateral, axial = VERTEBRAE[joint]
    low, high = REGIONS[region(joint)]["flexion"]
    share = sagittal / (high - low)
    return {
        "flexion": (share * low, share * high),
        "side_bend": (-lateral, lateral),
        "twist": (-axial, axial),
    }


@cache
def joints_of(name: str) -> tuple[str, ...]:
    """The joints of ``"spine"`` or ``"neck"``, from below."""
    return tuple(joint for joint in VERTEBRAE if region(joint) == name)

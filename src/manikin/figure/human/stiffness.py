"""How unwilling joints are to move, beside an elbow's 1: 1/σ² of what people do, in units of an elbow's.

Measured from recorded everyday postures (CMU motion capture, fitted by this figure): σ is the spread of a coordinate
over them. What the recordings do not tell (clavicles, wrists, toes, eyes) was chosen by looking at poses.

A region of the spine counts as one joint: with K its stiffness and w_i its joints' shares of a movement (Σ w_i = 1),
joint i has K / w_i. Σ K/w_i · q_i² is then least, for a given sum of the q_i, at q_i = w_i Σ q, where it is K (Σ q)²:
the full spine moves as the one that a few coordinates bend.
"""

from __future__ import annotations

#: Whole regions: movement: stiffness.
REGIONS = {
    "spine": {"flexion": 2.4, "side_bend": 6.8, "twist": 4.0},
    "neck": {"flexion": 2.6, "side_bend": 6.0, "twist": 2.2},
}
LIMBS = {
    "eyes_azimuth": 1.5,
    "eyes_elevation": 1.5,
    "clavicle_elevation": 20.0,
    "clavicle_protraction": 20.0,
    "shoulder_abduction": 2.2,
    "wrist_flexion": 1.5,
    "wrist_deviation": 2.0,
    "hip_abduction": 5.5,
    "hip_flexion": 1.2,
    "hip_rotation": 3.6,
    "knee": 1.2,
    "ankle_flexion": 4.4,
    "ankle_inversion": 7.6,
    "toes": 4.0,
}
#: The root's six or three axes; slides in a radian of the elbow's a metre.
BASES = {"free": (24.0, 40.0, 18.0, 12.7, 4.0, 1.9), "planar": (24.0, 40.0, 1.9)}

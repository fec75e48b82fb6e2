"""How unwilling joints are to move, beside an elbow's 1: what people do not bend without need is stiffer.

A region of the spine counts as one joint: with K its stiffness and w_i its joints' shares of a movement (Σ w_i = 1),
joint i has K / w_i. Σ K/w_i · q_i² is then least, for a given sum of the q_i, at q_i = w_i Σ q, where it is K (Σ q)²:
the full spine moves as the one that a few coordinates bend. Chosen by looking at poses, not measured.
"""

from __future__ import annotations

#: Whole regions: movement: stiffness.
REGIONS = {
    "spine": {"flexion": 50.0, "side_bend": 120.0, "twist": 40.0},
    "neck": {"flexion": 2.0, "side_bend": 6.0, "twist": 2.0},
}
LIMBS = {
    "eyes_azimuth": 1.5,
    "eyes_elevation": 1.5,
    "clavicle_elevation": 20.0,
    "clavicle_protraction": 20.0,
    "wrist_flexion": 1.5,
    "wrist_deviation": 2.0,
    "hip_abduction": 2.0,
    "hip_rotation": 2.0,
    "ankle_flexion": 150.0,
    "ankle_inversion": 150.0,
    "toes": 4.0,
}
#: The root's six or three axes: while arms can reach, the pelvis stays, and the trunk does not lean.
BASES = {"free": (1000.0, 1000.0, 200.0, 200.0, 150.0, 60.0), "planar": (1000.0, 1000.0, 60.0)}

"""Measures a human figure as people are measured: standing, sitting, arms spread."""

from __future__ import annotations

import numpy as np

from manikin.figure.figure import Figure
from manikin.figure.human.presets import preset


def measurements(figure: Figure) -> dict[str, float]:
    """Lengths in metres of a `human` figure with a free base, taken between its sites in suitable poses.

    Heights are above the soles, those of sitting above the seat; ``arm_reach`` is from the acromion to the tip of the
    middle finger of the hanging arm.
    """
    rest, sitting, spread = figure.pose(), preset(figure, "sit"), preset(figure, "t-pose")

    def height(site: str) -> float:
        return float(rest.position(site)[2] - rest.position("left_heel")[2])

    def seated(site: str) -> float:
        return float(sitting.position(site)[2] - sitting.position("seat")[2])

    def apart(first: str, second: str) -> float:
        return float(np.linalg.norm(rest.position(first) - rest.position(second)))

    return {
        "stature": height("vertex"),
        "eye_height": height("eyes"),
        "acromion_height": height("left_acromion"),
        "hip_height": height("left_hip"),
        "knee_height": height("left_knee"),
        "ankle_height": height("left_ankle"),
        "biacromial_breadth": apart("left_acromion", "right_acromion"),
        "arm_reach": height("left_acromion") - height("left_dactylion"),
        "hand_length": apart("left_wrist", "left_dactylion"),
        "foot_length": apart("left_heel", "left_toe"),
        "span": float(np.linalg.norm(spread.position("left_dactylion") - spread.position("right_dactylion"))),
        "sitting_height": seated("vertex"),
        "sitting_eye_height": seated("eyes"),
        "popliteal_height": float(sitting.position("seat")[2] - sitting.position("left_heel")[2]),
    }

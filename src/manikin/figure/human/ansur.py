"""Statistics of ANSUR II: how 40 measures of the body are spread, and how they go together, men and women apart.

4082 men and 1986 women of the US Army, measured 2010–2012. Kept are the means and the covariances of the measures'
logarithms (`ansur.json`): a drawn person is exp(μ + L z), Σ = L Lᵀ, z standard normal. Logarithms, since masses and
girths are skewed and no length is below zero; the percentile of one measure is exp(μᵢ + σᵢ zₚ).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

import numpy as np

from manikin.errors import FigureError
from manikin.figure.checks import near
from manikin.figure.human.proportions import BY_SEX, Proportions

_MM, _TENTH = 1e-3, 1e-4
#: Our measure: column of ANSUR II, and what its unit is in metres or kilograms.
COLUMNS: dict[str, tuple[str, float]] = {
    "stature": ("stature", _MM),
    "mass": ("weightkg", 0.1),
    "ankle_height": ("lateralmalleolusheight", _MM),
    "knee_height": ("lateralfemoralepicondyleheight", _MM),
    "hip_height": ("trochanterionheight", _MM),
    "omphalion_height": ("waistheightomphalion", _MM),
    "acromion_height": ("acromialheight", _MM),
    "suprasternale_height": ("suprasternaleheight", _MM),
    "cervicale_height": ("cervicaleheight", _MM),
    "tragion_to_vertex": ("tragiontopofhead", _MM),
    "upper_arm": ("acromionradialelength", _MM),
    "forearm": ("radialestylionlength", _MM),
    "hand": ("handlength", _MM),
    "hand_breadth": ("handbreadth", _MM),
    "foot": ("footlength", _MM),
    "foot_breadth": ("footbreadthhorizontal", _MM),
    "ball_of_foot": ("balloffootlength", _MM),
    "biacromial": ("biacromialbreadth", _MM),
    "hip_breadth": ("hipbreadth", _MM),
    "chest_breadth": ("chestbreadth", _MM),
    "chest_depth": ("chestdepth", _MM),
    "waist_breadth": ("waistbreadth", _MM),
    "waist_depth": ("waistdepth", _MM),
    "buttock_depth": ("buttockdepth", _MM),
    "head_length": ("headlength", _MM),
    "head_breadth": ("headbreadth", _MM),
    "interpupillary": ("interpupillarybreadth", _TENTH),
    "span": ("span", _MM),
    "sitting_height": ("sittingheight", _MM),
    "sitting_eye_height": ("eyeheightsitting", _MM),
    "popliteal_height": ("poplitealheight", _MM),
    "sitting_knee_height": ("kneeheightsitting", _MM),
    "neck_girth": ("neckcircumference", _MM),
    "upper_arm_girth": ("bicepscircumferenceflexed", _MM),
    "forearm_girth": ("forearmcircumferenceflexed", _MM),
    "wrist_girth": ("wristcircumference", _MM),
    "thigh_girth": ("thighcircumference", _MM),
    "lower_thigh_girth": ("lowerthighcircumference", _MM),
    "calf_girth": ("calfcircumference", _MM),
    "ankle_girth": ("anklecircumference", _MM),
}
MEASURES = tuple(COLUMNS)
SEXES = ("male", "female")


@dataclass(frozen=True, eq=False)
class Statistics:
    """One sex: mean and covariance of the logarithms of all measures, in the order of `MEASURES`."""

    people: int
    mean: np.ndarray
    covariance: np.ndarray

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviations of the logarithms."""
        return np.sqrt(np.diag(self.covariance))

    def given(self, known: Mapping[str, float]) -> np.ndarray:
        """The likeliest person with these measures: μ₂ + Σ₂₁ Σ₁₁⁻¹ (x₁ − μ₁), of the logarithms, back in metres and
        kg.
        """
        index = [measure_index(name) for name in known]
        logs = self.mean.copy()
        if index:
            off = np.log(list(known.values())) - self.mean[index]
            logs += self.covariance[:, index] @ np.linalg.solve(self.covariance[np.ix_(index, index)], off)
        return np.exp(logs)


def measure_index(name: str) -> int:
    """The place of a measure, by its name."""
    if name not in COLUMNS:
        raise FigureError(f"population: unknown measure {name!r}; {near(str(name), COLUMNS)}")
    return MEASURES.index(name)


@cache
def statistics(sex: str) -> Statistics:
    """The statistics of one sex."""
    if sex not in SEXES:
        raise FigureError(f"population: unknown sex {sex!r}; expected one of: {', '.join(SEXES)}")
    text = resources.files("manikin.figure.human").joinpath("ansur.json").read_text(encoding="utf-8")
    found = json.loads(text)[sex]
    covariance = np.zeros((len(MEASURES), len(MEASURES)))
    covariance[np.tril_indices(len(MEASURES))] = found["covariance"]
    covariance += np.tril(covariance, -1).T
    return Statistics(int(found["people"]), np.array(found["mean"]), covariance)


#: From the centre of the hip to the seat, at least so much of stature: heights standing and sitting are measured over
#: other landmarks, and their difference is mostly error.
LEAST_SEAT = 0.015


def proportions(measures: np.ndarray, sex: str) -> Proportions:
    """One person's own proportions: every length over that person's stature.

    The span is that of the person's own arms and shoulders on the mean person's girdle, and the seat lies at least
    `LEAST_SEAT` below the hips.
    """
    own = dict(zip(MEASURES, measures.tolist(), strict=True))
    stature, mass = own["stature"], own["mass"]
    table = {field.name: own[field.name] / stature for field in fields(Proportions) if field.name in own}
    table.update(stature=stature, mass=mass, stature_deviation=0.0, mass_deviation=0.0, mass_slope=0.0)
    mean = BY_SEX[sex]
    arms = sum(table[name] - getattr(mean, name) for name in ("upper_arm", "forearm", "hand"))
    table["span"] = mean.span + 2.0 * arms + (table["biacromial"] - mean.biacromial)
    above = 1.0 - table["hip_height"]
    table["sitting_eye_height"] += max(above + LEAST_SEAT - table["sitting_height"], 0.0)
    table["sitting_height"] = max(table["sitting_height"], above + LEAST_SEAT)
    return Proportions(**table)

"""The human stays who it is: fingerprints of all its numbers, so that no change of how it is built changes it
unawares.
"""

from __future__ import annotations

import numpy as np
import pytest

from manikin.figure import Figure
from manikin.figure.human import human

#: Options: how many numbers, and their sum under the weights of `fingerprint`.
KNOWN: dict[str, tuple[dict, int, float]] = {
    "mean": ({}, 10670, 14171.537446777973),
    "small": ({"stature": 1.5, "mass": 90.0}, 10670, 14172.379619266272),
    "fifth woman": ({"sex": "female", "percentile": 5.0}, 10670, 14166.748309100218),
    "tall": ({"percentile": 97.5}, 10670, 14175.940780601406),
    "mittens": ({"fingers": False, "base": "fixed"}, 7950, -8396.59425278072),
    "bend": ({"spine": "bend", "girdle": False}, 10289, -5773.833362169904),
    "cones": ({"swings": "cones", "base": "planar", "stature": 0.6}, 10623, -15830.42504930332),
}


#: Of each kind of motion, whatever its number in the tree is.
_NUMBERS = {"rotate": 0, "slide": 1, "swing_twist": 2, "twist_swing": 3, "rotation_vector": 4}


def numbers(figure: Figure) -> np.ndarray:
    """Every number of a figure, in order."""
    tree = figure.tree
    found = [
        figure.lower,
        figure.upper,
        figure.rest,
        figure.stiffness,
        tree.parent,
        [_NUMBERS[kind.name] for kind in tree.kinds],
        tree.axis,
        tree.placement,
        tree.axis_offset,
        tree.drive_axis,
        tree.drive_dof,
        tree.drive_coefficient,
        tree.segment_motion,
        tree.segment_placement,
        tree.segment_mass,
        tree.segment_com,
        *(site.placement for site in figure.sites.values()),
        *([coupling.lower, coupling.upper, *coupling.coefficients.values()] for coupling in figure.couplings),
    ]
    for segment in figure.segments.values():
        found.append(np.zeros(0) if segment.inertia is None else segment.inertia)
        for shape in segment.shapes:
            found += [shape.size, shape.placement, shape.color]
    flat = np.concatenate([np.ravel(entry) for entry in found])
    return np.clip(flat, -1e4, 1e4)  # limits may be infinite


def fingerprint(figure: Figure) -> tuple[int, float]:
    flat = numbers(figure)
    return len(flat), float(flat @ np.cos(np.arange(len(flat))))


@pytest.mark.parametrize("name", KNOWN)
def test_all_numbers_are_those_known(name):
    options, count, total = KNOWN[name]
    found = fingerprint(human(**options))
    assert found[0] == count
    assert found[1] == pytest.approx(total, abs=1e-9)


def test_a_thousandth_of_a_millimetre_anywhere_would_show():
    figure = human()
    name, site = "eyes", figure.sites["eyes"]
    moved = figure.with_site(name, site.segment, site.placement[:3, 3] + [1e-6, 0.0, 0.0])
    assert abs(fingerprint(moved)[1] - fingerprint(figure)[1]) > 1e-8


def test_building_others_in_between_changes_nothing():
    first = numbers(human(1.6, sex="female"))
    human(1.9)
    human(fingers=False, spine="bend")
    assert np.array_equal(numbers(human(1.6, sex="female")), first)

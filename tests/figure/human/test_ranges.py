"""Ranges of the built figure against the tables, written out again here."""

from __future__ import annotations

from math import degrees, radians

import pytest

import manikin as mk

from .random_poses import random_poses

#: AAOS, but for hips, knees and ankles: those of people in squats, on seats and on their knees.
LIMBS = {
    "shoulder_flexion": (-60, 180),
    "shoulder_abduction": (None, 180),
    "shoulder_rotation": (-90, 70),
    "elbow": (0, 150),
    "forearm_pronation": (-80, 80),
    "wrist_flexion": (-70, 80),
    "wrist_deviation": (-30, 20),
    "hip_flexion": (-30, 140),
    "hip_abduction": (-30, 60),
    "hip_rotation": (-60, 60),
    "knee": (0, 160),
    "ankle_flexion": (-50, 40),
    "ankle_inversion": (-15, 35),
    "toes": (-45, 70),
    "clavicle_elevation": (-10, 45),
    "clavicle_protraction": (-30, 30),
    "thumb_mcp": (0, 50),
    "thumb_ip": (0, 80),
    "thumb_cmc_abduction": (0, 42),
    **{f"{finger}_mcp_flexion": (-45, 90) for finger in ("index", "middle", "ring", "little")},
    **{f"{finger}_mcp_spread": (-20, 20) for finger in ("index", "middle", "ring", "little")},
    **{f"{finger}_pip": (0, 100) for finger in ("index", "middle", "ring", "little")},
    **{f"{finger}_dip": (0, 90) for finger in ("index", "middle", "ring", "little")},
}
#: White and Panjabi, thoracic rotation as printed.
VERTEBRAE = """c0_c1 25/5/5; c1_c2 20/5/40; c2_c3 10/10/3; c3_c4 15/11/7; c4_c5 20/11/7; c5_c6 20/8/7; c6_c7 17/7/6;
c7_t1 9/4/2; t1_t2 4/6/9; t2_t3 4/5/8; t3_t4 4/5/8; t4_t5 4/5/8; t5_t6 4/5/8; t6_t7 5/6/8; t7_t8 6/6/8; t8_t9 6/6/7;
t9_t10 6/6/4; t10_t11 9/7/2; t11_t12 12/9/2; t12_l1 12/8/2; l1_l2 12/6/2; l2_l3 14/6/2; l3_l4 15/8/2; l4_l5 16/6/2;
l5_s1 17/3/1"""


@pytest.fixture(scope="module")
def body() -> mk.Figure:
    return mk.human()


def limits(figure: mk.Figure, name: str) -> tuple[float, float]:
    dof = figure.dof(name)
    return degrees(dof.lower), degrees(dof.upper)


@pytest.mark.parametrize("side", ["left", "right"])
def test_limbs_have_the_ranges_of_the_tables(body: mk.Figure, side: str) -> None:
    for name, (low, high) in LIMBS.items():
        lower, upper = limits(body, f"{side}_{name}")
        assert upper == pytest.approx(high), name
        if low is not None:
            assert lower == pytest.approx(low), name
    lower, upper = limits(body, f"{side}_thumb_cmc_flexion")
    assert upper - lower == pytest.approx(53)


@pytest.mark.parametrize("side", ["left", "right"])
def test_cones_leave_the_clinical_ranges_and_cut_the_corners(body: mk.Figure, side: str) -> None:
    coned = mk.human(swings="cones")
    assert coned.dofs == body.dofs
    assert len(coned.cones) == 4
    assert coned.lower == pytest.approx(body.lower)
    assert coned.upper == pytest.approx(body.upper)
    cones = {coned.dofs[cone.first]: cone for cone in coned.cones}

    def leans(joint: str, abduction: float, flexion: float) -> float:
        values = {
            f"{side}_{joint}_abduction": radians(abduction),
            f"{side}_{joint}_flexion": radians(flexion),
        }
        return cones[f"{side}_{joint}_abduction"].value(coned.pose(values).q)

    # The ends of every range, the other swing at 0, are on the edge; no range is lost.
    for abduction, flexion in ((60, 0), (-30, 0), (0, 140), (0, -30)):
        assert leans("hip", abduction, flexion) == pytest.approx(1.0)
    assert leans("hip", 60, 140) > 1.0
    assert leans("shoulder", 180, 0) == pytest.approx(1.0)
    assert leans("shoulder", 0, 180) == pytest.approx(1.0)
    assert leans("shoulder", 127, 127) < 1.0 < leans("shoulder", 128, 128)
    assert f"{side}_shoulder_overhead" not in {coupling.name for coupling in coned.couplings}


def test_the_arm_within_its_cone_never_passes_straight_up() -> None:
    coned = mk.human(swings="cones", fingers=False)
    for pose in random_poses(coned, 20):
        for cone in coned.cones:
            assert cone.value(pose.q) <= 1.0


def test_unknown_swings_are_refused() -> None:
    with pytest.raises(mk.FigureError, match="unknown swings 'round'"):
        mk.human(swings="round")


def test_vertebrae_have_their_ranges_with_thoracic_rotation_halved(body: mk.Figure) -> None:
    entries = [entry.split() for entry in VERTEBRAE.replace("\n", " ").split(";")]
    assert len(entries) == 25
    for joint, text in entries:
        sagittal, lateral, axial = map(float, text.split("/"))
        upper, lower = joint.split("_")
        if upper[0] == lower[0] == "t":
            axial /= 2.0
        region = "neck" if upper[0] == "c" else "spine"
        low, high = limits(body, f"{region}_{joint}_flexion")
        assert high - low == pytest.approx(sagittal)
        assert low < 0.0 < high
        assert limits(body, f"{region}_{joint}_side_bend") == pytest.approx((-lateral, lateral))
        assert limits(body, f"{region}_{joint}_twist") == pytest.approx((-axial, axial))


@pytest.mark.parametrize(
    ("region", "joints", "whole"),
    [
        ("spine", 17, {"flexion": (-25, 80), "side_bend": (-35, 35), "twist": (-45, 45)}),
        ("neck", 8, {"flexion": (-70, 55), "side_bend": (-45, 45), "twist": (-60, 60)}),
    ],
)
def test_whole_regions_are_bounded_by_the_sum(
    body: mk.Figure, region: str, joints: int, whole: dict[str, tuple[float, float]]
) -> None:
    couplings = {coupling.name: coupling for coupling in body.couplings}
    bent = mk.human(spine="bend")
    for movement, expected in whole.items():
        coupling = couplings[f"{region}_{movement}"]
        assert set(coupling.coefficients.values()) == {1.0}
        assert len(coupling.coefficients) == joints
        assert (degrees(coupling.lower), degrees(coupling.upper)) == pytest.approx(expected)
        # the vertebrae together can go further, so the inequality is of consequence and can be met
        assert sum(limits(body, name)[1] for name in coupling.coefficients) > expected[1]
        assert sum(limits(body, name)[0] for name in coupling.coefficients) < expected[0]
        assert limits(bent, f"{region}_{movement}") == pytest.approx(expected)


@pytest.mark.parametrize("finger", ["index", "middle", "ring", "little"])
def test_spread_shrinks_to_nothing_as_the_finger_bends(body: mk.Figure, finger: str) -> None:
    mine = [c for c in body.couplings if c.name.startswith(f"left_{finger}_mcp_spread")]

    def widest(flexion: float) -> float:
        name, other = f"left_{finger}_mcp_spread", f"left_{finger}_mcp_flexion"
        ends = [
            (coupling.upper - coupling.coefficients[other] * flexion) / coupling.coefficients[name]
            for coupling in mine
        ]
        assert ends[0] == pytest.approx(-ends[1], abs=1e-12)
        return abs(ends[0])

    quarter = 1.5707963267948966
    assert degrees(widest(0.0)) == pytest.approx(20)
    assert degrees(widest(quarter / 2)) == pytest.approx(10)
    assert degrees(widest(quarter)) == pytest.approx(0, abs=1e-9)

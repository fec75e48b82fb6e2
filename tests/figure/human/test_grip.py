"""Grips checked by the plain NumPy kinematics of figure/kinematics.py, and distances by dense points on the bones."""

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import kinematics
from manikin.figure.human import GRIPS, Grip, grip, preset
from manikin.figure.human.hands.contact import Bar, Face, Flesh, Orb, between

BODY = mk.human(stature=1.75)
SIZED = [
    ("bar", 0.02),
    ("bar", 0.045),
    ("bar", 0.08),
    ("ball", 0.04),
    ("ball", 0.09),
    ("box", 0.0),
    ("box", 0.03),
]
SIZED += [("box", 0.07), ("pinch", 0.0), ("pinch", 0.02), ("pinch", 0.05)]
DIGITS = ("thumb", "index", "middle", "ring", "little")


def balls(found: Grip, figure: mk.Figure = BODY) -> dict[str, np.ndarray]:
    """(n, 4) of every bone of the hand, centre and radius, in the palm's frame: by another forward kinematics."""
    pose = found.applied(preset(figure, "reach"))
    motions = kinematics.frames(figure.tree, pose.q)
    frames = dict(zip(figure.segments, kinematics.segment_frames(figure.tree, motions), strict=True))
    back = np.linalg.inv(frames[f"{found.side}_hand"] @ figure.site(f"{found.side}_hand").placement)
    result = {}
    for name in frames:
        if name.startswith(f"{found.side}_") and name.split("_")[1] in (*DIGITS, "hand"):
            rows = []
            for shape in figure.segments[name].shapes:
                if shape.kind == "tapered_capsule":
                    first, last, length = shape.size
                    s = np.linspace(0.0, 1.0, 2001)
                    place = back @ frames[name] @ shape.placement
                    points = place[:3, 3] + s[:, None] * length * place[:3, 2]
                    rows.append(np.column_stack([points, first + s * (last - first)]))
            result[name] = np.concatenate(rows)
    return result


def gap(bones: np.ndarray, found: Grip) -> float:
    """How far a bone is from what is held."""
    assert found.object is not None and found.size is not None
    off = bones[:, :3] - found.object[:3, 3]
    across = found.object[:3, 0]
    if found.name == "bar":
        distance = np.linalg.norm(off - np.outer(off @ across, across), axis=1) - 0.5 * found.size
    elif found.name == "box":
        distance = np.abs(off @ across) - 0.5 * found.size
    else:
        distance = np.linalg.norm(off, axis=1) - 0.5 * found.size
    return float((distance - bones[:, 3]).min())


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("name", "size"), SIZED)
def test_the_bones_that_are_said_to_touch_do_so(name: str, size: float, side: str) -> None:
    found = grip(BODY, name, side, size=size)
    bones = balls(found)
    near = [bone for bone in found.touching if abs(gap(bones[bone], found)) < 1e-5]
    tips = [bone for bone in near if bone.endswith("_distal")]
    assert len(tips) >= 2
    # Around what is thin the thumb lies on the fingers, else on the thing.
    assert any("thumb" in bone for bone in (found.touching if size < 0.045 else near))
    if name in ("box", "pinch"):
        assert set(near) == set(found.touching)


@pytest.mark.parametrize(("name", "size"), [case for case in SIZED if case[0] in ("bar", "ball")])
def test_no_bone_is_inside_what_is_held(name: str, size: float) -> None:
    found = grip(BODY, name, size=size)
    bones = balls(found)
    assert min(gap(points, found) for points in bones.values()) > -1e-5


@pytest.mark.parametrize("size", [0.0, 0.03, 0.07])
def test_the_faces_of_a_box_are_as_far_apart_as_the_pads(size: float) -> None:
    found = grip(BODY, "box", size=size)
    bones, across = balls(found), found.object[:3, 0]  # type: ignore[index]
    thumb = bones["right_thumb_distal"]
    near_face = (thumb[:, :3] @ across + thumb[:, 3]).max()
    for finger in DIGITS[1:]:
        tip = bones[f"right_{finger}_distal"]
        assert (tip[:, :3] @ across - tip[:, 3]).min() - near_face == pytest.approx(size, abs=1e-5)


def test_a_fist_is_closed_and_its_fingers_are_not_in_the_palm() -> None:
    found = grip(BODY, "fist")
    bones = balls(found)
    palm = bones["right_hand"]
    for finger in DIGITS[1:]:
        tip = bones[f"right_{finger}_distal"]
        apart = np.linalg.norm(tip[::20, None, :3] - palm[None, ::20, :3], axis=2) - tip[::20, None, 3]
        assert -1e-4 < (apart - palm[None, ::20, 3]).min() < 0.012
    assert found.values["right_index_pip"] > np.radians(80.0)


def test_pointing_leaves_the_index_straight() -> None:
    found = grip(BODY, "point", "left")
    assert all(found.values[f"left_index_{j}"] == 0.0 for j in ("mcp_flexion", "pip", "dip"))
    assert found.values["left_middle_pip"] > np.radians(80.0)


@pytest.mark.parametrize("name", GRIPS)
@pytest.mark.parametrize("figure", [BODY, mk.human(sex="female", percentile=5)], ids=["man", "small woman"])
def test_grips_are_inside_ranges_and_couplings_and_mirror(name: str, figure: mk.Figure) -> None:
    left, right = grip(figure, name, "left"), grip(figure, name, "right")
    for found in (left, right):
        pose = found.applied(figure.pose())
        assert not pose.outside
        values = pose.values()
        assert all(c.lower - 1e-9 <= c.value(values) <= c.upper + 1e-9 for c in figure.couplings)
    assert np.allclose(
        left.applied(right.applied(figure.pose())).mirrored().q,
        left.applied(right.applied(figure.pose())).q,
        atol=1e-7,
    )


def test_a_blend_goes_from_one_grip_to_another_digit_by_digit() -> None:
    flat, fist = grip(BODY, "flat"), grip(BODY, "fist")
    half = flat.blended(fist, {"index": 0.5})
    assert half.values["right_index_pip"] == pytest.approx(0.5 * fist.values["right_index_pip"])
    assert half.values["right_ring_pip"] == 0.0
    assert flat.blended(fist, 1.0).values == pytest.approx(fist.values)
    assert grip(BODY, "fist", amount=0.0).values == pytest.approx(grip(BODY, "relaxed").values)


def test_the_hand_is_where_the_held_thing_needs_it() -> None:
    found = grip(BODY, "bar", size=0.03)
    bar = np.eye(4)
    bar[:3, 3] = [0.5, -0.2, 1.1]
    hand = found.hand_at(bar)
    assert np.allclose(hand @ found.object, bar)
    place = mk.Placement("right_hand", hand[:3, 3], hand[:3, :3])
    solved = mk.solve(found.applied(BODY.pose()), [place, mk.Pin("left_foot"), mk.Pin("right_foot")])
    assert solved.reached
    assert np.allclose((solved.pose.matrix("right_hand") @ found.object)[:3, 3], bar[:3, 3], atol=1e-3)


def test_what_cannot_be_held_is_refused_in_words() -> None:
    with pytest.raises(mk.PoseError, match="did you mean 'pinch'"):
        grip(BODY, "pinhc")
    with pytest.raises(mk.PoseError, match="take a smaller size"):
        grip(BODY, "box", size=0.25)
    with pytest.raises(mk.PoseError, match="has no size"):
        grip(BODY, "fist", size=0.1)
    with pytest.raises(mk.PoseError, match="must not be negative"):
        grip(BODY, "bar", size=-0.1)
    for size in (0.0, 1e-9, 0.0009):
        with pytest.raises(mk.PoseError, match=r"must be 0\.001 m or more"):
            grip(BODY, "ball", size=size)
    with pytest.raises(mk.PoseError, match="has no fingers"):
        grip(mk.human(fingers=False), "fist")
    with pytest.raises(mk.PoseError, match="holds nothing"):
        grip(BODY, "flat").hand_at(np.eye(4))
    with pytest.raises(mk.PoseError, match="from 0 to 1"):
        grip(BODY, "fist", amount=2.0)
    with pytest.raises(mk.PoseError, match="blended with a Grip, got 'fist'"):
        grip(BODY, "flat").blended("fist", 0.5)  # type: ignore[arg-type]
    with pytest.raises(mk.PoseError, match="applied to a Pose, got None"):
        grip(BODY, "flat").applied(None)  # type: ignore[arg-type]


def test_distances_of_capsules_agree_with_dense_sampling() -> None:
    rng = np.random.default_rng(4)
    s = np.linspace(0.0, 1.0, 401)
    for _ in range(40):
        one, other = rng.normal(size=(2, 8))
        one[6:], other[6:] = rng.uniform(0.05, 0.4, (2, 2))
        one[:6] += 2.0
        p, q = (c[:3] + s[:, None] * (c[3:6] - c[:3]) for c in (one, other))
        r, t = (c[6] + s * (c[7] - c[6]) for c in (one, other))
        known = (np.linalg.norm(p[:, None] - q[None], axis=2) - r[:, None] - t[None]).min()
        if known > 0.0:
            assert between(one[None], other[None])[0] == pytest.approx(known, abs=2e-4)
            assert Flesh(other[None], far=9.0).clearance(one[None])[0] == pytest.approx(known, abs=2e-4)
        point, direction = rng.normal(size=3), np.array([0.6, 0.0, 0.8])
        off = p - point
        line = np.linalg.norm(off - np.outer(off @ direction, direction), axis=1)
        assert Bar(point, direction, 0.1).clearance(one) == pytest.approx((line - r).min() - 0.1, abs=2e-4)
        assert Orb(point, 0.1).clearance(one) == pytest.approx(
            (np.linalg.norm(off, axis=1) - r).min() - 0.1, abs=2e-4
        )
        assert Face(point, direction).clearance(one) == pytest.approx((off @ direction - r).min(), abs=1e-9)


def test_a_cylinder_is_a_bar() -> None:
    assert grip(BODY, "cylinder", size=0.05) is grip(BODY, "bar", size=0.05)

"""The skin: closed where it should be, as large as people are, whole in poses that pull it far."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.figure.human import preset
from manikin.figure.human.proportions import BY_SEX
from manikin.figure.human.surface.field import cone, egg, smooth_minimum
from manikin.figure.human.surface.weights import parts_of
from manikin.figure.skin import Skin

pytest.importorskip("skimage")
from manikin.figure.human.surface import human_skins


@cache
def body(sex: str) -> mk.Figure:
    return mk.human(sex=sex)


def main_parts(figure: mk.Figure, skin: Skin) -> np.ndarray:
    """The part of the body that carries most of each vertex."""
    part = parts_of(figure)
    names = np.array([part[name] for name in skin.segments])
    return names[np.take_along_axis(skin.joints, skin.weights.argmax(axis=1)[:, None], axis=1)[:, 0]]


@cache
def standing(figure: mk.Figure) -> tuple[np.ndarray, np.ndarray]:
    """The vertices at rest, and the parts that carry them."""
    skin = human_skins(figure)[0]
    return skin.posed(figure.pose(), dual=True), main_parts(figure, skin)


def slice_of(figure: mk.Figure, parts: tuple[str, ...], height: float) -> np.ndarray:
    vertices, carriers = standing(figure)
    return vertices[np.isin(carriers, parts) & (np.abs(vertices[:, 2] - height) < 0.012)]


def around(points: np.ndarray) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(points[:, :2]).area)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_breadths_depths_and_girths_are_those_of_people(sex: str) -> None:
    figure, p = body(sex), BY_SEX[sex]
    h, rest = p.stature, body(sex).pose()
    trunk = ("trunk", "left_thigh", "right_thigh")
    chest, waist = slice_of(figure, trunk, 0.735 * h), slice_of(figure, trunk, p.omphalion_height * h)
    hips = slice_of(figure, trunk, 0.50 * h)
    found = {
        "chest breadth": (np.ptp(chest[:, 1]), p.chest_breadth),
        "chest depth": (np.ptp(chest[:, 0]), p.chest_depth),
        "waist breadth": (np.ptp(waist[:, 1]), p.waist_breadth),
        "waist depth": (np.ptp(waist[:, 0]), p.waist_depth),
        "hip breadth": (np.ptp(hips[:, 1]), p.hip_breadth),
        "hip depth": (np.ptp(hips[:, 0]), p.buttock_depth),
    }
    arm = 0.5 * (rest.position("left_shoulder") + rest.position("left_elbow"))[2]
    elbow, wrist = rest.position("left_elbow")[2], rest.position("left_wrist")[2]
    for name, parts, height, girth in (
        ("upper arm", ("left_upper_arm",), arm, p.upper_arm_girth),
        ("forearm", ("left_forearm", "left_radius"), elbow - 0.25 * (elbow - wrist), p.forearm_girth),
        ("thigh", ("left_thigh",), 0.44 * h, p.thigh_girth),
        ("lower thigh", ("left_thigh",), p.knee_height * h + 0.07, p.lower_thigh_girth),
        ("calf", ("left_shank",), 0.205 * h, p.calf_girth),
        ("ankle", ("left_shank", "left_foot"), 0.055 * h, p.ankle_girth),
    ):
        found[name] = (around(slice_of(figure, parts, height)), girth)
    off = {name: float(value) / (table * h) - 1.0 for name, (value, table) in found.items()}
    assert max(abs(value) for value in off.values()) < 0.13, off
    assert np.mean(np.abs(list(off.values()))) < 0.06, off


def test_the_skin_is_as_tall_as_the_figure_and_stands_on_the_ground() -> None:
    figure = body("male")
    vertices = human_skins(figure)[0].posed(figure.pose(), dual=True)
    assert vertices[:, 2].max() == pytest.approx(figure.pose().position("vertex")[2], abs=0.006)
    assert vertices[:, 2].min() == pytest.approx(0.0, abs=0.006)


def test_weights_sum_to_one_and_the_bind_pose_gives_the_surface_back() -> None:
    from manikin.figure.human.surface.skin import bind_pose

    figure = body("female")
    for skin in human_skins(figure):
        assert np.allclose(skin.weights.sum(axis=1), 1.0)
        for dual in (False, True):
            assert np.allclose(skin.posed(bind_pose(figure), dual=dual), skin.vertices, atol=1e-9)


def test_left_and_right_are_alike() -> None:
    figure = body("male")
    skin = human_skins(figure)[0]
    vertices = skin.posed(figure.pose(), dual=True)
    from scipy.spatial import cKDTree

    off, _ = cKDTree(vertices).query(vertices * [1.0, -1.0, 1.0])
    assert np.quantile(off, 0.99) < 0.01


@pytest.mark.parametrize(
    "shoulder", [{}, {"shoulder_flexion": 150.0}, {"shoulder_flexion": 75.0, "shoulder_abduction": -25.0}]
)
def test_no_triangle_of_shoulder_or_chest_is_torn_with_the_arms_down_up_and_across(
    shoulder: dict[str, float],
) -> None:
    figure = body("male")
    skin = human_skins(figure)[0]
    pose = figure.pose({f"{s}_{n}": np.radians(v) for s in ("left", "right") for n, v in shoulder.items()})
    vertices = skin.posed(pose, dual=True)
    here = np.isin(main_parts(figure, skin), ("trunk", "left_upper_arm", "left_clavicle"))
    chosen = skin.triangles[here[skin.triangles].all(axis=1)]
    edges = np.linalg.norm(vertices[chosen] - vertices[np.roll(chosen, 1, axis=1)], axis=2)
    assert edges.max() < 0.06
    # The joint of the shoulder stays inside: the skin goes around it, from behind too.
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        off = vertices - pose.position("left_shoulder")
        along = off @ direction
        across = np.linalg.norm(off - along[:, None] * direction, axis=1)
        assert ((along > 0.01) & (across < 0.02)).any() or (along[across < 0.05] > 0.0).any()


def test_a_small_child_has_a_whole_skin_from_head_to_toes() -> None:
    figure = mk.human(age=2.0, fingers=False)
    vertices, carriers = standing(figure)
    assert set(carriers) >= {
        "trunk",
        "head",
        *(f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "hand")),
    }
    heights = np.sort(vertices[:, 2])
    assert np.diff(heights).max() < 0.01  # no gap at any height
    assert heights[-1] == pytest.approx(figure.pose().position("vertex")[2], abs=0.006)


def seen_from_ahead(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Whether no triangle (T, 3, 3) lies before each point (N, 3), looked at along −x."""
    a, b, c = (corners[:, k, 1:] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    flat = np.abs(area) > 1e-14
    a, b, c, area, ahead = a[flat], b[flat], c[flat], area[flat], corners[flat, :, 0]
    found = []
    for point in points:
        p = point[1:]
        u = ((c - a)[:, 1] * (p - a)[:, 0] - (c - a)[:, 0] * (p - a)[:, 1]) / area
        v = ((b - a)[:, 0] * (p - a)[:, 1] - (b - a)[:, 1] * (p - a)[:, 0]) / area
        x = (1.0 - u - v) * ahead[:, 0] + u * ahead[:, 1] + v * ahead[:, 2]
        found.append(not ((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (x > point[0])).any())
    return np.array(found)


def iris_seen(age: float) -> float:
    """The share of the irises' front that no part of the face hides from ahead."""
    figure = mk.human(age=age, fingers=False)
    skins = {skin.name: skin for skin in human_skins(figure)}
    face = skins["body"].posed(figure.pose())[skins["body"].triangles]
    shares = []
    for side in ("left", "right"):
        iris = skins[f"{side} iris"].posed(figure.pose())
        near = np.linalg.norm((face - iris.mean(axis=0)).mean(axis=1), axis=1) < 0.05
        shares.append(seen_from_ahead(iris[iris[:, 0] > iris[:, 0].mean()], face[near]).mean())
    return float(np.mean(shares))


def test_a_childs_eyes_are_seen_as_well_as_a_grown_persons() -> None:
    """A child's head is large for its stature: eyes made by stature alone lay below the skin, none of them seen."""
    grown = iris_seen(30.0)
    assert grown > 0.0
    for age in (2.0, 6.0):
        assert iris_seen(age) >= grown


def test_eyes_turn_with_the_gaze() -> None:
    figure = body("male")
    iris = next(skin for skin in human_skins(figure) if skin.name == "left iris")
    ahead = iris.posed(figure.pose()).mean(axis=0)
    aside = iris.posed(figure.pose({"eyes_azimuth": 0.4})).mean(axis=0)
    assert aside[1] - ahead[1] > 0.002


def test_a_skin_travels_in_a_glb_and_comes_back_where_it_was(tmp_path: Path) -> None:
    from manikin.formats import read

    figure = body("male")
    mk.save(preset(figure, "sit"), tmp_path / "sit.glb", look="skin")
    found = read(tmp_path / "sit.glb")
    assert {skin.name for skin in found.skins} >= {"body", "lips", "brows"}
    back = next(skin for skin in found.skins if skin.name == "body")
    rest = back.posed(found.figure.pose())
    known = human_skins(figure)[0].posed(figure.pose())
    assert np.allclose(np.sort(rest[:, 2]), np.sort(known[:, 2]), atol=1e-4)
    with pytest.raises(mk.FormatError, match="look must be"):
        mk.save(figure, tmp_path / "bad.glb", look="fur")
    assert not (tmp_path / "bad.glb").exists()


def test_wood_is_a_look_of_files_as_it_is_of_pictures(tmp_path: Path) -> None:
    figure = body("male")
    for look in ("shapes", "wood"):
        mk.save(figure, tmp_path / f"{look}.glb", look=look)
    assert (tmp_path / "wood.glb").read_bytes() == (tmp_path / "shapes.glb").read_bytes()


def test_pictures_know_the_looks() -> None:
    pytest.importorskip("embreex")
    from manikin.pictures import picture

    figure = body("male")
    plain, skin, bones = (
        np.asarray(picture(figure, size=(120, 160), quality="draft", look=look))
        for look in ("wood", "skin", "bones")
    )
    assert np.abs(plain.astype(int) - skin).max() > 50 and np.abs(plain.astype(int) - bones).max() > 50
    with pytest.raises(mk.PoseError, match="look must be"):
        picture(figure, look="fur")


def test_other_figures_have_no_skin() -> None:
    robot = mk.Figure("robot", ["a", "b"], [mk.Joint.revolute("j", "a", "b")])
    with pytest.raises(mk.FigureError, match="made by human"):
        human_skins(robot)


def test_distances_of_blobs_and_the_smooth_minimum() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 3))
    blob = cone(a, b, 0.3, 0.1, 0.0)
    points = rng.normal(size=(50, 3)) * 2.0
    s = np.linspace(0.0, 1.0, 4001)
    balls = a + s[:, None] * (b - a)
    known = (np.linalg.norm(points[:, None] - balls, axis=2) - (0.3 - 0.2 * s)).min(axis=1)
    assert np.allclose(blob.distance(points), known, atol=1e-4)
    ball = egg(a, np.full(3, 0.4), 0.0)
    assert np.allclose(ball.distance(points), np.linalg.norm(points - a, axis=1) - 0.4)
    assert smooth_minimum(np.array(1.0), np.array(1.0), 0.2) == pytest.approx(0.95)
    assert smooth_minimum(np.array(1.0), np.array(1.3), 0.2) == pytest.approx(1.0)

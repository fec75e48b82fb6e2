from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import manikin as mk
from manikin.cli.robot import arm, cases
from manikin.errors import FigureError, FormatError, PoseError
from manikin.pictures import Camera, picture, side_by_side

from .support import SIZE, block, greens, luminance, oranges, pixels, robot, silhouette


@pytest.fixture(scope="module")
def solutions():
    return [mk.solve(arm(), case.goals) for case in cases()]


def bare(camera: Camera) -> Image.Image:
    """The ground alone: a figure far behind the camera."""
    away = mk.Figure(
        "away", [mk.Segment("a", shapes=(mk.Shape("sphere", 0.01),))], [], location=(1e3, 0, 1e3)
    )
    return picture(away, size=SIZE, camera=camera, ground=0.0)


EYE = Camera([4.0, -2.0, 2.0], [0.0, 0.0, 0.3])


@pytest.mark.parametrize("view", ["three-quarter", "front", "side", "top"])
@pytest.mark.parametrize("size", [(160, 160), (240, 120), (100, 200)])
def test_nothing_touches_the_border(view, size):
    # Without ground the only thing to see is the figure, and each row of the sky has one colour.
    array = pixels(picture(arm(), size=size, view=view, ground=False))
    figure = np.abs(array - array[:, :1]).max(axis=-1) > 0.03
    assert figure.mean() > 0.01
    edge = max(2, round(0.04 * min(size)))
    inner = np.zeros_like(figure)
    inner[edge:-edge, edge:-edge] = True
    assert not (figure & ~inner).any()
    # It fills the frame one way or the other.
    rows, columns = np.flatnonzero(figure.any(axis=1)), np.flatnonzero(figure.any(axis=0))
    assert max(np.ptp(rows) / size[1], np.ptp(columns) / size[0]) > 0.8


def test_the_figure_is_lit():
    camera = EYE
    shown = picture(block(), size=SIZE, camera=camera, ground=0.0)
    figure = silhouette(shown, bare(camera)) & (pixels(shown)[..., 0] - pixels(shown)[..., 2] > 0.1)
    light = luminance(pixels(shown))[figure]
    assert 0.35 < light.mean() < 0.9
    assert light.std() > 0.03
    assert light.max() < 0.999


def test_there_is_a_shadow_on_the_ground_away_from_the_lamp():
    shown, ground = picture(block(), size=SIZE, camera=EYE, ground=0.0), bare(EYE)
    darker = luminance(pixels(ground)) - luminance(pixels(shown))
    grey = np.ptp(pixels(shown), axis=-1) < 0.08
    shadow = grey & (darker > 0.08)
    assert shadow.mean() > 0.005
    columns = np.flatnonzero(shadow.any(axis=0))
    assert columns.mean() > SIZE[0] / 2  # the lamp is on the left


def test_shadows_have_soft_edges():
    shown, ground = picture(block(), size=SIZE, camera=EYE, ground=0.0), bare(EYE)
    share = luminance(pixels(shown)) / luminance(pixels(ground))
    grey = np.ptp(pixels(shown), axis=-1) < 0.08
    shadow = grey & (share < 0.97)
    half = shadow & (share > 0.75)
    assert half.sum() > 0.2 * shadow.sum()


def test_the_same_picture_has_the_same_bytes(tmp_path, solutions):
    for name in ("a.png", "b.png"):
        picture(solutions[2], tmp_path / name, size=SIZE, caption="twice")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_file_is_written_whole_and_opens(tmp_path):
    path = tmp_path / "arm.png"
    shown = picture(arm(), path, size=(120, 90))
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.size == (120, 90) == shown.size
        assert (np.asarray(image) == np.asarray(shown)).all()
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.png"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "arm.png"
    path.write_bytes(b"old")

    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(FormatError, match=r"arm\.png: cannot be written: No space left"):
        picture(arm(), path, size=(32, 32))
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["arm.png"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FormatError, match="cannot be written: No such file"):
        picture(arm(), tmp_path / "no" / "arm.png", size=(32, 32))


@pytest.mark.parametrize("name", ["arm.jpg", "arm", "arm.bmp"])
def test_an_unknown_extension_is_an_error(tmp_path, name):
    with pytest.raises(FormatError, match=r"unknown extension.*\.png"):
        picture(arm(), tmp_path / name)


def test_reached_goals_are_green_and_missed_ones_orange(solutions):
    reached, missed, _ = (pixels(picture(solution, size=(300, 300))) for solution in solutions)
    assert greens(reached).sum() > 20
    assert not oranges(reached).any()
    assert oranges(missed).sum() > 200


def test_goals_of_a_pose_are_judged_by_the_pose(solutions):
    pose = arm().pose()
    here = mk.Position("tool", pose.position("tool"))
    there = mk.Position("tool", pose.position("tool") + np.array([0.2, 0.0, 0.0]))
    assert not oranges(pixels(picture(pose, goals=[here], size=SIZE))).any()
    assert oranges(pixels(picture(pose, goals=[there], size=SIZE))).sum() > 10


def test_a_goal_far_away_is_in_the_frame():
    goal = mk.Position("tool", [3.0, 2.0, 0.2])
    array = pixels(picture(arm(), goals=[goal], size=SIZE))
    marks = oranges(array)
    assert marks.any()
    assert not marks[:4].any() and not marks[-4:].any() and not marks[:, :4].any() and not marks[:, -4:].any()


def test_sites_can_be_drawn():
    without, shown = (pixels(picture(arm(), size=(300, 300), sites=sites)) for sites in ([], ["tool"]))
    blue = (shown[..., 2] > shown[..., 0] + 0.2).sum() - (without[..., 2] > without[..., 0] + 0.2).sum()
    assert blue > 10
    with pytest.raises(FigureError, match="'tol'"):
        picture(arm(), size=SIZE, sites=["tol"])


def test_panels_stand_side_by_side(tmp_path, solutions):
    shown = side_by_side(arm(), solutions[0], tmp_path / "two.png", size=(150, 120))
    assert shown.size == (300, 120)
    left, right = pixels(shown)[:, :150], pixels(shown)[:, 150:]
    assert np.abs(left - right).max() > 0.3
    assert oranges(left).any()  # the goals of the solution, not yet reached
    assert not oranges(right).any()


def test_panels_fill_rows_and_columns():
    poses = [arm()] * 5
    assert picture(poses, size=(40, 50), columns=2, quality="draft").size == (80, 150)
    assert picture(poses, size=(40, 50), quality="draft").size == (120, 100)
    assert picture(poses[:4], size=(40, 50), quality="draft").size == (160, 50)


def test_panels_share_a_scale_unless_told_otherwise():
    small = mk.Figure("ball", [mk.Segment("a", shapes=(mk.Shape("sphere", 0.1),))], [], location=(0, 0, 0.1))
    large = mk.Figure("ball", [mk.Segment("a", shapes=(mk.Shape("sphere", 0.3),))], [], location=(0, 0, 0.3))

    def wooden(array):
        return int((array[..., 0] - array[..., 2] > 0.15).sum())

    for together, low, high in ((True, 0.05, 0.2), (False, 0.9, 1.1)):
        array = pixels(picture([small, large], size=(100, 100), together=together))
        assert low < wooden(array[:, :100]) / wooden(array[:, 100:]) < high


def test_captions_and_titles_are_written_and_leave_the_figure_alone():
    plain = pixels(picture(arm(), size=(200, 200), ground=False))
    written = pixels(picture(arm(), size=(200, 200), ground=False, caption="caption", title="Title"))
    ink = np.array([0x3A, 0x40, 0x48]) / 255.0
    letters = np.abs(written - ink).max(axis=-1) < 0.08
    assert letters[175:].sum() > 20
    assert letters[:30].sum() > 20
    figure = np.abs(written - written[:, :1]).max(axis=-1)[30:175] > 0.06
    assert not figure[:4].any() and not figure[-4:].any()
    assert plain.shape == written.shape


def test_a_shape_keeps_its_colour():
    blue = pixels(picture(block(color=(0.1, 0.2, 0.8)), size=SIZE))
    assert (blue[..., 2] - blue[..., 0] > 0.2).mean() > 0.03
    red = pixels(picture(block(), size=SIZE, color="#c03020"))
    assert (red[..., 0] - red[..., 2] > 0.3).mean() > 0.03


def test_the_ground_lies_under_the_lowest_point():
    hung = mk.Figure("ball", [mk.Segment("a", shapes=(mk.Shape("sphere", 0.2),))], [], location=(0, 0, -2.0))
    array = pixels(picture(hung, size=SIZE))
    below = luminance(array[130:, 60:110])
    assert below.min() < 0.8 * below.max()  # its shadow touches it


def test_a_pose_without_shapes_is_drawn_as_bones():
    array = pixels(picture(arm(), size=SIZE))
    assert (array[..., 0] - array[..., 2] > 0.12).mean() > 0.02


def test_a_single_segment_is_drawn_too():
    array = pixels(picture(mk.Figure("dot", ["dot"], []), size=SIZE))
    assert (array[..., 0] - array[..., 2] > 0.12).mean() > 0.02


def test_smooth_surfaces_are_smooth():
    ball = mk.Figure("ball", [mk.Segment("a", shapes=(mk.Shape("sphere", 0.5),))], [], location=(0, 0, 0.5))
    light = luminance(pixels(picture(ball, size=(200, 200), view="front", ground=False)))
    inside = light[60:140, 60:140]
    assert np.abs(np.diff(inside, axis=0)).max() < 0.03
    assert np.abs(np.diff(inside, axis=1)).max() < 0.03


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": (0, 10)}, "size"),
        ({"size": (10**6, 10)}, "size"),
        ({"size": "large"}, "size"),
        ({"view": "under"}, "view"),
        ({"quality": "great"}, "quality"),
        ({"meshes": "drop"}, "meshes"),
        ({"columns": 0}, "columns"),
        ({"captions": ["one", "two"]}, "captions"),
        ({"goals": ["tool"]}, "goals"),
        ({"color": "wood"}, "color"),
    ],
)
def test_wrong_arguments_are_named(options, words):
    with pytest.raises((PoseError, FigureError), match=words):
        picture(arm(), **options)


@pytest.mark.parametrize("subject", [[], 3, "arm", [None]])
def test_what_cannot_be_drawn_is_an_error(subject):
    with pytest.raises(PoseError, match="picture"):
        picture(subject)


def test_a_goal_at_an_unknown_site_is_an_error():
    with pytest.raises(FigureError, match="'hand'"):
        picture(arm(), goals=[mk.Position("hand", [0, 0, 0])], size=SIZE)


def test_talos_stands_in_the_frame():
    talos = robot("talos_data/robots/talos_full_v2.urdf")
    array = pixels(picture(talos, size=(200, 300), quality="draft", ground=False))
    assert np.abs(array[:, :3] - array[:, -3:]).max() < 0.03
    assert luminance(array[100:200, 80:120]).std() > 0.03


def test_the_human_stands_in_the_frame_on_the_ground():
    human = pytest.importorskip("manikin.figure.human").human()
    array = pixels(picture(human, size=(150, 240), quality="draft", ground=False))
    figure = np.abs(array - array[:, :1]).max(axis=-1) > 0.04
    rows = np.flatnonzero(figure.any(axis=1))
    assert 8 < rows[0] < 22 and 218 < rows[-1] < 232
    assert not figure[:, :8].any() and not figure[:, -8:].any()
    assert 0.35 < luminance(array)[figure].mean() < 0.85

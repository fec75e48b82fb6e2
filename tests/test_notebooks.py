"""Figures, poses, solutions and motions in notebooks: what they show, and two notebooks from beginning to end."""

from __future__ import annotations

import base64
import html
import json
import re
from pathlib import Path

import numpy as np
import pytest

import manikin as mk
from manikin.notebook import page, png

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def subjects():
    body = mk.human(fingers=False)
    pose = body.pose({"left_elbow": 1.0})
    goals = [
        mk.Position("right_hand", [0.45, -0.25, 1.2]),
        mk.Position("left_hand", [5.0, 0.0, 1.0], weight=0.0),
    ]
    return {
        "figure": body,
        "pose": pose,
        "solution": mk.solve(body, goals, fixed="root_*"),
        "motion": mk.interpolate([body.pose(), pose], [0.0, 1.0], figure=body),
    }


def inside(text):
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )


@pytest.mark.parametrize("kind", ["figure", "pose", "solution", "motion"])
def test_a_page_has_the_frames_of_every_segment_and_its_shapes(subjects, kind):
    subject = subjects[kind]
    data = inside(page(subject))
    figure = subjects["figure"]
    frames = np.frombuffer(base64.b64decode(data["frames"]), "<f4").reshape(data["count"], -1, 3, 4)
    last = {"figure": figure.pose(), "solution": subjects["solution"].pose}.get(kind, subjects["pose"])
    for name, k in data["segments"].items():
        assert np.abs(frames[-1, k] - last.matrices()[name][:3]).max() < 1e-6
    assert data["count"] == (31 if kind == "motion" else 1)
    assert {mesh["segment"] for mesh in data["meshes"]} == {
        name for name, segment in figure.segments.items() if segment.shapes
    }
    mesh = data["meshes"][0]
    vertices = np.frombuffer(base64.b64decode(mesh["vertices"]), "<i2").reshape(-1, 3)
    faces = np.frombuffer(base64.b64decode(mesh["faces"]), "<u2")
    assert np.abs(vertices).max() == 32767 and faces.max() == len(vertices) - 1


def test_a_solutions_targets_are_green_where_reached_and_orange_where_missed(subjects):
    targets = inside(page(subjects["solution"]))["targets"]
    assert [target["place"] for target in targets] == [[0.45, -0.25, 1.2], [5.0, 0.0, 1.0]]
    assert targets[0]["color"] == [46, 160, 67] and targets[1]["color"] == [232, 119, 34]
    shown = subjects["solution"]._repr_html_()
    assert "missed" in shown and html.escape(subjects["solution"].explain()[:30]) in shown


def test_a_page_is_one_file_that_fetches_nothing_and_takes_names_as_text(subjects, tmp_path):
    figure = mk.Figure("</script><b>x", ["a<b"], [])
    text = page(figure, tmp_path / "x.html", title="<i>")
    assert (tmp_path / "x.html").read_text(encoding="utf-8") == text
    assert "http" not in text and "<i>" not in text and "<b>x" not in text
    assert inside(text)["segments"] == {"a<b": 0}
    with pytest.raises(mk.PoseError, match="a Figure, a Pose, a Solution or a Motion is wanted"):
        page("human")


def test_notebooks_get_a_frame_that_can_do_nothing_else_and_a_picture(subjects):
    pytest.importorskip("embreex")
    for name in ("pose", "motion"):
        shown = subjects[name]._repr_html_()
        assert shown.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts"' in shown
        assert subjects[name]._repr_png_().startswith(b"\x89PNG")


def test_without_the_extra_there_is_no_picture_and_no_error(subjects, monkeypatch):
    def missing(*_, **__):
        raise mk.MissingExtraError("no pictures")

    monkeypatch.setattr("manikin.pictures.picture", missing)
    assert png(subjects["pose"]) is None


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_beginning_to_end_and_shows_its_subjects(notebook):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    ran = nbformat.read(notebook, as_version=4)
    assert all(not cell.get("outputs") for cell in ran.cells), "notebooks are kept without their outputs"
    nbclient.NotebookClient(ran, timeout=300, kernel_name="python3").execute()
    shown = [
        out.data for cell in ran.cells if cell.cell_type == "code" for out in cell.outputs if "data" in out
    ]
    assert sum("text/html" in data and "iframe" in data["text/html"] for data in shown) >= 3


def test_there_are_two_notebooks():
    assert len(NOTEBOOKS) == 2

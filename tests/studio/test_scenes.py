"""Scenes: what is saved is what was there, for the studio and for `manikin solve`."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FormatError
from manikin.formats.scene import read_scene
from manikin.references import References
from manikin.studio.files import Files
from manikin.studio.model.autosave import Autosave
from manikin.studio.model.document import Entry
from manikin.studio.model.making import MAKERS, make
from manikin.studio.model.scene_read import document_of
from manikin.studio.model.scene_text import goal_table, scene_text
from manikin.studio.model.session import Session


def same(one, other):
    """Whether two documents say the same, to rounding."""
    assert other.figure.dofs == one.figure.dofs
    assert np.allclose(one.q, other.q, rtol=0.0, atol=1e-15)
    assert [(e.level, e.active, e.goal.kind(), e.goal.site) for e in one.goals] == [
        (e.level, e.active, e.goal.kind(), e.goal.site) for e in other.goals
    ]
    for a, b in zip(one.goals, other.goals, strict=True):
        assert_alike(goal_table(a.goal, one.figure), goal_table(b.goal, other.figure))
    assert sorted((t.name, t.center, t.size, t.role) for t in one.things) == sorted(
        (t.name, t.center, t.size, t.role) for t in other.things
    )
    assert one.locked == other.locked
    assert dict(one.source.options) == dict(other.source.options)
    assert [key.time for key in one.keys] == [key.time for key in other.keys]
    for a, b in zip(one.keys, other.keys, strict=True):
        assert np.allclose(a.q, b.q, rtol=0.0, atol=1e-15)
    assert np.allclose(one.figure.lower, other.figure.lower, atol=1e-12)
    assert one.figure.mass == pytest.approx(other.figure.mass, rel=1e-12)


def assert_alike(a, b):
    assert type(a) is type(b) or (np.ndim(a) == np.ndim(b))
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_alike(a[key], b[key])
    elif isinstance(a, (list, tuple)) and a and isinstance(a[0], dict):
        for x, y in zip(a, b, strict=True):
            assert_alike(x, y)
    elif isinstance(a, (str, bool)) or a is None:
        assert a == b
    elif isinstance(a, (list, tuple)) and a and isinstance(a[0], str):
        assert list(a) == list(b)
    else:
        assert np.allclose(np.asarray(a, float), np.asarray(b, float), atol=1e-12, rtol=1e-12)


def crowded(session: Session) -> Session:
    session.preset("sit at a table")
    session.resize(sex="female", stature=1.68)
    session.lock("left_elbow", True)
    session.set_limits("right_knee", 0.0, 2.0)
    session.hold("parcel", "left_hand", (0.2, 0.1, 0.1), 1.5)
    session.add_key()
    session.set_joint("right_elbow", 0.9)
    session.add_key(1.75)
    thing = session.add_thing("box")
    session.change_thing(thing.key, center=(3.0, 1.0, 0.2), rotation=turn(0.7))
    entry = session.add_goal("position", "right_hand")
    session.change_goal(entry.key, weight=2.5, level=2)
    session.change_goal(entry.key, active=False)
    return session


def turn(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_a_scene_reads_back_as_it_was(session, tmp_path):
    document = crowded(session).document
    text = scene_text(document, tmp_path)
    same(document, document_of(text, tmp_path / "scene.toml"))


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_of_goal_is_saved(session, tmp_path, kind):
    document = session.document.with_entry(Entry(make(kind, session.document.pose, "right_hand")))
    back = document_of(scene_text(document, tmp_path), tmp_path / "scene.toml")
    same(document, back)


def test_the_command_solves_what_the_studio_saved(session, tmp_path):
    session.preset("reach")
    session.add_thing("seat")
    session.add_key()
    path = tmp_path / "reach.toml"
    path.write_text(scene_text(session.document, tmp_path), encoding="utf-8")
    solution = read_scene(path).solve()
    assert solution.reached
    assert np.allclose(solution.q, session.document.q, atol=1e-6)


def test_limits_and_held_objects_count_for_the_command_too(session, tmp_path):
    session.set_limits("right_elbow", 0.1, 1.2)
    session.hold("parcel", "right_hand", (0.2, 0.1, 0.1), 1.5)
    path = tmp_path / "scene.toml"
    path.write_text(scene_text(session.document, tmp_path), encoding="utf-8")
    figure = read_scene(path).figure
    assert figure.upper[figure.index("right_elbow")] == pytest.approx(1.2)
    assert figure.mass == pytest.approx(session.document.figure.mass)


def test_a_figure_from_a_file_is_found_again(arm_file, tmp_path):
    from manikin.studio.model.document import fresh
    from manikin.studio.model.source import Source

    document = fresh(Source(str(arm_file)))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    text = scene_text(document, folder)
    assert 'figure = "../arm.urdf"' in text
    with pytest.raises(FormatError, match="not in the file's folder"):
        document_of(text, folder / "scene.toml")
    given = References(folder / "scene.toml", [tmp_path])
    same(document, document_of(text, folder / "scene.toml", files=given))
    same(document, document_of(text, folder / "scene.toml", files="any"))
    with pytest.raises(FormatError, match="opens no other file"):
        document_of(text, folder / "scene.toml", files="none")
    with pytest.raises(FormatError, match="neither"):
        document_of('figure = "other.urdf"\n', tmp_path / "scene.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("figure = ", "not valid TOML"),
        ('figure = "human"\n[colour]\n', "colour"),
        ('figure = "human"\n[limits]\nright_elbow = 3\n', "must be a range"),
        ('figure = "human"\n[limits]\nnose = [0, 1]\n', "nose"),
        (
            'figure = "human"\n[[studio.thing]]\nname="a"\nrole="b"\nregion={ball={center=[0,0,0],radius=1}}\n',
            "role",
        ),
        ('figure = "human"\n[[held]]\nname="a"\nat="nowhere"\nsize=[1,1,1]\n', "nowhere"),
        ('figure = "human"\n[[studio.key]]\ntime=0\nvalues={nose=1}\n', "nose"),
        ('figure = "/etc/hostname"\n', "hostname"),
    ],
)
def test_a_broken_scene_is_an_error_that_says_where(tmp_path, text, words):
    with pytest.raises(FormatError, match=words):
        document_of(text, tmp_path / "scene.toml")


def test_names_of_scenes_lead_nowhere_else(session, tmp_path):
    files = Files(tmp_path, "scene")
    for name in ("../up", "/etc/passwd", "", "a/b", "..", "\x00"):
        with pytest.raises(FormatError, match="no name for a scene"):
            files.save(name, session.document)
    assert list(tmp_path.iterdir()) == []
    assert files.save("my scene", session.document) == tmp_path / "my scene.toml"
    assert files.scenes() == ["my scene"]
    same(session.document, files.open("my scene"))


def test_what_is_kept_is_kept_whole_and_read_back(session, tmp_path):
    autosave = Autosave("human", tmp_path)
    assert autosave.read() is None
    assert autosave.write(session.document)
    assert not autosave.write(session.document)
    session.preset("kneel")
    assert autosave.write(session.document)
    same(session.document, Autosave("human", tmp_path).read())
    assert [path.suffix for path in autosave.folder.iterdir()] == [".toml"]

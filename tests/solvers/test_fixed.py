"""``fixed=``: what may not move, the opposite of ``free=``, wherever that is taken."""

from __future__ import annotations

import numpy as np
import pytest
from tests.wrong import parameters

import manikin as mk
from manikin import reach
from manikin.formats.scene import read_scene
from manikin.motion import approach, refined, track
from manikin.reach.voxels import workspace

HAND = [0.45, -0.25, 1.2]


@pytest.fixture(scope="module")
def body():
    return mk.human()


def others(body, *prefixes):
    return [k for k, name in enumerate(body.dofs) if name.startswith(prefixes)]


def test_what_is_fixed_stays_and_the_rest_moves(body):
    found = mk.solve(body, [mk.Position("right_hand", HAND)], fixed=["root_*", "spine_*"])
    stays = others(body, "root_", "spine_")
    rest = np.asarray(body.pose().q)
    assert (found.pose.q[stays] == rest[stays]).all()
    assert np.abs(found.pose.q - rest).max() > 0.1


def test_fixed_is_taken_from_free(body):
    free = mk.Problem(body, [mk.Position("right_hand", HAND)], free=["right_shoulder_*", "right_elbow"])
    both = mk.Problem(body, [mk.Position("right_hand", HAND)], free="right_*", fixed=["right_clav*"])
    both = both.replace(
        free="right_*",
        fixed=[name for name in body.dofs if not name.startswith(("right_shoulder", "right_elbow"))],
    )
    assert (both.free == free.free).all()


def test_everything_that_takes_free_takes_fixed():
    for function in (
        mk.solve,
        mk.Problem,
        mk.solve_many,
        track,
        approach,
        refined,
        mk.Tracker,
        reach.reach_map,
        reach.study,
        workspace,
    ):
        names = parameters(function)
        assert {"free", "fixed"} <= set(names), function


def test_many_paths_and_scenes_keep_what_is_fixed(body, tmp_path):
    stays = others(body, "root_")
    rest = np.asarray(body.pose().q)
    goal = mk.Position("right_hand", HAND)
    many = mk.solve_many(body, [goal], targets=np.array([HAND, [0.3, -0.3, 1.0]]), fixed="root_*")
    assert (many.q[:, stays] == rest[stays]).all()
    motion = track(body, [goal], np.linspace(0.0, 0.1, 5), fixed="root_*")
    assert (motion.q[:, stays] == rest[stays]).all()
    file = tmp_path / "scene.toml"
    file.write_text(
        'figure = "human"\n[[goal]]\nkind = "position"\nsite = "right_hand"\n'
        f'target = {HAND}\n[solve]\nfixed = ["root_*"]\n'
    )
    scene = read_scene(file)
    assert scene.options["fixed"] == ["root_*"]


@pytest.mark.parametrize("wrong", [3, ["nothing_*"]])
def test_what_is_no_name_is_refused(body, wrong):
    with pytest.raises(mk.ManikinError, match=r"fixed must be names|nothing matches"):
        mk.solve(body, [mk.Position("right_hand", HAND)], fixed=wrong)

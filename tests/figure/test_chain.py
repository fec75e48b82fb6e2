from __future__ import annotations

import numpy as np
import pytest

from manikin.errors import FigureError
from manikin.figure.human import human

from .samples import branching, random_figure


def moving(figure, first, last):
    """The coordinates that the second segment's place seen from the first one's depends on, by trying."""
    rng = np.random.default_rng(1)
    q = rng.uniform(-1.0, 1.0, figure.n)

    def seen(at):
        frames = figure.pose(at).matrices()
        return np.linalg.inv(frames[first]) @ frames[last]

    here = seen(q)
    changed = set()
    for k, name in enumerate(figure.dofs):
        at = q.copy()
        at[k] += 0.37
        if np.abs(seen(at) - here).max() > 1e-9:
            changed.add(name)
    return changed


@pytest.mark.parametrize("seed", range(20))
def test_a_chain_names_what_one_segment_seen_from_another_depends_on(seed):
    figure = random_figure(seed)
    names = np.random.default_rng(seed).permutation(list(figure.segments)).tolist()
    for first, last in zip(names, names[::-1], strict=True):
        found = figure.chain(first, last)
        assert len(set(found)) == len(found)
        assert set(found) == moving(figure, first, last)


def test_the_humans_arm_runs_from_the_shoulder_to_the_hand():
    arm = (
        "right_shoulder_abduction",
        "right_shoulder_flexion",
        "right_shoulder_rotation",
        "right_elbow",
        "right_forearm_pronation",
        "right_wrist_flexion",
        "right_wrist_deviation",
    )
    body = human()
    assert body.chain("right_shoulder", "right_hand") == arm
    assert body.chain("right_scapula", "right_hand") == arm
    assert body.chain("right_upper_arm", "right_hand") == arm[3:]
    assert body.chain("right_elbow", "right_hand") == arm[3:]
    assert body.chain("right_elbow", "right_elbow") == ("right_elbow",)
    assert body.chain("right_hand", "right_hand") == ()


def test_the_other_way_round_the_axes_come_in_reverse():
    body = human()
    there, back = body.chain("left_foot", "right_foot"), body.chain("right_foot", "left_foot")
    assert there == back[::-1] and len(there) == 12
    assert there[0] == "left_ankle_inversion" and there[-1] == "right_ankle_inversion"


def test_followers_stand_for_what_they_follow():
    figure = branching("fixed")
    assert figure.chain("trunk", "leg") == ("elbow_z", "hip_y")
    bent = human(spine="bend")
    assert bent.chain("pelvis", "t5") == ("spine_flexion", "spine_side_bend", "spine_twist")


def test_the_base_belongs_to_a_chain_that_begins_with_its_joint():
    figure = branching("free")
    assert figure.chain("root", "trunk") == figure.dofs[:6]
    assert figure.chain("trunk", "root") == figure.dofs[:6][::-1]
    assert figure.chain("root", "upper") == (*figure.dofs[:6], *figure.chain("shoulder", "upper"))
    assert "root_x" not in figure.chain("trunk", "hand")


def test_a_chain_is_what_free_takes():
    import manikin as mk

    body = human()
    free = body.chain("right_shoulder", "right_hand")
    target = body.pose({"right_elbow": 1.2, "right_shoulder_flexion": 0.7}).position("right_hand")
    result = mk.solve(body, [mk.Position("right_hand", target)], free=free)
    moved = {name for name, a, b in zip(body.dofs, result.pose.q, body.rest, strict=True) if a != b}
    assert result.reached and moved and moved <= set(free)


def test_unknown_parts_are_refused():
    with pytest.raises(FigureError, match=r"chain: no segment, joint or site 'hnad'; did you mean 'hand'"):
        branching().chain("hnad", "trunk")

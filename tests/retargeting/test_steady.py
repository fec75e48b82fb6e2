"""Contacts made exact, and flips passed within speed and acceleration."""

import numpy as np
import pytest
from tests.motion.samples import excess
from tests.retargeting.test_retarget import robot

import manikin as mk
from manikin.closed_form.passages import too_fast
from manikin.goals import Position
from manikin.motion.wishes import Wish
from manikin.retargeting.contacts import lasting
from manikin.retargeting.held import Contacts, Touch
from manikin.retargeting.steady import beyond, fastest_bone, limbs, steadied

TIMES = np.arange(60) / 60.0
HAND, FOOT, OTHER = "right_wrist_roll_link", "left_ankle_roll_link", "right_hip_yaw_link"


def everything(figure):
    return lambda: np.eye(figure.n)


def bent(figure, **values):
    """Values (60, n) of a pose that is bent a little, so that limbs can go both ways."""
    q = np.zeros((60, figure.n))
    usual = {
        "left_knee_joint": 0.8,
        "right_knee_joint": 0.8,
        "right_elbow_joint": -1.0,
        "left_elbow_joint": -1.0,
    }
    for name, value in (usual | values).items():
        q[:, figure.index(name)] = value
    return q


def standing(figure, q):
    """The left foot where it is in the first frame."""
    at = figure.forward(q[:1], FOOT)[0, 0, :3, 3]
    return Wish(Position(FOOT, at), np.repeat(at[None], len(q), axis=0), np.full(len(q), 1e6))


def test_a_hand_comes_to_the_part_it_touches_while_a_foot_stands():
    figure = robot()
    q = bent(figure, waist=0.3)
    q[:, 0] = 0.02 * TIMES  # the foot slides
    way = np.repeat([[0.1, -0.1, 0.05]], 60, axis=0)
    foot = standing(figure, q)
    contacts = Contacts(figure, [foot], [Touch(HAND, OTHER, way, np.full(60, 1e4))], everything(figure))
    held = contacts.held(q, np.ones(60, bool))
    at = figure.forward(held, [HAND, OTHER, FOOT])[:, :, :3, 3]
    assert np.abs(at[:, 0] - at[:, 1] - way).max() < 1e-3
    assert np.abs(at[:, 2] - foot.targets).max() < 1e-5
    assert excess(figure, held) <= 0.0
    assert np.abs(np.diff(held, axis=0)).max() < 0.02  # as smooth as what was given


def test_what_is_held_is_the_nearest_that_does_it():
    """Against SciPy's least squares over the same sum."""
    from scipy.optimize import least_squares

    figure = robot()
    q = bent(figure)[:1]
    foot = standing(figure, q)
    off = Wish(foot.goal, foot.targets + [0.05, 0.0, 0.03], foot.weights[:1] * 1e-2)
    found = Contacts(figure, [off], [], everything(figure)).held(q, np.ones(1, bool))[0]

    def rows(x):
        return np.concatenate([x - q[0], 100.0 * (figure.forward(x, FOOT)[0, :3, 3] - off.targets[0])])

    low, high = (np.clip(end, -9.0, 9.0) for end in (figure.lower, figure.upper))
    best = least_squares(rows, found, bounds=(low - 1e-9, high + 1e-9), xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert (rows(found) ** 2).sum() == pytest.approx(2.0 * best.cost, rel=1e-6)
    assert np.abs(found - best.x).max() < 1e-4


def test_contacts_as_a_clip_has_them_leave_it_as_it_is():
    figure = robot()
    q = bent(figure) + 0.1 * np.sin(TIMES)[:, None]
    q = np.clip(q, figure.lower, figure.upper)
    touch = Touch(HAND, OTHER, np.zeros((60, 3)), np.linspace(0.0, 1e4, 60))
    contacts = Contacts(figure, [standing(figure, q)], [touch], everything(figure)).like(q)
    assert np.abs(contacts.held(q, np.ones(60, bool)) - q).max() < 1e-9


def test_a_touch_beyond_reach_is_only_wished_for():
    figure = robot()
    q = bent(figure)
    near = figure.forward(q, HAND)[:, 0, :3, 3] - figure.forward(q, OTHER)[:, 0, :3, 3]
    ways = np.where(TIMES[:, None] < 0.5, near, near + [2.0, 0.0, 0.0])
    weights = np.where(np.abs(TIMES - 0.5) < 0.05, 0.0, 1e4)  # two contacts, one of them two metres away
    contacts = Contacts(
        figure, [standing(figure, q)], [Touch(HAND, OTHER, ways, weights)], everything(figure)
    )
    held = contacts.held(q, contacts.touching(60))
    within = contacts.reachable(held)
    assert within is not None
    assert (within.touches[0].weights[:25] == weights[:25]).all()
    assert (within.touches[0].weights[35:] < 0.1 * weights[35:]).all()
    assert np.abs(figure.forward(held, FOOT)[:, 0, :3, 3] - standing(figure, q).targets).max() < 1e-5
    assert contacts.reachable(q)  # which does not hold them at all


@pytest.mark.parametrize("acceleration", [np.inf, 150.0])
def test_a_flip_is_passed_within_the_limits_while_a_foot_stands(acceleration):
    figure = robot()
    q = bent(figure)
    q[30:, figure.index("right_shoulder_yaw_joint")] = 1.8  # an arm
    q[40:, figure.index("right_knee_joint")] = 1.6  # a leg in the air
    q[20:, figure.index("waist")] = 0.6
    foot = standing(figure, q)
    speed, most = np.full(figure.n, 9.0), np.full(figure.n, acceleration)
    contacts = Contacts(figure, [foot], [], everything(figure))
    found, moved = steadied(figure, mk.roles_of(figure), TIMES, q, speed, most, contacts)
    assert beyond(figure, TIMES, q, speed, most) > 1.0 >= beyond(figure, TIMES, found, speed, most)
    fast, sharp = too_fast(found, TIMES, speed, most)
    assert not fast.any() and not sharp.any()
    assert (found[~moved] == q[~moved]).all() and (found[0] == q[0]).all() and (found[-1] == q[-1]).all()
    assert np.abs(figure.forward(found, FOOT)[:, 0, :3, 3] - foot.targets).max() < 1e-5
    assert excess(figure, found) <= 0.0


def test_a_clip_that_is_slow_enough_stays():
    figure = robot()
    q = bent(figure)
    q[:, figure.index("waist")] = 0.5 * np.sin(TIMES)
    contacts = Contacts(figure, [], [], everything(figure))
    limits = np.full(figure.n, 9.0), np.full(figure.n, np.inf)
    found, moved = steadied(figure, mk.roles_of(figure), TIMES, q, *limits, contacts)
    assert found is q and not moved.any()


def test_arms_are_passed_alone_and_legs_with_what_carries_them():
    figure = robot()
    left, right, body, *others = (
        {figure.dofs[k] for k in group} for group in limbs(figure, mk.roles_of(figure))
    )
    assert left == {
        name for name in figure.dofs if name.startswith(("left_shoulder", "left_elbow", "left_wrist"))
    }
    assert len(right) == len(left) and not others
    assert {"root_x", "waist", "left_knee_joint", "right_ankle_roll_joint"} <= body


def test_how_fast_the_fastest_bone_turns_is_measured():
    times = np.arange(0.0, 1.0, 0.001)
    elbow = np.zeros((1000, 3))
    wrist = 0.3 * np.stack([np.cos(4.0 * times), np.sin(4.0 * times), 0.0 * times], axis=1)
    assert fastest_bone(times, {"left_elbow": elbow, "left_wrist": wrist}) == pytest.approx(4.0, rel=1e-3)
    assert fastest_bone(times[:1], {"left_elbow": elbow[:1], "left_wrist": wrist[:1]}) == 0.0


def test_a_hand_is_led_before_a_contact_and_let_go_after_it():
    near = np.zeros(60)
    near[25:35] = 1.0
    near[3:8] = 0.9  # comes near, and is no contact
    share = lasting(TIMES, near, 0.2)
    assert (share[25:35] == 1.0).all() and (share[:13] == 0.0).all() and (share[47:] == 0.0).all()
    assert (np.diff(share[12:26]) >= 0.0).all() and np.abs(np.diff(share)).max() < 0.2
    assert not lasting(TIMES, 0.9 * near, 0.2).any()

"""What all goals have in common."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

import manikin as mk
from manikin.errors import GoalError
from manikin.goals import KINDS, Goal, Potential

GOALS = {
    "position": (mk.Position, {"target": [1, 2, 3]}),
    "orientation": (mk.Orientation, {"target": np.eye(3)}),
    "placement": (mk.Placement, {"position": [1, 2, 3], "orientation": np.eye(3)}),
    "aim": (mk.Aim, {"at": [1, 2, 3]}),
    "on_line": (mk.OnLine, {"point": [1, 2, 3], "direction": [0, 0, 2]}),
    "on_plane": (mk.OnPlane, {"point": [1, 2, 3], "normal": [0, 3, 0]}),
    "pin": (mk.Pin, {}),
    "inside": (mk.Inside, {"region": mk.Ball([1, 2, 3], 0.5)}),
    "range": (mk.Range, {"z": (0.0, 1.0), "turn_x": 0.0}),
    "relative": (mk.Relative, {"other": "hip"}),
    "outside": (mk.Outside, {"region": mk.Ball([1, 2, 3], 0.5)}),
    "potential": (Potential, {"function": lambda position, axes: (0.0, position, axes)}),
}
WHOLE = {
    "self_clearance": (mk.SelfClearance, {}),
    "center_of_mass": (mk.CenterOfMass, {"target": [0, 0, 1]}),
    "balance": (mk.Balance, {"support": ["left_foot"]}),
    "any_of": (mk.AnyOf, {"goals": [mk.Position("hand", [0, 0, 0])]}),
    "swivel": (mk.Swivel, {"limb": ("shoulder", "elbow", "wrist"), "angle": (0.1, 0.2)}),
    "posture": (mk.Posture, {}),
    "natural": (mk.Natural, {"style": "squat"}),
    "least_change": (mk.LeastChange, {}),
    "discomfort": (mk.Discomfort, {}),
    "kinetic_energy": (mk.KineticEnergy, {}),
    "least_time": (mk.LeastTime, {}),
    "effort": (mk.Effort, {}),
    "limit_spring": (mk.LimitSpring, {"dofs": "knee"}),
}
every_goal = pytest.mark.parametrize("kind", GOALS)


def make(kind, site="hand", **changes):
    goal, arguments = GOALS[kind]
    return goal(site, **{**arguments, **changes})


def refused(kind, argument, value, **changes):
    """The goal refuses the value, in a message that names its kind, its site and the argument."""
    with pytest.raises(GoalError) as caught:
        make(kind, **{argument: value}, **changes)
    message = str(caught.value)
    assert message.startswith(f"{kind} of 'hand': ")
    assert re.search(rf"\b{argument}\b", message), message
    return message


@every_goal
def test_the_name_in_files_is_the_class_name_in_snake_case(kind):
    assert GOALS[kind][0].kind() == kind


def test_every_kind_is_known_by_its_name():
    assert {kind: goal for kind, (goal, _) in {**GOALS, **WHOLE}.items()} == KINDS


@pytest.mark.parametrize("kind", WHOLE)
def test_a_goal_for_the_whole_figure_has_no_site_and_checks_its_weight(kind):
    goal, arguments = WHOLE[kind]
    made = goal(**arguments, weight=2)
    assert made.kind() == kind == made.label() and made.site == ""
    assert made.subject() == ("elbow" if kind == "swivel" else "the figure")
    assert made.weight == 2.0 and type(made.weight) is float
    assert made == made and made != goal(**arguments, weight=2)
    again = goal(**made.arguments())
    assert all(np.array_equal(getattr(again, name), value) for name, value in made.arguments().items())
    for weight in (-1.0, np.nan, "heavy"):
        with pytest.raises(GoalError, match=rf"^{kind}: .*weight"):
            goal(**arguments, weight=weight)
    assert type(pickle.loads(pickle.dumps(made))) is goal


def test_what_depends_on_the_start_has_to_be_settled():
    with pytest.raises(GoalError, match=r"^pin of 'hand': .*settle"):
        mk.Pin("hand").parts()
    pose = mk.human().pose()
    position = mk.Position("head", [0, 0, 1])
    assert position.settle(pose) is position
    pin = mk.Pin("head")
    assert pin.settle(pose) is not pin and pin.settle(pose).pose is pose and pin.settle(pose).site == "head"


@every_goal
def test_messages_name_a_goal_by_kind_and_site(kind):
    assert make(kind, "left_hand").label() == f"{kind} of 'left_hand'"


@every_goal
def test_goals_are_compared_by_identity(kind):
    one, other = make(kind), make(kind)
    assert one == one and one != other
    assert len({one, other}) == 2


@every_goal
@pytest.mark.parametrize("site", ["", None, 3, ["hand"]])
def test_a_site_must_be_a_name(kind, site):
    with pytest.raises(GoalError, match=rf"^{kind}: the site must be a name"):
        make(kind, site)


@every_goal
@pytest.mark.parametrize(
    ("weight", "says"),
    [
        (-1.0, "must not be negative, got -1"),
        (-1e-300, "must not be negative, got -1e-300"),
        (np.nan, "must be finite, got nan"),
        (np.inf, "must be finite, got inf"),
        ("heavy", "must be a number, got 'heavy'"),
        (None, "must be a number, got None"),
        ([1.0, 2.0], "must be a number, got [1.0, 2.0]"),
    ],
)
def test_a_weight_must_be_a_finite_number_not_negative(kind, weight, says):
    assert says in refused(kind, "weight", weight)


@every_goal
def test_a_weight_of_zero_is_allowed_and_numbers_become_floats(kind):
    assert make(kind, weight=0).weight == 0.0
    assert type(make(kind, weight=np.float32(2)).weight) is float


@every_goal
@pytest.mark.parametrize("hard", [1, 0, "yes", None, 1.0])
def test_hard_must_be_true_or_false(kind, hard):
    assert f"must be true or false, got {hard!r}" in refused(kind, "hard", hard)


@every_goal
def test_pins_and_clearances_are_hard_other_goals_soft_and_all_of_weight_one(kind):
    assert make(kind).weight == 1.0 and make(kind).hard is (kind in ("pin", "outside", "self_clearance"))
    assert make(kind, hard=True).hard is True and make(kind, hard=False).hard is False


@every_goal
def test_goals_cannot_be_changed(kind):
    goal = make(kind)
    for name, value in goal.arguments().items():
        with pytest.raises(AttributeError):
            setattr(goal, name, value)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 7.0


@every_goal
def test_arguments_make_the_same_goal_again(kind):
    goal = make(kind, weight=0.3)
    again = type(goal)(**goal.arguments())
    for name, value in goal.arguments().items():
        assert np.array_equal(getattr(again, name), value)


@pytest.mark.parametrize("kind", [kind for kind in GOALS if kind != "potential"])
def test_goals_pickle(kind):
    goal = make(kind, weight=0.3)
    again = pickle.loads(pickle.dumps(goal))
    assert type(again) is type(goal)
    for name, value in goal.arguments().items():
        assert np.array_equal(getattr(again, name), value)


def test_arrays_given_are_copied():
    target = np.array([1.0, 2.0, 3.0])
    goal = mk.Position("hand", target)
    target[0] = 9.0
    assert goal.target.tolist() == [1.0, 2.0, 3.0]


def test_a_goal_that_offers_a_choice_has_its_parts_in_the_alternatives():
    goal = mk.Inside("hand", mk.Ball([1, 2, 3], 0.5) | mk.Ball([0, 0, 0], 0.5))
    with pytest.raises(GoalError, match=r"^inside of 'hand': .*alternatives"):
        goal.parts()
    assert issubclass(GoalError, mk.ManikinError) and issubclass(mk.Position, Goal)


def test_kinetic_energy_where_no_mass_moves_at_the_start_is_zero_and_without_mass_refused():
    def arm(mass):
        hinges = [
            mk.Joint.revolute(f"j{k}", f"s{k}", f"s{k + 1}", axis="z", placement=(0, 0, 0.5))
            for k in range(2)
        ]
        return mk.Figure("post", ["s0", "s1", mk.Segment("s2", mass)], hinges)

    body = arm(1.0)
    goals = [mk.Orientation("s2", [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]), mk.KineticEnergy()]
    assert mk.solve(body, goals).reached
    with pytest.raises(mk.GoalError, match="no mass that moves"):
        mk.solve(arm(0.0), goals)

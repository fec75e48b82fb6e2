"""A goal from outside of the package: one class, without a line inside."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np
import pytest

import manikin as mk
from manikin.errors import GoalError
from manikin.formats.scene import read_scene
from manikin.goals.registry import KINDS, kinds, register
from manikin.residuals.block import Block, rows


@dataclass(frozen=True, eq=False)
class Above(mk.Goal):
    """A site above others by ``margin`` metres at least: one height a site."""

    other: str
    _: KW_ONLY
    margin: float = 0.0
    weight: float = 1.0
    hard: bool = False
    noun = "height"
    settled_by = True

    def parts(self) -> tuple[Block, ...]:
        """The height over where the other site is at the start."""
        return (
            Block(
                "coordinates",
                **rows(self.weight, [self.margin], [np.inf]),
                site=self.site,
                point=self.pose.position(self.other),
                directions=np.array([[0.0, 0.0, 1.0]]),
                hard=self.hard,
            ),
        )


@pytest.fixture(autouse=True)
def known():
    """The class is known while these tests run."""
    register(Above)
    yield
    del KINDS["above"]


@pytest.mark.parametrize("hard", [False, True])
def test_it_is_met_among_other_goals(hard):
    body = mk.human(stature=1.75)
    found = mk.solve(body, [Above("right_hand", "head", hard=hard), mk.Pin("left_foot"), mk.Balance()])
    assert found.reached
    assert found.pose.position("right_hand")[2] >= body.pose().position("head")[2] - 1e-4


def test_missed_it_has_a_sentence():
    body = mk.human(stature=1.75)
    found = mk.solve(body, [Above("right_hand", "head", margin=2.0), mk.Pin("left_foot")])
    assert not found.reached
    assert "right_hand misses its height by" in found.explain()


def test_scene_files_have_it(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        'figure = "human"\n[[goal]]\nkind = "above"\nsite = "right_hand"\nother = "head"\nmargin = 0.1\n'
    )
    (goal,) = read_scene(path).goals
    assert isinstance(goal, Above) and (goal.site, goal.other, goal.margin) == ("right_hand", "head", 0.1)


def test_lists_of_goals_have_it_and_no_other_takes_its_name():
    assert kinds()["above"] is Above
    with pytest.raises(GoalError, match="'above' already"):
        register(Above)

"""Which variables move which goals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.kernels.trees import branched, spread_goals
from tests.problems import work_of

import manikin as mk
from manikin.engines.least_squares import prepare
from manikin.kernels.memory import layout
from manikin.plan import columns as module
from manikin.plan.columns import Columns


@pytest.fixture
def arranged(monkeypatch):
    """The columns that `prepare` arranges, by the names of sites and coordinates."""

    def look(figure: mk.Figure, goals: list) -> tuple[Columns, dict[str, list[str]], dict[str, int]]:
        kept: list[Columns] = []

        def spy(*arguments):
            found = module.arrange(*arguments)
            kept.append(found[0])
            return found

        monkeypatch.setattr("manikin.engines.search_arrays.arrange", spy)
        packed = work_of(mk.Problem(figure, goals)).packed
        kept.clear()
        prepare(packed)
        found = kept[0]
        names = np.array(list(figure.dofs))[packed.variables]
        parts = packed.sections.parts
        site = {motion: name for name, (motion, _) in packed.frames.items()}
        block = {site[int(parts.motion[t])]: int(b) for t, b in zip(found.order, found.block, strict=True)}
        group = {site[int(parts.motion[t])]: int(g) for t, g in zip(found.order, found.group, strict=True)}
        assert packed.structure[layout.PARTS] == len(found.order) == len(set(found.order))
        return found, {s: list(names[found.variable[b, : found.length[b]]]) for s, b in block.items()}, group

    return look


def test_a_limb_has_the_columns_from_the_root_to_it(arranged):
    figure = branched()
    found, columns, group = arranged(figure, spread_goals())
    assert columns["foot"] == [name for name in figure.dofs if name.startswith("hip")]
    assert columns["chest"] == ["waist_z", "waist_x"]
    assert columns["right"][:2] == columns["tip"][:2] == columns["chest"]
    assert columns["ground"] == []
    assert group["tip"] == group["right"] == group["chest"]
    assert len({group["tip"], group["foot"], group["ground"]}) == 3
    assert (np.diff(found.group) != 0).sum() == 2


def test_a_free_base_comes_first_and_joins_all_limbs(arranged):
    _, columns, group = arranged(branched("free"), spread_goals())
    assert columns["foot"][:6] == columns["tip"][:6] == columns["ground"]
    assert len(set(group.values())) == 1


def test_limbs_that_follow_each_other_have_all_their_columns_in_common(arranged):
    found, columns, group = arranged(branched(crossed=True), spread_goals())
    assert columns["tip"] == columns["right"] == columns["chest"]
    assert columns["foot"] != columns["tip"]
    assert group["foot"] != group["tip"]
    assert found.shared.max() == len(columns["tip"])


def test_nothing_is_arranged_for_no_terms():
    tree = layout.sections(*layout.empty()).tree
    found, tie = module.arrange(tree, np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int64), 3)
    assert len(found.order) == len(found.length) == 0
    assert len(tie) == 0

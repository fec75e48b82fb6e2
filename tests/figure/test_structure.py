from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.kernels.measured import measured
from tests.problems import work_of

import manikin as mk
from manikin.figure import Figure, Joint, forward
from manikin.figure.human import human

from .samples import branching

OPTIONS = [{}, {"fingers": False, "spine": "bend"}, {"swings": "cones", "base": "planar"}]


@pytest.mark.parametrize("options", OPTIONS)
def test_sizes_of_one_human_share_a_structure(options):
    small, tall = human(1.5, 90.0, "female", **options), human(1.95, **options)
    assert small.same_structure(tall) and tall.same_structure(small)
    assert small.structure == tall.structure and hash(small.structure) == hash(tall.structure)
    for name in ("parent", "kind", "axis", "drive_axis", "drive_dof", "segment_motion"):
        assert np.array_equal(getattr(small.tree, name), getattr(tall.tree, name))
    assert not np.array_equal(small.tree.placement, tall.tree.placement)


def test_what_is_laid_out_for_one_size_takes_the_parameters_of_another():
    small, tall = human(1.5), human(1.95)
    q = np.random.default_rng(1).uniform(-0.3, 0.3, small.n)
    for sites in (("right_hand",), tuple(small.sites)):
        first, second = forward.site_model(small, sites), forward.site_model(tall, sites)
        assert np.array_equal(first.structure, second.structure)
        mixed = replace(first, parameters=second.parameters)
        flat, _ = forward.values_of(small, q, "test")
        found = mixed.run(forward.compiled().site_frames, flat, 16 * mixed.sites, 1)
        assert (found.reshape(-1, 4, 4) == tall.forward(q, sites)).all()


def test_problems_of_two_sizes_differ_in_parameters_only():
    small, tall = human(1.5), human(1.95)
    goals = [
        mk.Position("right_hand", [0.4, -0.2, 1.1]),
        mk.Aim("eyes", at=[2.0, 0.0, 1.5]),
        mk.Placement("left_foot", [0.0, 0.1, 0.0], np.eye(3)),
    ]
    first, second = (work_of(mk.Problem(figure, goals)).packed for figure in (small, tall))
    assert np.array_equal(first.structure, second.structure)
    assert first.parameters.shape == second.parameters.shape
    assert not np.array_equal(first.parameters, second.parameters)
    balance = [mk.CenterOfMass([0.0, 0.0, 0.9]), mk.Balance()]
    first, second = (measured(figure, *balance) for figure in (small, tall))
    assert np.array_equal(first.ms, second.ms) and first.mr.shape == second.mr.shape


def test_another_limit_length_or_mass_is_the_same_structure():
    figure = Figure(
        "f", "abc", [Joint("i", "a", "b", "R(z)", lower=-1, upper=1), Joint("j", "b", "c", "T(x)")]
    )
    other = Figure(
        "g",
        "abc",
        [Joint("i", "a", "b", "R(0,1,1)", [1, 0, 0], lower=-2, upper=3), Joint("j", "b", "c", "T(y)")],
    )
    assert figure.same_structure(other) and figure.same_structure(figure)


@pytest.mark.parametrize(
    "change",
    {
        "a site": lambda f: f.with_site("new", "hand"),
        "a coupling": lambda f: f.with_couplings("elbow_z <= 2*elbow_2"),
        "a loop": lambda f: f.with_loop("tip", "wheel"),
        "a root": lambda f: f.rerooted("leg"),
        "a base": lambda f: branching("planar"),
        "an object": lambda f: f.with_held("box", at="tip", size=(0.1, 0.1, 0.1), mass=1.0),
    }.items(),
    ids=lambda entry: entry[0],
)
def test_what_changes_the_layout_is_another_structure(change):
    figure = branching()
    assert not figure.same_structure(change[1](figure))


def test_a_limit_taken_away_is_another_structure():
    limited = Figure("f", "ab", [Joint("j", "a", "b", "R(z)", lower=-1, upper=1)])
    endless = Figure("f", "ab", [Joint("j", "a", "b", "R(z)")])
    assert not limited.same_structure(endless)


@pytest.mark.parametrize("options", OPTIONS[1:])
def test_humans_of_other_options_are_other_structures(options):
    assert not human().same_structure(human(**options))

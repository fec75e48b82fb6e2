"""Each benchmark runs in its quick form and reports in the columns that it promises."""

from importlib import import_module

import pytest
from benchmarks.__main__ import NAMES, main
from benchmarks.inside import REASON
from benchmarks.prototypes import prototype_figures, prototypes

from benchmarks import arm_limits, drift, hierarchy, six_axes

MODULES = {name: import_module(f"benchmarks.{name}") for name in NAMES}
(
    evaluation,
    iteration,
    solves,
    overhead,
    scipy_peers,
    human,
    arms,
    vocabulary,
    updates,
    dragging,
    reading,
    batch,
    reach,
) = MODULES.values()

COLUMNS = {
    "evaluation": [evaluation.COLUMNS],
    "iteration": [iteration.COLUMNS, ("figures", "problems", "p")],
    "solves": [solves.COLUMNS],
    "overhead": [overhead.CALL_COLUMNS, overhead.USER_COLUMNS],
    "dragging": [dragging.COLUMNS, drift.COLUMNS],
    "arms": [
        arms.COLUMNS,
        arms.TRACK_COLUMNS,
        arms.GIRDLE_COLUMNS,
        arms.FORESIGHT_COLUMNS,
        arm_limits.COLUMNS,
        arm_limits.FLIP_COLUMNS,
        arm_limits.MOVING_COLUMNS,
        arm_limits.KNOWN_COLUMNS,
        six_axes.COLUMNS,
        six_axes.COLUMNS,
    ],
    "scipy_peers": [
        scipy_peers.COLUMNS,
        scipy_peers.VIOLATION_COLUMNS,
        scipy_peers.LOSS_COLUMNS,
        scipy_peers.LOSS_COLUMNS,
    ],
    "human": [human.REPORT_COLUMNS, human.BODY_COLUMNS],
    "vocabulary": [vocabulary.REGION_COLUMNS, vocabulary.OBSTACLE_COLUMNS, vocabulary.SOLVE_COLUMNS],
    "updates": [updates.COLUMNS, updates.SEARCH_COLUMNS],
    "reading": [reading.COLUMNS],
    "batch": [batch.PANDA_COLUMNS, batch.TORSO_COLUMNS],
    "reach": [reach.MAP_COLUMNS, reach.STUDY_COLUMNS],
}


@pytest.mark.parametrize("name", NAMES)
def test_quick_run_fills_its_tables(name):
    if name == "evaluation" and REASON:  # it times a single evaluation, inside compiled code
        pytest.skip(REASON)
    section = MODULES[name].run(quick=True)
    assert section.name == name
    assert [table.columns for table in section.tables] == COLUMNS[name]
    first = section.tables[0]
    assert first.rows
    assert f"| {' | '.join(first.columns)} |" in section.markdown()


def test_the_hierarchy_s_quick_run_reaches_and_refuses_what_it_is_to():
    section = hierarchy.run(quick=True)
    assert [table.columns for table in section.tables] == [
        hierarchy.BUILD,
        hierarchy.INSIDE,
        hierarchy.EDGE,
        hierarchy.OUTSIDE,
        hierarchy.TURNS,
    ]
    assert all(requirement.met for requirement in section.requirements[1:])


def test_quick_solves_reach_what_is_reachable():
    table = solves.run(quick=True).tables[0]
    shares = zip(table.column("problems"), table.column("reached, %"), strict=True)
    assert all(share == 100.0 for kind, share in shares if kind == "reachable")


def test_the_command_prints_the_tables_it_is_asked_for(capsys):
    main(["solves", "--quick"])
    printed = capsys.readouterr().out
    assert "== solves ==" in printed and "reached, %" in printed and "== overhead ==" not in printed


@pytest.mark.skipif(not REASON, reason="the kernels are Numba's")
def test_what_cannot_be_measured_with_these_kernels_is_said():
    assert REASON in evaluation.run(quick=True).markdown()


def test_the_command_refuses_an_unknown_name(capsys):
    with pytest.raises(SystemExit):
        main(["evalution"])
    assert "expected one of: evaluation" in capsys.readouterr().err


def test_missing_prototypes_are_left_out_with_the_reason(monkeypatch, tmp_path):
    monkeypatch.setenv("MANIKIN_SPIKES", str(tmp_path))
    prototype_figures.cache_clear()
    prototypes.cache_clear()
    try:
        found = prototypes()
    finally:
        prototype_figures.cache_clear()
        prototypes.cache_clear()
    assert found.figures is None and found.compiled is None and found.native is None
    assert "MANIKIN_SPIKES" in found.reasons[0]


def test_the_fitted_power_is_that_of_the_times():
    sizes = [7, 16, 31, 120]
    assert iteration.power(sizes, [3e-6 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_drawn_rows_are_kept_by_the_start():
    body = scipy_peers.torso31()
    for reachable in (True, False):
        drawn = scipy_peers.random_problem(body, 4, reachable=reachable)
        rows = scipy_peers.random_rows(body, drawn, 4, reachable=reachable)
        start = scipy_peers.feasible_start(body, rows, drawn.start)
        assert rows.violation(body.figure, start) <= 1e-12
        broken = start + 1e-3 * rows.equal[0]
        assert rows.violation(body.figure, broken) > 0.9e-3

from __future__ import annotations

import numpy as np
import pytest

import manikin as mk
from manikin.figure import Coupling, Figure, Joint, Segment, Site
from manikin.result.explain.limits import in_words

from .samples import EXACT, chain, check, constraint_excess, potential, random_pose, random_rotation


def torso() -> Figure:
    """31 degrees of freedom: a spine of five vertebrae, three axes each, and two arms of eight."""
    segments = ["pelvis", *(f"v{k}" for k in range(1, 6))]
    joints = [
        Joint(
            f"spine{k}",
            segments[k - 1],
            segments[k],
            "R(y)*R(x)*R(z)",
            (0, 0, 0.09),
            lower=(-0.3, -0.25, -0.2),
            upper=(0.6, 0.25, 0.2),
            dofs=(f"bend{k}", f"lean{k}", f"twist{k}"),
        )
        for k in range(1, 6)
    ]
    sites = []
    for side, y in (("left", 1.0), ("right", -1.0)):
        links = ["v5", *(f"{side}_{part}" for part in ("collar", "upper", "lower", "hand"))]
        segments += links[1:]
        arm = [
            ("collar", "R(x)*R(z)", (0, 0.03 * y, 0.1), -0.4, 0.5),
            ("shoulder", "R(y)*R(x)*R(z)", (0, 0.16 * y, 0), (-2.0, -1.5, -1.2), (2.0, 1.5, 1.2)),
            ("elbow", "R(y)", (0, 0, -0.3), -2.4, 0.0),
            ("wrist", "R(z)*R(x)", (0, 0, -0.26), -1.0, 1.0),
        ]
        for k, (name, motion, place, lower, upper) in enumerate(arm):
            limits = {"lower": lower, "upper": upper}
            joints.append(Joint(f"{side}_{name}", links[k], links[k + 1], motion, place, **limits))
        sites.append(Site(f"{side}_palm", links[-1], (0, 0, -0.08)))
    return Figure("torso", [Segment(name) for name in segments], joints, sites)


TORSO = torso()


def random_constraints(rng: np.random.Generator, inside: mk.Pose, count: int) -> list[Coupling]:
    """Rows that ``inside`` satisfies: equalities, inequalities on either side or both, some of them repeated."""
    figure = inside.figure
    rows: list[Coupling] = []
    for _ in range(count):
        kind = rng.integers(6)
        if kind == 5 and rows:  # a multiple of one that is there, or the sum of two
            first, second = rows[rng.integers(len(rows))], rows[rng.integers(len(rows))]
            total = {name: 2.0 * c for name, c in first.coefficients.items()}
            if rng.random() < 0.5:
                for name, c in second.coefficients.items():
                    total[name] = total.get(name, 0.0) + c
            coefficients = {name: c for name, c in total.items() if c != 0.0}
            exact = first.equality and second.equality
        else:
            names = rng.choice(figure.dofs, size=rng.integers(1, 6), replace=False)
            coefficients = {str(name): float(rng.normal()) for name in names}
            exact = kind <= 1
        if not coefficients:
            continue
        value = sum(c * inside.values()[name] for name, c in coefficients.items())
        below, above = rng.choice([0.0, 0.05, 0.3, np.inf], size=2)
        if exact:
            below = above = 0.0
        if np.isinf(below) and np.isinf(above):
            above = 0.1
        rows.append(Coupling(coefficients, value - below, value + above))
    return rows


def both_hands(rng: np.random.Generator) -> list[mk.Goal]:
    pose = random_pose(TORSO, rng)
    left, right = pose.position("left_palm"), pose.position("right_palm")
    if rng.random() < 0.3:
        left = 3.0 * left
    return [mk.Position("left_palm", left), mk.Placement("right_palm", right, random_rotation(rng))]


@pytest.mark.parametrize("block", range(4))
def test_random_constraints_hold_exactly(block):
    assert TORSO.n == 31
    for case in range(50):
        rng = np.random.default_rng([31, block, case])
        inside = random_pose(TORSO, rng)
        rows = random_constraints(rng, inside, int(rng.integers(1, 13)))
        goals = both_hands(rng)
        start = inside if case % 2 else random_pose(TORSO, rng)
        solution = mk.solve(start, goals, constraints=rows)
        assert solution.status != "infeasible"
        check(solution, rows)
        if start is inside:
            assert solution.cost <= potential(goals, inside) * (1 + 1e-12)


@pytest.mark.parametrize("block", range(2))
def test_constraints_over_frozen_coordinates_hold_with_those_values(block):
    for case in range(25):
        rng = np.random.default_rng([32, block, case])
        inside = random_pose(TORSO, rng)
        rows = random_constraints(rng, inside, int(rng.integers(1, 9)))
        free = [str(name) for name in rng.choice(TORSO.dofs, size=20, replace=False)]
        solution = check(mk.solve(inside, both_hands(rng), constraints=rows, free=free), rows)
        assert solution.status != "infeasible"
        frozen = np.setdiff1d(np.arange(TORSO.n), TORSO.select(free))
        assert np.array_equal(solution.q[frozen], inside.q[frozen])


def test_what_a_constraint_leaves_is_used_to_the_full():
    """With c of the two slides tied, the nearest point of the line is found."""
    figure = chain([0.0, 0.0], ["T(x)", "T(y)"])
    solution = check(mk.solve(figure, [mk.Position("tip", [1.0, 1.0, 0.0])], constraints=["j1 + 2*j2 = 1"]))
    assert solution.q == pytest.approx([0.6, 0.2], abs=1e-8)
    box = check(
        mk.solve(figure, [mk.Position("tip", [1.0, 1.0, 0.0])], constraints=["j1 + 2*j2 <= 1", "j2 >= 0.3"])
    )
    assert box.q == pytest.approx([0.4, 0.3], abs=1e-8)


def test_the_same_constraint_many_times_is_the_same_as_once():
    figure = chain([0.4, 0.3, 0.3], ["R(y)"] * 3)
    goals = [mk.Position("tip", [0.5, 0.0, 0.5])]
    start, near = figure.pose([0.3, 0.3, 0.3]), (1e-6, 1e-5)
    once = check(mk.solve(start, goals, constraints=["j1 = j3", "j2 <= 0.4"], tolerance=near), tolerance=near)
    many = ["j1 = j3", "2*j1 = 2*j3", "j3 - j1 = 0", "j2 <= 0.4", "3*j2 <= 1.2", "j1 + j2 - j3 <= 0.4"]
    repeated = check(mk.solve(start, goals, constraints=many, tolerance=near), many, tolerance=near)
    assert repeated.cost == pytest.approx(once.cost, abs=1e-9)


@pytest.mark.parametrize("target", [[2.0, 2.0, 0.0], [2.0, 0.3, 0.0], [-1.0, -3.0, 0.0], [0.3, 1.4, 0.0]])
def test_a_coupling_through_the_corner_of_two_limits_is_no_trap(target):
    """j1 + j2 <= 1 passes exactly through the corner (0.5, 0.5), and j1 = j2 through it and (0, 0)."""
    figure = chain([0.0, 0.0], ["T(x)", "T(y)"], lower=[0.0, 0.0], upper=[0.5, 0.5])
    for rows in (["j1 + j2 <= 1"], ["j1 = j2", "j1 + j2 <= 1"], ["j1 = j2", "j1 + j2 >= 0", "j1 - j2 <= 0"]):
        for start in ([0.0, 0.0], [0.5, 0.5], [0.25, 0.25]):
            solution = check(
                mk.solve(figure.pose(start), [mk.Position("tip", target)], constraints=rows), rows
            )
            ideal = np.clip(target[:2], 0.0, 0.5)
            if rows[0] == "j1 = j2":
                ideal = np.clip(np.mean(target[:2]), 0.0, 0.5) * np.ones(2)
            assert solution.q == pytest.approx(ideal, abs=1e-7)


def test_a_degenerate_vertex_of_the_torso_is_left_when_that_helps():
    """All bends tied, and each at its upper limit: six active constraints, five coordinates."""
    ties = [f"bend{k} = bend{k + 1}" for k in range(1, 5)] + ["bend1 + bend2 + bend3 + bend4 + bend5 <= 3"]
    figure = TORSO.with_couplings(*ties)
    start = figure.pose({f"bend{k}": 0.6 for k in range(1, 6)})
    target = figure.pose({f"bend{k}": 0.1 for k in range(1, 6)}).position("v5")
    solution = check(mk.solve(start, [mk.Position("v5", target)]))
    assert solution.reached
    bends = solution.q[figure.select("bend*")]
    assert np.ptp(bends) <= EXACT and bends[0] == pytest.approx(0.1, abs=0.02)


def test_equalities_hold_from_corners_where_the_limits_alone_decide_at_first():
    """Every coordinate of the tie begins on a limit that the goal pushes against; later one comes free again."""
    figure = chain(
        [0.0, 0.0, 0.0, 0.1],
        ["R(z)", "T(x)", "T(y)", "R(x)"],
        lower=[-3.0, -0.5, -0.5, -2.0],
        upper=[3.0, 0.5, 0.5, 2.0],
    )
    start = figure.pose([-1.06648695, 0.5, 0.5, -0.28712049])
    goals = [mk.Position("tip", [0.74072303, -0.18093393, -0.74126405])]
    check(mk.solve(start, goals, constraints=["j2 = j3"]), ["j2 = j3"])
    for case in range(200):
        rng = np.random.default_rng([34, case])
        a, b = rng.choice([-0.5, 0.5], size=2)
        slope = float(rng.choice([-1.0, 1.0]))
        row = Coupling({"j2": 1.0, "j3": slope}, a + slope * b, a + slope * b)
        start = figure.pose([rng.uniform(-3, 3), a, b, rng.uniform(-1, 1)])
        goals = [mk.Position("tip", rng.uniform(-0.8, 0.8, size=3))]
        check(mk.solve(start, goals, constraints=[row]), [row])


def test_a_start_that_a_constraint_only_just_touches_does_not_let_it_slip():
    """The way to the second limit is as short as rounding: nothing may be learned from such a step."""
    for case in range(200):
        rng = np.random.default_rng([35, case])
        first, second = (
            {str(n): float(rng.normal()) for n in rng.choice(TORSO.dofs, 4, False)} for _ in range(2)
        )
        pose = random_pose(TORSO, rng)
        rows = []
        for coefficients, exact in ((first, True), (second, False)):
            value = sum(c * pose.values()[name] for name, c in coefficients.items()) - 0.3
            rows.append(Coupling(coefficients, value if exact else -np.inf, value))
        check(mk.solve(pose, both_hands(rng), constraints=rows), rows)


def test_a_start_outside_its_limits_is_brought_in_and_said():
    start = TORSO.pose({"bend1": 2.0, "left_elbow": 1.0, "lean2": -0.1})
    solution = check(mk.solve(start, [mk.Position("left_palm", [0.4, 0.2, 0.4])]))
    assert solution.corrected_start == {"bend1": (2.0, 0.6), "left_elbow": (1.0, 0.0)}
    text = solution.explain()
    assert "bend1 was brought from 114.6° to 34.4°" in text and "left_elbow" in text and "lean2" not in text


def test_a_start_that_breaks_a_constraint_is_brought_in_and_said():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"])
    start = figure.pose([1.0, 0.0])
    solution = check(mk.solve(start, [], constraints=["j1 = j2"]), ["j1 = j2"])
    assert solution.q == pytest.approx([0.5, 0.5], abs=1e-9)
    assert set(solution.corrected_start) == {"j1", "j2"}
    assert solution.corrected_start["j1"] == pytest.approx((1.0, 0.5), abs=1e-9)


def test_a_start_that_breaks_both_range_and_constraint_is_said_to_begin_where_it_did():
    figure = chain([0.4, 0.3], ["R(y)", "R(y)"], lower=[-0.8, -0.8], upper=[0.8, 0.8])
    solution = check(mk.solve(figure.pose([2.0, 0.0]), [], constraints=["j1 = j2"]), ["j1 = j2"])
    for j, name in enumerate(figure.dofs):
        assert solution.corrected_start[name][1] == pytest.approx(solution.q[j], abs=1e-9)


def test_a_start_inside_everything_is_not_said_to_be_brought_in():
    solution = mk.solve(TORSO, [mk.Position("left_palm", [0.4, 0.2, 0.4])], constraints=["bend1 = bend2"])
    assert solution.corrected_start == {} and "brought" not in solution.explain()


def test_a_start_is_brought_to_the_nearest_point_that_satisfies_all():
    rng = np.random.default_rng(33)
    for _ in range(30):
        inside = random_pose(TORSO, rng)
        rows = random_constraints(rng, inside, 8)
        start = random_pose(TORSO, rng)
        begun = check(mk.solve(start, [], constraints=rows), rows)
        nearest = np.linalg.norm(begun.q - start.q)
        assert nearest <= np.linalg.norm(inside.q - start.q) + 1e-9
        for share in (1e-3, 0.1):
            other = begun.q + share * (inside.q - begun.q)
            assert nearest <= np.linalg.norm(other - start.q) + 1e-9


@pytest.mark.parametrize(
    ("rows", "named", "innocent"),
    [
        (["bend1 + bend2 = 0.5", "bend1 + bend2 = 0.6"], 2, []),
        (
            ["bend1 - bend2 >= 0.3", "bend2 - bend3 >= 0.3", "bend3 - bend1 >= 0", "lean1 = lean2"],
            3,
            ["lean1"],
        ),
        (["lean1 = 0.1*lean2", "bend1 + bend2 + bend3 >= 1.81"], 1, ["lean1"]),
    ],
)
def test_constraints_that_contradict_each_other_are_named(rows, named, innocent):
    solution = mk.solve(TORSO, [mk.Position("left_palm", [0.4, 0.2, 0.4])], constraints=rows)
    assert solution.status == "infeasible" and not solution.reached
    assert np.isfinite(solution.q).all()
    text = solution.explain()
    lines = [line.strip() for line in text.splitlines() if line.startswith("  ")]
    assert len(lines) == named
    for row in rows:
        coupling = Coupling.parse(row)
        side = "equal" if coupling.equality else "lower"
        assert (in_words(TORSO, coupling, side) in lines) == (not any(name in row for name in innocent))


def test_a_constraint_over_frozen_coordinates_only_may_contradict():
    goals = [mk.Position("left_palm", [0.4, 0.2, 0.4])]
    solution = mk.solve(TORSO, goals, free="left_*", constraints=["bend1 = 0.2"])
    assert solution.status == "infeasible" and not solution.reached
    assert "bend1 = 11.46°" in solution.explain()
    assert mk.solve(TORSO.pose({"bend1": 0.2}), goals, free="left_*", constraints=["bend1 = 0.2"]).reached


def test_restarts_do_not_argue_with_a_contradiction():
    goals = [mk.Position("left_palm", [0.4, 0.2, 0.4])]
    solution = mk.solve(TORSO, goals, constraints=["bend1 >= 0.7"], restarts=50)
    assert solution.status == "infeasible" and solution.starts == 1


def test_restarts_respect_the_constraints():
    rows = ["bend1 = bend2", "bend1 + lean1 <= 0.1"]
    solution = check(
        mk.solve(TORSO, [mk.Position("left_palm", [0, 0, 3.0])], constraints=rows, restarts=20), rows
    )
    assert not solution.reached and solution.starts == 21


def test_the_excess_is_what_the_checks_say_it_is():
    solution = mk.solve(TORSO, [], constraints=["bend1 = 0.25"])
    assert constraint_excess(solution, ["3*bend1 = 0.75"]) <= EXACT
    assert constraint_excess(solution, ["3*bend1 = 0.6"]) == pytest.approx(0.05)


def two_arms(*, ties=()) -> Figure:
    """Two arms on one base; the ties couple coordinates of the second arm only."""
    joints = []
    for side in ("a", "b"):
        names = ["base", f"{side}_upper", f"{side}_lower"]
        joints += [
            Joint.revolute(f"{side}1", names[0], names[1], "y", lower=-2.0, upper=2.0),
            Joint.revolute(f"{side}2", names[1], names[2], "y", placement=(0.3, 0, 0), lower=-2.0, upper=2.0),
        ]
    sites = [Site("a_tip", "a_lower", (0.3, 0, 0)), Site("b_tip", "b_lower", (0.3, 0, 0))]
    segments = ["base", "a_upper", "a_lower", "b_upper", "b_lower"]
    return Figure("arms", segments, joints, sites, couplings=[Coupling.parse(tie) for tie in ties])


def test_constraints_that_no_goal_is_concerned_with_add_no_variables():
    problem = mk.Problem(two_arms(ties=["b1 = 2*b2"]), [mk.Position("a_tip", [0.3, 0, -0.3])])
    assert problem.variables == ("a1", "a2")
    assert problem.solve().reached


def test_constraints_reach_through_others_to_the_goals_coordinates():
    figure = two_arms(ties=["b1 = 2*b2", "a1 + b1 <= 1"])
    assert mk.Problem(figure, [mk.Position("a_tip", [0.3, 0, -0.3])]).variables == ("a1", "a2", "b1", "b2")


def test_a_start_that_breaks_a_constraint_of_no_concern_is_brought_in_and_said():
    figure = two_arms(ties=["b1 = 2*b2"])
    start = figure.pose({"b1": 1.0, "b2": -0.5})
    solution = check(mk.solve(start, [mk.Position("a_tip", [0.3, 0, -0.3])]), ["b1 = 2*b2"])
    assert solution.reached and set(solution.corrected_start) == {"b1", "b2"}


def test_constraints_of_no_concern_that_contradict_each_other_are_infeasible_and_named():
    solution = mk.solve(
        two_arms(), [mk.Position("a_tip", [0.3, 0, -0.3])], constraints=["b1 >= 1", "b1 <= 0"]
    )
    assert solution.status == "infeasible" and not solution.reached
    assert "b1 >= 57.3°" in solution.explain() and "b1 <= 0°" in solution.explain()


def test_a_potential_in_python_minds_constraints_of_no_concern_too():
    figure = two_arms(ties=["b1 = 2*b2"])
    start = figure.pose({"b1": 1.0, "b2": -0.5})

    def near(position, _axes):
        miss = position - np.array([0.3, 0.0, -0.3])
        return miss @ miss, 2.0 * miss, np.zeros((3, 3))

    solution = mk.solve(start, [mk.Potential("a_tip", near)])
    assert solution.reached and solution.q[2] == pytest.approx(2.0 * solution.q[3], abs=1e-9)


def test_the_look_back_at_the_start_respects_constraints_that_the_start_broke():
    joints = [
        Joint("slide", "b", "p", "T(x)", lower=-1, upper=1),
        Joint("hip", "p", "t", "R(y)", lower=-1.5, upper=1.5),
        Joint("knee", "t", "s", "R(y)", (0, 0, -0.4), lower=0, upper=2.4),
        Joint("ankle", "s", "f", "R(y)", (0, 0, -0.4), lower=0, upper=1),
    ]
    figure = Figure("leg", list("bptsf"), joints, [Site("toe", "f", (0, 0, -0.2))])
    rows = ["slide - 2*knee >= 0.2"]
    check(mk.solve(figure.pose([-0.04, 0, 0.17, 0]), [mk.Aim("toe", [0.2, 0, -1])], constraints=rows), rows)
    for case in range(300):
        rng = np.random.default_rng([36, case])
        first, second = (float(c) for c in rng.normal(size=2))
        row = Coupling({"slide": first, "knee": second}, lower=0.3 * abs(first) + 0.2 * abs(second))
        goal = mk.Aim("toe", rng.normal(size=3)) if case % 2 else mk.Position("toe", rng.normal(size=3))
        solution = mk.solve(figure.pose(rng.choice([0.0, 0.2, -0.3], size=4)), [goal], constraints=[row])
        if solution.status != "infeasible":
            check(solution, [row])


def test_nearly_parallel_equalities_hold_both_or_are_solved():
    figure = chain([0.4, 0.3, 0.2], ["R(z)", "R(y)", "R(y)"], lower=[-2.5] * 3, upper=[2.5] * 3)
    rows = ["j1 + j2 = 0.1", "j1 + 1.000001*j2 = 0.100001"]
    solution = mk.solve(figure, [mk.Position("tip", [0.4, 0.2, 0.6])], constraints=rows)
    assert solution.status != "infeasible"
    check(solution, rows)


@pytest.mark.parametrize("weight", [1e-6, 1e-3, 1e6])
def test_a_weight_that_all_goals_share_changes_nothing(weight):
    for case in range(30):
        rng = np.random.default_rng([37, case])
        target = random_pose(TORSO, rng).position("left_palm")
        plain = mk.solve(TORSO, [mk.Position("left_palm", target)])
        weighed = mk.solve(TORSO, [mk.Position("left_palm", target, weight=weight)])
        assert weighed.reached == plain.reached

"""Robots of six joints, by the package's own closed form and through EAIK and ssik."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from tests.solvers.samples import robot, robot_file

import manikin as mk
from manikin.figure import transforms
from manikin.figure.dh import from_dh

INSTALLED = [
    "own",
    *(
        pytest.param(
            name, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed")
        )
        for name in ("eaik", "ssik")
    ),
]


def _six(limit: float = 3.0, axes: str = "zyyzyz", offset: float = 0.05) -> mk.Figure:
    """Six hinges, the last three through a point; the shoulder's do not meet."""
    heights = [0.3, 0.1, 0.4, 0.2, 0.25, 0.0]
    joints = [
        mk.Joint(
            f"j{i}",
            f"s{i}",
            f"s{i + 1}",
            f"R({a})",
            placement=(offset if i == 1 else 0.0, 0.0, h),
            lower=-limit,
            upper=limit,
        )
        for i, (a, h) in enumerate(zip(axes, heights, strict=True))
    ]
    return mk.Figure("six", [f"s{i}" for i in range(7)], joints, [mk.Site("tip", "s6", (0.02, 0.01, 0.1))])


def _miss(arm: mk.SixAxis, row: np.ndarray, target: np.ndarray) -> float:
    return float(np.abs(arm.pose(row).matrix(arm.site) - target).max())


@pytest.mark.parametrize("backend", INSTALLED)
def test_all_solutions_reach_the_target_and_hold_the_pose_it_came_from(backend):
    arm = mk.SixAxis(_six(), "tip", backend=backend)
    rng = np.random.default_rng(80)
    counts = []
    for _ in range(30):
        q = rng.uniform(-2.9, 2.9, 6)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        counts.append(len(found))
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(_miss(arm, row, target) for row in found) < 1e-9
    assert max(counts) >= 4


@pytest.mark.parametrize("backend", INSTALLED[1:])
@pytest.mark.parametrize("figure", [_six(), _six(axes="zyyyzy"), _six(axes="zxxxyx", offset=0.2)])
def test_the_packages_find_the_same_solutions(backend, figure):
    ways = [mk.SixAxis(figure, "tip", backend=name) for name in ("own", backend)]
    rng = np.random.default_rng(81)
    for _ in range(20):
        target = ways[0].pose(rng.uniform(-2.9, 2.9, 6)).matrix("tip")
        one, two = (way.solve(target) for way in ways)
        assert len(one) == len(two)
        for row in one:
            assert np.abs(two - row).max(axis=1).min() < 1e-6


def test_a_ur5_has_all_whole_turns_within_its_limits():
    arm = mk.SixAxis(robot("ur5"), robot("ur5").joints["ee_fixed_joint"].child)
    rng = np.random.default_rng(82)
    for _ in range(3):
        q = rng.uniform(-2.0, 2.0, 6)
        target = arm.pose(q).matrix(arm.site)
        found = arm.solve(target)
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(_miss(arm, row, target) for row in found) < 1e-9
        # Each angle that has room for a whole turn more is there both ways.
        base = found[np.abs(found - q).max(axis=1).argmin()]
        assert np.abs(base - q).max() < 1e-6
        for j in range(6):
            for turn in (-2 * np.pi, 2 * np.pi):
                other = base + turn * np.eye(6)[j]
                inside = arm.lower[j] <= other[j] <= arm.upper[j]
                assert (np.abs(found - other).max(axis=1).min() < 1e-6) == inside


def test_limits_couplings_and_reach_leave_fewer_and_none():
    wide, narrow = mk.SixAxis(_six(), "tip"), mk.SixAxis(_six(1.0), "tip")
    coupled = mk.SixAxis(_six().with_couplings("j0 + j5 <= 0.1"), "tip")
    rng = np.random.default_rng(83)
    for _ in range(10):
        q = rng.uniform(-0.9, 0.9, 6)
        target = wide.pose(q).matrix("tip")
        many, few, some = wide.solve(target), narrow.solve(target), coupled.solve(target)
        assert len(few) == ((np.abs(many) <= 1.0).all(axis=1)).sum() >= 1
        assert len(some) == (many[:, 0] + many[:, 5] <= 0.1).sum()
    target[:3, 3] += 5.0
    assert wide.solve(target).shape == (0, 6)


def _general() -> mk.Figure:
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"R({a})", placement=p)
        for i, (a, p) in enumerate(
            zip(
                ("z", "0.6,0.8,0", "y", "0,0.6,0.8", "x", "0.48,0.6,0.64"),
                [(0, 0, 0.1), (0.1, 0.03, 0), (0.2, 0, 0.1), (0, 0.1, 0.2), (0.1, 0, 0.1), (0.05, 0.06, 0)],
                strict=True,
            )
        )
    ]
    return mk.Figure("general", [f"s{i}" for i in range(7)], joints)


@pytest.mark.parametrize("backend", INSTALLED[:2])
def test_robots_without_a_closed_form_are_refused_with_the_reason(backend):
    with pytest.raises(mk.FigureError, match=r"no closed form for the six (hinges|joints) above 's6'"):
        mk.SixAxis(_general(), "s6", backend=backend)
    with pytest.raises(mk.FigureError, match="does not end six hinges or slides: it has 5 joint values"):
        mk.SixAxis(_general(), "s5", backend=backend)
    with pytest.raises(mk.FigureError, match="a ball joint"):
        mk.SixAxis(mk.human(), "right_foot", backend=backend)


def test_hinges_that_move_what_carries_them_are_refused():
    """The carriage follows the first hinge."""
    figure = _six()
    rail = mk.Joint("rail", "ground", "s0", "T(x)", follow=mk.Follow({"j0": 0.1}))
    joints = [rail, *figure.joints.values()]
    moved = mk.Figure("moved", ["ground", *figure.segments], joints, list(figure.sites.values()))
    with pytest.raises(mk.FigureError, match="move what carries them"):
        mk.SixAxis(moved, "tip")


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] in ("eaik", "ssik")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("eaik", "ssik"):
        monkeypatch.setitem(sys.modules, name, None)
    for backend, package in ((None, "EAIK or ssik"), ("eaik", "EAIK"), ("ssik", "ssik")):
        with pytest.raises(mk.MissingExtraError, match=rf"{package}: pip install \"manikin\[analytic\]\""):
            mk.SixAxis(_general(), "s6", backend=backend)
    assert mk.SixAxis(_six(), "tip").backend == "own"
    with pytest.raises(mk.SolveError, match="unknown backend 'magic'"):
        mk.SixAxis(_six(), "tip", backend="magic")


#: Robots of six hinges in the collection, the segment at their end; legs of humanoids among them.
COLLECTION = [
    ("ur_description/urdf/ur3_robot.urdf", "tool0"),
    ("ur_description/urdf/ur5_robot.urdf", "tool0"),
    ("ur_description/urdf/ur10_robot.urdf", "tool0"),
    ("ur_description/urdf/ur5_joint_limited_robot.urdf", "ee_link"),
    ("z1_description/urdf/z1.urdf", "gripperStator"),
    ("so_arm_description/urdf/so101.urdf", "moving_jaw_so101_v1_link"),
    ("talos_data/robots/talos_reduced.urdf", "left_sole_link"),
    ("romeo_description/urdf/romeo_small.urdf", "r_ankle"),
    ("kinova_description/robots/kinova.urdf", "j2s6s200_link_finger_tip_2"),
]


@pytest.mark.parametrize(("file", "site"), COLLECTION, ids=[file.split("/")[-1] for file, _ in COLLECTION])
def test_robots_from_files_come_back_exactly(file, site):
    figure = robot_file(file)
    arm = mk.SixAxis(figure, site, backend="own")
    rng = np.random.default_rng(84)
    low, high = np.maximum(arm.lower, -2 * np.pi), np.minimum(arm.upper, 2 * np.pi)
    for _ in range(100):
        q = rng.uniform(low, high)
        target = arm.pose(q).matrix(site)
        found = arm.solve(target)
        away = found - q
        free = ~np.isfinite(arm.upper)
        away[:, free] -= 2 * np.pi * np.round(away[:, free] / (2 * np.pi))
        assert np.abs(away).max(axis=1).min() < 1e-6
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        assert max(_miss(arm, row, target) for row in found[:16]) < 1e-10


def puma(limit: float = np.pi) -> mk.Figure:
    """The PUMA 560 by its Denavit–Hartenberg parameters (Corke and Armstrong-Hélouvry 1994)."""
    quarter = np.pi / 2
    rows = [
        (0.0, quarter, 0.0, 0.0),
        (0.4318, 0.0, 0.0, 0.0),
        (0.0203, -quarter, 0.15005, 0.0),
        (0.0, quarter, 0.4318, 0.0),
        (0.0, -quarter, 0.0, 0.0),
        (0.0, 0.0, 0.0, 0.0),
    ]
    return from_dh(rows, name="puma", lower=-limit, upper=limit)


def test_the_puma_has_eight_solutions_where_it_can_reach_both_ways():
    arm = mk.SixAxis(puma(), "tip")
    assert arm.backend == "own"
    rng = np.random.default_rng(85)
    counts = []
    for _ in range(300):
        q = rng.uniform(-np.pi, np.pi, 6)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        counts.append(len(found))
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(_miss(arm, row, target) for row in found) < 1e-10
    assert set(counts) <= {2, 4, 6, 8} and counts.count(8) > 150


def test_angles_that_a_target_leaves_free_are_the_poses():
    figure = puma()
    q = np.array([0.3, -0.4, 0.5, 1.1, 0.0, -0.7])
    held = mk.SixAxis(figure.pose(q), "tip")
    target = held.pose(q).matrix("tip")
    assert np.abs(held.solve(target) - q).max(axis=1).min() < 1e-9
    for row in mk.SixAxis(figure, "tip").solve(target):
        assert _miss(held, row, target) < 1e-10


def test_a_hinge_that_follows_a_motor_is_solved_in_the_motors_coordinate():
    figure = _six()
    joints = list(figure.joints.values())
    joints[2] = mk.Joint(
        "j2", "s2", "s3", "R(y)", placement=(0.0, 0.0, 0.4), follow=mk.Follow({"motor": -0.5}, 0.2)
    )
    joints.append(mk.Joint("motor", "s0", "wheel", "R(x)", lower=-6.0, upper=6.0))
    geared = mk.Figure("geared", [*figure.segments, "wheel"], joints, list(figure.sites.values()))
    arm = mk.SixAxis(geared, "tip", backend="own")
    assert arm.joints == ("j0", "j1", "motor", "j3", "j4", "j5")
    rng = np.random.default_rng(86)
    for _ in range(50):
        q = rng.uniform(arm.lower, arm.upper)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(_miss(arm, row, target) for row in found) < 1e-10


def test_a_quarter_turn_rounded_in_a_file_is_solved_exactly_with_a_tolerance():
    rounded = np.eye(4)
    rounded[:3, :3] = transforms.exp([1.5708, 0.0, 0.0])
    back = np.eye(4)
    back[:3, :3] = transforms.exp([-1.57079, 0.0, 0.0])
    joints = list(_six(axes="zyyyzy").joints.values())
    for k, frame, z in ((2, rounded, 0.4), (3, back, 0.2)):
        frame[:3, 3] = (0.0, 0.0, z) if k == 2 else (0.0, z, 0.0)
        joints[k] = mk.Joint(
            f"j{k}", f"s{k}", f"s{k + 1}", "R(-z)" if k == 2 else "R(y)", placement=frame, lower=-3, upper=3
        )
    sites = [mk.Site("tip", "s6", (0.02, 0.01, 0.1))]
    figure = mk.Figure("rounded", [f"s{i}" for i in range(7)], joints, sites)
    with pytest.raises(mk.FigureError, match="are not parallel"):
        mk.SixAxis(figure, "tip", backend="own")
    arm = mk.SixAxis(figure, "tip", backend="own", alignment=1e-5)
    rng = np.random.default_rng(87)
    for _ in range(100):
        q = rng.uniform(arm.lower, arm.upper)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(_miss(arm, row, target) for row in found) < 1e-10


def _stanford() -> mk.Figure:
    """The Stanford arm: two hinges, a slide, and three hinges that meet."""
    quarter = np.pi / 2
    rows = [(0, -quarter, 0.412, 0), (0, quarter, 0.154, 0), (0, 0, 0, 0)]
    rows += [(0, -quarter, 0, 0), (0, quarter, 0, 0), (0, 0, 0.263, 0)]
    return from_dh(
        rows,
        name="stanford",
        prismatic=[False, False, True, False, False, False],
        lower=[-np.pi, -np.pi, 0.1, -np.pi, -np.pi, -np.pi],
        upper=[np.pi, np.pi, 0.9, np.pi, np.pi, np.pi],
    )


def test_all_solutions_of_the_stanford_arm_reach_the_target_and_are_those_inside_its_slides_range():
    arm = mk.SixAxis(_stanford(), "tip")
    assert arm.backend == "own"
    rng = np.random.default_rng(88)
    for _ in range(300):
        q = rng.uniform(arm.lower, arm.upper)
        target = arm.pose(q).matrix("tip")
        found = arm.solve(target)
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        assert max(_miss(arm, row, target) for row in found) < 1e-10
        assert ((found >= arm.lower) & (found <= arm.upper)).all()
        # Two ways of the shoulder, the slide drawn out in both, and two of the wrist.
        assert len(found) == 4
    target[:3, 3] *= 10.0
    assert len(arm.solve(target)) == 0


def test_the_solver_reaches_a_pose_of_the_stanford_arm():
    figure = _stanford()
    q = np.array([0.3, 0.5, 0.4, 0.4, 0.6, -0.2])
    solution = mk.solve(figure, [mk.Placement("tip", figure.pose(q).matrix("tip"))])
    assert solution.reached
    assert np.abs(solution.pose.matrix("tip") - figure.pose(q).matrix("tip")).max() < 1e-6


def test_packages_that_know_hinges_only_are_not_asked_for_slides():
    joints = [
        mk.Joint(f"j{i}", f"s{i}", f"s{i + 1}", f"{kind}({axis})", placement=place)
        for i, (kind, axis, place) in enumerate(
            zip(
                "RRTRRR",
                ("z", "0.6,0.8,0", "y", "0,0.6,0.8", "x", "0.48,0.6,0.64"),
                [(0, 0, 0.1), (0.1, 0.03, 0), (0.2, 0, 0.1), (0, 0.1, 0.2), (0.1, 0, 0.1), (0.05, 0.06, 0)],
                strict=True,
            )
        )
    ]
    figure = mk.Figure("sliding", [f"s{i}" for i in range(7)], joints)
    with pytest.raises(mk.FigureError, match="axes 4, 5 and 6 miss one another"):
        mk.SixAxis(figure, "s6")
    with pytest.raises(mk.FigureError, match="the package eaik knows hinges only"):
        mk.SixAxis(figure, "s6", backend="eaik")

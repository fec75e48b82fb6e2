"""What the reach hierarchy rests on: bounds that no pose beats, the last joints in closed form, tables on disk."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from tests.reach.arms import CASES, legal

import manikin as mk
from manikin.figure import kinematics
from manikin.reach import Hierarchy
from manikin.reach.hierarchy import store
from manikin.reach.hierarchy.blocks import blocks_of
from manikin.reach.hierarchy.last_links import last_links
from manikin.reach.hierarchy.meet import MET, meet
from manikin.reach.hierarchy.serial import Serial, serial_chain
from manikin.reach.hierarchy.table import Grid, Table

NODES = 60_000


@cache
def made(name: str) -> Hierarchy:
    figure, site, free = CASES[name]()
    return Hierarchy(figure, site, free=free, nodes=NODES)


@pytest.mark.parametrize(
    "name", ["planar, 4 hinges", "PUMA 560, 5 cm tool", "Stanford arm", "iiwa", "human arm"]
)
def test_no_pose_is_nearer_to_a_point_than_each_table_says(name):
    hierarchy = made(name)
    chain = hierarchy.chain
    poses = legal(hierarchy.figure, hierarchy.dofs, 20_000, seed=1)[:, hierarchy.dofs].T
    rng = np.random.default_rng(2)
    for block, sets in zip(hierarchy.blocks[1:], hierarchy.sets[1:], strict=False):
        tips = chain.tips(poses, block.first)
        wide = tips.max(axis=1) - tips.min(axis=1)
        points = tips[:, :2000] + 0.3 * wide.max() * rng.normal(size=(3, 2000)) * rng.random(2000) ** 3
        nearest = cKDTree(tips.T).query(points.T)[0]
        bound = sets.distance(points)
        assert (bound <= nearest + 1e-9).all()
        far = nearest > 0.3 * wide.max()
        assert (bound[far] > 0.6 * nearest[far]).all()
        assert (sets.distance(tips) <= 1e-9).all()


@pytest.mark.parametrize("round_", [False, True])
def test_a_table_of_points_bounds_the_distance_to_them_between_its_nodes(round_):
    rng = np.random.default_rng(0)
    cloud = rng.uniform(-0.4, 0.4, (40, 3))
    counts = (20, 25, 60) if round_ else (21, 22, 23)
    spacing = np.array([0.05, 0.06, 2 * np.pi / 60]) if round_ else np.array([0.07, 0.07, 0.07])
    grid = Grid(round_, counts, np.array([0.0, -0.7, 0.0]) if round_ else -10 * spacing, spacing)
    axes = [grid.origin[k] + spacing[k] * np.arange(grid.stored[k]) for k in range(3)]
    a, b, c = np.meshgrid(*axes, indexing="ij")
    nodes = np.stack([a * np.cos(c), a * np.sin(c), b] if round_ else [a, b, c]).reshape(3, -1)
    tree = cKDTree(cloud)
    table = Table(grid, (tree.query(nodes.T)[0] ** 2 * (1 - 1e-6)).astype(np.float32))
    points = rng.uniform(-1.2, 1.2, (3, 5000))
    true, bound = tree.query(points.T)[0], table.distance(points)
    assert (bound <= true + 1e-9).all()
    inside = (np.abs(points) < 0.6).all(axis=0) & (true > 0.28)
    assert (bound[inside] > 0.9 * true[inside]).all()


def three_joints(kinds: str, special: str) -> tuple[mk.Figure, str]:
    """Three hinges (R) and slides (T), placed anyhow, or with axes that meet or are parallel."""
    rng = np.random.default_rng(len(special) + 10 * sum(kind == "R" for kind in kinds))
    names, joints = ["base", "a", "b", "c"], []
    for k, kind in enumerate(kinds):
        placement = np.eye(4)
        placement[:3, :3] = Rotation.random(random_state=rng).as_matrix()
        placement[:3, 3] = rng.normal(size=3)
        if special == "parallel" and k == 1:
            placement[:3, :3] = Rotation.from_rotvec([0, 0, 0.4]).as_matrix()
        if special == "meet" and k == 2:
            placement[:3, 3] = 0.0
        joints.append(
            mk.Joint(
                f"j{k}", names[k], names[k + 1], f"{kind}(z)", placement=placement, lower=-1.3, upper=1.3
            )
        )
    return mk.Figure("three", names, joints, [mk.Site("tip", "c", tuple(rng.normal(size=3)))]), "tip"


@pytest.mark.parametrize("kinds", ["".join(one) for one in itertools.product("RT", repeat=3)])
@pytest.mark.parametrize("special", ["", "meet", "parallel"])
def test_the_last_three_joints_are_solved_exactly(kinds, special):
    figure, site = three_joints(kinds, special)
    chain = serial_chain(figure, site, np.array(figure.rest), None)
    last = last_links(chain, blocks_of(chain, site))
    assert last is not None
    q = np.random.default_rng(1).uniform(-1.3, 1.3, (3, 200))
    full, good = last.legal(chain.tips(q, last.first), q, np.zeros(3), 1.0)
    assert good.any(axis=1).all()
    for k in range(0, 200, 20):
        goal = kinematics.site_matrix(figure, q[:, k], site)[:3, 3]
        for found in full[:, k, good[k]].T:
            assert np.abs(kinematics.site_matrix(figure, found, site)[:3, 3] - goal).max() < 1e-9
            assert (np.abs(found) <= 1.3).all()


def test_every_solution_of_three_skew_hinges_that_a_search_finds_is_among_the_closed_ones():
    figure, site = three_joints("RRR", "")
    chain = serial_chain(figure, site, np.array(figure.rest), None)
    last = last_links(chain, blocks_of(chain, site))
    assert last is not None and last.count == 3
    rng = np.random.default_rng(4)
    for _ in range(10):
        goal = chain.tips(rng.uniform(-1.3, 1.3, (3, 1)))
        starts = rng.uniform(-1.3, 1.3, (3, 100))
        ends, miss = meet(chain, 1.0, np.repeat(goal, 100, axis=1), starts, 0, np.arange(3))
        full, good = last.legal(goal, np.zeros((3, 1)), np.zeros(3), 1.0)
        closed = full[:, 0, good[0]]
        for end in ends[:, miss < MET].T:
            assert np.abs(closed - end[:, None]).max(axis=0).min() < 1e-5


def test_a_ball_joint_in_the_middle_of_a_chain_is_served():
    joints = [
        mk.Joint("turret", "base", "turret", "R(z)", lower=-1.0, upper=1.0),
        mk.Joint("ball", "turret", "upper", "ball", placement=(0.3, 0, 0.2), lower=-0.8, upper=0.8),
        mk.Joint("elbow", "upper", "lower", "R(y)", placement=(0.0, 0, 0.4), lower=0.0, upper=2.0),
    ]
    figure = mk.Figure(
        "crane", ["base", "turret", "upper", "lower"], joints, [mk.Site("tip", "lower", (0.0, 0, 0.3))]
    )
    hierarchy = Hierarchy(figure, "tip", nodes=8_000)
    for q in legal(figure, np.arange(figure.n), 8, seed=3):
        goal = kinematics.site_matrix(figure, q, "tip")[:3, 3]
        found = hierarchy.solve(goal)
        assert (
            found.reached
            and np.linalg.norm(kinematics.site_matrix(figure, found.q, "tip")[:3, 3] - goal) < 1e-9
        )
    assert hierarchy.solve([1.6, 0.0, 0.2]).verdict == "outside W[1]"


def test_chains_that_end_alike_share_tables_and_the_same_chain_has_the_same():
    figure, site, _ = CASES["iiwa"]()
    store.forget()
    whole = Hierarchy(figure, site, nodes=5_000)
    part = Hierarchy(figure, site, fixed=["a1"], nodes=5_000)
    assert all(one is other for one, other in zip(whole.sets[2:-1], part.sets[1:-1], strict=True))
    store.forget()
    alone = Hierarchy(figure, site, fixed=["a1"], nodes=5_000)
    for one, other in zip(alone.sets[1:-1], part.sets[1:-1], strict=True):
        if isinstance(one, Table):
            assert one is not other and np.array_equal(one.squared, other.squared)


def test_tables_are_kept_in_a_folder_and_a_broken_file_is_refused_by_name(tmp_path):
    figure, site, _ = CASES["PUMA 560, 5 cm tool"]()
    store.forget()
    first = Hierarchy(figure, site, nodes=3_000, folder=tmp_path)
    files = sorted(tmp_path.iterdir())
    assert files and all(path.suffix == ".npz" for path in files)
    store.forget()
    again = Hierarchy(figure, site, nodes=3_000, folder=tmp_path)
    for one, other in zip(first.sets[1:-1], again.sets[1:-1], strict=True):
        if isinstance(one, Table):
            assert isinstance(other, Table) and np.array_equal(one.squared, other.squared)
    whole = files[0].read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"PK" + whole[2:100]):
        store.forget()
        files[0].write_bytes(broken)
        with pytest.raises(mk.FormatError, match=files[0].name):
            Hierarchy(figure, site, nodes=3_000, folder=tmp_path)
    store.forget()
    files[0].write_bytes(files[1].read_bytes())
    with pytest.raises(mk.FormatError, match=files[0].name):
        Hierarchy(figure, site, nodes=3_000, folder=tmp_path)


def test_the_chain_s_point_and_derivatives_are_those_of_the_figure():
    for name in ("Stanford arm", "human arm", "human leg, hip in a cone"):
        hierarchy = made(name)
        figure, site, dofs, chain = hierarchy.figure, hierarchy.site, hierarchy.dofs, hierarchy.chain
        assert isinstance(chain, Serial)
        q = legal(figure, dofs, 1, seed=6)[0]
        V = chain.moved(q[dofs][:, None], 0, np.arange(len(dofs)))[:, :, 0]
        first = chain.steps[0]
        point = first.turn @ V[:, 0] + first.shift
        assert np.abs(point - kinematics.site_matrix(figure, q, site)[:3, 3]).max() < 1e-12
        assert (
            np.abs(first.turn @ V[:, 1:] - kinematics.site_jacobian(figure, q, site)[:3, dofs]).max() < 1e-12
        )
        back = chain.undone(V[:, :1], q[dofs][:, None], 0, len(chain.steps))
        assert np.abs(back[:, 0] - chain.tip).max() < 1e-12


def test_no_point_goes_farther_in_a_box_than_the_proof_counts_with():
    for name in ("Stanford arm", "human arm", "human leg"):
        hierarchy = made(name)
        chain, depth = hierarchy.chain, min(3, len(hierarchy.blocks))
        free = np.unique(np.concatenate([block.coordinates for block in hierarchy.blocks[:depth]]))
        rng = np.random.default_rng(0)
        lower, upper = chain.rules.finite
        q = rng.uniform(lower[:, None], upper[:, None], (len(lower), 400))
        half = rng.uniform(0.0, 0.4, (len(free), 400))
        points = rng.normal(size=(3, 400))
        V, bent, off = chain.undone_with_slopes(points, q, half, (0, hierarchy.blocks[depth - 1].last), free)
        way = np.minimum((np.linalg.norm(V[:, 1:], axis=0) * half).sum(axis=0) + 0.5 * bent, off)
        for _ in range(40):
            moved = q.copy()
            moved[free] += half * rng.choice([-1.0, 1.0, 0.3], size=half.shape)
            seen = chain.undone(points, moved, 0, hierarchy.blocks[depth - 1].last)
            assert (np.linalg.norm(seen - V[:, 0], axis=0) <= way + 1e-12).all()

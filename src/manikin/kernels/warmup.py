"""A call of every entry into compiled code: what each takes is said here, for the build and for `manikin warmup`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np


def calls() -> dict[str, Callable[[], object]]:
    """A call of every entry, on as little as it takes: what an entry's arguments are is said here, and here only."""
    from manikin.kernels.batch import layout as batch_layout, mixed as mixed_many, plain as plain_many
    from manikin.kernels.damped import general, layout as damped_layout
    from manikin.kernels.levels import descent, layout as descent_layout
    from manikin.kernels.limb import (
        candidates as limb_candidates,
        carried as limb_carried,
        fixed as limb_fixed,
        foresight as limb_foresight,
        lanes as limb_lanes,
        limb,
        position as limb_position,
        solve as limb_solve,
        swivel as limb_swivel,
        track as limb_track,
        tube as limb_tube,
    )
    from manikin.kernels.memory import lanes, layout, targets
    from manikin.kernels.pose import limits, report, slope
    from manikin.kernels.posture import network as posture, query
    from manikin.kernels.residuals import center, entries as measure_entries, layout as measure_layout
    from manikin.kernels.search import (
        damped as lm,
        lanes as lm_lanes,
        layout as lm_layout,
        linear as lm_linear,
        linear_layout,
        six_axis_first as lm_six,
    )
    from manikin.kernels.six_axis import six_axis, solve as six_axis_solve
    from manikin.kernels.text import decimals
    from manikin.kernels.tracking import (
        entries as tracking_entries,
        layout as tracking_layout,
        thorough,
        track as tracking,
    )
    from manikin.kernels.tree import forward as tree_forward, layout as tree_layout
    from manikin.kernels.verify import check, layout as verify_layout, one as verify_one, rows as verify_rows

    header, misses = np.zeros(verify_layout.HEADER, np.int64), np.zeros(2)
    pairs = {verify_one.T_INTS: header, verify_one.T_OUT: misses}

    def _checked() -> np.ndarray:
        table = np.zeros(verify_one.T_ITEMS, np.int64)
        for item, array in pairs.items():
            table[item : item + 2] = array.ctypes.data, array.size
        return table

    structure, parameters, workspace = layout.empty()
    arrays = structure, parameters, workspace
    nothing, table, out = np.zeros(0), np.zeros((0, 0)), np.zeros(report.OUT_ERRORS)
    lm_arrays = lm_layout.allocate([0], [], 0, 0, lm_layout.no_columns())
    lane_work, ends = lm_layout.lane_workspace(lm_arrays[0]), np.zeros((0, lm_lanes.END_X))
    linear = linear_layout.allocate_linear(structure, lm_arrays[0])
    no_index, no_numbers = np.zeros(0, np.int64), np.zeros((0, 0, targets.NUMBERS))
    constants = batch_layout.lane_constants(structure, lm_arrays[0])
    no_targets = np.array([no_index.ctypes.data, 0, 0, no_index.ctypes.data], np.int64)
    batch = *arrays, *lm_arrays, lane_work, constants, no_targets
    steps: dict[str, Callable[[], object]] = {
        "lm": lambda: lm.lm(lm_layout.table(1, *arrays, *lm_arrays), nothing, out, 1, np.inf),
        "lm_lanes": lambda: lm_lanes.lm_lanes(
            *arrays, *lm_arrays, lane_work, nothing, out, ends, 0, ends, 1, 1, False, 0
        ),
        "lm_linear": lambda: lm_linear.lm_linear(
            *arrays, *lm_arrays, linear, nothing, nothing, out, table, 0, ends, 1, 1
        ),
        "lm_rows": lambda: lm_linear.lm_rows(
            lm_layout.table(1, *arrays, *lm_arrays, linear), nothing, out, 1, np.inf
        ),
        "bring_in": lambda: limits.bring_in(*arrays, nothing),
        "slope": lambda: slope.slope(*arrays, nothing, nothing),
        "judge": lambda: check.judge(
            np.zeros(verify_layout.HEADER, np.int64), nothing, nothing, nothing, nothing, np.zeros(2), 0
        ),
        "check_pose": lambda: verify_one.check_pose(_checked(), nothing, nothing, nothing, 1),
        "judge_rows": lambda: verify_rows.judge_rows(
            np.zeros(verify_layout.HEADER, np.int64),
            nothing,
            nothing,
            nothing,
            table,
            table,
            no_numbers,
            np.zeros((0, verify_rows.SLOT), np.int64),
            np.zeros((0, verify_rows.OF_ATOM), np.int64),
            no_index,
            nothing,
            nothing,
            np.zeros(2),
            table,
            no_index,
            0,
        ),
    }
    measures = *arrays, *measure_layout.allocate({})
    own_arrays = damped_layout.allocate({})
    no_slots = np.array([0, 0, 0, 0], np.int64)
    descents = descent_layout.allocate_descent(0, 0, 0, 0, 0)
    steps |= {
        "descend": lambda: descent.descend(*measures, *descents, nothing, 0, 10, 0.0),
        "plain_batch": lambda: plain_many.plain_batch(*batch, table, no_numbers, table, ends, ends, 0),
        "plain_batch_figures": lambda: plain_many.plain_batch_figures(
            *batch, table, no_index, table, no_numbers, table, ends, ends, 0
        ),
        "mixed_batch": lambda: mixed_many.mixed_batch(
            lm_layout.table(1, *measures, *own_arrays),
            table,
            table,
            table,
            no_index,
            nothing,
            table,
            nothing,
            table,
            1,
            0,
        ),
        "general": lambda: general.general(
            lm_layout.table(1, *measures, *own_arrays), nothing, out.copy(), 1, np.inf
        ),
        "take_target": lambda: targets.take_target(no_slots, 0, np.zeros(3)),
        "survey": lambda: descent.survey(*measures, *descents, 0),
        "part_misses": lambda: measure_entries.part_misses(*measures[3:], nothing),
        "measure_at": lambda: measure_entries.measure_at(*measures, nothing),
        "jacobian_at": lambda: measure_entries.jacobian_at(*measures, table, table),
        "push_at": lambda: measure_entries.push_at(*measures, nothing),
    }
    spec, target, none = np.zeros(limb.ROW), np.zeros((4, 4)), np.zeros((0, 4, 4))
    spec[limb.FARTHEST] = -1.0  # Nothing is within its reach, so every answer is "no solution".
    rigid, space, rows, counts = (
        spec.copy(),
        np.zeros(limb_track.SPACE),
        np.zeros((limb_fixed.ROOM, 7)),
        np.zeros(8, np.int64),
    )
    box, many = lanes.aligned(limb_lanes.BOX), lanes.aligned(limb_candidates.BOX)
    found = np.zeros((8, limb_swivel.STRETCHES, 2))
    spec[limb.VIRTUAL] = -1.0
    seven, whole, room = np.zeros(7), np.zeros(0, np.int64), np.zeros((0, limb_tube.MOST_NODES))
    short, way = np.zeros((0, limb_foresight.NODES), np.int16), np.zeros(0)
    wide, many_space = room.astype(np.int64), np.zeros(limb_foresight.SPACE)
    steps |= {
        "is_placement": lambda: limb.is_placement(target, 0.0),
        "solve_at": lambda: limb_solve.solve_at(spec, target, 0.0, rows),
        "solve_all": lambda: limb_solve.solve_all(
            spec, none, np.zeros(0), box, space, np.zeros((0, 8, 7)), counts
        ),
        "swivel_of": lambda: limb_solve.swivel_of(spec, np.zeros(7), target),
        "swivel_frame": lambda: limb_solve.swivel_frame(spec, target, np.zeros((3, 3))),
        "solve_fixed": lambda: limb_fixed.solve_fixed(spec, target, 0, 0.0, rows),
        "intervals": lambda: limb_swivel.intervals(spec, target, space, found, counts),
        "track": lambda: limb_track.track(spec, rigid, none, many, space, rows, counts),
        "track_one": lambda: limb_track.track_one(spec, rigid, target, many, space, rows, counts),
        "prepare": lambda: limb_track.prepare(spec, many),
        "place": lambda: limb_position.place(spec, rigid, np.zeros(3), space, rows),
        "place_at": lambda: limb_position.place_at(spec, rigid, np.zeros(3), 0.0, space, rows),
        "solve_all_fixed": lambda: limb_fixed.solve_all_fixed(
            spec, none, 0, 0.0, space, np.zeros((0, 8, 7)), counts
        ),
        "foresee": lambda: limb_foresight.foresee(
            spec, none, 0, rows[:1], seven, 128, 0.0, True, box, many_space, short, whole
        ),
        "solutions": lambda: limb_foresight.solutions(spec, target, rows),
        "narrow": lambda: limb_tube.narrow(
            spec, none, 0, rows[:1], seven, 0.1, way, whole, np.zeros((0, 27, 7)), room, wide, room, wide
        ),
        "postures": lambda: limb_tube.postures(spec, none, 0, way, whole, np.zeros((0, 7))),
        "describe": lambda: limb_tube.describe(spec, none, 0, np.zeros((0, 7)), way, whole, space),
        "is_projected": lambda: limb_tube.is_projected(spec, none, whole),
    }
    # Six axes whose every way has no length: nothing to solve.
    hinges, six = np.zeros(six_axis.LENGTH), np.zeros(6)
    hinges[six_axis.FACTOR : six_axis.FACTOR + 6], hinges[six_axis.EDGE] = 1.0, -1.0
    few = np.zeros((six_axis.MOST, 6))
    steps |= {
        "lm_six": lambda: lm_six.lm_six(lm_layout.table(1, *arrays, *lm_arrays), nothing, out, 1, np.inf),
        "six_axis": lambda: six_axis_solve.six_axis(hinges, target, six, few),
        "nearest_row": lambda: six_axis_solve.nearest_row(hinges, target, six, six, six, six.copy()),
        "six_axis_within": lambda: six_axis_solve.six_axis_within(hinges, target, six, six, six, few),
    }
    # A tree without motions, its inputs read-only as a figure's are.
    tree, numbers, size = tree_layout.allocate({})
    tree.flags.writeable = numbers.flags.writeable = False
    no_values, work = numbers[:0], np.zeros(size)
    steps |= {
        kernel.__name__: partial(kernel, tree, numbers, work, no_values, nothing, 0)
        for kernel in (
            tree_forward.site_frames,
            tree_forward.site_jacobian,
            center.centers,
            center.center_jacobians,
        )
    }
    steps["decimals"] = lambda: decimals.decimals(np.frombuffer(b"1", np.uint8), np.ones(23), np.zeros(1))
    ints, reals, scratch = tracking_layout.allocate({}, 0, 0)
    nobody = np.zeros(tracking.OUT_MISSES)
    tracked = (tree, numbers, work, ints, reals, np.zeros(scratch), *[nothing] * 4)
    steps["follow"] = lambda: tracking.follow(*tracked, nothing, nobody, 0, 1)
    parts = np.zeros(5, np.int64)  # no parts
    steps["follow_thorough"] = lambda: thorough.follow_thorough(
        *tracked[:6], nothing, parts, *tracked[6:], nothing, nobody, 0, 1, 0, 0, 0
    )
    steps["normal_at"] = lambda: tracking_entries.normal_at(*tracked, True, nothing, table)
    no_index, rail = np.zeros(0, np.int64), np.zeros(limb_carried.HINGE_AT)
    # A person of no joints, of whom nothing is asked: all there is are the sites that tell where it stands.
    body, weights = posture.allocate({}), np.zeros(0, np.float32)
    learned = np.zeros(posture.INPUTS + 4 * posture.LEARNED, np.float32)
    steps["prefer"] = lambda: posture.prefer(
        *(*body, weights, np.zeros(posture.GIVEN), -1, nothing, learned),
        np.zeros(posture.STYLES + posture.LEARNED + posture.FRAME),
    )
    standing, at_sites, size = tree_layout.allocate({tree_layout.SITES: query.SITES})
    person = (
        *body,
        *(standing, at_sites, np.zeros(size)),
        *(standing, at_sites, np.zeros(size)),
        *query.allocate({}),
        np.zeros(0, np.int64),
    )
    addresses = np.array([*((a.ctypes.data, a.size) for a in person), (0, 0)], np.int64).ravel()

    def posture_start() -> object:
        assert person  # whose addresses these are
        return query.posture_start(addresses, weights, learned, nothing, nothing, nothing)

    steps["posture_start"] = posture_start
    place = np.zeros(limb_carried.ROOM)
    nowhere = np.zeros((0, 7))
    steps["settle_all"] = lambda: limb_carried.settle_all(
        spec, rail, none, nothing, nowhere, place, np.zeros((0, 8, 7)), no_index
    )
    steps["sweep"] = lambda: limb_carried.sweep(
        spec, rail, target, nothing, nowhere, place, np.zeros((8, 0), np.int64), np.zeros((8, 0, 7)), False
    )
    steps["edge"] = lambda: limb_carried.edge(spec, rail, target, 0, 0.0, 0.0, np.zeros((1, 7)), place)
    steps["track_carried"] = lambda: limb_carried.track_carried(
        spec, rail, rigid, none, many, space, place, nowhere, no_index
    )
    return steps

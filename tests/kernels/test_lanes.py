"""The same source in four lanes: forward kinematics, position errors, sines and cosines."""

from __future__ import annotations

import numpy as np
import pytest

from manikin.kernels.math.angle import sincos
from manikin.kernels.memory.lanes import WIDTH, lanes, select
from manikin.kernels.residuals.errors import point_error, site_point
from manikin.kernels.tree.sweep import forward

from .support import GOALS, figures, packed, points, value_and_gradient


def aligned(*shape):
    """Zeros with a last axis of lanes, at an address that SIMD loads accept."""
    size = int(np.prod(shape)) * WIDTH
    raw = np.zeros(size + WIDTH)
    first = (-raw.ctypes.data % (8 * WIDTH)) // 8
    return raw[first : first + size].reshape(*shape, WIDTH)


def forward_in_lanes(parent, kind, axis, placement, values, trig, frames, spins):
    forward(parent, kind, axis, placement, lanes(values), lanes(trig), lanes(frames), lanes(spins))


def forward_of_four_bodies(parent, kind, axis, placement, values, trig, frames, spins):
    forward(parent, kind, axis, lanes(placement), lanes(values), lanes(trig), lanes(frames), lanes(spins))


def errors_in_lanes(kind, motion, parameters, frames, out):
    f = lanes(frames)
    o = lanes(out)
    for t in range(kind.shape[0]):
        r = site_point(f, motion[t], parameters, t)
        o[t, 0], o[t, 1], o[t, 2] = point_error(kind[t], parameters, t, r)


def errors_of_four_targets(kind, motion, parameters, frames, out):
    f = lanes(frames)
    p = lanes(parameters)
    o = lanes(out)
    for t in range(kind.shape[0]):
        r = site_point(f, motion[t], p, t)
        o[t, 0], o[t, 1], o[t, 2] = point_error(kind[t], p, t, r)


def errors_of_one(kind, motion, parameters, frames, out):
    for t in range(kind.shape[0]):
        r = site_point(frames, motion[t], parameters, t)
        out[t, 0], out[t, 1], out[t, 2] = point_error(kind[t], parameters, t, r)


def sincos_in_lanes(x, out):
    a = lanes(x)
    o = lanes(out)
    for i in range(a.shape[0]):
        o[0, i], o[1, i] = sincos(a[i])


def sincos_of_one(x, out):
    for i in range(x.shape[0]):
        out[0, i], out[1, i] = sincos(x[i])


def larger(x, y, out):
    a, b, o = lanes(x), lanes(y), lanes(out)
    for i in range(a.shape[0]):
        o[i] = select(a[i] > b[i], a[i], b[i])


def wide_and_narrow(figure, qs, goals):
    """Frames and spins of four poses: in lanes, and one after the other."""
    problem = packed(figure, *goals)
    tree, sweep = problem.sections.tree, problem.sections.sweep
    wide = {name: aligned(*getattr(sweep, name).shape) for name in ("values", "trig", "frames", "spins")}
    wide["frames"][0] = sweep.frames[0][:, None]
    narrow = {"frames": [], "spins": []}
    for lane, q in enumerate(qs):
        value_and_gradient(problem, q)
        wide["values"][..., lane] = sweep.values
        for name, kept in narrow.items():
            kept.append(getattr(sweep, name).copy())
    return problem, tree, wide, {name: np.stack(kept, axis=-1) for name, kept in narrow.items()}


@pytest.mark.parametrize("motion", figures())
def test_frames_of_four_poses_in_lanes_are_those_of_one_after_the_other(motion, compiled_math):
    figure = figures()[motion]
    qs = points(figure, WIDTH, seed=6)
    qs[0][:] = 0.0
    qs[1] *= 0.01  # some lanes by the series for small angles, some not
    _, tree, wide, narrow = wide_and_narrow(figure, qs, [GOALS["placement"]()])
    forward_in_lanes(tree.parent, tree.kind, tree.axis, tree.placement, *wide.values())
    for name, expected in narrow.items():
        assert np.abs(wide[name] - expected).max() <= 1e-15, name


def test_four_bodies_of_different_size_run_side_by_side(compiled_math):
    figure = figures()["swing_twist"]
    qs = points(figure, WIDTH, seed=7)
    problem, tree, wide, _ = wide_and_narrow(figure, qs, [GOALS["placement"]()])
    placements = aligned(*tree.placement.shape)
    expected = []
    for lane, q in enumerate(qs):
        tree.placement[:, 9:] *= 1.1
        placements[..., lane] = tree.placement
        value_and_gradient(problem, q)
        expected.append(problem.sections.sweep.frames.copy())
    forward_of_four_bodies(tree.parent, tree.kind, tree.axis, placements, *wide.values())
    assert np.abs(wide["frames"] - np.stack(expected, axis=-1)).max() <= 1e-15


@pytest.mark.parametrize("motion", figures())
def test_position_errors_in_lanes_are_those_of_one_after_the_other(motion):
    figure = figures()[motion]
    goals = [GOALS[kind]() for kind in ("position", "on_line", "on_plane")]
    problem, _, _, narrow = wide_and_narrow(figure, points(figure, WIDTH, seed=8), goals)
    kind, place, parameters = problem.sections.parts
    frames = aligned(*narrow["frames"].shape[:-1])
    frames[:] = narrow["frames"]
    targets = aligned(*parameters.shape)
    targets[:] = parameters[..., None]
    targets[:, 12:15] += np.arange(WIDTH)  # another target in each lane
    same, different = aligned(len(kind), 3), aligned(len(kind), 3)
    errors_in_lanes(kind, place, parameters, frames, same)
    errors_of_four_targets(kind, place, targets, frames, different)
    for lane in range(WIDTH):
        one = np.ascontiguousarray(frames[..., lane])
        expected = np.zeros((len(kind), 3))
        errors_of_one(kind, place, parameters, one, expected)
        assert np.abs(same[..., lane] - expected).max() <= 1e-15
        errors_of_one(kind, place, np.ascontiguousarray(targets[..., lane]), one, expected)
        assert np.abs(different[..., lane] - expected).max() <= 2e-15


def test_sine_and_cosine_in_lanes_are_the_scalar_ones_bit_for_bit():
    x = np.random.default_rng(2).uniform(-100.0, 100.0, 4000)
    narrow = np.empty((2, 4000))
    sincos_of_one(x, narrow)
    wide_x, wide = aligned(1000), aligned(2, 1000)
    wide_x[:] = x.reshape(1000, WIDTH)
    sincos_in_lanes(wide_x, wide)
    assert (wide.reshape(2, 4000) == narrow).all()


def test_select_chooses_lane_by_lane():
    x, y, out = aligned(50), aligned(50), aligned(50)
    x[:], y[:] = np.random.default_rng(3).normal(size=(2, 50, WIDTH))
    larger(x, y, out)
    assert (out == np.maximum(x, y)).all()

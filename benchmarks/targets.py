"""One source, three targets: forward kinematics and position rows in float64, in four lanes, and on the GPU.

Each is compiled from the same functions (`kernels.tree.sweep.forward`, `kernels.residuals.errors`); this checks that
they agree to rounding and prints what each costs. The GPU part runs where there is one:
``MANIKIN_JIT=1 python -m benchmarks.targets``.
"""

from __future__ import annotations

import time

import numba
import numpy as np

from manikin.kernels.memory.lanes import WIDTH, lanes
from manikin.kernels.residuals.errors import POINT, point_error, site_point
from manikin.kernels.tree.sweep import forward

OPTIONS = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "arcp", "nsz"}}


def chain(motions: int, seed: int = 0) -> dict[str, np.ndarray]:
    """A random tree of turns and slides, with a ball joint and a free rotation, as flat arrays (row 0 the world)."""
    rng = np.random.default_rng(seed)
    kind = np.where(rng.random(motions + 1) < 0.9, 0, 1)
    kind[1], kind[motions // 2] = 4, 2
    width = np.where(kind > 1, 3, 1)
    width[0] = 0
    placement = np.zeros((motions + 1, 12))
    for row in placement:
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        row[:9] = (turn * np.sign(np.linalg.det(turn))).ravel()
        row[9:] = rng.uniform(-0.2, 0.2, 3)
    parameters = np.zeros((1, 32))
    parameters[0, :3] = 0.1
    parameters[0, 12:15] = 0.5
    return {
        "parent": np.array([0, *(max(0, i - rng.integers(1, 4)) for i in range(1, motions + 1))]),
        "kind": kind.astype(np.int64),
        "axis": np.concatenate(([0], np.cumsum(width)[:-1])).astype(np.int64),
        "placement": placement,
        "parameters": parameters,
        "values": np.array([int(width.sum())]),
    }


def aligned(*shape: int) -> np.ndarray:
    """Zeros on a 64-byte boundary, as lanes need them."""
    size = int(np.prod(shape))
    buffer = np.zeros(size + 8)
    first = (-buffer.ctypes.data // 8) % 8
    return buffer[first : first + size].reshape(shape)


@numba.njit(**OPTIONS)
def rows(parent, kind, axis, placement, parameters, values, trig, frames, spins, error):
    """Forward kinematics, then the position row of a site on the last motion."""
    forward(parent, kind, axis, placement, values, trig, frames, spins)
    last = parent.shape[0] - 1
    r = site_point(frames, last, parameters, 0)
    error[0], error[1], error[2] = point_error(POINT, parameters, 0, r)


@numba.njit(**OPTIONS)
def scalar(parent, kind, axis, placement, parameters, values, trig, frames, spins, error, repeats):
    for _ in range(repeats):
        rows(parent, kind, axis, placement, parameters, values, trig, frames, spins, error)


@numba.njit(**OPTIONS)
def wide(parent, kind, axis, placement, parameters, values, trig, frames, spins, error, repeats):
    v, t, f, s, e = lanes(values), lanes(trig), lanes(frames), lanes(spins), lanes(error)
    for _ in range(repeats):
        rows(parent, kind, axis, placement, parameters, v, t, f, s, e)


def work(tree: dict[str, np.ndarray], *tail: int) -> list[np.ndarray]:
    """Workspace for one problem, or for several in a last axis."""
    m, k = len(tree["parent"]), int(tree["values"][0])
    made = [aligned(*shape, *tail) for shape in ((k,), (2, k), (m, 12), (m, 9), (3,))]
    made[2][0, [0, 4, 8]] = 1.0
    return made


def structure(tree: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [tree[name] for name in ("parent", "kind", "axis", "placement", "parameters")]


def on_cpu(tree: dict[str, np.ndarray], values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Frames from both CPU targets for four problems, and seconds for one problem and for four in lanes."""
    one, four = work(tree), work(tree, WIDTH)
    four[0][:] = values.T
    wide(*structure(tree), *four, 1)
    frames = []
    for row in values:
        one[0][:] = row
        scalar(*structure(tree), *one, 1)
        frames.append(one[2].copy())
    times = []
    for function, arrays in ((scalar, one), (wide, four)):
        best = np.inf
        for _ in range(30):
            begin = time.perf_counter()
            function(*structure(tree), *arrays, 1000)
            best = min(best, time.perf_counter() - begin)
        times.append(best / 1000)
    return np.array(frames), np.moveaxis(four[2], -1, 0).copy(), times[0], times[1]


def on_gpu(tree: dict[str, np.ndarray], values: np.ndarray, repeats: int = 20) -> tuple[np.ndarray, float]:
    """Frames in single precision for many problems, and seconds a problem."""
    from numba import cuda

    from benchmarks import gpu_single as gpu

    m, k = len(tree["parent"]), int(tree["values"][0])
    walk, point, miss = gpu.device(forward), gpu.device(site_point), gpu.device(point_error)

    @cuda.jit
    def run(parent, kind, axis, placement, parameters, values, trig, frames, spins, error):
        i = cuda.grid(1)
        if i < values.shape[0]:
            walk(parent, kind, axis, placement, values[i], trig[i], frames[i], spins[i])
            r = point(frames[i], parent.shape[0] - 1, parameters, 0)
            error[i, 0], error[i, 1], error[i, 2] = miss(POINT, parameters, 0, r)

    count = len(values)
    frames = np.zeros((count, m, 12), np.float32)
    frames[:, 0, [0, 4, 8]] = 1.0
    reals = [tree["placement"], tree["parameters"], values, np.zeros((count, 2, k)), frames]
    reals += [np.zeros((count, m, 9)), np.zeros((count, 3))]
    arrays = [cuda.to_device(tree[name]) for name in ("parent", "kind", "axis")]
    arrays += [cuda.to_device(array.astype(np.float32)) for array in reals]
    blocks = (count + 127) // 128
    run[blocks, 128](*arrays)
    cuda.synchronize()
    best = np.inf
    for _ in range(repeats):
        begin = time.perf_counter()
        run[blocks, 128](*arrays)
        cuda.synchronize()
        best = min(best, time.perf_counter() - begin)
    ptx = next(iter(run.inspect_asm().values()))
    print(
        f"GPU: {ptx.count('.f64')} double-precision and {ptx.count('.f32')} single-precision instructions in the PTX"
    )
    return arrays[7].copy_to_host(), best / count


def main() -> None:
    print(f"{'motions':>8} {'scalar ns':>10} {'4 lanes ns':>11} {'ratio':>6} {'lanes differ':>13}")
    for motions in (7, 31, 120):
        tree = chain(motions)
        values = np.random.default_rng(1).uniform(-2.0, 2.0, (WIDTH, int(tree["values"][0])))
        ones, fours, t1, t4 = on_cpu(tree, values)
        print(
            f"{motions:8d} {t1 * 1e9:10.0f} {t4 * 1e9:11.0f} {4 * t1 / t4:6.2f} {np.abs(ones - fours).max():13.1e}"
        )
    try:
        from numba import cuda

        found = cuda.is_available()
    except ImportError:
        found = False
    if not found:
        print("GPU: none here, or the extra manikin[cuda] is not installed")
        return
    for motions in (7, 31, 120):
        tree = chain(motions)
        values = np.random.default_rng(1).uniform(-2.0, 2.0, (65536, int(tree["values"][0])))
        frames, seconds = on_gpu(tree, values)
        ones, _, t1, _ = on_cpu(tree, values[:WIDTH])
        miss = np.abs(frames[:WIDTH] - ones).max()
        ratio = f"{t1 / seconds:.0f} times one core"
        print(f"GPU {motions:4d} motions: {seconds * 1e9:.2f} ns a problem, {ratio}; differs by {miss:.1e}")


if __name__ == "__main__":
    main()

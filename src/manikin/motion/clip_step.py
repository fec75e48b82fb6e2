"""One step of a clip's least-squares problem: (blockdiag(H_t) + λ D³ᵀD³ ⊗ I) d = g, some entries of d given.

Two ways to the same answer, and a third, `alone`, for λ = 0. `banded` eliminates in blocks of three frames.
`conjugate` goes by conjugate gradients, preconditioned with the same problem for the mean H̄ of the H_t: with the
eigenvectors of H̄ and of D³ᵀD³ that is diagonal, so that an iteration costs T m² + T² m. Long clips are refined in
parts, so that T is a few hundred.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from manikin.figure.splines import block_tridiagonal

_HELD = 1e12
_ITERATIONS, _EXACT = 80, 1e-7


class System(NamedTuple):
    """What a step is solved from: T frames of m coordinates.

    blocks: H_t, (T, m, m). smoothing: λ. c, spans: the third differences D³, coefficients (T − 3, 4) and the weight of
    each. right: g, (T, m). held, at: entries of d that are given, and what they are.
    """

    blocks: np.ndarray
    smoothing: float
    c: np.ndarray
    spans: np.ndarray
    right: np.ndarray
    held: np.ndarray
    at: np.ndarray


def roughness(x: np.ndarray, smoothing: float, c: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """λ D³ᵀ D³ x, (T, m)."""
    third: Any = sum(c[:, k, None] * x[k : len(x) - 3 + k] for k in range(4))
    third = (smoothing * spans)[:, None] * third
    result = np.zeros_like(x)
    for i in range(4):
        result[i : len(x) - 3 + i] += c[:, i, None] * third
    return result


def _bands(count: int, smoothing: float, c: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """The four lower bands of λ D³ᵀ D³, (4, T)."""
    bands = np.zeros((4, count))
    if smoothing > 0.0:
        weight = smoothing * spans
        for i in range(4):
            for k in range(i + 1):
                bands[i - k, k : k + len(c)] += weight * c[:, i] * c[:, k]
    return bands


@lru_cache(maxsize=4)
def _waves(c: bytes, spans: bytes, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of D³ᵀ D³."""
    bands = _bands(count, 1.0, np.frombuffer(c).reshape(-1, 4), np.frombuffer(spans))
    matrix = np.zeros((count, count))
    for k, band in enumerate(bands):
        np.fill_diagonal(matrix[k:], band[: count - k])
    values, vectors = np.linalg.eigh(matrix, UPLO="L")
    return np.maximum(values, 0.0), vectors


def alone(system: System) -> np.ndarray:
    """d, (T, m), of frames that nothing ties together (λ = 0): one small system a frame."""
    blocks, _, _, _, right, held, at = system
    if held.any():
        blocks = blocks.copy()
        frames, places = np.nonzero(held)
        blocks[frames, places, places] += _HELD
        right = np.where(held, right + _HELD * at, right)
    found: np.ndarray = np.linalg.solve(blocks, right[..., None])[..., 0]
    return found


def banded(system: System) -> np.ndarray:
    """d, (T, m), by elimination, three frames a block: a block is tied to the next one alone. What is held is `at`."""
    blocks, smoothing, c, spans, right, held, at = system
    count, m, _ = blocks.shape
    groups = -(-count // 3)
    size = 3 * m
    # Frames that fill the last block are as if all of them were held.
    free, force = np.zeros((3 * groups, m)), np.zeros((3 * groups, m))
    free[:count] = ~held
    known = np.where(held, at, 0.0)
    pull = np.einsum("tij,tj->ti", blocks, known) + roughness(known, smoothing, c, spans)
    force[:count] = np.where(held, at, right - pull)
    whole = np.zeros((3 * groups, m, m))
    whole[:count] = blocks
    bands = np.zeros((4, 3 * groups))
    bands[:, :count] = _bands(count, smoothing, c, spans)
    inner, below = np.zeros((groups, 3, m, 3, m)), np.zeros((groups, 3, m, 3, m))
    for i in range(3):
        inner[:, i, :, i] = whole[i::3]
        for k in range(4):
            if k <= i:  # frame i of a block and the one k before it, which the same block has
                tie = bands[k, i - k :: 3, None]
                inner[:, i, range(m), i - k, range(m)] += tie
                if k:
                    inner[:, i - k, range(m), i, range(m)] += tie
            else:  # or the block before
                below[1:, i, range(m), 3 + i - k, range(m)] += bands[k, 3 + i - k :: 3, None][: groups - 1]
    may = free.reshape(groups, size)
    matrix = inner.reshape(groups, size, size) * may[:, :, None] * may[:, None, :]
    matrix[:, range(size), range(size)] += 1.0 - may
    ties = below[1:].reshape(groups - 1, size, size) * may[1:, :, None] * may[:-1, None, :]
    found = block_tridiagonal(matrix, ties, force.reshape(groups, size, 1))
    return found.reshape(3 * groups, m)[:count]


def conjugate(system: System) -> np.ndarray:
    """d, (T, m), by preconditioned conjugate gradients among the entries that are free; the others are `at`."""
    blocks, smoothing, c, spans, right, held, at = system
    free = ~held

    def times(x: np.ndarray) -> np.ndarray:
        result = np.einsum("tij,tj->ti", blocks, x)
        return result + roughness(x, smoothing, c, spans) if smoothing > 0.0 else result

    values, basis = np.linalg.eigh(blocks.mean(axis=0))
    if smoothing > 0.0:
        rates, waves = _waves(c.tobytes(), spans.tobytes(), len(blocks))
        divisor = values + smoothing * rates[:, None]

    def less(r: np.ndarray) -> np.ndarray:
        if smoothing == 0.0:
            return (r @ basis / values) @ basis.T
        return waves @ ((waves.T @ (r @ basis)) / divisor) @ basis.T

    d = np.where(held, at, 0.0)
    r = np.where(free, right - times(d), 0.0)
    z = np.where(free, less(r), 0.0)
    p, rz = z, float((r * z).sum())
    end = _EXACT**2 * rz
    for _ in range(_ITERATIONS):
        if not rz > end or rz <= 0.0:
            break
        ap = np.where(free, times(p), 0.0)
        curve = float((p * ap).sum())
        if not curve > 0.0:
            break
        d = d + (rz / curve) * p
        r = r - (rz / curve) * ap
        z = np.where(free, less(r), 0.0)
        new = float((r * z).sum())
        p, rz = z + (new / rz) * p, new
    return d

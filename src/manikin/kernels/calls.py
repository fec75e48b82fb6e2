"""A search called as users call it: a start and targets as they have them, without anything made in between.

`Call` says once what there is to know of a problem. ``follow(call.spec, start, targets, whole)`` lays the targets out
and searches; ``hand_over`` does the first alone. ``whole`` receives 16 numbers a goal, then the search's block. Both
take what is usual, arrays of float64 of the right shapes in a list, a target for the goals that had one last; for all
else `follow` returns UNUSUAL, and `hand_over` False. ``follow_path(call.spec, start, numbers, blocks)`` solves for
sample after sample, each from the end of the last, until one is not met: how many were. The library that was compiled
ahead has them in C; here they are in Python, for entries compiled when they are called.

A search may have something called before it that says where it begins (`Before`): a human's natural posture, which is
computed anew for every sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from manikin.kernels.jit import PREBUILT
from manikin.kernels.memory.path import ON_PATH, T_PATH, T_RUN, T_START
from manikin.kernels.memory.targets import NUMBERS

#: What comes before a search says, as in `posture.query`: the start is not finite; begin at q; begin at the start.
NOT_FINITE, AT_POSTURE, AT_START = -1, 0, 1
#: The call is not as it always is: the longer way around says what is wrong, or does it.
UNUSUAL = -1000
#: So much less is returned where the end was verified.
VERIFIED = 100
_FLOAT = np.dtype(np.float64)
#: The searches of the library, and where they are.
_SEARCHES = {} if PREBUILT is None else {PREBUILT.ENTRIES[key]: at for key, at in PREBUILT.SEARCHES.items()}


class Before:
    """What says where a search begins: ``entry(table, weights, work, numbers, start, q)``, as `posture_start`.

    It returns NOT_FINITE, AT_POSTURE (the search begins at q) or AT_START; ``said`` is what it returned last.
    met: (1,), set to 1 where a search has met everything. run: which item of the table says what it goes on with.
    """

    AT_START = AT_START

    def __init__(
        self,
        entry: Callable[..., int],
        table: np.ndarray,
        weights: np.ndarray,
        work: np.ndarray,
        q: np.ndarray,
        met: np.ndarray,
        run: int,
    ) -> None:
        self._entry, self._arrays, self.q, self.met = entry, (table, weights, work), q, met
        self.table, self.run = table, run
        pairs = [x for array in (*self._arrays, q) for x in (array.ctypes.data, array.size)]
        at = 0 if PREBUILT is None else _SEARCHES[entry]
        self.spec = np.array([at, *pairs, met.ctypes.data, table[run:].ctypes.data, 0], np.int64)

    @property
    def said(self) -> int:
        """What it said last."""
        return int(self.spec[-1])

    def begin(self, numbers: np.ndarray, start: np.ndarray) -> int:
        """Say where a search from this start begins; numbers: targets that came with the call, 16 a goal."""
        said = self._entry(*self._arrays, numbers, start, self.q)
        self.spec[-1] = said
        return said


class Check:
    """What verifies the end of a search that met everything: ``entry(table, q, anchor, numbers, placed)``.

    It returns 0 where everything holds. anchor: the pose that what is kept means, placed already; None: the start of
    each call.
    """

    def __init__(self, entry: Callable[..., int], table: np.ndarray, anchor: np.ndarray | None) -> None:
        self._entry, self._table, self.anchor = entry, table, anchor
        at = 0 if PREBUILT is None else _SEARCHES[entry]
        place = 0 if anchor is None else anchor.ctypes.data
        self.spec = np.array([at, table.ctypes.data, table.size, place], np.int64)

    def holds(self, q: np.ndarray, start: np.ndarray, numbers: np.ndarray) -> bool:
        """Whether all that was asked holds of q."""
        anchor = start if self.anchor is None else self.anchor
        return self._entry(self._table, q, anchor, numbers, int(self.anchor is not None)) == 0


class Call:
    """What a call of one problem's search needs to know.

    table: the search's, with targets to take (`memory.path`) where goals may have some.
    coordinates: how many the start has.
    block: how many numbers the search fills; the last of them are the coordinates found (``ends``) and the start.
    shapes: of each goal's target, None where it takes none; without goals ``targets`` must be None.
    given: of each goal 1 where it has a target with the call, else 0.
    before: what says where the search begins; by default at the start.
    check: what verifies its end, where it met everything; then `follow` returns VERIFIED less.
    """

    def __init__(
        self,
        search: Callable[..., int],
        table: np.ndarray,
        patience: int,
        far: float,
        coordinates: int,
        block: int,
        shapes: Sequence[tuple[int, ...] | None] = (),
        given: np.ndarray | None = None,
        before: Before | None = None,
        check: Check | None = None,
    ) -> None:
        self.search, self.table, self.patience, self.far = search, table, patience, far
        self.coordinates, self.shapes, self.given = coordinates, shapes, given
        self.before, self.check = before, check
        self.first = NUMBERS * len(shapes)
        self.size = self.first + block
        self.ends = slice(self.size - 2 * coordinates, self.size - coordinates)
        self.follow, self.hand_over, self.unusual = follow, hand_over, UNUSUAL
        self.spec: Any = self
        if PREBUILT is not None:
            at = 0 if given is None else given.ctypes.data
            bits = int(np.array(far, np.float64).view(np.int64))
            lengths = [(0, 0, 0) if s is None else (len(s), s[0], s[-1]) for s in shapes]
            head = [
                _SEARCHES[search],
                table.ctypes.data,
                table.size,
                patience,
                bits,
                T_PATH,
                T_START,
                coordinates,
            ]
            first = 0 if before is None else before.spec.ctypes.data
            last = 0 if check is None else check.spec.ctypes.data
            self.spec = np.array(
                [*head, len(shapes), at, first, last, *(x for row in lengths for x in row)], np.int64
            )


def can_call(search: Callable[..., int]) -> bool:
    """Whether a search is one that `follow` can call: an entry, not a function around one."""
    return PREBUILT is None or search in _SEARCHES


def _hand_over(call: Call, start: Any, targets: Any, whole: np.ndarray) -> bool:
    """Lay the targets out; whether everything is as it always is."""
    packed = type(start) is np.ndarray and start.dtype is _FLOAT and start.shape == (call.coordinates,)
    if not packed or not start.flags.c_contiguous:
        return False
    if not call.shapes:
        return targets is None
    if type(targets) is not list or len(targets) != len(call.shapes):
        return False
    for k, (target, shape) in enumerate(zip(targets, call.shapes, strict=True)):
        if (target is not None) != bool(call.given[k]):  # type: ignore[index]
            return False
        if target is None:
            continue
        if type(target) is not np.ndarray or target.shape != shape or target.dtype is not _FLOAT:
            return False
        row = whole[NUMBERS * k : NUMBERS * (k + 1)]
        row[: target.size] = target.ravel()
    call.table[T_PATH] = whole.ctypes.data
    return True


def _search(call: Call, start: np.ndarray, numbers: np.ndarray, block: np.ndarray) -> int:
    """Search, from where what comes before it says; the block tells the start that was given."""
    if call.before is None:
        return call.search(call.table, start, block, call.patience, call.far)
    said = call.before.begin(numbers, start)
    if said == NOT_FINITE:
        return UNUSUAL
    first = start if said == AT_START else call.before.q
    call.table[T_START] = start.ctypes.data
    task = call.search(call.table, first, block, call.patience, call.far)
    block[len(block) - call.coordinates :] = start
    if task <= 0:
        call.before.met[0] = 1.0
    return task


def _follow(call: Call, start: Any, targets: Any, whole: np.ndarray) -> int:
    """Lay the targets out and search."""
    if not _hand_over(call, start, targets, whole):
        return UNUSUAL
    task = _search(call, start, whole[: call.first], whole[call.first :])
    if UNUSUAL < task <= 0:
        end = whole[call.ends]
        verified = call.check is not None and call.check.holds(end, start, whole[: call.first])
        whole.flags.writeable = False
        return task - VERIFIED if verified else task
    return task


def _follow_path(call: Call, start: np.ndarray, numbers: np.ndarray, blocks: np.ndarray) -> int:
    """Search for sample after sample; how many were met."""
    samples, n = len(numbers) // max(call.first, 1), call.coordinates
    runs = [(call.table, T_RUN)] + ([] if call.before is None else [(call.before.table, call.before.run)])
    first = [table[item] for table, item in runs]
    met = 0
    for k in range(samples):
        row, block = numbers.reshape(samples, -1)[k], blocks.reshape(samples, -1)[k]
        call.table[T_PATH] = row.ctypes.data
        task = _search(call, start, row, block)
        if task > 0 or task == UNUSUAL:
            break
        met = k + 1
        start = block[len(block) - 2 * n : len(block) - n]
        for table, item in runs:
            table[item] = ON_PATH
    for (table, item), run in zip(runs, first, strict=True):
        table[item] = run
    return met


follow: Callable[[Any, Any, Any, np.ndarray], int] = _follow if PREBUILT is None else PREBUILT.follow
hand_over: Callable[[Any, Any, Any, np.ndarray], bool] = (
    _hand_over if PREBUILT is None else PREBUILT.hand_over
)
follow_path: Callable[[Any, np.ndarray, np.ndarray, np.ndarray], int] = (
    _follow_path if PREBUILT is None else PREBUILT.follow_path
)

"""The kernels of graphics cards run as plain Python, in single precision: what tests look at where there is no card."""

from __future__ import annotations

from functools import cache

import numpy as np

from manikin.kernels.gpu import sources


def take(counter):
    """The next problem."""
    number = int(counter[0])
    counter[0] += 1
    return number


def room(size):
    """A thread's own memory."""
    return np.zeros(size, np.float32)


class Host:
    """Stands for a card: its arrays are NumPy's."""

    def array(self, values):
        """A copy."""
        return np.array(values)


@cache
def kernel(name):
    """The unrolled source of a kernel, as a Python function."""
    return sources.source(name, {"take": take, "room": room}, on_card=False)[0]


def launch(tables, rows, starts, further, count):
    """As `manikin.engines.batch.cuda.search.launch`."""
    found = np.zeros(count * tables.columns())
    report = np.zeros(count * 2, np.int32)
    counter = np.zeros(1, np.int32)
    arguments = tables.arguments(Host(), rows, starts, further, found, report, counter)
    with np.errstate(over="ignore"):
        kernel(tables.name)(*arguments)
    return found.reshape(count, -1), report.reshape(-1, 2), 0.0

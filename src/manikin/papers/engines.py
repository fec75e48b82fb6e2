"""The methods as the solvers find them: the entry point ``manikin.engines``."""

from __future__ import annotations

from functools import partial

from manikin.papers.call import run
from manikin.papers.names import KNOW_LIMITS, METHODS, WITH_SETS
from manikin.plan.methods import Method

ENGINES = {
    name: Method(partial(run, name), keeps_limits=name in (*KNOW_LIMITS, *WITH_SETS))
    for name in (*METHODS, *WITH_SETS)
}

"""Kinds of residuals from outside of the package."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from manikin.errors import GoalError

if TYPE_CHECKING:
    from manikin.kernels.residuals.kind import Kind
    from manikin.kernels.verify.checker import Checker, NotChecked

#: What is written from the registries, when it is first imported.
_WRITTEN = ("manikin.kernels.residuals.dispatch", "manikin.kernels.verify.dispatch")


def register(name: str, kind: Kind, check: Checker | NotChecked) -> None:
    """Let blocks ask for rows of another kind, before the first problem is made.

    kind: its kernels and parameters. check: how far a pose is from what the rows ask, by code of its own.

    Compiled code branches over the kinds, so it has to be compiled for them: with MANIKIN_JIT=1, or where no compiled
    kernels are. That imports the module of ``kind.measure`` in another process, and again when its file has changed;
    the files that it imports from elsewhere are not looked at.
    """
    from manikin.kernels import jit
    from manikin.kernels.residuals.kinds import KINDS
    from manikin.kernels.verify.kinds import CHECKS
    from manikin.toolchain.demand import add_outside

    if name in KINDS:
        raise GoalError(f"there is a kind of residuals {name!r} already")
    if not name.isidentifier():
        raise GoalError(f"a kind of residuals must be named by one word, got {name!r}")
    if any(module in sys.modules for module in _WRITTEN):
        raise GoalError(f"kind of residuals {name!r}: add it before the first problem is made")
    if jit.PREBUILT is not None:
        raise GoalError(
            f"kind of residuals {name!r}: the kernels that were compiled ahead know their own kinds only; "
            "set MANIKIN_JIT=1, so that they are compiled for this one"
        )
    for kernel in (kind.measure, getattr(check, "miss", None)):
        if kernel is not None:
            add_outside(kernel)
    KINDS[name] = kind
    CHECKS[name] = check

"""Kinds of joints from outside of the package."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from manikin.errors import FigureError
from manikin.figure.joints.kind import JointKind

if TYPE_CHECKING:
    from manikin.kernels.tree.motion import Motion
    from manikin.kernels.verify.joint import Joint

#: What is written from the registries, when it is first imported.
_WRITTEN = ("manikin.kernels.tree.dispatch", "manikin.kernels.verify.moving")


def register(kind: JointKind, motion: Motion, check: Joint) -> None:
    """Let joints be of another kind, before frames of any figure were asked for.

    motion: how compiled code moves by it. check: how the verifier does, by code of its own.

    Compiled code branches over the kinds, so it has to be compiled for them: with MANIKIN_JIT=1, or where no compiled
    kernels are (as `residuals.register`).
    """
    from manikin.figure.joints import KINDS
    from manikin.kernels import jit
    from manikin.kernels.tree.joints import MOTIONS
    from manikin.kernels.verify.joints import JOINTS
    from manikin.toolchain.demand import add_outside

    name = kind.name
    if name in KINDS:
        raise FigureError(f"there is a kind of joints {name!r} already")
    if not name.isidentifier():
        raise FigureError(f"a kind of joints must be named by one word, got {name!r}")
    if kind.word in {other.word for other in KINDS.values() if other.word}:
        raise FigureError(f"kind of joints {name!r}: another has the word {kind.word!r}")
    if kind.size not in (1, 3) or kind.size != motion.size:
        raise FigureError(
            f"kind of joints {name!r}: it must have one value or three, the same number in both of its parts, "
            f"got {kind.size} and {motion.size}"
        )
    if motion.place is None:
        raise FigureError(f"kind of joints {name!r}: it needs a kernel that moves its frame")
    if any(module in sys.modules for module in _WRITTEN):
        raise FigureError(f"kind of joints {name!r}: add it before frames of any figure are asked for")
    if jit.PREBUILT is not None:
        raise FigureError(
            f"kind of joints {name!r}: the kernels that were compiled ahead know their own kinds only; "
            "set MANIKIN_JIT=1, so that they are compiled for this one"
        )
    for kernel in (motion.place, check.move):
        add_outside(kernel)
    KINDS[name], MOTIONS[name], JOINTS[name] = kind, motion, check

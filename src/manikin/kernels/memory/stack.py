"""A few numbers on the stack: work space for a kernel that has a fixed, small need and is called with none.

The views live as long as the call of the kernel that made them: they may be passed down, never returned.
"""

from __future__ import annotations

from manikin.kernels.jit import LOWERING

__all__ = ["stack1", "stack2"]

if LOWERING:
    from manikin.toolchain.intrinsics.stack import stack1, stack2
else:
    from manikin.toolchain.plain import stack1, stack2

"""Bare views: an address and a shape, nothing else.

A problem lies in three flat arrays (`layout`). Inside the kernels its parts are seen through these views, which are to
compiled code what a C array is: two or three machine words, no reference counting, no negative indices. Tuples of
them pass from function to function for next to nothing, which keeps both the solver and its compilation fast.

They index and unpack as NumPy arrays do, so a kernel's source reads the same for either.
"""

from __future__ import annotations

from manikin.kernels.jit import LOWERING

__all__ = ["integers_at", "reals_at", "view1", "view2", "view3", "whole_view1"]

if LOWERING:
    from manikin.toolchain.intrinsics.views import integers_at, reals_at, view1, view2, view3, whole_view1
else:
    from manikin.toolchain.plain import integers_at, reals_at, view1, view2, view3, whole_view1

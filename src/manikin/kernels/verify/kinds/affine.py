"""Not checked."""

from __future__ import annotations

from manikin.kernels.verify.checker import NotChecked

CHECK = NotChecked("is the local model of a function in Python, which is called itself")

"""Not checked."""

from __future__ import annotations

from manikin.kernels.verify.checker import NotChecked

CHECK = NotChecked("chooses among poses that meet the goals")

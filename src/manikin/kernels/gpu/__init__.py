"""Kernels for graphics cards, in single precision: compiled ahead to PTX, run through the driver alone."""

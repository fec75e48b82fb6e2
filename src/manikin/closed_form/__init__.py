"""Limbs and robots in closed form; knows kernels and figures only."""

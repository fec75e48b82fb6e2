"""Vectors, rotations, angles, roots, one quadratic program."""

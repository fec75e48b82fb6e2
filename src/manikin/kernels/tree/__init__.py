"""Sweeps over the tree of motions."""

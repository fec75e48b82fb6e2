"""Sweeps over the tree of motions: frames forward, forces and moments backward."""

"""The papers' methods, one file each with a function `run`."""

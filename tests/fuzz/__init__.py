"""Files as they should not be: ``python -m tests.fuzz urdf 100000``."""

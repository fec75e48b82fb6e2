"""Random figures, poses and calls against what is promised, at scale: ``python -m tests.campaign --help``."""

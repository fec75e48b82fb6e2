"""Motion: clips as data, interpolation, paths, tracking and retargeting."""

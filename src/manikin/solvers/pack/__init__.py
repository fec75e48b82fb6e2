"""From figure and goals to flat arrays: parts, measures, ties among coordinates, where each target lies."""

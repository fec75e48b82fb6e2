"""From figure and goals to flat arrays: terms, measures, ties among coordinates, where each target lies."""

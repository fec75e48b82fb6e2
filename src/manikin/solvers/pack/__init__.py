"""From figure and goals to flat arrays."""

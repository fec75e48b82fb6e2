"""The tabs beside the figure: one file each."""

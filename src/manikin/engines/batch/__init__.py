"""Many problems in one call: targets, starts and figures with a batch axis, on all cores."""

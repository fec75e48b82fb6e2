"""What a search leaves: potential, status, iterations, evaluations, reached, then the miss of each part."""

OUT_POTENTIAL, OUT_STATUS, OUT_ITERATIONS, OUT_EVALUATIONS, OUT_REACHED, OUT_ERRORS = range(6)

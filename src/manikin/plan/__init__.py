"""Figure and goals as the flat arrays that the compiled kernels read."""

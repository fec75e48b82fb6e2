"""Scripts that made what the package ships; no part of it."""

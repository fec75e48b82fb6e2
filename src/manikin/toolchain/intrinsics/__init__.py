"""What Numba is told of `memory`: types, their models, functions written in LLVM. Imported where Numba is at work."""

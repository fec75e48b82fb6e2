"""Mutants: one fault put into one place of the package, and whether the tests notice it."""

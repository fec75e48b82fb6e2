"""The damped search: steps that solve what goals ask, linearised, inside ranges and among what holds; for goals of
every kind from one source.
"""

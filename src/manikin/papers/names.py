"""The names of the methods."""

#: The names of the methods; each is a file of `methods/` with a function `run`.
METHODS = (
    "projection",
    "lbfgsb",
    "pseudoinverse",
    "damped",
    "bounded",
    "recursive",
    "newton",
    "screws",
    "resolved_rate",
    "lagrange",
    "penalty",
    "slack",
    "ccd",
    "fabrik",
)

#: Those that keep within ranges and couplings.
KNOW_LIMITS = ("projection", "lbfgsb", "bounded", "lagrange", "penalty", "slack", "ccd", "fabrik")

#: Methods that precompute sets before they solve, and keep within ranges, couplings and cones; files of `methods/` too.
WITH_SETS = ("hierarchy",)

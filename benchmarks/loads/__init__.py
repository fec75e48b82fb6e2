"""Two versions of the package on the same loads: ``python -m benchmarks.loads --before CHECKOUT/src``.

`load` says what a load is, `robots` and `people` make them, `api` is all that knows how a version spells its calls,
`child` serves one version in a process of its own, `compare` lets two of them take turns.
"""

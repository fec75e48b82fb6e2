"""What goals ask of a pose, as numbers with derivatives.

`errors` has point, line, plane, axes and aim, written once; `potentials` and `curvature` are made of them, for the
search in strips and the projection method, and so is `pose`. `measures` are rows of every kind, with ranges: `pose`,
`shapes`, `mass`, `values`, `swivel`.
"""

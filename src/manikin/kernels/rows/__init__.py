"""What goals ask of a pose, as numbers with derivatives.

`terms` are the five kinds of 1989 (point, line, plane, axes, aim), with `residuals` and `curvature`, for the search in
strips and the projection method; `measures` are rows of every kind, with ranges: `pose`, `shapes`, `mass`, `values`,
`swivel`.
"""

"""The method of Zhao and Badler (1989): BFGS and DFP within the active set of Goldfarb, whole.

`potential` is the sum of the goals' potentials (2) with its gradient (4) and second derivatives, `active_set` has
(AᵀA)⁻¹ and the multipliers, `metric` the updates (25), (27), (28) and (29), `line_search` the conditions (26),
`descent` steps 0 to 5, `saddles` what the report leaves out: a stationary point that is not a minimum.
"""

"""The damped searches.

`damped` and `lanes` over parts in strips, one start or four; `linear` among linear rows; `mixed` over rows of every
kind, soft and hard. Their steps are in `step`, `linear_step` and the `newton` files.
"""

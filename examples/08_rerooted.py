"""The same figure hung from its foot: what holds it cannot move, so nothing has to ask that it stays."""

import numpy as np
from gallery import show

import manikin as mk

body = mk.human(stature=1.70, sex="female", base="fixed")
dancer = body.rerooted("left_foot")
print(f"{body.name} hangs from its {body.root}, the dancer from the {dancer.root}: {dancer.n} values both")

result = mk.solve(
    dancer,
    [
        mk.Position("right_toe", [-0.95, -0.10, 0.85]),
        mk.Position("right_hand", [0.90, -0.30, 1.50]),
        mk.Position("left_hand", [0.00, 0.80, 1.35]),
        mk.Aim("eyes", at=[2.0, -0.2, 1.6]),
    ],
)
print(result.explain())

moved = np.linalg.norm(result.pose.position("left_foot") - body.pose().position("left_foot"))
print(f"The left foot moved {moved:.1g} m, with no goal for it.")

# The other way round: the pose found, hung from the pelvis again, is the same in every segment.
again = result.pose.rerooted("pelvis")
apart = max(np.abs(again.matrix(name) - result.pose.matrix(name)).max() for name in dancer.segments)
print(f"Hung from the pelvis again, every segment is where it was, within {apart:.1g} m.")

show(result, "08_rerooted.png", view=(-62, 7), size=(900, 720))

"""Around a pillar: the whole arm stays clear of it while the hand reaches for what is behind."""

from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.75)
standing = preset(body, "stand")
pillar = mk.Capsule(a=[0.42, -0.12, 0.0], b=[0.42, -0.12, 1.9], radius=0.09)
switch = [0.62, 0.02, 1.25]

goals = [
    mk.Position("right_fingertip", switch),
    mk.Aim("eyes", at=switch),
    mk.Pin("left_foot"),
    mk.Pin("right_foot"),
]
through = mk.solve(standing, goals)
arm = ["right_upper_arm", "right_forearm", "right_radius", "right_hand", "right_index_*", "head"]
around = mk.solve(standing, goals + [mk.Outside(part, pillar, margin=0.01, hard=True) for part in arm])
print(f"As if it were not there: {through.status}\nAround it: {around.status}\n{around.explain()}")

show(
    [through, around],
    "14_around_a_pillar.png",
    things=[pillar],
    view=(75, 32),
    captions=["as if it were not there", "around it"],
)

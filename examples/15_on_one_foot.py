"""On one foot: how far can one reach? With balance asked for, the body leans back as the arm goes out."""

from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.75)
standing = preset(body, "stand")
apple = [1.20, 0.0, 1.15]

goals = [
    mk.Position("right_hand", apple),
    mk.Aim("eyes", at=apple),
    mk.Pin("left_foot"),
    mk.Range("right_foot", z=(0.15, None), hard=True),  # off the floor
]
falling = mk.solve(standing, goals)
balance = mk.Balance(["left_foot", "left_toes"], margin=0.015, hard=True)
steady = mk.solve(standing, [*goals, balance])
print(f"Anyhow: {falling.status}\nIn balance: {steady.status}\n{steady.explain()}")

for name, result in (("anyhow", falling), ("in balance", steady)):
    ahead = (result.pose.center_of_mass() - result.pose.position("left_foot"))[0]
    print(f"{name}: the centre of mass is {100 * ahead:.1f} cm in front of the middle of the sole")

show(
    [falling, steady],
    "15_on_one_foot.png",
    goals=[balance],
    view=(-75, 10),
    captions=["anyhow", "in balance on one foot"],
)

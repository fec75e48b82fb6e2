"""A seat belt: pelvis and chest are strapped to the seat. How much of the dashboard can the hand reach?"""

import numpy as np
from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.75)
sitting = preset(body, "sit")
seat = sitting.position("seat")

near = seat + [0.84, -0.20, 0.42]  # two switches on the dashboard
far = seat + [0.84, 0.55, 0.42]
feet = [mk.Pin("left_foot"), mk.Pin("right_foot")]
lap, shoulder = mk.Pin("pelvis"), mk.Pin("chest", axes="position")


def reach(switch, *straps):
    """A fingertip on the switch and the eyes on it; the straps give not at all."""
    goals = [mk.Position("right_fingertip", switch), mk.Aim("eyes", at=switch), *feet, *straps]
    return mk.solve(sitting, goals)


easy = reach(near, lap, shoulder)
short = reach(far, lap, shoulder)
loose = reach(far, lap)
for name, result in (("the near switch", easy), ("the far switch", short), ("the lap belt alone", loose)):
    print(f"{name}: {result.status}\n{result.explain()}\n")

lean = np.linalg.norm(loose.pose.position("chest") - sitting.position("chest"))
print(f"Without the shoulder strap the chest moves {100 * lean:.0f} cm.")

dashboard = mk.Box(center=seat + [0.94, 0.1, 0.30], size=[0.18, 1.3, 0.3])
cushion = mk.Box(center=seat + [0.12, 0.0, -0.05], size=[0.5, 0.5, 0.1])
back = mk.Box(center=seat + [-0.2, 0.0, 0.3], size=[0.08, 0.5, 0.7])
show(
    [easy, short, loose],
    "10_seat_belt.png",
    things=[(dashboard, "#8c97a5"), cushion, back],
    view=(-65, 14),
    captions=["the near switch", "the far switch", "the lap belt alone"],
)

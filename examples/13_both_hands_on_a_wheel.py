"""Both hands on a wheel: they stay on its rim and hold it as they did, arms and wheel a closed loop, as it turns."""

import numpy as np
from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.75)
sitting = preset(body, "sit")
seat = sitting.position("seat")
center = seat + [0.45, 0.0, 0.42]
axis = np.array([-0.8, 0.0, 0.6])  # of the wheel, towards the driver
right, up = np.array([0.0, -1.0, 0.0]), np.array([0.6, 0.0, 0.8])
rim = mk.Circle(center, axis, radius=0.19)


def at(hour, turned=0.0):
    """A place on the rim: hours as on a clock, on a wheel turned to the left by some degrees."""
    angle = np.radians(30.0 * hour - turned)
    return center + rim.radius * (np.cos(angle) * up + np.sin(angle) * right)


stay = [mk.Pin("pelvis"), mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Aim("eyes", at=[9.0, 0.0, 1.2])]
hands = [mk.Position("left_hand", at(10)), mk.Position("right_hand", at(2))]
straight = mk.solve(sitting, [*hands, *stay])
print(f"straight ahead: {straight.status}")

# From now on nothing lets go: both palms on the rim, and the left hand where the right one saw it first.
hold = [
    mk.Inside("left_hand", rim, hard=True),
    mk.Inside("right_hand", rim, hard=True),
    mk.Relative("left_hand", "right_hand", hard=True),
]
turns = [straight]
for degrees in (-30, 30):
    lead = mk.Position("right_hand", at(2, degrees))
    found = mk.solve(straight.pose, [lead, *hold, *stay], natural=False)  # on from where it is
    turns.append(found)
    apart = np.linalg.norm(found.pose.position("left_hand") - at(10, degrees))
    print(f"\nturned by {degrees}°: {found.status}, the left hand {apart:.1g} m from where the wheel has it")
    print(found.explain())

stool = mk.Box(center=seat + [0.05, 0.0, -0.04], size=[0.4, 0.42, 0.08])
captions = ["straight ahead", "to the right", "to the left"]
things = [(rim, "#4a525c"), stool]
show(turns, "13_both_hands_on_a_wheel.png", things=things, view=(-125, 32), captions=captions)

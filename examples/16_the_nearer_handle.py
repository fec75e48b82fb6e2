"""The nearer handle: a cupboard has two, and either will do. Which one is taken depends on where one stands."""

import numpy as np
from gallery import show

import manikin as mk
from manikin.figure.human import preset

body = mk.human(stature=1.65, sex="female")
handles = np.array([[0.75, 0.45, 1.15], [0.75, -0.45, 1.05]])
names = ["left", "right"]

# Either hand on either handle: four alternatives of one goal.
grip = mk.AnyOf([mk.Position(f"{side}_hand", handle) for handle in handles for side in names])

found = []
for aside in (0.2, -0.25):
    standing = preset(body, "stand").with_values({"root_y": aside})
    result = mk.solve(standing, [grip, mk.Pin("left_foot"), mk.Pin("right_foot"), mk.Balance()])
    found.append(result)
    handle, hand = divmod(result.choices[grip], 2)
    print(f"Standing at y = {aside}: the {names[hand]} hand takes the {names[handle]} handle.")
    print(result.explain())

cupboard = mk.Box(center=[1.0, -0.05, 0.9], size=[0.4, 1.4, 1.8])
knobs = [mk.Capsule(handle - [0, 0, 0.07], handle + [0, 0, 0.07], 0.012) for handle in handles]
show(
    found,
    "16_the_nearer_handle.png",
    things=[cupboard, *((knob, "#4a525c") for knob in knobs)],
    view=(-140, 15),
    captions=["standing to the left", "standing to the right"],
)

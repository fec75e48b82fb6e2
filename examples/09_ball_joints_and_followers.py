"""A figure written in Python: a crane with a ball joint, a boom whose sections follow, and a gripper."""

from gallery import show

import manikin as mk

ORANGE, GREY = (0.93, 0.55, 0.16), (0.45, 0.48, 0.52)


def bar(name, length, width, color):
    shape = mk.Shape("box", (width, width, length), (0, 0, length / 2), color=color)
    return mk.Segment(name, shapes=(shape,))


crane = mk.Figure(
    "crane",
    [
        bar("post", 0.5, 0.22, GREY),
        bar("boom", 0.8, 0.13, ORANGE),
        bar("middle", 0.8, 0.10, ORANGE),
        bar("inner", 0.8, 0.07, ORANGE),
        bar("wrist", 0.10, 0.12, GREY),
        bar("left_jaw", 0.18, 0.03, GREY),
        bar("right_jaw", 0.18, 0.03, GREY),
    ],
    [
        mk.Joint.ball("foot", "post", "boom", placement=(0, 0, 0.5), lower=-1.4, upper=1.4),
        mk.Joint("reach", "boom", "middle", "T(z)", lower=0.0, upper=0.7),
        mk.Joint("extend", "middle", "inner", "T(z)", upper=0.6, follow=mk.Follow({"reach": 1.0})),
        mk.Joint("hand", "inner", "wrist", "R(x)*R(y)", (0, 0, 0.8), lower=-2.0, upper=2.0),
        mk.Joint("grip", "wrist", "left_jaw", "T(x)", (0, 0, 0.1), lower=0.02, upper=0.1, rest=0.06),
        mk.Joint("mirror", "wrist", "right_jaw", "T(x)", (0, 0, 0.1), follow=mk.Follow({"grip": -1.0})),
    ],
    [mk.Site("load", "wrist", (0.0, 0.0, 0.25))],
)
print(f"{crane}: {', '.join(crane.dofs)}")
print(f"{', '.join(crane.followers)} follow; extend's limit is now reach's: {crane.dof('reach').upper} m")

opened = crane.pose({"grip": 0.1})
result = mk.solve(
    opened,
    [
        mk.Position("load", [1.20, 0.60, 0.40]),
        mk.Aim("wrist", at=[1.20, 0.60, 0.0], axis=(0, 0, 1)),  # straight down
    ],
)
print(result.explain())
print({name: round(value, 3) for name, value in result.pose.values().items()})
show([opened, result], "09_ball_joints_and_followers.png", view=(-35, 12))

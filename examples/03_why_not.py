"""Why not? A goal out of reach still gives the best pose there is, and what stands in the way."""

from math import degrees, radians

from gallery import show

import manikin as mk

body = mk.human(stature=1.75)
target = [0.6, -0.1, 1.85]
kick = mk.Position("right_toe", target)

# How high is a kick with the right leg alone?
leg = mk.solve(body, [kick], free=["right_*"])
miss = leg.position_errors[0]
print(f"The leg alone is {leg.status}, {100 * miss:.1f} cm short:")
print(leg.explain())

# P is the square of the miss and a multiplier is P's fall a radian: so one degree is worth λ·1° / (2·miss).
print("\nThe limits that hold it:")
for limit in leg.active_constraints():
    worth = limit.multiplier * radians(1.0) / (2.0 * miss)
    print(f"  {limit.name:22} {limit.side:5} {degrees(limit.value):4.0f}°", end="")
    print(f"  multiplier {limit.multiplier:.4f}: {1000 * worth:.1f} mm a degree")

# The explanation says where help must come from: the hips. Let the whole body lean back on the left foot.
foot = body.pose().matrix("left_foot")
stand = mk.Placement("left_foot", foot[:3, 3], foot, weight=10.0)
whole = mk.solve(body, [kick, stand])
print(f"\nThe whole body on one foot: {whole.status}.")

show([leg, whole], "03_why_not.png", view=(-70, 8), captions=["the leg alone", "the whole body on one foot"])

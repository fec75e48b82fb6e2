"""A hand draws a figure of eight along a joint's limit and with the arm stretched, as a stream and with foresight."""

import numpy as np
from gallery import plot

import manikin as mk

SAMPLES = 10_000
HEIGHTS = (0.1575, 0.2025, 0.2045, 0.2155, 0.1845, 0.2155, 0.081)
LIMITS = (2.967, 2.094, 0.15, 2.094, 2.967, 2.094, 3.054)  # the third hardly turns

names = [f"link{i}" for i in range(8)]
joints = [
    mk.Joint.revolute(f"A{i + 1}", names[i], names[i + 1], axis, placement=[0, 0, z], lower=-end, upper=end)
    for i, (axis, z, end) in enumerate(
        zip(("z", "y", "z", "-y", "z", "y", "z"), HEIGHTS, LIMITS, strict=True)
    )
]
robot = mk.Figure("seven hinges", names, joints, [mk.Site("pen", "link7", [0.02, 0.01, 0.1])])
arm = mk.Arm(robot, ("A1", "A4", "A7"), site="pen")
start = np.array([0.1, 0.6, 0.1, 1.2, 0.2, 0.8, 0.3])


def eight(size):
    """The pen's way, its direction kept."""
    u = np.linspace(0.0, 2.0 * np.pi, SAMPLES)
    targets = np.tile(arm.pose(start).matrix("pen"), (SAMPLES, 1, 1))
    targets[:, 1, 3] += size * np.sin(u)
    targets[:, 2, 3] += 0.5 * size * np.sin(2.0 * u)
    return targets


low, high = 0.1, 0.5  # as large as the arm can reach, so that it is stretched on the way
for _ in range(40):
    size = 0.5 * (low + high)
    reached = all(arm.check(target) for target in eight(size)[:: SAMPLES // 200])
    low, high = (size, high) if reached else (low, size)
targets = eight(0.999 * low)

stream, met = mk.ArmTracker(arm, start).follow(targets)
planned, _ = mk.ArmTracker(arm, start).foresee(targets)
print(
    f"{SAMPLES} samples, {np.mean(met == 0):.0%} followed exactly; the elbow opens to {stream[:, 3].min():.3f} rad"
)
print(f"A3 is at its limit in {np.sum(np.abs(stream[:, 2]) > LIMITS[2] - 1e-9)} of them")
for name, rows in (("as a stream", stream), ("with foresight", planned)):
    print(f"{name}: greatest step {np.linalg.norm(np.diff(rows, axis=0), axis=1).max():.5f} rad")
plot([("as a stream: joint angles, rad", stream), ("with foresight", planned)], "18_drawing_an_eight.png")

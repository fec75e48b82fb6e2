"""How fast the joints turn, in radians a second: those that LeastTime measures a person's time by.

Of a gymnast: the speeds at which the torques of his joints fall to nothing, as the torque generators of RBDL have them
(``Millard2016TorqueMuscle``, data set Gymnast, after Jackson 2010, Loughborough University). Of the two directions the
slower counts. The whole thoracolumbar spine flexes at the lumbar joint's speed there, which its joints share as they
share the range. Where that source has no speed, as of clavicles, fingers, the neck, the turning of hips, the tilting of
ankles and the bending of the spine to a side, there is none here.
"""

from __future__ import annotations

from manikin.figure.figure import Figure
from manikin.figure.human.ranges import VERTEBRAE, joints_of

#: Of one coordinate, by its name without side.
LIMBS: dict[str, float] = {
    "shoulder_abduction": 18.0,
    "shoulder_flexion": 16.2,
    "shoulder_rotation": 18.0,
    "elbow": 18.1,
    "forearm_pronation": 27.9,
    "wrist_flexion": 36.4,
    "wrist_deviation": 18.0,
    "hip_flexion": 9.0,
    "knee": 16.6,
    "ankle_flexion": 11.8,
}
#: Of the flexion of all joints of the spine together.
TRUNK_FLEXION = 8.0


def joint_speeds(figure: Figure) -> dict[str, float]:
    """The greatest speeds of a human figure's joints, rad/s, by the name of the coordinate; see `Figure.with_velocity`.

    ``body.with_velocity(joint_speeds(body))`` gives a figure whose reaches take time: for `LeastTime`, for ``dt=`` and
    for motions.
    """
    spine = joints_of("spine")
    whole = sum(VERTEBRAE[joint][0] for joint in spine)
    found = {f"{side}_{name}": speed for side in ("left", "right") for name, speed in LIMBS.items()}
    found |= {f"{joint}_flexion": TRUNK_FLEXION * VERTEBRAE[joint][0] / whole for joint in spine}
    return {name: speed for name, speed in found.items() if name in figure.dofs}

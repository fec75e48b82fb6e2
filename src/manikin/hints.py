"""The peers' words for what is here, for the message about a name that is not there; no second names.

Read only when `manikin.<name>` is missing.
"""

from __future__ import annotations

#: Other programs' names, and what they are here.
WORDS = {
    "PositionGoal Reach ReachGoal PositionTask": "Position",
    "PoseGoal FrameGoal FrameTask": "Placement",
    "LookAt Gaze GazeGoal PointAt AlignAxis": "Aim",
    "Fixed Fix Keep Hold Lock Plant FeetOnFloor KeepFeet Contact": "Pin",
    "Avoid AvoidObstacle KeepOut Obstacle": "Outside",
    "SelfCollision AvoidSelfCollision": "SelfClearance",
    "ComGoal CoMTask ComTask COM": "CenterOfMass, or Balance",
    "PostureTask": "Posture",
    "Pole PoleTarget": "Swivel",
    "Grasp Carry": "hold",
    "CustomGoal FunctionGoal Function Residual": "Potential",
    "Sphere": "Ball",
    "Cylinder": "Capsule",
    "load_urdf from_urdf load_gltf load_osim load_mjcf loadURDF": "load",
    "load_bvh load_clip": "load_motion",
    "load_c3d read_c3d load_trc load_markers": "markers.Markers.load",
    "run_ik fit_markers": "markers.Tracker",
    "inverse_kinematics ik": "solve",
    "solve_batch ik_batch": "solve_many",
    "solve_trajectory follow solve_path": "track, or Problem.solve_path",
    "Solver prepare compile IK": "Problem",
    "Controller": "Tracker, or Session",
    "animate inbetween tween": "interpolate, or pictures.animate",
    "render draw plot picture": "pictures.picture",
    "view edit editor Editor": "studio",
    "reach_envelope": "reach.workspace",
    "accommodation": "reach.study",
    "list_presets list_goals": "the command manikin info --presets, --goals",
    "Robot Model": "Figure",
    "Frame Marker": "Site",
    "Link Body Bone": "Segment",
    "refine": "refined",
}
_HERE = {name: here for names, here in WORDS.items() for name in names.split()}


def missing(name: str, known: list[str]) -> str:
    """What is said of a name that the package does not have."""
    if name in _HERE:
        return f"manikin has no {name!r}; here it is {_HERE[name]!r}"
    if name.startswith("__"):
        return f"module 'manikin' has no attribute {name!r}"
    import difflib

    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    return f"manikin has no {name!r}{meant}"

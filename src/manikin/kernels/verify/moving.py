"""How the motions of a tree move: branches over their kinds, written out from the registry when this is imported."""

from __future__ import annotations

from manikin.kernels.jit import kernel
from manikin.kernels.memory.sections import written
from manikin.kernels.verify.joints import JOINTS

_angles, _moves, _twisting = [], [], []
_kernels = {}
for _number, _joint in enumerate(JOINTS.values()):
    if _joint.angles is not None:
        _angles += [f"if kind == {_number}:", f"    return angles_{_number}(W, k)"]
        _kernels[f"angles_{_number}"] = _joint.angles
    if _joint.twists:
        _twisting.append(f"kind == {_number}")
    _moves += [f"if kind == {_number}:", f"    return move_{_number}(W, k, a, s, c, s2, c2, turn, place)"]
    _kernels[f"move_{_number}"] = _joint.move

#: The two angles whose sines and cosines a motion takes, by the number of its kind and its first axis value.
angles_of = kernel(
    written("angles_of", ["kind", "W", "k"], _angles, "(W[k], 0.0 * W[k])", _kernels), exact=True
)
#: Whether it takes those of the second.
twists = kernel(written("twists", ["kind"], [], " or ".join(_twisting), {}), exact=True)
#: The frame where a motion has brought it.
moved = kernel(
    written(
        "moved",
        ["kind", "W", "k", "a", "s", "c", "s2", "c2", "turn", "place"],
        _moves,
        "(turn, place)",
        _kernels,
    ),
    exact=True,
)

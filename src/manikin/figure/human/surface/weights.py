"""Which segments carry each vertex of the skin.

A vertex follows the part of the body that it lies on, and those that the part is joined to as far as it is near them:
with dᵢ the distance from part i, wᵢ ∝ exp(−(dᵢ − d) / σᵢ), d the least of them, σᵢ by how thick the part is. Then
weights are evened over the mesh, so that folds such as the armpit stretch over many triangles and not over one. Trunk
and neck are one part each, shared among their vertebrae by height, linearly from middle to middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from manikin.figure.figure import Figure
from manikin.figure.human.surface.field import Blob
from manikin.figure.pose import Pose

#: How far a vertex follows the next part, metres at 1.75 m of stature.
SIGMA = {"trunk": 0.020, "neck": 0.020, "limb": 0.016, "foot": 0.010, "hand": 0.007, "finger": 0.0030}
MOST = 8
#: Beyond so many of these a part has no share: exp(−14) is a millionth.
FAR = 14.0
#: How often each vertex takes half of its neighbours' mean.
EVENED = 10


def parts_of(figure: Figure) -> dict[str, str]:
    """The part of the body that each segment belongs to."""
    found = {}
    for name in figure.segments:
        plain = name.removeprefix("left_").removeprefix("right_")
        if name == "pelvis" or (name[0] in "tl" and name[1:].isdigit()):
            found[name] = "trunk"
        elif name[0] == "c" and name[1:].isdigit():
            found[name] = "neck"
        elif plain == "scapula":
            found[name] = f"{name.split('_')[0]}_clavicle"
        elif plain not in ("eye",) and name != "eyes":
            found[name] = name
    return found


def _sigma(part: str) -> float:
    plain = part.removeprefix("left_").removeprefix("right_")
    if part in ("trunk", "neck"):
        return SIGMA[part]
    if part == "head":
        return SIGMA["neck"]
    if plain in ("thigh", "clavicle"):
        return SIGMA["trunk"]
    if plain in ("foot", "toes"):
        return SIGMA["foot"]
    if plain == "hand":
        return SIGMA["hand"]
    return SIGMA["finger"] if "_" in plain and plain != "upper_arm" else SIGMA["limb"]


def neighbours(figure: Figure, part: Mapping[str, str]) -> dict[str, set[str]]:
    """Parts that are joined."""
    found: dict[str, set[str]] = {name: {name} for name in set(part.values())}
    for joint in figure.joints.values():
        if joint.parent in part and joint.child in part:
            a, b = part[joint.parent], part[joint.child]
            found[a].add(b)
            found[b].add(a)
    for side in ("left", "right"):  # the arm grows out of the trunk as much as out of its girdle
        found["trunk"].add(f"{side}_upper_arm")
        found[f"{side}_upper_arm"].add("trunk")
    return found


def weigh(
    figure: Figure,
    pose: Pose,
    blobs: Mapping[str, Sequence[Blob]],
    vertices: np.ndarray,
    triangles: np.ndarray,
    scale: float,
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Segments, and for each vertex `MOST` indices into them with weights that sum to one."""
    part = parts_of(figure)
    names = [
        name for name in dict.fromkeys(part.values()) if any(part[s] == name for s in blobs if s in part)
    ]
    sigma = np.array([_sigma(name) * scale for name in names])
    distance = np.full((len(names), len(vertices)), np.inf)
    for segment, flesh in blobs.items():
        row = names.index(part[segment])
        for blob in flesh:
            low, high = blob.bounds()
            reach = blob.width + FAR * sigma[row]
            near = np.flatnonzero(((vertices > low - reach) & (vertices < high + reach)).all(axis=1))
            distance[row, near] = np.minimum(distance[row, near], blob.distance(vertices[near]))
    nearest = distance.argmin(axis=0)
    joined = neighbours(figure, part)
    allowed = np.array([[other in joined[name] for other in names] for name in names])
    weight = np.exp(-(distance - distance.min(axis=0)) / sigma[:, None]) * allowed[nearest].T
    segments = [name for name in figure.segments if name in part]
    whole = np.zeros((len(segments), len(vertices)))
    frames = pose.matrices()
    for row, name in enumerate(names):
        own = [segment for segment in segments if part[segment] == name]
        if len(own) == 1 or name not in ("trunk", "neck"):
            carrier = name if name in segments else own[0]
            whole[segments.index(carrier)] += weight[row]
            continue
        for segment, share in _by_height(frames, own, vertices).items():
            whole[segments.index(segment)] += weight[row] * share
    whole = _evened(whole.T / whole.sum(axis=0)[:, None], triangles).T
    order = np.argsort(-whole, axis=0)[:MOST]
    top = np.take_along_axis(whole, order, axis=0)
    top /= top.sum(axis=0)
    return segments, order.T, top.T


def _evened(weights: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Weights (V, n) after `EVENED` rounds of W ← (W + A W) / 2, A the mean over a vertex's neighbours."""
    from scipy import sparse  # scikit-image, which made the triangles, brings it

    ends = triangles[:, [[0, 1], [1, 2], [2, 0], [1, 0], [2, 1], [0, 2]]].reshape(-1, 2)
    each = np.ones(len(ends), np.float32)
    count = np.bincount(ends[:, 0], minlength=len(weights))
    joined = sparse.csr_array((each, (ends[:, 0], ends[:, 1])), shape=(len(weights),) * 2)
    mean = sparse.diags_array((1.0 / np.maximum(count, 1)).astype(np.float32)) @ joined
    found = sparse.csr_array(weights.astype(np.float32))
    for _ in range(EVENED):
        found = 0.5 * (found + mean @ found)
    return np.asarray(found.toarray(), dtype=float)


def _by_height(
    frames: Mapping[str, np.ndarray], segments: Sequence[str], vertices: np.ndarray
) -> dict[str, np.ndarray]:
    """Shares of stacked segments, the one at whose height a vertex lies taking all."""
    ordered = sorted(segments, key=lambda name: frames[name][2, 3])
    heights = np.array([frames[name][2, 3] for name in ordered])
    middles = np.append(0.5 * (heights[:-1] + heights[1:]), heights[-1] + 0.5 * (heights[-1] - heights[-2]))
    if ordered[0] == "pelvis":
        middles[0] = heights[0] + 0.6 * (heights[1] - heights[0])
    place = np.interp(vertices[:, 2], middles, np.arange(len(ordered)))
    return {name: np.maximum(1.0 - np.abs(place - k), 0.0) for k, name in enumerate(ordered)}

"""What writers ask of a clip: where every segment is in each frame, the value of every axis, frames at even times."""

from __future__ import annotations

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Figure, Joint, graph
from manikin.formats.contents import Notes
from manikin.motion.motion import Motion


def segment_frames(figure: Figure, q: np.ndarray) -> dict[str, np.ndarray]:
    """The frames of all segments in the world, each (T, 4, 4)."""
    names = list(figure.segments)
    if any(
        name in figure.given.sites for name in names
    ):  # a site that has the name of a segment may stand elsewhere
        figure = figure.replace(sites=(), loops=())
    frames = figure.forward(q, names)
    return {name: frames[:, k] for k, name in enumerate(names)}


def axis_values(figure: Figure, q: np.ndarray) -> dict[str, np.ndarray]:
    """The value of every axis, followers included, each (T,)."""
    index = {name: k for k, name in enumerate(figure.dofs)}
    result = {}
    for name, follow in figure.axes.items():
        value = np.full(len(q), follow.offset)
        for dof, c in follow.coefficients.items():
            value += c * q[:, index[dof]]
        result[name] = value
    return result


def edges(figure: Figure) -> list[tuple[Joint, str, str, bool]]:
    """The joints depth first from the root, each with the segment nearer to the root, the farther one, and
    whether the joint is met from its child's side.
    """
    joints = {
        name: joint for name, joint in figure.joints.items() if figure.base == "fixed" or name != "root"
    }
    return [
        (joint, joint.child, joint.parent, True) if backwards else (joint, joint.parent, joint.child, False)
        for joint, backwards in graph.walk(figure.root, joints)
    ]


def even_step(times: np.ndarray) -> float | None:
    """The step of evenly spaced times, or None where they are not; 1/30 s for a single one."""
    if len(times) == 1:
        return 1.0 / 30.0
    step = float(times[-1] - times[0]) / (len(times) - 1)
    even = np.abs(times - times[0] - step * np.arange(len(times))).max() <= 1e-6 * step
    return step if even else None


def evened(clip: Motion, notes: Notes, what: str, rate: float | None = None) -> tuple[np.ndarray, float]:
    """The values at even times, (T, n), and the step; `what` is the format that wants it.

    Where they are even already, and no rate is given, they are as they were; otherwise they are taken from the
    motion's own curve.
    """
    times = clip.times
    step = even_step(times)
    if len(times) > 1 and times[0] != 0.0:
        notes.changed(f"clip {clip.name!r}", f"{what} begins at 0; this clip began at {times[0]:g} s")
    if rate is not None:
        if not 0.0 < rate < 1e6:
            raise FormatError(f"clip {clip.name!r}: the rate must be above 0 a second, got {rate}")
        if step is None or abs(step * rate - 1.0) > 1e-9:
            step = None if len(times) > 1 else 1.0 / rate
    if step is not None:
        return clip.q, step
    if rate is None:
        rate = 1.0 / max(float(np.median(np.diff(times))), float(times[-1] - times[0]) / 20_000)
    count = max(round((times[-1] - times[0]) * rate), 1)
    step = float(times[-1] - times[0]) / count
    notes.changed(
        f"clip {clip.name!r}",
        f"{what} has frames at even times; this clip is sampled anew, at {count + 1} frames {step:.6g} s apart",
    )
    at = np.append(times[0] + step * np.arange(count), times[-1])
    return clip.values(at), step

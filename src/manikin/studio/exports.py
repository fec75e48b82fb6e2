"""What can be taken away: scene, pose, clip, picture, video, web page. The slow ones run beside the session and can be
cancelled.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import FormatError
from manikin.figure import Pose
from manikin.studio.beside import Beside
from manikin.studio.files import working_folder
from manikin.studio.model import keys
from manikin.studio.model.document import Document
from manikin.studio.model.scene_text import scene_text
from manikin.studio.server.page import scripted

if TYPE_CHECKING:
    from manikin.pictures.camera import Camera

Sent = Callable[[str, bytes], None]
SIZE = (1280, 960)
VIDEO = (720, 540)
FPS = 25.0
#: Formats of clips besides the studio's own.
CLIPS = ("bvh", "glb", "npz")


class Exports(Beside):
    """Pictures and videos, one at a time."""

    def __init__(self, progress: Callable[[float | None], None], failed: Callable[[str], None]) -> None:
        super().__init__("export", progress, failed)

    def video(self, document: Document, camera: Camera | None, look: str, send: Sent, name: str) -> None:
        """The key frames as an MP4."""
        motion = keys.motion_of(document)

        def job() -> None:
            from manikin.pictures import animate

            def count(done: int, all_of_them: int) -> None:
                self.done(done / all_of_them)

            with working_folder() as folder:
                path = folder / "clip.mp4"
                animate(
                    motion,
                    path,
                    rate=FPS,
                    size=VIDEO,
                    camera=camera,
                    things=[thing.region() for thing in document.things],
                    meshes="skip",
                    look=look if document.source.is_human else "wood",
                    progress=count,
                )
                send(f"{name}.mp4", path.read_bytes())

        self.run(job)

    def picture(self, document: Document, camera: Camera | None, look: str, send: Sent, name: str) -> None:
        """A picture with goals and furniture, from where the browser looks."""

        def job() -> None:
            with working_folder() as folder:
                path = folder / "picture.png"
                draw(document, camera, path, look)
                send(f"{name}.png", path.read_bytes())

        self.run(job)


def draw(document: Document, camera: Camera | None, path: Path, look: str = "wood") -> None:
    """Write a picture of a document; look: of a person, as in `manikin.pictures.picture`."""
    from manikin.goals import Pin
    from manikin.motion.timed import pinned
    from manikin.pictures import picture

    pose = document.pose
    active = [entry.goal for entry in document.goals if entry.active]
    goals = [pinned(g, pose.matrix(g.site)) if isinstance(g, Pin) else g for g in active]
    picture(
        pose,
        path,
        goals=[goal for goal in goals if not getattr(goal, "hard", False) or goal.kind() == "balance"],
        things=[thing.region() for thing in document.things],
        size=SIZE,
        camera=camera,
        meshes="skip",
        look=look if document.source.is_human else "wood",
    )


def scene_bytes(document: Document, folder: Path) -> bytes:
    """The scene as a file."""
    return scene_text(document, folder).encode()


def pose_bytes(document: Document) -> bytes:
    """The pose as JSON."""
    return (document.pose.to_json() + "\n").encode()


def clip_bytes(document: Document) -> bytes:
    """The motion through the key frames, sampled, as JSON: times in seconds, values in rad and m."""
    poses, times = _sampled(document)
    data = {
        "figure": document.figure.name,
        "dofs": list(document.figure.dofs),
        "key_times": [frame.time for frame in document.keys],
        "times": times.tolist(),
        "q": [pose.q.tolist() for pose in poses],
    }
    return (json.dumps(data) + "\n").encode()


def _sampled(document: Document) -> tuple[list[Pose], np.ndarray]:
    """The poses of the motion through the key frames, sixty a second, and their times."""
    motion = keys.motion_of(document)
    first, last = float(motion.times[0]), float(motion.times[-1])
    count = max(2, round((last - first) * 60) + 1) if last > first else 1
    times = np.linspace(first, last, count)
    return [motion.sample(float(t)) for t in times], times


def page_bytes(server: Any, document: Document, show: Callable[[np.ndarray], object]) -> bytes:
    """The scene as one web page that needs nothing else, moving where there are key frames."""
    serializer = server.get_scene_serializer()
    if len(document.keys) > 1:
        motion = keys.motion_of(document)
        step = 1.0 / FPS
        for t in np.arange(float(motion.times[0]), float(motion.times[-1]) + step, step):
            show(motion.sample(float(t)).q)
            serializer.insert_sleep(step)
        show(document.q)
    return scripted(str(serializer.as_html()).encode())


def clip_as(document: Document, suffix: str) -> tuple[bytes, list[str]]:
    """The motion through the key frames as a file for other programs, and what that cannot hold."""
    from manikin.formats import save
    from manikin.motion import Motion

    poses, times = _sampled(document)
    with working_folder() as folder:
        path = folder / f"clip.{suffix}"
        notes = save(Motion.of(poses, times), path)
        return path.read_bytes(), [str(note) for note in notes]


def pose_from(words: str, document: Document) -> Pose:
    """The pose in an uploaded JSON file, of the document's figure."""
    return Pose.from_json(document.figure, words)


def clip_from(name: str, words: str, document: Document) -> tuple[np.ndarray, np.ndarray] | None:
    """Times and values of a clip as `clip_bytes` writes it; None for JSON that is none."""
    try:
        data = json.loads(words)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise FormatError(f"{name}: not valid JSON: {problem}") from None
    if not isinstance(data, dict) or "times" not in data:
        return None
    figure = document.figure
    if data.get("dofs") != list(figure.dofs):
        raise FormatError(
            f"{name}: a clip of {data.get('figure')!r}, not of {figure.name!r}: open its figure first"
        )
    try:
        times, q = np.array(data["times"], float), np.array(data.get("q"), float)
    except (TypeError, ValueError):
        raise FormatError(f"{name}: times and q must be numbers") from None
    if times.ndim != 1 or not len(times) or q.shape != (len(times), figure.n):
        raise FormatError(f"{name}: expected {figure.n} values at each of its times, got {q.shape}")
    if not (np.isfinite(times).all() and np.isfinite(q).all() and (np.diff(times) > 0.0).all()):
        raise FormatError(f"{name}: its numbers must be finite, and its times must rise")
    return times, q

"""The gestures by the session alone: where a mouse would lead the handle, in as many events."""

from __future__ import annotations

import numpy as np

from benchmarks.gestures.seen import Seen, scale_of
from benchmarks.gestures.table import Gesture
from manikin.figure import Pose
from manikin.studio.model.document import Document
from manikin.studio.model.dragging import PinnedError, handle_of
from manikin.studio.model.session import Session


def along(gesture: Gesture, scale: float) -> np.ndarray:
    """Where the hand goes, (events, 3), from where it begins."""
    share = np.linspace(0.0, 1.0, gesture.steps + 1)[1:, None]
    way = scale * np.array(gesture.way)
    if not gesture.circle:
        return share * way
    right = np.cross(gesture.view, [0.0, 0.0, 1.0])
    right *= np.linalg.norm(way) / np.linalg.norm(right)
    angle = 2.0 * np.pi * share
    return np.asarray((np.cos(angle) - 1.0) * right + np.sin(angle) * [0.0, 0.0, float(np.linalg.norm(way))])


def taken_at(gesture: Gesture, pose: Pose, document: Document) -> tuple[np.ndarray, str]:
    """The point of the world that is taken, and the segment there."""
    if isinstance(gesture.take, str):
        site = handle_of(document, gesture.take).site
        return pose.position(site), document.figure.sites[site].segment
    one, other = (pose.position(site) for site in gesture.take)
    return 0.5 * (one + other), document.figure.sites[gesture.take[0]].segment


def made(gesture: Gesture, document: Document) -> Seen:
    """Make a gesture on a fresh document."""
    session = Session(document)
    if gesture.prepare is not None:
        gesture.prepare(session)
    before, steps = session.document.pose, len(session.history)
    scale = scale_of(before)
    place, segment = taken_at(gesture, before, session.document)
    way = []
    try:
        if isinstance(gesture.take, str):
            session.handle_start("hand", gesture.take, place)
        else:
            session.drag_start("hand", segment, place)
        for each in along(gesture, scale):
            session.drag_to("hand", place + each)
            way.append(session.document.pose)
        words = session.explain()
        session.drag_end("hand")
    except PinnedError as problem:
        words = str(problem)
    target = place + along(gesture, scale)[-1 if not gesture.circle else gesture.steps // 2]
    hand = [place + each for each in along(gesture, scale)][: len(way)]
    return Seen(
        before, way, hand, session.document.pose, scale, len(session.history) - steps, words, place, target
    )

"""Where the studio remembers things: a folder of the user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def state_folder() -> Path:
    """Where programs keep what they remember: ``MANIKIN_STATE``, or the system's place."""
    if "MANIKIN_STATE" in os.environ:
        return Path(os.environ["MANIKIN_STATE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "manikin"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "manikin"
    return Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local" / "state")) / "manikin"


def uploads_folder() -> Path:
    """Where uploaded figures are stored, so that scenes find them again."""
    return state_folder() / "uploads"

"""The arguments that a figure was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from manikin.figure.coupling import Coupling
from manikin.figure.joint import Joint
from manikin.figure.loop import Loop
from manikin.figure.segment import Segment, Site


class Given(NamedTuple):
    """Without what the figure adds: the base's joint, a site for every segment, couplings that followers imply."""

    name: str
    segments: tuple[Segment, ...]
    joints: Mapping[str, Joint]
    sites: Mapping[str, Site]
    root: str
    base: str
    location: np.ndarray
    couplings: tuple[Coupling, ...]
    mount: np.ndarray
    base_stiffness: Any
    loops: tuple[Loop, ...]
    touching: tuple[tuple[str, str], ...]

    def arguments(self) -> dict[str, Any]:
        """As `Figure` takes them."""
        return {**self._asdict(), "joints": tuple(self.joints.values()), "sites": tuple(self.sites.values())}

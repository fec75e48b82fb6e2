"""Where a study's results go as they come: a Zarr group of one chunk for each stretch of bodies, which can be
resumed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from manikin.errors import FormatError
from manikin.reach.extra import need

_FORMAT = "manikin study 2"


class Store:
    """Arrays ``state`` (as of `Study.state`) and ``miss``, (bodies, points), and ``done``, of each chunk how often it
    was computed.

    A chunk's numbers are written before it is marked, so that what is marked is whole.
    """

    def __init__(
        self, path: str | os.PathLike[str], digest: str, people: int, points: int, chunk: int
    ) -> None:
        zarr = need("zarr", "a study's store")
        self.path = Path(path)
        count = -(-people // chunk)
        if self.path.exists():
            self.group = self._opened(zarr, digest, (people, points), chunk)
        else:
            self.group = zarr.open_group(str(self.path), mode="w")
            self.group.create_array(
                "state", shape=(people, points), chunks=(chunk, points), dtype="uint8", fill_value=0
            )
            self.group.create_array(
                "miss", shape=(people, points), chunks=(chunk, points), dtype="float32", fill_value=0
            )
            self.group.create_array("done", shape=(max(count, 1),), chunks=(1,), dtype="int32", fill_value=0)
            self.group.attrs.update({"format": _FORMAT, "digest": digest, "chunk": chunk, "complete": 0})

    def _opened(self, zarr: Any, digest: str, shape: tuple[int, int], chunk: int) -> Any:
        try:
            group = zarr.open_group(str(self.path), mode="r+")
            about = dict(group.attrs)
            known = about.get("format") == _FORMAT and tuple(group["state"].shape) == shape
        except Exception as problem:  # whatever a broken folder makes of zarr
            raise FormatError(f"{self.path}: not a study's store: {problem}") from problem
        if not known or about.get("digest") != digest or about.get("chunk") != chunk:
            raise FormatError(
                f"{self.path}: it holds another study (other people, points, goals or chunks); choose another "
                "folder, or remove it"
            )
        return group

    @property
    def done(self) -> np.ndarray:
        """Of each chunk how often it was computed."""
        return np.asarray(self.group["done"][:])

    def put(self, number: int, first: int, last: int, state: np.ndarray, miss: np.ndarray) -> None:
        """A finished chunk."""
        self.group["state"][first:last] = state
        self.group["miss"][first:last] = miss
        self.group["done"][number] = int(self.group["done"][number]) + 1

    def finish(self) -> None:
        """All of it is there."""
        self.group.attrs["complete"] = 1

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """All numbers."""
        return np.asarray(self.group["state"][:]), np.asarray(self.group["miss"][:])


class Memory:
    """The same without a file."""

    def __init__(self, people: int, points: int, chunks: int) -> None:
        self.state = np.zeros((people, points), np.uint8)
        self.miss = np.zeros((people, points), np.float32)
        self.done = np.zeros(chunks, np.int32)

    def put(self, number: int, first: int, last: int, state: np.ndarray, miss: np.ndarray) -> None:
        """A finished chunk."""
        self.state[first:last], self.miss[first:last] = state, miss
        self.done[number] += 1

    def finish(self) -> None:
        """Nothing to do."""

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """All numbers."""
        return self.state, self.miss

"""Where the shared data is, for tests that read real files."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def data_file(name: str) -> Path:
    """A file of the shared data; the test skips where it is missing."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"{name} is not there: these tests read ../shared/data")
    return path


@pytest.fixture(name="data_file")
def data_file_fixture():
    return data_file

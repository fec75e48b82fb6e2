"""``python -m tests.fuzz urdf 100000``: so many mutated files, from a seed on; what is found, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.run import fuzz


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("format", choices=["urdf", "toml"])
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = fuzz(given.format, given.first, given.count, Path(folder))
    print(json.dumps(found, indent=1))
    return bool(found["findings"])


if __name__ == "__main__":
    sys.exit(main())

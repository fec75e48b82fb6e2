"""Takes the network of all people out of what `train` wrote, in half precision, to where the package has it.

python -m tools.posture.ship NETWORKS.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from manikin.figure.human.natural import NUMBERS


def main(path: Path, out: Path = NUMBERS) -> None:
    """Write the last network of the file."""
    with np.load(path) as file:
        numbers = {
            name: (file[name][-1] if name.startswith(("weight", "bias")) else file[name]).astype(np.float16)
            for name in file.files
        }
    np.savez_compressed(out, **numbers)
    print(f"{out}: {out.stat().st_size / 1e3:.0f} kB, {sum(v.size for v in numbers.values())} numbers")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

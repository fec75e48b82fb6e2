"""Makes the sheets of people that the documents show.

    python -m tools.sheets [--out FOLDER] [--only NAME …] [--retargeted FILE --networks FILE]

The last two are what `tools.posture.retarget` and `tools.posture.train` wrote, by default ``retargeted.npz`` and
``networks.npz`` in ``build/posture``; without them the sheet of recorded people is left out, and said to be.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from tools.sheets import bodies, natural

ROOT = Path(__file__).resolve().parents[2]
PICTURES, LEARNED = ROOT / "docs" / "pictures", ROOT / "build" / "posture"
#: What is drawn into which file, without recordings.
SHEETS: dict[str, Callable[[Path], None]] = {
    "natural": lambda folder: natural.draw(folder / "people-natural.png"),
    "body": lambda folder: bodies.draw_body(folder / "people-body.png"),
    "sizes": lambda folder: bodies.draw_people(folder / "people-statures.png"),
}


def main() -> None:
    """Draw what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m tools.sheets", description="Sheets of people.")
    parser.add_argument("--out", type=Path, default=PICTURES, help="the folder they go to")
    parser.add_argument("--only", nargs="+", choices=(*SHEETS, "recorded"), help="these alone")
    parser.add_argument(
        "--retargeted",
        type=Path,
        default=LEARNED / "retargeted.npz",
        help="what tools.posture.retarget wrote",
    )
    parser.add_argument(
        "--networks", type=Path, default=LEARNED / "networks.npz", help="what tools.posture.train wrote"
    )
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    wanted = given.only or (*SHEETS, "recorded")
    for name in wanted:
        if name in SHEETS:
            SHEETS[name](given.out)
    if "recorded" in wanted:
        missing = [str(path) for path in (given.retargeted, given.networks) if not path.exists()]
        if missing:
            print(f"recorded people: left out; there is no {' and no '.join(missing)} (docs/natural.md)")
        else:
            from tools.sheets import recorded

            recorded.draw(given.out / "people-recorded.png", given.retargeted, given.networks)


if __name__ == "__main__":
    main()

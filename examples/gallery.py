"""Where the examples put their pictures: the folder given on the command line, or ``pictures``."""

import sys
from pathlib import Path

import manikin as mk


def show(subject, name, **options):
    """Draw a pose, a solution or several of them, and say where the picture is; a hint without the extra."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
    try:
        from manikin.pictures import picture

        folder.mkdir(parents=True, exist_ok=True)
        picture(subject, folder / name, **{"size": (640, 800), **options})
    except mk.MissingExtraError as hint:
        print(f"\nNo picture: {hint}")
    else:
        print(f"\nThe picture is in {folder / name}")

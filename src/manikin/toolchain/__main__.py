"""``python -m manikin.toolchain``: compile the kernels ahead, with a line of progress."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from manikin.errors import ManikinError
from manikin.toolchain.build import build, compile_entry, compile_parts, module_path, store
from manikin.toolchain.check import platform_tag
from manikin.toolchain.digest import KERNELS
from manikin.toolchain.levels import LEVELS, best_level, own_level


class _Line:
    """One line that is written over on a terminal, a line a step elsewhere."""

    def __init__(self) -> None:
        self.begin = perf_counter()
        self.over = sys.stderr.isatty()

    def __call__(self, done: int, of: int, what: str) -> None:
        bar = "█" * done + "·" * (of - done)
        text = f"compiling the kernels, once: {bar} {done}/{of} {perf_counter() - self.begin:4.0f} s  {what}"
        end = "\n" if not self.over or done == of else ""
        print(("\r\x1b[K" if self.over else "") + text, end=end, file=sys.stderr, flush=True)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m manikin.toolchain", description=__doc__)
    parser.add_argument(
        "--levels", help=f"comma-separated, of {', '.join(LEVELS)}; this CPU's best one if not given"
    )
    parser.add_argument(
        "--into", type=Path, default=KERNELS, help="folder of the extension modules (beside the kernels)"
    )
    parser.add_argument("--keep", type=Path, help="folder of what is kept for the next build (build/kernels)")
    parser.add_argument("--jobs", type=int, help="how many processes (one a core)")
    parser.add_argument(
        "--wheel", action="store_true", help="print the platform tag and the modules, for a wheel"
    )
    parser.add_argument("--if-possible", action="store_true", help="no error where there is no C compiler")
    parser.add_argument(
        "--objects",
        action="store_true",
        help="object files for this machine only, from which Python loads entries",
    )
    parser.add_argument("--entry", help="the object file of this entry alone")
    parser.add_argument(
        "--outside", action="append", default=[], help="for it, a module to import first: NAME=FILE"
    )
    given = parser.parse_args()
    if given.objects or given.entry:
        keep = given.keep or store()
        if given.entry:
            outside = (each.partition("=") for each in given.outside)
            compile_entry(given.entry, own_level(), keep, {name: Path(file) for name, _, file in outside})
        else:
            compile_parts([own_level()], keep, given.jobs, _Line())
        return 0
    levels = given.levels.split(",") if given.levels else [best_level()]
    unknown = [level for level in levels if level not in LEVELS]
    if unknown:
        parser.error(f"no such level: {', '.join(unknown)}; there are {', '.join(LEVELS)}")
    try:
        made = build(levels, given.into, given.keep, given.jobs, _Line())
    except ManikinError as error:
        print(f"manikin: {error}", file=sys.stderr)
        if given.if_possible and given.wheel:
            print("any")
        elif given.if_possible:
            print("manikin: entries are compiled when they are first called", file=sys.stderr)
        return 0 if given.if_possible else 1
    if given.wheel:
        modules = [module_path(level, given.into) for level in levels]
        print(platform_tag(modules), *modules)
    elif made:
        print(f"the kernels are compiled: {', '.join(path.name for path in made)}")
    else:
        print("the kernels are compiled already")
    return 0


if __name__ == "__main__":
    sys.exit(main())

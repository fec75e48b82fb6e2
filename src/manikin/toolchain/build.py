"""The whole build: each part lowered by Numba, compiled for each level, and linked; nothing is done twice.

What is made on the way is kept in a folder (`store`) under the digest of what it is made from, so an edit compiles
again only the part that it concerns, and going back to an earlier source compiles nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from manikin.toolchain.catalogue import digest_of, entries
from manikin.toolchain.check import check
from manikin.toolchain.digest import KERNELS, PACKAGE, digest, everything
from manikin.toolchain.levels import BuildError
from manikin.toolchain.link import can_link, link
from manikin.toolchain.parts import parts

#: Called with how much is done, of how much, and what was done last.
Progress = Callable[[int, int, str], None]
#: How many parts of earlier builds are kept, and how many entries compiled alone.
_KEPT = 100


def module_path(level: str, into: Path = KERNELS) -> Path:
    """Where the extension module of a level lies."""
    return into / f"_prebuilt_{level}.abi3.so"


def is_built(level: str, into: Path = KERNELS) -> bool:
    """Whether the module of this level is there and fits the kernels: its digest is one of its strings."""
    path = module_path(level, into)
    return path.is_file() and digest(everything()).encode() in path.read_bytes()


def store() -> Path:
    """Where parts of the build are kept: ``build/kernels`` of a checkout, else the user's cache."""
    root = PACKAGE.parents[1]
    if (root / "pyproject.toml").is_file() and root / "src" / "manikin" == PACKAGE:
        return root / "build" / "kernels"
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "manikin" / "kernels"


def build(
    levels: Sequence[str],
    into: Path = KERNELS,
    keep: Path | None = None,
    jobs: int | None = None,
    progress: Progress = lambda _done, _of, _what: None,
) -> list[Path]:
    """Make the extension modules of these levels; returns those made now, none where all were there.

    ``keep`` is the folder of what is kept (`store`), ``jobs`` how many processes work at a time: one a core.
    """
    if all(is_built(level, into) for level in levels):
        return []
    for level in levels:
        trouble = can_link(level)
        if trouble:
            raise BuildError(f"the kernels cannot be compiled ahead for {level}: {trouble}")
    _test_numba()
    keep = store() if keep is None else keep
    keep.mkdir(parents=True, exist_ok=True)
    into.mkdir(parents=True, exist_ok=True)
    with _alone(keep):
        wanted = [level for level in levels if not is_built(level, into)]
        if not wanted:
            return []
        made_from = digest(everything())
        split = compile_parts(wanted, keep, jobs, progress)
        table = {key: entry.signature for key, entry in entries().items()}
        for level in wanted:
            objects = [part.object(level) for part in split]
            link(objects, table, level, made_from, module_path(level, into))
            check(module_path(level, into))
        _forget(keep, {part.folder for part in split})
        return [module_path(level, into) for level in wanted]


def compile_parts(
    levels: Sequence[str],
    keep: Path,
    jobs: int | None = None,
    progress: Progress = lambda _done, _of, _what: None,
) -> list[Part]:
    """The objects of all parts for these levels, in the folder of what is kept."""
    made_from = digest(everything())
    split = [Part(keys, keep) for keys in parts()]
    _compile(split, levels, jobs or os.cpu_count() or 1, progress)
    if digest(everything()) != made_from:
        for part in split:
            shutil.rmtree(part.folder, ignore_errors=True)
        raise BuildError("the kernels were changed while they were compiled: compile them once more")
    return split


def compile_entry(key: str, level: str, keep: Path, outside: Mapping[str, Path]) -> None:
    """The object of one entry alone, made in this process.

    outside: modules to be imported first, with their files: that of the entry if it is not in the package, and those
    that add to the registries.
    """
    os.environ["MANIKIN_JIT"] = "lower"
    for name, file in outside.items():
        if name == "__main__":
            spec: Any = spec_from_file_location("the_script", file)
            spec.loader.exec_module(module_from_spec(spec))
        else:
            import_module(name)
    part = Part([key], keep, outside.values())
    if not part.bitcode.is_file():
        make_bitcode(part.keys, part.folder)
    make_object(part.bitcode, level, part.object(level))


class Part:
    """Some entries, and the folder of what is made of them and of files from outside of the package."""

    def __init__(self, keys: list[str], keep: Path, outside: Iterable[Path] = ()) -> None:
        self.keys = keys
        self.name = "+".join(sorted({key.split(".")[0] for key in keys}))
        self.folder = keep / digest_of(keys, outside, version("numba"), version("llvmlite"))

    @property
    def bitcode(self) -> Path:
        """As it was lowered, for every level."""
        return self.folder / "kernels.bc"

    def object(self, level: str) -> Path:
        """Its object file."""
        return self.folder / f"{level}.o"


def _compile(split: list[Part], levels: Sequence[str], jobs: int, progress: Progress) -> None:
    """Bitcode of every part, objects of every part and level: what is missing, side by side."""
    missing = [(part, level) for part in split for level in levels if not part.object(level).is_file()]
    lowering = [part for part in split if any(p is part for p, _ in missing) and not part.bitcode.is_file()]
    of = len(lowering) + len(missing)
    if not of:
        return
    done = 0
    progress(0, of, "")
    # A process is used once: Numba lowers a function once a process, and keeps all it ever lowered.
    with ProcessPoolExecutor(min(jobs, of), get_context("spawn"), max_tasks_per_child=1) as pool:

        def objects_of(part: Part) -> dict[Future[None], tuple[Part, str]]:
            return {
                pool.submit(make_object, part.bitcode, level, part.object(level)): (part, level)
                for p, level in missing
                if p is part
            }

        running: dict[Future[None], tuple[Part, str]] = {
            pool.submit(make_bitcode, part.keys, part.folder): (part, "") for part in lowering
        }
        for part in split:
            if part not in lowering:
                running |= objects_of(part)
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                part, level = running.pop(future)
                future.result()
                done += 1
                progress(done, of, f"{part.name} {level or 'by Numba'}")
                if not level:
                    running |= objects_of(part)


def _test_numba() -> None:
    """A `BuildError` if this Numba does not lower kernels as the build needs it; found out in a process of its own."""
    done = subprocess.run([sys.executable, "-m", f"{__package__}.private"], capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"the kernels cannot be compiled: {done.stderr.strip().splitlines()[-1]}")


def make_bitcode(keys: list[str], folder: Path) -> None:
    """Front end of one part, in a process of its own: ``kernels.bc``."""
    os.environ["MANIKIN_JIT"] = "lower"
    from manikin.toolchain import private

    for key in keys:
        if key in entries():
            import_module(f"{__package__.split('.')[0]}.kernels.{key.rpartition('.')[0]}")
    bitcode = private.lower(keys)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "kernels.bc", bitcode)


def make_object(bitcode: Path, level: str, out: Path) -> None:
    """Back end of one part for one level, in a process of its own."""
    from manikin.toolchain.backend import compile_object

    _write(out, compile_object(bitcode.read_bytes(), level))


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One build at a time: another waits, and then finds it done."""
    with open(folder / "lock", "w") as file:
        if os.name == "posix":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _forget(keep: Path, used: set[Path]) -> None:
    """Remove the oldest of earlier builds."""
    for folder in used:
        folder.touch()
    folders = sorted((f for f in keep.iterdir() if f.is_dir()), key=lambda f: f.stat().st_mtime, reverse=True)
    for folder in folders[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)

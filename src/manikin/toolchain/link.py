"""Last step of the build: the object files and the C trampoline, as one extension module. Needs a C compiler."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from manikin.toolchain.c_source import entries_h
from manikin.toolchain.levels import LEVELS, BuildError
from manikin.toolchain.signature import Signature

_HERE = Path(__file__).parent
#: Functions of the C library that the trampoline calls in their oldest version.
_OLDEST = ("exp", "exp2", "log", "log2", "pow", "fmod", "hypot")
#: Nothing is visible but what Python calls first.
_VISIBLE = "{ global: PyInit_*; local: *; };\n"


def compiler(level: str) -> list[str]:
    """The C compiler for this level: ``CC``, or cc, or the one that cross-compiles; [] where there is none."""
    machine = LEVELS[level].triple.split("-")[0]
    own = machine == os.uname().machine
    names = [os.environ.get("CC", ""), "cc", "gcc", "clang"] if own else [f"{machine}-linux-gnu-gcc"]
    for name in filter(None, names):
        command = shlex.split(name)
        if shutil.which(command[0]):
            return command
    return []


def can_link(level: str) -> str:
    """Why this level cannot be linked here; empty where it can."""
    if level not in LEVELS:
        return "there are no libraries for this kind of machine"
    if not compiler(level):
        return "there is no C compiler"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        return "there are no headers of Python (Python.h)"
    return ""


def link(objects: Sequence[Path], table: Mapping[str, Signature], level: str, digest: str, out: Path) -> None:
    """Write the extension module ``out`` (`_prebuilt_LEVEL.abi3.so`)."""
    trouble = can_link(level)
    if trouble:
        raise BuildError(f"the kernels' library for {level} cannot be linked: {trouble}")
    work = out.with_name(f".{out.name}.{os.getpid()}")
    work.mkdir(parents=True)
    try:
        (work / "entries.h").write_text(entries_h(table, digest))
        include = [f"-I{path}" for path in (work, sysconfig.get_paths()["include"], np.get_include())]
        defines = [f"-DLEVEL={level}"] + ([f"-DCPU_LEVEL={level[1:]}"] if level.startswith("v") else [])
        (work / "visible").write_text(_VISIBLE)
        linking = [f"-Wl,--version-script={work / 'visible'}", *(f"-Wl,--wrap={name}" for name in _OLDEST)]
        flags = [
            "-O2",
            "-Wall",
            "-Werror=implicit-function-declaration",
            "-shared",
            "-fPIC",
            "-fvisibility=hidden",
            "-ffunction-sections",
            "-s",
            "-Wl,--gc-sections",
        ]
        command: list[str | Path] = [*compiler(level), *flags, *linking, *defines, *include]
        command += [_HERE / "trampoline.c", *objects, "-lm", "-o", work / "library"]
        subprocess.run(command, check=True, capture_output=True, text=True)
        (work / "library").replace(out)
    except subprocess.CalledProcessError as error:
        raise BuildError(
            f"the kernels' library for {level} cannot be linked:\n{error.stderr.strip()}"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)

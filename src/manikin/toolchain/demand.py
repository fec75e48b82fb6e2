"""Entries compiled when they are first called: for an installation without a library that fits, and for developing.

The code is made in a process of its own as the library's is, kept in the same folder, loaded by llvmlite and called
through the same C interface. A call takes some microseconds where the library's take a tenth of one.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from operator import index
from pathlib import Path
from struct import error as StructError, pack, unpack
from threading import Lock
from typing import Any

import numpy as np

from manikin.errors import MissingExtraError
from manikin.toolchain import build
from manikin.toolchain.catalogue import entries
from manikin.toolchain.digest import file_of, key
from manikin.toolchain.levels import BuildError, own_level
from manikin.toolchain.parts import parts
from manikin.toolchain.signature import Argument, signature, symbol

_Words = ctypes.POINTER(ctypes.c_int64)
_CODE = ctypes.CFUNCTYPE(ctypes.c_int, _Words, _Words)
_lock = Lock()
#: Modules from outside of the package that add to the registries of kernels, and their files.
_registered: dict[str, Path] = {}
_said = False


class Entry:
    """An entry that is compiled when it is first called."""

    def __init__(self, function: Any, text: str) -> None:
        self.key, self.signature = key(function), signature(text)
        self._own = {} if self.key in entries() else {function.__module__: file_of(function)}
        self.__name__, self.__doc__, self.__module__ = (
            function.__name__,
            function.__doc__,
            function.__module__,
        )
        self._code: Any = None

    def __call__(self, *args: Any) -> Any:
        """As the library's entries: arrays and numbers in, numbers out."""
        takes, gives = self.signature
        if len(args) != len(takes):
            raise TypeError(f"{self.__name__} takes {len(takes)} arguments, not {len(args)}")
        words: list[int] = []
        for place, (argument, given) in enumerate(zip(takes, args, strict=True), 1):
            found = _array(given, argument) if argument.axes else _number(given, argument)
            if found is None:
                raise TypeError(f"{self.__name__}: argument {place} is to be {argument.said()}")
            words += found
        results = (ctypes.c_int64 * max(len(gives), 1))()
        if self.code((ctypes.c_int64 * len(words))(*words), results):
            raise RuntimeError(f"{self.__name__} failed")
        values = tuple(map(_given, results, gives))
        return values if len(gives) > 1 else values[0] if gives else None

    @property
    def code(self) -> Callable[[Any, Any], int]:
        """The compiled function (`private` says how it is called)."""
        if self._code is None:
            with _lock:
                if self._code is None:
                    _load(object_of(self.key, _registered | self._own))
                    self._code = _CODE(_engine().get_function_address(symbol(self.key)))
        return self._code


def _array(given: Any, wanted: Argument) -> list[int] | None:
    """Address and shape; None where it is no such array. Arrays that are read only may be read-only."""
    if not isinstance(given, np.ndarray) or given.ndim != wanted.axes or given.dtype != np.dtype(wanted.item):
        return None
    if not (given.flags.c_contiguous and given.flags.aligned):
        return None
    return [given.ctypes.data, *given.shape]


def _number(given: Any, wanted: Argument) -> list[int] | None:
    """Its 8 bytes; None where it is no such number."""
    try:
        if wanted.item == "f8":
            return list(unpack("q", pack("d", given)))
        number = int(bool(given)) if wanted.item == "b1" else index(given)
    except (TypeError, StructError):
        return None
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"{number} has more than 64 bits")
    return [number]


def _given(word: int, item: str) -> Any:
    """The number that a word means."""
    return unpack("d", pack("q", word))[0] if item == "f8" else bool(word) if item == "b1" else word


def add_outside(function: Any) -> None:
    """The module of this kernel adds to the registries: entries compiled from now on know it."""
    _registered[function.__module__] = file_of(function)


def object_of(name: str, outside: Mapping[str, Path]) -> Path:
    """The object file with this entry: that of its part if it was made, else its own, made now if it must be."""
    level, keep = own_level(), build.store()
    own = build.Part([name], keep, outside.values()).object(level)
    made = [build.Part(keys, keep).object(level) for keys in parts() if name in keys and not outside]
    for path in (*made, own):
        if path.is_file():
            return path
    _announce()
    command = [sys.executable, "-m", __package__, "--entry", name]
    command += [f"--outside={module}={file}" for module, file in outside.items()]
    found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **found})
    if done.returncode:
        raise BuildError(f"{name} cannot be compiled:\n{done.stderr.strip()}")
    return own


def _announce() -> None:
    """Say once why the very first solve takes seconds."""
    global _said
    if not _said:
        _said = True
        print(
            "manikin: compiling a part of the solver, once for this machine: some seconds "
            "(`manikin warmup` does all of it ahead)",
            file=sys.stderr,
            flush=True,
        )


def check_numba(why: str) -> None:
    """A `MissingExtraError` where Numba is not installed."""
    if find_spec("numba") is None or find_spec("llvmlite") is None:
        raise MissingExtraError(
            f'{why}, so Numba has to compile them, and it is not installed: pip install "manikin[jit]"'
        )


@cache
def _engine() -> Any:
    """What loads object files into this process."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _load(path: Path) -> None:
    """Load an object file, once."""
    import llvmlite.binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_path(str(path)))
    engine.finalize_object()

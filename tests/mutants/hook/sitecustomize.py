"""Compiles one module with its fault: `tests.mutants`."""

import os
import sys
from importlib.machinery import PathFinder, SourceFileLoader

_WHICH = os.environ.get("MANIKIN_MUTANT", "")
if _WHICH:
    _PATH, _, _NUMBER = _WHICH.rpartition(":")

    class _Loader(SourceFileLoader):
        def get_code(self, fullname):
            sys.path.insert(0, os.environ["MANIKIN_MUTANTS_FROM"])
            try:
                from tests.mutants.mutate import faulty
            finally:
                sys.path.pop(0)
            with open(self.path, encoding="utf-8") as file:
                return compile(faulty(file.read(), int(_NUMBER)), self.path, "exec")

    class _Finder:
        def find_spec(self, name, path=None, target=None):
            if not name.startswith("manikin"):
                return None
            found = PathFinder.find_spec(name, path, target)
            if found is not None and found.origin == _PATH:
                found.loader = _Loader(name, _PATH)
            return found

    sys.meta_path.insert(0, _Finder())

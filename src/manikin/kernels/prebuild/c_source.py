"""The generated part of the trampoline: a C function for each entry, which takes the arguments its letters tell."""

from __future__ import annotations

import re
from collections.abc import Mapping

from manikin.kernels.prebuild.names import ARRAYS, Signature, symbol

_DTYPES = {letter: dtype for dtype, letter in ARRAYS.items()}
_NUMBERS = {
    "f": ("take_real", "a number"),
    "i": ("take_integer", "a whole number"),
    "b": ("take_truth", "true or false"),
}
#: What a search takes and gives, to which targets may be handed in one call (`follow`): its table, a start, a block,
#: how patient it is, and how far away it begins elsewhere.
SEARCH = Signature("q1d1d1if", "i")
#: The same of what says where a search begins: its table, a network and its workspace, targets, the start, where to.
BEFORE = Signature("q1e1e1d1d1d1", "i")
#: The same of what verifies where a search ended: its table, the end, the anchor, targets, whether that is placed.
CHECK = Signature("q1d1d1d1i", "i")
_RESULTS = {"f": "real({})", "i": "PyLong_FromLongLong({})", "b": "PyBool_FromLong({} != 0)"}


def entries_h(table: Mapping[str, Signature], digest: str) -> str:
    """The whole of ``entries.h``."""
    lines = [f'#define DIGEST "{digest}"', ""]
    for key, signature in sorted(table.items()):
        lines += [*_function(key, signature), ""]
    rows = [f'ENTRY({symbol(key)}, "{key}", "{_name(key)}")' for key in sorted(table)]
    lines.append("#define ALL_ENTRIES \\\n    " + " \\\n    ".join(rows))
    called = (SEARCH, BEFORE, CHECK)
    searches = [f'SEARCH({symbol(key)}, "{key}")' for key in sorted(table) if table[key] in called]
    lines.append(" \\\n    ".join(["#define ALL_SEARCHES", *searches]))
    return "\n".join([*lines, ""])


def _name(key: str) -> str:
    return key.rsplit(".", 1)[1]


def _function(key: str, signature: Signature) -> list[str]:
    """One entry: take, run, give."""
    name, arguments = _name(key), re.findall(r"\D\d|[fib]", signature.takes)
    checks, words = [], 0
    for place, letters in enumerate(arguments):
        where = f"args[{place}]"
        if letters[0] in _DTYPES:
            dtype, axes = _DTYPES[letters[0]], int(letters[1])
            call = f"take_array({where}, OF_{dtype.upper()}, {axes}, words + {words})"
            wanted = f"an array of {dtype} with {axes} axes, in C order"
            words += 1 + axes
        else:
            function, wanted = _NUMBERS[letters]
            call = f"{function}({where}, words + {words})"
            words += 1
        checks.append(f'    if (!LIKELY({call}))\n        return wrong("{name}", {place + 1}, "{wanted}");')
    results = [_RESULTS[letter].format(f"results[{k}]") for k, letter in enumerate(signature.gives)]
    return [
        f"extern int {symbol(key)}(const int64_t *, int64_t *);",
        f"static PyObject *call_{symbol(key)}(PyObject *self, PyObject *const *args, Py_ssize_t count)",
        "{",
        f"    int64_t words[{max(words, 1)}], results[{max(len(results), 1)}];",
        f"    if (!LIKELY(count == {len(arguments)}))",
        f'        return wrong_count("{name}", {len(arguments)}, count);',
        *checks,
        f"    RUN({symbol(key)})",
        "    if (!LIKELY(status == 0))",
        f'        return failed("{name}");',
        *_give(results),
        "}",
    ]


def _give(results: list[str]) -> list[str]:
    """Return what is returned: nothing, one number, or several."""
    if not results:
        return ["    return Py_NewRef(Py_None);"]
    if len(results) == 1:
        return [f"    return {results[0]};"]
    return [
        f"    PyObject *parts[] = {{{', '.join(results)}}};",
        f"    return together({len(results)}, parts);",
    ]

"""The generated part of the trampoline: a C function for each entry, which takes the arguments its letters tell."""

from __future__ import annotations

from collections.abc import Mapping

from manikin.toolchain.signature import Signature, signature, symbol

_TAKE = {"f8": "take_real", "i8": "take_integer", "b1": "take_truth"}
#: What a search takes and gives, to which targets may be handed in one call (`follow`): its table, a start, a block,
#: how patient it is, and how far away it begins elsewhere.
SEARCH = signature("i8[:], f8[:], f8[:], i8, f8 -> i8")
#: The same of what says where a search begins: its table, a network and its workspace, targets, the start, where to.
BEFORE = signature("i8[:], f4[:], f4[:], f8[:], f8[:], f8[:] -> i8")
#: The same of what verifies where a search ended: its table, the end, the anchor, targets, whether that is placed.
CHECK = signature("i8[:], f8[:], f8[:], f8[:], i8 -> i8")
_GIVE = {"f8": "real({})", "i8": "PyLong_FromLongLong({})", "b1": "PyBool_FromLong({} != 0)"}


def entries_h(table: Mapping[str, Signature], digest: str) -> str:
    """The whole of ``entries.h``."""
    lines = [f'#define DIGEST "{digest}"', ""]
    for key, declared in sorted(table.items()):
        lines += [*_function(key, declared), ""]
    rows = [f'ENTRY({symbol(key)}, "{key}", "{_name(key)}")' for key in sorted(table)]
    lines.append("#define ALL_ENTRIES \\\n    " + " \\\n    ".join(rows))
    called = (SEARCH, BEFORE, CHECK)
    searches = [f'SEARCH({symbol(key)}, "{key}")' for key in sorted(table) if table[key] in called]
    lines.append(" \\\n    ".join(["#define ALL_SEARCHES", *searches]))
    return "\n".join([*lines, ""])


def _name(key: str) -> str:
    return key.rsplit(".", 1)[1]


def _function(key: str, declared: Signature) -> list[str]:
    """One entry: take, run, give."""
    name, checks, words = _name(key), [], 0
    for place, argument in enumerate(declared.takes):
        item, axes = argument
        where = f"args[{place}], OF_{item.upper()}, {axes}" if axes else f"args[{place}]"
        call = f"{'take_array' if axes else _TAKE[item]}({where}, words + {words})"
        checks.append(
            f'    if (!LIKELY({call}))\n        return wrong("{name}", {place + 1}, "{argument.said()}");'
        )
        words += 1 + axes
    results = [_GIVE[item].format(f"results[{k}]") for k, item in enumerate(declared.gives)]
    return [
        f"extern int {symbol(key)}(const int64_t *, int64_t *);",
        f"static PyObject *call_{symbol(key)}(PyObject *self, PyObject *const *args, Py_ssize_t count)",
        "{",
        f"    int64_t words[{max(words, 1)}], results[{max(len(results), 1)}];",
        f"    if (!LIKELY(count == {len(declared.takes)}))",
        f'        return wrong_count("{name}", {len(declared.takes)}, count);',
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

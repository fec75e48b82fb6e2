"""Every public name with its signature, as `public_names.txt` has it: a change to it is a change under review.

After a change that is meant: ``python -m tests.test_public_names``.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest

import manikin as mk

SNAPSHOT = Path(__file__).with_name("public_names.txt")
MODULES = (
    *(
        "manikin",
        "manikin.figure",
        "manikin.figure.human",
        "manikin.formats",
        "manikin.goals",
        "manikin.markers",
    ),
    *(
        "manikin.motion",
        "manikin.pictures",
        "manikin.problem",
        "manikin.reach",
        "manikin.result",
        "manikin.retargeting",
    ),
)


def listed() -> list[str]:
    """A line for each public name, with its signature, and for each public method of a class."""
    lines = []
    for module in MODULES:
        found = importlib.import_module(module)
        for name in sorted(getattr(found, "__all__", ())):
            value = getattr(found, name)
            lines.append(f"{module}.{name}{_signature(value)}")
            if module != "manikin" and inspect.isclass(value):
                lines += [
                    f"{module}.{name}.{key}{_signature(member)}"
                    for key, member in sorted(vars(value).items())
                    if not key.startswith("_") and callable(member)
                ]
    return lines


def _signature(value: object) -> str:
    """The arguments by name, with their kinds; defaults and types are left to the type checker."""
    if not callable(value):
        return ""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(…)"
    shown, keyword = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not keyword:
            keyword = True
            shown.append("*")
        keyword |= p.kind is p.VAR_POSITIONAL
        prefix = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        shown.append(f"{prefix}{p.name}{'' if p.default is p.empty else '='}")
    return f"({', '.join(shown)})"


def test_public_names_and_signatures_change_under_review_only():
    assert listed() == SNAPSHOT.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("word", "here"),
    [
        ("load_urdf", "load"),
        ("FrameTask", "Placement"),
        ("KeepFeet", "Pin"),
        ("Sphere", "Ball"),
        ("solve_batch", "solve_many"),
    ],
)
def test_the_peers_words_are_answered_with_the_name_that_is_here(word, here):
    with pytest.raises(AttributeError, match=f"manikin has no {word!r}; here it is {here!r}"):
        getattr(mk, word)


def test_a_misspelt_name_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match="did you mean 'Position'"):
        mk.Positoin  # noqa: B018


def test_hints_name_what_is_there():
    from manikin.hints import WORDS

    for here in WORDS.values():
        first = here.split(",")[0]
        if first.replace(".", "").replace("_", "").isalnum():
            found = mk
            for part in first.split("."):
                found = getattr(found, part)
    for names in WORDS:
        assert not set(names.split()) & set(mk.__all__)


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join(listed()) + "\n", encoding="utf-8")

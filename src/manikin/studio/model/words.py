"""The solver's explanation as the studio shows it."""

from __future__ import annotations

from manikin.goals import Pin
from manikin.studio.model.document import Document


def in_words(document: Document, explanation: str) -> str:
    """The explanation in plain names: what is pinned and stays is one line, and what is for scripts is left out."""
    pins = [entry.goal.site for entry in document.goals if entry.active and isinstance(entry.goal, Pin)]
    kept = [
        name
        for name in pins
        if not any(line.startswith(f"{name} misses") for line in explanation.splitlines())
    ]
    lines = [
        line
        for line in explanation.splitlines()
        if not any(line.startswith(f"{name} reaches") for name in kept) and "restarts=" not in line
    ]
    if kept:
        lines.append(f"Pinned, and where they were: {', '.join(kept)}.")
    return "\n".join(_sentence(_plain(line, document)) for line in lines)


def _plain(line: str, document: Document) -> str:
    """Names of sites and joints without underscores."""
    figure = document.figure
    return " ".join(
        word.replace("_", " ")
        if word.strip(",.;:()") in figure.sites or word.strip(",.;:()") in figure.dofs
        else word
        for word in line.split(" ")
    )


def _sentence(line: str) -> str:
    return line[:1].upper() + line[1:]

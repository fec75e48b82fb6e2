"""The solver's explanation as the studio shows it."""

from __future__ import annotations

from manikin.goals import Goal, Pin
from manikin.result import Solution
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
        if not any(line.startswith((f"{name} reaches", f"{name} stays")) for name in kept)
        and "restarts=" not in line
    ]
    if kept:
        lines.append(f"Pinned, and where they were: {', '.join(kept)}.")
    return "\n".join(_sentence(_plain(line, document)) for line in lines)


def why_short(document: Document, what: str, solution: Solution, led: list[Goal]) -> str:
    """How far what is held stays behind the hand, and why; nothing where it is there."""
    missed = [
        miss
        for miss in solution.measured
        if not miss.reached and miss.unit == "m" and any(miss.goal is g for g in led)
    ]
    if not missed:
        return ""
    worst = max(missed, key=lambda miss: miss.amount)
    line = next((line for line in solution.explain([worst.goal]).splitlines() if " misses " in line), "")
    reason = line.partition(": ")[2] or "nothing nearby is better."
    far = f"{100.0 * worst.amount:.1f} cm" if worst.amount >= 0.01 else f"{1000.0 * worst.amount:.1f} mm"
    stay = "stay" if what.endswith("s") else "stays"
    return f"{_sentence(what)} {stay} {far} behind: {_plain(reason, document)}"


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

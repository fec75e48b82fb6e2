"""The short help, shown once."""

from __future__ import annotations

#: Command, key, modifier, what it does.
SHORTCUTS: tuple[tuple[str, str, str | None, str], ...] = (
    ("undo", "Z", "cmd/ctrl", "Undo"),
    ("redo", "Z", "cmd/ctrl+shift", "Redo"),
    ("save", "S", "cmd/ctrl", "Save the scene"),
    ("help", "H", None, "Show this help"),
    ("add_goal", "G", None, "Add a position goal where the chosen part is"),
    ("delete", "delete", None, "Delete the chosen goal or thing"),
    ("key", "K", None, "Add a key frame"),
    ("play", "space", None, "Play or stop"),
    ("feet", "F", None, "Feet pinned, or not"),
    ("balance", "B", None, "Balance kept, or not"),
)


def help_text() -> str:
    """The help in Markdown."""
    names = {"cmd/ctrl": "Ctrl+", "cmd/ctrl+shift": "Ctrl+Shift+", None: ""}
    keys = "\n".join(
        f"| `{names[modifier]}{key[:1].upper() + key[1:]}` | {what} |" for _, key, modifier, what in SHORTCUTS
    )
    return f"""
**Drag any part of the figure** with the left button, a hand, a knee, the head, the hips: the rest follows, the feet
stay, the balance holds. Drag beside the figure to look around, with the right button to shift, with the wheel to go
nearer.

**A seat and a table?** *Pose → Preset → sit at a table.* Then drag the hand to what it should reach.

**To keep a hand somewhere**, click it, then *Goals → Add goal* (or press G). Drag the hand, or the gizmo, and the goal
goes with it. Green is met; orange and red is missed, with a line as long as the miss and the reason in words.

**A thing in the room:** *Room → Add thing*, then its gizmo. **A joint by its angle:** *Joints*. **Another person:**
*Body*. **Poses over time:** *Keys*. **Save, pictures, video, web page:** *File*. All is kept while you work; nothing is
lost when you close the window.

| key | |
|---|---|
{keys}
"""

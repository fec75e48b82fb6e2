"""The short help, shown once."""

from __future__ import annotations

#: Command, key, modifier, what it does.
SHORTCUTS: tuple[tuple[str, str, str | None, str], ...] = (
    ("undo", "Z", "cmd/ctrl", "Undo"),
    ("redo", "Z", "cmd/ctrl+shift", "Redo"),
    ("save", "S", "cmd/ctrl", "Save the scene"),
    ("help", "H", None, "Help"),
    ("add_goal", "G", None, "Add a goal on the chosen part"),
    ("delete", "delete", None, "Delete what is chosen"),
    ("key", "K", None, "Add a key frame"),
    ("play", "space", None, "Play or stop"),
    ("pin", "P", None, "Pin the chosen part, or unpin it"),
    ("orient", "O", None, "The chosen hand or foot keeps its direction, or not"),
    ("feet", "F", None, "Feet pinned, or not"),
    ("balance", "B", None, "Balance kept, or not"),
)


def help_text() -> str:
    """The help in Markdown."""
    names = {"cmd/ctrl": "Ctrl+", "cmd/ctrl+shift": "Ctrl+Shift+", None: ""}
    keys = " · ".join(
        f"`{names[modifier]}{key[:1].upper() + key[1:]}` {what[:1].lower() + what[1:]}"
        for _, key, modifier, what in SHORTCUTS
    )
    return f"""
**Drag any part of the figure**, or its handle: the rest follows, the feet stay, the balance holds. Hips go down into a
squat, sideways onto a foot, up onto the toes. Drag beside the figure to look around, with the right button to shift,
wheel to go nearer. **Click a handle** to turn its part by rings, the **pin** beside it to keep it where it is.

**A seat and a table?** *Pose → Preset → sit at a table.* Then drag a hand to what it should reach.

**To keep a hand somewhere**, click it, then *Goals → Add goal* (or press G). Drag the hand, or the gizmo. Green is met;
orange and red is missed, with a line as long as the miss, and the reason in words.

*Room*: things · *Joints*: angles · *Body*: another person · *Keys*: poses over time · *Reach*: what can be reached ·
*File*: save, picture, video, web page. All is kept while you work.

{keys}
"""

"""What notebooks ask for: HTML that can be turned, and a PNG for where scripts are not run."""

from __future__ import annotations

import html as escaping
from typing import TYPE_CHECKING, Any

import numpy as np

from manikin.errors import ManikinError, MissingExtraError
from manikin.notebook.page import page

if TYPE_CHECKING:
    from manikin.notebook.page import Subject
    from manikin.result import Solution

WIDTH, HEIGHT = 560, 480
#: Of a thousandth.
_UNITS = {"m": "mm", "rad": "mrad"}


def html(subject: Subject) -> str:
    """The page in a frame of its own, which runs its scripts and reaches nothing else; a solution's misses below."""
    from manikin.result import Solution

    inside = escaping.escape(page(subject), quote=True)
    frame = (
        f'<iframe srcdoc="{inside}" sandbox="allow-scripts" width="{WIDTH}" height="{HEIGHT}" '
        'style="border:0;max-width:100%" loading="lazy"></iframe>'
    )
    return frame + (_misses(subject) if isinstance(subject, Solution) else "")


def png(subject: Any) -> bytes | None:
    """A picture, of a motion five moments of it; None without the extra ``pictures``."""
    from manikin.motion.motion import Motion

    try:
        from manikin.pictures import picture, strip
        from manikin.pictures.png import png_bytes

        if isinstance(subject, Motion):
            image = strip(subject, size=(120, 200), quality="draft")
        else:
            image = picture(subject, size=(420, 360), quality="draft", meshes="skip")
    except MissingExtraError:
        return None
    except ManikinError:  # nothing that can be drawn: a figure of one point
        return None
    return png_bytes(np.asarray(image))


def _misses(solution: Solution) -> str:
    rows = "".join(
        f"<tr><td style='text-align:left'>{escaping.escape(miss.goal.label())}</td>"
        f"<td>{'reached' if miss.reached else 'missed'}</td>"
        f"<td>{1e3 * miss.amount:.3g} {_UNITS.get(miss.unit, miss.unit)}</td></tr>"
        for miss in solution.measured
    )
    words = escaping.escape(solution.explain()).replace("\n", "<br>")
    return (
        f"<details{' open' if not solution.reached else ''}><summary>{escaping.escape(repr(solution))}</summary>"
        f"<table><tr><th>goal</th><th></th><th>miss</th></tr>{rows}</table><p>{words}</p></details>"
    )

"""A study as one page of HTML that needs nothing else: numbers, a plot, the table of points."""

from __future__ import annotations

import base64
import html
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from manikin.files import whole_file
from manikin.reach.drawing import plot_study

if TYPE_CHECKING:
    from manikin.reach.outcome import Study

_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}"
    "img{max-width:100%}"
)


def write_report(found: Study, path: str | os.PathLike[str], title: str = "Who can reach what") -> None:
    """Write the page, whole or not at all."""
    told = found.to_dict()
    with tempfile.TemporaryDirectory() as folder:
        plot = Path(folder) / "plot.png"
        plot_study(found, plot)
        image = base64.b64encode(plot.read_bytes()).decode()
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td>{value:.3f}</td>" for value in row["point"])
        + f"<td>{100 * row['share']:.1f}</td><td>{100 * row['open']:.1f}</td>"
        + f"<td>{100 * row['interval'][0]:.1f} – {100 * row['interval'][1]:.1f}</td>"
        + f"<td>{1000 * row['mean_miss']:.0f}</td><td>{html.escape((row['decides'] or '').replace('_', ' '))}</td></tr>"
        for row in told["points"]
    )
    best = ", ".join(f"{value:.3f}" for value in told["best"]["point"])
    people = f"{told['people']} people, {told['women']} of them women"
    decides = (told["decides"] or "nothing, all or none reach them").replace("_", " ")
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>
<h1>{html.escape(title)}</h1>
<p>{people}, drawn from the statistics of ANSUR II; {len(told["points"])} points, {html.escape(told["site"])},
from the posture “{html.escape(told["posture"])}”.</p>
<ul><li>{100 * told["all_points"]:.1f} % reach all points.</li>
<li>The best place is ({best}) m: {100 * told["best"]["share"]:.1f} % reach it.</li>
<li>Over all points the measure that decides most is: {html.escape(decides)}.</li></ul>
<img alt="share of people at each point" src="data:image/png;base64,{image}">
<table><thead><tr><th>x (m)</th><th>y (m)</th><th>z (m)</th><th>share (%)</th><th>not found (%)</th>
<th>95 % interval</th><th>mean miss of the others (mm)</th><th>decides</th></tr></thead><tbody>
{rows}
</tbody></table>
</body></html>
"""
    with whole_file(path) as beside:
        beside.write_text(page, encoding="utf-8")

"""`manikin info`: what is in a figure's file."""

from __future__ import annotations

import math
import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, errors_in_a_line, plain_table, print_json

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

    from manikin.figure import Figure
    from manikin.figure.joint import Joint
    from manikin.formats.contents import Contents
    from manikin.motion.motion import Motion


class Base(StrEnum):
    """How a figure's root stands in the world."""

    fixed = "fixed"
    free = "free"
    planar = "planar"


Unit = Annotated[
    str | None,
    typer.Option(help="What one unit of a BVH file is: m, cm, mm, inch, cmu, or a number of metres."),
]
Up = Annotated[str | None, typer.Option(help="The vertical axis of a BVH file: y or z.")]


def info(
    figure: Annotated[str, typer.Argument(help='A figure\'s file, as URDF, MJCF, BVH or glTF, or "human".')],
    base: Annotated[Base | None, typer.Option(help="How its root stands in the world.")] = None,
    unit: Unit = None,
    up: Up = None,
    json: AsJson = False,
) -> None:
    """Show a figure: its tree, its degrees of freedom with their ranges, its sites, its mass and its clips."""
    with errors_in_a_line():
        from manikin.cli.convert import number, options
        from manikin.figure.human import human
        from manikin.formats import read
        from manikin.formats.contents import Contents

        given = {"base": None if base is None else base.value, "unit": number(unit), "up": up}
        if figure == "human":
            contents = Contents(human() if base is None else human(base=base.value))
        else:
            contents = read(figure, **options(Path(figure), "read", given))
    if json:
        print_json(
            {
                **contents.figure.describe(),
                "clips": [clip_entry(clip) for clip in contents.clips],
                "skins": [
                    {"name": skin.name, "vertices": len(skin.vertices), "triangles": len(skin.triangles)}
                    for skin in contents.skins
                ],
                "humanoid": dict(contents.humanoid),
                "notes": [note.to_dict() for note in contents.notes],
            }
        )
    else:
        print_figure(contents.figure)
        print_more(contents)


def clip_entry(clip: Motion) -> dict[str, Any]:
    """A clip in a few numbers; the rate is None where its frames are not even in time."""
    from manikin.formats.posed import even_step

    step = even_step(clip.times) if len(clip.times) > 1 else None
    return {
        "name": clip.name,
        "frames": len(clip.times),
        "seconds": float(clip.times[-1] - clip.times[0]),
        "rate": None if step is None else 1.0 / step,
    }


def print_more(contents: Contents) -> None:
    """Print clips, skins and notes."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    if contents.clips:
        table = plain_table(
            "clip", "frames", "seconds", "a second", numbers=("frames", "seconds", "a second")
        )
        for clip in contents.clips:
            entry = clip_entry(clip)
            rate = "–" if entry["rate"] is None else f"{entry['rate']:.5g}"
            table.add_row(entry["name"], str(entry["frames"]), f"{entry['seconds']:.4g}", rate)
        console.print("", table, sep="\n")
    if contents.skins:
        triangles = sum(len(skin.triangles) for skin in contents.skins)
        console.print(f"\n{len(contents.skins)} skins, {triangles} triangles")
    if contents.notes:
        console.print()
    for note in contents.notes:
        console.print(f"{note.kind}: {note}", soft_wrap=True)


def print_figure(figure: Figure) -> None:
    """Print the tree and the tables of a figure."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    counts = f"{len(figure.segments)} segments, {figure.n} degrees of freedom"
    console.print(f"{figure.name}: {counts}, {figure.mass:.6g} kg\n")
    console.print(segment_tree(figure))
    console.print("", dof_table(figure), sep="\n")
    ties = tie_table(figure)
    if ties.row_count:
        console.print("", ties, sep="\n")
    sites = site_table(figure)
    if sites.row_count:
        console.print("", sites, sep="\n")
    console.print("\nEvery segment is also a site of the same name.")


def segment_tree(figure: Figure) -> Tree:
    """The segments as a tree, each with the joint that carries it."""
    from rich.text import Text
    from rich.tree import Tree

    children: dict[str, list[Joint]] = {}
    for joint in figure.joints.values():
        children.setdefault(joint.parent, []).append(joint)
    carried = {joint.child for joint in figure.joints.values()}
    names = dict.fromkeys([*children, *figure.segments])
    top = Tree(Text(figure.name), hide_root=True)
    waiting = [(top.add(Text(name)), name) for name in names if name not in carried]
    while waiting:
        branch, name = waiting.pop()
        for joint in children.get(name, ()):
            motion = re.sub(r"\b(\d+)\.0\b", r"\1", joint.motion)
            label = Text.assemble(
                joint.child, (f"  {joint.name}: {motion}", "dim"), no_wrap=True, overflow="ellipsis"
            )
            waiting.append((branch.add(label), joint.child))
    return top


def dof_table(figure: Figure) -> Table:
    """The degrees of freedom: range, rest and greatest speed, in degrees or metres."""
    table = plain_table(
        "degree of freedom",
        "unit",
        "from",
        "to",
        "rest",
        "speed/s",
        numbers=("from", "to", "rest", "speed/s"),
    )
    for name in figure.dofs:
        dof = figure.dof(name)
        scale, unit = (math.degrees(1.0), "°") if dof.unit == "rad" else (1.0, dof.unit)
        values = (dof.lower, dof.upper, dof.rest, dof.velocity)
        table.add_row(
            name, unit, *(f"{scale * value:.5g}" if math.isfinite(value) else "–" for value in values)
        )
    return table


def tie_table(figure: Figure) -> Table:
    """What ties degrees of freedom together: followers, couplings, cones and loops, in radians and metres."""
    table = plain_table("follower or coupling", "relation")
    for name, follow in figure.followers.items():
        terms = [f"{c:.4g}*{driver}" for driver, c in follow.coefficients.items()]
        constant = [f"{follow.offset:.4g}"] if follow.offset or not terms else []
        table.add_row(name, f"= {' + '.join([*terms, *constant])}")
    for coupling in figure.couplings:
        table.add_row(coupling.name or "coupling", str(coupling))
    for cone in figure.cones:
        sides = [
            f"(({figure.dofs[place]} - {center:.4g})/{radius:.4g})²"
            for place, center, radius in zip(cone[:2], cone[2:4], cone[4:], strict=True)
        ]
        joint = figure.dof(figure.dofs[cone.first]).joint
        table.add_row(f"{joint}_swing", f"{' + '.join(sides)} <= 1")
    for loop in figure.loops:
        table.add_row(f"loop {loop.name}", f"{loop.kind} of {loop.site} = {loop.kind} of {loop.other}")
    return table


def site_table(figure: Figure) -> Table:
    """The sites beside the segments themselves: their segments and where they are on them."""
    table = plain_table("site", "segment", "x (m)", "y (m)", "z (m)", numbers=("x (m)", "y (m)", "z (m)"))
    for site in figure.sites.values():
        if site.name in figure.segments:
            continue
        table.add_row(site.name, site.segment, *(f"{value:.4g}" for value in site.placement[:3, 3]))
    return table

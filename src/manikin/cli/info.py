"""`manikin info`: what is in a figure's file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, Within, errors_in_a_line, plain_table, print_json
from manikin.errors import FormatError

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

    from manikin.figure import Figure
    from manikin.figure.joint import Joint
    from manikin.formats.contents import Contents
    from manikin.motion.motion import Motion


#: Columns from which on relations stand beside their names.
_WIDE = 100


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
    figure: Annotated[
        str | None, typer.Argument(help='A figure\'s file, as URDF, MJCF, BVH or glTF, or "human".')
    ] = None,
    base: Annotated[Base | None, typer.Option(help="How its root stands in the world.")] = None,
    unit: Unit = None,
    up: Up = None,
    goals: Annotated[bool, typer.Option("--goals", help="List the goals.")] = False,
    presets: Annotated[bool, typer.Option("--presets", help="List the postures of the human.")] = False,
    methods: Annotated[bool, typer.Option("--methods", help="List the methods of a solve.")] = False,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats of files.")] = False,
    marker_sets: Annotated[bool, typer.Option("--marker-sets", help="List the marker sets.")] = False,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Show a figure: its tree, degrees of freedom with their ranges, sites, mass and clips; or list what there is."""
    with errors_in_a_line():
        asked = {
            "goals": goals,
            "presets": presets,
            "methods": methods,
            "formats": formats,
            "marker_sets": marker_sets,
        }
        if any(asked.values()):
            _print_lists({name: lists()[name] for name, wanted in asked.items() if wanted}, as_json=json)
            return
        if figure is None:
            raise FormatError(
                f'info: give a figure\'s file, "human", or one of {", ".join(map(option, asked))}'
            )
        from manikin.cli.convert import number, options
        from manikin.figure.human import human
        from manikin.formats import read
        from manikin.formats.contents import Contents

        given = {"base": None if base is None else base.value, "unit": number(unit), "up": up}
        if figure == "human":
            contents = Contents(human() if base is None else human(base=base.value))
        else:
            contents = read(figure, within=within, **options(Path(figure), "read", given))
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


def option(name: str) -> str:
    """The option of an argument: ``--marker-sets``."""
    return f"--{name.replace('_', '-')}"


def lists() -> dict[str, dict[str, str]]:
    """What there is of each kind: names, and a line about each."""
    from manikin.figure.human.presets import PRESETS
    from manikin.formats import suffixes
    from manikin.goals.registry import kinds
    from manikin.markers.landmarks import SETS
    from manikin.plan.methods import methods
    from manikin.plan.options import METHODS

    papers = {name: "a method of the papers (manikin.papers)" for name in methods()}
    own = {
        "auto": "the start, then other starts while a goal is missed",
        "lm": "damped least squares from the start",
    }
    return {
        "goals": {kind.__name__: (kind.__doc__ or "").strip().split("\n")[0] for kind in kinds().values()},
        "presets": dict.fromkeys(PRESETS, ""),
        "methods": {name: own[name] for name in METHODS} | papers,
        "formats": suffixes(),
        "marker_sets": {name: f"{len(labels)} markers" for name, labels in SETS.items()},
    }


def _print_lists(found: dict[str, dict[str, str]], *, as_json: bool) -> None:
    from rich.console import Console

    if as_json:
        print_json(found)
        return
    console = Console(highlight=False, markup=False)
    for name, entries in found.items():
        table = plain_table(name.replace("_", " "), "")
        for entry, about in entries.items():
            table.add_row(entry, about)
        console.print(table)


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
    ties = list(tie_rows(figure))
    if ties:
        console.print("", tie_table(ties) if console.width >= _WIDE else tie_list(ties), sep="\n")
    sites = site_table(figure)
    if sites.row_count:
        console.print("", sites, sep="\n")
    console.print("\nEvery segment is also a site of the same name.")


def segment_tree(figure: Figure) -> Tree:
    """The segments as a tree, each with the joint that carries it; a chain without branches is one block of lines."""
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
            chain = [joint]
            while len(following := children.get(chain[-1].child, [])) == 1:
                chain.append(following[0])
            label = Text("\n", no_wrap=True, overflow="ellipsis").join(_carried(link) for link in chain)
            waiting.append((branch.add(label), chain[-1].child))
    return top


def _carried(joint: Joint) -> Text:
    """A segment and the joint that carries it."""
    from rich.text import Text

    motion = re.sub(r"-?\b(\d+)\.0\b", lambda found: found[0].removesuffix(".0"), joint.motion)
    motion = motion.replace("-0,", "0,").replace("-0)", "0)")
    return Text.assemble(joint.child, (f"  {joint.name}: {motion}", "dim"))


def dof_table(figure: Figure) -> Table:
    """The degrees of freedom: range, rest and, where some have one, greatest speed, in degrees or metres."""
    speeds = any(math.isfinite(figure.dof(name).velocity) for name in figure.dofs)
    numbers = ("from", "to", "rest", *(("speed/s",) if speeds else ()))
    table = plain_table("degree of freedom", "unit", *numbers, numbers=numbers)
    for name in figure.dofs:
        dof = figure.dof(name)
        scale, unit = (math.degrees(1.0), "°") if dof.unit == "rad" else (1.0, dof.unit)
        values = (dof.lower, dof.upper, dof.rest, *((dof.velocity,) if speeds else ()))
        table.add_row(
            name, unit, *(f"{scale * value:.5g}" if math.isfinite(value) else "–" for value in values)
        )
    return table


def tie_table(ties: list[tuple[str, str]]) -> Table:
    """What ties degrees of freedom together, side by side."""
    table = plain_table("follower or coupling", "relation")
    for name, relation in ties:
        table.add_row(name, relation)
    return table


def tie_list(ties: list[tuple[str, str]]) -> Group:
    """The same for narrow terminals: each relation below its name."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    lines = [(Text(name), Padding(Text(relation), (0, 0, 0, 4))) for name, relation in ties]
    return Group("followers and couplings", *(part for pair in lines for part in pair))


def tie_rows(figure: Figure) -> Iterator[tuple[str, str]]:
    """Followers, couplings, cones and loops, each with its relation in radians and metres."""
    for name, follow in figure.followers.items():
        terms = [f"{c:.4g}*{driver}" for driver, c in follow.coefficients.items()]
        constant = [f"{follow.offset:.4g}"] if follow.offset or not terms else []
        yield name, f"= {' + '.join([*terms, *constant])}"
    for coupling in figure.couplings:
        yield coupling.name or "coupling", str(coupling)
    for cone in figure.cones:
        sides = [
            f"(({figure.dofs[place]} - {center:.4g})/{radius:.4g})²"
            for place, center, radius in zip(cone[:2], cone[2:4], cone[4:], strict=True)
        ]
        joint = figure.dof(figure.dofs[cone.first]).joint
        yield f"{joint}_swing", f"{' + '.join(sides)} <= 1"
    for loop in figure.loops:
        yield f"loop {loop.name}", f"{loop.kind} of {loop.site} = {loop.kind} of {loop.other}"


def site_table(figure: Figure) -> Table:
    """The sites beside the segments themselves: their segments and where they are on them."""
    table = plain_table("site", "segment", "x (m)", "y (m)", "z (m)", numbers=("x (m)", "y (m)", "z (m)"))
    for site in figure.sites.values():
        if site.name in figure.segments:
            continue
        table.add_row(site.name, site.segment, *(f"{value:.4g}" for value in site.placement[:3, 3]))
    return table

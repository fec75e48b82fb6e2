"""`manikin reach`: where a site of a figure reaches, as a map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, Within, duration, errors_in_a_line, print_json
from manikin.cli.progress import progress_bar

if TYPE_CHECKING:
    import xarray

    from manikin.figure import Figure, Pose
    from manikin.goals import Goal


def reach(
    figure: Annotated[
        str, typer.Argument(help='A figure\'s file, "human", or a scene file (TOML) with its goals.')
    ],
    site: Annotated[str, typer.Argument(help="The site that reaches.")],
    pitch: Annotated[float, typer.Option(help="Grid spacing, m.")] = 0.05,
    box: Annotated[
        str | None,
        typer.Option(help='Two corners, m: "x,y,z,x,y,z". Default: all that the free site can reach.'),
    ] = None,
    posture: Annotated[
        str | None, typer.Option(help="Posture of the human to start from: stand, sit, reach, kneel, t-pose.")
    ] = None,
    feet: Annotated[bool, typer.Option(help="Pin both feet and require balance (human only).")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the map to this Zarr folder.")
    ] = None,
    mesh: Annotated[
        Path | None, typer.Option(help="Write the zone's surface: .stl, .obj, .ply, .glb, .gltf.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Draw the zone on the figure to this PNG file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Plot the section at the zone's middle height.")] = None,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Map where a site reaches. The exit status is 0 if it reaches any point, 1 if none, 2 for an error."""
    with errors_in_a_line():
        from manikin.pictures.zone import picture_zone
        from manikin.reach.drawing import map_surface, plot_map
        from manikin.reach.map import reach_map

        pose, goals = _subject(figure, posture, feet, within)
        corners = _box(box, pose, site, goals, pitch)
        with progress_bar("points asked", shown=not json) as progress:
            found = reach_map(pose, site, (*corners, pitch), goals, path=output, progress=progress)
        any_reached = bool(found["reachable"].any())
        if mesh is not None and any_reached:
            map_surface(found).save(mesh)
        if picture is not None and any_reached:
            picture_zone(pose, map_surface(found, smooth=0.8), picture)
        if plot is not None:
            plot_map(found, plot)
        told = _told(found)
    if json:
        print_json(told)
    else:
        typer.echo(
            f"{site} of {told['figure']} reaches {told['reached']} of {told['points']} points, "
            f"{told['volume']:.3g} m³, in {duration(told['seconds'])}"
        )
    if not any_reached:
        raise typer.Exit(1)


def _subject(
    figure: str, posture: str | None, feet: bool, within: list[Path] | None
) -> tuple[Pose, list[Goal]]:
    """The pose to begin at, and the goals that hold besides."""
    from manikin.errors import FormatError
    from manikin.figure.human import human, preset
    from manikin.formats import load

    if figure.endswith(".toml"):
        from manikin.formats.scene import read_scene

        scene = read_scene(figure, within=within)
        goals: list[Any] = list(scene.goals)
        if any(isinstance(entry, list) for entry in goals):
            raise FormatError(f"{figure}: a map has no levels: leave 'level' out")
        return scene.start, goals
    body: Figure = human(fingers=False, spine="bend") if figure == "human" else load(figure, within=within)
    pose = body.pose() if posture is None else preset(body, posture)
    if not feet:
        return pose, []
    from manikin.goals import Balance, Pin

    return pose, [Pin("left_foot"), Pin("right_foot"), Balance()]


def _box(box: str | None, pose: Pose, site: str, goals: list[Goal], pitch: float) -> tuple[Any, Any]:
    """Two corners: as told, or about what the chain reaches with a base that stays."""
    import numpy as np

    from manikin.errors import SolveError
    from manikin.reach.voxels import drawn_poses, free_to_draw

    if box is not None:
        try:
            numbers = [float(part) for part in box.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != 6:
            raise SolveError(f"--box: six numbers with commas between them are wanted, got {box!r}")
        return numbers[:3], numbers[3:]
    figure = pose.figure
    figure.site(site)
    drawn = drawn_poses(figure, site, free_to_draw(figure, site, None, False), np.array(pose.q), 20_000, 0)
    places = figure.forward(drawn, [site])[:, 0, :3, 3]
    margin = 2.0 * pitch + (0.4 if goals else 0.0)
    return places.min(axis=0) - margin, places.max(axis=0) + margin


def _told(found: xarray.Dataset) -> dict[str, Any]:
    """The map in numbers, as JSON can hold it."""
    import numpy as np

    reached = np.asarray(found["reachable"])
    low = [float(found[axis][0]) for axis in "xyz"]
    high = [float(found[axis][-1]) for axis in "xyz"]
    return {
        "figure": str(found.attrs["figure"]),
        "site": str(found.attrs["site"]),
        "goals": str(found.attrs["goals"]),
        "pitch": float(found.attrs["pitch"]),
        "box": [low, high],
        "points": int(reached.size),
        "asked": int(found.attrs["asked"]),
        "reached": int(reached.sum()),
        "volume": float(reached.sum()) * float(found.attrs["pitch"]) ** 3,
        "seconds": float(found.attrs["seconds"]),
    }

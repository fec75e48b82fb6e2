"""`manikin markers`: a figure follows a marker file, or what a setup file of OpenSim's inverse kinematics says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manikin.cli.output import AsJson, Within, errors_in_a_line, plain_table, print_json

if TYPE_CHECKING:
    from manikin.markers.tracked import Tracked


def markers(
    file: Annotated[Path | None, typer.Argument(help="Markers: a .trc, .c3d or .csv file.")] = None,
    figure: Annotated[str, typer.Option(help="'human', or an OpenSim model (.osim).")] = "human",
    setup: Annotated[
        Path | None, typer.Option(help="A setup file of OpenSim's InverseKinematicsTool.")
    ] = None,
    scale: Annotated[
        Path | None, typer.Option(help="A setup file of OpenSim's ScaleTool, applied to the model first.")
    ] = None,
    marker_set: Annotated[
        str | None, typer.Option(help="The marker set's name, or a MarkerSet file; by default recognised.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The motion: .mot, .sto, .bvh, .glb, .npz.")
    ] = None,
    fit: Annotated[
        bool, typer.Option(help="Fit the human's segment lengths and marker places to the trial first.")
    ] = True,
    stature: Annotated[float | None, typer.Option(help="The human's stature before fitting, metres.")] = None,
    up: Annotated[str | None, typer.Option(help="The file's axis that points up: x, y or z.")] = None,
    cutoff: Annotated[float, typer.Option(help="Low pass of the markers, Hz; 0 for none.")] = 0.0,
    fill: Annotated[float, typer.Option(help="Fill gaps of up to this many seconds.")] = 0.0,
    rest: Annotated[
        float,
        typer.Option(help="Weight of the rest-posture prior, for coordinates that markers do not determine."),
    ] = 1e-4,
    multistart: Annotated[
        bool | None,
        typer.Option(
            help="Search each frame from several starts for a lower error. Default: on with an OpenSim setup file."
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads; frames are split into blocks.", min=1)] = 1,
    picture: Annotated[
        Path | None, typer.Option(help="Draw figure, markers and misses at five frames, to this PNG file.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot the marker errors to this file (PNG, SVG, PDF).")
    ] = None,
    within: Within = None,
    json: AsJson = False,
) -> None:
    """Compute joint angles from marker data, with the error of every marker."""
    with errors_in_a_line():
        result, about = _follow(
            file,
            figure,
            setup,
            scale,
            marker_set,
            fit,
            stature,
            up,
            cutoff,
            fill,
            rest,
            multistart,
            threads,
            within,
            json,
        )
        written = _write(result, about, output, picture, plot)
    data = {**result.summary(), **about["data"], "written": [str(path) for path in written]}
    if json:
        print_json(data)
        return
    _print(data)
    for path in written:
        typer.echo(f"written: {path}")


def _follow(
    file: Path | None,
    name: str,
    setup_file: Path | None,
    scale_file: Path | None,
    marker_set: str | None,
    fitted: bool,
    stature: float | None,
    up: str | None,
    cutoff: float,
    fill: float,
    rest: float,
    multistart: bool | None,
    threads: int,
    within: list[Path] | None,
    quiet: bool,
) -> tuple[Tracked, dict[str, Any]]:
    """The motion, and what there is to say of it besides: the model and what goes into the data."""
    from manikin.errors import FormatError
    from manikin.markers.markers import Markers

    setup = None
    if setup_file is not None:
        from manikin.formats.opensim.setup import read_tracking_setup

        setup = read_tracking_setup(setup_file, within=within)
    path = file
    if path is None and setup is not None and setup.marker_file is not None:
        path = setup.references.path(setup.marker_file, f"{setup_file}: <marker_file>")
    if path is None:
        raise FormatError("markers: give a marker file, or a setup file that names one")
    trial = Markers.load(path, **({} if up is None else {"up": up})).trimmed()
    trial = trial.filled(fill) if fill > 0.0 else trial
    trial = trial.filtered(cutoff) if cutoff > 0.0 else trial
    model_file = Path(name) if name != "human" else None
    if model_file is None and setup is not None and setup.model_file is not None:
        model_file = setup.references.path(setup.model_file, f"{setup_file}: <model_file>")
    with _Progress(quiet) as progress:
        if model_file is not None:
            return _with_model(
                model_file, trial, setup, scale_file, marker_set, rest, multistart, threads, within, progress
            )
        return _with_human(trial, marker_set, fitted, stature, rest, multistart, threads, progress)


def _with_human(
    trial: Any,
    marker_set: str | None,
    fitted: bool,
    stature: float | None,
    rest: float,
    multistart: bool | None,
    threads: int,
    progress: Any,
) -> tuple[Tracked, dict[str, Any]]:
    from manikin.figure.human import human
    from manikin.markers import Tracker, fit, marker_set as named, recognise

    body = human(stature, spine="bend", fingers=False)
    chosen = marker_set or recognise(trial.labels)
    places = named(body, chosen, trial.labels)
    data: dict[str, Any] = {"marker_set": chosen}
    if fitted:
        found = fit(body, places, trial, rest=rest, progress=progress.say("fitting"))
        body, places = found.figure, found.markers
        data["fit"] = found.summary()
    tracker = Tracker(body, places, rest=rest, multistart=bool(multistart))
    return tracker.track(trial, threads=threads, progress=progress.say("following")), {
        "data": data,
        "model": None,
    }


def _with_model(
    path: Path,
    trial: Any,
    setup: Any,
    scale_file: Path | None,
    marker_set: str | None,
    rest: float,
    multistart: bool | None,
    threads: int,
    within: list[Path] | None,
    progress: Any,
) -> tuple[Tracked, dict[str, Any]]:
    from manikin.errors import FormatError
    from manikin.formats.opensim import read_osim
    from manikin.markers import Tracker

    if path.suffix.lower() != ".osim":
        raise FormatError(f"{path}: markers are followed by 'human' or by an OpenSim model (.osim)")
    model = read_osim(path, markers=marker_set)
    if not model.markers:
        raise FormatError(
            f"{path}: the model has no markers of its own; give the file that has them (a MarkerSet of OpenSim's) as "
            "--marker-set"
        )
    data: dict[str, Any] = {"model": str(path)}
    if scale_file is not None:
        from manikin.formats.opensim.scale import scale
        from manikin.formats.opensim.setup import read_scale_setup

        scaled = scale(model, read_scale_setup(scale_file, within=within), trial)
        model = scaled.model
        data["factors"] = {name: factor.tolist() for name, factor in scaled.factors.items()}
    values: dict[str, Any] = {}
    if setup is not None:
        from manikin.formats.opensim.scale import pulled_values, tracker_for

        first, last = setup.times
        begin, end = float(trial.times[0]), float(trial.times[-1])
        if first <= end and last >= begin:
            trial = trial.between(max(first, begin), min(last, end))
        tracker = tracker_for(model, setup.tasks, multistart=multistart is not False)
        values = pulled_values(model, setup, trial.times)
    else:
        tracker = Tracker(
            model.figure, model.markers, rest=rest, multistart=bool(multistart), fixed=list(model.prescribed)
        )
    if model.prescribed:
        values |= {name: curve(trial.times) for name, curve in model.prescribed.items()}
    result = tracker.track(trial, values=values or None, threads=threads, progress=progress.say("following"))
    return result, {"data": data, "model": model}


def _write(
    result: Tracked, about: dict[str, Any], output: Path | None, picture: Path | None, plot: Path | None
) -> list[Path]:
    if output is not None:
        if about["model"] is not None and output.suffix.lower() in (".mot", ".sto"):
            from manikin.formats.opensim.storage import write_motion

            write_motion(output, about["model"], result.times, result.q)
        else:
            from manikin.formats import save

            save(result, output)
    if picture is not None:
        from manikin.pictures.markers import markers_picture

        markers_picture(result, picture)
    if plot is not None:
        result.plot(plot)
    return [path for path in (output, picture, plot) if path is not None]


def _print(data: dict[str, Any]) -> None:
    """Each marker's misses, then the whole in a line."""
    from rich.console import Console

    table = plain_table("marker", "rms", "greatest", "missing", numbers=("rms", "greatest", "missing"))
    for entry in data["markers"]:
        table.add_row(
            entry["label"],
            f"{1e3 * entry['rms']:.1f} mm",
            f"{1e3 * entry['greatest']:.1f} mm",
            str(entry["missing"]),
        )
    console = Console(highlight=False, soft_wrap=True)
    console.print(table)
    matched = data["labels"]
    console.print(
        f"\n{matched['followed']} of the {matched['measured']} labels of the capture are followed, "
        f"of {matched['known']} markers of the figure",
        markup=False,
    )
    if "fit" in data:
        fit = data["fit"]
        console.print(
            f"\nfitted: {1e3 * fit['rms_before']:.1f} mm before, {1e3 * fit['rms_after']:.1f} mm after",
            markup=False,
        )
    console.print(
        f"{data['frames']} frames, {data['seconds']:.2f} s: root mean square {1e3 * data['rms']:.1f} mm, worst "
        f"{data['worst']['marker']} {1e3 * data['worst']['miss']:.1f} mm; {data['frames_with_gaps']} frames with gaps; "
        f"{data['frames_per_second']:.0f} frames a second",
        markup=False,
    )


class _Progress:
    """A bar on stderr while it works, unless quiet or not on a screen."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.bar: Any = None

    def __enter__(self) -> _Progress:
        if not self.quiet:
            from rich.console import Console
            from rich.progress import Progress

            console = Console(stderr=True)
            if console.is_terminal:
                self.bar = Progress(console=console, transient=True)
                self.bar.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        if self.bar is not None:
            self.bar.__exit__(*problem)

    def say(self, what: str) -> Any:
        """A function of done and all, or None."""
        if self.bar is None:
            return None
        task, bar = self.bar.add_task(what), self.bar
        return lambda done, all_: bar.update(task, completed=done, total=all_)

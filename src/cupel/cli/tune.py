"""`cupel tune`: search for parameters of a metric that agree best with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import output
from cupel.cli.options import SEED, Form, Out, Pairs, Seed, Width, writable
from cupel.cli.output import Format
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.tuning import Tuned


def tune(
    metric: Annotated[
        str,
        typer.Argument(metavar="METRIC", help="Metric to tune: one with parameters, such as redp."),
    ],
    on: Annotated[
        list[str],
        typer.Option("--on", metavar="DATASET...", help="Datasets with human rankings to tune on."),
    ],
    goal: Annotated[
        str,
        typer.Option(
            metavar="GOAL",
            help="Agreement with people to maximize: of systems (sys), segments (seg) or both.",
        ),
    ] = "sys+seg",
    search: Annotated[
        str, typer.Option(metavar="METHOD", help="Search method: grid or genetic.")
    ] = "grid",
    pairs: Pairs = None,
    hold_out: Annotated[
        list[str] | None,
        typer.Option(
            "--hold-out",
            metavar="PAIR...",
            help="Language pairs that are only reported, not tuned on; `lines` holds out every "
            "fifth line of each pair.",
        ),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="NAME=FIRST:LAST:STEP...",
            help="Values to try for a parameter; NAME=VALUE keeps it fixed.",
            show_default="0.1 to 0.9",
        ),
    ] = None,
    subset: Annotated[
        list[str] | None,
        typer.Option(
            "--subset",
            metavar="NAME...",
            help="Parameters that the grid search tunes first.",
            show_default="the first half",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Largest number of rounds (grid) or generations (genetic).",
            show_default="8 for grid, 20 for genetic",
        ),
    ] = None,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="NAME", help="Save the result as a preset of this name."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a preset of the same name.")
    ] = False,
    seed: Seed = SEED,
    workers: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="Number of processes for features, and of threads for the search.",
        ),
    ] = 1,
    cache: Annotated[
        bool, typer.Option(help="Keep computed features in the cache for later runs.")
    ] = True,
    form: Form = Format.text,
    width: Width = 3,
    out: Out = None,
) -> None:
    """Search for the parameters of a metric that agree best with human judgments.

    Example: cupel tune redp --on wmt13 --goal sys+seg --hold-out fr-en --save mine
    """
    from cupel.presets import preset_path, save_preset
    from cupel.tuning import tune as tuned_by

    if save is not None:
        path = preset_path(save)
        if path.exists() and not force:
            raise CupelError(
                f"There is a preset {save!r} already ({path}): choose another name, or replace it "
                "with --force."
            )
        writable(path)
    tuned = tuned_by(
        metric,
        on,
        goal=goal,
        search=search,
        pairs=pairs,
        hold_out=hold_out or (),
        grids=grid or (),
        subset=subset or (),
        iterations=iterations,
        seed=seed,
        workers=workers,
        use_cache=cache,
        shown=output.progress_bar,
    )
    if save is not None:
        path = save_preset(save, tuned.preset())
        output.warn(f"Saved as {path}: use it as {tuned.metric}:preset={save}.")
    with output.output(out) as file:
        _print(tuned, form, width, file)


def _print(tuned: Tuned, form: Format, width: int, file: TextIO) -> None:
    if form in (Format.json, Format.tsv):
        output.records(
            tuned.rows(), form, file, parameters=tuned.parameters, start=dict(tuned.start),
            settings=tuned.result.tried, value=tuned.result.value,
        )  # fmt: skip
        if form is Format.tsv:
            output.warn(f"The best parameters: {tuned.spec}")
        return
    header = ["", "tau before", "after", "rho before", "after"]
    rows = []
    for one in tuned.compared:
        old, new = one.before, one.after
        cells = (old.segments, new.segments, old.systems, new.systems)
        name = f"{one.dataset} {one.pair}{' (held out)' if one.held_out else ''}"
        rows.append([name, *(f"{value:.{width}f}" for value in cells)])
    names = ["parameter", "before", "after"]
    values = [[name, f"{tuned.start[name]:g}", f"{v:g}"] for name, v in tuned.parameters.items()]
    output.print_table(header, rows, form, file)
    print(file=file)
    output.print_table(names, values, form, file)
    if form is Format.text:
        steps = ", ".join(f"{value:.4f}" for _, value in tuned.result.steps)
        print(
            f"\n{tuned.search} search for {tuned.goal}, {tuned.result.tried} settings; best after "
            f"each step: {steps}\n{tuned.spec}",
            file=file,
        )

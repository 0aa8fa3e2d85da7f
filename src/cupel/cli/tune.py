"""`cupel tune`: search for parameters of a metric that agree best with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.questions.tune import Tune
    from cupel.tuning import Tuned


def run(question: Tune) -> None:
    """Search, save a preset where that is asked for, and print."""
    from cupel.folders import check_writable
    from cupel.presets import preset_path, save_preset

    if question.save is not None:
        path = preset_path(question.save)
        if path.exists() and not question.force:
            raise CupelError(
                f"There is a preset {question.save!r} already ({path}): choose another name, or "
                "replace it with --force."
            )
        check_writable(path)
    tuned = answer(question)
    if question.save is not None:
        path = save_preset(question.save, tuned.preset())
        output.warn(f"Saved as {path}: use it as {tuned.metric}:preset={question.save}.")
    with output.output(question.file) as file:
        _print(tuned, question, file)


def answer(question: Tune) -> Tuned:
    """The parameters that agree best with people, and the way there."""
    from cupel.tuning import tune

    names = (
        "metric on goal search pairs hold_out grids subset iterations seed workers use_cache"
    ).split()
    return tune(**{name: getattr(question, name) for name in names}, shown=output.progress_bar)


def _print(tuned: Tuned, question: Tune, file: TextIO) -> None:
    form = question.format
    if form in ("json", "tsv"):
        output.records(
            tuned.rows(), form, file, parameters=tuned.parameters, start=dict(tuned.start),
            settings=tuned.result.tried, value=tuned.result.value,
        )  # fmt: skip
        if form == "tsv":
            output.warn(f"The best parameters: {tuned.spec}")
        return
    header = ["", "tau before", "after", "rho before", "after"]
    rows = []
    for entry in tuned.compared:
        old, new = entry.before, entry.after
        cells = (old.segments, new.segments, old.systems, new.systems)
        name = f"{entry.dataset} {entry.pair}{' (held out)' if entry.held_out else ''}"
        rows.append([name, *(f"{value:.{question.width}f}" for value in cells)])
    names = ["parameter", "before", "after"]
    values = [[name, f"{tuned.start[name]:g}", f"{v:g}"] for name, v in tuned.parameters.items()]
    output.print_table(header, rows, form, file)
    print(file=file)
    output.print_table(names, values, form, file)
    if form == "text":
        steps = ", ".join(f"{value:.4f}" for _, value in tuned.result.steps)
        print(
            f"\n{tuned.search} search for {tuned.goal}, {tuned.result.tried} settings; best after "
            f"each step: {steps}\n{tuned.spec}",
            file=file,
        )

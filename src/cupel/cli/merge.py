"""`cupel merge`: the parts of a large run into its result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cupel.cli import meanings, sacrebleu
from cupel.cli import score_options as options
from cupel.cli.options import SEED, Form, Out, Seed
from cupel.cli.output import Format
from cupel.cli.printing import Printing
from cupel.cli.scale import segment_stream
from cupel.errors import CupelError


def merge(
    parts: Annotated[
        list[Path],
        typer.Argument(metavar="PART", help="Files that `cupel score --part K/N -o FILE` wrote."),
    ],
    segments: options.SegmentLevel = False,
    details: options.Details = False,
    ci: options.Ci = False,
    ci_n: options.CiN = 1000,
    paired: options.Paired = None,
    paired_n: options.PairedN = None,
    language_pair: sacrebleu.LanguagePair = None,
    domain: meanings.Domain = None,
    seed: Seed = SEED,
    form: Form = Format.text,
    score_only: options.ScoreOnly = False,
    width: options.ScoreWidth = None,
    out: Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Print the scores of a run that was scored in parts, as one run would have printed them.

    Example: cupel merge part-*.parquet -f json --ci
    """
    from cupel.engines.parts import checked_parts, merge_parts, plan_metrics, read_part
    from cupel.metric import DetailedByText

    if segments and (ci or paired):
        raise CupelError("Intervals and tests are computed for system scores only: leave out -sl.")
    printing = Printing(
        segments, details, ci, ci_n, paired and paired.value, paired_n, seed,
        form, width, score_only, out, quiet, False, language_pair, domain,
    )  # fmt: skip
    printing.check()
    plan = checked_parts([read_part(path) for path in parts])[0].plan
    if segments and not plan.scores:
        raise CupelError("The parts have no segment scores: score them with -sl.")
    if segments and details:
        raise CupelError("--details of segments needs all texts at once: leave it out.")
    changed = sacrebleu.segment_options(segments)
    metrics = plan_metrics(plan, changed)
    for label, metric in metrics.items():
        if details and isinstance(metric, DetailedByText):
            raise CupelError(f"--details of {label} needs all texts at once: leave it out.")
    with segment_stream(list(plan.systems), metrics, printing) as stream:
        scores = merge_parts(parts, stream.add if stream else None, changed)
        if stream:
            stream.finish(scores)
    printing.print_streamed(scores)

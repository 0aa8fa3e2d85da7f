"""`cupel merge`: the parts of a large run into its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.cli.printing import print_streamed
from cupel.cli.scale import segment_stream
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.questions.merge import Merge


def run(question: Merge) -> None:
    """Read the parts, and print what one run would have printed."""
    from cupel.engines.parts import checked_parts, merge_parts, plan_metrics, read_part
    from cupel.engines.score import segment_options
    from cupel.metric import DetailedByText

    plan = checked_parts([read_part(path) for path in question.parts])[0].plan
    if question.segments and not plan.scores:
        raise CupelError("The parts have no segment scores: score them with -sl.")
    changed = segment_options(question.segments)
    metrics = plan_metrics(plan, changed)
    for label, metric in metrics.items():
        if question.details and isinstance(metric, DetailedByText):
            raise CupelError(f"--details of {label} needs all texts at once: leave it out.")
    with segment_stream(list(plan.systems), metrics, question) as stream:
        scores = merge_parts(question.parts, stream.add if stream else None, changed)
        if stream:
            stream.finish(scores)
    print_streamed(question, scores, question.language_pair)

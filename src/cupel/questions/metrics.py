"""Which metrics are there, and what is each?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cupel.questions.field import option
from cupel.questions.groups import Format, output_format
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Metrics(Question):
    """List all metrics, or describe one of them.

    Example: cupel metrics bleu
    """

    command: ClassVar[str] = "metrics"

    name: str | None = option(
        None,
        "Describe this metric: what it measures, when to use it, its formula and options.",
        metavar="METRIC",
        shown="list all metrics",
        argument=True,
    )
    format: Format = output_format()

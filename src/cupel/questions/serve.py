"""Scores over HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from cupel.questions.field import Count, Range, option
from cupel.questions.groups import language_pair
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Serve(Question):
    """Answer requests for scores and alignments over HTTP, with a page to compare two translations.

    Example: cupel serve -m chrf ter --port 8000
    """

    command: ClassVar[str] = "serve"

    metrics: tuple[str, ...] = option(
        (),
        "Metrics that requests may ask for, with their options.",
        "--metrics",
        "-m",
        metavar="METRIC",
        shown="those of bleu, chrf, ter, meteor and nnrk that are ready",
    )
    language_pair: str | None = language_pair()
    host: str = option(
        "127.0.0.1",
        "Address to listen at; 0.0.0.0 is open to other machines.",
        metavar="ADDRESS",
    )
    port: Annotated[int, Range(0, 65535)] = option(
        8000, "Port to listen at; 0 takes a free one.", metavar="N"
    )
    workers: Annotated[int, Range(1, 256)] = option(
        2, "Number of processes that compute.", role="spread", metavar="N"
    )
    max_queue: Count = option(
        256,
        "Requests that may be inside at once; others are answered with 429.",
        metavar="N",
    )
    max_body: Count = option(
        1 << 20, "Largest request; larger ones are answered with 413.", metavar="BYTES"
    )
    timeout: Annotated[float, Range(0.1, 86400)] = option(
        30.0, "Longest time for a request; after it, the answer is 504.", metavar="SECONDS"
    )

"""`cupel serve`: scores and alignments over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cupel.cli import languages

if TYPE_CHECKING:
    from cupel.questions.serve import Serve


def run(question: Serve) -> None:
    """Answer requests until the process is ended."""
    from cupel.neural.packages import check_packages

    check_packages("`cupel serve`", ["starlette", "uvicorn"], "serve")
    from cupel.adapters.service.server import serve
    from cupel.adapters.service.settings import Settings

    pair = question.language_pair
    specs = languages.for_target(question.metrics or _ready(), pair, quiet=False)
    settings = Settings(
        question.workers,
        question.max_queue,
        question.max_body,
        question.timeout,
        language_pair=pair,
    )
    serve(specs, settings, question.host, question.port)


def _ready() -> list[str]:
    from cupel.registry import entries

    names = ("bleu", "chrf", "ter", "meteor", "nnrk")
    return [name for name in names if not entries()[name].unready]

"""`cupel serve`: scores and alignments over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from cupel.cli import languages

LIMITS = "Limits"


def serve(
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="METRIC...",
            help="Metrics that requests may ask for, with their options.",
            show_default="those of bleu, chrf, ter, meteor and nnrk that are ready",
        ),
    ] = None,
    language_pair: languages.LanguagePair = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen at; 0.0.0.0 is open to other machines.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port", metavar="N", min=0, max=65535, help="Port to listen at; 0 takes a free one."
        ),
    ] = 8000,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", metavar="N", min=1, max=256, help="Number of processes that compute."
        ),
    ] = 2,
    max_queue: Annotated[
        int,
        typer.Option(
            "--max-queue",
            metavar="N",
            min=1,
            help="Requests that may be inside at once; others are answered with 429.",
            rich_help_panel=LIMITS,
        ),
    ] = 256,
    max_body: Annotated[
        int,
        typer.Option(
            "--max-body",
            metavar="BYTES",
            min=1,
            help="Largest request; larger ones are answered with 413.",
            rich_help_panel=LIMITS,
        ),
    ] = 1 << 20,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.1,
            max=86400,
            help="Longest time for a request; after it, the answer is 504.",
            rich_help_panel=LIMITS,
        ),
    ] = 30.0,
) -> None:
    """Answer requests for scores and alignments over HTTP, with a page to compare two translations.

    Example: cupel serve -m chrf ter --port 8000
    """
    from cupel.neural.packages import check_packages

    check_packages("`cupel serve`", ["starlette", "uvicorn"], "serve")
    from cupel.adapters.service.server import serve as run
    from cupel.adapters.service.settings import Settings

    specs = languages.for_target(metrics or _ready(), language_pair, quiet=False)
    settings = Settings(workers, max_queue, max_body, timeout, language_pair=language_pair)
    run(specs, settings, host, port)


def _ready() -> list[str]:
    from cupel.registry import entries

    names = ("bleu", "chrf", "ter", "meteor", "nnrk")
    return [name for name in names if not entries()[name].unready]

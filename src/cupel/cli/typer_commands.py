"""The commands that are not made of questions yet: Typer reads their options."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from cupel.cli.lazy import LazyGroup
from cupel.cli.usage import UsageError, usage_sentence
from cupel.console import warn

app = typer.Typer(
    name="cupel",
    cls=LazyGroup,
    help="Score machine translations, and evaluate the metrics that score them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def _root() -> None:
    """Score machine translations, and evaluate the metrics that score them."""


def typer_status(words: Sequence[str]) -> int:
    """Run a command; its exit status."""
    try:
        code = app(list(words), standalone_mode=False, prog_name="cupel")
    except SystemExit as end:
        code = end.code
    except UsageError as error:
        if sentence := usage_sentence(error):
            warn(sentence)
        return 2
    return code if isinstance(code, int) else 0

"""Usage errors: one sentence on standard error, exit status 2, nothing on standard output."""

from __future__ import annotations

import shlex
import sys

import pytest

from cupel.cli import main


@pytest.fixture(autouse=True)
def _not_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this were the script `cupel`: Click would name `python -m pytest` else."""
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            "score",
            "The argument REF is missing, and bleu needs references (see `cupel score --help`).",
        ),
        ("data add", "The argument PATH is missing (see `cupel data add --help`)."),
        ("train nnrk", "The option --output is missing (see `cupel train nnrk --help`)."),
        (
            "score ref --inptu x",
            "Unknown option --inptu (see `cupel score --help`): did you mean --input or --part?",
        ),
        ("score ref --zzz", "Unknown option --zzz (see `cupel score --help`)."),
        ("-x", "Unknown option -x (see `cupel --help`)."),
        ("scroe", "Unknown command 'scroe' (see `cupel --help`): did you mean score?"),
        ("zzz", "Unknown command 'zzz' (see `cupel --help`)."),
        (
            "data vrify",
            "Unknown command 'vrify' (see `cupel data --help`): did you mean verify?",
        ),
        ("score -i", "The option --input needs a value (see `cupel score --help`)."),
        ("data -f", "The option --format needs a value (see `cupel data --help`)."),
        ("metrics -f", "The option --format needs a value (see `cupel metrics --help`)."),
        ("score ref --ci=3", "The option --ci takes no value (see `cupel score --help`)."),
        (
            "parse a b",
            "There are too many arguments (see `cupel parse --help`): 'b' is not expected.",
        ),
        (
            "score ref -w 33",
            "The option --width cannot be '33' (see `cupel score --help`): it should be at "
            "least 0 and at most 20.",
        ),
        (
            "mutt --references five",
            "The option --references cannot be 'five' (see `cupel mutt --help`): it should be a "
            "valid integer.",
        ),
        (
            "meta wmt14 --level word",
            "The option --level cannot be 'word' (see `cupel meta --help`): it should be one of "
            "'segment', 'document', 'domain', 'system'.",
        ),
        (
            "align ref -f xml",
            "The option --format cannot be 'xml' (see `cupel align --help`): it should be one "
            "of 'text', 'json', 'tsv', 'latex'.",
        ),
    ],
)
def test_a_usage_error_is_one_sentence(
    command: str,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["cupel", *shlex.split(command)])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capsys.readouterr()) == (2, ("", f"cupel: {sentence}\n"))


def test_without_a_command_the_help_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cupel"])
    with pytest.raises(SystemExit) as end:
        main()
    shown = capsys.readouterr()
    assert (end.value.code, shown.err) == (2, "")
    assert "List all metrics, or describe one of them." in shown.out

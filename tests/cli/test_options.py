"""Options that commands share: what cannot be written is told before any work begins."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from cupel.cli import main

IN_THE_WAY = "a part of that path is a file, not a folder; choose another name."
NO_FILE = "it exists and is not a file."


@pytest.mark.parametrize(
    ("command", "path", "reason"),
    [
        ("score ref.txt -i absent -o", "ref.txt/out", IN_THE_WAY),
        ("score ref.txt -i absent -o", "folder", NO_FILE),
        ("score ref.txt -i absent --report", "ref.txt/page.html", IN_THE_WAY),
        ("align ref.txt -i absent -o", "ref.txt/out", IN_THE_WAY),
        ("parse absent -o", "folder", NO_FILE),
        ("meta absent -m absent -o", "ref.txt/out", IN_THE_WAY),
        ("mutt -m absent -o", "folder", NO_FILE),
        ("mutt -m absent --save", "ref.txt/out", IN_THE_WAY),
        ("mutt -m absent --plots", "ref.txt", IN_THE_WAY),
        ("tune absent --on absent -o", "folder", NO_FILE),
        ("report absent.json -o", "ref.txt/page.html", IN_THE_WAY),
        ("reproduce absent -o", "folder", NO_FILE),
        ("reproduce absent --write", "ref.txt/page.md", IN_THE_WAY),
        ("reproduce absent --record", "folder", NO_FILE),
        ("train reval --train absent -o", "ref.txt", IN_THE_WAY),
        ("train reval --train absent --export", "folder", NO_FILE),
    ],
)
def test_what_cannot_be_written_is_told_first(
    command: str,
    path: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing else that the command names is there: it would fail at once if it began to work."""
    (tmp_path / "ref.txt").write_text("a\n")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["cupel", *shlex.split(command), path])
    with pytest.raises(SystemExit) as end:
        main()
    sentence = f"cupel: {path} cannot be written: {reason}\n"
    assert (end.value.code, capsys.readouterr()) == (2, ("", sentence))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder", "ref.txt"]


def test_one_seed_for_all() -> None:
    from cupel.cli.options import SEED
    from cupel.significance import DEFAULT_SEED

    assert SEED == DEFAULT_SEED

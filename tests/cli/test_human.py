"""`cupel human`, run as a program would run it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from cupel.cli import main

Run = Callable[..., "Done"]

HEADER = "system doc doc_id seg_id rater source target category severity"
ROWS = """\
A 1 r1 <v>eins</v> Style Major
A 1 r2 <v>eins</v> Style Minor
A 2 r1 zwei No-error No-error
A 2 r2 zwei No-error No-error
B 1 r1 ein No-error No-error
B 1 r2 ein No-error No-error
B 2 r1 <v>zwo</v> Style Minor
B 2 r2 zwo No-error No-error
ref 1 r1 eine No-error No-error
ref 2 r1 zwei No-error No-error
"""


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    lines = [HEADER.split()]
    for row in ROWS.splitlines():
        system, segment, rater, target, *label = row.split()
        lines.append([system, "d", segment, segment, rater, f"source {segment}", target, *label])
    path = tmp_path / "mqm_ende.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    return path


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int | str | None
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def command(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["cupel", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code, *capsys.readouterr())

    return command


def test_import_then_meta(run: Run, raw: Path, tmp_path: Path) -> None:
    done = run("human", "import", raw, "-o", tmp_path / "set")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split() == "en-de mqm google 3 2 refA 2 10 6 4".split()
    judged = run("meta", tmp_path / "set", "-m", "chrf", "--pair", "en-de", "--statistic", "acc-eq",
                 "-f", "json")  # fmt: skip
    assert json.loads(judged.stdout)["rows"][0]["n"] == 4


def test_agreement_as_text_and_records(run: Run, raw: Path) -> None:
    text = run("human", "agreement", raw, "--resamples", "20").stdout.splitlines()
    assert text[0].split() == ["en-de,", "mqm", "(google)", "value", "95%", "n"]
    # Of the two pairs of translations the raters order the first alike; the second is a tie for r2.
    assert text[1].split()[:3] == ["agreement:", "pairwise", "0.500"]
    records = json.loads(run("human", "agreement", raw, "--resamples", 20, "-f", "json").stdout)
    assert list(records["rows"][0]) == [
        "pair", "kind", "scheme", "measure", "statistic", "rater", "value", "low", "high", "n",
    ]  # fmt: skip
    tsv = run("human", "agreement", raw, "--resamples", 20, "-f", "tsv").stdout.splitlines()
    assert len(tsv) == 1 + len(records["rows"])
    assert not any("nan" in line for line in tsv)


def test_what_is_refused(run: Run, raw: Path, tmp_path: Path) -> None:
    target = tmp_path / "set"
    for change, sentence in [
        (("<v>zwo</v>", "<v>zwo"), ", line 8: <v> and </v> do not match in '<v>zwo'"),
        (
            ("Minor", "Odd"),
            ", line 3: the severity is 'Odd', and the scheme google has weights for",
        ),
        (("severity", "x"), ", line 1: there is no column 'severity'"),
    ]:
        path = tmp_path / "bad_ende.tsv"
        path.write_text(raw.read_text().replace(*change))
        done = run("human", "import", path, "-o", target)
        assert done.returncode == 2
        assert done.stderr.startswith(f"cupel: {path}{sentence}")
        assert done.stderr.count("\n") == 1
        assert not target.exists()
    mended = run("human", "import", path.with_name("bad_ende.tsv"), "-o", target, "--format", "esa")
    assert mended.returncode == 2
    path.write_text(raw.read_text().replace("<v>zwo</v>", "<v>zwo"))
    done = run("human", "import", path, "-o", target, "--lenient")
    assert done.returncode == 0
    assert "1 texts in which <v> and </v> do not match" in done.stderr
    single = tmp_path / "single_ende.tsv"
    single.write_text("".join(line for line in raw.open() if "\tr2\t" not in line))
    done = run("human", "agreement", single)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cupel: No translation of en-de was judged by two raters")

"""`cupel score` as people call it: real files, real processes, exact sentences."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU

REFERENCE = ["The cat sat on the mat.", "It is raining again, isn't it?", "Prices rose 3.5%."]
GOOD = ["The cat sat on a mat.", "It is raining again, is it not?", "Prices rose by 3.5%."]
BAD = ["Cat mat.", "Rain again it is?", "The price has gone up."]


def cupel(*arguments: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "cupel", *map(str, arguments)],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts")
    for name, lines in (("ref.txt", REFERENCE), ("good.txt", GOOD), ("bad.txt", BAD)):
        (path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_sacrebleu_command_prints_sacrebleus_number(folder: Path) -> None:
    status, out, _ = cupel("score", "ref.txt", "-i", "good.txt", "-b", "-w", "4", cwd=folder)
    assert status == 0
    assert out == f"{BLEU().corpus_score(GOOD, [REFERENCE]).score:.4f}\n"


@pytest.mark.parametrize(
    "options",
    [
        ["-m", "bleu", "chrf", "ter", "-b", "-w", "3"],
        ["-m", "bleu", "-lc", "-tok", "intl", "--smooth-method", "floor", "-sv", "0.2", "-b"],
        ["-m", "chrf", "--chrf-word-order", "2", "--chrf-beta", "3", "-b", "-w", "5"],
        ["-m", "chrf", "--chrf-lowercase", "--chrf-whitespace", "-cc", "4", "-b", "-w", "5"],
        ["-m", "ter", "--ter-normalized", "--ter-no-punct", "--ter-case-sensitive", "-b"],
        ["-m", "bleu", "-sl", "-b", "-w", "4"],
        ["-m", "bleu", "--confidence", "--confidence-n", "200", "-b", "-w", "2"],
        ["-m", "bleu", "-tok", "char", "--force", "-q", "-b"],
    ],
)
def test_pasted_sacrebleu_commands(folder: Path, options: list[str]) -> None:
    theirs = subprocess.run(
        [sys.executable, "-m", "sacrebleu", "ref.txt", "-i", "good.txt", *options, "-f", "text"],
        capture_output=True,
        cwd=folder,
        check=True,
        text=True,
    ).stdout.split("\n")
    status, out, _ = cupel("score", "ref.txt", "-i", "good.txt", *options, "-f", "text", cwd=folder)
    assert status == 0
    # sacreBLEU adds "(μ = ...)" to a score with an interval even when asked for the score only.
    assert out.split("\n") == [line.partition(" (")[0] for line in theirs]


def test_standard_input_and_compressed_files(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "ref.txt.gz"
    packed.write_bytes(gzip.compress((folder / "ref.txt").read_bytes()))
    status, out, _ = cupel("score", packed, "-b", stdin="\n".join(GOOD) + "\n")
    assert status == 0
    assert out == f"{BLEU().corpus_score(GOOD, [REFERENCE]).score:.1f}\n"


def test_two_references_and_a_table_file(folder: Path, tmp_path: Path) -> None:
    rows = [{"refs": [r, g], "mt": b} for r, g, b in zip(REFERENCE, GOOD, BAD, strict=True)]
    table = tmp_path / "runs.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    _, files, _ = cupel(
        "score", folder / "ref.txt", folder / "good.txt", "-i", folder / "bad.txt", "-b"
    )
    assert files == cupel("score", f"{table}:refs", "-i", f"{table}:mt", "-b")[1]


def test_strange_line_ends_do_not_change_the_number_of_segments(tmp_path: Path) -> None:
    (tmp_path / "ref").write_bytes("\ufeffone\u2028two\nthree\u0085four\x0cfive\n".encode())
    (tmp_path / "hyp").write_bytes("one\u2028two\r\nthree\u0085four\x0cfive\r\n".encode())
    status, out, _ = cupel("score", "ref", "-i", "hyp", "-m", "ter", "-b", cwd=tmp_path)
    assert (status, out) == (0, "0.0\n")


def test_empty_segments_are_reported(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b\nc\n")
    (tmp_path / "hyp").write_text("a b\n\n")
    status, _, err = cupel("score", "ref", "-i", "hyp", cwd=tmp_path)
    assert (status, err) == (0, "cupel: 1 empty segment in system 'hyp'.\n")
    assert cupel("score", "ref", "-i", "hyp", "-q", cwd=tmp_path)[2] == ""


def test_text_that_looks_tokenised_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b .\n" * 100)
    _, _, err = cupel("score", "ref", "-i", "ref", cwd=tmp_path)
    assert err == (
        "cupel: System 'ref' looks tokenised (100 segments end in ' .'), which changes its score; "
        "use --force if this is what you want.\n"
    )


def test_interrupted_it_leaves_no_partial_output(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("a b c\n" * 50)
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n"
        "def wait(h, r):\n    Path('started').touch()\n    time.sleep(30)\n    return 1.0\n"
    )
    (tmp_path / "out.tsv").write_text("what was there before\n")
    command = "score ref -i ref -m slow:wait -f tsv -o out.tsv".split()
    process = subprocess.Popen(
        [sys.executable, "-m", "cupel", *command], cwd=tmp_path, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert (tmp_path / "out.tsv").read_text() == "what was there before\n"
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "__pycache__") == [
        "out.tsv", "ref", "slow.py", "started"
    ]  # fmt: skip

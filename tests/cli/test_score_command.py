"""`cupel score` as people call it: real files, real processes, exact sentences."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
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


def sentence_of(*arguments: str | Path, cwd: Path | None = None) -> str:
    status, out, err = cupel(*arguments, cwd=cwd)
    assert status == 2
    assert out == ""
    return err


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


def test_the_table_and_its_signatures(folder: Path) -> None:
    status, out, err = cupel(
        "score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "bleu", "ter", cwd=folder
    )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["System", "bleu", "ter"]
    assert lines[1].split()[0] == "good"
    assert lines[2].split()[0] == "bad"
    assert lines[4].startswith("bleu|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:cupel-")


def test_machine_readable_forms(folder: Path) -> None:
    arguments = ["score", "ref.txt", "-i", "good.txt", "bad.txt", "-m", "bleu", "chrf++"]
    _, out, _ = cupel(*arguments, "-f", "json", "--ci", "--paired", "bs", cwd=folder)
    document = json.loads(out)
    assert set(document) == {"version", "signatures", "rows", "meanings"}
    assert list(document["rows"][0]) == [
        "system", "metric", "score", "low", "high", "p_value",
        "preferred", "preferred_low", "preferred_high",
    ]  # fmt: skip
    assert document["rows"][0]["p_value"] is None
    assert 0 < document["rows"][2]["p_value"] <= 1
    assert "bs:1000|seed:12345" in document["signatures"]["bleu"]
    _, out, _ = cupel(*arguments, "-f", "tsv", cwd=folder)
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["system", "metric", "score"]
    assert [row[:2] for row in rows[1:]] == [
        ["good.txt", "bleu"], ["good.txt", "chrf++"], ["bad.txt", "bleu"], ["bad.txt", "chrf++"]
    ]  # fmt: skip
    assert float(rows[1][2]) == pytest.approx(document["rows"][0]["score"])
    _, out, _ = cupel(*arguments, "-sl", "-f", "tsv", cwd=folder)
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["system", "segment", "bleu", "chrf++"]
    assert [row[1] for row in rows[1:]] == ["1", "2", "3"] * 2
    _, out, _ = cupel(*arguments, "-f", "latex", cwd=folder)
    assert r"\begin{tabular}{lrr}" in out
    assert r"good &" in out


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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ref.txt", "-i", "short.txt"], "ref.txt has 3 segments, but short.txt has 2."),
        (["short.txt", "-i", "good.txt"], "short.txt has 2 segments, but good.txt has 3."),
        (["empty.txt", "-i", "good.txt"], "empty.txt is empty; one segment per line was expected."),
        (["nowhere.txt", "-i", "good.txt"], "nowhere.txt does not exist."),
        ([".", "-i", "good.txt"], ". is a folder; a file was expected."),
        (["latin.txt", "-i", "good.txt"],
         "latin.txt, line 2, column 4: the byte 0xE9 is not UTF-8; convert the file to UTF-8."),
        (["cut.gz", "-i", "good.txt"], "cut.gz is cut off: its gzip data ends too early."),
        (["twice.sgm", "-i", "good.txt"],
         "twice.sgm, line 3: segment '1' of document 'd' by 'r' occurs twice."),
        (["ref.txt", "-i", "good.txt", "-m", "bleu", "tre"],
         "Unknown metric 'tre': did you mean 'ter'"),
        (["ref.txt", "-i", "good.txt", "-tok", "14a"],
         "Unknown tokenizer '14a': did you mean '13a'?"),
        (["ref.txt", "-i", "good.txt", "-tok", "ja-mecab"],
         "The tokenizer 'ja-mecab' needs another package: pip install mecab-python3 ipadic."),
        (["ref.txt", "-i", "good.txt", "-m", "mine:nan"],
         "The metric 'mine:nan' gave nan on segment 2 of system 'good.txt'."),
        (["ref.txt", "-i", "good.txt", "-m", "mine:raises"],
         "The metric 'mine:raises' failed on segment 1 of system 'good.txt': KeyError: 'x'."),
        (["ref.txt", "-i", "good.txt", "-s", "floor"],
         "-s names the source file here: for sacreBLEU's smoothing write --smooth-method floor."),
        (["ref.txt", "-t", "wmt14"],
         "The references come from the test set wmt14 (-t): leave out ref.txt, or -t."),
        (["ref.txt", "-i", "good.txt", "--paired", "bs"],
         "A paired test needs at least two systems."),
        (["ref.txt", "-i", "good.txt", "-sl", "--ci"],
         "Intervals, tests and clusters are computed for system scores only: leave out -sl, "
         "--prefer and --flagged."),
        (["ref.txt", "-i", "good.txt", "-m", "mine:leaves"],
         "The metric 'mine:leaves' failed on segment 1 of system 'good.txt': SystemExit: 5."),
        (["", "-i", "good.txt"],
         "A file's name is empty: name a file, or - for standard input."),
        (["ref.txt", "-i", "good.txt", "-o", "new", "--report", "./new"],
         "new is named for the option --output and for the option --report: name two files."),
        (["ref.txt", "-i", "good.txt", "--summary", "new", "--junit", "./new"],
         "new is named for the option --junit and for the option --summary: name two files."),
        (["ref.txt", "-i", "good.txt", "--ci", "--ci-n", "1"],
         "The option --ci-n cannot be '1' "),
        (["ref.txt", "-i", "good.txt", "--ci", "--ci-n", "1000000000"],
         "The option --ci-n cannot be '1000000000' "),
        (["ref.txt", "-i", "good.txt", "good.txt"],
         "Two systems are called 'good.txt'; give each a different name (--names)."),
        (["ref.txt", "-i", "good.txt", "-o", "ref.txt/out"],
         "ref.txt/out cannot be written: a part of that path is a file, not a folder; choose "
         "another name."),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(
    folder: Path, tmp_path: Path, arguments: Sequence[str], sentence: str
) -> None:
    for name in ("ref.txt", "good.txt"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "short.txt").write_text("one\ntwo\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "latin.txt").write_bytes(b"one\ncaf\xe9\nthree\n")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"some text\n" * 1000)[:-12])
    (tmp_path / "twice.sgm").write_text(
        '<refset setid="s"><doc docid="d" sysid="r">\n<seg id="1">a</seg>\n<seg id="1">b</seg>\n'
        '<seg id="2">c</seg>\n</doc></refset>\n'
    )
    (tmp_path / "mine.py").write_text(
        "def nan(h, r):\n    return float('nan') if 'raining' in h else 1.0\n"
        "def raises(h, r):\n    return {}['x']\n"
        "def leaves(h, r):\n    raise SystemExit(5)\n"
    )
    assert sentence_of("score", *arguments, cwd=tmp_path).startswith(f"cupel: {sentence}")


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


def test_output_goes_to_a_file_when_asked(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "out.json"
    status, out, _ = cupel(
        "score", folder / "ref.txt", "-i", folder / "bad.txt", "-f", "json", "-o", target
    )
    assert (status, out) == (0, "")
    assert json.loads(target.read_text())["rows"][0]["system"] == "bad.txt"

"""The other commands, and what holds for all of them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cupel", *arguments], capture_output=True, text=True, check=False
    )


def test_demo_scores_the_sample_in_the_right_order() -> None:
    done = run("demo")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    header = next(line for line in lines if line.startswith("metric")).split()
    assert header[:5] == ["metric", "careful", "decent", "rough", "broken"]
    table = {
        cells[0]: cells[1:]
        for cells in map(str.split, lines)
        if len(cells) == 6 and cells[-1] in ("higher", "lower")
    }
    assert len(table) >= 13
    for metric, (*scores, better) in table.items():
        values = [float(score) for score in scores]
        assert values == sorted(values, reverse=better == "higher"), metric


def test_help_is_light() -> None:
    assert run("--help").returncode == 0
    code = "import sys, cupel.cli; print(sorted({'numpy', 'polars'} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_scoring_loads_no_more_than_it_needs() -> None:
    code = (
        "import sys, cupel; cupel.score(['a'], ['a'], ['bleu'])\n"
        "print(sorted({'polars', 'torch', 'spacy', 'rich'} & set(sys.modules)))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cupel", "metrics"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "cupel: The output: No space left on device.\n")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m cupel metrics | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("arguments", [["-m", "wer"], ["-m", "wer", "-f", "json"]])
def test_any_locale_and_any_bytes_in_a_name(tmp_path: Path, arguments: list[str]) -> None:
    """What is printed is UTF-8 also in the locale C; names that are no UTF-8 go through."""
    name = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(name)).write_text("é\n", encoding="utf-8")
    for environment in ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {}):
        done = subprocess.run(
            [sys.executable, "-m", "cupel", "score", name, "-i", name, *arguments],
            env={**os.environ, **environment},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"caf\xe9.txt" in done.stdout


def test_text_beyond_the_locale(tmp_path: Path) -> None:
    (tmp_path / "t.conllu").write_text("1\tcafé\t_\t_\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "cupel", "parse", str(tmp_path / "t.conllu"), "--draw"],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=True,
    )
    assert "café" in done.stdout.decode()


def test_without_a_command_the_help_is_shown() -> None:
    done = run()
    assert (done.returncode, done.stderr) == (2, "")
    assert "List all metrics, or describe one of them." in done.stdout


def test_one_seed_for_all() -> None:
    from cupel.questions.groups import SEED
    from cupel.significance import DEFAULT_SEED

    assert SEED == DEFAULT_SEED


def test_version() -> None:
    import cupel

    assert run("--version").stdout == f"cupel {cupel.__version__}\n"

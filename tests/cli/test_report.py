"""`cupel report`, `cupel score --report` and `cupel reproduce` as people call them."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cupel.cli import reproduce
from cupel.papers.compute import Outcome
from cupel.papers.published import find_table
from cupel.papers.results import compare

REFERENCE = ["The cat sat on the mat.", "It is raining again, isn't it?", "Prices rose 3.5%."] * 4
OLD = ["Cat mat.", "Rain again it is?", "The price has gone up."] * 4
NEW = ["The cat sat on a mat.", "It is raining again, is it not?", "Prices rose by 3.5%."] * 4


def cupel(*arguments: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "cupel", *map(str, arguments)],
        capture_output=True, cwd=cwd, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in (("ref.txt", REFERENCE), ("old.txt", OLD), ("new.txt", NEW)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


SCORE = ("score", "ref.txt", "-i", "old.txt", "new.txt")


def test_is_my_new_system_better_in_one_command(folder: Path) -> None:
    status, out, err = cupel(*SCORE, "-m", "bleu", "ter", "--paired", "bs", "--report", "r.html", cwd=folder)  # fmt: skip
    assert status == 0
    assert out.endswith(
        "* differs from old at p < 0.05\nnew is better than old by bleu and ter.\nNo evidence of what "
        "people prefer by bleu and ter: the smallest test sets seen have 50 segments.\n"
    )
    assert err == "cupel: Wrote r.html.\n"
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "new is better than old by bleu and ter." in page


def test_runs_as_files_give_the_same_page_in_several_steps(folder: Path) -> None:
    cupel(
        *SCORE, "-m", "bleu", "--ci", "--paired", "bs", "-f", "json", "-o", "sys.json", cwd=folder
    )
    cupel(*SCORE, "-m", "bleu", "-sl", "-f", "json", "-o", "seg.json", cwd=folder)
    status, out, err = cupel(
        "report", "sys.json", "seg.json", "-o", "r.html", "--ref", "ref.txt",
        "-i", "old.txt", "new.txt", cwd=folder,
    )  # fmt: skip
    assert (status, out, err) == (0, "", "cupel: Wrote r.html.\n")
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "new is better than old by bleu." in page
    assert "Rain again it is?" in page


def test_bad_runs_leave_no_page(folder: Path) -> None:
    cupel(*SCORE, "-f", "json", "-o", "run.json", cwd=folder)
    whole = (folder / "run.json").read_text(encoding="utf-8")
    other = json.dumps(json.loads(whole) | {"version": "9.9"})
    (folder / "cut.json").write_text(whole[: len(whole) // 2], encoding="utf-8")
    (folder / "other.json").write_text(other, encoding="utf-8")
    status, _, err = cupel("report", "cut.json", cwd=folder)
    assert status == 2
    assert err.startswith("cupel: cut.json is not whole: it stops being JSON at line ")
    assert not (folder / "report.html").exists()
    status, _, err = cupel("report", "other.json", cwd=folder)
    assert status == 0
    assert err.startswith("cupel: other.json was made by Cupel 9.9, this is ")
    assert "was made by Cupel 9.9" in (folder / "report.html").read_text(encoding="utf-8")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_differences_are_coloured_by_their_size_on_a_terminal() -> None:
    """Green within the tolerance (1 point), yellow within three times that, red beyond."""
    table = find_table("nnrk-4")
    found = {cell.key: Outcome(cell.published) for cell in table.cells}
    for column, by in (("cz", 0.5), ("de", -2.5), ("es", 3.5)):
        key = (table.id, "single-layer", column)
        printed = next(c.published for c in table.cells if c.key == key)
        found[key] = Outcome(printed + by)
    out = Terminal()
    reproduce._print(compare(table, found), out)
    text = out.getvalue()
    assert re.search(r"\x1b\[32m *\+0\.50\x1b\[0m", text)
    assert re.search(r"\x1b\[33m *−2\.50\x1b\[0m", text)
    assert re.search(r"\x1b\[31m *\+3\.50\x1b\[0m", text)
    assert "a  The paper trained on WMT11" in text


def test_a_table_is_computed_from_the_packs(pack: Callable[[str], Path], tmp_path: Path) -> None:
    """Figure 2: people's scores of negated subjects have mean 3.6 and deviation .45."""
    pack("sick")
    status, out, err = cupel("reproduce", "mutt-fig-2", "-f", "tsv", cwd=tmp_path)
    assert (status, err) == (0, "cupel: Computing neg_subj in SICK.\n")
    header, *lines = [line.split("\t") for line in out.splitlines()]
    assert header == ["table", "row", "column", "published", "ours", "difference", "status"]
    assert [float(line[4]) for line in lines] == pytest.approx([3.6, 0.45], abs=0.05)
    assert {line[6] for line in lines} == {"reproduced"}
    status, out, _ = cupel(
        "reproduce", "mutt-fig-2", "--write", "r.md", "--record", "r.json", cwd=tmp_path
    )
    assert status == 0
    assert "reproduced: 2 of 2 computed cells within 0.05; 2 are printed" in out
    assert "\033" not in out
    page = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "| [mutt-fig-2](#mutt-fig-2) | reproduced |" in page
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["rows"]

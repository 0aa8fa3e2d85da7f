"""`cupel select` and `cupel annotate` as commands: what they write and print, and bad input."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cupel.cli import main
from cupel.report.annotation import direction, formatted

SYSTEMS = {"a": "the cat sat on mat {n}", "b": "the cat {n} sits", "c": "a dog {n} ran away"}
CSS = Path(__file__).parents[2] / "src/cupel/report/assets/annotate.css"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [("x" * (n % 7 + 1), n) for n in range(24)]
    for name, text in SYSTEMS.items():
        (tmp_path / f"{name}.txt").write_text(
            "".join(f"{text.format(n=n)} {x}\n" for x, n in lines)
        )
    (tmp_path / "src.en-de.txt").write_text("".join(f"source {n}\n" for n in range(24)))
    (tmp_path / "ref.txt").write_text(
        "".join(f"the cat sat on the mat {n} {x}\n" for x, n in lines)
    )
    (tmp_path / "docs.txt").write_text("".join(f"news\tdoc{n // 4}\n" for n in range(24)))
    return tmp_path


def run(*words: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", *words])
        with pytest.raises(SystemExit) as end:
            main()
    return int(end.value.code or 0)


SELECT = "select -i a.txt b.txt c.txt -s src.en-de.txt -o tasks.jsonl".split()


def records(path: str = "tasks.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def test_select_writes_tasks_beside_a_random_baseline(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["-r", "ref.txt", "--budget", "8", "--documents", "docs.txt"]
    assert run(*SELECT, *more, "-f", "json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["method"] for row in rows] == ["disagreement+typical+content", "random"]
    assert [row["segments"] for row in rows] == [8, 8]
    assert rows[1]["variance"] == pytest.approx(1, abs=0.1)
    tasks = records()
    assert len(tasks) == 8
    for task in tasks:
        n = int(str(task["segment"])) - 1
        assert task["source"] == f"source {n}"
        assert task["document"] == f"doc{n // 4}"
        assert task["pair"] == "en-de"
        assert len(task.get("before", [])) == min(2, n % 4)  # type: ignore[arg-type]
        assert list(task["translations"]) == ["a.txt", "b.txt", "c.txt"]  # type: ignore[call-overload]
    first = Path("tasks.jsonl").read_bytes()
    assert run(*SELECT, *more, "--force") == 0
    assert Path("tasks.jsonl").read_bytes() == first
    assert run(*SELECT, *more, "--force", "--seed", "2") == 0
    assert Path("tasks.jsonl").read_bytes() != first


def test_select_without_references_and_with_whole_documents(folder: Path) -> None:
    more = ["--budget", "9", "--documents", "docs.txt", "--whole-documents", "--pick", "top"]
    assert run(*SELECT, *more, "--method", "disagreement", "close") == 0
    chosen = [int(str(task["segment"])) - 1 for task in records()]
    assert chosen == [4 * (chosen[at // 4 * 4] // 4) + at % 4 for at in range(8)]  # two of four
    assert records()[0]["method"] == "disagreement+close"


def test_annotate_writes_pages_without_names(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["--names", "secret-a", "secret-b", "secret-c", "--budget", "12"]
    assert run(*SELECT, *names) == 0
    Path("own.txt").write_text("# Titel\nLies <b>das</b>.\n\n* eins\n* zwei\n", encoding="utf-8")
    annotate = "annotate tasks.jsonl -o out/t.html --annotators anna ben".split()
    assert run(*annotate, "--instructions", "own.txt", "--protocol", "mqm") == 0
    pages = {path.name: path.read_text("utf-8") for path in Path("out").iterdir()}
    assert set(pages) == {"t-anna.html", "t-ben.html", "t.key.json"}
    for name in ("t-anna.html", "t-ben.html"):
        assert "secret" not in pages[name]
        assert not re.search(r"\bcheck\b.{0,40}\"kind\"|\"kind\"", pages[name])
        assert "<h3>Titel</h3>" in pages[name]
        assert "Lies &lt;b&gt;das&lt;/b&gt;." in pages[name]
        assert not re.search(r"(src|href)=\"(?!#)", pages[name])  # nothing from elsewhere
    assert "secret-a" in pages["t.key.json"]
    capsys.readouterr()
    before = {path: path.read_bytes() for path in Path("out").iterdir()}
    assert run(*annotate) == 2
    assert "exists already" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path("out").iterdir()} == before
    assert run(*annotate, "--annotators", "a/b", "--force") == 2
    Path("own.txt").write_text(" \n")
    assert run(*annotate, "--instructions", "own.txt", "--force") == 2
    assert "own.txt is empty" in capsys.readouterr().err


def test_instructions_and_directions(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("annotate", "any.jsonl", "--protocol", "ranking", "--show-instructions") == 0
    assert "1 is the best" in capsys.readouterr().out
    assert formatted("a\nb\n\n* c\n* d") == (
        '<p dir="auto">a b</p><ul><li dir="auto">c</li><li dir="auto">d</li></ul>'
    )
    assert [direction(code) for code in ("he", "ur", "zh", "")] == ["rtl", "rtl", "auto", "auto"]


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_contrast_of_the_page(theme: int) -> None:
    """Text has at least 4.5 to 1, lines of controls and of the focus 3 to 1."""
    blocks = re.findall(r":root \{(.*?)\}", CSS.read_text("utf-8"), re.S)
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[theme]))

    def contrast(one: str, other: str) -> float:
        high, low = sorted((luminance(colours[one]), luminance(colours[other])), reverse=True)
        return (high + 0.05) / (low + 0.05)

    for ink in ("ink", "muted", "accent", "bad"):
        for ground in ("paper", "card"):
            assert contrast(ink, ground) >= 4.5, (ink, ground)
    for name in ("accent", "chosen", "neutral", "minor", "major"):
        assert contrast(f"{name}-ink", name) >= 4.5, name

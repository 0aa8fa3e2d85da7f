"""Every metric says what it measures, when to use it, what it needs; every option what it does."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import pytest

from cupel.cli import main
from cupel.descriptions import PARTS, described_parts, option_sentences
from cupel.registry import Entry, entries

METRICS = sorted(name for name, entry in entries().items() if entry.package == "cupel")


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_all_parts(name: str) -> None:
    parts = entries()[name].parts
    assert tuple(parts) == PARTS
    assert all(text.strip() for text in parts.values())
    assert parts["Formula"].startswith("    "), "a formula is indented"
    for text in parts.values():
        assert all(len(line) <= 98 for line in text.split("\n") if line.startswith("    "))
    assert "English" in parts["Needs"] or "language" in parts["Needs"] or name == "coco"


@pytest.mark.parametrize("name", METRICS)
def test_every_option_says_what_it_does_and_its_default(name: str) -> None:
    entry = entries()[name]
    assert entry.option_sentences.keys() == entry.options.keys()
    for option, sentence in entry.option_sentences.items():
        assert sentence.endswith("."), option
        assert sentence[0].isupper() or sentence.startswith(("spaCy", "d,", "difference", "assay"))
        if entry.options[option].default is None:
            assert "(default: " in sentence, option


def test_the_list_fits_100_columns() -> None:
    longest = max(map(len, METRICS))
    for name in METRICS:
        assert 10 < len(entries()[name].summary) <= 98 - longest, name


def counted(
    text: str, depth: Annotated[int, "How deep to look."] = 2, *, plain: bool = False
) -> float:
    """Counts something.

    Measures: How many there are,
    in all.

    Formula:
        count = sum of 1

    summed over everything.
    """
    return float(len(text) * depth * plain)


def test_parts_of_a_docstring() -> None:
    assert described_parts(counted) == {
        "Measures": "How many there are, in all.",
        "Formula": "    count = sum of 1\n\nsummed over everything.",
    }
    assert option_sentences(counted) == {"depth": "How deep to look."}


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    monkeypatch.setattr(sys, "argv", ["cupel", "metrics", *arguments])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    return capsys.readouterr().out


def test_the_order_in_which_it_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run(monkeypatch, capsys, "bleu")
    headings = [line for line in printed.splitlines() if line and not line.startswith(" ")]
    assert headings[0].startswith("bleu: ")
    assert headings[1:] == ["Measures", "Use", "Needs", "Formula",
        "Options, written bleu:NAME=VALUE,NAME=VALUE", "Paper", "Equal to"]  # fmt: skip
    assert "  lowercase (default no): Lowercase the text before comparing it.\n" in printed
    assert all(len(line) <= 80 for line in printed.splitlines() if not line.startswith("    "))


def test_the_same_as_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(run(monkeypatch, capsys, "chrf", "-f", "json"))
    assert data["metric"] == "chrf"
    assert data["ready"] is True
    assert data["equal_to"].startswith("sacreBLEU 2.6")
    assert data["rows"][0] == {
        "option": "char_order",
        "default": 6,
        "what": "Length of the longest character n-grams.",
    }
    table = run(monkeypatch, capsys, "chrf", "-f", "tsv").splitlines()
    assert table[0].split("\t") == ["option", "default", "what"]
    assert len(table) == 1 + len(data["rows"])


def test_a_metric_of_another_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that documents nothing, one that follows the layout, one that cannot be loaded."""

    def bare(power: int = 1, mode: str = "fast") -> None:
        """Counts words."""

    made = Entry("bare", bare, "Counts words.", package="other")  # type: ignore[arg-type]
    monkeypatch.setitem(entries(), "bare", made)
    assert run(monkeypatch, capsys, "bare") == (
        "bare: Counts words.\nMetric of the package other.\n\n"
        "Options, written bare:NAME=VALUE,NAME=VALUE\n  power (default 1)\n  mode (default fast)\n"
    )
    made = Entry("counted", counted, "Counts something.", package="other")  # type: ignore[arg-type]
    monkeypatch.setitem(entries(), "counted", made)
    printed = run(monkeypatch, capsys, "counted")
    assert "\nMeasures\n  How many there are, in all.\n\nFormula\n    count = sum of 1\n" in printed
    assert "  text\n  depth (default 2): How deep to look.\n  plain (default no)\n" in printed
    broken = Entry("broken", bare, "(could not be loaded)", package="other", broken="It is broken.")  # type: ignore[arg-type]
    monkeypatch.setitem(entries(), "broken", broken)
    assert "\nNeeds\n  Not ready: It is broken.\n" in run(monkeypatch, capsys, "broken")

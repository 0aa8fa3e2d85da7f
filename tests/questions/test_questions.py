"""What holds for all questions: they are declared once, explained, and asked in three ways alike."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pytest

from cupel.cli.commands import question_of
from cupel.cli.help import help_text
from cupel.cli.parser import parse
from cupel.cli.table import COMMANDS
from cupel.errors import CupelError
from cupel.questions.field import Range, fields_of, option
from cupel.questions.groups import Output, Resampling, Texts
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Weigh(Texts, Resampling, Output, Question):
    """Weigh translations.

    Example: cupel weigh ref.txt -i a.txt b.txt
    """

    command: ClassVar[str] = "weigh"
    first: ClassVar[tuple[str, ...]] = ("systems", "ci")

    metrics: tuple[str, ...] = option(("bleu",), "Metrics.", "--metrics", "-m", metavar="METRIC")
    level: Annotated[float, Range(0, 1, above=True)] = option(0.95, "Level.")
    unit: Literal["segment", "document"] = option("segment", "What is drawn.")
    align: bool = option(True, "Show the words that match.")
    page: Path | None = option(None, "Page to write.", role="output", metavar="FILE")


def asked(line: str) -> Weigh:
    return parse(Weigh, shlex.split(line))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_explained(command: str) -> None:
    question = question_of(command)
    assert question.command == command
    text = help_text(question, everything=True)
    (example,) = re.findall(r"Example: (.*(?:\n(?=  \S).*)*)", text)
    words = example.replace("\n", " ").partition(f"cupel {command}")[2]
    parse(question, shlex.split(words))
    options: set[str] = set()
    for field in fields_of(question):
        assert field.option.help.endswith((".", "...")), field.name
        names = {*field.names, *field.option.constants}
        assert not names & options
        options |= names
        if not field.required and not field.option.constants:
            assert field.default is None or field.value(field.default) == field.default
    assert set(question.first) <= {field.name for field in fields_of(question)}


def test_no_group_has_more_than_twelve_fields() -> None:
    for command in COMMANDS:
        for group in question_of(command).__mro__[1:]:
            annotations = vars(group).get("__annotations__", {})
            fields = [name for name, hint in annotations.items() if "ClassVar" not in str(hint)]
            assert len(fields) <= 12, group


def test_values_stand_in_any_order_and_repeat() -> None:
    whole = Weigh(
        references=("r1", "r2"),
        systems=("a", "b"),
        metrics=("chrf", "ter"),
        ci=True,
        paired="ar",
        width=3,
    )
    assert asked("r1 r2 -i a b -m chrf ter --ci --paired ar -w 3") == whole
    assert asked("--ci -w3 r1 r2 -i a -m chrf -i b -m ter -par") == whole
    assert asked("--width=3 -ci -m chrf ter --paired-ar -i a b -- r1 r2") == whole
    assert asked("r --no-align") == Weigh(references=("r",), align=False)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("r --level 0", "The option --level cannot be '0' (see `cupel weigh --help`): it should be above 0 and at most 1."),
        ("r --level nan", "The option --level cannot be 'nan' (see `cupel weigh --help`): it should be a number."),
        ("r --ci-n 1", "The option --ci-n cannot be '1' (see `cupel weigh --help`): it should be at least 2 and at most 1000000."),
        ("r --unit word", "The option --unit cannot be 'word' (see `cupel weigh --help`): it should be one of 'segment', 'document'."),
        ("r --ci=3", "The option --ci takes no value (see `cupel weigh --help`)."),
        ("r -w", "The option --width needs a value (see `cupel weigh --help`)."),
        ("r -m", "The option --metrics needs a value (see `cupel weigh --help`)."),
        ("r --metrcs x", "Unknown option --metrcs (see `cupel weigh --help`): did you mean --metrics or --names?"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(CupelError) as error:
        asked(line)
    assert str(error.value) == sentence


@pytest.mark.parametrize("name", ["ask.toml", "ask.json"])
def test_a_file_gives_what_the_command_line_does_not(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    values = {"references": ["r"], "metrics": ["chrf"], "ci-n": 50, "width": 2}
    file.write_text(
        json.dumps(values)
        if name.endswith("json")
        else "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())
    )
    assert asked(f"--config {file} -w 4") == Weigh(
        references=("r",), metrics=("chrf",), ci_n=50, width=4
    )
    file.write_text('{"metrcs": ["chrf"]}' if name.endswith("json") else 'metrcs = ["chrf"]')
    with pytest.raises(CupelError, match=r"unknown entry 'metrcs': did you mean metrics\?"):
        asked(f"--config {file}")
    file.write_bytes(b"\xff")
    with pytest.raises(CupelError, match="is not UTF-8 text"):
        asked(f"--config {file}")


def test_no_output_is_an_input_or_another_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ref", "a", "free"):
        Path(name).write_text("text\n")
    Path("link").symlink_to("ref")
    Path("hard").hardlink_to("a")
    Path("table.tsv").write_text("x\ty\n")
    assert asked("ref -i a -o free").file == Path("free")
    for line, name in [
        ("ref -i a -o ref", "the option --output and for the argument REF"),
        ("ref -i a -o ./ref", "the argument REF"),
        ("ref -i a -o link", "the argument REF"),
        ("link -i a -o ref", "the argument REF"),
        ("ref -i a -o hard", "the option --input"),
        ("ref -i table.tsv:x -o table.tsv", "the option --input"),
        ("ref -i a -o new --page new", "the option --page"),
    ]:
        with pytest.raises(CupelError, match=rf"is named for .*{name}: name two files\."):
            asked(line)
    assert Path("ref").read_text() == "text\n"


def test_help_shows_first_what_most_people_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    short, whole = help_text(Weigh, everything=False), help_text(Weigh, everything=True)
    assert "Usage: cupel weigh [REF...] [OPTIONS]" in short
    assert short.index("-i, --input HYP...") < short.index("More options, explained by")
    assert "  Significance              --ci-n --paired --paired-n --seed" in short
    assert "Number of bootstrap resamples for --ci. [default: 1000]" in whole
    assert "--align, --no-align" in whole


def test_a_question_is_a_value() -> None:
    question = Weigh(references=("r",), ci=True)
    assert dataclasses.replace(question, ci=False) == Weigh(references=("r",))
    assert question.changed() == {"references": ("r",), "ci": True}
    with pytest.raises(CupelError, match="has no option named 'cii'"):
        Weigh.of({"cii": True})


def test_the_function_score_has_the_words_of_its_question() -> None:
    """`cupel.score` takes texts where the question takes files; the rest has the same names."""
    import inspect

    import cupel

    texts = {"hypotheses": "systems", "sources": "source", "progress": None}
    fields = {field.name: field for field in fields_of(cupel.Score)}
    for name, parameter in inspect.signature(cupel.score).parameters.items():
        field = texts.get(name, name)
        assert field is None or field in fields
        if name not in texts and parameter.default is not parameter.empty:
            empty = (None, (), 1)
            assert parameter.default in empty
            assert fields[name].default in empty
    question = cupel.Score(references=("r",), systems=("h",), metrics=("chrf", "ter"), ci=True)
    assert question == cupel.Score.of(
        {"references": ["r"], "systems": ["h"], "metrics": ["chrf", "ter"], "ci": True}
    )


def test_an_answer_is_what_the_function_gives(tmp_path: Path) -> None:
    import cupel

    texts = {"r": ["the cat sat", "on the mat"], "h": ["the cat sat", "on a mat"]}
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    scores = cupel.Score(
        references=(f"{tmp_path}/r",),
        systems=(f"{tmp_path}/h",),
        metrics=("chrf", "bleu:tokenize=char"),
    ).answer()
    same = cupel.score(texts["h"], texts["r"], ["chrf", "bleu:tokenize=char"])
    assert [row["score"] for row in scores.rows()] == [row["score"] for row in same.rows()]

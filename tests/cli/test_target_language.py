"""The target language chooses metrics and their words in every command, and misuse is noted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "meta"))

from small_campaign import build

import cupel
from cupel.cli import commands as cli
from cupel.errors import CupelError, MissingPart
from cupel.meta.scorer import Scorer
from cupel.metrics.by_language import for_target, metrics_for
from cupel.registry import get_metric, named_metrics

REPLACED = "The target language is not English: chrf++ takes the place of assay."
GERMAN = [
    "Die Katze sitzt auf der Matte und schläft, während der Hund im Garten bellt.",
    "Der Arzt sagte, dass das Kind bald wieder gesund sein werde.",
    "Am Montag gab die Regierung bekannt, dass die Steuern steigen.",
]
OTHER = [
    "Die Katze liegt auf der Matte und schläft, während der Hund draußen bellt.",
    "Der Mediziner meinte, das Kind sei bald wieder gesund.",
    "Die Regierung kündigte am Montag höhere Steuern an.",
]
JAPANESE = [
    "猫がマットの上に座っています。",
    "犬は庭で寝ています。",
    "医者は子供が元気だと言った。",
]
MISFIT = (
    "cupel: w2v-avg is made for English, and the target language is German: its scores mean little."
)
Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in a folder with texts: its results, and its notes."""
    monkeypatch.chdir(tmp_path)
    pairs = [text for both in zip(GERMAN, OTHER, strict=True) for text in both]
    texts = {"ref": GERMAN, "a": OTHER, "b": GERMAN[1:] + OTHER[:1], "ja": JAPANESE}
    for name, lines in {**texts, "candidates": pairs}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines * 4), "utf-8")

    def command(*arguments: str) -> tuple[str, str]:
        capsys.readouterr()
        with suppress(MissingPart):
            cli.run(arguments)
        return capsys.readouterr()

    return command


COMMANDS = {
    "score": ("score", "ref", "-i", "a", "b"),
    "stream": ("score", "ref", "-i", "a", "b", "--stream"),
    "mbr": ("mbr", "candidates", "-n", "2"),
    "rerank": ("rerank", "candidates", "-n", "2", "--ref", "ref"),
    "plan": ("plan", "ref", "-i", "a", "b"),
    "diagnose": ("diagnose", "ref", "-i", "a", "b", "--parser", "none"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_metric_for_english_is_noted(command: str, run: Run) -> None:
    _, notes = run(*COMMANDS[command], "-m", "w2v-avg", "-l", "en-de")
    assert MISFIT in notes.splitlines()
    _, notes = run(*COMMANDS[command], "-m", "chrf", "-l", "en-de")
    assert "mean little" not in notes


@pytest.mark.parametrize("command", [*COMMANDS, "mutt"])
def test_assay_is_replaced_with_a_note(command: str, run: Run) -> None:
    arguments = COMMANDS.get(command, ("mutt", "--suite", "sample"))
    out, notes = run(*arguments, "-m", "assay", "-l", "de")
    assert notes.count(REPLACED) == 1
    assert command != "score" or "chrf++" in out


def test_words_are_those_of_the_language(run: Run) -> None:
    for command in ("mbr", "rerank"):
        out, _ = run(*COMMANDS[command], "-m", "meteor", "-l", "en-de", "-f", "json")
        assert "lang:de" in json.loads(out)["signatures"]["meteor"]
    _, notes = run("mbr", "ja", "-n", "1", "-m", "meteor:modules=exact")
    assert "meteor:modules=exact is made for English" in notes


def test_which_metric_assay_is() -> None:
    assert for_target(["chrf", "assay"], "en-de") == ["chrf", "chrf++"]
    assert for_target(["chrf++", "assay"], "en-de") == ["chrf++"]
    assert for_target(["assay"], "de-en") == for_target(["assay"], None) == ["assay"]
    made = metrics_for(["bleu", "meteor"], "en-zh")
    assert "tok:zh" in str(made["bleu"].signature())
    assert "lang:zh" in str(made["meteor"].signature())
    assert named_metrics(made) == made
    with pytest.raises(CupelError, match="at least one"):
        named_metrics({})


def test_meta_chooses_pair_by_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = build(tmp_path / "campaign", "en-de")
    build(folder, "de-en")
    evaluation = cupel.evaluate(
        str(folder), ["meteor:modules=exact", "chrf"], pairs=["de-en", "en-de"], resamples=0
    )
    assert evaluation.metrics == ("meteor:modules=exact", "chrf")
    signatures = evaluation.signatures
    assert "lang:en" in signatures["meteor:modules=exact"]
    assert "lang:de" in signatures["meteor:modules=exact (en-de)"]
    assert len(signatures) == 3
    capsys.readouterr()
    assert Scorer(["assay", "chrf"]).labels == ("assay", "chrf")
    with pytest.raises(CupelError, match="asked for twice"):
        Scorer(["assay", "assay"])
    replaced = cupel.evaluate(str(folder), ["assay"], pairs=["en-de"], resamples=0)
    assert "nw:2" in replaced.signatures["assay"]
    assert f"en-de: {REPLACED}" in capsys.readouterr().err


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    scores = cupel.score(OTHER, GERMAN, ["meteor", "w2v-avg"], language_pair="en-de")
    assert "lang:de" in str(scores.metrics["meteor"].signature())
    assert MISFIT in capsys.readouterr().err
    alone = get_metric("meteor", language="de", modules="exact,stem")
    assert scores["meteor"] == cupel.score(OTHER, GERMAN, alone)["meteor"]
    assert capsys.readouterr().err == ""


def test_a_service_for_one_language() -> None:
    from cupel.adapters.service.requests import SCORE, Task
    from cupel.adapters.service.work import Answer, Performer
    from cupel.pool import Worker, packed

    worker: Worker[list[Task], list[Answer]] = Worker(packed(Performer(["meteor"], "en-de")))
    try:
        worker.start()
        task = Task(SCORE, ("meteor",), {"hypotheses": OTHER}, [[text] for text in GERMAN], None)
        ((status, content),) = worker.ask([task])
    finally:
        worker.close()
    assert status == 200
    assert "lang:de" in json.loads(content)["signatures"]["meteor"]

"""Texts of trials for other programs, and their scores: ours given back test as ours do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError
from cupel.mutt import Kind, Suite, Trial, TrialSet, open_suite
from cupel.mutt.trial_scores import trial_corpus, write_texts

FIELDS = ("corruption", "accuracy", "low", "high", "ties", "trials")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutt") / "texts"
    assert write_texts(open_suite("sample").sets, folder) == 322
    return folder


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_a_line_per_trial(texts: Path) -> None:
    suite = open_suite("sample")
    assert sorted(path.name for path in texts.iterdir()) == [
        "corrupted.txt", "original.txt", "reference-1.txt", "reference-2.txt", "reference-3.txt",
        "trials.tsv",
    ]  # fmt: skip
    trials = [(one, trial) for one in suite.sets for trial in one.trials]
    assert lines(texts / "original.txt") == [trial.original for _, trial in trials]
    assert lines(texts / "reference-3.txt") == [trial.references[2] for _, trial in trials]
    assert lines(texts / "trials.tsv") == [
        "number\tcorruption\tkind",
        *(f"{n}\t{one.corruption}\t{one.kind.value}" for n, (one, _) in enumerate(trials, 1)),
    ]


@pytest.mark.parametrize("metric", ["chrf++", "wer"])
def test_scores_of_the_files_test_like_the_metric(texts: Path, tmp_path: Path, metric: str) -> None:
    references = [lines(texts / f"reference-{n}.txt") for n in (1, 2, 3)]
    systems = {name: lines(texts / f"{name}.txt") for name in ("original", "corrupted")}
    scored = cupel.score(systems, list(zip(*references, strict=True)), metric)
    path = tmp_path / "judge.jsonl"
    rows = [
        {"system": system, "segment": number, "value": float(value)}
        for system in systems
        for number, value in enumerate(scored.segment_scores(metric, system), start=1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows[::-1]))
    lower = ["judge"] if metric == "wer" else []
    results = cupel.unit_tests(metric, "sample", scores=[f"judge={path}:value"], lower=lower)
    by_metric: dict[str, list[list[object]]] = {metric: [], "judge": []}
    for row in results.rows():
        by_metric[row["metric"]].append([row[name] for name in FIELDS])
    assert len(by_metric[metric]) == 10
    assert by_metric["judge"] == by_metric[metric]
    assert results.signatures["judge"].startswith("scores:value|sha256:")


def test_scores_as_lists_and_without_metrics() -> None:
    corpus = trial_corpus(open_suite("sample").only(["neg_verb"]).sets)
    ones = np.ones(len(corpus))
    results = cupel.unit_tests(
        [], "sample", corruptions=["neg_verb"],
        scores={"judge": {"original": ones, "corrupted": ones - np.arange(len(ones)) % 2}},
    )  # fmt: skip
    result = results.of("judge", "neg_verb")
    assert (result.accuracy, result.ties, len(ones)) == (0.5, 18, 36)


def test_sources_and_fewer_references(tmp_path: Path) -> None:
    trials = (Trial("a", "b", ("r", "s"), "u"), Trial("c", "d", ("t",), "v"))
    sets = Suite("own", (TrialSet("typo", Kind.altering, trials),)).sets
    assert write_texts(sets, tmp_path / "texts") == 2
    assert (tmp_path / "texts" / "reference-2.txt").read_text() == "s\n\n"
    assert (tmp_path / "texts" / "source.txt").read_text() == "u\nv\n"
    with pytest.raises(CupelError, match="texts is not an empty folder"):
        write_texts(sets, tmp_path / "texts")
    broken = (TrialSet("typo", Kind.altering, (Trial("a", "b", ("r\ns",)),)),)
    with pytest.raises(CupelError, match=r"Trial 1 cannot be a line of reference-1\.txt"):
        write_texts(broken, tmp_path / "others")
    assert not (tmp_path / "others").exists()


def test_one_name_for_two_metrics() -> None:
    values = {"original": np.ones(36), "corrupted": np.zeros(36)}
    for metric, sentence in (
        ("chrf", "'chrf' is a metric to compute and the name of given scores"),
        ("cider", "The metric 'cider' is asked for twice"),
    ):
        with pytest.raises(CupelError, match=sentence):
            cupel.unit_tests(metric, "sample", corruptions=["neg_verb"], scores={metric: values})

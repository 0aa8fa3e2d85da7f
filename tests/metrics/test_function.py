"""Functions as metrics: what they take is read off their parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import cupel
from cupel.errors import CupelError
from cupel.registry import get_metric

HYPOTHESES = ["a b", "a", "a b c"]
REFERENCES = ["a b", "b", "c"]
SOURCES = ["x", "yy", "zzz"]


def by_references(hypothesis: str, references: list[str]) -> float:
    return float(hypothesis in references)


def by_any_name(text: str, others: list[str]) -> float:
    return float(text in others)


def by_source(hypothesis: str, source: str) -> float:
    return len(hypothesis) / len(source)


def by_both(hypothesis: str, references: list[str], *, source: str) -> float:
    return len(hypothesis) / len(source) + len(references)


def alone(hypothesis: str) -> float:
    return float(len(hypothesis))


@cupel.batched(higher_is_better=False)
def lengths(hypotheses: Sequence[str]) -> list[int]:
    return [len(text) for text in hypotheses]


@cupel.batched(details=["longer"])
def detailed(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str]
) -> dict[str, list[float]]:
    ratios = [len(h) / len(s) for h, s in zip(hypotheses, sources, strict=True)]
    return {"score": ratios, "longer": [float(r > 1) for r in ratios]}


@pytest.mark.parametrize(
    ("function", "needs", "expected"),
    [
        (by_references, ("references",), 1 / 3),
        (by_any_name, ("references",), 1 / 3),
        (by_source, ("sources",), (3 + 1 / 2 + 5 / 3) / 3),
        (by_both, ("references", "sources"), 1 + (3 + 1 / 2 + 5 / 3) / 3),
        (alone, (), 3.0),
        (lengths, (), 3.0),
        (detailed, ("references", "sources"), (3 + 1 / 2 + 5 / 3) / 3),
    ],
)
def test_a_function_gets_what_its_parameters_name(
    function: Callable[..., Any], needs: tuple[str, ...], expected: float
) -> None:
    assert tuple(get_metric(function).needs) == needs  # type: ignore[attr-defined]
    references = REFERENCES if "references" in needs else None
    sources = SOURCES if "sources" in needs else None
    scores = cupel.score(HYPOTHESES, references, function, sources=sources)
    assert scores.system_score(function.__name__) == pytest.approx(expected)
    assert ("nrefs:1" in str(scores.signature(function.__name__))) == ("references" in needs)


@pytest.mark.parametrize("function", [by_references, by_source, detailed])
def test_what_is_missing_is_named(function: Callable[..., Any]) -> None:
    with pytest.raises(CupelError, match=r"needs (references|sources), and there are none here\.$"):
        cupel.score(HYPOTHESES, metrics=function)


def test_details_are_means_over_segments() -> None:
    scores = cupel.score(HYPOTHESES, REFERENCES, detailed, sources=SOURCES)
    (details,) = scores.details("detailed").values()
    assert details["longer"] == pytest.approx(2 / 3)
    assert not get_metric(lengths).higher_is_better


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (cupel.batched(lambda hypotheses: [1.0]), "did not return 3 numbers"),
        (cupel.batched(lambda hypotheses: "abc"), "did not return 3 numbers"),
        (cupel.batched(details=["x"])(lambda hypotheses: {"score": [1, 2, 3]}), "score, x"),
    ],
)
def test_a_batch_of_the_wrong_shape(function: Callable[..., Any], sentence: str) -> None:
    with pytest.raises(CupelError, match=sentence):
        cupel.score(HYPOTHESES, metrics=function)

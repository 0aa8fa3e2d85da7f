"""BLEU and chrF against sacreBLEU 2.6: every segment and every corpus score, on real data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

import cupel
from cupel.corpus import Corpus

TOLERANCE = 1e-10

VARIANTS: dict[str, Callable[[], Any]] = {
    "bleu": lambda: BLEU(force=True),
    "bleu:effective_order=yes": lambda: BLEU(force=True, effective_order=True),
    "bleu:tokenize=intl,lowercase=yes": lambda: BLEU(force=True, tokenize="intl", lowercase=True),
    "bleu:tokenize=none": lambda: BLEU(force=True, tokenize="none"),
    "bleu:tokenize=char": lambda: BLEU(force=True, tokenize="char"),
    "bleu:tokenize=zh": lambda: BLEU(force=True, tokenize="zh"),
    "bleu:smooth_method=floor": lambda: BLEU(force=True, smooth_method="floor"),
    "bleu:smooth_method=floor,smooth_value=0.5": lambda: BLEU(
        force=True, smooth_method="floor", smooth_value=0.5
    ),
    "bleu:smooth_method=add-k,effective_order=yes": lambda: BLEU(
        force=True, smooth_method="add-k", effective_order=True
    ),
    "bleu:smooth_method=none": lambda: BLEU(force=True, smooth_method="none"),
    "bleu:max_ngram_order=2": lambda: BLEU(force=True, max_ngram_order=2),
    "chrf": CHRF,
    "chrf++": lambda: CHRF(word_order=2),
    "chrf:lowercase=yes,whitespace=yes": lambda: CHRF(lowercase=True, whitespace=True),
    "chrf++:eps_smoothing=yes,beta=3": lambda: CHRF(word_order=2, eps_smoothing=True, beta=3),
    "chrf:char_order=4": lambda: CHRF(char_order=4),
}


def largest_difference(spec: str, corpus: Corpus) -> float:
    """Between us and sacreBLEU, over the corpus scores and all segment scores."""
    theirs = VARIANTS[spec]()
    scores = cupel.score(corpus, metrics=[spec])
    worst = 0.0
    width = max(map(len, corpus.references))
    streams = [[r[j] if j < len(r) else None for r in corpus.references] for j in range(width)]
    for system, hypotheses in corpus.systems.items():
        expected = theirs.corpus_score(hypotheses, streams).score
        worst = max(worst, abs(scores.system_score(spec, system) - expected))
        segments = [
            theirs.sentence_score(hypothesis, list(references)).score
            for hypothesis, references in zip(hypotheses, corpus.references, strict=True)
        ]
        worst = max(worst, np.abs(scores.segment_scores(spec, system) - segments).max())
    return worst


def part(corpus: Corpus, systems: int, segments: slice) -> Corpus:
    chosen = list(corpus.systems)[:systems]
    return Corpus(
        {name: corpus.systems[name][segments] for name in chosen}, corpus.references[segments]
    )


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR", logger="sacrebleu")


@pytest.mark.parametrize("spec", ["bleu", "bleu:effective_order=yes", "chrf", "chrf++"])
@pytest.mark.parametrize(
    ("dataset", "pair"), [("wmt14", "cs-en"), ("wmt14", "hi-en"), ("wmt12", "en-de")]
)
def test_whole_newstests(newstest: Any, spec: str, dataset: str, pair: str) -> None:
    corpus = part(newstest(dataset, pair), 2, slice(None))
    assert largest_difference(spec, corpus) < TOLERANCE


@pytest.mark.parametrize("spec", VARIANTS)
@pytest.mark.parametrize(("dataset", "pair"), [("wmt14", "ru-en"), ("wmt12", "en-cs")])
def test_every_variant(newstest: Any, spec: str, dataset: str, pair: str) -> None:
    corpus = part(newstest(dataset, pair), 2, slice(0, 600))
    assert largest_difference(spec, corpus) < TOLERANCE


@pytest.mark.parametrize("spec", ["bleu", "bleu:effective_order=yes", "chrf", "chrf++"])
@pytest.mark.parametrize("references", [5, 20])
def test_mutt_trials_with_many_references(
    pack: Callable[[str], Path], spec: str, references: int
) -> None:
    pack("mutt")
    from cupel.data import mutt_corruptions, mutt_trials

    for corruption in mutt_corruptions():
        trials = mutt_trials(corruption, references)
        corpus = Corpus(
            {"original": trials.originals[:100], "corrupted": trials.corrupted[:100]},
            trials.references[:100],
        )
        assert largest_difference(spec, corpus) < TOLERANCE


def test_a_different_number_of_references_per_segment(newstest: Any) -> None:
    corpus = newstest("wmt14", "cs-en")
    first, second, third, *_ = corpus.systems.values()
    references = [
        (reference[0], a, b)[: 1 + index % 3]
        for index, (reference, a, b) in enumerate(
            zip(corpus.references, second, third, strict=True)
        )
    ]
    varied = Corpus({"system": first[:1000]}, references[:1000])
    for spec in ("bleu", "chrf++"):
        assert largest_difference(spec, varied) < TOLERANCE


# Alphabets in which rules collide: punctuation runs, digits, entities, scripts, odd white space.
TEXT = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="ab01.,-<>&;:'\"!?()/ \t\u00a0\u2028\u0085\x0b\r\n", max_size=30),
    st.lists(
        st.sampled_from(
            ["the", "cat", "3,500", "-", "1-2", "...", "&amp;", "&quot;x", "<skipped>", "U.S.",
             "½", "中文", "naïve", "ΟΔΥΣΣΕΥΣ", "İ", "e\u0301", "👍🏽", "$5.", ",,", ".5", "5.", "-\n"]
        ),
        max_size=8,
    ).map(" ".join),
)  # fmt: skip
SEGMENTS = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(SEGMENTS)
def test_arbitrary_unicode(segments: list[tuple[str, list[str]]]) -> None:
    corpus = Corpus({"system": [h for h, _ in segments]}, [r for _, r in segments])
    for spec in ("bleu", "bleu:lowercase=yes,tokenize=intl", "chrf++", "chrf:lowercase=yes"):
        if spec not in VARIANTS:
            VARIANTS[spec] = {
                "bleu:lowercase=yes,tokenize=intl": lambda: BLEU(
                    force=True, lowercase=True, tokenize="intl"
                ),
                "chrf:lowercase=yes": lambda: CHRF(lowercase=True),
            }[spec]
        assert largest_difference(spec, corpus) < TOLERANCE


def test_bleucomp_has_sacrebleus_counts(newstest: Any) -> None:
    corpus = newstest("wmt14", "cs-en")
    system, hypotheses = next(iter(corpus.systems.items()))
    theirs = BLEU(force=True).corpus_score(hypotheses, [[r[0] for r in corpus.references]])
    rows = cupel.score(Corpus({system: hypotheses}, corpus.references), metrics=["bleucomp"]).rows()
    ours = {row["metric"].removeprefix("bleucomp."): row["score"] for row in rows}
    for n in range(1, 5):
        assert ours[f"matches{n}"] == theirs.counts[n - 1]
        assert ours[f"totals{n}"] == theirs.totals[n - 1]
        assert ours[f"precision{n}"] == pytest.approx(theirs.precisions[n - 1] / 100, abs=1e-12)
    assert ours["hypothesis-length"] == theirs.sys_len
    assert ours["reference-length"] == theirs.ref_len
    assert ours["length-ratio"] == pytest.approx(theirs.ratio, abs=1e-12)
    assert ours["brevity-penalty"] == pytest.approx(theirs.bp, abs=1e-12)

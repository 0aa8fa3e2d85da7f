"""The same work by us and by a peer: each contest scores the same segments both ways.

A contest's functions take hypotheses and references (per segment) and return one array: segment
scores, or the corpus score alone. sacreBLEU keeps tokenised sentences in a cache; it is emptied
before each repetition, as for a file that is scored once. Ours keeps nothing between calls.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import cupel

Texts = Sequence[str]
References = Sequence[Sequence[str]]
Scorer = Callable[[Texts, References], npt.NDArray[np.float64]]

logging.getLogger("sacrebleu").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Contest:
    """One line of the table. `goal`: how many times faster than the peer we mean to be."""

    name: str
    peer: str
    ours: Scorer
    theirs: Scorer
    goal: float | None = None
    segments: int = 3003
    tolerance: float = 1e-9


def ours(spec: str, *, segments: bool = False) -> Scorer:
    def run(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
        scores = cupel.score(list(hypotheses), list(references), [spec])
        return scores.segment_scores(spec) if segments else np.array([scores.system_score(spec)])

    return run


def sacrebleu_corpus(name: str, **options: object) -> Scorer:
    def run(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
        _empty_caches()
        metric = _sacrebleu(name, options)
        return np.array([metric.corpus_score(hypotheses, _streams(references)).score])

    return run


def sacrebleu_segments(name: str, **options: object) -> Scorer:
    def run(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
        _empty_caches()
        score = _sacrebleu(name, options).sentence_score
        return np.array(
            [score(h, list(r)).score for h, r in zip(hypotheses, references, strict=True)]
        )

    return run


def _sacrebleu(name: str, options: dict[str, object]) -> Any:
    from sacrebleu import metrics

    return getattr(metrics, name)(**options)


def _streams(references: References) -> list[tuple[str, ...]]:
    return list(zip(*references, strict=True))


def _empty_caches() -> None:
    from sacrebleu.tokenizers import tokenizer_13a, tokenizer_re, tokenizer_ter

    tokenizer_13a.Tokenizer13a.__call__.cache_clear()
    tokenizer_re.TokenizerRegexp.__call__.cache_clear()
    tokenizer_ter.TercomTokenizer.__call__.cache_clear()


def nltk_nist(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
    from nltk.translate.nist_score import corpus_nist

    tokens = [[reference.split() for reference in texts] for texts in references]
    return np.array([corpus_nist(tokens, [hypothesis.split() for hypothesis in hypotheses])])


def coco_cider(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
    from pycocoevalcap.cider.cider import Cider

    return np.asarray(Cider().compute_score(*_coco(hypotheses, references))[1])


def coco_rouge(hypotheses: Texts, references: References) -> npt.NDArray[np.float64]:
    from pycocoevalcap.rouge.rouge import Rouge

    return np.asarray(Rouge().compute_score(*_coco(hypotheses, references))[1])


def _coco(
    hypotheses: Texts, references: References
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    return dict(enumerate(map(list, references))), {i: [h] for i, h in enumerate(hypotheses)}


CONTESTS = [
    Contest("bleu, corpus", "sacreBLEU", ours("bleu"), sacrebleu_corpus("BLEU"), 3),
    Contest(
        "bleu, segments",
        "sacreBLEU",
        ours("bleu:effective_order=yes", segments=True),
        sacrebleu_segments("BLEU", effective_order=True),
        5,
    ),
    Contest("chrf, corpus", "sacreBLEU", ours("chrf"), sacrebleu_corpus("CHRF"), 4),
    Contest(
        "chrf, segments", "sacreBLEU", ours("chrf", segments=True), sacrebleu_segments("CHRF"), 4
    ),
    Contest("chrf++, corpus", "sacreBLEU", ours("chrf++"), sacrebleu_corpus("CHRF", word_order=2)),
    Contest("ter, corpus", "sacreBLEU", ours("ter"), sacrebleu_corpus("TER"), 60, segments=1000),
    Contest(
        "ter, segments",
        "sacreBLEU",
        ours("ter", segments=True),
        sacrebleu_segments("TER"),
        60,
        segments=1000,
    ),
    # NLTK has no tokenizer of its own for NIST: both get words between blanks.
    Contest("nist, corpus", "NLTK", ours("nist:tokenize=none,lowercase=no"), nltk_nist, 5),
    Contest("cider", "pycocoevalcap", ours("cider", segments=True), coco_cider, 5),
    Contest("rouge-l", "pycocoevalcap", ours("rouge-l", segments=True), coco_rouge),
]

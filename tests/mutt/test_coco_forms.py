"""`bleu-coco` and `coco` against pycocoevalcap, on the trials of the paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError
from cupel.metrics.coco import CaptionText

pytest.importorskip("pycocoevalcap", reason="pycocoevalcap is not installed")


def test_bleu_is_pycocoevalcaps(pack: Callable[[str], Path]) -> None:
    from pycocoevalcap.bleu.bleu import Bleu

    from cupel.data import mutt_trials

    pack("mutt")
    trials = mutt_trials("remove_prep", 5)
    text = CaptionText()
    hypotheses = text([*trials.originals, *trials.corrupted])
    references = [text(texts) for texts in [*trials.references, *trials.references]]
    expected, segments = Bleu(4).compute_score(
        dict(enumerate(references)), {i: [h] for i, h in enumerate(hypotheses)}, verbose=0
    )
    metrics = [f"bleu-coco:max_ngram_order={n}" for n in (1, 2, 3, 4)]
    raw = cupel.score(
        [*trials.originals, *trials.corrupted], [*trials.references, *trials.references], metrics
    )
    for order, metric in enumerate(metrics):
        assert raw.segment_scores(metric) == pytest.approx(segments[order], rel=1e-12)
        assert raw[metric] == pytest.approx(expected[order], rel=1e-12)


def test_bleu_of_nothing_is_nearly_zero() -> None:
    for hypothesis in ("", "x y"):
        score = cupel.score([hypothesis], ["a b c d e"], "bleu-coco")["bleu-coco"]
        assert isinstance(score, float)
        assert 0 <= score < 1e-6


def test_the_adapter_gives_the_other_metric_the_captions() -> None:
    hypotheses, references = ["A Dog, running!", "Two cats."], ["the dog runs", "TWO CATS"]
    text = CaptionText()
    assert text(hypotheses) == ["a dog running", "two cats"]
    adapted = cupel.score(hypotheses, references, ["coco:metric=ter", "coco:metric=cider"])
    plain = cupel.score(text(hypotheses), text(references), ["ter", "cider"])
    for metric in ("ter", "cider"):
        assert np.array_equal(
            adapted.segment_scores(f"coco:metric={metric}"), plain.segment_scores(metric)
        )
    assert "text:coco|" in adapted.signatures["coco:metric=ter"]
    assert not adapted.metrics["coco:metric=ter"].higher_is_better


def test_an_unknown_metric_inside() -> None:
    with pytest.raises(CupelError, match="Unknown metric 'cidr'"):
        cupel.score(["a"], ["a"], "coco:metric=cidr")

"""`evaluate.load` by path: the results of the modules on the Hub, with sacreBLEU's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

import cupel
from cupel.errors import CupelError

TEXTS = ["The cat sat on the mat today.", "Hello there, General Kenobi!", "No."]
REFERENCES = [
    ["The cat sat on a mat today.", "A cat."],
    ["Hello there, General!", "Hi."],
    ["No"] * 2,
]
STREAMS = [list(stream) for stream in zip(*REFERENCES, strict=True)]


def test_paths() -> None:
    for name in ("bleu", "chrf", "metric", "sacrebleu", "ter"):
        assert (Path(cupel.adapters.evaluate_module(name)) / f"{name}.py").is_file()
    with pytest.raises(CupelError) as error:
        cupel.adapters.evaluate_module("rouge")
    assert str(error.value) == (
        "There is no module 'rouge' for evaluate; there are: bleu, chrf, metric, sacrebleu, ter."
    )


def test_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    evaluate = pytest.importorskip("evaluate", reason="the package evaluate is not installed")

    def computed(name: str, config: str | None = None, **options: Any) -> dict[str, Any]:
        module = evaluate.load(cupel.adapters.evaluate_module(name), config)
        result: dict[str, Any] = module.compute(predictions=TEXTS, **options)
        return result

    theirs = BLEU(lowercase=True).corpus_score(TEXTS, STREAMS)
    ours = computed("sacrebleu", references=REFERENCES, lowercase=True)
    assert ours == {
        "score": theirs.score, "counts": theirs.counts, "totals": theirs.totals,
        "precisions": theirs.precisions, "bp": theirs.bp,
        "sys_len": theirs.sys_len, "ref_len": theirs.ref_len,
    }  # fmt: skip
    single = BLEU(max_ngram_order=2).corpus_score(TEXTS, STREAMS[:1])
    share = computed("bleu", references=STREAMS[0], max_order=2)
    assert share["bleu"] == single.score / 100
    assert share["length_ratio"] == single.ratio
    assert (share["translation_length"], share["reference_length"]) == (
        single.sys_len,
        single.ref_len,
    )
    chrf = computed("chrf", references=REFERENCES, word_order=2)
    assert chrf["score"] == CHRF(word_order=2).corpus_score(TEXTS, STREAMS).score
    ter = TER(normalized=True).corpus_score(TEXTS, STREAMS)
    assert computed("ter", references=REFERENCES, normalized=True) == {
        "score": ter.score, "num_edits": ter.num_edits, "ref_length": ter.ref_length
    }  # fmt: skip
    scores = cupel.score(TEXTS, REFERENCES, "rouge-l")
    assert computed("metric", "rouge-l", references=REFERENCES) == {
        "score": scores["rouge-l"], "signature": scores.signatures["rouge-l"]
    }  # fmt: skip
    copied = computed("metric", "copied", references=STREAMS[0], sources=TEXTS)
    assert copied["score"] == cupel.score(TEXTS, metrics="copied", sources=TEXTS)["copied"]
    batches = evaluate.load(cupel.adapters.evaluate_module("bleu"))
    for text, reference in zip(TEXTS, STREAMS[0], strict=True):
        batches.add(prediction=text, reference=reference)
    assert batches.compute(max_order=2) == share

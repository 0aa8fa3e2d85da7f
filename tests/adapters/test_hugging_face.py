"""`compute_metrics` of a Trainer: token numbers in, scores of the texts out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import cupel
from cupel.errors import CupelError

WORDS = ["<pad>", "</s>", *"the a cat dog sat sits on mat . !".split()]


class Words:
    """A tokenizer of whole words; the first two are special."""

    def batch_decode(self, sequences: list[list[int]], *, skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens
        return [" " + " ".join(WORDS[n] for n in row if n > 1) for row in sequences]


@dataclass
class Evaluation:
    """What a Trainer hands over: transformers.EvalPrediction."""

    predictions: Any
    label_ids: Any
    inputs: Any = None


def numbers(*texts: str, fill: int = -100, length: int = 9) -> np.ndarray:
    rows = [[*map(WORDS.index, text.split()), 1] for text in texts]
    return np.array([row + [fill] * (length - len(row)) for row in rows])


TEXTS = ["the cat sat on the mat .", "a dog sits on a mat !", "the dog sat ."]
LABELS = ["a cat sat on the mat .", "a dog sits on the mat !", "the dog sat !"]


def test_scores_of_the_texts() -> None:
    expected = cupel.score(TEXTS, LABELS, ["bleu", "chrf++"])
    compute = cupel.adapters.compute_metrics(Words(), ["bleu", "chrf++"], prefix="dev_")
    for fill in (-100, 0):
        scores = compute(Evaluation(numbers(*TEXTS, fill=fill), numbers(*LABELS, length=12)))
        assert scores == {"dev_bleu": expected["bleu"], "dev_chrf++": expected["chrf++"]}
    beside = (numbers(*TEXTS), np.zeros((3, 2, 2)))  # models also return what they hold inside
    assert compute(Evaluation(beside, numbers(*LABELS))) == scores


def test_batch_by_batch() -> None:
    """As with `batch_eval_metrics=True`."""
    torch = pytest.importorskip("torch")
    compute = cupel.adapters.compute_metrics(Words(), ["bleu", "nist"])
    whole = compute(Evaluation(numbers(*TEXTS), numbers(*LABELS)))
    for _ in range(2):
        for row in range(3):
            evaluation = Evaluation(
                torch.tensor(numbers(TEXTS[row])), torch.tensor(numbers(LABELS[row]))
            )
            result = compute(evaluation, compute_result=row == 2)
            assert result == (whole if row == 2 else {})


def test_sources() -> None:
    evaluation = Evaluation(numbers("the cat sat on the mat"), numbers("a dog"))
    compute = cupel.adapters.compute_metrics(Words(), "copied")
    with pytest.raises(CupelError, match=r'set include_for_metrics=\["inputs"\] in its arguments'):
        compute(evaluation)
    evaluation.inputs = evaluation.predictions
    assert compute(evaluation) == {"copied": 100.0}
    evaluation.inputs = {"input_ids": evaluation.predictions, "attention_mask": None}
    assert compute(evaluation) == {"copied": 100.0}
    given = cupel.adapters.compute_metrics(Words(), "copied", sources=["something else"])
    assert given(evaluation) == {"copied": 0.0}


def test_scores_of_words_are_refused() -> None:
    compute = cupel.adapters.compute_metrics(Words(), "bleu")
    with pytest.raises(CupelError, match=r"shape \(3, 9, 4\) .* set predict_with_generate=True"):
        compute(Evaluation(np.zeros((3, 9, 4)), numbers(*LABELS)))


def test_a_real_tokenizer() -> None:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="<pad>")
    inner = tokenizers.Tokenizer(model)
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>"
    )
    evaluation = transformers.EvalPrediction(
        predictions=numbers(*TEXTS), label_ids=numbers(*LABELS, length=15)
    )
    compute = cupel.adapters.compute_metrics(tokenizer, ["bleu", "ter"])
    scores = cupel.score(TEXTS, LABELS, ["bleu", "ter"])
    assert compute(evaluation) == {"bleu": scores["bleu"], "ter": scores["ter"]}

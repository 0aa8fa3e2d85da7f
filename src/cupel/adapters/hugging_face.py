"""Cupel in the programs of Hugging Face: `compute_metrics` of a Trainer, modules of `evaluate`.

Neither `transformers` nor `evaluate` is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from cupel.adapters.accumulator import Accumulator
from cupel.errors import CupelError
from cupel.metric import SOURCES, needs_of
from cupel.registry import MetricLike

MODULES = Path(__file__).parent / "evaluate"


class Decoding(Protocol):
    """The part of a tokenizer that is used."""

    def batch_decode(self, sequences: Any, *, skip_special_tokens: bool) -> list[str]:
        """Token numbers per segment -> texts."""
        ...


def compute_metrics(
    tokenizer: Decoding,
    metrics: Sequence[MetricLike] | MetricLike = ("bleu",),
    *,
    prefix: str = "",
    sources: Sequence[str] | None = None,
) -> Callable[..., dict[str, float]]:
    """A function for the parameter `compute_metrics` of Hugging Face's Seq2SeqTrainer.

    tokenizer: of the target language; -100, which fills up labels and predictions, is dropped before
    it decodes. metrics: as for `cupel.score`. prefix: put before the names in the result; the
    Trainer itself puts `eval_` before all. sources: the texts that are translated, for metrics that
    read them; if not given, they are decoded from the inputs, which the Trainer hands over with
    `include_for_metrics=["inputs"]`.

    The Trainer must have `predict_with_generate=True`. With `batch_eval_metrics=True` only sums are
    kept from batch to batch.
    """
    accumulator = Accumulator(metrics)
    reads_sources = any(SOURCES in needs_of(metric) for metric in accumulator.metrics.values())

    def compute(evaluation: Any, compute_result: bool | None = None) -> dict[str, float]:
        if compute_result is None:  # the whole set at once
            accumulator.reset()
        hypotheses = _decoded(tokenizer, evaluation.predictions, "predictions")
        references = _decoded(tokenizer, evaluation.label_ids, "labels")
        origins = None
        if reads_sources:
            start = accumulator.segments
            origins = (
                sources[start : start + len(hypotheses)]
                if sources is not None
                else _sources(tokenizer, evaluation)
            )
        accumulator.update(hypotheses, references, origins)
        if compute_result is False:
            return {}
        scores = accumulator.compute()
        accumulator.reset()
        return {f"{prefix}{label}": score for label, score in scores.items()}

    return compute


def _sources(tokenizer: Decoding, evaluation: Any) -> list[str]:
    inputs = getattr(evaluation, "inputs", None)
    if inputs is None:
        raise CupelError(
            "A metric needs sources, and the Trainer gives no inputs: set "
            'include_for_metrics=["inputs"] in its arguments, or give compute_metrics the sources.'
        )
    if isinstance(inputs, Mapping):  # with batch_eval_metrics, all that the model is given
        inputs = inputs["input_ids"]
    return _decoded(tokenizer, inputs, "inputs")


def _decoded(tokenizer: Decoding, given: Any, what: str) -> list[str]:
    """(n, length) token numbers -> (n,) texts without outer spaces."""
    given = given[0] if isinstance(given, tuple) else given  # what else the model returned follows
    numbers = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
    if numbers.ndim != 2 or not np.issubdtype(numbers.dtype, np.integer):
        raise CupelError(
            f"The {what} of the Trainer are an array of shape {numbers.shape} and type "
            f"{numbers.dtype}, not token numbers per segment: set predict_with_generate=True in "
            "Seq2SeqTrainingArguments."
        )
    rows = [row[row >= 0].tolist() for row in numbers]
    texts = tokenizer.batch_decode(rows, skip_special_tokens=True)
    return [text.strip() for text in texts]


def evaluate_module(name: str = "metric") -> str:
    """The folder of a module for `evaluate.load`.

    name: `bleu`, `sacrebleu`, `chrf` or `ter` take and return what the modules of these names on the
    Hugging Face Hub do, with sacreBLEU's numbers. `metric` is for all: `evaluate.load(folder,
    "chrf++")` returns `score` and `signature`.
    """
    names = sorted(path.name for path in MODULES.iterdir() if (path / f"{path.name}.py").exists())
    if name not in names:
        raise CupelError(
            f"There is no module {name!r} for evaluate; there are: {', '.join(names)}."
        )
    return str(MODULES / name)

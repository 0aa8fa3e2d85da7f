"""The interface of torchmetrics over our numbers."""

from __future__ import annotations

import copy
import pickle
import warnings

import pytest

import cupel
from cupel.errors import CupelError

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics", reason="pip install 'cupel[torchmetrics]'")

CORPUS = cupel.data.sample()
TEXTS = list(CORPUS.systems["rough"])
REFERENCES = [list(texts) for texts in CORPUS.references]


def batches(size: int = 9):
    for start in range(0, len(TEXTS), size):
        yield TEXTS[start : start + size], REFERENCES[start : start + size]


@pytest.mark.parametrize("name", ["bleu", "chrf++", "ter", "rouge-l", "nist", "cider"])
def test_batches_and_forward(name: str) -> None:
    metric = cupel.adapters.TorchMetric(name)
    alone = cupel.Accumulator(name)
    for preds, target in batches():
        value = metric(preds, target)  # forward: the score of this batch
        alone.reset()
        alone.update(preds, target)
        assert value.item() == alone.compute()[name]
    alone.reset()
    alone.update(TEXTS, REFERENCES)
    assert metric.compute().item() == alone.compute()[name]
    assert metric.compute().dtype == torch.float64
    assert int(metric.segments) == 40
    metric.reset()
    metric.update(TEXTS[:3], target=REFERENCES[:3])
    other = pickle.loads(pickle.dumps(metric))
    other.reset()
    other.update(TEXTS[3:], target=REFERENCES[3:])
    metric.merge_state(other)
    assert metric.compute().item() == alone.compute()[name]


def test_a_collection_keeps_metrics_apart() -> None:
    """On the first batch WER and TER have the same statistics, later they have not."""
    collection = torchmetrics.MetricCollection(
        {"wer": cupel.adapters.TorchMetric("wer"), "ter": cupel.adapters.TorchMetric("ter")},
        prefix="val_",
    )
    assert collection["wer"].higher_is_better is False
    first = collection(["a b"], ["a c"])
    assert first["val_wer"] == first["val_ter"] == 50
    collection.update(preds=["c d a b"], target=[["a b c d"]])
    both = collection.compute()
    assert (
        both["val_wer"].item() == cupel.score(["a b", "c d a b"], ["a c", "a b c d"], "wer")["wer"]
    )
    assert (
        both["val_ter"].item() == cupel.score(["a b", "c d a b"], ["a c", "a b c d"], "ter")["ter"]
    )
    assert len(collection.compute_groups) == 2
    collection.reset()
    assert int(collection["ter"].segments) == 0


def test_inside_a_model_in_half_precision() -> None:
    model = torch.nn.Module()
    model.metric = cupel.adapters.TorchMetric("chrf")
    model.metric.update(TEXTS, REFERENCES)
    expected = model.metric.compute()
    model.to(torch.bfloat16).half()
    model.metric.update([], [])
    assert model.metric.compute() == expected
    assert copy.deepcopy(model).metric.compute() == expected


def count(hypothesis: str, references: list[str]) -> float:
    if hypothesis == "a":
        raise ValueError("not a text of the user's")
    return float(len(references))


def test_functions_and_errors() -> None:
    metric = cupel.adapters.TorchMetric(count)
    metric.update(["x", "y"], [["1", "2"], ["3"]])
    assert metric.compute().item() == 1.5
    with pytest.raises(CupelError, match="not a text of the user's"):
        metric.update(["a"], ["b"])
    assert metric.compute().item() == 1.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(CupelError, match="There is nothing to score"):
            cupel.adapters.TorchMetric("bleu").compute()

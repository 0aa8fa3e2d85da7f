"""The MUTT paper (Boag et al. 2016): Tables 3 to 7, the released results, the SICK pairs.

The released results are read from the pack; the paper's tables are below. They differ in some
cells because the paper ran more trials of some corruptions than were released.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cupel.mutt import Results, open_suite, run
from cupel.mutt.consistency import consistency
from cupel.mutt.named import PAPER, mutt_metrics
from cupel.mutt.templates import TEMPLATES, find, read_pairs
from cupel.reading import read_lines

COUNTS = (5, 10, 20)
RELEASED = {
    "CIDEr": ("coco", "CIDEr"),
    "BLEU": ("coco", "Bleu_4"),
    "ROUGE-L": ("coco", "ROUGE_L"),
    "METEOR": ("coco", "METEOR"),
    "BADGER": ("badger", "badger"),
}
# How many trials may come out otherwise: TERp is not among them, its released file being broken.
TRIALS_OFF = {"CIDEr": 2, "BLEU": 0, "ROUGE-L": 0, "METEOR": 1, "BADGER": 0}

# Tables 4 to 6 in percent, for 5, 10 and 20 references.
TABLES = {
    "neg_subj": {
        "CIDEr": (99.4, 99.4, 99.4), "BLEU": (99.1, 99.7, 99.7), "METEOR": (97.0, 98.5, 98.2),
        "BADGER": (97.9, 97.6, 98.2), "TERp": (99.7, 99.7, 99.4),
    },
    "neg_verb": {
        "CIDEr": (98.5, 98.5, 98.5), "BLEU": (97.5, 97.5, 98.0), "METEOR": (96.0, 96.0, 97.0),
        "BADGER": (93.6, 95.5, 96.5), "TERp": (95.5, 97.0, 95.0),
    },
    "sem_opps": {
        "CIDEr": (86.2, 92.7, 93.5), "BLEU": (76.4, 85.4, 88.6), "METEOR": (80.9, 86.6, 91.5),
        "BADGER": (76.0, 85.8, 88.6), "TERp": (75.2, 79.7, 80.1),
    },
    "passive": {
        "CIDEr": (5.5, 0.8, 2.5), "BLEU": (7.6, 4.6, 3.8), "METEOR": (23.9, 16.0, 13.0),
        "BADGER": (13.4, 11.3, 12.2), "TERp": (20.6, 16.4, 9.7),
    },
    "near_syms": {
        "CIDEr": (32.1, 26.2, 30.0), "BLEU": (45.0, 36.7, 34.2), "METEOR": (62.1, 62.1, 62.1),
        "BADGER": (80.8, 80.4, 86.7), "TERp": (53.3, 46.7, 41.2),
    },
    "det_sub": {
        "CIDEr": (40.0, 38.5, 56.9), "BLEU": (21.5, 27.7, 53.8), "METEOR": (55.4, 55.4, 70.8),
        "BADGER": (80.0, 84.6, 95.4), "TERp": (6.2, 10.8, 27.7),
    },
    "double_PP": {
        "CIDEr": (100.0, 99.0, 100.0), "BLEU": (100.0, 100.0, 100.0),
        "METEOR": (95.1, 98.5, 99.5), "BADGER": (63.5, 70.0, 74.9), "TERp": (96.6, 99.0, 99.0),
    },
    "remove_prep": {
        "CIDEr": (69.5, 76.8, 80.8), "BLEU": (63.5, 81.3, 87.7), "METEOR": (60.6, 72.9, 84.2),
        "BADGER": (63.1, 67.0, 71.4), "TERp": (52.7, 66.5, 70.4),
    },
    "swap_chunks": {
        "CIDEr": (91.4, 95.6, 96.6), "BLEU": (83.0, 91.4, 94.2), "METEOR": (81.2, 89.6, 92.4),
        "BADGER": (95.4, 96.6, 97.8), "TERp": (91.0, 93.4, 93.4),
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def results(pack: Callable[[str], Path]) -> Results:
    pytest.importorskip("pycocoevalcap", reason="METEOR's paraphrases come with pycocoevalcap")
    pack("mutt")
    return run(open_suite("mutt"), mutt_metrics(["paper"]))


def released(folder: Path, file: str) -> dict[tuple[str, str], list[float]]:
    """(corruption, metric) -> accuracies in percent, of a results/*.txt."""
    found = {}
    for block in (folder / "results" / f"{file}.txt").read_text().split("Corruption: ")[1:]:
        corruption = block.split("\n")[0]
        for name, *values in re.findall(r"(\S+): ([\d.]+) \| ([\d.]+) \| ([\d.]+)", block):
            found[corruption, name] = list(map(float, values))
    return found


@pytest.mark.parametrize("metric", RELEASED)
def test_every_released_accuracy(
    results: Results, pack: Callable[[str], Path], metric: str
) -> None:
    file, name = RELEASED[metric]
    theirs = released(pack("mutt"), file)
    compared = 0
    for (corruption, label), accuracies in theirs.items():
        if label != name:
            continue
        for count, accuracy in zip(COUNTS, accuracies, strict=True):
            ours = results.of(metric, corruption, count)
            off = abs(ours.successes.sum() - accuracy / 100 * len(ours.trials))
            # Released in percent with one decimal: of 500 trials known to a quarter of one.
            assert off < TRIALS_OFF[metric] + 0.3, (corruption, count)
            compared += 1
    assert compared == 30


@pytest.mark.parametrize("corruption", TABLES)
def test_terp_is_within_a_few_points_of_the_paper(results: Results, corruption: str) -> None:
    """Its paraphrases and stems are others here; det_sub has 65 trials, so 8 points are 5."""
    ours = [100 * results.of("TERp", corruption, count).accuracy for count in COUNTS]
    assert ours == pytest.approx(TABLES[corruption]["TERp"], abs=8)
    small = corruption in ("det_sub", "passive", "near_syms")
    assert small or ours == pytest.approx(TABLES[corruption]["TERp"], abs=3)


def test_the_order_among_metrics_is_the_papers(results: Results) -> None:
    """Of all pairs that the paper sees 5 points apart, wherever it does."""
    for corruption, rows in TABLES.items():
        for place, count in enumerate(COUNTS):
            for one in rows:
                for two in rows:
                    if rows[one][place] - rows[two][place] > 5:
                        first, second = (results.of(m, corruption, count) for m in (one, two))
                        assert first.accuracy > second.accuracy, (corruption, count, one, two)


def test_figure_4_determiners_gain_from_references(results: Results) -> None:
    for metric in ("CIDEr", "BLEU", "METEOR", "BADGER", "TERp"):
        few, many = (results.of(metric, "det_sub", count).accuracy for count in (5, 20))
        assert many > few + 0.1


def test_figure_5_passives_lose_by_references_and_meteor_is_the_best(results: Results) -> None:
    lexical = ("CIDEr", "BLEU", "METEOR", "BADGER", "TERp")
    for count in COUNTS:
        accuracy = {m: results.of(m, "passive", count).accuracy for m in lexical}
        assert max(accuracy, key=accuracy.__getitem__) == "METEOR"
    for metric in lexical:
        few, many = (results.of(metric, "passive", count).accuracy for count in (5, 20))
        assert many < few


def test_table_7_the_shape_of_w2v_avg(results: Results) -> None:
    """GloVe's vectors tell less apart than word2vec's, so passives are all within 15% here."""
    published = {"double_PP": (87.6,) * 3, "remove_prep": (78.4, 82.5, 82.5),
                 "sem_opps": (91.5, 93.0, 92.3), "neg_subj": (98.2, 99.1, 97.8),
                 "neg_verb": (72.8, 74.5, 60.7)}  # fmt: skip
    for place, count in enumerate(COUNTS):
        ours = {
            name: 100 * results.of("W2V-AVG", name, count).accuracy
            for name in ("swap_chunks", "shuffled", "det_sub", "near_syms", *published)
        }
        assert ours["swap_chunks"] == ours["shuffled"] == 0.0
        assert ours["det_sub"] == 100.0
        assert ours["near_syms"] > 98
        assert ours["neg_verb"] < ours["neg_subj"] - 15
        for name, values in published.items():
            assert ours[name] == pytest.approx(values[place], abs=16), name


def test_table_7_the_starred_rows(pack: Callable[[str], Path]) -> None:
    """By the difference formula a negated action is no difference at all."""
    pack("mutt")
    suite = open_suite("mutt").only(["neg_verb", "neg_subj"])
    starred = run(suite, [PAPER["W2V-AVG"]], formula="difference")
    for count in COUNTS:
        assert starred.of(PAPER["W2V-AVG"], "neg_verb", count).accuracy == 1.0


def test_cider_is_pycocoevalcaps_to_the_last_bit(
    results: Results, pack: Callable[[str], Path]
) -> None:
    """Re-ordered chunks nearly tie, so that accuracies hang on the last bit."""
    from pycocoevalcap.cider.cider import Cider

    from cupel.metrics.coco import CaptionText

    text = CaptionText()
    ours = results.of("CIDEr", "swap_chunks", 5)
    references = {i: text(t.references) for i, t in enumerate(ours.trials.trials)}
    for scores, sentences in (
        (ours.originals, text([t.original for t in ours.trials.trials])),
        (ours.corrupted, text([t.corrupted for t in ours.trials.trials])),
    ):
        _, theirs = Cider().compute_score(references, {i: [s] for i, s in enumerate(sentences)})
        assert np.array_equal(scores, theirs)


@pytest.fixture(scope="module")
def pairs(pack: Callable[[str], Path]) -> list:
    return find(read_pairs(pack("sick") / "SICK.txt"))


def released_pairs(path: Path) -> list[tuple[str, str]]:
    """The (original, corrupted) pairs in a corruptions/*.txt of the mutt pack."""
    pairs: list[tuple[str, str]] = []
    values: dict[str, str] = {}
    for line in read_lines(path):
        name, colon, value = line.strip().partition(":")
        if not colon or not line.startswith("\t"):
            continue
        values[name] = value.strip()
        if name == "score":
            pairs.append((values["sent"], values["corr"]))
    return pairs


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_templates_find_the_papers_pairs(
    pairs: list, pack: Callable[[str], Path], name: str
) -> None:
    """All of them, and no others."""
    listed = released_pairs(pack("mutt") / "corruptions" / f"{name}.txt")
    found = [(match.original, match.corrupted) for match in pairs if match.corruption == name]
    assert listed
    assert Counter(found) == Counter(listed)


@pytest.mark.parametrize("name", ["double_PP", "remove_prep"])
def test_generated_disruptions_are_mostly_the_papers(
    pack: Callable[[str], Path], name: str
) -> None:
    """Of the paper's 202 originals the parser's phrases give its own corruption 9 times in 10."""
    from cupel.data import mutt_trials
    from cupel.mutt.generated import generated_suite
    from cupel.mutt.parsed import words_of

    pytest.importorskip("spacy", reason="the English parser comes with spaCy")
    pack("mutt")
    trials = mutt_trials(name, 5)
    (suite,) = generated_suite(trials.originals, corruptions=[name]).sets
    made = {trial.original: trial.corrupted for trial in suite.trials}
    same = [
        words_of(made.get(original, "")) == words_of(corrupted)
        for original, corrupted in zip(trials.originals, trials.corrupted, strict=True)
    ]
    assert np.mean(same) > 0.88


def test_table_3_metrics_agree_among_themselves_and_not_with_people(pairs: list) -> None:
    pytest.importorskip("pycocoevalcap", reason="METEOR's paraphrases come with pycocoevalcap")
    analysis = consistency(pairs, ["meteor", "badger", "terp"], "neg_subj")
    gold, meteor, badger, _ = analysis.correlations()
    assert gold[1:] == pytest.approx([0.09, 0.03, 0.07], abs=0.03)
    assert meteor[2:] == pytest.approx([0.91, 0.80], abs=0.1)
    assert badger[3] == pytest.approx(0.80, abs=0.03)


def test_figure_2_people_spread_widely(pairs: list) -> None:
    analysis = consistency(pairs, ["chrf"], "neg_subj")
    assert analysis.spread()["gold"] == pytest.approx((3.62505, 0.44493), abs=1e-5)  # released

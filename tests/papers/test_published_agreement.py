"""Published figures of metrics against people, recomputed from the packs.

Sources: Macháček and Bojar 2014 (WMT14 metrics task), Callison-Burch et al. 2012 (WMT12), and the
NNRK paper's Table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cupel.human.rankings import wmt_rankings
from cupel.meta.campaign import evaluate

WMT14 = ["cs-en", "de-en", "fr-en", "hi-en", "ru-en"]
WMT12 = ["cs-en", "de-en", "es-en", "fr-en"]

# mteval's way: international tokenisation, lower case.
MTEVAL_BLEU = "bleu:tokenize=intl,lowercase=yes"
# Of sacreBLEU's smoothings, add-one on n > 1 (as Moses' sentence-bleu) comes closest.
SENTENCE_BLEU = "sentbleu:smooth_method=add-k,effective_order=no,tokenize=intl,lowercase=yes"


def values(dataset: str, metric: str, pairs: list[str], **options: object) -> list[float]:
    evaluation = evaluate(dataset, [metric], pairs=pairs, resamples=2, **options)  # type: ignore[arg-type]
    return [evaluation.value(metric, pair) for pair in pairs]


def test_system_level_pearson_of_bleu_on_wmt14(pack: Callable[[str], Path]) -> None:
    pack("wmt14")
    published = [0.909, 0.832, 0.952, 0.956, 0.789]
    found = values("wmt14", MTEVAL_BLEU, WMT14, level="system")
    assert found == pytest.approx(published, abs=0.0015)


def test_the_same_with_case_kept(pack: Callable[[str], Path]) -> None:
    pack("wmt14")
    found = values("wmt14", "bleu:tokenize=intl", WMT14, level="system")
    assert found == pytest.approx([0.908, 0.820, 0.955, 0.971, 0.792], abs=0.0006)


def test_segment_tau_of_sentence_bleu_on_wmt14(pack: Callable[[str], Path]) -> None:
    pack("wmt14")
    published = [0.213, 0.271, 0.378, 0.300, 0.263]
    found = values("wmt14", SENTENCE_BLEU, WMT14, statistic="tau-wmt14")
    assert found == pytest.approx(published, abs=0.0065)
    assert np.mean(found) == pytest.approx(np.mean(published), abs=0.001)


def test_system_level_spearman_of_bleu_on_wmt12(pack: Callable[[str], Path]) -> None:
    """The human scores of WMT12 are "> others", wins over wins and losses: exact."""
    pack("wmt12")
    for statistic in ("spearman", "spearman-no-ties"):
        found = values(
            "wmt12", "bleu", WMT12, level="system", statistic=statistic, human="wins-without-ties"
        )
        assert found == pytest.approx([0.886, 0.671, 0.874, 0.811], abs=0.0006)


def test_segment_tau_of_bleu_and_nist_on_wmt12(pack: Callable[[str], Path]) -> None:
    pack("wmt12")
    bleu = values("wmt12", "sentbleu", WMT12, statistic="tau-wmt12")
    assert bleu == pytest.approx([0.1588, 0.1856, 0.1857, 0.2083], abs=0.011)
    nist = values("wmt12", "nist", WMT12, statistic="tau-wmt12")
    assert nist == pytest.approx([0.1966, 0.2309, 0.2041, 0.2221], abs=0.006)


METEOR_ROWS = [
    ("wmt14", WMT14, {"statistic": "tau-wmt14"}, [0.282, 0.334, 0.406, 0.420, 0.329]),
    ("wmt12", WMT12, {"statistic": "tau-wmt12"}, [0.212, 0.275, 0.249, 0.251]),
    ("wmt14", WMT14, {"level": "system"}, [0.980, 0.927, 0.975, 0.457, 0.805]),
    (
        "wmt12",
        WMT12,
        {"level": "system", "statistic": "spearman", "human": "wins-without-ties"},
        [0.657, 0.885, 0.951, 0.843],
    ),
]


@pytest.mark.parametrize(("dataset", "pairs", "options", "published"), METEOR_ROWS)
def test_every_published_row_of_meteor(
    pack: Callable[[str], Path],
    dataset: str,
    pairs: list[str],
    options: dict[str, object],
    published: list[float],
) -> None:
    """METEOR 1.5, to the third decimal."""
    pytest.importorskip("pycocoevalcap", reason="METEOR's paraphrases come with pycocoevalcap")
    pack(dataset)
    found = values(dataset, "meteor", pairs, **options)
    assert [round(value, 3) for value in found] == published


def test_what_the_rankings_lost_on_the_way_does_not_matter_for_tau(
    pack: Callable[[str], Path],
) -> None:
    """wmt12 is as released. With ranks made dense and without all-tied rows, as wmt13 and wmt14
    are, it has the same strict pairs, and so the same taus.
    """
    pack("wmt12")
    given = wmt_rankings("wmt12")["de-en"]
    ranks = np.full_like(given.ranks, -1)
    for row, values_ in enumerate(given.ranks):
        known = values_[values_ > 0]
        ranks[row, values_ > 0] = np.unique(known, return_inverse=True)[1] + 1
    untied = np.array([len(set(r[r > 0])) > 1 for r in given.ranks])
    assert (~untied).any()
    assert (ranks != given.ranks).any()
    from dataclasses import replace

    dense = replace(given, ranks=ranks).rows(untied)
    before, after = given.pairs(), dense.pairs()
    for one, two in ((before.segment, after.segment), (before.better, after.better),
                     (before.worse, after.worse)):  # fmt: skip
        assert np.array_equal(one, two)

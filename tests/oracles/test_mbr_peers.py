"""Minimum Bayes risk decoding beside mbrs, and aggregate chrF beside fastChrF.

Recorded answers (tools/record_mbr.py) hold everywhere; where the peers are installed they are asked again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mbr_samples import corpus_of, samples, variants

import cupel

RECORD = Path(__file__).parent / "recorded_mbr.json"
CHOICES = Path(__file__).parent / "recorded_mbr_choices.json"
METRICS = ("bleu", "chrf", "ter")
ROUNDING = 2e-5
"""mbrs takes means of 32-bit numbers: of two candidates that are closer, it may choose either."""


@pytest.fixture(scope="module")
def recorded(pack: Any) -> list[tuple[list[str], dict[str, Any]]]:
    pack("wmt14"), pack("mqm21")
    rows = json.loads(RECORD.read_text("utf-8"))["segments"]
    texts = dict(samples())
    return [(texts[tuple(row["place"])], row) for row in rows]


@pytest.mark.parametrize("metric", METRICS)
def test_choices_and_expected_utilities_are_those_of_mbrs(recorded: Any, metric: str) -> None:
    assert len(recorded) == 56
    ties = 0
    for texts, row in recorded:
        index, utility, total = row[metric]
        choice = cupel.mbr(texts, metric)
        assert choice.utility == pytest.approx(utility, abs=ROUNDING)
        assert choice.utilities.sum() == pytest.approx(total, abs=1e-3)
        if texts.index(choice.text) != index:
            # Not the same text: then the two are equal for us, and the earlier one is chosen.
            assert choice.utilities[index] == pytest.approx(choice.utility, abs=1e-9)
            assert texts.index(choice.text) < index
            ties += 1
    assert ties <= TIES[metric]


TIES = {"bleu": 0, "chrf": 0, "ter": 1}
"""Segments in which two different texts are equally good."""


@pytest.mark.parametrize("metric", METRICS)
def test_choices_among_outputs_of_many_campaigns(lists: Any, metric: str) -> None:
    """Of mbrs too; where it differs, the two are equally good, and mbrs takes any of the equals."""
    place, others = METRICS.index(metric), 0
    for texts, answers in lists:
        choice, index = cupel.mbr(texts, metric), answers[place]
        if texts.index(choice.text) != index:
            assert choice.utilities[index] == pytest.approx(choice.utility, abs=1e-9)
            assert texts.index(choice.text) < index
            others += 1
    assert others <= 0.05 * len(lists)


@pytest.fixture(scope="module")
def lists(pack: Any) -> list[tuple[list[str], list[int]]]:
    """Lists of outputs, and by metric what mbrs chose, recorded by tools/compare_mbr.py."""
    record = json.loads(CHOICES.read_text("utf-8"))
    corpora: dict[tuple[str, str], Any] = {}
    rows = []
    for dataset, pair, segment, *answers in record["lists"]:
        if (dataset, pair) not in corpora:
            pack(dataset)
            corpora[dataset, pair] = corpus_of(dataset, pair)
        systems = list(corpora[dataset, pair].systems.values())[: record["most"]]
        rows.append(([lines[segment] for lines in systems], answers))
    assert len(rows) >= 400
    return rows


def test_the_aggregate_is_that_of_fastchrf(recorded: Any) -> None:
    for texts, row in recorded:
        choice = cupel.mbr(texts, "chrf", method="aggregate")
        assert choice.utilities.sum() == pytest.approx(row["aggregate"][0], abs=1e-6)
        assert choice.utility == pytest.approx(row["aggregate"][1], abs=1e-6)


def test_fastchrf_itself(recorded: Any) -> None:
    fastchrf = pytest.importorskip("fastchrf", reason="fastchrf is not installed")
    for texts, _ in recorded[::20]:
        many = variants(texts, 60)
        choice = cupel.mbr(many, "chrf", matrix=True)
        (pairs,) = fastchrf.pairwise_chrf([many], [many])
        assert np.abs(choice.matrices["chrf"] - np.array(pairs)).max() < 1e-9
        (aggregate,) = fastchrf.aggregate_chrf([many], [many])
        found = cupel.mbr(many, "chrf", method="aggregate").utilities
        assert np.abs(found - np.array(aggregate)).max() < 1e-6


@pytest.mark.parametrize("metric", METRICS)
def test_mbrs_itself(recorded: Any, metric: str) -> None:
    pytest.importorskip("mbrs", reason="mbrs is not installed")
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.metrics import get_metric

    kind = get_metric(metric)
    decoder = DecoderMBR(DecoderMBR.Config(), kind(kind.Config(num_workers=1)))
    for texts, _ in recorded[::15]:
        output = decoder.decode(texts, texts)
        choice = cupel.mbr(texts, metric)
        assert choice.utility == pytest.approx(output.score[0], abs=ROUNDING)
        assert choice.utilities[output.idx[0]] == pytest.approx(choice.utility, abs=ROUNDING)

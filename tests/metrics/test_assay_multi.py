"""assay-multi: what it counts, in many scripts, and what it must never be fooled by."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cupel
from cupel.batch import Batch
from cupel.cli import app
from cupel.errors import CupelError, MissingPart
from cupel.metrics.assay_multi import EMBEDDED, TABLE, AssayMulti, own_card
from cupel.metrics.assay_multi_features import features
from cupel.metrics.by_language import for_target
from cupel.neural.gemma_package import gemma_missing
from cupel.registry import get_metric

LEXICAL = "assay-multi:encoder=no"
needs_gemma = pytest.mark.skipif(gemma_missing() is not None, reason=str(gemma_missing()))
TEXTS = {
    "de": (
        "Die Regierung kündigte am Montag an, dass 12 Steuern im nächsten Jahr steigen werden.",
        "Die Regierung gab am Montag bekannt, dass 12 Steuern im nächsten Jahr erhöht werden.",
        "Eine junge Frau schneidet in der Küche Zwiebeln, und draußen regnet es seit Stunden.",
    ),
    "ja": (
        "政府は月曜日、来年12の税金が上がると発表した。",
        "政府は月曜日に、来年12の税金が引き上げられると発表しました。",
        "若い女性が台所で玉ねぎを切っている。",
    ),
    "hi": (
        "सरकार ने सोमवार को घोषणा की कि अगले साल 12 कर बढ़ेंगे।",
        "सरकार ने सोमवार को बताया कि अगले वर्ष 12 कर बढ़ाए जाएंगे।",
        "एक युवा महिला रसोई में प्याज काट रही है।",
    ),
    "ar": (
        "أعلنت الحكومة يوم الاثنين أن 12 ضريبة سترتفع العام المقبل.",
        "قالت الحكومة يوم الاثنين إن 12 ضريبة ستزداد في العام المقبل.",
        "امرأة شابة تقطع البصل في المطبخ.",
    ),
}


def scores(hypotheses: list[str], *references: str, metric: str = LEXICAL) -> np.ndarray:
    result = cupel.score(hypotheses, [list(references)] * len(hypotheses), [metric])
    return result.segment_scores(metric)


@pytest.mark.parametrize("language", TEXTS)
def test_better_translations_score_higher(language: str) -> None:
    reference, good, other = TEXTS[language]
    half = good[: len(good) // 2]
    wrong = good.replace("12", "47")
    same, paraphrase, number, cut, different, empty = scores(
        [reference, good, wrong, half, other, ""], reference
    )
    assert 1.0 > same > paraphrase > number > different > 0.0
    assert paraphrase > cut > empty
    assert different > empty or empty < 0.1


def test_the_best_reference_counts() -> None:
    reference, good, other = TEXTS["de"]
    alone, both = scores([good], reference)[0], scores([good], other, reference)[0]
    assert both == alone > scores([good], other)[0]


def test_statistics_are_those_of_other_metrics() -> None:
    rows = [(good, reference) for reference, good, _ in TEXTS.values()]
    batch = Batch([good for good, _ in rows], [[reference] for _, reference in rows])
    names, values = features(batch, EMBEDDED / TABLE)
    of = dict(zip(names, values.T, strict=True))
    chrf = get_metric("chrf++")
    np.testing.assert_allclose(of["chrf++"], chrf.score(chrf.statistics(batch)) / 100)
    # "12" is in all of them, and nothing else is a number.
    assert of["numbers-f"].tolist() == [1.0] * 4
    assert of["latin"].tolist() == [0.0] * 4
    # Japanese words are single characters, but for numbers: 23 and 30 of them, 22 in both.
    assert of["word1-r"][1] == 22 / 23
    assert of["word1-p"][1] == 22 / 30


def test_a_batch_does_not_matter() -> None:
    reference, good, other = TEXTS["de"]
    together = scores([good, other], reference)
    assert together.tolist() == [scores([good], reference)[0], scores([other], reference)[0]]
    # Words that begin alike, of which one is frequent.
    rows = [("Der Zeitgeist ging.", "Ein Zeitgeist geht."), ("zeit", "Zeit ist Geld")]
    batch = Batch([ours for ours, _ in rows], [[theirs] for _, theirs in rows])
    alone = [Batch([ours], [[theirs]]) for ours, theirs in rows]
    metric = AssayMulti(encoder=False)
    assert metric.raw(batch).tolist() == [float(metric.raw(one)[0]) for one in alone]


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "assay-multi"
    folder.mkdir()
    for name in ("card.json", TABLE):
        (folder / name).write_bytes((EMBEDDED / name).read_bytes())
    table = np.load(folder / TABLE)
    table[0, 0] ^= 1
    np.save(folder / TABLE, table)
    monkeypatch.setattr("cupel.metrics.assay_multi.EMBEDDED", folder)
    with pytest.raises(CupelError, match="is not the file that its card describes"):
        own_card.__wrapped__()


def test_assay_is_assay_multi_out_of_english() -> None:
    assert for_target(["chrf", "assay"], "en-de") == ["chrf", "assay-multi"]
    assert for_target(["assay"], "de-en") == ["assay"]
    assert for_target(["assay"], None) == ["assay"]


@pytest.mark.skipif(gemma_missing() is None, reason="Gemma is installed")
def test_without_the_packages_the_front_door_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("Ein Satz.\n")
    arguments = ["score", str(tmp_path / "ref"), "-i", str(tmp_path / "ref"), "-l", "en-de"]
    with pytest.raises(MissingPart, match=r"pip install 'cupel\[multi\]'"):
        CliRunner().invoke(app, [*arguments, "-m", "assay"], catch_exceptions=False)


@needs_gemma
def test_meanings_count() -> None:
    """The matcher prefers a synonym to another word; words alone do not."""
    pytest.importorskip("torch")
    reference = "Der Arzt sagte, das Kind sei gesund."
    texts = [
        "Der Mediziner meinte, das Kind sei gesund.",
        "Der Bäcker fragte, das Kind sei gesund.",
        "Der Arzt sagte, das Kind sei krank.",
    ]
    batch = Batch(texts, [[reference]] * len(texts))
    lexical = AssayMulti(encoder=False).raw(batch)
    near, other, opposite = AssayMulti().raw(batch) - lexical
    assert near > other > opposite
    assert (np.diff(lexical) > 0).all()
    assert near == pytest.approx(1.69, abs=0.02)


def test_precisions() -> None:
    with pytest.raises(CupelError, match=r"Unknown value 'half' of assay-multi:precision"):
        AssayMulti(precision="half")
    assert "precision" not in str(AssayMulti(encoder=False).signature())


@needs_gemma
def test_the_encoder_does_not_see_other_texts() -> None:
    """Nor do few digits change much; a text of several windows is read to its end."""
    pytest.importorskip("torch")
    rows = [(good, reference) for reference, good, _ in TEXTS.values()]
    long = " ".join(reference for reference, _, _ in TEXTS.values()) * 4
    rows += [(long + " Ende", long), (long + " Ende", long + " Anfang"), ("", "ja")]
    batch = Batch([ours for ours, _ in rows], [[theirs] for _, theirs in rows])
    together = AssayMulti().raw(batch)
    alone = [AssayMulti().raw(Batch([ours], [[theirs]]))[0] for ours, theirs in rows]
    np.testing.assert_allclose(together, alone, atol=1e-4)
    np.testing.assert_allclose(AssayMulti(precision="bfloat16").raw(batch), together, atol=0.1)
    assert together[4] != together[5]

"""Preferences of a teacher as further pairs for NNRK, and the rankings of WMT15 as examples."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_nnrk import examples

from cupel.errors import CupelError
from cupel.learned.nnrk.data.json_rankings import json_examples
from cupel.learned.nnrk.data.teacher import steepness, taught, with_teacher, without_teacher
from cupel.learned.nnrk.model.features import feature_set


def test_the_steepness_is_that_of_the_judges() -> None:
    random = np.random.default_rng(1)
    difference = random.normal(0, 2.0, 40_000)
    preferred = random.random(40_000) < 1 / (1 + np.exp(-0.7 * difference))
    assert steepness(np.where(preferred, difference, -difference)) == pytest.approx(0.7, abs=0.02)
    with pytest.raises(CupelError, match="the same score"):
        steepness(np.zeros(10))
    with pytest.raises(CupelError, match="judges do not"):
        steepness(np.array([-1.0, -2.0, 0.5]))


def test_taught_pairs_follow_the_teacher_within_segments() -> None:
    judged = examples(300)
    # Four items a segment, and a teacher whose scores are the one skip arc.
    judged = replace(judged, reference=np.minimum(np.arange(len(judged.psi)) // 4, 99))
    scores = judged.psi[:, 0]
    count = len(judged)
    more = taught(judged, scores, 5000, seed=5)
    assert len(more) == count + 5000
    assert np.array_equal(more.label[:count], judged.label)
    first, second, label = more.first[count:], more.second[count:], more.label[count:]
    assert (first != second).all()
    assert np.array_equal(judged.reference[first], judged.reference[second])
    steep = steepness(
        np.where(judged.label == 1, 1, -1) * (scores[judged.first] - scores[judged.second])
    )
    likely = 1 / (1 + np.exp(-steep * (scores[first] - scores[second])))
    assert label.mean() == pytest.approx(likely.mean(), abs=0.03)
    sure = likely > 0.9
    assert label[sure].mean() == pytest.approx(likely[sure].mean(), abs=0.03)
    again = taught(judged, scores, 5000, seed=5)
    assert np.array_equal(again.label, more.label)


def test_rankings_of_wmt15_become_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {
            "reference": "a b c",
            "items": [["s1", "a b c", 1], ["s2", "a x c", 3], ["s3", "a x c", 3]],
        },
        {"reference": "d e", "items": [["s1", "d", 2], ["s2", "d e", 1], ["s3", "e", 2]]},
    ]
    folder = tmp_path / "wmt15-rankings"
    folder.mkdir()
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "cs-en.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    monkeypatch.setenv("CUPEL_CACHE", str(tmp_path / "cache"))
    features = with_teacher(feature_set("per;wiki-gw50"), "wer")
    (part,) = json_examples(features, None)
    # Items: 0 "a b c", 1 "a x c" (of two systems), 2 "d", 3 "d e", 4 "e"; equal ranks are no pair.
    got = set(zip(part.first.tolist(), part.second.tolist(), part.label.tolist(), strict=True))
    assert got == {(0, 1, 1), (2, 3, 0), (3, 4, 1)}
    assert len(part) == 4  # the first pair twice, for two systems
    assert part.line.tolist() == [0, 0, 1, 1]
    plain, scores = without_teacher(part)
    assert scores[[0, 3]].tolist() == [0.0, 0.0]
    assert scores[1] > 0
    assert plain.psi.shape == (5, 1)
    (folder / "cs-en.jsonl").write_text('{"reference": "a", "items": [["s"]]}\n')
    with pytest.raises(CupelError, match=r"line 1.*system, text and rank"):
        list(json_examples(features, None))


def test_a_teacher_is_a_metric() -> None:
    with pytest.raises(CupelError, match="A teacher is a metric"):
        with_teacher(feature_set("per"), "wiki-gw50")

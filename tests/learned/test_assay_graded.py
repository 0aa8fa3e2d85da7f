"""Graded campaigns: how they are read, drawn into batches, learned from and agreed with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from cupel.errors import CupelError, MissingPart
from cupel.human.evalset import read_evalset
from cupel.learned.assay.data.examples import HELD_OUT, JUDGED, LINES, TIED, Builder, Judgments
from cupel.learned.assay.data.graded import (
    CAMPAIGNS,
    POOL,
    SAME_SEGMENT,
    GradedBatch,
    LineNumbers,
    add_campaign,
    from_penalties,
    graded_batches,
    graded_pairs,
    is_campaign,
    pack_folder,
)
from cupel.learned.assay.data.json_rankings import JSON_RANKINGS, add_json_rankings

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from test_assay_model import CPU, made_up, tiny  # noqa: E402

from cupel.learned.assay.model.scoring import raw_scores  # noqa: E402
from cupel.learned.assay.training.graded import (  # noqa: E402
    agreement,
    correlations,
    graded_cost,
    within_segments,
)
from cupel.learned.assay.training.loop import train  # noqa: E402
from cupel.learned.assay.training.run import figures  # noqa: E402
from cupel.learned.assay.training.settings import Training  # noqa: E402


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """xx-en: two systems, three segments, of which the last was not judged and one has no reference."""
    files = {
        "sources/xx-en.txt": "eins\nzwei\ndrei\nvier\n",
        "references/xx-en.refA.txt": "one\ntwo\nthree\n\n",
        "system-outputs/xx-en/good one.txt": "one\ntwo\nthree\nfour\n",
        "system-outputs/xx-en/bad.txt": "a\nb\nc\nd\n",
        "human-scores/xx-en.mqm.seg.score": "good one\t0\ngood one\t-1\ngood one\tNone\ngood one\t0\n"
        "bad\t-25\nbad\t-5\nbad\tNone\nbad\t-1\n",
        "sources/en-xx.txt": "one\n",
    }
    for name, text in files.items():
        path = tmp_path / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "own"


def marked(segments: int = 60) -> Judgments:
    """Two campaigns of translations with 0 to 3 wrong words, fewer is better; no preferences."""
    data = made_up(segments)
    none = np.zeros(0, np.int64)
    campaign = 1 + (data.segment % 2)
    return replace(
        data,
        segment=data.segment + LINES * campaign,
        better=none, worse=none, kind=none, graded=none, grade=np.zeros(0, np.float32),
        marked=data.graded, mark=data.grade, campaign=campaign,
    )  # fmt: skip


def test_a_folder_beside_you_does_not_hide_a_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("wmt13", "mine"):
        Path(name).mkdir()
    assert not is_campaign("wmt13")
    assert is_campaign("mine")


def test_a_campaign_of_your_own(campaign: Path) -> None:
    assert is_campaign(str(campaign))
    assert is_campaign("bio21:de-en")
    (pair,) = graded_pairs(str(campaign))
    assert pair.pair == "xx-en"
    assert pair.hypotheses == ["a", "b", "one", "two"]
    assert pair.references == ["one", "two", "one", "two"]
    assert pair.lines == [0, 1, 0, 1]
    raw = -np.log([26.0, 6.0, 1.0, 2.0])
    assert pair.grades == pytest.approx((raw - raw.mean()) / raw.std())


def test_penalties_of_mqm() -> None:
    assert from_penalties(np.array([0.0, -1.0, -25.0])) == pytest.approx(-np.log([1, 2, 26]))


def test_a_campaign_in_json_lines(tmp_path: Path) -> None:
    rows = [("a", "one", 0.5), ("b", "two", -1.5), ("c", "one", -0.5)]
    (tmp_path / "xx-en.jsonl").write_text(
        "".join(
            json.dumps({"hypothesis": h, "reference": r, "score": s, "source": f"of {r}"}) + "\n"
            for h, r, s in rows
        )
    )
    (pair,) = graded_pairs(str(tmp_path))
    assert pair.hypotheses == ["a", "b", "c"]
    assert pair.sources == ["of one", "of two", "of one"]
    assert pair.lines[0] == pair.lines[2] != pair.lines[1]
    assert pair.grades == pytest.approx(np.array([1.0, -1.0, 0.0]) * np.sqrt(1.5))
    (tmp_path / "xx-en.jsonl").write_text('{"hypothesis": "a", "reference": "b"}\n')
    with pytest.raises(CupelError, match=r"line 1: a hypothesis, a reference and a score were"):
        graded_pairs(str(tmp_path))


def test_what_is_refused(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = campaign / "human-scores/xx-en.mqm.seg.score"
    scores.write_text("bad\t-1\n" * 4)
    with pytest.raises(CupelError, match="nothing to learn from grades that are all the same"):
        graded_pairs(str(campaign))
    scores.unlink()
    with pytest.raises(CupelError, match=r"has no human-scores/xx-en\.NAME\.seg\.score"):
        graded_pairs(str(campaign))
    (campaign / "sources/xx-en.txt").unlink()
    with pytest.raises(CupelError, match="has no language pair into English"):
        graded_pairs(str(campaign))
    monkeypatch.setenv("CUPEL_DATA", str(campaign.parent))
    with pytest.raises(MissingPart, match=r"The dataset ted21 is not here \(looked for ted21/"):
        pack_folder("ted21")
    (campaign / "sources/xx-en.txt").write_text("eins\n")
    campaign.rename(campaign.parent / "ted21")
    with pytest.raises(CupelError, match=r"ted21 has no judgments of 'yy-en'; it has en-xx, xx-en"):
        graded_pairs("ted21:yy-en")


def test_a_reference_is_held_out_everywhere_or_nowhere() -> None:
    first, second = LineNumbers(), LineNumbers()
    texts = [f"reference {number}" for number in range(2000)]
    one = [first(text) for text in texts]
    other = [second(text) for text in reversed(texts)][::-1]
    assert len(set(one)) == len(set(other)) == 2000
    assert max(one) < LINES
    assert [a % HELD_OUT for a in one] == [b % HELD_OUT for b in other]


def test_items_of_a_campaign_carry_its_number(campaign: Path) -> None:
    builder = Builder()
    assert add_campaign(builder, str(campaign), 7) == 8
    assert add_campaign(builder, str(campaign), 8) == 9
    items, marks, numbers = zip(*builder.marks, strict=True)
    assert numbers == (1, 1, 1, 1, 2, 2, 2, 2)
    segments = [segment for _, _, segment in builder.items]
    assert segments == [7 * LINES, 7 * LINES + 1] * 2 + [8 * LINES, 8 * LINES + 1] * 2
    assert items == tuple(range(8))
    assert marks[:4] == marks[4:]
    assert builder.sources == {
        number * LINES + line: text
        for number in (7, 8)
        for line, text in enumerate(["eins", "zwei"])
    }


def test_rankings_in_json_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUPEL_DATA", str(tmp_path))
    path = tmp_path / JSON_RANKINGS / "xx-en.jsonl"
    path.parent.mkdir()
    items = [["s1", "fair", 2], ["s2,s3", "good", 1], ["s4", "also fair", 2], ["s5", "fair", 3]]
    path.write_text(json.dumps({"reference": "best", "items": items}) + "\n")
    builder = Builder()
    assert add_json_rankings(builder, 3, outputs=True) == 4
    fair, good, also = 0, 1, 2
    assert builder.pairs == [
        (good, fair, JUDGED), (fair, also, TIED), (good, also, JUDGED), (good, fair, JUDGED),
        (also, fair, JUDGED),
    ]  # fmt: skip
    assert list(builder.outputs) == [fair, good, also]
    path.write_text('{"reference": "best", "items": [["s1", "fair"]]}\n')
    with pytest.raises(CupelError, match="items of system, text and rank were expected"):
        add_json_rankings(Builder(), 0, outputs=False)


def test_a_batch_has_some_of_every_campaign() -> None:
    data = marked()
    seen: set[int] = set()
    for batch in islice(graded_batches(data, 12, np.random.default_rng(0)), 2 * POOL):
        assert np.bincount(batch.campaign).tolist() == [12, 12]
        assert (data.campaign[batch.marks] == batch.campaign + 1).all()
        segment = data.segment[data.marked[batch.marks]]
        assert np.unique(segment, return_counts=True)[1].max() <= 2 * SAME_SEGMENT
        grades = data.mark[batch.marks]
        assert (grades[batch.higher] > grades[batch.lower]).all()
        assert (segment[batch.higher] == segment[batch.lower]).all()
        pairs = sum(
            int(a == b and g > h)
            for a, g in zip(segment, grades, strict=True)
            for b, h in zip(segment, grades, strict=True)
        )
        assert len(batch.higher) == pairs > 10
        seen |= set(batch.marks.tolist())
    assert seen == set(range(len(data.marked)))


def test_correlations_by_campaign() -> None:
    first, second = torch.randn(20), torch.randn(20)
    group = torch.arange(20) % 2
    result = correlations(first, second, group, 3)
    for number in (0, 1):
        pair = torch.stack([first[group == number], second[group == number]])
        assert float(result[number]) == pytest.approx(float(torch.corrcoef(pair)[0, 1]), abs=1e-5)
    assert float(correlations(torch.ones(4), second[:4], group[:4], 2).abs().max()) == 0.0


def test_the_cost_of_a_batch() -> None:
    batch = GradedBatch(
        np.arange(4), np.array([0, 0, 1, 1]), higher=np.array([0, 2]), lower=np.array([1, 3])
    )
    data = replace(
        marked(),
        mark=np.array([2.0, 0.0, 0.25, 0.0], np.float32),
        campaign=np.array([1, 1, 2, 2]),
    )
    scores = torch.tensor([1.0, 0.0, 0.0, 3.0])
    # r is 1 and -1; the second pair's grades differ by a quarter, so it counts a quarter.
    costs = np.log1p(np.exp([-1.0, 3.0]))
    within = (costs[0] + 0.25 * costs[1]) / 1.25
    expected = 0.5 * (0.0 + 2.0) / 2 + 2.0 * within
    lines = torch.tensor([[9.0, 9.0], [2.0, 0.0], [1.0, -1.0]])
    how = Training(regressed=0.0, correlated=0.5, within=2.0)
    cost = float(graded_cost(scores, lines, data, batch, how))
    assert cost == pytest.approx(expected, abs=1e-4)
    # As grades the scores are 2 and 0 by the first campaign's line, -1 and 2 by the second's.
    how = Training(regressed=3.0, correlated=0.0, within=0.0)
    cost = float(graded_cost(scores, lines, data, batch, how))
    assert cost == pytest.approx(3.0 * (1.25**2 + 2.0**2) / 4)


def test_a_campaign_has_its_share_of_a_batch() -> None:
    data = marked()
    large = np.flatnonzero(data.campaign == 2)
    data = replace(
        data,
        marked=np.concatenate([data.marked, np.repeat(data.marked[large], 8)]),
        mark=np.concatenate([data.mark, np.repeat(data.mark[large], 8)]),
        campaign=np.concatenate([data.campaign, np.full(8 * len(large), 2)]),
    )
    counts = np.bincount(data.campaign)[1:]
    batch = next(graded_batches(data, 12, np.random.default_rng(0), 0.5))
    sizes = np.bincount(batch.campaign)
    assert sizes.sum() == 24
    assert sizes[1] / sizes[0] == pytest.approx((counts[1] / counts[0]) ** 0.5, rel=0.1)


def test_tau_within_segments() -> None:
    segment = np.array([5, 9, 5, 9, 5])
    grades = np.array([3.0, 1.0, 2.0, 1.0, 1.0])
    # Segment 5: three pairs, of which one agrees, one disagrees and one is tied; 9: people tied.
    assert within_segments(np.array([2.0, 0.0, 2.0, 1.0, 2.5]), grades, segment) == pytest.approx(
        -2 / 3
    )
    assert within_segments(grades, grades, segment) == 1.0
    assert np.isnan(within_segments(grades[[1, 3]], grades[[1, 3]], segment[[1, 3]]))


def test_it_learns_from_graded_campaigns_alone() -> None:
    data = marked()
    model = tiny()
    scores = raw_scores(model, data.pieces, data.hypothesis, data.reference)
    before = agreement(scores.astype(np.float64), data)
    assert list(before) == [1, 2]
    how = Training(epochs=6, marks=24, encoder_rate=1e-3, rate=1e-2, average=0.0, dropout=0.0)
    trained, log = train(model, data, how, CPU, check=lambda m: figures(m, data))
    scores = raw_scores(trained, data.pieces, data.hypothesis, data.reference)
    after = agreement(scores.astype(np.float64), data)
    for number in (1, 2):
        assert after[number]["tau"] > 0.85
        assert after[number]["r"] > 0.85
    assert log[-1].figures["campaigns r"] == pytest.approx(
        np.mean([after[n]["r"] for n in (1, 2)]), abs=1e-4
    )
    assert log[-1].loss < log[0].loss


def test_preferences_and_campaigns_are_learned_together() -> None:
    ranked, graded = made_up(20), marked(20)
    data = replace(ranked, marked=graded.marked, mark=graded.mark, campaign=graded.campaign)
    how = Training(epochs=2, batch=8, marks=8, average=0.0)
    _, log = train(tiny(), data, how, CPU, check=lambda m: figures(m, data))
    assert {"tau", "grades", "campaigns tau", "campaigns r"} <= set(log[-1].figures)
    assert data.part(True).marked.tolist() == data.marked[: 4 * 1].tolist()  # segment 0 of 20
    assert len(data.part(False).campaign) == len(data.campaign) - 4


@pytest.fixture
def graded_pack() -> Callable[[str], None]:
    def there(name: str) -> None:
        try:
            pack_folder(name)
        except MissingPart as missing:
            pytest.skip(str(missing))

    return there


@pytest.mark.parametrize(
    ("name", "pairs", "items", "segments"),
    [
        ("mqm21", ["zh-en"], 5200, 650),
        ("ted21", ["zh-en"], 6877, 529),
        ("bio21", ["de-en", "es-en", "fr-en", "it-en", "pt-en", "ru-en", "zh-en"], 21651, 2923),
        ("mlqe", ["et-en", "ne-en", "ro-en", "ru-en", "si-en"], 34647, 34647),
        ("da15", ["cs-en", "de-en", "fi-en", "ru-en"], 2000, 1797),
        ("da17", ["cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en"], 3861, 3514),
    ],
)
def test_the_real_packs(
    name: str, pairs: list[str], items: int, segments: int, graded_pack: Callable[[str], None]
) -> None:
    assert name in CAMPAIGNS
    graded_pack(name)
    found = graded_pairs(name)
    assert [one.pair for one in found] == pairs
    assert sum(len(one.hypotheses) for one in found) == items
    assert sum(len(set(one.lines)) for one in found) == segments
    for one in found:
        assert all(one.references)
        assert max(one.lines) < LINES
        assert one.grades.mean() == pytest.approx(0.0, abs=1e-9)
        assert one.grades.std() == pytest.approx(1.0)


def test_the_grades_of_mqm21(graded_pack: Callable[[str], None]) -> None:
    graded_pack("mqm21")
    (pair,) = graded_pairs("mqm21:zh-en")
    campaign = read_evalset(pack_folder("mqm21"), "zh-en")
    raw = campaign.human["mqm"].matrix(list(campaign.corpus.systems))
    penalties = -raw[np.isfinite(raw)]
    assert (penalties == 0).mean() == pytest.approx(0.29, abs=0.005)
    assert np.corrcoef(pair.grades, -np.log(1 + penalties))[0, 1] == pytest.approx(1.0)


def test_the_rankings_of_wmt15(graded_pack: Callable[[str], None]) -> None:
    graded_pack(JSON_RANKINGS)
    builder = Builder()
    assert add_json_rankings(builder, 0, outputs=False) == 5
    kinds = np.bincount([kind for *_, kind in builder.pairs])
    assert kinds[JUDGED] > 40_000
    assert kinds[TIED] > 10_000
    assert len({segment for *_, segment in builder.items}) == 5521


def test_the_campaign_of_the_package_can_be_learned_from() -> None:
    assert is_campaign("sample")
    counts = {one.pair: len(one.grades) for one in graded_pairs("sample")}
    assert counts == {"de-en": 4516, "zh-en": 4187}

"""ReVal from a teacher: what it is taught, the costs by hand, and a training that resumes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from test_tree_lstm import random_forest  # noqa: E402

import cupel  # noqa: E402
from cupel.errors import CupelError  # noqa: E402
from cupel.learned.reval.data.examples import SimilarityData  # noqa: E402
from cupel.learned.reval.data.taught import (  # noqa: E402
    Outputs,
    normal_scores,
    outputs_of,
    similarities_of,
    teacher_scores,
)
from cupel.learned.reval.files import open_scorer  # noqa: E402
from cupel.learned.reval.model.network import Design, similarities  # noqa: E402
from cupel.learned.reval.training.loop import Pairs  # noqa: E402
from cupel.learned.reval.training.run import Reading  # noqa: E402
from cupel.learned.reval.training.run_taught import Taught, train_taught  # noqa: E402
from cupel.learned.reval.training.settings import Teaching  # noqa: E402
from cupel.learned.reval.training.taught import (  # noqa: E402
    Judged,
    Lessons,
    batches_of,
    groups_of,
    judged_cost,
    preference_cost,
    teach,
)
from cupel.registry import get_metric  # noqa: E402

SMALL = Design(memory=8, hidden=5, dimension=6)
HOW = Teaching(epochs=4, batch=40, group=8, rate=0.02, seed=7, device="cpu")


def lessons() -> Lessons:
    """Something to learn: translations as long as their reference are the best ones."""
    rng = np.random.default_rng(1)
    forest = random_forest(rng.integers(1, 12, 90).tolist())
    vectors = rng.normal(size=(30, 6)).astype(np.float32)

    def some(lines: range) -> tuple[Judged, np.ndarray, np.ndarray]:
        line = np.repeat(np.arange(len(lines)), 10)
        references, translations = np.array(lines)[line], rng.integers(0, 90, len(line))
        gap = np.abs(forest.lengths[references] - forest.lengths[translations])
        one, other = np.arange(0, len(line), 2), np.arange(1, len(line), 2)
        better, worse = np.where(gap[one] < gap[other], [one, other], [other, one])
        clear = gap[better] != gap[worse]
        return Judged(references, translations, better[clear], worse[clear]), line, -gap

    taught, line, scores = some(range(60))
    dev, _, _ = some(range(60, 90))
    graded = Pairs(taught.references[:30], taught.references[:30], np.full(30, 5.0))
    return Lessons(forest, vectors, taught, line, normal_scores(scores * 1.0), graded, dev)


def test_scores_become_similarities_by_their_ranks() -> None:
    normal = normal_scores(np.array([0.2, 0.9, 0.2, 0.5]))
    # Ranks 1.5, 4, 1.5, 3 of 4: the normal quantiles of 1/4, 7/8, 1/4 and 5/8.
    np.testing.assert_allclose(normal, [-0.67449, 1.15035, -0.67449, 0.31864], atol=1e-5)
    np.testing.assert_allclose(similarities_of([0.0, 1.0, -4.0]), [3.2, 4.0, 1.0])
    many = normal_scores(np.random.default_rng(0).exponential(size=5000))
    assert many.std() == pytest.approx(1, abs=0.01)


def test_groups_are_of_one_line_and_batches_of_whole_groups() -> None:
    line = np.repeat([0, 1, 2, 3], [20, 1, 9, 30])
    groups = groups_of(line, 10, np.random.default_rng(3))
    assert all(len(set(line[group])) == 1 for group in groups)
    assert sorted(map(len, groups)) == [9, 10, 10, 10, 10, 10]
    assert sorted(np.concatenate(groups)) == [*range(20), *range(21, 60)]
    assert [sum(map(len, batch)) for batch in batches_of(groups, 25)] == [30, 29]


def test_costs_are_those_of_the_formulas() -> None:
    similarity = torch.tensor([3.0, 3.5, 2.0, 4.0], dtype=torch.float64)
    normal = torch.tensor([0.1, 0.4, -1.0, 1.0], dtype=torch.float64)
    group = torch.tensor([0, 0, 0, 1])
    by_hand = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        p = 1 / (1 + np.exp(-2.4 * float(normal[i] - normal[j])))
        q = 1 / (1 + np.exp(-3.0 * float(similarity[i] - similarity[j])))
        by_hand.append(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))
    assert float(preference_cost(similarity, normal, group)) == pytest.approx(np.mean(by_hand))
    judged = judged_cost(similarity, torch.tensor([0, 3]), torch.tensor([1, 2]))
    assert float(judged) == pytest.approx(np.log1p(np.exp(1.5)) + np.log1p(np.exp(-6.0)))
    none = torch.tensor([], dtype=torch.int64)
    assert float(judged_cost(similarity, none, none)) == 0


def test_a_model_learns_what_its_teacher_prefers() -> None:
    data = lessons()
    trained = teach(data, SMALL, replace(HOW, epochs=12, dropout=0.0, words=0.0))
    assert trained.best.figures["tau"] == max(e.figures["tau"] for e in trained.log) > 0.5
    assert trained.log[-1].loss < 0.7 * trained.log[0].loss
    pairs = data.forest, data.dev.references, data.dev.translations, torch.from_numpy(data.vectors)
    scores = similarities(trained.model, *pairs).round(5)
    better, worse = scores[data.dev.better], scores[data.dev.worse]
    tau = ((better > worse).sum() - (better < worse).sum()) / len(better)
    assert tau == pytest.approx(trained.best.figures["tau"])


def test_a_killed_run_resumes_to_the_same_result(tmp_path: Path) -> None:
    data = lessons()
    unbroken = teach(data, SMALL, HOW)

    class Killed(Exception):
        pass

    def die_in_the_middle(done: int, total: int) -> None:
        if done == total // 4 * 2 + 1:
            raise Killed

    with pytest.raises(Killed):
        teach(data, SMALL, HOW, folder=tmp_path, progress=die_in_the_middle)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 2
    resumed = teach(data, SMALL, HOW, folder=tmp_path)
    for name, tensor in unbroken.tensors.items():
        assert torch.equal(resumed.tensors[name], tensor), name
    with pytest.raises(CupelError, match=r"other settings \(judged\)"):
        teach(data, SMALL, replace(HOW, judged=0.1), folder=tmp_path)


@pytest.fixture(scope="module")
def campaign(pack: Callable[[str], Path]) -> SimilarityData:
    pack("wmt12")
    return SimilarityData("wmt12", ["cs-en"], held_out=5)


def test_held_out_lines_are_not_taught(campaign: SimilarityData) -> None:
    outputs = outputs_of(campaign, unjudged=100)
    ranked, held = campaign.ranked, campaign.held_references
    assert held
    assert not held & set(outputs.references)
    assert len({*zip(outputs.references, outputs.translations, strict=True)}) == len(outputs)
    assert len(outputs) > 3 * len(set(outputs.references)) > 8000
    kept = [ranked.references[row] not in held for row in ranked.better]
    assert len(outputs.better) == sum(kept) > 5000
    first = int(outputs.better[0])
    number = int(np.flatnonzero(kept)[0])
    assert outputs.translations[first] == ranked.translations[ranked.better[number]]
    assert (outputs.line[outputs.better] == outputs.line[outputs.worse]).all()
    few = outputs_of(campaign, unjudged=1)
    assert len(few.better) == len(outputs.better)
    seen = {*zip(ranked.references, ranked.translations, strict=True)}
    texts = zip(few.references, few.translations, few.line, strict=True)
    others = [line for reference, text, line in texts if (reference, text) not in seen]
    assert len(others) == len(set(others)) > 2000


def test_text_becomes_a_model_that_scores(campaign: SimilarityData, tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    every = outputs_of(campaign)
    few = np.flatnonzero(every.line < 40)
    inside = (every.better < len(few)) & (every.worse < len(few))
    assert few.tolist() == [*range(len(few))]
    outputs = Outputs(
        every.references[: len(few)],
        every.translations[: len(few)],
        every.line[few],
        every.better[inside],
        every.worse[inside],
    )
    teacher = get_metric("chrf")
    scores = teacher_scores(outputs, teacher)
    alone = cupel.score(outputs.translations, outputs.references, ["chrf"])
    np.testing.assert_array_equal(scores, alone.segment_scores("chrf"))
    taught = Taught(campaign, outputs, teacher, scores, None, ())
    how = Teaching(epochs=1, batch=60, seed=1, device="cpu")
    trained = train_taught(taught, tmp_path, Design(memory=10, hidden=5), how, Reading())
    scorer = open_scorer(tmp_path)
    assert scorer.card["data"]["teacher"] == str(teacher.signature())
    assert scorer.card["data"]["lines"] == 40
    assert scorer.card["dev"] == {"epoch": 1, "tau": round(trained.log[0].figures["tau"], 4)}
    assert not (tmp_path / "checkpoint.safetensors").exists()

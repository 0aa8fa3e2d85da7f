"""ReVal as a metric: small models of one's own, the paper's equations by hand, bad input."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from torch import Tensor  # noqa: E402

from cupel.batch import Batch  # noqa: E402
from cupel.errors import CupelError  # noqa: E402
from cupel.learned.reval.data.examples import Examples, SimilaritySet  # noqa: E402
from cupel.learned.reval.files import open_scorer  # noqa: E402
from cupel.learned.reval.model.encoder import TreeLstm  # noqa: E402
from cupel.learned.reval.model.network import Design  # noqa: E402
from cupel.learned.reval.training.run import Reading, train_reval  # noqa: E402
from cupel.learned.reval.training.settings import Training  # noqa: E402
from cupel.metrics.reval import ReVal  # noqa: E402
from cupel.syntax.conllu import format_sentence  # noqa: E402
from cupel.syntax.tree import Tree  # noqa: E402
from cupel.text.unknown_words import unknown_vectors  # noqa: E402
from slow_tree_lstm import root_state  # noqa: E402

SENTENCES = [
    Tree.of("the cat sat", [1, 2, -1]),
    Tree.of("The dog sat", [1, 2, -1]),
    Tree.of("a zzyzx qwxrt", [1, -1, 1]),
    Tree.of("the dog saw the cat", [1, 2, -1, 4, 2]),
    Tree.of("cat", [-1]),
]
TEXTS = [" ".join(tree.words) for tree in SENTENCES]
REFERENCES = [TEXTS[0], TEXTS[3], *TEXTS[:3]]
WORDS = "the cat dog sat saw a".split()


def examples(rows: list[tuple[int, int, float]]) -> Examples:
    return Examples(
        [TEXTS[a] for a, _, _ in rows],
        [TEXTS[b] for _, b, _ in rows],
        np.array([y for _, _, y in rows]),
        ["own"] * len(rows),
        np.arange(len(rows)),
        np.ones(len(rows), np.int64),
        np.zeros(len(rows)),
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reval")
    conllu = "".join(format_sentence(tree) for tree in SENTENCES)
    (folder / "trees.conllu").write_text(conllu, encoding="utf-8")
    rng = np.random.default_rng(1)
    for name, dimension in (("four.txt", 4), ("five.txt", 5)):
        lines = (
            f"{word} {' '.join(f'{x:.3f}' for x in rng.normal(size=dimension))}" for word in WORDS
        )
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def trained(place: Path) -> Path:
    """A small model, and one with tuned vectors beside it (`tuned`)."""
    train = examples([(0, 1, 4.0), (0, 2, 1.0), (3, 1, 3.0), (0, 0, 5.0), (3, 4, 2.0)])
    data = SimilaritySet("own", train, examples([(1, 0, 4.0), (4, 2, 1.0), (3, 0, 3.2)]), train)
    reading = Reading(str(place / "four.txt"), trees=str(place / "trees.conllu"))
    design = Design(memory=6, hidden=5, dimension=4)
    for name, rate in (("model", 0.0), ("tuned", 0.1)):
        how = Training(epochs=3, seed=1, vectors_rate=rate, device="cpu")
        train_reval(data, place / name, design, how, reading)
    return place / "model"


def metric(model: Path, /, **options: object) -> ReVal:
    given = {"weights": str(model), "trees": str(model.parent / "trees.conllu"), "device": "cpu"}
    return ReVal(**{**given, **options})  # type: ignore[arg-type]


def scores(model: Path, /, hypotheses: list[str], references: list[str], **options: object):
    batch = Batch(hypotheses, [[text] for text in references])
    return metric(model, **options).statistics(batch)[:, 0]


def test_scores_are_the_model_s_similarities(trained: Path) -> None:
    """Equation 2 on the slow encoder's states gives (y - 1) / 4."""
    scorer = open_scorer(trained)
    network = scorer.network
    network.double()

    def state(tree: Tree) -> Tensor:
        vectors = [
            scorer.vectors[word] if word in scorer.vectors else unknown_vectors([word], 4)[0]
            for word in map(str.lower, tree.words)
        ]
        encoder = network.encoder.directions[0]
        assert isinstance(encoder, TreeLstm)
        return root_state(encoder, torch.tensor(np.array(vectors)).double(), list(tree.heads))

    expected = []
    for a, b in ((0, 1), (2, 3), (4, 4)):
        p = network.head(state(SENTENCES[b]), state(SENTENCES[a])).exp()
        expected.append((float(p.detach() @ torch.arange(1.0, 6.0).double()) - 1) / 4)
    network.float()
    found = scores(trained, [TEXTS[0], TEXTS[2], TEXTS[4]], [TEXTS[1], TEXTS[3], TEXTS[4]])
    np.testing.assert_allclose(found, expected, atol=3e-6)


def test_several_references(trained: Path) -> None:
    each = scores(trained, [TEXTS[0]] * 2, [TEXTS[1], TEXTS[2]])
    both = Batch([TEXTS[0]], [[TEXTS[1], TEXTS[2]]])
    assert metric(trained).statistics(both)[0, 0] == pytest.approx(max(each), abs=3e-6)
    mean = metric(trained, multiple="mean").statistics(both)[0, 0]
    assert mean == pytest.approx(each.mean(), abs=3e-6)


def test_mix_takes_the_second_model_for_long_references(trained: Path) -> None:
    other = trained.parent / "tuned"
    short = scores(trained, TEXTS, REFERENCES)
    long = scores(other, TEXTS, REFERENCES)
    mixed = scores(trained, TEXTS, REFERENCES, long=str(other), limit=3)
    np.testing.assert_allclose(mixed, np.where([0, 1, 0, 0, 0], long, short), atol=3e-6)
    assert abs(long - short).max() > 1e-3
    only_short = scores(trained, TEXTS, TEXTS, long=str(other))
    np.testing.assert_allclose(only_short, scores(trained, TEXTS, TEXTS), atol=3e-6)


def test_several_models_are_averaged(trained: Path) -> None:
    other = trained.parent / "tuned"
    both = scores(trained, TEXTS, REFERENCES, weights=f"{trained}+{other}")
    each = [scores(model, TEXTS, REFERENCES) for model in (trained, other)]
    np.testing.assert_allclose(both, np.mean(each, axis=0), atol=3e-6)
    signature = dict(metric(trained, weights=f"{trained}+{other}").signature().entries)
    sums = [open_scorer(model).checksum for model in (trained, other)]
    assert signature["model"] == "+".join(sums)
    assert signature["vectors"].count("four.txt") == 1


def test_models_under_different_heads(trained: Path, tmp_path: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    (tmp_path / "card.json").write_text(json.dumps({**card, "heads": "penn2malt"}))
    (tmp_path / "weights.safetensors").write_bytes((trained / "weights.safetensors").read_bytes())
    with pytest.raises(CupelError, match=r"different head conventions \(native, penn2malt\)"):
        scores(trained, TEXTS, TEXTS, weights=f"{trained}+{tmp_path}")


def test_segments_without_known_words_and_empty_ones_are_scored(trained: Path) -> None:
    found = scores(trained, ["", TEXTS[0], "", TEXTS[2]], [TEXTS[0], "", "", TEXTS[2]])
    assert ((found > 0) & (found < 1)).all()
    assert found[0] == pytest.approx(found[1], abs=3e-6)  # the head is symmetric


def test_tuned_vectors_are_used(trained: Path) -> None:
    tuned = open_scorer(trained.parent / "tuned")
    assert set(tuned.card["words"]) == {*WORDS, "zzyzx", "qwxrt"}
    assert not np.allclose(tuned.matrix(["cat"])[0], tuned.vectors["cat"])
    np.testing.assert_array_equal(tuned.matrix(["never"]), unknown_vectors(["never"], 4))


def test_signature_and_pickle(trained: Path) -> None:
    ours = metric(trained)
    entries = dict(ours.signature().entries)
    assert entries["model"] == json.loads((trained / "card.json").read_text())["sha256"][:12]
    assert entries["vectors"].startswith("four.txt[")
    assert entries["heads"] == "native"
    assert pickle.loads(pickle.dumps(ours)) == ours
    mixed = metric(trained, long=str(trained.parent / "tuned"))
    assert dict(mixed.signature().entries)["long"].endswith(">20")


def test_the_card_says_what_the_model_is(trained: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    assert card["model"]["memory"] == 6
    assert card["training"]["seed"] == 1
    assert card["data"] == {"set": "own", "origins": ["own"], "train": 5, "dev": 3}
    assert len((trained / "log.jsonl").read_text().splitlines()) == 3
    assert not (trained / "checkpoint.safetensors").exists()


def test_vectors_of_another_dimension(trained: Path) -> None:
    other = str(trained.parent / "five.txt")
    with pytest.raises(CupelError, match=r"five.txt have 5 dimensions, but the model in .* with 4"):
        scores(trained, TEXTS, TEXTS, vectors=other)


def test_weights_that_are_not_the_card_s(trained: Path, tmp_path: Path) -> None:
    for name in ("card.json", "weights.safetensors"):
        (tmp_path / name).write_bytes((trained / name).read_bytes())
    content = bytearray((tmp_path / "weights.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "weights.safetensors").write_bytes(content)
    with pytest.raises(CupelError, match="is not the file that its card describes"):
        open_scorer(tmp_path)


def test_a_card_of_another_shape(trained: Path, tmp_path: Path) -> None:
    card = json.loads((trained / "card.json").read_text())
    card["model"]["memory"] = 7
    (tmp_path / "card.json").write_text(json.dumps(card))
    (tmp_path / "weights.safetensors").write_bytes((trained / "weights.safetensors").read_bytes())
    with pytest.raises(CupelError, match="are not of the shape that their card describes"):
        open_scorer(tmp_path)
    with pytest.raises(CupelError, match=r"holds no model: it has no card\.json"):
        open_scorer(tmp_path / "nowhere")


def test_a_parse_that_does_not_fit_the_text(trained: Path) -> None:
    with pytest.raises(CupelError, match="'sat' where it has 'slept'"):
        scores(trained, ["the cat slept"], [TEXTS[1]])


def test_a_finished_model_is_not_overwritten(trained: Path) -> None:
    part = examples([(0, 1, 4.0)])
    data = SimilaritySet("own", part, part, part)
    with pytest.raises(CupelError, match="holds a trained model already"):
        train_reval(data, trained, Design(), Training(), Reading())


def test_wrong_options() -> None:
    with pytest.raises(CupelError, match="Unknown value 'worst' of reval:multiple"):
        ReVal(multiple="worst")
    with pytest.raises(CupelError, match="no way 'ones' to treat unknown words"):
        unknown_vectors(["a"], 3, "ones")


def test_unknown_words_have_vectors_of_their_own() -> None:
    first = unknown_vectors(["modi", "modis", "xyz"], 50)
    np.testing.assert_array_equal(first[1:], unknown_vectors(["modis", "xyz"], 50))
    assert np.abs(first).max() <= 0.05
    assert abs(first.mean()) < 0.01
    letters = unknown_vectors(["modi", "modis", "xyz", ""], 50, "letters")

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    assert cosine(letters[0], letters[1]) > 0.5 > abs(cosine(letters[0], letters[2])) + 0.1
    assert not unknown_vectors(["modi"], 50, "zero").any()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cupel", "train", "reval", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_says_what_is_missing() -> None:
    done = run()
    assert done.returncode == 2
    assert done.stderr == ("cupel: Name a folder for the model with -o, or a file with --export.\n")


def test_options_of_a_teacher_need_one(tmp_path: Path) -> None:
    target = str(tmp_path / "model")
    for arguments, sentence in (
        (["--dropout", "0.2", "-o", target], "--dropout needs --teacher."),
        (["--outputs", "wmt15-rankings", "-o", target], "--outputs needs --teacher."),
        (["--teacher", "chrf", "--export", target], "--export does not go with --teacher."),
    ):
        done = run(*arguments)
        assert (done.returncode, done.stderr) == (2, f"cupel: {sentence}\n")
    assert not any(tmp_path.iterdir())


def test_the_command_lists_and_exports_sets(pack: Callable[[str], Path], tmp_path: Path) -> None:
    pack("wmt12")
    pack("sick")
    listed = run("--list-sets", "--train", "wmt12", "-f", "json")
    assert listed.returncode == 0, listed.stderr
    rows = {(row["row"], row["column"]): row["value"] for row in json.loads(listed.stdout)["rows"]}
    assert rows["L", "train"] == 40
    assert rows["wmt12, pairs", "n=3"] == "536"
    assert rows["wmt12, tau of wmt14", "n>=8"] == "no pairs"
    target = tmp_path / "set.tsv"
    done = run("--train", "wmt12", "--set", "All", "--export", str(target))
    assert done.returncode == 0, done.stderr
    header, first = target.read_text(encoding="utf-8").splitlines()[:2]
    assert header.startswith("split\torigin\tline")
    assert first.startswith("train\twmt12\t")


@pytest.fixture(scope="module")
def shipped() -> ReVal:
    pytest.importorskip("spacy")
    from cupel.registry import get_metric

    found = get_metric("reval:device=cpu")
    assert isinstance(found, ReVal)
    return found


def test_the_shipped_model_prefers_what_means_the_same(shipped: ReVal) -> None:
    reference = "The minister said on Monday that the talks had failed."
    worse = [
        "The minister says Monday the talks had.",
        "Minister the on that failed talks said the Monday had.",
        "A dog is running through the snow.",
    ]
    batch = Batch([reference, *worse], [[reference]] * 4)
    found = shipped.statistics(batch)[:, 0]
    assert found[0] > found[1:].max()
    assert found[3] == found.min()
    assert ((found > 0) & (found < 1)).all()


def test_the_shipped_model_is_small_and_has_a_card(shipped: ReVal) -> None:
    from cupel.models import model_folder

    folder = model_folder("reval-2")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 2_000_000
    (scorer,) = shipped.scorers
    card = scorer.card
    assert set(card) >= {"data", "training", "dev", "test", "licence", "chosen", "command"}
    assert card["vectors"] == "mpnet-glove-150d-30k"
    assert "assay-wmt13" in card["data"]["teacher"]
    assert scorer.vectors.digest.startswith(card["vectors_digest"])


def test_the_single_model_keeps_its_weights() -> None:
    pytest.importorskip("spacy")
    from cupel.registry import get_metric

    single = get_metric("reval:preset=single,device=cpu")
    assert dict(single.signature().entries)["model"] == "eaac0b3e8935"
    texts = ["The talks had failed .", "The talks failed .", "A dog runs ."]
    same, close, other = single.statistics(Batch(texts, [[texts[0]]] * 3))[:, 0]
    assert same > close > other


def test_entities_are_read_as_characters(shipped: ReVal) -> None:
    reference = 'Ukraine\'s parliament said "no" to R&D.'
    written = ["Ukraine&#39;s parliament said &quot;no&quot; to R&amp;D.", reference]
    found = shipped.statistics(Batch(written, [[reference]] * 2))[:, 0]
    assert found[0] == pytest.approx(found[1], abs=3e-6)


def test_scores_do_not_depend_on_the_batch(shipped: ReVal) -> None:
    texts = ["A cat sat on the mat .", "", "Zzyzx qwxrt", "He says he will come tomorrow night ."]
    together = shipped.statistics(Batch(texts, [[texts[0]]] * 4))[:, 0]
    alone = [shipped.statistics(Batch([text], [[texts[0]]]))[0, 0] for text in texts]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    similarity = 4 * together + 1
    np.testing.assert_allclose(similarity, np.round(similarity, 5), atol=1e-6)

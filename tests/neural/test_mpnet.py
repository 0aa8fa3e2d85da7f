"""An MPNet encoder: hidden states are those of `transformers`, and two sentences can be read at once."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
tokenizers = pytest.importorskip("tokenizers")
transformers = pytest.importorskip("transformers")

from cupel.errors import CupelError  # noqa: E402
from cupel.learned.assay.files import build, load_assay, save_assay  # noqa: E402
from cupel.learned.assay.model.joint import Joint  # noqa: E402
from cupel.learned.assay.model.network import Design  # noqa: E402
from cupel.learned.assay.model.scoring import raw_scores  # noqa: E402
from cupel.neural.encoder import Encoder  # noqa: E402
from cupel.neural.encoder_files import own_names  # noqa: E402
from cupel.neural.mpnet import bucket_of  # noqa: E402
from cupel.neural.wordpiece import encoder_checksum  # noqa: E402

REAL = os.environ.get("CUPEL_MPNET", "")
"""A folder that tools/assemble_encoder.py made."""


@pytest.fixture(scope="module")
def theirs() -> object:
    torch.manual_seed(1)
    config = transformers.MPNetConfig(
        vocab_size=60, hidden_size=24, num_hidden_layers=3, num_attention_heads=4,
        intermediate_size=40, max_position_embeddings=322, relative_attention_num_buckets=32,
    )  # fmt: skip
    model = transformers.MPNetModel(config).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return model


@pytest.fixture(scope="module")
def folder(theirs: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder in HuggingFace's layout, with a vocabulary of w4 to w59."""
    place = tmp_path_factory.mktemp("mpnet")
    theirs.save_pretrained(place)  # type: ignore[attr-defined]
    words = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3} | {f"w{n}": n for n in range(4, 60)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "<unk>"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(place / "tokenizer.json"))
    return place


@pytest.fixture(scope="module")
def ours(folder: Path) -> Encoder:
    torch.set_num_threads(1)
    encoder = Encoder.load(folder)
    config = encoder.config
    assert (config.first_position, config.padding, config.buckets) == (2, 1, 32)
    assert encoder.special == ((0,), (2,))
    assert encoder.window == 318
    return encoder


def test_hidden_states_are_those_of_transformers(ours: Encoder, theirs: object) -> None:
    ids = torch.randint(3, 60, (3, 300))  # farther apart than the last bucket begins
    mask = torch.arange(300) < torch.tensor([[300], [7], [150]])
    ids[~mask] = 1
    with torch.inference_mode():
        expected = theirs(ids, mask.long(), output_hidden_states=True).hidden_states  # type: ignore[operator]
        states = ours(ids, mask)
        alone = ours(ids[1:2, :7], mask[1:2, :7])
    assert len(states) == len(expected) == 4
    for own, other in zip(states, expected, strict=True):
        assert float((own - other)[mask].abs().max()) < 1e-5
    assert torch.allclose(alone[-1][0], states[-1][1, :7], atol=1e-5)


def test_buckets_of_distances() -> None:
    distances = torch.tensor([0, 1, -1, 7, -7, 8, -8, 127, -127, 128, -500])
    assert bucket_of(distances, 32).tolist() == [0, 17, 1, 23, 7, 24, 8, 31, 15, 31, 15]


def test_segment_types_are_0_until_they_are_trained(ours: Encoder) -> None:
    ids = torch.randint(3, 60, (2, 9))
    mask = torch.ones(2, 9, dtype=torch.bool)
    types = (torch.arange(9) > 4).long().expand(2, -1)
    with torch.inference_mode():
        for plain, typed in zip(ours(ids, mask), ours(ids, mask, types), strict=True):
            assert torch.equal(plain, typed)


def test_reading_two_sentences_at_once_trains_every_part(ours: Encoder) -> None:
    model = Joint(ours, Design(joint=True)).train()
    torch.nn.init.normal_(model.out.weight)
    ids = torch.randint(3, 60, (4, 9))
    mask = torch.arange(9) < torch.tensor([[9], [5], [7], [9]])
    own = mask & (torch.arange(9) > 0)
    scores = model(ids, mask, own, torch.tensor([[0, 1], [2, 3], [1, 0]]))
    scores.square().sum().backward()
    for name, parameter in model.encoder.named_parameters():
        assert parameter.grad is not None, name
        assert float(parameter.grad.abs().max()) > 0, name
    model.zero_grad(set_to_none=True)


@pytest.mark.parametrize("joint", [False, True])
def test_a_model_on_disk_scores_as_before(folder: Path, tmp_path: Path, joint: bool) -> None:
    model = build(Encoder.load(folder), Design(joint=joint)).eval()
    assert model.encoder.relative is not None
    with torch.no_grad():
        model.encoder.relative.table.weight.normal_()  # as after a training
        model.encoder.types.weight.normal_()
        model.head.skip.weight.normal_()
    card = {"encoder": {"name": "tiny", "sha256": encoder_checksum(folder)}}
    save_assay(tmp_path / "trained", model, card, stored="float32")
    again, _ = load_assay(tmp_path / "trained", folder)
    pieces = model.encoder.tokenize(["w4 w5 w6 w7", "w5 w4 w9", "w30", "w4 w5 w6 w8"])
    rows = np.array([0, 1, 2, 3]), np.array([3, 0, 1, 3])
    before = raw_scores(model, pieces, *rows)
    assert before.std() > 0
    assert raw_scores(again, pieces, *rows) == pytest.approx(before, abs=1e-5)


def test_another_model_s_tensors_are_refused(ours: Encoder) -> None:
    with pytest.raises(CupelError, match=r"has no tensor 'embeddings\.word_embeddings\.weight'"):
        own_names({"embeddings.position_embeddings.weight": torch.zeros(2)}, ours.config, Path("x"))


@pytest.mark.skipif(not REAL, reason="CUPEL_MPNET names no folder of all-mpnet-base-v2")
def test_the_real_weights() -> None:
    encoder = Encoder.load(REAL)
    model = transformers.MPNetModel.from_pretrained(REAL).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(REAL)
    sentences = ["A naïve café in 東京", "", "It slept, unperturbed, for hours. " * 5]
    pieces = encoder.tokenize(sentences)
    for number, sentence in enumerate(sentences):
        expected = tokenizer(sentence, add_special_tokens=False)["input_ids"]
        assert pieces.take(np.array([number])).ids.tolist() == expected
    (batch,) = encoder.encode_batches(pieces)
    ids, mask = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
    with torch.inference_mode():
        expected = model(ids, mask.long(), output_hidden_states=True).hidden_states
        for own, other in zip(encoder(ids, mask), expected, strict=True):
            assert float((own - other)[mask].abs().max()) < 1e-5

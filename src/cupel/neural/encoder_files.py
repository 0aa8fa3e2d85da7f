"""The files of a pretrained encoder: its shape, and weights under the names used here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from cupel.errors import CupelError
from cupel.neural import deberta, mpnet
from cupel.neural.wordpiece import MODEL, read_config

OFFSETS = {"bert": 0, "roberta": 1, "xlm-roberta": 1, "camembert": 1, "mpnet": 1, "deberta-v2": 0}
"""The kinds of encoder, and whether positions begin behind the padding's number."""

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": lambda x: functional.gelu(x, approximate="tanh"),
    "relu": functional.relu,
}


@dataclass(frozen=True)
class Config:
    """The shape of an encoder: the entries of `config.json` that matter here."""

    vocabulary: int
    size: int
    heads: int
    inner: int
    layers: int
    positions: int
    types: int
    activation: str
    epsilon: float
    dropout: float
    first_position: int
    padding: int
    buckets: int = 0  # of relative positions, in MPNet
    span: int = 0  # of distances to either side, in DeBERTa

    @classmethod
    def read(cls, folder: Path) -> Config:
        entries = read_config(folder)
        kind = str(entries.get("model_type"))
        if kind not in OFFSETS or entries.get("position_embedding_type", "absolute") != "absolute":
            raise CupelError(
                f"{folder} holds an encoder of the kind {kind!r}; those that can be read are: "
                f"{', '.join(OFFSETS)}, with absolute positions."
            )
        if kind == "deberta-v2":
            deberta.check_version(entries, folder)
        if entries.get("hidden_act", "gelu") not in ACTIVATIONS:
            raise CupelError(
                f"{folder}: the activation {entries['hidden_act']!r} is not supported; supported are: "
                f"{', '.join(ACTIVATIONS)}."
            )
        padding = int(entries.get("pad_token_id") or 0)
        first = padding + 1 if OFFSETS[kind] else 0
        try:
            return cls(
                vocabulary=int(entries["vocab_size"]),
                size=int(entries["hidden_size"]),
                heads=int(entries["num_attention_heads"]),
                inner=int(entries["intermediate_size"]),
                layers=int(entries["num_hidden_layers"]),
                positions=int(entries["max_position_embeddings"]) - first,
                types=int(entries.get("type_vocab_size", 2)) or 2,
                activation=str(entries.get("hidden_act", "gelu")),
                epsilon=float(entries.get("layer_norm_eps", 1e-12)),
                dropout=float(entries.get("hidden_dropout_prob", 0.1)),
                first_position=first,
                padding=padding,
                buckets=int(entries.get("relative_attention_num_buckets", 32))
                if kind == "mpnet"
                else 0,
                span=int(entries["position_buckets"]) if kind == "deberta-v2" else 0,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CupelError(f"{folder}: config.json lacks or garbles {error}.") from error


def own_names(tensors: Mapping[str, Tensor], config: Config, where: Path) -> dict[str, Tensor]:
    """HuggingFace's names -> ours; queries, keys and values are joined."""
    given = {_bare(name): tensor for name, tensor in tensors.items()}
    if config.buckets:
        given = mpnet.bert_names(given, config.types)
    if config.span:
        given = deberta.bert_names(given, config.types)
    names = {
        "words.weight": ["embeddings.word_embeddings.weight"],
        "places.weight": ["embeddings.position_embeddings.weight"],
        "types.weight": ["embeddings.token_type_embeddings.weight"],
    }
    for part in ("weight", "bias"):
        names[f"embedding_norm.{part}"] = [f"embeddings.LayerNorm.{part}"]
        for number in range(config.layers):
            ours, theirs = f"layers.{number}", f"encoder.layer.{number}"
            names |= {
                f"{ours}.projections.{part}": [
                    f"{theirs}.attention.self.{which}.{part}" for which in ("query", "key", "value")
                ],
                f"{ours}.output.{part}": [f"{theirs}.attention.output.dense.{part}"],
                f"{ours}.attention_norm.{part}": [f"{theirs}.attention.output.LayerNorm.{part}"],
                f"{ours}.up.{part}": [f"{theirs}.intermediate.dense.{part}"],
                f"{ours}.down.{part}": [f"{theirs}.output.dense.{part}"],
                f"{ours}.norm.{part}": [f"{theirs}.output.LayerNorm.{part}"],
            }
    if config.span:
        names["distances.table.weight"] = ["encoder.rel_embeddings.weight"]
        names |= {f"distances.norm.{p}": [f"encoder.LayerNorm.{p}"] for p in ("weight", "bias")}
    if config.buckets:
        names["relative.table.weight"] = ["encoder.relative_attention_bias.weight"]
    missing = [name for parts in names.values() for name in parts if name not in given]
    if missing:
        raise CupelError(f"{where / MODEL} has no tensor {missing[0]!r}: it is another model's.")
    return {
        name: torch.cat([given[part] for part in parts]).float() for name, parts in names.items()
    }


def _bare(name: str) -> str:
    """A tensor's name without that of the model it is part of (`bert.`, `roberta.`)."""
    head, _, rest = name.partition(".")
    return name if head in ("embeddings", "encoder") else rest


def read_tensors(path: Path) -> dict[str, Tensor]:
    """All tensors of a safetensors file."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return dict(load_file(path))
    except (SafetensorError, OSError) as error:
        raise CupelError(f"{path} is not a safetensors file: {error}.") from error

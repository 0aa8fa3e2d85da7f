"""The weights of a pretrained encoder, from HuggingFace's file and under the names used here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from cupel.errors import CupelError
from cupel.neural import deberta, mpnet
from cupel.neural.wordpiece import MODEL

if TYPE_CHECKING:
    from cupel.neural.encoder import Config


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

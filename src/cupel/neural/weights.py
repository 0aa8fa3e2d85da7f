"""Trained weights: a folder of `weights.safetensors` and `card.json`, bound by a checksum.

The card says what the weights are: the kind of model, its settings, data, seed and figures; and
the SHA-256 of the weights file, which a model carries in its signature. No pickle anywhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cupel.errors import CupelError
from cupel.folders import write_bytes, write_text

if TYPE_CHECKING:
    import torch

WEIGHTS, CARD = "weights.safetensors", "card.json"
FORMAT = 1


@dataclass(frozen=True)
class Weights:
    """Tensors by name, and the card that came with them."""

    tensors: Mapping[str, torch.Tensor]
    card: Mapping[str, Any]

    @property
    def checksum(self) -> str:
        """The first 12 digits of the weights' SHA-256: what a signature carries."""
        return str(self.card["sha256"])[:12]


def save_weights(
    folder: Path | str, kind: str, tensors: Mapping[str, torch.Tensor], card: Mapping[str, Any]
) -> None:
    """Write a model's weights and card."""
    from safetensors.torch import save

    content = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    write_content(folder, kind, content, card)


def load_weights(folder: Path | str, kind: str) -> Weights:
    """The weights in a folder, if they are of that kind and those that the card belongs to."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    content, card = read_content(folder, kind)
    try:
        return Weights(load(content), card)
    except SafetensorError as error:
        raise CupelError(f"{Path(folder) / WEIGHTS} is not a safetensors file: {error}.") from error


def write_content(folder: Path | str, kind: str, content: bytes, card: Mapping[str, Any]) -> None:
    """Write the bytes of weights and their card; the card last: what has a card is whole."""
    checksum = hashlib.sha256(content).hexdigest()
    whole = {**card, "format": FORMAT, "kind": kind, "sha256": checksum}
    write_bytes(Path(folder) / WEIGHTS, content)
    write_text(Path(folder) / CARD, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


def read_content(folder: Path | str, kind: str) -> tuple[bytes, Mapping[str, Any]]:
    """The bytes of weights, if they are those that the card belongs to, and the card."""
    card = read_card(folder, kind)
    path = Path(folder) / WEIGHTS
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CupelError(f"{path} cannot be read: {error.strerror}.") from error
    found = hashlib.sha256(content).hexdigest()
    if found != card["sha256"]:
        raise CupelError(
            f"{path} is not the file that its card describes: SHA-256 {str(card['sha256'])[:12]}... "
            f"was expected, {found[:12]}... found."
        )
    return content, card


def read_card(folder: Path | str, kind: str) -> Mapping[str, Any]:
    """The card alone, checked: what a model is, without loading it."""
    path = Path(folder) / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CupelError(f"{folder} holds no model: it has no {CARD}.") from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CupelError(f"{path} cannot be read: {error}.") from error
    if not isinstance(card, dict) or card.get("kind") != kind or "sha256" not in card:
        kinds = card.get("kind") if isinstance(card, dict) else None
        raise CupelError(
            f"{path} is not the card of a model of the kind {kind!r}; its kind is {kinds!r}."
        )
    if card.get("format") != FORMAT:
        raise CupelError(
            f"{path} is of format {card.get('format')!r}, this version of Cupel reads {FORMAT}."
        )
    return card


def embedded(name: str) -> Path:
    """The folder of weights that ships with Cupel under that name."""
    return Path(__file__).parent.parent / "resources" / name

"""Trained weights: a folder of `weights.safetensors` and `card.json`, bound by a checksum.

The card describes the weights: the kind of model, its settings, data, seed and figures; and the
SHA-256 of the weights file, which a model carries in its signature. No pickle anywhere. Weights are
read as PyTorch's tensors by the package safetensors, or as NumPy's arrays without either package:
the format is the length of a header, the header in JSON, and the bytes of the arrays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cupel.errors import CupelError
from cupel.folders import write_bytes, write_text

if TYPE_CHECKING:
    import torch

WEIGHTS, CARD = "weights.safetensors", "card.json"
FORMAT = 1
Array = npt.NDArray[Any]
_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I8": "|i1",
    "U8": "|u1",
}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}


def save_weights(
    folder: Path | str, kind: str, tensors: Mapping[str, torch.Tensor], card: Mapping[str, Any]
) -> None:
    """Write a model's weights and card."""
    from safetensors.torch import save

    content = save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})
    write_content(folder, kind, content, card)


def load_weights(
    folder: Path | str, kind: str
) -> tuple[dict[str, torch.Tensor], Mapping[str, Any]]:
    """The tensors in a folder and their card, if they are of that kind and belong together."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    content, card = read_content(folder, kind)
    try:
        return load(content), card
    except SafetensorError as error:
        raise CupelError(f"{Path(folder) / WEIGHTS} is not a safetensors file: {error}.") from error


def save_arrays(
    folder: Path | str, kind: str, arrays: Mapping[str, Array], card: Mapping[str, Any]
) -> None:
    """Write a model's arrays and card."""
    write_content(folder, kind, to_bytes(arrays), card)


def load_arrays(folder: Path | str, kind: str) -> tuple[dict[str, Array], Mapping[str, Any]]:
    """The arrays in a folder and their card, if they are of that kind and belong together."""
    content, card = read_content(folder, kind)
    try:
        return from_bytes(content), card
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise CupelError(f"{Path(folder) / WEIGHTS} is not a safetensors file: {error}.") from error


def to_bytes(arrays: Mapping[str, Array]) -> bytes:
    """Arrays by name in safetensors' format."""
    header: dict[str, Any] = {}
    parts = []
    at = 0
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        content = array.tobytes()
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [at, at + len(content)],
        }
        parts.append(content)
        at += len(content)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def from_bytes(content: bytes) -> dict[str, Array]:
    """What `to_bytes` wrote, or safetensors itself; ValueError where it is something else."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ValueError("the header is cut off")
    header = json.loads(content[8 : 8 + size])
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        low, high = entry["data_offsets"]
        kind = np.dtype(_TYPES[entry["dtype"]])
        block = content[8 + size + low : 8 + size + high]
        arrays[name] = np.frombuffer(block, kind).reshape(entry["shape"])
    return arrays


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
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != card["sha256"]:
        raise CupelError(
            f"{path} is not the file that its card describes: SHA-256 {str(card['sha256'])[:12]}... "
            f"was expected, {checksum[:12]}... found."
        )
    return content, card


def read_card(folder: Path | str, kind: str) -> Mapping[str, Any]:
    """The card alone, checked: what a model is, without loading it."""
    path = Path(folder) / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CupelError(f"{folder} holds no model: it has no {CARD}.") from error
    except (OSError, ValueError, RecursionError) as error:
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


def check_untrained(folder: Path | str) -> None:
    """Refuse a folder that has a trained model already."""
    if (Path(folder) / CARD).exists():
        raise CupelError(f"{folder} holds a trained model already: choose another folder.")

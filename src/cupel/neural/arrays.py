"""Weights as NumPy arrays in the same folders as `cupel.neural.weights`, without PyTorch.

The file is in safetensors' format: the length of a header, the header in JSON, the bytes of the
arrays. Small models that ship with Cupel are read by this alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cupel.errors import CupelError
from cupel.neural.weights import WEIGHTS, read_content, write_content

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


def save_arrays(
    folder: Path | str, kind: str, arrays: Mapping[str, Array], card: Mapping[str, Any]
) -> None:
    """Write a model's arrays and card."""
    write_content(folder, kind, to_bytes(arrays), card)


def load_arrays(folder: Path | str, kind: str) -> tuple[dict[str, Array], Mapping[str, Any]]:
    """The arrays in a folder, if they are of that kind and those that the card belongs to."""
    content, card = read_content(folder, kind)
    try:
        return from_bytes(content), card
    except (ValueError, KeyError, TypeError) as error:
        raise CupelError(f"{Path(folder) / WEIGHTS} is not a safetensors file: {error}.") from error

"""`assay` on disk: what a training changed of the encoder, and the head, in one small file.

The table of the pieces is the encoder's own, unless it was trained too; the card names that encoder
by its SHA-256. In `int8` every matrix has one scale a row (its largest absolute value over 127), and
is multiplied out on loading, so that scores do not depend on what else is in a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from cupel.errors import CupelError
from cupel.learned.assay.model.joint import Joint
from cupel.learned.assay.model.network import Assay, Design
from cupel.neural.devices import find_device
from cupel.neural.encoder import Encoder
from cupel.neural.weights import load_weights, save_weights
from cupel.neural.wordpiece import encoder_checksum, find_encoder

KIND = "assay"
STORED = ("int8", "float16", "float32")
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_TABLE = "encoder.words.weight"


def save_assay(
    folder: Path | str,
    model: Assay,
    card: Mapping[str, Any],
    *,
    stored: str = "int8",
    table: bool = False,
) -> None:
    """Write a model; table: the table of the pieces too, where it was trained."""
    if stored not in STORED:
        raise CupelError(f"Weights are stored as {', '.join(STORED)}, not as {stored!r}.")
    tensors: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if name == _TABLE and not table:
            continue
        if stored == "int8" and tensor.ndim == 2 and name.startswith("encoder."):
            tensors[name], tensors[f"{name}.scale"] = to_int8(tensor)
        elif stored == "float16" and tensor.ndim == 2:
            tensors[name] = tensor.half()
        else:
            tensors[name] = tensor.float()
    entries = {
        "design": model.design.record(),
        "layers": model.encoder.config.layers,
        "stored": stored,
        "table": table,
        **card,
    }
    save_weights(folder, KIND, tensors, entries)


def to_int8(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Codes from -127 to 127, and the scale of each row."""
    scale = (matrix.float().abs().amax(1) / 127.0).clamp_min(1e-12)
    return torch.round(matrix.float() / scale[:, None]).to(torch.int8), scale


def build(encoder: Encoder, design: Design) -> Assay:
    """A new model of a design."""
    return Joint(encoder, design) if design.joint else Assay(encoder, design)


def load_assay(
    folder: Path | str, encoder: Path | str | None = None, device: str = "cpu"
) -> tuple[Assay, Mapping[str, Any]]:
    """A model in float32, and its card. encoder: the folder of the encoder it was trained from."""
    stored, card = load_weights(folder, KIND)
    place = find_encoder(encoder)
    try:
        expected, layers = str(card["encoder"]["sha256"]), int(card["layers"])
        design, trained_table = Design.of(card), bool(card["table"])
    except (KeyError, TypeError, ValueError) as error:
        raise CupelError(
            f"The card in {folder} is not one that this version of Cupel can read: {error}."
        ) from error
    if encoder_checksum(place) != expected:
        raise CupelError(
            f"The weights in {folder} were trained from another encoder than the one in {place}: "
            f"SHA-256 {expected[:12]}... was expected; name its folder with encoder=."
        )
    model = build(Encoder.load(place, layers), design)
    tensors = {
        name: tensor.float() * stored[f"{name}.scale"][:, None]
        if f"{name}.scale" in stored
        else tensor.float()
        for name, tensor in stored.items()
        if not name.endswith(".scale")
    }
    if not trained_table:
        tensors[_TABLE] = model.encoder.words.weight
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise CupelError(f"The weights in {folder} do not fit what their card says.") from error
    model.requires_grad_(False)
    return model.to(find_device(device)).eval(), card


@lru_cache(maxsize=2)
def open_assay(
    folder: Path, encoder: Path | None, device: str, precision: str
) -> tuple[Assay, Mapping[str, Any]]:
    """A model ready to score, loaded once; the encoder's layers in the precision asked for."""
    model, card = load_assay(folder, encoder, device)
    if isinstance(model, Joint):
        raise CupelError(
            f"The weights in {folder} are a joint encoder's, which teaches: train with --teacher "
            "and score with what that gives."
        )
    model.encoder.to(PRECISIONS[precision])
    return model, card

"""`assay` on disk: what a training changed of the encoder, and the head, in one small file.

The table of the pieces is the encoder's own, unless it was trained too; the card names that encoder
by its SHA-256. A card with the shape of an encoder in place of that has all of it in the file, and
needs the tokenizer alone, which may lie beside it. In `int8` every matrix has one scale a row (its
largest absolute value over 127), and is multiplied out on loading, so that scores do not depend on
what else is in a batch. What training changed of a matrix may also be stored as two factors of it,
NAME.a and NAME.b.

A model tuned on judgments of a user's own is stored as a correction alone (some hundred numbers); its
card names the model that it stands on (`cupel.learned.assay.model.releases`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import torch
from torch import Tensor

from cupel.errors import CupelError
from cupel.learned.assay.model.correction import Correction
from cupel.learned.assay.model.joint import Joint, readable
from cupel.learned.assay.model.long_texts import LongTexts
from cupel.learned.assay.model.network import Assay, Design
from cupel.learned.assay.model.releases import BASE, base_entry, base_folder, tokenizer_folder
from cupel.learned.assay.model.releases import KIND as KIND
from cupel.neural.devices import find_device
from cupel.neural.encoder import Config, Encoder
from cupel.neural.packed import pack
from cupel.neural.weights import load_weights, read_card, save_weights
from cupel.neural.wordpiece import MODEL, TOKENIZER, WordPieces, encoder_checksum, find_encoder
from cupel.questions.train_assay import Stored

STORED = get_args(Stored)
"""whole: int8, the encoder's table of pieces too; rank160: int8 factors of what training changed."""
RANK = 160
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
_TABLE = "encoder.words.weight"


def save_assay(
    folder: Path | str,
    model: Assay,
    card: Mapping[str, Any],
    *,
    stored: str = "int8",
    table: bool = False,
    begun: Encoder | None = None,
) -> None:
    """Write a model; table: the table of the pieces too, where it was trained.

    begun: the encoder before training, for what is stored as a difference to it.
    """
    if stored not in STORED:
        raise CupelError(f"Weights are stored as {', '.join(STORED)}, not as {stored!r}.")
    if stored == "rank160" and begun is None:
        raise CupelError("A difference can be stored only where the encoder before training is.")
    table = table or stored == "whole"
    before = (
        {f"encoder.{name}": tensor for name, tensor in begun.state_dict().items()} if begun else {}
    )
    tensors: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if name != _TABLE or table:
            tensors |= _encoded(name, tensor, stored, before)
    entries = {
        "design": model.design.record(),
        "layers": model.encoder.config.layers,
        "stored": stored,
        "table": table,
        **card,
    }
    save_weights(folder, KIND, tensors, entries)


def _encoded(
    name: str, tensor: Tensor, stored: str, before: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """A tensor as it is stored, under one or more names."""
    matrix = tensor.ndim == 2
    if stored == "rank160" and matrix and name.startswith("encoder.layers."):
        left, size, right = torch.linalg.svd(
            tensor.float().cpu() - before[name].cpu(), full_matrices=False
        )
        root = size[:RANK].sqrt()
        factors = {"a": (left[:, :RANK] * root).T, "b": root[:, None] * right[:RANK]}
        coded: dict[str, Tensor] = {}
        for side, factor in factors.items():
            key = f"{name}.{side}"
            coded[key], coded[f"{key}.scale"] = to_int8(factor)
        return coded
    if stored in ("int8", "whole") and matrix and name.startswith("encoder."):
        codes, scale = to_int8(tensor)
        return {name: codes, f"{name}.scale": scale}
    return {name: tensor.half() if matrix and stored in ("float16", "rank160") else tensor.float()}


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
    base = base_folder(read_card(folder, KIND), folder)
    if base is not None:
        model, _ = load_assay(base, encoder, device)
        model.correction, card = _load_correction(folder)
        return model, card
    stored, card = load_weights(folder, KIND)
    place = tokenizer_folder(Path(folder)) or find_encoder(encoder)
    try:
        shape = card["encoder"].get("config")
        part, expected = (TOKENIZER, "tokenizer") if shape else (MODEL, "sha256")
        checksum, layers = str(card["encoder"][expected]), int(card["layers"])
        design, trained_table = Design.of(card), bool(card["table"])
        config, missing = Config(**shape) if shape else None, float(card.get("missing", 0.0))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CupelError(
            f"The card in {folder} is not one that this version of Cupel can read: {error}."
        ) from error
    if encoder_checksum(place, part) != checksum:
        raise CupelError(
            f"The weights in {folder} were trained from another encoder than the one in {place}: "
            f"SHA-256 {checksum[:12]}... was expected; name its folder with encoder=."
        )
    begun = Encoder(config, WordPieces.load(place)) if config else Encoder.load(place, layers)
    model = build(begun, design)
    tensors = decoded(stored, model.state_dict())
    if not trained_table:
        tensors[_TABLE] = model.encoder.words.weight
    try:
        model.load_state_dict(tensors)
    except RuntimeError as error:
        raise CupelError(f"The weights in {folder} do not fit what their card says.") from error
    if isinstance(model, Joint):
        model.missing = missing
    model.requires_grad_(False)
    return model.to(find_device(device)).eval(), card


def save_correction(
    folder: Path | str, correction: Correction, base: Path, card: Mapping[str, Any]
) -> None:
    """Write a correction of the model in the folder `base`; scores keep the scale of that model."""
    tensors = {
        "slope": torch.tensor([correction.slope], dtype=torch.float64),
        "weights": torch.from_numpy(correction.weights),
        "offset": torch.tensor([correction.offset], dtype=torch.float64),
    }
    theirs = read_card(base, KIND)
    kept = ("design", "layers", "table", "encoder", "slope", "centre", "level", "same")
    entries = {name: theirs[name] for name in kept if name in theirs}
    entries |= {"stored": "correction", BASE: base_entry(base), **card}
    save_weights(folder, KIND, tensors, entries)


def _load_correction(folder: Path | str) -> tuple[Correction, Mapping[str, Any]]:
    tensors, card = load_weights(folder, KIND)
    try:
        slope, offset = float(tensors["slope"][0]), float(tensors["offset"][0])
        return Correction(slope, tensors["weights"].double().numpy(), offset), card
    except (KeyError, IndexError, RuntimeError) as error:
        raise CupelError(f"The weights in {folder} do not fit what their card says.") from error


def decoded(stored: Mapping[str, Tensor], begun: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a file in float32; begun: those that stored differences are added to."""
    given = {
        name: tensor.float() * stored[f"{name}.scale"][:, None]
        if f"{name}.scale" in stored
        else tensor.float()
        for name, tensor in stored.items()
        if not name.endswith(".scale")
    }
    for name in [name[:-2] for name in given if name.endswith(".a")]:
        given[name] = begun[name] + given.pop(f"{name}.a").T @ given.pop(f"{name}.b")
    return given


@lru_cache(maxsize=4)
def open_assay(
    folder: Path, encoder: Path | None, device: str, precision: str
) -> tuple[Assay, Mapping[str, Any]]:
    """A model ready to score, loaded once; the encoder's layers in the precision asked for."""
    model, card = load_assay(folder, encoder, device)
    read_in_parts(model, card)
    model.encoder.to(PRECISIONS[precision])
    pack(model.encoder)
    return model, card


def read_in_parts(model: Assay, card: Mapping[str, Any]) -> None:
    """Let a model that reads two sentences together read long texts in aligned parts."""
    if isinstance(model, Joint):
        assert model.encoder.pieces is not None
        same = float(card["same"]) if "same" in card else None
        model.long = LongTexts(model.encoder.pieces, readable(model), same)

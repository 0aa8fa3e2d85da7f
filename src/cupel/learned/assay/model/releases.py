"""The releases of assay, and on which of them a correction stands.

A folder that `cupel train assay --start assay` wrote has a correction only. Its card names the model
that it stands on, by the name of a release or by a folder, and that model's SHA-256.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.models import find_folder, model_folder
from cupel.neural.weights import read_card
from cupel.neural.wordpiece import TOKENIZER

KIND = "assay"
RELEASES = {"assay": "assay-2", "assay-wmt13": "assay-wmt13"}
"""How metrics are called -> the folder of their weights."""
BASE = "stands_on"
NUMBERS = ("missing", "level", "same", "share", "scale")
"""Entries of a card that scores depend on as they do on the weights."""
LONG_TEXTS = "parts-2"
"""How models that read two sentences together read long texts, and its version, for signatures: what
`cupel.learned.assay.model.long_texts` does changes scores."""


def checksum(card: Mapping[str, Any]) -> str:
    """What a signature names a model by: the weights, and the numbers of its card that change scores."""
    numbers = {name: card[name] for name in NUMBERS if name in card}
    weights = str(card["sha256"])
    if numbers:
        text = weights + json.dumps(numbers, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]
    return weights[:12]


def named_folder(start: Path | str) -> Path:
    """The folder of a release, or a folder by its path; either holds a whole model of assay."""
    release = RELEASES.get(str(start))
    folder = model_folder(release) if release else Path(start)
    if not folder.is_dir():
        raise CupelError(
            f"There is no model {str(start)!r} to start from: name {', '.join(RELEASES)}, or a "
            "folder that `cupel train assay` wrote."
        )
    card = read_card(folder, KIND)
    if BASE in card:
        raise CupelError(
            f"{folder} holds a correction of {card[BASE]['name']}: start from that, and give all "
            "judgments with --train."
        )
    return folder


def base_entry(folder: Path) -> dict[str, str]:
    """How a card names the model in a folder."""
    entry = {"name": folder.name, "sha256": str(read_card(folder, KIND)["sha256"])}
    if folder != find_folder(folder.name):
        entry["folder"] = str(folder.resolve())
    return entry


def base_folder(card: Mapping[str, Any], where: Path | str) -> Path | None:
    """The folder of the model that a correction stands on, checked; None for a whole model."""
    if BASE not in card:
        return None
    entry = card[BASE]
    folder = Path(entry["folder"]) if "folder" in entry else model_folder(str(entry["name"]))
    if not folder.is_dir() or read_card(folder, KIND)["sha256"] != entry["sha256"]:
        raise CupelError(
            f"{where} holds a correction of {entry['name']} with SHA-256 "
            f"{str(entry['sha256'])[:12]}..., which is not in {folder}."
        )
    return folder


def tokenizer_folder(folder: Path) -> Path | None:
    """The folder of a tokenizer that lies beside a whole model, or beside the one that a correction
    stands on; None where the tokenizer is that of another encoder.
    """
    card = read_card(folder, KIND)
    place = base_folder(card, folder) or folder
    whole = "config" in (card.get("encoder") or ())
    return place if whole and (place / TOKENIZER).is_file() else None

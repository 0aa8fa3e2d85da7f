"""Nothing ships that may not be passed on, and every card names the licences of what a model is made of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cupel
from cupel.learned.manifest import entries, licences, terms
from cupel.models import model

ROOT = Path(cupel.__file__).parents[2]
CARDS = {
    path.parent.name: path
    for place in ("src/cupel/resources/*/card.json", "models/*/cupel_models/*/card.json")
    for path in sorted(ROOT.glob(place))
}
LICENCE = re.compile(r"CC BY[A-Z-]* \d\.\d|Gemma Terms of Use")


def read(name: str) -> dict[str, Any]:
    card: dict[str, Any] = json.loads(CARDS[name].read_text("utf-8"))
    return card


def ingredients(card: dict[str, Any]) -> Iterator[str]:
    """Data, backbone and teachers, as far as the fields of a card name them."""
    data = card.get("data", card.get("train", []))
    if isinstance(data, dict):
        teacher, data = (
            data.get("teacher", ""),
            [
                *data.get("origins", []),
                *data.get("outputs", []),
                *data.get("graded", []),
            ],
        )
    else:
        teacher = card.get("teacher", "")
    yield from (name.partition(":")[0] for name in data)
    yield from re.findall(r"assay-[\w-]*\w", teacher)
    if "encoder" in card:
        yield card["encoder"]["name"]
    by_checksum = {read(name)["sha256"]: name for name in CARDS}
    yield from (by_checksum[checksum] for checksum in card.get("teachers", []))


def test_all_trained_models_are_looked_at() -> None:
    names = "assay-2 assay-2-large assay-wmt13 nnrk-light nnrk-light-3 nnrk-match nnrk-paper reval reval-2"
    assert set(CARDS) == {*names.split(), "syntax25"}


@pytest.mark.parametrize("name", CARDS)
def test_the_card_names_all_licences(name: str) -> None:
    card = read(name)
    assert set(ingredients(card)) <= set(card["licences"])
    assert card["licences"] == licences(card["licences"])
    assert set(card["licences"]) <= set(terms())


@pytest.mark.parametrize("name", CARDS)
def test_the_model_may_be_passed_on(name: str) -> None:
    """What asks to be named is named where people read it: in the card, and in the list of models."""
    card = read(name)
    places = [card["licence"]]
    if "models" in CARDS[name].parts:
        places.append(model(CARDS[name].parents[2].name.removeprefix("cupel-")).licence)
    for part in card["licences"]:
        assert terms()[part].weights != "no"
        if terms()[part].weights == "named":
            (required,) = LICENCE.findall(terms()[part].licence)
            assert all(required in place for place in places), (name, part)


def test_what_asks_to_be_named() -> None:
    strict = {name for name, one in terms().items() if one.weights == "named"}
    for entry in entries():
        if entry.kind == "judgments" and LICENCE.search(entry.licence):
            assert entry.dataset in strict
    assert strict == {"sick", "flores21", "ud-english-ewt", "remedy22", "gemma-3-270m"}


def test_a_release_is_called_so() -> None:
    """It has learned from data for reporting; the others have not."""
    from cupel.learned.manifest import Gate

    for name in CARDS:
        card = read(name)
        if card["kind"] == "assay":
            assert card.get("release", False) == Gate.of(False, card["data"]).release

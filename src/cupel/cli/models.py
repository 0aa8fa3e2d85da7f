"""`cupel models`: where the weights of learned metrics are, which are missing and how to get them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from cupel.cli import output
from cupel.models import locate, missing_models, model, models, problems, what_is_missing

if TYPE_CHECKING:
    from cupel.questions.models import ModelsGet, ModelsList, ModelsVerify


def show(question: ModelsList) -> None:
    """Print each model with its licence and place."""
    rows: list[dict[str, Any]] = [
        {
            "name": entry.name,
            "description": entry.description,
            "here": place is not None,
            "place": str(place.parent) if place else None,
            "bytes": entry.size,
            "licence": entry.licence,
            "trained_on": entry.trained_on,
            "built": entry.built,
            "needs": " ".join(entry.needs),
        }
        for entry in models().values()
        for place in [locate(entry)]
    ]
    if question.format != "text":
        output.records(rows, question.format, sys.stdout)
        return
    for row in rows:
        print(f"{row['name']}: {row['description']}")
        command = f"no; run `cupel models get {row['name']}`"
        print(f"  here: {row['place'] or command}")
        print(f"  size: {row['bytes'] / 1e6:,.0f} MB")
        for label in ("licence", "trained_on", "built", "needs"):
            if row[label]:
                print(f"  {label.replace('_', ' ')}: {row[label]}")


def get(question: ModelsGet) -> None:
    """Get what is missing; print where each model is."""
    from cupel.data.get_models import get_models

    missing = missing_models(question.names)
    for entry in missing:
        output.warn(f"{entry.name}: {entry.size / 1e6:,.0f} MB; licence: {entry.licence}.")
    with output.progress_bar("getting models", in_bytes=True) as progress:
        get_models(question.names, question.source, progress)
    for entry in dict.fromkeys(entry for name in question.names for entry in model(name).all):
        place = locate(entry)
        assert place is not None  # `get_models` leaves no gap
        state = "added" if entry in missing else "was already there"
        print(f"{entry.name}: {state}: {place.parent}")


def verify(question: ModelsVerify) -> int:
    """Print what is wrong with models that are here; 1 if anything is."""
    from cupel.errors import MissingPart

    for name in question.names:
        if missing := what_is_missing(name):
            raise MissingPart(missing)
    here = [entry for entry in models().values() if locate(entry)]
    checked = [model(name) for name in dict.fromkeys(question.names)] or here
    if not checked:
        raise MissingPart("No model is here: `cupel models list` says which there are.")
    wrong = {entry.name: problems(entry) for entry in checked}
    if question.format == "text":
        for name, sentences in wrong.items():
            print(f"{name}: {'wrong' if sentences else 'in order'}")
            print(
                *(f"  {sentence}" for sentence in sentences), sep="\n", end="\n" * bool(sentences)
            )
    else:
        rows: list[dict[str, Any]] = [
            {"name": name, "problem": problem}
            for name, sentences in wrong.items()
            for problem in sentences or (None,)
        ]
        output.records(rows, question.format, sys.stdout)
    return int(any(wrong.values()))

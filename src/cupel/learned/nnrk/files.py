"""NNRK on disk: weights and card of the presets that come with Cupel, and of other folders."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache, lru_cache
from pathlib import Path

from cupel.errors import CupelError, MissingPart
from cupel.learned.nnrk.model.encoder import unpacked
from cupel.learned.nnrk.model.features import FeatureSet, feature_set
from cupel.learned.nnrk.model.network import Model, Network, Normalisation
from cupel.models import model_folder
from cupel.neural.weights import load_arrays, save_arrays

KIND = "nnrk"


def save_model(folder: Path | str, model: Model) -> None:
    """Write a model as a folder of weights and card."""
    norm = model.normalisation
    arrays = {f"network.{f.name}": getattr(model.network, f.name) for f in fields(Network)}
    arrays |= {f"normalisation.{f.name}": getattr(norm, f.name) for f in fields(Normalisation)}
    arrays |= {"mean.x": model.mean_x, "mean.psi": model.mean_psi}
    card = {**model.card, "normalisation": norm.digest()}
    if model.encoder is not None:
        arrays |= model.encoder.packed()
        card["encoder"] = dict(model.encoder.settings)
    save_arrays(folder, KIND, arrays, card)


def load_model(folder: Path | str) -> Model:
    """The model in a folder that `save_model` wrote."""
    arrays, card = load_arrays(folder, KIND)
    try:
        network = Network(*(arrays[f"network.{f.name}"] for f in fields(Network)))
        norm = Normalisation(*(arrays[f"normalisation.{f.name}"] for f in fields(Normalisation)))
        encoder = unpacked(card["encoder"], arrays) if "encoder" in card else None
        return Model(network, norm, arrays["mean.x"], arrays["mean.psi"], card, encoder)
    except KeyError as error:
        raise CupelError(f"{folder} is not a whole NNRK model: it lacks {error}.") from error


@lru_cache(maxsize=8)
def open_model(preset: str, folder: str | None = None) -> Model:
    """The model of a preset, or the one in a folder; read once."""
    return load_model(folder if folder is not None else model_folder(f"nnrk-{preset}"))


@cache
def _features(names: tuple[str, ...]) -> FeatureSet:
    return feature_set(names)


def features_of(model: Model) -> FeatureSet:
    """The features that a model was trained with; an error says what to install for them."""
    try:
        features = _features(model.features)
        if model.encoder is None:
            return features
        model.encoder.check()
        return replace(features, vectors=(("encoder", model.encoder), *features.vectors))
    except MissingPart as missing:
        raise MissingPart(
            f"The NNRK model was trained with features that are not at hand. {missing}"
        ) from missing

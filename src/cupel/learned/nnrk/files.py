"""Models by name: the presets that come with Cupel, and folders of one's own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

from cupel.errors import MissingPart
from cupel.learned.nnrk.model.features import FeatureSet, feature_set
from cupel.learned.nnrk.model.network import Model, load_model
from cupel.neural.weights import embedded


@lru_cache(maxsize=8)
def open_model(preset: str, folder: str | None = None) -> Model:
    """The model of a preset, or the one in a folder."""
    return load_model(folder if folder is not None else embedded(f"nnrk-{preset}"))


@cache
def _features(names: tuple[str, ...]) -> FeatureSet:
    return feature_set(names)


def features_of(model: Model) -> FeatureSet:
    """The features that a model was trained with, or what one has to install for them."""
    try:
        found = _features(model.features)
        if model.encoder is None:
            return found
        model.encoder.check()
        return replace(found, vectors=(("encoder", model.encoder), *found.vectors))
    except MissingPart as missing:
        raise MissingPart(
            f"The NNRK model was trained with features that are not at hand. {missing}"
        ) from missing

"""How each dataset is made from files that anyone can download.

A recipe names public repositories, each at one commit. The files that it reads from them, with
their sizes and SHA-256 checksums, are listed in `resources/recipes/NAME.tsv`.

A module of recipes has RECIPES, the recipe of each of its datasets, and READS, the patterns of the
paths that each reads, by repository (`*` matches `/` too): `tools/list_recipe_files.py` makes the
lists from those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from cupel.data.recipes.recipe import Recipe

_MODULES = {
    "wmt12": "wmt_rankings",
    "wmt13": "wmt_rankings",
    "wmt14": "wmt_rankings",
    "wmt15-rankings": "wmt15",
    "da13": "da13",
    "da15": "menli",
    "da17": "menli",
    "sick": "mutt",
    "mutt": "mutt",
    "ud-english-ewt": "ud_ewt",
    "mqm20": "mqm20",
    "mqm21": "google_mqm",
    "mqm22": "mqm22",
    "ted21": "google_mqm",
    "bio21": "bio_mqm",
    "esa24": "esa24",
    "mlqe": "mlqe",
}


def recipe(name: str) -> Recipe:
    """The recipe of the dataset; its module is imported when it is asked for."""
    recipes: dict[str, Recipe] = _module(name).RECIPES
    return recipes[name]


def reads(name: str) -> Mapping[str, Sequence[str]]:
    """The patterns of the paths that the dataset's recipe reads from each repository."""
    patterns: Mapping[str, Mapping[str, Sequence[str]]] = _module(name).READS
    return patterns[name]


def _module(name: str) -> ModuleType:
    return import_module(f"cupel.data.recipes.{_MODULES[name]}")

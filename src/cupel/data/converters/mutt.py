"""MUTT, the unit tests of metrics by Boag and others (2016), and SICK, from which they are made.

The repository of the paper holds both; their files are taken as they are. SICK is the SemEval-2014
release of Marelli and others (LREC 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cupel.data.converters.sources import copy_files, only

_PLACES = {  # in the repository -> in the dataset
    "src/tmp": "trials",
    "corruptions": "corruptions",
    "results": "results",
    "data/flickr": "flickr",
    "data/cache": "cache",
}


def build_mutt(sources: Mapping[str, Path], target: Path) -> None:
    """The trials, and the texts that they were made from."""
    for folder, place in _PLACES.items():
        copy_files(only(sources) / folder, "*", target / place)


def build_sick(sources: Mapping[str, Path], target: Path) -> None:
    """The sentence pairs, one file."""
    copy_files(only(sources) / "data" / "sick", "SICK.txt", target)

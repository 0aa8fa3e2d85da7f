"""Test sets from the folders of datasets: WMT's own layout, and the one of mt-metrics-eval.

The texts of wmt12, wmt13 and wmt14 are those that sacreBLEU extracts from the official SGM files (compared
on all sources and references into English), once white space is written as it does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from cupel.data.catalog import DATASETS, EMBEDDED
from cupel.data.find import find, locate, named_folder
from cupel.data.test_sets.test_set import Part, Texts
from cupel.data.wmt_names import language_pairs, side_of
from cupel.errors import CupelError
from cupel.folders import search_folders
from cupel.reading.campaigns import read_documents, read_texts, text_files
from cupel.reading.lines import iterate_lines, read_lines
from cupel.reading.wmt_xml import one_space

_CHOICE = re.compile(r"(?P<name>.+)/(?P<letters>[A-Z]+)")


def is_test_set(folder: Path) -> bool:
    """Whether a folder has sources and references, as those of datasets and campaigns do."""
    return (folder / "sources").is_dir() and (folder / "references").is_dir()


def catalog_sets() -> list[str]:
    """The datasets that are test sets as well: newstest, and campaigns as in mt-metrics-eval."""
    return [name for name, entry in DATASETS.items() if str(entry.kind) in ("wmt", "graded")]


def local_part(name: str, pair: str) -> Part | None:
    """The set of that name in the folders of datasets; NAME/AC takes references A and C alone."""
    folder = named_folder(name)
    if folder is not None and is_test_set(folder):
        return _part(name, folder, pair, None)
    choice = _CHOICE.fullmatch(name)
    folder = named_folder(choice["name"]) if choice else None
    if choice is not None and folder is not None and is_test_set(folder):
        return _part(name, folder, pair, choice["letters"])
    return None


def local_sets() -> dict[str, Path]:
    """The sets that are here: name -> folder or archive; nothing is unpacked."""
    sets = {
        name: place for name in DATASETS if (place := locate(name)) and _may_be_set(place, name)
    }
    for folder in search_folders():
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not entry.name.startswith(".") and entry.is_dir() and is_test_set(entry):
                sets.setdefault(entry.name, entry)
    return sets | {name: find(name) for name in EMBEDDED}


def folder_pairs(folder: Path) -> list[str]:
    """The language pairs of a folder of either layout that have a source and a reference."""
    named = _wmt_pairs(folder)
    if named:
        return list(named)
    references = [path.name for path in (folder / "references").iterdir()]
    return [
        pair
        for pair in text_files(folder / "sources")
        if any(name.startswith(f"{pair}.") for name in references)
    ]


def _may_be_set(place: Path, name: str) -> bool:
    return is_test_set(place) if place.is_dir() else name in catalog_sets()


def _part(name: str, folder: Path, pair: str, letters: str | None) -> Part | None:
    if pair not in folder_pairs(folder):
        return None
    named = _wmt_pairs(folder)
    if named:
        source, reference = (partial(_cleaned, path) for path in named[pair])
        return Part(name, pair, str(folder), {"src": source, "ref": reference}, ["ref"])
    fields = _campaign_fields(folder, pair)
    references = [field for field in fields if field.startswith("ref")]
    if letters is not None:
        chosen = [f"ref:{letter}" for letter in letters]
        for field in chosen:
            if field not in references:
                raise CupelError(
                    f"The test set {name} has no reference {field.removeprefix('ref:')!r} for {pair}; "
                    f"it has {', '.join(references)}."
                )
        references = chosen
    return Part(name, pair, str(folder), fields, references)


def _wmt_pairs(folder: Path) -> Mapping[str, tuple[Path, Path]]:
    paths = [path for side in ("sources", "references") for path in (folder / side).iterdir()]
    return language_pairs({side: path for path in sorted(paths) if (side := side_of(path))})


def _campaign_fields(folder: Path, pair: str) -> dict[str, Texts]:
    fields: dict[str, Texts] = {}
    source = text_files(folder / "sources")[pair]
    fields["src"] = partial(read_texts, source, "source")
    for name, path in text_files(folder / "references", f"{pair}.").items():
        label = name.removeprefix("ref")
        fields[f"ref:{label}" if label else "ref"] = partial(read_texts, path, "target")
    documents = folder / "documents" / f"{pair}.docs"
    if documents.is_file():
        domains, ids = zip(*read_documents(documents), strict=True)
        fields["docid"] = partial(list, ids)
        if any(domains):
            fields["domain"] = partial(list, domains)
    origins = folder / "documents" / f"{pair}.origlang"
    if origins.is_file():
        fields["origlang"] = partial(read_lines, origins)
    return fields


def _cleaned(path: Path) -> list[str]:
    return [one_space(line) for line in iterate_lines(path)]

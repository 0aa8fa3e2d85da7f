"""Datasets as values: the language pairs of WMT, the trials of MUTT, and the embedded sample.

System ids are the ones that the judgments use: for wmt12 the last part of the file name
`newstest2012.<pair>.<system>`, for wmt13 and wmt14 the whole file name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from cupel.corpus import Corpus
from cupel.data.catalog import DATASETS, of_kind
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.reading import read_lines
from cupel.reading.jsons import json_lines, read_json

REFERENCE_COUNTS = (5, 10, 20)


@dataclass(frozen=True)
class WmtFiles:
    """Where the parts of one language pair lie."""

    reference: Path
    source: Path
    systems: Mapping[str, Path]


@dataclass(frozen=True)
class Trials:
    """The trials of one corruption: entry i of each list belongs to trial i."""

    corruption: str
    originals: list[str]
    corrupted: list[str]
    references: list[list[str]]

    def __len__(self) -> int:
        return len(self.originals)


def wmt_pairs(name: str) -> list[str]:
    """The language pairs of wmt12, wmt13 or wmt14 that have system outputs."""
    ranked = of_kind("wmt")
    if name not in ranked:
        raise CupelError(f"{name!r} is not a WMT dataset; those are {', '.join(ranked)}.")
    return list(DATASETS[name].pairs)


def wmt_corpus(name: str, pair: str) -> Corpus:
    """Sources, references and every system's output of one language pair."""
    pairs = wmt_pairs(name)
    if pair not in pairs:
        raise CupelError(f"{name} has no language pair {pair!r}; it has {', '.join(pairs)}.")
    folder = find(name)
    parts = wmt_files(folder, name, pair)
    if not parts.systems:
        raise CupelError(
            f"{folder} has no system outputs for {pair}: `cupel data verify {name}` says what is "
            "missing."
        )
    return Corpus(
        systems={system: read_lines(path) for system, path in parts.systems.items()},
        references=[[line] for line in read_lines(parts.reference)],
        sources=read_lines(parts.source),
        origins={
            "references": str(parts.reference),
            "sources": str(parts.source),
            **{system: str(path) for system, path in parts.systems.items()},
        },
    )


def wmt_files(folder: Path, name: str, pair: str) -> WmtFiles:
    """The files of one language pair in a WMT dataset's folder; the systems in order of name."""
    source, target = pair.split("-")
    test = DATASETS[name].test
    # In 2014 each language pair had English sentences of its own.
    stem = f"{test}-{source}{target}" if name == "wmt14" else test
    prefix = f"{test}.{pair}." if name == "wmt12" else ""
    outputs = sorted((folder / "system-outputs" / test / pair).glob(f"{test}.*"))
    return WmtFiles(
        reference=folder / "references" / f"{stem}-ref.{target}",
        source=folder / "sources" / f"{stem}-src.{source}",
        systems={path.name.removeprefix(prefix): path for path in outputs},
    )


def mutt_corruptions() -> list[str]:
    """The corruptions of the MUTT paper's trials."""
    return list(DATASETS["mutt"].parts)


def mutt_trials(corruption: str, references: int = 5) -> Trials:
    """The original and the corrupted sentence and the references of each trial."""
    corruptions = mutt_corruptions()
    if corruption not in corruptions:
        raise CupelError(
            f"There is no corruption {corruption!r} in mutt; there are {', '.join(corruptions)}."
        )
    if references not in REFERENCE_COUNTS:
        raise CupelError(
            f"The trials of mutt have 5, 10 or 20 references; {references} were asked for."
        )
    return trials_in(find("mutt"), corruption, references)


def trials_in(folder: Path, corruption: str, references: int) -> Trials:
    """The trials of one corruption in that folder, each file checked against the others."""
    stem = folder / "trials" / corruption
    original_file, corrupted_file, reference_file = (
        stem.with_name(f"{corruption}_{part}.json") for part in ("a", "b", f"r{references}")
    )
    originals = _captions(original_file, read_json(original_file))
    corrupted = _captions(corrupted_file, read_json(corrupted_file))
    whole = read_json(reference_file)
    annotated = _captions(
        reference_file, whole.get("annotations") if isinstance(whole, dict) else whole
    )
    numbers = list(range(len(originals)))
    for path, captions, count in (
        (original_file, originals, 1),
        (corrupted_file, corrupted, 1),
        (reference_file, annotated, references),
    ):
        _check_numbers(path, captions, numbers, count, original_file)
    return Trials(
        corruption,
        [originals[number][0] for number in numbers],
        [corrupted[number][0] for number in numbers],
        [annotated[number] for number in numbers],
    )


def sample() -> Corpus:
    """The embedded sample: 40 segments, one or two references, four systems."""
    with as_file(files("cupel") / "resources" / "sample" / "sample.jsonl") as path:
        records = [record for _, record in json_lines(path)]
    systems = [field for field in records[0] if field != "references"]
    return Corpus(
        systems={system: [record[system] for record in records] for system in systems},
        references=[record["references"] for record in records],
    )


def _captions(path: Path, entries: Any) -> dict[int, list[str]]:
    """The captions of each trial, in the order of the file (COCO: image_id, caption)."""
    captions: dict[int, list[str]] = {}
    try:
        for entry in entries:
            captions.setdefault(int(entry["image_id"]), []).append(str(entry["caption"]))
    except (KeyError, TypeError, ValueError) as error:
        raise CupelError(
            f"{path} is not in COCO caption form: entries with image_id and caption were expected."
        ) from error
    return captions


def _check_numbers(
    path: Path, captions: dict[int, list[str]], numbers: list[int], count: int, first: Path
) -> None:
    if sorted(captions) != numbers:
        raise CupelError(
            f"{path} does not hold the same trials as {first}: {len(numbers)}, numbered from 0, "
            f"were expected, {len(captions)} found."
        )
    for number in numbers:
        if len(captions[number]) != count:
            raise CupelError(
                f"{path}, trial {number}: {count} sentences expected, "
                f"{len(captions[number])} found."
            )

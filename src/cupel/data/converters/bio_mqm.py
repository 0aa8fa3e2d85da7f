"""Expert MQM of biomedical abstracts of WMT21, 14 language pairs: Zouhar and others (ACL 2024).

The second round of annotation, in which people's translations were judged beside the systems. Each
file has one system's translations with their errors; segments are joined by their source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from cupel.data.converters.annotations import penalty
from cupel.data.converters.graded import JudgedPair, one_line, write_pair
from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading.jsons import read_json

_ROOT = "data/v2/target/main_phase/round_two"
_REFERENCES = ("reference", "reference_r1")
"""The second one translates segments that the first one leaves out."""


@dataclass(frozen=True)
class Judged:
    """One person's judgment of a translation: the sum of its penalties."""

    source: str
    target: str
    penalty: float
    document: str


def build(sources: Mapping[str, Path], target: Path) -> None:
    """Every language pair that has systems: en-eu has people's translations only."""
    for folder in sorted((only(sources) / _ROOT).iterdir()):
        files = {path.stem: read_judged(path) for path in sorted(folder.glob("*.json"))}
        references = [files.pop(name, []) for name in _REFERENCES]
        if files:
            judged = _joined(folder.name.replace("2", "-"), references, files)
            write_pair(target, judged, "mqm")


def read_judged(path: Path) -> list[Judged]:
    """The judgments of one file, in its order."""
    try:
        return [
            Judged(
                one_line(entry["source"]),
                one_line(entry["target"]),
                sum(
                    penalty(
                        f"{error.get('error_category', '')}/{error.get('error_subcategory', '')}",
                        str(error.get("severity", "")),
                    )
                    for error in entry["target_errors"] + entry["source_errors"]
                ),
                one_line(entry["DOC_ID"]),
            )
            for entry in read_json(path)
        ]
    except (AttributeError, KeyError, TypeError) as error:
        raise CupelError(
            f"{path}: a list of translations with source, target, errors and DOC_ID "
            f"was expected ({error})."
        ) from error


def _joined(
    pair: str, references: Sequence[list[Judged]], files: Mapping[str, list[Judged]]
) -> JudgedPair:
    """The segments that have a reference; of a system's several judgments of one, the mean."""
    first, *others = references
    reference = {one.source: one.target for one in first if one.target}
    for other in others:
        for one in other:
            reference.setdefault(one.source, one.target)
    document = {one.source: one.document for of in reversed(references) for one in of}
    of_system: dict[str, dict[str, list[Judged]]] = {}
    for system, judgments in files.items():
        by_source = of_system.setdefault(system, {})
        for one in judgments:
            by_source.setdefault(one.source, []).append(one)
    return JudgedPair(
        pair,
        list(reference),
        {"refA": list(reference.values())},
        {
            system: [of[source][0].target if source in of else "" for source in reference]
            for system, of in of_system.items()
        },
        {
            system: [_mean(of.get(source, [])) for source in reference]
            for system, of in of_system.items()
        },
        [("bio21", name) for name in _documents(document[source] for source in reference)],
    )


def _documents(names: Iterable[str]) -> Iterator[str]:
    """Names under which a document's segments follow each other: `doc7`, and later `doc7.2`.

    Segments that only the second file of references has come after all others.
    """
    times: Counter[str] = Counter()
    for name, segments in groupby(names):
        times[name] += 1
        shown = name if times[name] == 1 else f"{name}.{times[name]}"
        yield from (shown for _ in segments)


def _mean(judgments: Sequence[Judged]) -> float | None:
    if not judgments or not judgments[0].target:
        return None
    return -sum(one.penalty for one in judgments) / len(judgments)

"""The texts in a folder as mt-metrics-eval lays it out, read and written.

    sources/PAIR.txt  references/PAIR.NAME.txt  system-outputs/PAIR/SYSTEM.txt
    documents/PAIR.docs                         DOMAIN and DOCUMENT of each segment

Each text has one line a segment; texts may also be `.jsonl`, as since 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from cupel.corpus import counted_segments
from cupel.errors import CupelError
from cupel.reading.lines import iterate_lines, read_lines
from cupel.reading.tables import read_column

_SUFFIXES = (".txt", ".jsonl")


def text_files(folder: Path, prefix: str = "") -> dict[str, Path]:
    """The texts of a folder by what follows the prefix in their names."""
    paths: dict[str, Path] = {}
    for path in sorted(folder.glob(f"{prefix}*")):
        if path.suffix in _SUFFIXES:
            name = path.name.removeprefix(prefix).removesuffix(path.suffix)
            if name in paths:
                raise CupelError(
                    f"{paths[name]} and {path} have one name, {name!r}: remove one of them."
                )
            paths[name] = path
    return paths


def read_texts(path: Path, field: str) -> list[str]:
    """The lines of a text; of `.jsonl` the values of that field."""
    if path.suffix == ".txt":
        return read_lines(path)
    return [str(cell) for cell in read_column(str(path), "jsonl", field)]


def read_documents(path: Path, segments: int | None = None) -> list[tuple[str, str]]:
    """(domain, document) of each segment. segments: how many there must be."""
    rows = []
    for number, line in enumerate(iterate_lines(path), start=1):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) < 2:
            raise CupelError(f"{path}, line {number}: a domain and a document were expected.")
        rows.append((fields[0], fields[1]))
    if segments is not None and len(rows) != segments:
        raise CupelError(
            f"{path} has {len(rows)} lines, but there are {counted_segments(segments)}."
        )
    return rows


def write_campaign(
    folder: Path,
    pair: str,
    sources: Iterable[str],
    references: Mapping[str, Iterable[str]],
    outputs: Mapping[str, Iterable[str]],
    documents: Iterable[tuple[str, str]] = (),
) -> None:
    """Write the texts of a language pair; references and outputs by name."""
    write_lines(folder / "sources" / f"{pair}.txt", sources)
    for name, lines in references.items():
        write_lines(folder / "references" / f"{pair}.{name}.txt", lines)
    for system, lines in outputs.items():
        write_lines(folder / "system-outputs" / pair / f"{system}.txt", lines)
    if rows := ["\t".join(row) for row in documents]:
        write_lines(folder / "documents" / f"{pair}.docs", rows)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines into a file whose folder may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)

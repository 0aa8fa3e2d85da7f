"""Test sets from sacreBLEU's cache, in its layout, with exactly the texts that sacreBLEU reads.

    SET/raw/...              the files that it downloaded and unpacked
    SET/SET.PAIR.FIELD       one line per segment, with `_` for `/` in SET and `-` for `:` in FIELD

Which sets, pairs and raw files there are comes from the tables of the installed sacreBLEU; its functions
that would download are not called, and nothing is written. SGM is read as sacreBLEU reads it: line by
line, with entities left as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cupel.data.test_sets.test_set import Part, Texts
from cupel.errors import CupelError
from cupel.folders import data_folder
from cupel.reading.lines import iterate_lines
from cupel.reading.wmt_xml import is_reference, one_space, read_wmt_xml

VARIABLE = "SACREBLEU"
ADDED = "sacrebleu"
"""The folder in the data folder in which `cupel data add` makes a cache for each set."""
_SEGMENT = re.compile(r"<seg.*?>(.*)</seg>.*?")
_METADATA = ("docid", "genre", "origlang")


def cache_folders() -> list[Path]:
    """sacreBLEU's own cache, then those of the sets that were added to the data folder."""
    own = os.environ.get(VARIABLE)
    added = data_folder() / ADDED
    return [
        Path(own) if own else Path.home() / ".sacrebleu",
        *(sorted(p for p in added.iterdir() if p.name[0] != ".") if added.is_dir() else ()),
    ]


def sacrebleu_tables() -> Mapping[str, Any]:
    """sacreBLEU's entry of each test set, by name."""
    from sacrebleu.dataset import DATASETS

    tables: Mapping[str, Any] = DATASETS
    return tables


def sacrebleu_part(name: str, pair: str, folders: Sequence[Path] | None = None) -> Part | None:
    """The set in the first cache that has it; None where none has it."""
    entry = sacrebleu_tables().get(name)
    if entry is None or pair not in entry.langpairs:
        return None
    for folder in cache_folders() if folders is None else folders:
        if fields := _fields(entry, pair, folder / name):
            return Part(
                name,
                pair,
                str(folder / name),
                fields,
                _references(entry, pair, fields),
                _annotations(name, fields),
            )
    return None


def sacrebleu_sets(folders: Sequence[Path] | None = None) -> dict[str, list[str]]:
    """The sets that are in the caches, each with its pairs."""
    places = [f for f in (cache_folders() if folders is None else folders) if f.is_dir()]
    if not places:
        return {}
    present = {
        name: [pair for pair in entry.langpairs if any(_is_there(entry, pair, f) for f in places)]
        for name, entry in sacrebleu_tables().items()
    }
    return {name: pairs for name, pairs in present.items() if pairs}


def written_name(name: str, pair: str, field: str) -> str:
    """The name of the text file of a field; colons are not allowed in names on Windows."""
    return f"{name.replace('/', '_')}.{pair}.{field.replace(':', '-')}"


def _is_there(entry: Any, pair: str, folder: Path) -> bool:
    place = folder / entry.name
    texts = _written(entry.name, pair, place)
    return ("src" in texts and any(map(is_reference, texts))) or all(
        path.is_file() for path in _raw_files(entry, pair, place)
    )


def _fields(entry: Any, pair: str, place: Path) -> dict[str, Texts]:
    """Every field's reader: of the texts that sacreBLEU has written, else of the raw files."""
    written = _written(entry.name, pair, place)
    raw = _raw_files(entry, pair, place)
    if raw[0].suffix == ".xml" and len(raw) == 1 and raw[0].is_file():
        columns = read_wmt_xml(raw[0]).fields
        return {name: partial(list, texts) for name, texts in columns.items()}
    readers = _raw_readers(entry, pair, raw) if all(path.is_file() for path in raw) else {}
    readers |= {name: partial(_stripped_lines, path) for name, path in written.items()}
    complete = "src" in readers and any(map(is_reference, readers))
    return {name: readers[name] for name in sorted(readers, key=_rank)} if complete else {}


def _written(name: str, pair: str, place: Path) -> dict[str, Path]:
    stem = written_name(name, pair, "")
    if not place.is_dir():
        return {}
    return {
        re.sub("^ref-", "ref:", path.name.removeprefix(stem)): path
        for path in sorted(place.iterdir())
        if path.name.startswith(stem) and path.is_file()
    }


def _rank(name: str) -> tuple[int, str]:
    """sacreBLEU's order of fields."""
    groups = ["src", "ref", "docid", "genre", "origlang"]
    group = "ref" if is_reference(name) else name
    last = len(groups) + (name == "domain")
    return (groups.index(group) if group in groups else last, name)


def _raw_files(entry: Any, pair: str, place: Path) -> list[Path]:
    listed = entry.langpairs[pair]
    names = [listed["path"]] if isinstance(listed, dict) else listed
    # A table's file may be preceded by the number of a column: 2:MTNT2019/en-fr.final.tsv.
    return [place / "raw" / re.sub(r"^\d+:", "", name) for name in names]


def _raw_readers(entry: Any, pair: str, raw: Sequence[Path]) -> dict[str, Texts]:
    names = ["src", *(["ref"] if len(raw) == 2 else (f"ref:{n}" for n in range(len(raw) - 1)))]
    if raw[0].suffix == ".tsv":
        given = [re.match(r"(\d+):", name) for name in entry.langpairs[pair]]
        columns = [int(match[1]) if match else place for place, match in enumerate(given)]
        cells = zip(names, raw, columns, strict=True)
        return {name: partial(_column, path, column) for name, path, column in cells}
    readers: dict[str, Texts] = {
        name: partial(_segments if path.suffix in (".sgm", ".xml") else _stripped_lines, path)
        for name, path in zip(names, raw, strict=True)
    }
    if raw[0].suffix in (".sgm", ".xml") and not entry.name.startswith("wmt08"):
        readers |= {name: partial(_metadata, raw[0], name) for name in _METADATA}
    return readers


def _references(entry: Any, pair: str, fields: Mapping[str, Texts]) -> list[str]:
    """All references, or those that sacreBLEU's table names for the set or the pair."""
    listed = entry.langpairs[pair]
    allowed = entry.kwargs.get("refs")
    if isinstance(listed, dict):
        allowed = listed.get("refs", allowed)
    names = None if allowed is None else [f"ref:{ref}" if ref else "ref" for ref in allowed]
    return [name for name in fields if is_reference(name) and (names is None or name in names)]


def _annotations(name: str, fields: Mapping[str, Texts]) -> Texts | None:
    """The countries and domains that sacreBLEU gives for the documents of wmt18 and wmt19."""
    from sacrebleu.dataset import SUBSETS

    if name not in SUBSETS or "docid" not in fields:
        return None
    return lambda: [SUBSETS[name].get(document, "") for document in fields["docid"]()]


def _stripped_lines(path: Path) -> list[str]:
    return [line.rstrip() for line in iterate_lines(path)]


def _segments(path: Path) -> list[str]:
    lines = _checked_lines(path)
    return [one_space(_SEGMENT.sub(r"\1", line)) for line in lines if line.startswith("<seg ")]


def _metadata(path: Path, field: str) -> list[str]:
    value = ""
    values = []
    for line in _checked_lines(path):
        if line.startswith("<doc ") and (match := re.search(rf'{field}="(.*?)"', line)):
            value = match[1].rstrip()
        elif line.startswith("<seg "):
            values.append(value)
    return values


def _checked_lines(path: Path) -> Iterator[str]:
    """The lines of an SGM file; one that ends inside a document is an error."""
    opened = False
    for line in iterate_lines(path):
        tag = line.lstrip().lower()
        opened = tag.startswith("<doc ") or (opened and "</doc>" not in tag)
        yield line
    if opened:
        raise CupelError(f"{path} is cut off: its last document is not closed with </doc>.")


def _column(path: Path, column: int) -> list[str]:
    texts = []
    for number, line in enumerate(iterate_lines(path), start=1):
        cells = line.split("\t")
        if column >= len(cells):
            raise CupelError(f"{path}, line {number}: there is no column {column + 1}.")
        texts.append(cells[column].rstrip())
    return texts

"""What the organisers of WMT publish: test sets in SGM, XML or plain text, outputs, and judgments.

The files may lie anywhere in a folder; their names say what they are (`cupel.data.wmt_names`). Where a
text is there in SGM and plain, the plain one is taken. A folder becomes a dataset of the catalog where all
of that is there, and otherwise a test set in the layout of mt-metrics-eval.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from cupel.corpus import counted_segments
from cupel.data.wmt_names import Side, language_pairs, more_references, output_of, side_of, xml_of
from cupel.errors import CupelError
from cupel.reading.campaigns import write_campaign, write_lines
from cupel.reading.lines import iterate_lines, read_lines, read_text
from cupel.reading.sgm import parse_streams
from cupel.reading.sgm_tags import scan
from cupel.reading.wmt_xml import is_reference, read_wmt_xml

_ENGLISH = ("english", "eng", "en")
_YEAR = re.compile(r"wmt(?:20)?(\d\d)")
_MOST_FILES = 100_000
_COLUMNS = {"srclang", "trglang", "srcindex", "system1id", "system1rank"}
Outputs = dict[str, dict[str, Path]]


@dataclass
class WmtFolder:
    """The files of a folder by test set; `judgments` and `scores` belong to all of them."""

    sides: dict[str, dict[Side, Path]] = field(default_factory=dict)
    outputs: dict[str, Outputs] = field(default_factory=dict)
    xml: dict[str, list[Path]] = field(default_factory=dict)
    judgments: list[Path] = field(default_factory=list)
    scores: Path | None = None  # the official human scores of systems

    @property
    def tests(self) -> list[str]:
        """The test sets that have a source and a reference."""
        complete = (test for test, sides in self.sides.items() if language_pairs(sides))
        return sorted({*complete, *self.xml})


def scan_folder(folder: Path) -> WmtFolder:
    """The WMT files below a folder."""
    result = WmtFolder()
    for path in _files(folder):
        if side := side_of(path):
            _keep_plain(result.sides.setdefault(side.test, {}), side, path)
        elif test := xml_of(path):
            result.xml.setdefault(test, []).append(path)
        elif output := output_of(path):
            test, pair, system = output
            _keep_plain(result.outputs.setdefault(test, {}).setdefault(pair, {}), system, path)
        elif path.suffix == ".csv" and _is_ranking(path):
            result.judgments.append(path)
        elif path.name == "human-system-scores.txt" or path.match("human-*.scores"):
            result.scores = path
    return result


def judgments_of(official: WmtFolder, test: str) -> list[Path]:
    """The files of judgments that name the year, or all where none names one."""
    named = {
        path: _YEAR.findall(f"{path.parent.name}/{path.name}".lower())
        for path in official.judgments
    }
    return [path for path, years in named.items() if test[-2:] in years or not years]


def write_dataset(official: WmtFolder, test: str, target: Path, *, into_english: bool) -> None:
    """The test set in the layout of our WMT datasets; into_english: only such judgments."""
    for side, path in official.sides[test].items():
        name = path.name.removesuffix(".sgm").removesuffix(".txt")
        kinds = [("sources", "src")] if side.is_source else [("references", "ref")]
        if (
            side.is_source
            and Side(test, side.pair, False, side.language) not in official.sides[test]
        ):
            kinds.append(("references", "ref"))
        for folder, kind in kinds:
            write_lines(target / folder / name.replace("-src.", f"-{kind}."), _texts(path))
    for pair, systems in official.outputs.get(test, {}).items():
        for system, path in systems.items():
            write_lines(target / "system-outputs" / test / pair / system, _texts(path))
    write_lines(target / "judgments.csv", _rankings(judgments_of(official, test), into_english))
    if official.scores is not None:
        shutil.copyfile(official.scores, target / "human-system-scores.txt")


def write_test_set(official: WmtFolder, test: str, target: Path) -> list[str]:
    """The test set in the layout of mt-metrics-eval; returns its language pairs."""
    sides = official.sides.get(test, {})
    pairs = language_pairs(sides)
    for pair, (source, reference) in pairs.items():
        sources = _texts(source)
        references = {"refA": reference}
        references |= {f"ref{letter}": p for letter, p in more_references(sides, pair).items()}
        outputs = official.outputs.get(test, {}).get(pair, {})
        documents = list(_documents(source)) if source.suffix == ".sgm" else []
        write_campaign(
            target,
            pair,
            sources,
            {name: _same(path, source, sources) for name, path in references.items()},
            {system: _same(path, source, sources) for system, path in outputs.items()},
            [(domain, document) for document, domain, _ in documents],
        )
        _write_origins(target, pair, [origin for *_, origin in documents])
    for path in official.xml.get(test, []):
        content = read_wmt_xml(path)
        if content.pair not in pairs:
            pairs[content.pair] = (path, path)
            _write_xml(target, content.pair, content.fields)
    return sorted(pairs)


def _write_xml(target: Path, pair: str, fields: Mapping[str, list[str]]) -> None:
    texts = dict(fields)
    sources, documents, origins = (texts.pop(name) for name in ("src", "docid", "origlang"))
    domains = texts.pop("domain", [""] * len(documents))
    references = [name for name in texts if is_reference(name)]
    write_campaign(
        target,
        pair,
        sources,
        {name.replace(":", ""): texts.pop(name) for name in references},
        {name.replace("/", "_"): lines for name, lines in texts.items()},
        zip(domains, documents, strict=True),
    )
    _write_origins(target, pair, origins)


def _write_origins(target: Path, pair: str, origins: Sequence[str]) -> None:
    if any(origins):
        write_lines(target / "documents" / f"{pair}.origlang", origins)


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder: the first hundred thousand, where it holds far more than a release."""
    return islice(_walk(folder), _MOST_FILES)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield Path(parent, name)


def _keep_plain(files: dict[Any, Path], key: Side | str, path: Path) -> None:
    if key not in files or files[key].suffix == ".sgm":
        files[key] = path


def _is_ranking(path: Path) -> bool:
    try:
        header = next(iter(iterate_lines(path)), "")
    except CupelError:
        return False
    return {column.strip().lower() for column in header.split(",")} >= _COLUMNS


def _texts(path: Path) -> list[str]:
    if path.suffix != ".sgm":
        return read_lines(path)
    # Some outputs of 2014 call themselves sources: a file has one text, whatever its kind.
    streams = parse_streams(read_text(path), str(path))
    return list(next(iter(streams.values())).values())


def _same(path: Path, source: Path, sources: Sequence[str]) -> list[str]:
    texts = _texts(path)
    if len(texts) != len(sources):
        raise CupelError(
            f"{source} has {counted_segments(len(sources))}, but {path} has {len(texts)}."
        )
    return texts


def _documents(path: Path) -> Iterator[tuple[str, str, str]]:
    """(document, genre, original language) of each segment of an SGM file."""
    document = ("", "", "")
    for tag in scan(read_text(path), str(path)):
        if tag.name == "doc" and not tag.closing:
            get = tag.attributes.get
            document = (get("docid", ""), get("genre", ""), get("origlang", ""))
        elif tag.name == "seg":
            yield document


def _rankings(files: Sequence[Path], into_english: bool) -> list[str]:
    """The rows of all files, or those into English, under the header of the first."""
    rows: list[str] = []
    for path in files:
        header, *lines = read_lines(path)
        if rows and header != rows[0]:
            raise CupelError(f"{path} and {files[0]} have different columns.")
        names = [column.strip().lower() for column in header.split(",")]
        target = names.index("trglang")
        rows += [] if rows else [header]
        rows += [
            line
            for line in lines
            if not into_english or line.split(",")[target].strip().lower() in _ENGLISH
        ]
    return rows

"""Expert MQM of the WMT22 general test, zh-en, en-de and en-ru: Freitag and others (WMT 2022).

The scores of mt-metrics-eval, with the texts of all judged systems: those of zh-en from a repository
that has all files of that language pair, the others from two. The documents of English sources are
those of the en-zh test, which has the same documents in another order.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cupel.data.converters.graded import JudgedPair, one_line, write_pair
from cupel.errors import CupelError
from cupel.reading import iterate_lines, read_lines
from cupel.reading.rows import rows_of_cells

_ZH_EN = "florethsong/mtme-zh-mwe"
_TEXTS = "Coldmist-Lu/ErrorAnalysis_Prompt"
_SCORES = "xu1998hz/SEScore2"
_WMT22 = "wmt-conference/wmt22-news-systems"
_RAW = "raw_wmt22"
_FOLDER = "EAPrompt/wmt22"
_OUT_OF_ENGLISH = ("en-de", "en-ru")
_DOCUMENTS = "xml/wmttest2022.en-zh.all.xml"
_REFERENCES = ("refA", "refB")


def build(sources: Mapping[str, Path], target: Path) -> None:
    """The three language pairs; people's translations are references only."""
    zh_en = sources[_ZH_EN] / _RAW
    texts = {path.stem: path for path in zh_en.glob("system-outputs/zh-en/*.txt")}
    documents = [
        (domain, document)
        for _, (domain, document) in rows_of_cells(
            zh_en / "documents/zh-en.docs", "\t", "a domain", "a document"
        )
    ]
    scores = zh_en / "human-scores/zh-en.mqm.seg.score"
    write_pair(
        target, _judged("zh-en", zh_en / "sources/zh-en.txt", texts, documents, scores), "mqm"
    )
    english = _english_documents(sources[_WMT22] / _DOCUMENTS)
    for pair in _OUT_OF_ENGLISH:
        stem = f"wmt22.{pair.replace('-', '')}"
        language = pair.removeprefix("en-")
        outputs = (sources[_TEXTS] / _FOLDER / f"{stem}.sys.{language}").iterdir()
        texts = {
            path.name.removeprefix(f"{stem}.").removesuffix(f".{language}"): path
            for path in outputs
        }
        source = sources[_TEXTS] / _FOLDER / f"{stem}.src.en"
        scores = sources[_SCORES] / "rescale_data" / "seg" / f"{language}.mqm"
        write_pair(target, _judged(pair, source, texts, placed(english, source), scores), "mqm")


def _judged(
    pair: str,
    source: Path,
    texts: Mapping[str, Path],
    documents: Sequence[tuple[str, str]],
    scores: Path,
) -> JudgedPair:
    """texts: of all systems and people, those without scores among them."""
    judgments = _scores(scores)
    systems = sorted(set(judgments) - set(_REFERENCES))
    for system in systems:
        if system not in texts:
            raise CupelError(f"{scores} has scores of {system}, of which there is no output.")
    return JudgedPair(
        pair,
        read_lines(source),
        {name: read_lines(texts[name]) for name in _REFERENCES if name in texts},
        {system: read_lines(texts[system]) for system in systems},
        {system: judgments[system] for system in systems},
        documents,
    )


def _scores(path: Path) -> dict[str, list[float | None]]:
    """The scores of each system that has some: `SYSTEM<tab>SCORE`, one line per segment."""
    scores: dict[str, list[float | None]] = {}
    for number, (system, score) in rows_of_cells(path, "\t", "a system", "a score"):
        try:
            scores.setdefault(system, []).append(None if score == "None" else float(score))
        except ValueError:
            raise CupelError(f"{path}, line {number}: {score!r} is not a score.") from None
    return {system: column for system, column in scores.items() if set(column) != {None}}


@dataclass(frozen=True)
class Document:
    """A document of the test, with its source."""

    name: str
    domain: str
    segments: list[str]


def _english_documents(path: Path) -> list[Document]:
    """The documents of the general test, of an XML file of WMT."""
    try:
        return [
            Document(
                one.attrib["id"],
                one.attrib["domain"],
                [one_line(segment.text or "") for segment in one.iterfind("src//seg")],
            )
            for one in ElementTree.parse(path).iterfind("collection[@id='general']/doc")
        ]
    except (OSError, ElementTree.ParseError, KeyError) as error:
        raise CupelError(f"{path} is not a test set in WMT's XML: {error}.") from error


def placed(documents: Sequence[Document], source: Path) -> list[tuple[str, str]]:
    """Domain and document of each line of a file that has these documents in an order of its own.

    Of two documents that begin alike, the longer one that fits is there.
    """
    lines = [one_line(line) for line in iterate_lines(source)]
    left = sorted(documents, key=lambda document: -len(document.segments))
    placed: list[tuple[str, str]] = []
    while len(placed) < len(lines):
        start = len(placed)
        for document in left:
            if document.segments == lines[start : start + len(document.segments)]:
                break
        else:
            raise CupelError(f"{source}, line {start + 1}: no document begins with this line.")
        left.remove(document)
        placed += [(document.domain, document.name)] * len(document.segments)
    return placed

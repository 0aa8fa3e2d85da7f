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

from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.graded import JudgedPair, one_line, write_pair
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError
from cupel.reading import iterate_lines, read_lines

_ZH_EN = Repository(
    "florethsong/mtme-zh-mwe",
    "78ea1631766a57553ac97ee21380c09b06ad6918",
    archive_bytes=38_000_000,
)
_TEXTS = Repository(
    "Coldmist-Lu/ErrorAnalysis_Prompt",
    "871db5d0319f3700611c3af8db20582653ed7b2d",
    archive_bytes=10_000_000,
)
_SCORES = Repository(
    "xu1998hz/SEScore2", "976fac1df645e17e6d2282dab4d1f77823c4ec84", archive_bytes=4_000_000
)
_WMT22 = Repository(
    "wmt-conference/wmt22-news-systems",
    "20240a2e96a50e823ea8cdf37fd8af52547146e3",
    archive_bytes=200_000_000,
)
_RAW = "raw_wmt22"
_FOLDER = "EAPrompt/wmt22"
_OUT_OF_ENGLISH = ("en-de", "en-ru")
_DOCUMENTS = "xml/wmttest2022.en-zh.all.xml"
_REFERENCES = ("refA", "refB")

_README = """\
# mqm22
The general test of WMT22 (news, social media, conversation, e-commerce), zh-en (1,875 segments, 14
systems), en-de and en-ru (2,037 segments, of which 1,315 were judged, 14 and 15 systems): expert MQM
scores, averaged over raters; higher is better, None where nobody judged. The references (refA; refB
of zh-en and en-de) are people's translations. Documents: domain and document of each segment.
Layout: mt-metrics-eval's.
Built from florethsong/mtme-zh-mwe (zh-en, Apache-2.0), Coldmist-Lu/ErrorAnalysis_Prompt (texts of
en-de and en-ru), xu1998hz/SEScore2 (their scores) and wmt-conference/wmt22-news-systems (documents).
The scores come from google/wmt-mqm-human-evaluation (Apache-2.0).
"""


def build(sources: Mapping[str, Path], target: Path) -> None:
    """The three language pairs; people's translations are references only."""
    zh_en = sources[_ZH_EN.name] / _RAW
    texts = {path.stem: path for path in zh_en.glob("system-outputs/zh-en/*.txt")}
    documents = _listed_documents(zh_en / "documents/zh-en.docs")
    scores = zh_en / "human-scores/zh-en.mqm.seg.score"
    write_pair(
        target, _judged("zh-en", zh_en / "sources/zh-en.txt", texts, documents, scores), "mqm"
    )
    english = _english_documents(sources[_WMT22.name] / _DOCUMENTS)
    for pair in _OUT_OF_ENGLISH:
        stem = f"wmt22.{pair.replace('-', '')}"
        language = pair.removeprefix("en-")
        outputs = (sources[_TEXTS.name] / _FOLDER / f"{stem}.sys.{language}").iterdir()
        texts = {
            path.name.removeprefix(f"{stem}.").removesuffix(f".{language}"): path
            for path in outputs
        }
        source = sources[_TEXTS.name] / _FOLDER / f"{stem}.src.en"
        scores = sources[_SCORES.name] / _score_file(pair)
        write_pair(target, _judged(pair, source, texts, placed(english, source), scores), "mqm")
    write_readme(target, _README)


def _judged(
    pair: str,
    source: Path,
    texts: Mapping[str, Path],
    documents: Sequence[tuple[str, str]],
    scores: Path,
) -> JudgedPair:
    """texts: of all systems and people, those without scores among them."""
    given = _scores(scores)
    systems = sorted(set(given) - set(_REFERENCES))
    for system in systems:
        if system not in texts:
            raise CupelError(f"{scores} has scores of {system}, of which there is no output.")
    return JudgedPair(
        pair,
        read_lines(source),
        {name: read_lines(texts[name]) for name in _REFERENCES if name in texts},
        {system: read_lines(texts[system]) for system in systems},
        {system: given[system] for system in systems},
        documents,
    )


def _scores(path: Path) -> dict[str, list[float | None]]:
    """The scores of each system that has some: `SYSTEM<tab>SCORE`, one line per segment."""
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(iterate_lines(path), start=1):
        system, _, score = line.partition("\t")
        try:
            scores.setdefault(system, []).append(None if score == "None" else float(score))
        except ValueError:
            raise CupelError(
                f"{path}, line {number}: a system and a score were expected."
            ) from None
    return {system: of for system, of in scores.items() if set(of) != {None}}


def _listed_documents(path: Path) -> list[tuple[str, str]]:
    documents = []
    for number, line in enumerate(iterate_lines(path), start=1):
        domain, tab, document = line.partition("\t")
        if not tab:
            raise CupelError(f"{path}, line {number}: a domain and a document were expected.")
        documents.append((domain, document))
    return documents


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


def _score_file(pair: str) -> str:
    return f"rescale_data/seg/{pair.removeprefix('en-')}.mqm"


READS = {
    "mqm22": {
        _ZH_EN.name: (
            f"{_RAW}/sources/zh-en.txt",
            f"{_RAW}/system-outputs/zh-en/*.txt",
            f"{_RAW}/documents/zh-en.docs",
            f"{_RAW}/human-scores/zh-en.mqm.seg.score",
        ),
        _TEXTS.name: tuple(
            f"{_FOLDER}/wmt22.{pair.replace('-', '')}.{part}"
            for pair in _OUT_OF_ENGLISH
            for part in ("src.en", "sys.*")
        ),
        _SCORES.name: tuple(map(_score_file, _OUT_OF_ENGLISH)),
        _WMT22.name: (_DOCUMENTS,),
    }
}
RECIPES = {"mqm22": Recipe("mqm22", (_ZH_EN, _TEXTS, _SCORES, _WMT22), build)}

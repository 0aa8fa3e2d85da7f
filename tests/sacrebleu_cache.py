"""A cache of sacreBLEU, written as it writes its own, from the real texts of newstest2014."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from sacrebleu.dataset import DATASETS, SUBSETS

from cupel.corpus import Corpus

SEGMENTS = 60
PER_DOCUMENT = 7


@dataclass(frozen=True)
class Texts:
    """The first segments of newstest2014 de-en, and two systems."""

    source: list[str]
    reference: list[str]
    system: list[str]
    other: list[str]


def real_texts(corpus: Corpus) -> Texts:
    """Of newstest2014 de-en."""
    systems = [
        corpus.systems[f"newstest2014.{name}.de-en"] for name in ("onlineB.0", "uedin-wmt14.3025")
    ]
    assert corpus.sources is not None
    # What SGM and white space do to a text must show: an ampersand, a no-break space, two spaces.
    reference = [row[0] for row in corpus.references[:SEGMENTS]]
    reference[3] += " Marks & Spencer  sold\u00a0it. "
    return Texts(
        list(corpus.sources[:SEGMENTS]),
        reference,
        *(list(texts[:SEGMENTS]) for texts in systems),
    )


def write(path: Path, lines: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def documents(name: str) -> list[tuple[str, str]]:
    """(id, original language) of each document; for wmt18 ids that sacreBLEU has annotated."""
    annotated = list(SUBSETS.get(name, ()))
    count = -(-SEGMENTS // PER_DOCUMENT)
    ids = annotated[:count] or [f"news.{number}" for number in range(count)]
    return [(document, ("de", "en", "cs")[place % 3]) for place, document in enumerate(ids)]


def sgm(texts: Sequence[str], kind: str, name: str) -> list[str]:
    lines = [f'<{kind}set setid="{name}" srclang="any">']
    for number, (document, language) in enumerate(documents(name)):
        part = texts[number * PER_DOCUMENT : (number + 1) * PER_DOCUMENT]
        lines.append(f'<doc sysid="ref" docid="{document}" genre="news" origlang="{language}">')
        lines += [
            "<p>",
            *(f'<seg id="{i}">{escape(t)}</seg>' for i, t in enumerate(part, 1)),
            "</p>",
        ]
        lines.append("</doc>")
    return [*lines, f"</{kind}set>"]


def xml(texts: Texts, name: str, domain: bool) -> list[str]:
    """As newstest2021.en-de.xml: two translators, one system, a test suite that is left out."""
    lines = ["<?xml version='1.0' encoding='utf-8'?>", f'<dataset id="{name}">']
    lines += [
        '<doc origlang="de" id="suite" testsuite="x"><src lang="de"><p><seg id="1">x</seg></p>'
    ]
    lines += ["</src></doc>"]
    columns = {
        '<src lang="de">': texts.source,
        '<ref lang="en" translator="A">': texts.reference,
        '<ref lang="en" translator="C">': texts.other,
        '<hyp lang="en" system="onlineB">': texts.system,
    }
    for number, (document, language) in enumerate(documents(name)):
        more = f' domain="{("news", "social")[number % 2]}"' if domain else ""
        lines.append(f'<doc origlang="{language}" id="{document}"{more}>')
        for start, column in columns.items():
            part = column[number * PER_DOCUMENT : (number + 1) * PER_DOCUMENT]
            segments = (f'<seg id="{i}">{escape(t)}</seg>' for i, t in enumerate(part, 1))
            lines += [start, "<p>", *segments, "</p>", f"</{start[1:4]}>"]
        lines.append("</doc>")
    return [*lines, "</dataset>"]


def build(cache: Path, texts: Texts) -> Path:
    """Raw files of eight sets, and the archives that sacreBLEU looks for before it downloads."""
    for name in ("wmt14/full", "wmt17", "wmt18"):
        source, reference = raw_paths(cache, name, "de-en")
        write(source, sgm(texts.source, "src", name))
        write(reference, sgm(texts.reference, "ref", name))
    source, *references = raw_paths(cache, "wmt20/tworefs", "de-en")
    write(source, sgm(texts.source, "src", "wmt20/tworefs"))
    for path, lines in zip(references, (texts.reference, texts.other), strict=True):
        write(path, sgm(lines, "ref", "wmt20/tworefs"))
    for name in ("wmt22", "wmt21/systems"):
        for path in raw_paths(cache, name, "de-en"):
            write(path, xml(texts, name, domain=name == "wmt22"))
    for pair in DATASETS["multi30k/2018"].langpairs:
        paths = raw_paths(cache, "multi30k/2018", pair)
        for path, lines in zip(paths, (texts.reference, texts.source), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            content = "".join(f"{line}\n" for line in lines).encode()
            path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    rows = zip(texts.source, texts.reference, strict=True)
    table = [f"{n}\t{n}\t{source}\t{reference}" for n, (source, reference) in enumerate(rows)]
    write(raw_paths(cache, "mtnt2019", "en-fr")[0], table)
    return cache


def raw_paths(cache: Path, name: str, pair: str) -> list[Path]:
    """Where sacreBLEU has the raw files; what it downloaded them as is there as well."""
    entry = DATASETS[name]
    raw = cache / name / "raw"
    for url in entry.data or ():
        archive = raw / f"{name.replace('/', '_')}.{url.rpartition('/')[2]}"
        if not archive.exists():
            write(archive, ["unpacked already"])
    listed = entry.langpairs[pair]
    names = [listed["path"]] if isinstance(listed, dict) else listed
    return [raw / name.rpartition(":")[2] for name in names]

"""The public form of a dataset, made from its pack: the files of the repositories, back from ours.

Most files are in both the same. Rankings are taken apart into strict pairs, system outputs become SGM
files without names, a treebank its documents, and texts go back into an archive.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable
from html import escape
from itertools import permutations
from pathlib import Path

import packs
from cupel.reading import read_lines

METEOR = "Perilon/Meteor_POS"
MUTT = "text-machine-lab/MUTT"
EWT = "UniversalDependencies/UD_English-EWT"
CODES = {"Czech": "cs", "German": "de", "Spanish": "es", "French": "fr", "Hindi": "hi", "Russian": "ru"}  # fmt: skip


def mutt(pack: Path, target: Path) -> None:
    places = {"trials": "src/tmp", "corruptions": "corruptions", "results": "results",
              "flickr": "data/flickr", "cache": "data/cache"}  # fmt: skip
    for ours, theirs in places.items():
        shutil.copytree(pack / ours, target / MUTT / theirs)


def sick(pack: Path, target: Path) -> None:
    write(target / MUTT / "data/sick/SICK.txt", (pack / "SICK.txt").read_bytes())


def da13(pack: Path, target: Path) -> None:
    folder = target / "ygraham/direct-assessment"
    texts = target / "dataset"
    shutil.copytree(pack, texts, ignore=shutil.ignore_patterns("README.md"))
    (texts / "human-post-edit.cs-en").write_text("left out of the dataset\n")
    folder.mkdir(parents=True)
    packs.pack_up(texts, folder / "dataset.tar.gz", "dataset")


def ud_english_ewt(pack: Path, target: Path) -> None:
    folder = target / EWT / "not-to-release"
    mark = "# newdoc id = "
    for part in ("train", "dev", "test"):
        text = (pack / f"en_ewt-ud-{part}.conllu").read_text("utf-8")
        names = []
        for document in text.split(mark)[1:]:
            genre, _, name = document.partition("\n")[0].partition("-")
            names.append(f"{genre}/{name}.xml.conllu")
            write(folder / "sources" / names[-1], f"{mark}{document}".encode())
        lines = "".join(f"{name}\n" for name in names)
        write(folder / "file-lists" / f"files.{part}", lines.encode())


def wmt12(pack: Path, target: Path) -> None:
    _texts(pack, target / METEOR / "wmt_data/wmt12-data/plain")
    official = target / METEOR / "wmt_data/wmt12-manual-evaluation/wmt12.RNK_results.csv"
    judgments = (pack / "judgments.csv").read_bytes()
    write(official, re.sub(rb",judge(\d)", rb",A3L1TNHR\1", judgments))


def wmt13(pack: Path, target: Path) -> None:
    _texts(pack, target / METEOR / "wmt_data/wmt13-data/plain")
    rankings = _take_apart(pack, target / METEOR / "training_wmt13", ("cs", "de", "es"))
    official = target / "keisks/wmt-trueskill/data/sample-fr-en-train.csv"
    official.parent.mkdir(parents=True)
    with official.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rankings["fr"][0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rankings["fr"])


def wmt14(pack: Path, target: Path) -> None:
    _texts(pack, target / METEOR / "wmt_data/wmt14-data/txt")
    _take_apart(pack, target / METEOR / "training_wmt14", ("cs", "de", "fr", "hi", "ru"))
    scores = (pack / "human-system-scores.txt").read_bytes()
    write(target / "alvations/warmth/metric_data/WMT14/human-2014-05-16.scores", scores)


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def sgm(texts: list[str]) -> str:
    """An output as METEOR's trainer reads it."""
    segments = (
        f'<seg id="{n}"> {escape(text, quote=False)} </seg>\n' for n, text in enumerate(texts, 1)
    )
    return (
        '<tstset trglang="any" setid="any" srclang="any">\n<doc docid="any" sysid="sys">\n'
        f"{''.join(segments)}</doc>\n</tstset>\n"
    )


def _texts(pack: Path, target: Path) -> None:
    for folder in ("references", "sources", "system-outputs"):
        shutil.copytree(pack / folder, target / folder)


def _take_apart(
    pack: Path, target: Path, languages: Iterable[str]
) -> dict[str, list[dict[str, str]]]:
    """Write strict pairs and nameless outputs of some languages; return the rankings of all."""
    rankings: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (pack / "judgments.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rankings[CODES[row["srclang"]]].append(row)
    for language in languages:
        pair = f"{language}-en"
        outputs = sorted(next((pack / "system-outputs").iterdir()).joinpath(pair).iterdir())
        numbers = {path.name: f"sys{n}" for n, path in enumerate(reversed(outputs), start=1)}
        lines = []
        for row in rankings[language]:
            ranks = [(row[f"system{n}Id"], int(row[f"system{n}rank"])) for n in range(1, 6)]
            for (one, better), (other, worse) in permutations(ranks, 2):
                if better < worse:
                    fields = (row["srcIndex"], pair, numbers[one], pair, numbers[other])
                    lines.append("\t".join(fields) + "\n")
        write(target / f"{pair}.rank", "".join(lines).encode())
        for path in outputs:
            write(target / f"{pair}.{numbers[path.name]}.sgm", sgm(read_lines(path)).encode())
    return rankings

"""Items that assay-multi is trained on: a translation, its reference and a grade.

Kinds: mqm and da (judgments of people), silver (automatic scores of WMT25), sysmean (the human score of a
system, as the grade of its segments), cons (how much a translation shares with other translations).
Grades have mean 0 and deviation 1 in a group: kind, campaign and language pair.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cupel.batch import Batch
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.learned.assay.data.graded import from_penalties
from cupel.metrics.chrf import Chrf
from cupel.reading.jsons import json_lines

PACKS = ("mqm20", "mqm21", "mqm22", "ted21", "bio21", "mlqe")
NEWS21, NEWS22, GENERAL25 = "wmt21-news-systems", "wmt22-news-systems", "wmt25-general-mt"
TO_ENGLISH = (
    (NEWS21, "humaneval/newstest2021-toen", "newstest2021", "da21", "cs de ha is ja ru zh"),
    (NEWS22, "humaneval/DA/newstest2022-toen", "generaltest2022", "da22", "cs de ja ru uk zh"),
)
CLUSTERS = "humaneval/newstest2021-EX_and_XY/wmt21clusters.filtered.20210930.txt"
CODES = {
    "eng": "en", "zho": "zh", "jpn": "ja", "ces": "cs", "deu": "de",
    "rus": "ru", "isl": "is", "hau": "ha", "fra": "fr",
}  # fmt: skip
CONSENSUS = (
    (NEWS22, "generaltest2022", "wmt22", "en-cs en-ja en-zh en-uk en-hr cs-uk uk-cs de-fr fr-de"),
    (NEWS21, "newstest2021", "wmt21", "en-ha en-is en-ja en-zh en-cs"),
    (NEWS21, "florestest2021", "flores21", "bn-hi hi-bn xh-zu zu-xh"),
)
JUDGES = (
    "CometKiwi-XL",
    "GEMBA-ESA-CMDA",
    "GEMBA-ESA-GPT4.1",
    "MetricX-24-Hybrid-XL",
    "XCOMET-XL",
)
"""Automatic scores of WMT25 whose mean is the silver grade."""
BEST = 0.75
"""How often the best translation stands in for the reference; else the second does."""
FEWEST = 20
MEAN_SEGMENTS, MEAN_SYSTEMS = 400, 10
CONSENSUS_SEGMENTS, CONSENSUS_SYSTEMS, HUMAN = 300, 8, 2.0
"""Drawn of a language pair; another reference weighs as much as two systems."""


class Item(NamedTuple):
    """A translation; `segment` numbers the segments of a group."""

    kind: str
    campaign: str
    pair: str
    segment: int
    system: str
    source: str
    reference: str
    hypothesis: str
    grade: float

    @property
    def target(self) -> str:
        """The language of the translation."""
        return self.pair.split("-")[1]


def all_items(clones: Path) -> Iterator[Item]:
    """Of all kinds but faults; clones: a folder with the clones of WMT's repositories."""
    rng = random.Random(1)
    for rows in _groups(clones, rng):
        kept = [row for row in rows if row.reference.strip() and math.isfinite(row.grade)]
        grades = np.array([row.grade for row in kept])
        if len(kept) < FEWEST or grades.std() == 0.0:
            continue
        for row, grade in zip(kept, (grades - grades.mean()) / grades.std(), strict=True):
            yield row._replace(grade=round(float(grade), 4))


def _groups(clones: Path, rng: random.Random) -> Iterator[list[Item]]:
    """The items of each group; the order is part of what is drawn."""
    for name in PACKS:
        folder = find(name)
        for pair in evalset_pairs(folder):
            yield _of_campaign(name, folder, pair)
    for path in sorted(find("da17").glob("*.jsonl")):
        yield _of_lines("da17", path)
    for repository, scores, test, campaign, languages in TO_ENGLISH:
        for language in languages.split():
            yield _direct(clones / repository, scores, test, campaign, f"{language}-en")
    yield from _silver(clones / GENERAL25 / "data", rng)
    yield from _system_means(clones / NEWS21, rng)
    for repository, test, campaign, pairs in CONSENSUS:
        for pair in pairs.split():
            yield _consensus(clones / repository, test, campaign, pair, rng)


def _of_campaign(name: str, folder: Path, pair: str) -> list[Item]:
    """The first human scores of segments, without those of human translations."""
    campaign = read_evalset(folder, pair)
    scores = next((s for s in campaign.human.values() if s.segment_scores), None)
    if scores is None:
        raise CupelError(f"{folder} has no scores of segments of {pair}.")
    corpus, by_experts = campaign.corpus, scores.name.startswith("mqm")
    systems = [
        s for s in corpus.systems if s in scores.segment_scores and s not in campaign.references
    ]
    matrix = scores.matrix(systems)
    grades = from_penalties(matrix) if by_experts else matrix
    return [
        Item(
            "mqm" if by_experts else "da", name, pair, line, systems[s],
            corpus.sources[line] if corpus.sources else "",
            corpus.references[line][0], corpus.systems[systems[s]][line], float(grades[s, line]),
        )
        for s, line in np.argwhere(np.isfinite(matrix)).tolist()
    ]  # fmt: skip


def _of_lines(name: str, path: Path) -> list[Item]:
    numbers: dict[str, int] = {}
    items = []
    for _, row in json_lines(path):
        reference, hypothesis = str(row["reference"]), str(row["hypothesis"])
        number = numbers.setdefault(reference, len(numbers))
        source, grade = str(row.get("source", "")), float(row["score"])
        items.append(Item("da", name, path.stem, number, "x", source, reference, hypothesis, grade))
    return items


class Texts(NamedTuple):
    """One test set of a clone: lines of the source, of references, and of systems by name."""

    source: list[str]
    references: list[list[str]]
    systems: dict[str, list[str]]

    def named(self) -> dict[str, str]:
        """Names without case and marks, in which tables of scores differ -> names."""
        return {_plain(name): name for name in self.systems}


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def _lines(path: Path) -> list[str]:
    """Of a text file; only a line feed ends a line."""
    return path.read_bytes().decode("utf-8", "replace").rstrip("\n").split("\n")


def _texts(repository: Path, test: str, pair: str) -> Texts:
    source_language, target = pair.split("-")
    folder = repository / "txt"
    source = _lines(folder / "sources" / f"{test}.{pair}.src.{source_language}")
    references = [_lines(p) for p in sorted((folder / "references").glob(f"{test}.{pair}.ref.*"))]
    prefix, suffix = f"{test}.{pair}.hyp.", f".{target}"
    systems = {
        path.name[len(prefix) : -len(suffix)]: _lines(path)
        for path in sorted((folder / "system-outputs").glob(f"{prefix}*{suffix}"))
    }
    return Texts(
        source,
        [lines for lines in references if len(lines) == len(source)],
        {name: lines for name, lines in systems.items() if len(lines) == len(source)},
    )


def _item(texts: Texts, group: Sequence[str], line: int, system: str, grade: float) -> Item:
    kind, campaign, pair = group
    return Item(
        kind, campaign, pair, line, system, texts.source[line], texts.references[0][line],
        texts.systems[system][line], grade,
    )  # fmt: skip


def _direct(repository: Path, scores: str, test: str, campaign: str, pair: str) -> list[Item]:
    """Rows SYSTEM SEGMENT SCORE SCORE; those of documents, and of systems without texts, are left out."""
    texts = _texts(repository, test, pair)
    named, items = texts.named(), []
    for row in _lines(repository / scores / f"ad-seg-scores-{pair}.csv")[1:]:
        cells = row.split()
        name = named.get(_plain(cells[0].rsplit(".", 1)[0]))
        line = int(cells[1]) - 1 if cells[1].isdigit() else -1
        if name is not None and 0 <= line < len(texts.source):
            items.append(_item(texts, ("da", campaign, pair), line, name, float(cells[3])))
    return items


def _silver_translations(data: Path) -> dict[str, dict[tuple[str, int], dict[str, Any]]]:
    """Language pair -> (document, paragraph) -> system -> (text, automatic scores)."""
    paragraphs: dict[str, dict[tuple[str, int], dict[str, Any]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for path in sorted((data / "systems").glob("*.jsonl")):
        scored = data / "automatic_scores" / path.name
        if not scored.is_file():
            continue
        scores = {
            "_#_".join((row["language_pair"], row["domain"], row["document_id"])): row[
                "metric_scores"
            ]
            for _, row in json_lines(scored)
        }
        for _, row in json_lines(path):
            given = scores.get(row["doc_id"])
            if given is None:
                continue
            pair = row["doc_id"].split("_#_")[0]
            for number, text in enumerate(row["hypothesis"].split("\n\n")):
                values = [given[j][number] if j in given else None for j in JUDGES]
                grades = [math.nan if value is None else value for value in values]
                translation = (text.replace("\n", " ").strip(), grades)
                paragraphs[pair][row["doc_id"], number][path.stem] = translation
    return paragraphs


def _silver(data: Path, rng: random.Random) -> Iterator[list[Item]]:
    """There are no references: the best translation by the scores stands in, and is no item."""
    for pair, paragraphs in _silver_translations(data).items():
        scores = [scores for systems in paragraphs.values() for _, scores in systems.values()]
        mean, deviation = np.nanmean(scores, 0), np.nanstd(scores, 0) + 1e-9
        code = "en-sr" if "Latn" in pair or "Cyrl" in pair else pair.split("_")[0]
        campaign = "wmt25c" if "Cyrl" in pair else "wmt25"
        items = []
        for number, systems in enumerate(paragraphs.values()):
            grade = {
                name: float(np.nanmean((np.array(scores, float) - mean) / deviation))
                for name, (_, scores) in systems.items()
            }
            if len(systems) < 2:
                continue
            order = sorted(grade, key=grade.__getitem__, reverse=True)
            best = order[0] if rng.random() < BEST or len(order) < 4 else order[1]
            items += [
                Item(
                    "silver", campaign, code, number, name, "",
                    systems[best][0], systems[name][0], grade[name],
                )
                for name in order
                if name != best
            ]  # fmt: skip
        yield items


def _system_means(repository: Path, rng: random.Random) -> Iterator[list[Item]]:
    """The human scores of systems, from the table of clusters of WMT21."""
    table = "\n".join(_lines(repository / CLUSTERS))
    for block in re.split(r"\n\[", table)[1:]:
        codes = re.match(r"(\w+)-->(\w+)", block)
        if codes is None or codes[2] == "eng" or not {codes[1], codes[2]} <= CODES.keys():
            continue
        pair = f"{CODES[codes[1]]}-{CODES[codes[2]]}"
        texts = _texts(repository, "newstest2021", pair)
        named = texts.named()
        grade = {
            named[_plain(name)]: float(value)
            for name, value in re.findall(r"\('([^']+)', \d+, (-?[\d.]+),", block)
            if _plain(name) in named
        }
        count, names = len(texts.source), list(grade)
        yield [
            _item(texts, ("sysmean", "wmt21", pair), line, name, grade[name])
            for line in rng.sample(range(count), min(count, MEAN_SEGMENTS))
            for name in (names if len(names) <= MEAN_SYSTEMS else rng.sample(names, MEAN_SYSTEMS))
        ]


def _consensus(
    repository: Path, test: str, campaign: str, pair: str, rng: random.Random
) -> list[Item]:
    """The mean chrF of a translation with others of the segment, and with the other references."""
    texts = _texts(repository, test, pair)
    count, systems = len(texts.source), sorted(texts.systems)
    hypotheses: list[str] = []
    others: list[list[str]] = []
    of: list[tuple[int, str]] = []
    weights: list[float] = []
    for line in rng.sample(range(count), min(count, CONSENSUS_SEGMENTS)):
        names = rng.sample(systems, min(CONSENSUS_SYSTEMS, len(systems)))
        for name in names:
            partners = [(texts.systems[other][line], 1.0) for other in names if other != name]
            partners += [(reference[line], HUMAN) for reference in texts.references[1:]]
            for text, weight in partners:
                hypotheses.append(texts.systems[name][line])
                others.append([text])
                of.append((line, name))
                weights.append(weight)
    metric = Chrf()
    scores = metric.score(metric.statistics(Batch(hypotheses, others)))
    totals: dict[tuple[int, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, weight, score in zip(of, weights, scores.tolist(), strict=True):
        totals[key][0] += weight * score
        totals[key][1] += weight
    return [
        _item(texts, ("cons", campaign, pair), line, name, total / weight)
        for (line, name), (total, weight) in totals.items()
    ]

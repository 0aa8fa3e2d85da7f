"""The folders of mt-metrics-eval, in which WMT's newer campaigns are published.

    sources/PAIR.txt                          one line a segment
    references/PAIR.NAME.txt                  one or more
    documents/PAIR.docs                       DOMAIN and DOCUMENT of each segment
    system-outputs/PAIR/SYSTEM.txt            a human translation has the name of its reference
    human-scores/PAIR.NAME.LEVEL.score        see `cupel.human.evalset_scores`
    metric-scores/PAIR/NAME-REF.LEVEL.score

Texts may also be `.jsonl`, as since 2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray, IntArray
from cupel.corpus import Corpus, counted_segments
from cupel.errors import CupelError
from cupel.human.evalset_scores import Shape, metric_and_references, read_score_sets, scorer_of
from cupel.human.scores import ScoreSet
from cupel.human.wmt_campaigns import Standard, standard
from cupel.reading.campaigns import read_documents, read_texts, text_files

_NO_TRANSLATION = "[No translation supplied]"  # as these folders write an empty segment
_RESERVED = ("all", "src")


@dataclass(frozen=True)
class EvalSet:
    """One language pair of a campaign: its texts, and the scores that people and metrics gave.

    used: the references that `corpus` has, by name. documents, domains: of each segment.
    """

    pair: str
    corpus: Corpus
    references: dict[str, list[str]]
    human: dict[str, ScoreSet]
    metrics: dict[str, ScoreSet]
    used: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    standard: Standard = field(default_factory=Standard)

    @property
    def human_translations(self) -> list[str]:
        """Systems that are references."""
        return [system for system in self.corpus.systems if system in self.references]

    @cached_property
    def groups(self) -> dict[str, dict[str, IntArray]]:
        """level -> item -> its segments: documents in their order, domains by name."""
        everything = np.arange(len(self.corpus))
        return {
            "segment": {str(number + 1): everything[number : number + 1] for number in everything},
            "document": _places(self.documents),
            "domain": dict(sorted(_places(self.domains).items())),
            "system": {"": everything},
        }

    def in_domain(self, level: str, domain: str) -> IntArray:
        """The items of a level that belong to a domain."""
        names = list(self.groups["domain"])
        if domain not in names:
            raise CupelError(
                f"No segment of {self.pair} is of the domain {domain!r}; "
                f"the domains are {', '.join(names)}."
            )
        items = self.groups[level].values()
        return np.flatnonzero([self.domains[segments[0]] == domain for segments in items])

    def table(self, scores: ScoreSet, level: str, systems: Sequence[str]) -> FloatArray:
        """(systems, items): the scores at that level by people or a metric; higher is better.

        Where there are none of that level, the means of the segments that have a score.
        """
        if scores.at(level) or not scores.segment_scores:
            table = scores.matrix(systems, level)
        else:
            table = means(scores.matrix(systems), self.groups[level])
        return table if scores.higher_is_better else -table


def means(scores: FloatArray, groups: Mapping[str, IntArray]) -> FloatArray:
    """(systems, segments) -> (systems, groups): of what is there; NaN where nothing is."""
    sums = np.empty((len(scores), len(groups)))
    for column, segments in enumerate(groups.values()):
        part = scores[:, segments]
        for row, values in enumerate(part):
            judged = values[~np.isnan(values)]
            sums[row, column] = judged.mean() if len(judged) else np.nan
    return sums


def evalset_pairs(folder: Path | str) -> list[str]:
    """The language pairs that the folder has sources of."""
    paths = text_files(Path(folder) / "sources")
    if not paths:
        raise CupelError(f"{folder} has no sources/PAIR.txt: it is no folder of mt-metrics-eval.")
    return sorted(paths)


def read_evalset(
    folder: Path | str,
    pair: str,
    references: Sequence[str] | None = None,
    stored: Sequence[str] | None = None,
) -> EvalSet:
    """The texts and scores of one language pair.

    references: the names of the references to score against; by default the one that WMT names, else
    the first by name (refA). A reference may also be among the systems, as a human translation; one
    that is scored against is not. stored: metrics whose score files are read, with or without their
    reference (COMET, COMET-refA); by default all.
    """
    folder = Path(folder)
    pairs = evalset_pairs(folder)
    if pair not in pairs:
        raise CupelError(f"{folder} has no language pair {pair!r}; it has {', '.join(pairs)}.")
    facts = standard(folder, pair)
    paths = _references(folder, pair)
    texts = {name: _read(path, "target") for name, path in paths.items()}
    chosen = _chosen(
        folder, pair, references or ([facts.reference] if facts.reference else None), texts
    )
    source = text_files(folder / "sources")[pair]
    sources = _read(source, "source")
    for name in chosen:
        if len(texts[name]) != len(sources):
            raise CupelError(
                f"{source} has {counted_segments(len(sources))}, "
                f"but {paths[name]} has {len(texts[name])}."
            )
    outputs = text_files(folder / "system-outputs" / pair)
    corpus = _corpus(
        folder, pair, outputs, source, sources, {n: (paths[n], texts[n]) for n in chosen}
    )
    domains, documents = _documents(folder / "documents" / f"{pair}.docs", len(sources))
    shape = Shape(list(outputs), len(sources), list(_places(documents)), sorted(set(domains)))
    human_files = sorted((folder / "human-scores").glob(f"{pair}.*.score"))
    metric_files = [
        path
        for path in sorted((folder / "metric-scores" / pair).glob("*.score"))
        if stored is None or _asked_for(scorer_of(path), stored, list(texts))
    ]
    return EvalSet(
        pair,
        corpus,
        texts,
        read_score_sets(human_files, pair, f"{pair}.", shape, missing=True),
        read_score_sets(metric_files, pair, "", shape, missing=False),
        tuple(chosen),
        tuple(documents),
        tuple(domains),
        facts,
    )


def stored_names(folder: Path | str, pair: str) -> list[str]:
    """The metrics that the folder has score files of, with their references."""
    files = sorted((Path(folder) / "metric-scores" / pair).glob("*.score"))
    return list(dict.fromkeys(scorer_of(path) for path in files))


def _asked_for(name: str, stored: Sequence[str], references: Sequence[str]) -> bool:
    return name in stored or metric_and_references(name, references)[0] in stored


def _chosen(
    folder: Path, pair: str, asked: Sequence[str] | None, texts: Mapping[str, Sequence[str]]
) -> list[str]:
    if not texts:
        raise CupelError(f"{folder} has no references/{pair}.NAME.txt.")
    for name in asked or ():
        if name not in texts:
            raise CupelError(
                f"{folder} has no reference {name!r} for {pair}; it has {', '.join(sorted(texts))}."
            )
    return list(dict.fromkeys(asked)) if asked else sorted(texts)[:1]


def _corpus(
    folder: Path,
    pair: str,
    outputs: Mapping[str, Path],
    source: Path,
    sources: list[str],
    references: Mapping[str, tuple[Path, list[str]]],
) -> Corpus:
    used = {name: path for name, path in outputs.items() if name not in references}
    if not used:
        raise CupelError(f"{folder / 'system-outputs' / pair} has no system outputs.")
    return Corpus(
        systems={name: _read(path, "hypothesis") for name, path in used.items()},
        references=[
            list(lines) for lines in zip(*(texts for _, texts in references.values()), strict=True)
        ],
        sources=sources,
        origins={
            "sources": str(source),
            "references": ", ".join(str(path) for path, _ in references.values()),
            **{name: str(path) for name, path in used.items()},
        },
    )


def _documents(path: Path, segments: int) -> tuple[list[str], list[str]]:
    """Domain and document of each segment; one of each where the folder does not say."""
    if not path.exists():
        return ["all"] * segments, ["all"] * segments
    rows = read_documents(path, segments)
    closed: set[str] = set()
    for number, ((_, before), (_, name)) in enumerate(pairwise(rows), start=2):
        if name != before:
            closed.add(before)
            if name in closed:
                raise CupelError(
                    f"{path}, line {number}: the document {name!r} begins a second time; the "
                    "segments of a document must follow each other."
                )
    return [domain for domain, _ in rows], [document for _, document in rows]


def _places(names: Sequence[str]) -> dict[str, IntArray]:
    """name -> where it is, in order of appearance."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    return {name: np.array(where) for name, where in places.items()}


def _references(folder: Path, pair: str) -> dict[str, Path]:
    paths = text_files(folder / "references", f"{pair}.")
    for name in _RESERVED:
        if name in paths:
            raise CupelError(
                f"{paths[name]}: a reference cannot be called {name!r}, which means something else "
                "in the names of score files; rename it to refA, for example."
            )
    return paths


def _read(path: Path, field: str) -> list[str]:
    return ["" if cell == _NO_TRANSLATION else cell for cell in read_texts(path, field)]

"""From data packs to what `assay` learns from: rankings, grades, and corrupted sentences.

Corruptions are made of the training data's own sentences. The original is a translation that won
at least half of its comparisons, with the reference it was judged by; or the reference itself,
compared with such a translation, so that the wording differs as it does between people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from cupel.corpus import Corpus
from cupel.data import wmt_corpus, wmt_pairs
from cupel.data.sick import sick_pairs
from cupel.errors import CupelError
from cupel.human.da13 import da13, da13_pairs
from cupel.human.rankings import Rankings, wmt_rankings
from cupel.learned.assay.data.corruptions import Neighbours, corrupted
from cupel.learned.assay.data.examples import (
    BORROWED,
    CORRUPTED,
    JUDGED,
    LINES,
    TIED,
    Builder,
    Judgments,
)
from cupel.learned.assay.data.graded import add_campaign, add_outputs, is_campaign
from cupel.learned.assay.data.json_rankings import JSON_RANKINGS, add_json_rankings
from cupel.learned.language_pairs import chosen_pairs
from cupel.learned.manifest import Gate, text_key
from cupel.neural.wordpiece import WordPieces
from cupel.reading import read_lines
from cupel.text.content_words import is_content
from cupel.text.synonyms import load_synonyms
from cupel.text.vectors import open_vectors

CORRUPTIONS = 3
"""Corrupted sentences made for each judged segment."""
NO_TRANSLATIONS = 0.15
"""Of how many segments a sentence that is no translation at all (nothing, the source, another)."""


def judgments(
    datasets: Sequence[str],
    tokenizer: WordPieces,
    *,
    pairs: Sequence[str] | None = None,
    corruptions: int = CORRUPTIONS,
    outputs: bool = False,
    folders: Sequence[str] = (),
    seed: int = 12345,
) -> Judgments:
    """All judgments of some datasets, as `collect` takes them, with sentences as pieces."""
    return collect(
        datasets, pairs=pairs, corruptions=corruptions, outputs=outputs, folders=folders, seed=seed
    ).build(tokenizer)


def collect(
    datasets: Sequence[str],
    *,
    pairs: Sequence[str] | None = None,
    corruptions: int = CORRUPTIONS,
    outputs: bool = False,
    folders: Sequence[str] = (),
    seed: int = 12345,
    gate: Gate | None = None,
) -> Builder:
    """Texts and judgments: rankings, graded campaigns, da13, sick, tables of grades.

    pairs: language pairs, all into English by default. outputs: all translations of a dataset too,
    judged or not, to be taught. folders: more of them, in mt-metrics-eval's layout. gate: refuses or
    leaves out what the manifest does not give for training; without it, all is for measuring.
    """
    builder = Builder()
    random = np.random.default_rng(seed)
    campaign = 0
    for dataset in datasets:
        if gate is not None:
            gate.check(dataset, pairs)
        if dataset == "da13":
            campaign = _add_assessments(builder, campaign, pairs)
        elif dataset == "sick":
            campaign = _add_sick(builder, campaign)
        elif Path(dataset).suffix == ".tsv":
            campaign = _add_table(builder, Path(dataset), campaign)
        elif dataset == JSON_RANKINGS:
            campaign = add_json_rankings(builder, campaign, outputs, pairs)
        elif is_campaign(dataset):
            campaign = add_campaign(builder, dataset, campaign, pairs, outputs, gate)
        else:
            campaign = _add_rankings(
                builder, dataset, campaign, corruptions, random, outputs, pairs
            )
    for folder in folders:
        campaign = add_outputs(builder, folder, campaign, gate)
    if gate is not None:
        leave_out(builder, gate)
    return builder


def leave_out(builder: Builder, gate: Gate) -> None:
    """Leave out all judgments and lessons beside a text of what is not for training."""
    reserved = gate.reserved()
    if not reserved:
        return
    texts = list(builder.sentences)
    shared = {number for number, text in enumerate(texts) if text_key(text) in reserved}
    segments = {number for number, text in builder.sources.items() if text_key(text) in reserved}
    items = {
        item
        for (_, reference, segment), item in builder.items.items()
        if reference in shared or segment in segments
    }
    used = {item for item, *_ in (*builder.grades, *builder.marks)} | set(builder.outputs)
    used |= {item for better, worse, _ in builder.pairs for item in (better, worse)}
    if items & used:
        gate.dropped["all data, beside a text for reporting"] += len(items & used)
    builder.pairs = [row for row in builder.pairs if not items & {row[0], row[1]}]
    builder.grades = [row for row in builder.grades if row[0] not in items]
    builder.marks = [row for row in builder.marks if row[0] not in items]
    builder.outputs = {item: None for item in builder.outputs if item not in items}


def _add_rankings(
    builder: Builder,
    dataset: str,
    campaign: int,
    corruptions: int,
    random: np.random.Generator,
    outputs: bool,
    pairs: Sequence[str] | None,
) -> int:
    everything = wmt_rankings(dataset)
    chosen = chosen_pairs(dataset, everything, pairs)
    corpora = {pair: wmt_corpus(dataset, pair) for pair in chosen}
    near: Neighbours = {}
    if corruptions:
        near = neighbours(r[0] for corpus in corpora.values() for r in corpus.references)
    for pair in chosen:
        corpus = corpora[pair]
        wins = _add_judged(builder, everything[pair], corpus, campaign)
        for line, text in enumerate(corpus.sources or ()):
            builder.source(campaign * LINES + line, text)
        for line, results in wins.items() if corruptions else ():
            _add_damaged(builder, corpus, campaign, line, results, corruptions, near, random)
        if outputs:
            _add_outputs(builder, corpus, campaign)
        campaign += 1
    unjudged = [p for p in wmt_pairs(dataset) if p.endswith("-en") and p not in chosen]
    for pair in unjudged if outputs and pairs is None else []:
        _add_outputs(builder, wmt_corpus(dataset, pair), campaign)
        campaign += 1
    return campaign


def _add_judged(
    builder: Builder, rankings: Rankings, corpus: Corpus, campaign: int
) -> dict[int, list[int]]:
    """Preferences, ties and borrowed references; of each line the results that `_winners` takes."""
    texts = list(corpus.systems.values())
    wins: dict[int, list[int]] = {}
    judged: dict[int, list[tuple[str, str]]] = {}
    for part, kind in ((rankings.pairs(), JUDGED), (rankings.ties(), TIED)):
        rows = zip(part.segment.tolist(), part.better.tolist(), part.worse.tolist(), strict=True)
        for line, better, worse in rows:
            reference, segment = corpus.references[line][0], campaign * LINES + line
            first = builder.item(texts[better][line], reference, segment)
            second = builder.item(texts[worse][line], reference, segment)
            if first == second:
                continue  # the same words from two systems
            builder.pairs.append((first, second, kind))
            if kind == JUDGED:
                wins.setdefault(line, []).extend((better, -1 - worse))
                judged.setdefault(line, []).append((texts[better][line], texts[worse][line]))
    for line, compared in judged.items():
        best = texts[_winners(wins[line])[0]][line]
        _add_borrowed(builder, compared, best, campaign * LINES + line)
    return wins


def _add_damaged(
    builder: Builder,
    corpus: Corpus,
    campaign: int,
    line: int,
    results: Sequence[int],
    count: int,
    near: Neighbours,
    random: np.random.Generator,
) -> None:
    """Corruptions of a judged line, and for some lines a sentence that is no translation of it."""
    texts = list(corpus.systems.values())
    good = [texts[system][line] for system in _winners(results)]
    reference, segment = corpus.references[line][0], campaign * LINES + line
    _add_corrupted(builder, good, reference, segment, count, near, random)
    if random.random() < NO_TRANSLATIONS:
        other = corpus.references[int(random.integers(len(corpus.references)))][0]
        source = corpus.sources[line] if corpus.sources else ""
        wrong = ("", source, other)[int(random.integers(3))]
        _add_wrong(builder, good, wrong, reference, segment, random)


def _add_outputs(builder: Builder, corpus: Corpus, campaign: int) -> None:
    """Every system's translation of every line."""
    for texts in corpus.systems.values():
        for line, (text, references) in enumerate(zip(texts, corpus.references, strict=True)):
            item = builder.item(text, references[0], campaign * LINES + line)
            builder.outputs[item] = None


def _winners(results: Sequence[int]) -> list[int]:
    """Systems that won at least half of their comparisons, best first; -1 - system is a defeat."""
    balance: dict[int, int] = {}
    for entry in results:
        system = entry if entry >= 0 else -1 - entry
        balance[system] = balance.get(system, 0) + (1 if entry >= 0 else -1)
    ordered = sorted(balance, key=lambda system: -balance[system])
    return [system for system in ordered if balance[system] >= 0]


def _add_borrowed(
    builder: Builder, compared: Sequence[tuple[str, str]], best: str, segment: int
) -> None:
    """The same judgments with the segment's best translation in place of its reference."""
    for better, worse in compared:
        if best not in (better, worse):
            first, second = (builder.item(text, best, segment) for text in (better, worse))
            builder.pairs.append((first, second, BORROWED))


def _add_corrupted(
    builder: Builder,
    good: Sequence[str],
    reference: str,
    segment: int,
    count: int,
    near: Neighbours,
    random: np.random.Generator,
) -> None:
    for _ in range(count):
        translation = good[int(random.integers(len(good)))]
        turned = random.random() < 0.5 and translation != reference
        original, other = (reference, translation) if turned else (translation, reference)
        spoilt = corrupted(original, random, near)
        if spoilt is not None and spoilt[1] != other:
            better = builder.item(original, other, segment)
            builder.pairs.append((better, builder.item(spoilt[1], other, segment), CORRUPTED))


def _add_wrong(
    builder: Builder,
    good: Sequence[str],
    wrong: str,
    reference: str,
    segment: int,
    random: np.random.Generator,
) -> None:
    translation = good[int(random.integers(len(good)))]
    if wrong not in (translation, reference):
        better = builder.item(translation, reference, segment)
        builder.pairs.append((better, builder.item(wrong, reference, segment), CORRUPTED))


def _add_assessments(builder: Builder, campaign: int, pairs: Sequence[str] | None) -> int:
    """da13's grades by language pair; its lines are those of wmt13."""
    for pair in chosen_pairs("da13", da13_pairs(), pairs):
        table = da13(pair)
        rows = zip(table.hypotheses, table.references, table.scores, table.segments, strict=True)
        _add_grades(
            builder,
            ((ours, theirs, float(score), line) for ours, theirs, score, line in rows),
            campaign,
        )
        campaign += 1
    return campaign


def _add_sick(builder: Builder, campaign: int) -> int:
    """SICK's relatedness of two sentences, its split for training."""
    sick = sick_pairs("train")
    rows = zip(sick.first, sick.second, sick.relatedness, strict=True)
    _add_grades(builder, ((a, b, float(g), n) for n, (a, b, g) in enumerate(rows)), campaign)
    return campaign + 1


def _add_table(builder: Builder, path: Path, campaign: int) -> int:
    """A TSV with the columns translation (or hypothesis), reference, and score (or similarity)."""
    header, *lines = [line.split("\t") for line in read_lines(path)] or [[]]
    places = []
    for names in (("translation", "hypothesis"), ("reference",), ("score", "similarity")):
        at = next((header.index(name) for name in names if name in header), None)
        if at is None:
            raise CupelError(f"{path}, line 1: there is no column {' or '.join(names)!s}.")
        places.append(at)
    rows = []
    for number, cells in enumerate(lines):
        try:
            ours, theirs, score = (cells[at] for at in places)
            rows.append((ours, theirs, float(score), number))
        except (IndexError, ValueError) as error:
            raise CupelError(
                f"{path}, line {number + 2}: a translation, a reference and a number were expected."
            ) from error
    _add_grades(builder, rows, campaign)
    return campaign + 1


def _add_grades(
    builder: Builder, rows: Iterable[tuple[str, str, float, int]], campaign: int
) -> None:
    """(translation, reference, grade, line), the grades standardised."""
    graded = list(rows)
    grades = np.array([grade for _, _, grade, _ in graded])
    spread = grades.std() if len(grades) else 0.0
    if spread == 0.0:
        raise CupelError("There is nothing to learn from grades that are all the same.")
    for ours, theirs, grade, line in graded:
        item = builder.item(ours, theirs, campaign * LINES + line % LINES)
        builder.grades.append((item, float((grade - grades.mean()) / spread)))


def neighbours(sentences: Iterable[str], count: int = 8) -> dict[str, list[str]]:
    """Words used like a word but of another meaning: near as GloVe vectors, and no synonyms.

    Only content words that occur more than once in the sentences have any, and are any.
    """
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in re.findall(r"[a-z]{3,}", sentence.lower()):
            counts[word] = counts.get(word, 0) + 1
    vectors, synonyms = open_vectors(), load_synonyms()
    words = [word for word, times in counts.items() if times > 1 and word in vectors]
    content = is_content(words)
    words = [word for word, is_one in zip(words, content.tolist(), strict=True) if is_one]
    matrix = np.array([vectors[word] for word in words], np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    sets = [synonyms.of(word) for word in words]
    near: dict[str, list[str]] = {}
    for start in range(0, len(words), 1000):
        cosines = matrix[start : start + 1000] @ matrix.T
        nearest = np.argsort(-cosines, axis=1)[:, 1 : 2 * count]
        for row, columns in enumerate(nearest.tolist(), start):
            stem = words[row][:5]
            apart = [words[c] for c in columns if not sets[c] & sets[row] and words[c][:5] != stem]
            near[words[row]] = apart[:count]
    return near

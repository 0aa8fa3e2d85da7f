"""The rankings of WMT15 with features, as the pack wmt15-rankings has them: one JSON object a ranking.

Each has the reference and up to five items of system, text and rank; there are no other translations
and no numbers of lines, so that a line here is a reference, in the order in which they occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from cupel.batch import Batch
from cupel.corpus import Corpus
from cupel.data.find import find
from cupel.errors import CupelError
from cupel.learned.language_pairs import chosen_pairs
from cupel.learned.nnrk.data.examples import Examples, computed_features
from cupel.learned.nnrk.model.features import FeatureSet
from cupel.reading.jsons import json_lines

JSON_RANKINGS = "wmt15-rankings"


def json_examples(features: FeatureSet, pairs: Sequence[str] | None) -> Iterator[Examples]:
    """The examples of each language pair."""
    folder = find(JSON_RANKINGS)
    available = sorted(path.stem for path in folder.glob("*.jsonl"))
    for pair in chosen_pairs(JSON_RANKINGS, available, pairs):
        yield _examples(folder / f"{pair}.jsonl", features)


def _examples(path: Path, features: FeatureSet) -> Examples:
    lines: dict[str, int] = {}
    numbers: dict[tuple[int, str], int] = {}
    preferences = []
    for place, row in json_lines(path):
        try:
            line = lines.setdefault(str(row["reference"]), len(lines))
            ranks = [(str(text), int(rank)) for _, text, rank in row["items"]]
        except (KeyError, TypeError, ValueError) as error:
            raise CupelError(
                f"{place}: a reference and items of system, text and rank were expected."
            ) from error
        items = [(numbers.setdefault((line, text), len(numbers)), rank) for text, rank in ranks]
        for (one, rank), (other, its_rank) in combinations(items, 2):
            if one != other and rank != its_rank:
                preferences.append((one, other, int(rank < its_rank), line))
    references, texts = list(lines), [text for _, text in numbers]
    reference = np.array([line for line, _ in numbers], np.int64)
    batch = Batch(texts, [[references[line]] for line in reference.tolist()])
    corpus = Corpus({"references": references}, [[one] for one in references])
    psi, vectors = computed_features(features, corpus, batch, f"{JSON_RANKINGS} {path.stem}")
    order = {text: row for row, text in enumerate(batch.sentences)}
    first, second, label, of = np.array(preferences, np.int64).reshape(-1, 4).T
    return Examples(
        psi,
        vectors[batch.hypothesis_index],
        vectors[[order[text] for text in references]],
        reference,
        first,
        second,
        label,
        of,
        np.zeros(len(first), np.int64),
        (path.stem,),
        {path.stem: np.arange(len(texts))[None]},
    )

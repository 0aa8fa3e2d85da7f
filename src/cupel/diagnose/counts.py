"""How often words are used: in the test set, in a text or a table of counts, or in a language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from cupel.arrays import IntArray
from cupel.diagnose.words import split
from cupel.errors import CupelError, MissingPart

TEST_SET, WORDFREQ = "test", "wordfreq"


@dataclass(frozen=True)
class Frequencies:
    """Words -> how frequent they are, and the bounds of buckets.

    feature  what the buckets are called after
    values   lower-cased word -> count, or Zipf value
    bounds   a word belongs to the last bound that it reaches
    names    of the buckets, one more than bounds
    """

    feature: str
    values: Mapping[str, float]
    bounds: Sequence[float]
    names: Sequence[str]

    def buckets(self, words: Sequence[str]) -> IntArray:
        """(words,): the bucket of each lower-cased word."""
        values = np.fromiter((self.values.get(w, 0.0) for w in words), np.float64, len(words))
        return np.searchsorted(np.asarray(self.bounds), values, side="right").astype(np.int64)


def in_test_set(counts: Mapping[str, int]) -> Frequencies:
    """Counts in the references themselves."""
    return Frequencies(
        "frequency in the test set",
        counts,
        (1, 2, 3, 5, 10, 100, 1000),
        ("in no reference", "once", "twice", "3 to 4 times", "5 to 9 times", "10 to 99 times",
         "100 to 999 times", "1000 times or more"),
    )  # fmt: skip


def in_text(file: str, counts: Mapping[str, int]) -> Frequencies:
    """Counts in a text of the user's."""
    return Frequencies(
        f"frequency in {Path(file).name}",
        counts,
        (1, 2, 5, 10, 100, 1000, 10_000),
        ("not there", "once", "2 to 4 times", "5 to 9 times", "10 to 99 times",
         "100 to 999 times", "1000 to 9999 times", "10000 times or more"),
    )  # fmt: skip


def in_language(language: str, words: Sequence[str]) -> Frequencies:
    """Zipf values of the package wordfreq: 3 is once in a million words, 6 once in a thousand."""
    try:
        zipf_frequency = import_module("wordfreq").zipf_frequency
    except ImportError:
        raise MissingPart(
            "Frequencies in a language need the package wordfreq: pip install wordfreq."
        ) from None
    try:
        values = {word: float(zipf_frequency(word, language)) for word in words}
    except LookupError:
        raise CupelError(f"wordfreq has no frequencies for the language {language!r}.") from None
    return Frequencies(
        "frequency in the language",
        values,
        (0.01, 2, 3, 4, 5, 6),
        ("unknown", "Zipf below 2", "Zipf 2 to 3", "Zipf 3 to 4", "Zipf 4 to 5", "Zipf 5 to 6",
         "Zipf 6 or more"),
    )  # fmt: skip


def read_counts(file: str, orders: int = 1) -> tuple[Counter[str], frozenset[str]]:
    """Lower-cased n-grams (up to `orders`) with counts, and the lines, of a text.

    A file whose lines are an n-gram, a tab and a number holds counts already; it has no lines.
    """
    from cupel.reading import iterate_lines

    counts: Counter[str] = Counter()
    lines: set[str] = set()
    tabled: bool | None = None
    for at, line in enumerate(iterate_lines(file), start=1):
        gram, _, times = line.rpartition("\t")
        if tabled is None:
            tabled = bool(gram) and times.strip().isdecimal()
        if tabled:
            if not gram or not times.strip().isdecimal():
                raise CupelError(
                    f"{file}, line {at}: an n-gram, a tab and its count were expected."
                )
            counts[gram.lower().strip()] += int(times)
        else:
            lines.add(line.strip())
            words = [form.lower() for form in split([line]).forms]
            for n in range(1, orders + 1):
                counts.update(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))
    if not counts:
        raise CupelError(f"{file} is empty; text or counts of n-grams were expected.")
    return counts, frozenset(lines)

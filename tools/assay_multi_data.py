"""Builds what assay-multi is trained on.

    python tools/assay_multi_data.py CLONES FOLDER

CLONES: a folder with clones of wmt21-news-systems, wmt22-news-systems and wmt25-general-mt, of the GitHub
organisation wmt-conference. The datasets mqm20, mqm21, mqm22, ted21, bio21, mlqe and da17 must be there
(cupel data). Writes into FOLDER what tools/train_assay_multi.py takes: data.npz (texts as pieces, items and grades),
lex.npz (lexical statistics), and frequencies.npy (weights of words, the table of resources/assay-multi).
Needs the packages of Gemma (cupel[multi]). Draws are fixed: the same texts give the same files.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from assay_multi_items import Item, all_items
from cupel.arrays import FloatArray
from cupel.batch import Batch
from cupel.metrics.assay_multi import TABLE
from cupel.metrics.assay_multi_features import PREFIX, Words, features
from cupel.neural.gemma_match import LONGEST
from cupel.neural.gemma_package import open_gemma
from cupel.neural.score_pieces import ScorePieces

CHARACTERS = 2000
"""Characters of a text that are cut into pieces."""
INTO_ENGLISH = {
    "mqm20": 300, "mqm21": 300, "mqm22": 300, "ted21": 250, "bio21": 250,
    "da21": 110, "da22": 110, "mlqe": 1500,
}  # fmt: skip
OTHERS = {"mlqe": 4000, "mqm20": 900}
"""Segments that are drawn of a group, by campaign; all, where none is named."""
EXPERTS = ("mqm20", "mqm21", "mqm22", "ted21", "bio21")
SECOND = {"da21": 170, "da22": 170}
SECOND_LARGE, SECOND_MLQE = 800, 1500
"""Segments of the second draw: all of experts, but of zh-en of mqm20 and mqm22."""
UNSPACED = ("zh", "ja")
FAULTS = (
    "drop", "tail", "double", "swap", "words", "untranslated", "number", "other", "mixed",
)  # fmt: skip
FAULTS_OF_ONE, SOUND, LONG, FEWEST = 4, -0.5, 25, 100
"""Faults of a translation; which may be spoilt: grade and characters above these, so many in a language."""
SPOILT, SPOILT_ENGLISH, FIRST = 160, 300, 100_000
HASHED, MOST_WORDS, SEEN = 1 << 18, 400_000, 3
"""Size of the table of words; words that are counted of a language; a word seen less often is rare."""
AT_ONCE = 3000


def groups(items: Sequence[Item]) -> dict[tuple[str, str, str], list[Item]]:
    """Kind, campaign and pair -> items."""
    result: dict[tuple[str, str, str], list[Item]] = defaultdict(list)
    for item in items:
        result[item.kind, item.campaign, item.pair].append(item)
    return result


def first_draw(items: Sequence[Item], rng: random.Random) -> list[Item]:
    """Fewer segments of the large groups."""
    kept = []
    for (_, campaign, _), rows in groups(items).items():
        segments = sorted({row.segment for row in rows})
        limits = INTO_ENGLISH if rows[0].target == "en" else OTHERS
        count = min(limits.get(campaign, len(segments)), len(segments))
        drawn = set(rng.sample(segments, count))
        kept += [row for row in rows if row.segment in drawn]
    return kept


def second_draw(items: Sequence[Item], first: Sequence[Item]) -> list[Item]:
    """More segments of people's judgments, of those that the first draw left."""
    rng = random.Random(7)
    have = {(*item[:3], item.segment) for item in first}
    kept = []
    for (kind, campaign, pair), rows in groups(items).items():
        left = sorted({r.segment for r in rows if (kind, campaign, pair, r.segment) not in have})
        count = SECOND.get(campaign, 0)
        if campaign in EXPERTS:
            large = pair == "zh-en" and campaign in ("mqm20", "mqm22")
            count = SECOND_LARGE if large else len(left)
        elif campaign == "mlqe" and rows[0].target != "en":
            count = SECOND_MLQE
        drawn = set(rng.sample(left, min(count, len(left))))
        kept += [row for row in rows if row.segment in drawn]
    return kept


def units(text: str, language: str) -> list[str]:
    """Words, or characters of a language that is written without spaces."""
    return list(text) if language in UNSPACED else text.split()


class Spoiler:
    """Makes faults of translations into one language, by rule."""

    def __init__(self, language: str, rng: random.Random) -> None:
        self._language, self._rng = language, rng
        self._join = "" if language in UNSPACED else " "

    def __call__(self, fault: str, item: Item, other: Item) -> str | None:
        """The spoilt translation; None where the fault cannot be made."""
        u = units(item.hypothesis, self._language)
        if len(u) < 4:
            return None
        first, last = self._span(len(u))
        if fault == "other":
            return other.hypothesis
        if fault == "number":
            return self._number(item.hypothesis)
        if fault == "untranslated":
            spoilt = self._untranslated(u, first, last, item, other)
        else:
            spoilt = self._moved(fault, u, first, last, other)
        return None if spoilt is None else self._join.join(spoilt)

    def _span(self, n: int) -> tuple[int, int]:
        size = max(1, min(n - 1, int(n * self._rng.uniform(0.1, 0.4))))
        first = self._rng.randrange(0, n - size + 1)
        return first, first + size

    def _moved(
        self, fault: str, u: list[str], first: int, last: int, other: Item
    ) -> list[str] | None:
        if fault == "drop":
            return u[:first] + u[last:]
        if fault == "tail":
            return u[: max(1, int(len(u) * self._rng.uniform(0.5, 0.85)))]
        if fault == "double":
            return u[:last] + u[first:last] + u[last:]
        if fault == "mixed":
            return u[:first] + units(other.hypothesis, self._language)[: last - first] + u[last:]
        if fault == "swap":
            middle = (first + last) // 2 + 1
            end = last + middle - first
            return u[:first] + u[middle:end] + u[first:middle] + u[end:] if end <= len(u) else None
        swapped = u[:]
        i, j = self._rng.sample(range(len(u)), 2)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        return swapped

    def _untranslated(
        self, u: list[str], first: int, last: int, item: Item, other: Item
    ) -> list[str] | None:
        source = item.source or other.source
        if not source:
            return None
        w = units(source, item.pair.split("-")[0]) or ["the"]
        begin, end = (int(place * len(w) / len(u)) for place in (first, last))
        return u[:first] + w[begin : max(end, begin + 1)] + u[last:]

    def _number(self, text: str) -> str | None:
        digits = [place for place, c in enumerate(text) if c.isdigit()]
        if not digits:
            return None
        at = self._rng.choice(digits)
        digit = int(text[at]) if text[at] in "0123456789" else 3
        return text[:at] + str(digit + self._rng.randrange(1, 9))[-1] + text[at + 1 :]


def faults(items: Sequence[Item], rng: random.Random) -> list[Item]:
    """Translations, with grade 1, and what was made of them, with grade 0."""
    pools: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if len(item.hypothesis) > LONG and item.grade > SOUND:
            pools[item.target].append(item)
    result: list[Item] = []
    number = FIRST
    for language, pool in pools.items():
        if len(pool) < FEWEST:
            continue
        spoil = Spoiler(language, rng)
        for item in rng.sample(
            pool, min(SPOILT_ENGLISH if language == "en" else SPOILT, len(pool))
        ):
            other = rng.choice(pool)
            made = [(f, spoil(f, item, other)) for f in rng.sample(FAULTS, FAULTS_OF_ONE)]
            spoilt = [(f, text) for f, text in made if text not in (None, item.hypothesis)]
            if not spoilt:
                continue
            for fault, text in [("none", item.hypothesis), *spoilt]:
                result.append(
                    item._replace(
                        kind="corr", campaign="corr", segment=number, system=fault,
                        hypothesis=str(text), grade=float(fault == "none"),
                    )
                )  # fmt: skip
            number += 1
    return result


def word_table(items: Sequence[Item]) -> FloatArray:
    """(2, HASHED) bytes: -log of how frequent a word is, from 0 (1 of 10) to 8, in 255 steps.

    The second row has the lowest of these for the words with the same first letters.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    seen: set[str] = set()
    analyse = Words()
    for item in items:
        into_english = item.target == "en"  # whose outputs are many and alike
        for text in (item.reference,) if into_english else (item.reference, item.hypothesis):
            if text in seen:
                continue
            seen.add(text)
            if totals[item.target] <= MOST_WORDS:
                tokens = analyse([text])
                counts[item.target].update(tokens.types[i] for i in tokens.ids.tolist())
                totals[item.target] += len(tokens.ids)
    share, places = np.full(HASHED, 1e-9), {}
    for language, counted in counts.items():
        for word, count in counted.items():
            if count >= SEEN:
                place = places[word] = zlib.crc32(word.encode()) % HASHED
                share[place] = max(share[place], count / totals[language])
    words = np.round(np.clip(-np.log(share * 10.0), 0.0, 8.0) / 8.0 * 255.0)
    starts = np.full(HASHED, 255.0)
    for word, place in places.items():
        start = zlib.crc32(word[:PREFIX].encode()) % HASHED
        starts[start] = min(starts[start], words[place])
    return np.stack([words, starts])


def write_statistics(items: Sequence[Item], table: Path, path: Path) -> None:
    """lex.npz: X, (items, statistics) in half precision, and their names."""
    names: list[str] = []
    parts = []
    for first in range(0, len(items), AT_ONCE):
        some = items[first : first + AT_ONCE]
        batch = Batch([item.hypothesis for item in some], [[item.reference] for item in some])
        names, values = features(batch, table)
        parts.append(values.astype(np.float16))
    np.savez_compressed(path, X=np.concatenate(parts), names=np.array(names))


def write_items(items: Sequence[Item], pieces: Callable[[str], list[int]], path: Path) -> None:
    """data.npz: each text once, its pieces as places in `voc`, and the columns of items."""
    numbers: dict[str, int] = {}
    hypotheses, references = (
        np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
        for texts in ([i.hypothesis for i in items], [i.reference for i in items])
    )
    cut = [pieces(text[:CHARACTERS])[:LONGEST] for text in numbers]
    special = [0, 1, 2, 3]  # so that padding and the beginning of a text keep their numbers
    flat = np.array(special + [piece for ids in cut for piece in ids], np.int32)
    vocabulary, ids = np.unique(flat, return_inverse=True)
    keys = ["|".join(item[:3]) for item in items]
    names, group = np.unique(keys, return_inverse=True)
    np.savez_compressed(
        path,
        hyp=hypotheses,
        ref=references,
        ids=ids[len(special) :].astype(np.int32),
        length=np.array([len(ids) for ids in cut], np.int32),
        voc=vocabulary,
        group_names=names,
        group=group.astype(np.int16),
        seg=np.array([item.segment for item in items], np.int32),
        y=np.array([item.grade for item in items], np.float32),
    )


def chosen(items: Sequence[Item]) -> list[Item]:
    """What is trained on, in the order of the shipped training."""
    rng = random.Random(5)
    first = first_draw(items, rng)
    return [*first, *faults(first, rng), *second_draw(items, first)]


def main(clones: Path, folder: Path) -> None:
    """Write the three files."""
    items = list(all_items(clones))
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / TABLE, word_table(items).astype(np.uint8))
    used = chosen(items)
    print(f"{len(items)} items, {len(used)} chosen", file=sys.stderr)
    write_statistics(used, folder / TABLE, folder / "lex.npz")
    write_items(used, ScorePieces(open_gemma().settings).pieces, folder / "data.npz")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {Path(sys.argv[0]).name} CLONES FOLDER")
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Does `cupel diagnose` find faults, and only faults? The figures of docs/diagnose.md.

    python research/diagnose_faults.py find CAMPAIGN PAIR [RUNS]
    python research/diagnose_faults.py null CAMPAIGN PAIR [RUNS]

find: in real outputs of a campaign (wmt12 to wmt15, or one in the layout of mt-metrics-eval) a fault
of each kind is planted by rule, and the faulty output is compared with the real one. Printed: in how
many of the runs (other systems, other choices of lines) the right bucket is among the first three.

null: two outputs are drawn from the same systems, segment by segment, by chance. Whatever is claimed
about their difference is false. Printed: the share of runs with any claim, and claims per run.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

import cupel
from cupel.corpus import Corpus
from cupel.data import find, wmt_corpus
from cupel.diagnose.columns import Column
from cupel.diagnose.material import Material
from cupel.diagnose.run import Diagnosis, diagnose
from cupel.human.evalset import read_evalset
from cupel.syntax.word_labels import WordLabels, word_labels

RESAMPLES = 20
"""Intervals are not looked at here."""
SIZE = 20
"""Segments of a made-up document."""
SEGMENTS = {"find": 1000, "null": 500}
"""Segments of a run, drawn from those of the campaign."""


@dataclass(frozen=True)
class Line:
    """What a fault may look at: the translation's words, source, number of the segment."""

    text: str
    source: str
    row: int
    rare: frozenset[str]

    @property
    def words(self) -> list[str]:
        return self.text.split(" ")


Plant = Callable[[Line, Random], str]
"""A line -> the faulty line; the same line where the fault cannot be made."""


def without(pattern: str, at_most: int = 9) -> Plant:
    """Drop what fits the pattern."""
    form = re.compile(pattern)
    return lambda line, chance: re.sub(r"\s+", " ", form.sub("", line.text, count=at_most)).strip()


def instead(pattern: str, by: str | Callable[[re.Match[str]], str]) -> Plant:
    """Replace what fits the pattern."""
    form = re.compile(pattern)
    return lambda line, chance: form.sub(by, line.text)


def truncated(line: Line, chance: Random) -> str:
    """A long line ends after 60% of its words."""
    words = line.words
    return " ".join(words[: len(words) * 6 // 10]) if len(words) > 40 else line.text


def short_damaged(line: Line, chance: Random) -> str:
    """A short line loses a third of its words."""
    return some_words(line, chance, 0.33) if len(line.words) <= 8 else line.text


def some_words(line: Line, chance: Random, share: float = 0.25) -> str:
    """Words are dropped by chance."""
    return " ".join(w for w in line.words if chance.random() > share)


def without_rare(line: Line, chance: Random) -> str:
    """Words that occur once in the references are dropped."""
    return " ".join(w for w in line.words if w.strip(".,:;!?\"'()").lower() not in line.rare)


def swapped(line: Line, chance: Random) -> str:
    """Neighbours change places, twice."""
    words = line.words
    for _ in range(2):
        if len(words) > 4:
            at = chance.randrange(1, len(words) - 2)
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def moved(line: Line, chance: Random) -> str:
    """The second half comes first."""
    words = line.words
    half = len(words) // 2
    return " ".join(words[half:] + words[:half])


def looped(line: Line, chance: Random) -> str:
    """A phrase is said three times."""
    words = line.words
    at = chance.randrange(max(len(words) - 2, 1))
    return " ".join([*words[: at + 2], *words[at : at + 2] * 2, *words[at + 2 :]])


def copied(line: Line, chance: Random) -> str:
    """The second half is left in the source's language."""
    words, source = line.words, line.source.split(" ")
    return " ".join([*words[: len(words) // 2], *source[len(source) // 2 :]])


def in_document(line: Line, chance: Random) -> str:
    """One document of the columns is damaged."""
    return some_words(line, chance) if line.row // SIZE == 3 else line.text


def in_domain(line: Line, chance: Random) -> str:
    """One domain of the columns is damaged."""
    return some_words(line, chance, 0.1) if line.row % 7 == 2 else line.text


def at_the_end(line: Line, chance: Random) -> str:
    """Documents get worse in their last third."""
    return some_words(line, chance, 0.1) if line.row % SIZE >= 14 else line.text


def emptied(line: Line, chance: Random) -> str:
    """Nothing is left of a question."""
    return "" if line.text.rstrip(' "').endswith("?") else line.text


_NAME = r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*\b"
_NEGATION = r"\b(?:not|never|no)\b |n't\b"


@dataclass(frozen=True)
class Fault:
    """What is planted, in which share of the lines, and which buckets are the right ones."""

    name: str
    plant: Plant
    share: float
    right: str


NAMED = r"names|entity: |PROPN|contains: name"
FAULTS = (
    Fault("names dropped", without(_NAME), 0.05, NAMED),
    Fault("names replaced", instead(_NAME, "Smith"), 0.05, NAMED),
    Fault("lower case after a comma",
          instead(r",.*", lambda m: m[0].lower()), 1.0, "comma|case|capital"),
    Fault("acronyms in lower case",
          instead(r"\b[A-Z]{2,}\b", lambda m: m[0].lower()), 1.0, "capital|case"),
    Fault("long lines cut off", truncated, 1.0, "length: "),
    Fault("short lines damaged", short_damaged, 0.5, "length: "),
    Fault("numbers dropped", without(r"\b\d[\d.,]*"), 0.2, "number|NUM|CARDINAL|DATE|MONEY|PERCENT"),
    Fault("numbers changed", instead(r"\d", lambda m: str((int(m[0]) + 3) % 10)), 0.2,
          "number|NUM|CARDINAL|DATE|MONEY|PERCENT"),
    Fault("negation dropped", without(_NEGATION), 0.5, "negation|neg$|PART"),
    Fault("quotation marks dropped", without(r"[\"“”„]|''"), 0.5, "quotation"),
    Fault("questions end in a full stop", instead(r"\?", "."), 1.0, "question"),
    Fault("questions left empty", emptied, 1.0, "question"),
    Fault("parentheses dropped", without(r"\([^)]*\)"), 1.0, "parenthes"),
    Fault("full stops dropped", without(r"[.]$"), 0.1, "full stop|PUNCT|punct|last word|statement"),
    Fault("articles dropped", without(r"\b(?:the|an?|The|An?) "), 0.05, "DET|: det"),
    Fault("prepositions dropped",
          without(r"\b(?:of|in|on|at|by|for|with|from) "), 0.05, "ADP|prep"),
    Fault("pronouns dropped",
          without(r"\b(?:he|she|it|they|we|him|her|them|I|you) "), 0.1, "PRON"),
    Fault("auxiliary verbs dropped",
          without(r"\b(?:is|are|was|were|has|have|had|will|would) "), 0.05, "AUX|aux"),
    Fault("conjunctions dropped", without(r"\b(?:and|or|but) "), 0.1, "CCONJ|: cc"),
    Fault("plural endings dropped", instead(r"(?<=[a-z]{3}[^s])s\b", ""), 0.05, "inflected"),
    Fault("past tense endings dropped", instead(r"(?<=[a-z]{2})ed\b", ""), 0.1, "inflected|VERB"),
    Fault("neighbours swapped", swapped, 0.1, "reordered"),
    Fault("halves exchanged", moved, 0.05, "reordered"),
    Fault("phrases repeated", looped, 0.05, "repeated|added"),
    Fault("half of the source copied", copied, 0.03, "copied"),
    Fault("rare words dropped", without_rare, 0.1, "once|twice"),
    Fault("one document damaged", in_document, 1.0, "^document: 3$"),
    Fault("one domain damaged", in_domain, 1.0, "^domain: 2$"),
    Fault("ends of documents damaged", at_the_end, 0.5, "last third"),
)  # fmt: skip


def corpus_of(campaign: str, pair: str) -> Corpus:
    """The texts of a campaign, with one reference."""
    if campaign.startswith("wmt"):
        corpus = wmt_corpus(campaign, pair)
    else:
        corpus = read_evalset(find(campaign), pair).corpus
    return Corpus(corpus.systems, [texts[:1] for texts in corpus.references], corpus.sources)


def diagnosed(first: list[str], second: list[str], corpus: Corpus, labels: WordLabels) -> Diagnosis:
    """The second output against the first, with made-up documents and domains."""
    both = Corpus({"first": first, "second": second}, corpus.references, corpus.sources)
    rows = range(len(corpus))
    documents = [str(row // SIZE) for row in rows]
    columns = [Column("domain", [str(row % 7) for row in rows])]
    material = Material(both, labels=labels, columns=columns, documents=documents)
    scores = cupel.score(both, metrics="chrf++")
    return diagnose(material, scores, resamples=RESAMPLES)


Drawn = tuple[Corpus, WordLabels]


def drawn_from(corpus: Corpus, labels: WordLabels, count: int, seed: int) -> Drawn:
    """Some segments of a corpus, in their order."""
    size = min(count, len(corpus))
    rows = np.sort(np.random.default_rng(seed).choice(len(corpus), size, replace=False))
    some = Corpus(
        {name: [texts[row] for row in rows] for name, texts in corpus.systems.items()},
        [corpus.references[row] for row in rows],
        None if corpus.sources is None else [corpus.sources[row] for row in rows],
    )
    return some, labels.take(rows)


def rare_words(corpus: Corpus) -> frozenset[str]:
    """Words that occur once in the references."""
    counts = Counter(w.lower() for texts in corpus.references for w in re.findall(r"\w+", texts[0]))
    return frozenset(word for word, count in counts.items() if count == 1)


def find_faults(campaign: str, pair: str, runs: int) -> None:
    """Print a row for each fault, and the share of all runs."""
    whole = corpus_of(campaign, pair)
    all_labels = word_labels([texts[0] for texts in whole.references])
    names = list(whole.systems)
    hits = total = 0
    print("fault", "lines", "right in the first three", "first three of the last run", sep="\t")
    for fault in FAULTS:
        seen, lines = 0, 0
        for run in range(runs):
            chance = Random(f"{fault.name} {run}")
            corpus, labels = drawn_from(whole, all_labels, SEGMENTS["find"], run)
            rare, sources = rare_words(corpus), corpus.sources or [""] * len(corpus)
            real = list(corpus.systems[names[run % len(names)]])
            faulty = [
                fault.plant(Line(text, sources[row], row, rare), chance)
                if chance.random() < fault.share
                else text
                for row, text in enumerate(real)
            ]
            lines += sum(one != other for one, other in zip(real, faulty, strict=True))
            findings = diagnosed(real, faulty, corpus, labels).findings[:3]
            seen += any(re.search(fault.right, finding.bucket) for finding in findings)
        hits, total = hits + seen, total + runs
        top = "; ".join(f"{finding.bucket} {finding.evidence:.1f}" for finding in findings)
        print(fault.name, lines // runs, f"{seen}/{runs}", top, sep="\t", flush=True)
    print("all", "", f"{hits / total:.3f}", f"{hits} of {total}", sep="\t")


def find_nothing(campaign: str, pair: str, runs: int) -> None:
    """Print how often something is claimed about two draws from the same systems."""
    whole = corpus_of(campaign, pair)
    all_labels = word_labels([texts[0] for texts in whole.references])
    any_claim, claims, rows = 0, 0, 0
    for run in range(runs):
        corpus, labels = drawn_from(whole, all_labels, SEGMENTS["null"], run)
        pool = list(corpus.systems.values())
        chosen = np.random.default_rng(run).integers(len(pool), size=(2, len(corpus)))
        drawn = [[pool[which][row] for row, which in enumerate(one)] for one in chosen.tolist()]
        findings = diagnosed(drawn[0], drawn[1], corpus, labels).findings
        false = [finding for finding in findings if finding.verdict]
        any_claim, claims, rows = any_claim + bool(false), claims + len(false), rows + len(findings)
        if false:
            print(run, *(f"{f.bucket} {f.q_value:.3f}" for f in false[:4]), sep="\t", flush=True)
    print(f"runs with a claim: {any_claim}/{runs} = {any_claim / runs:.3f}")
    print(f"claims: {claims} of {rows} rows = {claims / rows:.5f}")


if __name__ == "__main__":
    _, what, name, languages, *more = sys.argv
    {"find": find_faults, "null": find_nothing}[what](name, languages, int(more[0]) if more else 5)

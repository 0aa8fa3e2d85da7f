"""How well do the checks without references see faults? The table of docs/checks.md.

    python research/check_faults.py CAMPAIGN [PAIR...]

CAMPAIGN is a dataset or a folder in the layout of mt-metrics-eval. In one translation in twenty of
its real outputs a fault is planted by rule; all others are left as they are. For each check: how many
of its faults it sees (recall), how many of its flags are planted (precision, a lower bound, since real
outputs have faults of their own), and the share of untouched translations and of references that it
flags.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import cupel
from cupel.corpus import NO_REFERENCES, Corpus
from cupel.data import find
from cupel.human.evalset import evalset_pairs, read_evalset
from cupel.text.numbers import numbers
from cupel.text.scripts import scripts, words

SHARE = 0.05
Fault = Callable[[str, str, random.Random], str | None]
"""Source and translation -> a faulty translation, or None where it cannot be made."""


def left_untranslated(source: str, translation: str, chance: random.Random) -> str | None:
    """The source itself."""
    return source if len(words(source)) >= 4 else None


def half_untranslated(source: str, translation: str, chance: random.Random) -> str | None:
    """The second half of the source."""
    if len(words(source)) < 10:
        return None
    return translation[: len(translation) // 2] + " " + source[len(source) // 2 :]


def changed_number(source: str, translation: str, chance: random.Random) -> str | None:
    """Another number in place of one."""
    own = [n.text for n in numbers(translation) if translation.count(n.text) == 1]
    there = {n.text for n in numbers(source)}
    shared = [text for text in own if text in there]
    if not shared:
        return None
    text = chance.choice(shared)
    return translation.replace(text, str(chance.randint(13, 9999)))


def lost_number(source: str, translation: str, chance: random.Random) -> str | None:
    """One number less."""
    own = [n.text for n in numbers(translation) if translation.count(n.text) == 1]
    there = {n.text for n in numbers(source) if len(n.text) > 2}
    shared = [text for text in own if text in there]
    return translation.replace(chance.choice(shared), "") if shared else None


def cut_off(source: str, translation: str, chance: random.Random) -> str | None:
    """A third to three quarters of the words."""
    tokens = translation.split(" ")
    if len(tokens) >= 6:
        return " ".join(tokens[: chance.randint(len(tokens) // 3, len(tokens) * 3 // 4)])
    text = translation.rstrip()
    return text[: len(text) * chance.randint(35, 75) // 100] if len(text) >= 20 else None


def loop(source: str, translation: str, chance: random.Random) -> str | None:
    """Words that do not stop."""
    tokens = translation.split(" ")
    if len(tokens) < 4:
        text = translation
        return text + text[-4:] * chance.randint(3, 8) if len(text) >= 12 else None
    at = chance.randrange(len(tokens) - 1)
    phrase = tokens[at : at + chance.randint(1, 4)]
    return " ".join([*tokens[: at + len(phrase)], *phrase * chance.randint(2, 8)])


def left_out(source: str, translation: str, chance: random.Random) -> str | None:
    """A quarter, with a full stop."""
    return translation[: len(translation) // 4] + "." if len(translation) >= 60 else None


def doubled(source: str, translation: str, chance: random.Random) -> str | None:
    """The whole translation twice."""
    return f"{translation} {translation}" if len(translation) >= 40 else None


def lost_tag(source: str, translation: str, chance: random.Random) -> str | None:
    """The translation without the tags that the source has."""
    return TAGS.sub("", translation)


TAGS = re.compile(r" ?(<b>|</b>|\{0\})")
PLANTED: dict[str, tuple[tuple[str, Fault], ...]] = {
    "copied": (("left untranslated", left_untranslated), ("half untranslated", half_untranslated)),
    "wrong-script": (("left untranslated", left_untranslated),),
    "wrong-language": (("left untranslated", left_untranslated),),
    "numbers": (("a changed number", changed_number), ("a lost number", lost_number)),
    "length": (("three quarters left out", left_out), ("everything twice", doubled)),
    "repeats": (("a loop", loop),),
    "truncated": (("cut off", cut_off),),
    "tags": (("lost tags", lost_tag),),
}


def main(campaign: str, pairs: Sequence[str]) -> None:
    """Print the table, one row a check, fault and language pair."""
    folder = Path(campaign) if Path(campaign).is_dir() else find(campaign)
    print(
        "check",
        "fault",
        "pair",
        "planted",
        "recall",
        "precision",
        "outputs",
        "references",
        sep="\t",
    )
    for pair in pairs or evalset_pairs(folder):
        corpus = read_evalset(folder, pair).corpus
        same_script = _main_script(corpus.sources or ()) == _main_script(corpus.references[0])
        for check, faults in PLANTED.items():
            if check == "wrong-script" and same_script:
                continue
            for what, fault in faults:
                print(check, what, pair, *_row(corpus, check, fault), sep="\t")


def _main_script(texts: Sequence[str]) -> str:
    return scripts(texts).most_common(1)[0][0]


def _tagged(texts: Sequence[str]) -> list[str]:
    """News has no tags: the first word of each text gets some, in source and translations alike."""
    return [f"<b>{first}</b> {{0}} {rest}" for first, _, rest in (t.partition(" ") for t in texts)]


def _row(corpus: Corpus, check: str, fault: Fault) -> tuple[int | str, ...]:
    chance = random.Random(12345)
    if check == "tags":
        corpus = Corpus(
            {name: _tagged(texts) for name, texts in corpus.systems.items()},
            [_tagged(texts) for texts in corpus.references],
            _tagged(corpus.sources or ()),
        )
    assert corpus.sources is not None
    planted = {name: list(texts) for name, texts in corpus.systems.items()}
    marks = np.zeros((len(planted), len(corpus)), bool)
    for row, texts in enumerate(planted.values()):
        for at, text in enumerate(texts):
            faulty = chance.random() < SHARE and fault(corpus.sources[at], text, chance)
            if faulty and faulty != text:
                texts[at], marks[row, at] = faulty, True
    planted["references"] = [texts[0] for texts in corpus.references]
    scores = cupel.score(Corpus(planted, NO_REFERENCES, corpus.sources), metrics=check)
    flags = np.stack([scores.segment_scores(check, name) > 0 for name in planted])
    flags, of_references = flags[:-1], flags[-1]
    seen = int(flags[marks].sum())
    return (
        int(marks.sum()),
        f"{seen / max(marks.sum(), 1):.3f}",
        f"{seen / max(flags.sum(), 1):.3f}",
        f"{flags[~marks].mean():.4f}",
        f"{of_references.mean():.4f}",
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

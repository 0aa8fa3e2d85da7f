"""Sentences spoilt by simple rules, as preferences to learn from: the original is the better one.

The kinds are those that MUTT (Boag et al. 2016, section 2) tests metrics with, and a few that a
learned metric could be fooled by: a meaning turned round (negation, an opposite, another word or
number), content lost, fluency disrupted (doubled phrases, swapped chunks, shuffled words), and no
translation at all (nothing, the source, one word over and over, another sentence).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

Words = list[str]
Neighbours = Mapping[str, Sequence[str]]
Corruption = Callable[[Words, np.random.Generator, Neighbours], Words | None]

AUXILIARIES = frozenset(
    "is are was were be been has have had will would can could should may might must do does did "
    "'s 're 've 'll".split()
)
PREPOSITIONS = frozenset(
    "of in to for with on at from by about as into through after over between out against during "
    "without before under around among across behind near towards upon within along".split()
)
DETERMINERS = frozenset("a an the this that these those some any every each".split())
_FUNCTION = (
    PREPOSITIONS
    | DETERMINERS
    | AUXILIARIES
    | frozenset(
        "and or but not no nor so if than then there here it its he she they we you i his her their our "
        "my your him them us me who which what when where why how".split()
    )
)
_OPPOSITES = (
    "more less|most least|high low|higher lower|highest lowest|big small|large small|larger smaller|"
    "long short|longer shorter|old young|new old|good bad|better worse|best worst|hot cold|"
    "first last|early late|earlier later|before after|above below|over under|up down|"
    "inside outside|with without|all none|always never|everyone nobody|everything nothing|many few|"
    "much little|strong weak|stronger weaker|rich poor|easy difficult|hard soft|fast slow|true false|"
    "right wrong|right left|left right|open closed|full empty|light dark|black white|north south|"
    "east west|northern southern|eastern western|increase decrease|increased decreased|"
    "increasing decreasing|rise fall|rose fell|rising falling|win lose|won lost|winning losing|"
    "buy sell|bought sold|start stop|started stopped|begin end|began ended|beginning end|come go|"
    "came went|give take|gave took|love hate|like dislike|accept reject|accepted rejected|"
    "allow forbid|allowed forbidden|agree disagree|agreed refused|support oppose|supported opposed|"
    "success failure|successful unsuccessful|possible impossible|legal illegal|happy sad|man woman|"
    "men women|boy girl|father mother|son daughter|brother sister|husband wife|he she|his her|"
    "him her|day night|morning evening|summer winter|war peace|life death|alive dead|friend enemy|"
    "public private|positive negative|domestic foreign|internal external|near far|same different|"
    "safe dangerous|cheap expensive|clean dirty|wet dry|deep shallow|wide narrow|thick thin|"
    "heavy light|loud quiet|rare common|simple complex|active passive|major minor|maximum minimum|"
    "majority minority|profit loss|gain lose|export import|arrive leave|arrived left|enter exit|"
    "remember forget|find lose|found lost|push pull|raise lower|raised lowered|build destroy|"
    "built destroyed|guilty innocent|healthy sick|present absent|today yesterday|still already"
)


# Words and signs apart; the encoder's tokenizer cuts there anyway, so blanks between do not matter.
_WORD = re.compile(r"\w+(?:['’.,:-]\w+)*|[^\w\s]")


def _opposites() -> dict[str, list[str]]:
    opposites: dict[str, list[str]] = {}
    for pair in _OPPOSITES.split("|"):
        one, other = pair.split()
        opposites.setdefault(one, []).append(other)
        opposites.setdefault(other, []).append(one)
    return opposites


OPPOSITES = _opposites()


def negated(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """`is` -> `is not`, and the other way round where there is a `not`."""
    lower = [word.lower() for word in words]
    if "not" in lower:
        at = lower.index("not")
        return words[:at] + words[at + 1 :]
    contracted = [at for at, word in enumerate(lower) if word.endswith(("n't", "n’t"))]
    if contracted:
        at = contracted[0]
        bare = {"can't": "can", "won't": "will"}.get(lower[at], words[at][:-3])
        return words[:at] + ([bare] if bare else []) + words[at + 1 :]
    places = [at for at, word in enumerate(lower) if word in AUXILIARIES]
    if not places:
        return None
    at = int(random.choice(places))
    return [*words[: at + 1], "not", *words[at + 1 :]]


def negated_subject(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """`a man is` -> `there is no man`, or a determiner -> `no`."""
    lower = [word.lower() for word in words]
    verbs = [at for at, word in enumerate(lower[:8]) if word in ("is", "are", "was", "were")]
    if verbs and lower[0] in DETERMINERS and random.random() < 0.5:
        at = verbs[0]
        return ["There", words[at], "no", *words[1:at], *words[at + 1 :]]
    places = [at for at, word in enumerate(lower) if word in DETERMINERS]
    if not places:
        return None
    at = int(random.choice(places))
    return [*words[:at], "No" if at == 0 else "no", *words[at + 1 :]]


def opposite(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """One word becomes its opposite."""
    places = [at for at, word in enumerate(words) if word.lower() in OPPOSITES]
    if not places:
        return None
    at = int(random.choice(places))
    return _replaced(words, at, str(random.choice(OPPOSITES[words[at].lower()])))


def another_word(words: Words, random: np.random.Generator, near: Neighbours) -> Words | None:
    """One content word becomes another that is used like it, but is no synonym."""
    places = [at for at, word in enumerate(words) if near.get(word.lower())]
    if not places:
        return None
    at = int(random.choice(places))
    return _replaced(words, at, str(random.choice(list(near[words[at].lower()]))))


def another_number(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """One number becomes another."""
    places = [at for at, word in enumerate(words) if re.search(r"\d", word)]
    if not places:
        return None
    at = int(random.choice(places))
    changed = re.sub(
        r"\d", lambda digit: str((int(digit[0]) + random.integers(1, 10)) % 10), words[at]
    )
    return [*words[:at], changed, *words[at + 1 :]]


def without_content(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """A content word is lost."""
    places = _content(words)
    if len(places) < 2:
        return None
    at = int(random.choice(places))
    return words[:at] + words[at + 1 :]


def without_preposition(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """A phrase loses its head: `danced in costume` -> `danced costume`."""
    places = [at for at, word in enumerate(words) if word.lower() in PREPOSITIONS]
    if not places or len(words) < 3:
        return None
    at = int(random.choice(places))
    return words[:at] + words[at + 1 :]


def without_phrase(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """Two to five words in a row are lost."""
    if len(words) < 6:
        return None
    length = int(random.integers(2, min(6, len(words) - 2)))
    at = int(random.integers(0, len(words) - length + 1))
    return words[:at] + words[at + length :]


def doubled_phrase(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """A phrase, by preference one with a preposition, stands twice."""
    if len(words) < 3:
        return None
    ends = len(words) - (words[-1] in (".", "!", "?"))
    places = [at for at in range(ends - 1) if words[at].lower() in PREPOSITIONS]
    at = int(random.choice(places)) if places else int(random.integers(0, ends - 1))
    end = min(ends, at + int(random.integers(2, 5)))
    return words[:end] + words[at:end] + words[end:]


def doubled_word(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """A word stands two to four times."""
    if not words:
        return None
    at = int(random.integers(0, len(words)))
    return words[:at] + [words[at]] * int(random.integers(2, 5)) + words[at + 1 :]


def swapped_chunks(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """The sentence is cut into two to four parts, which change places."""
    full = words[-1:] if words and words[-1] in (".", "!", "?") else []
    body = words[: len(words) - len(full)]
    if len(body) < 4:
        return None
    count = int(random.integers(2, min(5, len(body))))
    cuts = np.sort(random.choice(np.arange(1, len(body)), count - 1, replace=False)).tolist()
    parts = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    order = _derangement(len(parts), random)
    return [word for number in order for word in parts[number]] + full


def swapped_words(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """Two content words change places, such as subject and object."""
    places = [at for at in _content(words) if words[at].isalpha()]
    if len(places) < 2:
        return None
    first, second = sorted(random.choice(places, 2, replace=False).tolist())
    changed = _replaced(words, first, words[second].lower() if first == 0 else words[second])
    return _replaced(changed, second, words[first].lower() if first == 0 else words[first])


def shuffled(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """All words change places."""
    if len(words) < 4:
        return None
    return [words[at] for at in random.permutation(len(words))]


def one_word(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """One word over and over."""
    if len(words) < 2:
        return None
    return [words[int(random.integers(0, len(words)))]] * len(words)


def first_half(words: Words, random: np.random.Generator, _: Neighbours) -> Words | None:
    """The end is lost."""
    return words[: max(1, int(len(words) * random.uniform(0.3, 0.7)))] if len(words) > 3 else None


KINDS: dict[str, tuple[float, Corruption]] = {
    "negated": (2.0, negated),
    "negated subject": (2.0, negated_subject),
    "opposite": (2.0, opposite),
    "another word": (3.0, another_word),
    "another number": (0.5, another_number),
    "without content": (1.5, without_content),
    "without preposition": (2.0, without_preposition),
    "without phrase": (1.0, without_phrase),
    "doubled phrase": (2.0, doubled_phrase),
    "doubled word": (0.5, doubled_word),
    "swapped chunks": (2.0, swapped_chunks),
    "swapped words": (2.0, swapped_words),
    "shuffled": (1.0, shuffled),
    "one word": (0.3, one_word),
    "first half": (0.5, first_half),
}
"""How often each kind is drawn, and what it does; None where it does not apply."""


def corrupted(
    sentence: str, random: np.random.Generator, near: Neighbours
) -> tuple[str, str] | None:
    """The name of a kind, drawn at random, and the sentence spoilt by it; None where none applies."""
    words = _WORD.findall(sentence)
    names = list(KINDS)
    chances = np.array([KINDS[name][0] for name in names])
    for number in random.choice(len(names), 6, p=chances / chances.sum()):
        changed = KINDS[names[number]][1](words, random, near)
        if changed is not None and changed != words:
            return names[number], " ".join(changed)
    return None


def _content(words: Words) -> list[int]:
    return [at for at, word in enumerate(words) if len(word) > 2 and word.lower() not in _FUNCTION]


def _replaced(words: Words, at: int, word: str) -> Words:
    if words[at][:1].isupper():
        word = word[:1].upper() + word[1:]
    return [*words[:at], word, *words[at + 1 :]]


def _derangement(count: int, random: np.random.Generator) -> list[int]:
    """An order in which not everything is where it was."""
    while True:
        order: list[int] = random.permutation(count).tolist()
        if order != list(range(count)):
            return order

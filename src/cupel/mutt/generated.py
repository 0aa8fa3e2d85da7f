"""Corruptions made from any English text, by tags, chunks and phrases of its dependency trees.

Each maker takes a parsed sentence and returns a corrupted one, or None where the result would be
uncertain; the relations are those of spaCy's English models. A result is used only
if it passes a check of the two texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from random import Random

from cupel.errors import CupelError
from cupel.mutt.corruptions import CORRUPTIONS
from cupel.mutt.parsed import Parsed, is_part, words_of
from cupel.mutt.suites import Suite, Trial, TrialSet
from cupel.mutt.verbs import base_of_gerund, participle
from cupel.significance import DEFAULT_SEED
from cupel.syntax import Parser, TreeSource

_FINITE = ("MD", "VBZ", "VBP", "VBD")
_BE = ("is", "are", "was", "were")
_NOUNS = ("NN", "NNS")
_AMOUNTS = ("lot", "few", "bit", "couple", "number", "pair", "group", "variety", "series")
"""Nouns after which `a` is part of an amount, not a plain article."""
_NEGATIVE = frozenset("no not n't never nothing nobody none nowhere neither hardly".split())
_DEPENDENT = ("old", "right", "light", "short", "hard", "dry")
"""Adjectives whose antonym depends on the noun: an old man, an old bridge."""


def double_phrase(sentence: Parsed, random: Random) -> str | None:
    """Every prepositional phrase twice."""
    ends = {phrase.stop - 1: phrase for phrase in sentence.prepositional_phrases}
    parts: list[int] = []
    for word in range(len(sentence.tree)):
        parts += [word, *ends.get(word, ())]
    return sentence.spelled(parts) if ends else None


def remove_preposition(sentence: Parsed, random: Random) -> str | None:
    """The heads of all prepositional phrases left out."""
    heads = {phrase.start for phrase in sentence.prepositional_phrases}
    kept = [word for word in range(len(sentence.tree)) if word not in heads]
    return sentence.spelled(kept) if heads else None


def reorder_chunks(sentence: Parsed, random: Random) -> str | None:
    """The chunks in another order, by chance; a final stop stays where it is.

    Not in an order that exchanges chunks of the same kind: `A piano is playing a man` is fluent.
    """
    chunks = sentence.chunks
    alike = [sentence.tree.tags[chunk[-1]][:1] for chunk in chunks]
    if len(set(alike)) < 2:
        return None
    order = list(range(len(chunks)))
    while [alike[chunk] for chunk in order] == alike:
        random.shuffle(order)
    moved = [chunks[chunk] for chunk in order]
    stop = range(sentence.end, len(sentence.tree))
    return sentence.spelled(word for chunk in (*moved, stop) for word in chunk)


def negate_action(sentence: Parsed, random: Random) -> str | None:
    """`not` after the first auxiliary of the main verb, or after a main verb `be`."""
    tree, root = sentence.tree, sentence.tree.root
    subjects = sentence.children(root, "nsubj", "nsubjpass", "expl")
    auxiliaries = [c for c in sentence.children(root, "aux", "auxpass") if c < root]
    place = auxiliaries[0] if auxiliaries else root
    finite = tree.tags[place] in _FINITE and (auxiliaries or tree.words[root].lower() in _BE)
    negative = any(word.lower() in _NEGATIVE for word in tree.words)
    if not finite or not subjects or subjects[0] > place or negative:
        return None
    return sentence.spelled([*range(place + 1), "not", *range(place + 1, len(tree))])


def negate_subject(sentence: Parsed, random: Random) -> str | None:
    """`A man is playing` to `There is no man playing`."""
    tree, root = sentence.tree, sentence.tree.root
    subject = _phrase_of(sentence, root, "nsubj")
    auxiliaries = sentence.children(root, "aux")
    if subject is None or tree.tags[root] != "VBG" or len(auxiliaries) != 1:
        return None
    auxiliary = auxiliaries[0]
    article = tree.words[0].lower() in ("a", "an", "the") and len(subject) > 1
    if not article or subject.start or auxiliary != subject.stop:
        return None
    if tree.words[auxiliary].lower() not in ("is", "are") or sentence.children(root, "neg"):
        return None
    there = ["There", tree.words[auxiliary], "no"]
    return sentence.spelled([*there, *subject[1:], *range(auxiliary + 1, len(tree))])


def substitute_determiner(sentence: Parsed, random: Random) -> str | None:
    """The first `a` or `an` of a subject or object to `the`; the other way is not always English."""
    tree = sentence.tree
    for word, head in enumerate(tree.heads):
        plain = tree.relations[word] == "det" and tree.words[word].lower() in ("a", "an")
        role = tree.relations[head] in ("nsubj", "nsubjpass", "dobj") and tree.tags[head] == "NN"
        if plain and role and tree.words[head].lower() not in _AMOUNTS:
            return sentence.spelled([*range(word), "the", *range(word + 1, len(tree))])
    return None


def replace_by_antonym(sentence: Parsed, random: Random) -> str | None:
    """The first adjective or adverb whose commonest sense has an antonym (WordNet 3.0)."""
    tree = sentence.tree
    for word, tag in enumerate(tree.tags):
        opposite = antonym({"JJ": "a", "RB": "r"}.get(tag, ""), tree.words[word].lower())
        plain = tree.words[word].lower()
        if opposite is None or plain in _DEPENDENT or plain.endswith(("ing", "ed")):
            continue  # taggers take participles for adjectives
        before: list[int | str] = list(range(word))
        if word and tree.words[word - 1].lower() in ("a", "an"):
            before[-1] = "an" if opposite[0] in "aeiou" else "a"
        return sentence.spelled([*before, opposite, *range(word + 1, len(tree))])
    return None


def make_passive(sentence: Parsed, random: Random) -> str | None:
    """`A man is cutting a potato` to `A potato is being cut by a man`."""
    tree, root = sentence.tree, sentence.tree.root
    subject = _phrase_of(sentence, root, "nsubj")
    patient = _phrase_of(sentence, root, "dobj")
    auxiliaries = sentence.children(root, "aux")
    if subject is None or patient is None or subject.start or len(auxiliaries) != 1:
        return None
    if (auxiliaries[0], root, root + 1) != (subject.stop, subject.stop + 1, patient.start):
        return None
    if tree.tags[root] != "VBG" or tree.words[auxiliaries[0]].lower() not in _BE:
        return None
    bound = [tag in ("PRP", "PRP$", "WP", "WDT", "EX") for tag in tree.tags]
    tangled = sentence.children(root, "neg", "conj", "prt", "dative", "ccomp", "xcomp", "advcl")
    base = base_of_gerund(tree.words[root])
    if base is None or tangled or any(bound[w] for w in (*subject, *patient)):
        return None
    past = tree.words[auxiliaries[0]].lower() in ("was", "were")
    be = ("were" if past else "are") if _plural(sentence, "dobj") else ("was" if past else "is")
    verb = [be, "being", participle(base), "by"]
    rest = range(patient.stop, len(tree))
    return sentence.spelled([*patient, *verb, *subject, *rest])


def swap_roles(sentence: Parsed, random: Random) -> str | None:
    """Subject and object in each other's place, where both are nouns of the same number."""
    root = sentence.tree.root
    subject = _phrase_of(sentence, root, "nsubj")
    patient = _phrase_of(sentence, root, "dobj")
    if subject is None or patient is None or subject.stop > patient.start:
        return None
    if _plural(sentence, "nsubj") != _plural(sentence, "dobj"):
        return None
    tags = [sentence.tree.tags[word] for word in (*subject, *patient)]
    if any(tag in ("PRP", "PRP$", "WP", "WDT", "EX") for tag in tags):
        return None
    before, between = range(subject.start), range(subject.stop, patient.start)
    after = range(patient.stop, len(sentence.tree))
    return sentence.spelled([*before, *patient, *between, *subject, *after])


Maker = Callable[[Parsed, Random], str | None]
Check = Callable[[list[str], list[str]], bool]
MAKERS: dict[str, Maker] = {
    "neg_subj": negate_subject,
    "neg_verb": negate_action,
    "sem_opps": replace_by_antonym,
    "passive": make_passive,
    "det_sub": substitute_determiner,
    "double_PP": double_phrase,
    "remove_prep": remove_preposition,
    "swap_chunks": reorder_chunks,
    "shuffled": swap_roles,
}
"""By the names of `cupel.mutt.corruptions`. Synonymous phrases are not made: no word list says
which synonym fits a sentence."""


def _one_word(old: list[str], new: list[str]) -> tuple[str, str] | None:
    """The one word in which they differ, articles aside (`an old` becomes `a young`)."""
    differing = [
        (a, b) for a, b in zip(old, new, strict=False) if a != b and not {a, b} <= {"a", "an"}
    ]
    return differing[0] if len(differing) == 1 and len(old) == len(new) else None


def _is_doubled(old: list[str], new: list[str]) -> bool:
    return is_part(old, new) and len(new) > len(old) and set(new) == set(old)


def _has_one_not(old: list[str], new: list[str]) -> bool:
    places = [place for place, word in enumerate(new) if word == "not"]
    return any(new[:place] + new[place + 1 :] == old for place in places)


def _says_there_is_no(old: list[str], new: list[str]) -> bool:
    start = new[:3] in (["there", "is", "no"], ["there", "are", "no"])
    return start and is_part(new[3:], old)


def _has_new_article(old: list[str], new: list[str]) -> bool:
    return _one_word(old, new) in (("a", "the"), ("an", "the"))


def _has_antonym(old: list[str], new: list[str]) -> bool:
    pair = _one_word(old, new)
    return pair is not None and pair[1] in (antonym("a", pair[0]), antonym("r", pair[0]))


def _is_passive(old: list[str], new: list[str]) -> bool:
    return "being" in new and "being" not in old and "by" in new and len(new) == len(old) + 2


def _is_reordered(old: list[str], new: list[str]) -> bool:
    return sorted(old) == sorted(new)


CHECKS: dict[str, Check] = {
    "neg_subj": _says_there_is_no,
    "neg_verb": _has_one_not,
    "sem_opps": _has_antonym,
    "passive": _is_passive,
    "det_sub": _has_new_article,
    "double_PP": _is_doubled,
    "remove_prep": lambda old, new: len(new) < len(old) and is_part(new, old),
    "swap_chunks": _is_reordered,
    "shuffled": _is_reordered,
}
"""(words before, words after) -> whether the corruption is what its name says."""


def corrupt(name: str, sentence: Parsed, random: Random) -> str | None:
    """One corruption of one sentence, if it can be made and passes its check."""
    made = MAKERS[name](sentence, random)
    if made is None:
        return None
    old, new = words_of(sentence.text), words_of(made)
    return made if old != new and CHECKS[name](old, new) else None


def generated_suite(
    texts: Sequence[str],
    references: Sequence[Sequence[str]] | None = None,
    *,
    name: str = "generated",
    corruptions: Sequence[str] = tuple(MAKERS),
    trees: TreeSource | None = None,
    seed: int = DEFAULT_SEED,
) -> Suite:
    """Every corruption that can be made of every sentence, as trials.

    references: of each sentence, one or more; without them a sentence is its only reference,
    and the trials ask whether a metric notices the damage at all. trees: their source
    (default: the English parser).
    """
    for corruption in corruptions:
        if corruption not in MAKERS:
            raise CupelError(
                f"The corruption {corruption!r} cannot be made from text; those that can are "
                f"{', '.join(MAKERS)}."
            )
    if references is not None and len(references) != len(texts):
        raise CupelError(f"There are {len(texts)} sentences, but references for {len(references)}.")
    parses = (trees or Parser())(texts)
    random = Random(seed)
    made: dict[str, list[Trial]] = {corruption: [] for corruption in corruptions}
    for row, text in enumerate(texts):
        sentence = Parsed.of(text, parses[row])
        if sentence is None:
            continue
        given = (sentence.text,) if references is None else tuple(references[row])
        for corruption in corruptions:
            corrupted = corrupt(corruption, sentence, random)
            if corrupted is not None:
                made[corruption].append(Trial(sentence.text, corrupted, given))
    sets = [TrialSet(c, CORRUPTIONS[c].kind, tuple(made[c])) for c in corruptions if made[c]]
    if not sets:
        tried = "1 sentence was" if len(texts) == 1 else f"{len(texts)} sentences were"
        raise CupelError(
            f"No corruption could be made ({', '.join(corruptions)}): {tried} tried; the makers "
            "need English sentences with a verb, a prepositional phrase or several chunks."
        )
    unmade = [c for c in corruptions if not made[c]]
    remarks = [f"No {c} could be made; {len(texts)} sentences were tried." for c in unmade]
    return Suite(name, tuple(sets), tuple(remarks))


def antonym(part: str, word: str) -> str | None:
    """The antonym of a word's commonest sense, if it is mutual: big, little."""
    antonyms = _antonyms()
    opposite = antonyms.get((part, word))
    return opposite if opposite and antonyms.get((part, opposite)) == word else None


@cache
def _antonyms() -> dict[tuple[str, str], str]:
    text = (files("cupel") / "resources" / "mutt" / "antonyms.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return {(part, word): opposite for part, word, opposite in rows}


def _phrase_of(sentence: Parsed, head: int, relation: str) -> range | None:
    """The phrase of the head's only child with this relation, if a noun heads it."""
    children = sentence.children(head, relation)
    if len(children) != 1 or sentence.tree.tags[children[0]] not in _NOUNS:
        return None
    return sentence.phrase(children[0])


def _plural(sentence: Parsed, relation: str) -> bool:
    head = sentence.children(sentence.tree.root, relation)[0]
    return sentence.tree.tags[head] == "NNS" or bool(sentence.children(head, "conj"))

"""CoNLL-U, read and written: https://universaldependencies.org/format.html

A tree's words are the syntactic words (1, 2, 3); multi-word tokens (3-4) and empty nodes (8.1) are
kept beside it and written back, so that a file read and written is the same file. Several roots
are joined under the first; a cycle or a head out of range is refused with file and line. A block
that holds `# text =` and no words is an empty segment, which CoNLL-U has no other way to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError
from cupel.reading.lines import display_name, iterate_lines
from cupel.syntax.tree import ROOT, Tree, find_cycle, join_roots

COLUMNS = 10
_ID, _FORM, _LEMMA, _UPOS, _XPOS, _FEATS, _HEAD, _RELATION, _DEPS, _MISC = range(COLUMNS)
_BLANK = "_"
_NUMBER = re.compile(r"[0-9]+")  # not \d, which also takes the digits of other scripts
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_EMPTY_NODE = re.compile(r"([0-9]+)\.[0-9]+")
_TEXT = re.compile(r"#\s*text\s*=\s?(.*)")


@dataclass(frozen=True)
class MultiWord:
    """A token of the text that is several words of the tree: positions first to last, inclusive."""

    first: int
    last: int
    form: str
    row: str


@dataclass(frozen=True)
class Sentence:
    """A tree and all else that its block in the file holds.

    lines        the line of each word, from 1; `line` is that of the block
    extra        per word: lemma, universal tag, own tag, features, enhanced arcs, miscellany
    multiwords   tokens of the text that are several words
    empty_nodes  (number of words before it, the line as it was)
    """

    tree: Tree
    comments: tuple[str, ...] = ()
    line: int = 1
    lines: tuple[int, ...] = ()
    extra: tuple[tuple[str, ...], ...] = ()
    multiwords: tuple[MultiWord, ...] = ()
    empty_nodes: tuple[tuple[int, str], ...] = ()

    @property
    def tokens(self) -> list[str]:
        """The tokens of the text: words, and multi-word tokens in place of theirs."""
        starts = {multi.first: multi for multi in self.multiwords}
        tokens, word = [], 0
        while word < len(self.tree):
            multi = starts.get(word)
            tokens.append(multi.form if multi else self.tree.words[word])
            word = multi.last + 1 if multi else word + 1
        return tokens

    @property
    def text(self) -> str:
        """What the comment `# text =` says, else the tokens with blanks between them."""
        for comment in self.comments:
            if match := _TEXT.fullmatch(comment):
                return match[1]
        return " ".join(self.tokens)


def read_conllu(path: Path | str) -> list[Sentence]:
    """All sentences of a file (`.gz` and `-` too)."""
    return list(parse_conllu(iterate_lines(path), display_name(path)))


def parse_conllu(lines: Iterable[str], name: str) -> Iterator[Sentence]:
    """Sentences from the lines of a file that errors call `name`."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(lines, start=1):
        if line.strip():
            block.append(line)
        elif block:
            yield from _sentence(block, name, number - len(block))
            block = []
    if block:
        yield from _sentence(block, name, number - len(block) + 1)


def _sentence(block: Sequence[str], name: str, start: int) -> Iterator[Sentence]:
    comments = tuple(line for line in block if line.startswith("#"))
    rows: list[list[str]] = []
    places: list[int] = []
    multiwords: list[MultiWord] = []
    empty_nodes: list[tuple[int, str]] = []
    for place, line in enumerate(block, start=start):
        if line.startswith("#"):
            continue
        where = f"{name}, line {place}"
        fields = line.split("\t")
        if len(fields) != COLUMNS:
            raise CupelError(
                f"{where}: {COLUMNS} columns with tabs between them expected, {len(fields)} found."
            )
        if _NUMBER.fullmatch(fields[_ID]):
            if len(fields[_ID]) > 18 or int(fields[_ID]) != len(rows) + 1:
                raise CupelError(f"{where}: word {len(rows) + 1} expected, {fields[_ID]} found.")
            rows.append(fields)
            places.append(place)
        elif match := _RANGE.fullmatch(fields[_ID]):
            first, last = int(match[1]) - 1, int(match[2]) - 1
            if first != len(rows) or last < first:
                raise CupelError(
                    f"{where}: a multi-word token from word {len(rows) + 1} on expected, "
                    f"{fields[_ID]} found."
                )
            multiwords.append(MultiWord(first, last, fields[_FORM], line))
        elif _EMPTY_NODE.fullmatch(fields[_ID]):
            empty_nodes.append((len(rows), line))
        else:
            raise CupelError(f"{where}: {fields[_ID]!r} is not the number of a word.")
    if not rows and not any(_TEXT.fullmatch(comment) for comment in comments):
        return  # remarks between sentences
    _check_multiwords(multiwords, places, f"{name}, line {start}")
    yield Sentence(
        _tree(rows, name, places),
        comments,
        start,
        tuple(places),
        tuple((*row[_LEMMA:_HEAD], row[_DEPS], row[_MISC]) for row in rows),
        tuple(multiwords),
        tuple(empty_nodes),
    )


def _check_multiwords(multiwords: Sequence[MultiWord], places: Sequence[int], where: str) -> None:
    free = 0
    for multi in multiwords:
        if multi.first < free or multi.last >= len(places):
            raise CupelError(
                f"{where}: the multi-word token {multi.first + 1}-{multi.last + 1} overlaps "
                f"another or goes beyond the {len(places)} words of its sentence."
            )
        free = multi.last + 1


def _tree(rows: Sequence[Sequence[str]], name: str, places: Sequence[int]) -> Tree:
    heads = []
    for row, place in zip(rows, places, strict=True):
        if not _NUMBER.fullmatch(row[_HEAD]):
            raise CupelError(f"{name}, line {place}: the head {row[_HEAD]!r} is not a number.")
        # Python reads no number of thousands of digits.
        head = int(row[_HEAD]) - 1 if len(row[_HEAD]) < 20 else len(rows)
        if head >= len(rows):
            raise CupelError(
                f"{name}, line {place}: the head of {row[_FORM]!r} is word {row[_HEAD]}, but the "
                f"sentence has {len(rows)}."
            )
        heads.append(head)
    cycle = find_cycle(heads)
    if cycle:
        around = " -> ".join(rows[word][_FORM] for word in (*cycle, cycle[0]))
        raise CupelError(f"{name}, line {places[min(cycle)]}: the heads run in a circle: {around}.")
    joined, relations = join_roots(heads, [row[_RELATION] for row in rows])
    tags = (row[_XPOS] if row[_XPOS] != _BLANK else row[_UPOS] for row in rows)
    return Tree(tuple(row[_FORM] for row in rows), joined, relations, tuple(tags))


def format_sentence(sentence: Sentence | Tree, *comments: str) -> str:
    """The block of a sentence or bare tree, with the blank line that ends it."""
    if isinstance(sentence, Tree):
        sentence = Sentence(sentence)
    tree = sentence.tree
    bare = sentence.extra or tuple(
        (_BLANK, _BLANK, tag, _BLANK, _BLANK, _BLANK) for tag in tree.tags
    )
    lines = [*comments, *sentence.comments]
    ranges = {multi.first: multi.row for multi in sentence.multiwords}
    empty: dict[int, list[str]] = {}
    for after, row in sentence.empty_nodes:
        empty.setdefault(after, []).append(row)
    lines += empty.get(0, ())
    for word, (lemma, upos, xpos, features, deps, misc) in enumerate(bare):
        if word in ranges:
            lines.append(ranges[word])
        fields = (
            *(str(word + 1), tree.words[word], lemma, upos, xpos, features),
            *(str(tree.heads[word] + 1), tree.relations[word], deps, misc),
        )
        lines.append("\t".join(fields))
        lines += empty.get(word + 1, ())
    return "\n".join([*lines, "", ""])


def join_multiwords(sentence: Sentence) -> Tree:
    """The tree over the tokens of the text, for comparing with running text.

    A multi-word token whose words are its own letters (don't: do, n't) stays apart; one whose
    words are not (French du: de, le) becomes one word, with the head, relation and tag of the
    one of its words that is nearest to the root.
    """
    tree = sentence.tree
    join = [m for m in sentence.multiwords if "".join(tree.words[m.first : m.last + 1]) != m.form]
    if not join:
        return tree
    member = {word: multi for multi in join for word in range(multi.first, multi.last + 1)}
    kept: list[int] = []  # the word that stands for each new one
    fresh: dict[int, int] = {}
    for word in range(len(tree)):
        multi = member.get(word)
        if multi is None:
            kept.append(word)
        elif word == multi.first:
            inside = range(multi.first, multi.last + 1)
            # Its head lies nearer to the root than any word of the token: no cycle can come about.
            kept.append(min(inside, key=tree.depths.__getitem__))
        fresh[word] = len(kept) - 1
    forms = [member[word].form if word in member else tree.words[word] for word in kept]
    heads = [ROOT if tree.heads[word] == ROOT else fresh[tree.heads[word]] for word in kept]
    return Tree.of(
        forms, heads, [tree.relations[word] for word in kept], [tree.tags[word] for word in kept]
    )

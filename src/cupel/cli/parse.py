"""`cupel parse`: the dependency trees that syntactic metrics use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TextIO

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.questions.parse import Parse
    from cupel.syntax.conllu import Sentence


def run(question: Parse) -> None:
    """Parse, and print."""
    if question.text.lower().endswith((".conllu", ".conllu.gz")):
        sentences = _read_trees(question.text, question.heads)
    else:
        sentences = _parse_segments(question)
    with output.output(question.file) as stream:
        for number, sentence in enumerate(sentences, start=1):
            _print(stream, number, sentence, question.draw)


def _parse_segments(question: Parse) -> Iterator[Sentence]:
    from cupel.reading import read_lines
    from cupel.syntax import Parser
    from cupel.syntax.conllu import Sentence

    parse_all = Parser(question.parser, question.heads, question.tokenize)
    segments = read_lines(question.text)
    with output.progress_bar("Parsing") as progress:
        trees = parse_all(segments, progress)
    for row, text in enumerate(segments):
        line = " ".join(text.split())
        yield Sentence(trees[row], (f"# sent_id = {row + 1}", f"# text = {line}"))


def _read_trees(file: str, heads: str) -> Iterator[Sentence]:
    from cupel.syntax.conllu import read_conllu
    from cupel.syntax.heads import penn2malt, style_of

    sentences = read_conllu(file)
    if heads == "native":
        yield from sentences
        return
    style = style_of({name for s in sentences for name in s.tree.relations}, file)
    for sentence in sentences:
        yield replace(sentence, tree=penn2malt(sentence.tree, style))


def _print(stream: TextIO, number: int, sentence: Sentence, drawn: bool) -> None:
    from cupel.syntax.conllu import format_sentence
    from cupel.syntax.draw import draw

    if drawn:
        lines = filter(None, (f"{number}: {sentence.text}", draw(sentence.tree)))
        print(*lines, sep="\n", end="\n\n", file=stream)
    else:
        stream.write(format_sentence(sentence))

"""`cupel parse`: the dependency trees that syntactic metrics use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from cupel.cli import output
from cupel.cli.options import Out

if TYPE_CHECKING:
    from cupel.syntax.conllu import Sentence


class Heads(StrEnum):
    """The values of `--heads`."""

    native = "native"
    penn2malt = "penn2malt"


def parse(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Text with one segment per line, or trees (.conllu); - is standard input.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="spaCy model that parses: a package or a folder.",
            show_default="en_core_web_sm",
        ),
    ] = None,
    heads: Annotated[
        Heads,
        typer.Option(
            "--heads",
            help="Which word heads a phrase: the parser's choice, or the rules of Penn2Malt.",
        ),
    ] = Heads.native,
    tokenize: Annotated[
        str,
        typer.Option(
            "--tokenize", metavar="NAME", help="Tokenizer: spacy, or one such as ptb, 13a or none."
        ),
    ] = "spacy",
    drawn: Annotated[
        bool, typer.Option("--draw", help="Draw the trees as text instead of printing CoNLL-U.")
    ] = False,
    out: Out = None,
) -> None:
    """Parse text and print the dependency trees, one per segment, in CoNLL-U.

    Example: echo "I saw an ant with a magnifier" | cupel parse - --draw
    """
    if file.lower().endswith((".conllu", ".conllu.gz")):
        sentences = _read_trees(file, heads)
    else:
        sentences = _parse_segments(file, model, heads, tokenize)
    with output.output(out) as stream:
        for number, sentence in enumerate(sentences, start=1):
            _print(stream, number, sentence, drawn)


def _parse_segments(
    file: str, model: str | None, heads: Heads, tokenize: str
) -> Iterator[Sentence]:
    from cupel.reading import read_lines
    from cupel.syntax import Parser
    from cupel.syntax.conllu import Sentence

    parser = Parser(model, heads.value, tokenize)
    segments = read_lines(file)
    with output.progress_bar("Parsing") as progress:
        trees = parser(segments, progress)
    for row, text in enumerate(segments):
        line = " ".join(text.split())
        yield Sentence(trees[row], (f"# sent_id = {row + 1}", f"# text = {line}"))


def _read_trees(file: str, heads: Heads) -> Iterator[Sentence]:
    from cupel.syntax.conllu import read_conllu
    from cupel.syntax.heads import penn2malt, style_of

    sentences = read_conllu(file)
    if heads is Heads.native:
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

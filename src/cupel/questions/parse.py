"""What are the dependency trees of a text?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cupel.questions.field import option
from cupel.questions.groups import output_file
from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Parse(Question):
    """Parse text and print the dependency trees, one per segment, in CoNLL-U.

    Example: echo "I saw an ant with a magnifier" | cupel parse - --draw
    """

    command: ClassVar[str] = "parse"

    text: str = option(
        ...,
        "Text with one segment per line, or trees (.conllu); - is standard input.",
        role="input",
        metavar="FILE",
        argument=True,
    )
    parser: str | None = option(
        None,
        "spaCy model that parses: a package or a folder.",
        metavar="NAME",
        shown="en_core_web_sm",
    )
    heads: Literal["native", "penn2malt"] = option(
        "native", "Which word heads a phrase: the parser's choice, or the rules of Penn2Malt."
    )
    tokenize: str = option(
        "spacy", "Tokenizer: spacy, or one such as ptb, 13a or none.", metavar="NAME"
    )
    draw: bool = option(False, "Draw the trees as text instead of printing CoNLL-U.")
    file: Path | None = output_file()

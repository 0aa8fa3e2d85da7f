"""Test sets in `cupel score`: the options, what they print, and the corpus that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from cupel.cli import output
from cupel.cli.output import Format
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.data.test_sets import TestSet


def _option(*names: str, help: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*names, help=help, rich_help_panel="Test sets", **more)


Name = Annotated[
    str | None,
    _option(
        "--test-set",
        "-t",
        metavar="NAME",
        help="Score against this test set: a name of --list, several with commas, or a file in "
        "WMT's XML. Needs -l.",
    ),
]
Echo = Annotated[
    list[str] | None,
    _option(
        "--echo",
        metavar="FIELD...",
        help="Print fields of the test set: src, ref, docid, domain, origlang, ..., or all.",
    ),
]
ListSets = Annotated[
    bool,
    _option(
        "--list",
        help="List the test sets that are here and those that one command gets; with -t, the "
        "language pairs and fields of one.",
    ),
]
Subset = Annotated[
    str | None,
    _option(
        "--subset",
        metavar="REGEX",
        help="Use the documents whose domain matches, or whose id where there are no domains.",
    ),
]
Origlang = Annotated[
    str | None,
    _option(
        "--origlang",
        "-ol",
        metavar="LANG",
        help="Use the segments of this original language; non-LANG for all others.",
    ),
]
Cite = Annotated[
    bool, _option("--cite", "--citation", help="Print what to cite for the test set (BibTeX).")
]


@dataclass(frozen=True)
class Asked:
    """The values of these options."""

    name: str | None
    pair: str | None
    origlang: str | None
    subset: str | None
    echo: Sequence[str] | None
    list_sets: bool
    cite: bool


def answered(asked: Asked, form: Format, out: Path | None) -> bool:
    """Print what --list, --cite or --echo asks for; False where none does."""
    if asked.list_sets and asked.name is None:
        with output.output(out) as file:
            _print_list(asked.pair, form, file)
    elif asked.list_sets:
        with output.output(out) as file:
            _print_fields(_name_of(asked, "--list"), asked.pair, file)
    elif asked.cite:
        from cupel.data.test_sets.citations import citation

        with output.output(out) as file:
            for name in _name_of(asked, "--cite").split(","):
                print(citation(name), file=file)
    elif asked.echo:
        with output.output(out) as file:
            _name_of(asked, "--echo")
            for row in _test_set(asked).rows(asked.echo):
                print(*(text.rstrip() for text in row), sep="\t", file=file)
    else:
        return False
    return True


def chosen(
    asked: Asked, references: Sequence[str] | None, source: str | None, num_refs: int
) -> TestSet | None:
    """The test set to score against, or None where files are given instead."""
    if asked.name is None:
        for option, value in (("--origlang", asked.origlang), ("--subset", asked.subset)):
            if value is not None:
                _name_of(asked, option)
        return None
    if references:
        raise CupelError(
            f"The references come from the test set {asked.name} (-t): leave out {references[0]}, or -t."
        )
    if source is not None:
        raise CupelError(
            f"The source text comes from the test set {asked.name} (-t): leave out -s."
        )
    if num_refs > 1:
        raise CupelError("--num-refs is for a file of references: leave it out with -t.")
    return _test_set(asked)


def read_texts(
    test_set: TestSet | None,
    references: Sequence[str] | None,
    hypotheses: Sequence[str],
    source: str | None,
    *,
    names: Sequence[str] | None,
    num_refs: int,
    encoding: str,
) -> Corpus:
    """The corpus of the systems with the test set, or with the files that are named."""
    from cupel.reading import read_corpus, read_systems

    if test_set is not None:
        return test_set.corpus(read_systems(hypotheses, names, encoding))
    return read_corpus(
        references or [], hypotheses, source, names=names, num_refs=num_refs, encoding=encoding
    )


def _name_of(asked: Asked, option: str) -> str:
    if asked.name is None:
        raise CupelError(f"{option} needs a test set (-t); `cupel score --list` lists them.")
    return asked.name


def _test_set(asked: Asked) -> TestSet:
    from cupel.data.test_sets import load_test_set

    assert asked.name is not None
    return load_test_set(asked.name, asked.pair, origlang=asked.origlang, subset=asked.subset)


def _print_list(pair: str | None, form: Format, file: TextIO) -> None:
    from cupel.data.test_sets import list_test_sets

    rows = list_test_sets(pair)
    if form in (Format.json, Format.tsv):
        records = [
            {
                "name": row.name,
                "what": row.what,
                "pairs": " ".join(row.pairs),
                "here": row.place is not None,
                "place": row.place,
                "command": row.command,
            }
            for row in rows
        ]
        output.records(records, form, file)
        return
    here = [row for row in rows if row.place is not None]
    print("Test sets that are here:" if here else "No test set is here.", file=file)
    for row in here:
        print(f"{row.name:<20}: {row.what} ({', '.join(row.pairs)})", file=file)
    if len(here) < len(rows):
        print("Test sets that one command gets:", file=file)
        for row in rows:
            if row.command is not None:
                print(f"{row.name:<20}: {row.what} (`{row.command}`)", file=file)
    print(
        "`sacrebleu --list` names more; Cupel reads those that `sacrebleu --download NAME -l PAIR` has "
        "put into its cache.",
        file=file,
    )


def _print_fields(name: str, pair: str | None, file: TextIO) -> None:
    from cupel.data.test_sets import named_part, set_pairs

    for one in [pair] if pair is not None else set_pairs(name):
        part = named_part(name, one)
        print(f"{part.pair}: {', '.join(part.fields)}", file=file)

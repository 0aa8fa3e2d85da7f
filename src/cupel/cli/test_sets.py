"""Test sets in `cupel score`: what --list, --cite and --echo print."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from cupel.cli import output

if TYPE_CHECKING:
    from cupel.questions.score import Score


def print_asked(question: Score) -> bool:
    """Print what --list, --cite or --echo asks for; False where none does."""
    if not (question.list_sets or question.cite or question.echo):
        return False
    name, pair = question.test_set, question.language_pair
    with output.output(question.file) as file:
        if question.list_sets and name is None:
            _print_list(pair, question.format, file)
        elif name is None:
            raise AssertionError("the rules of the question ask for a test set")
        elif question.list_sets:
            _print_fields(name, pair, file)
        elif question.cite:
            from cupel.data.test_sets.citations import citation

            for part in name.split(","):
                print(citation(part), file=file)
        else:
            from cupel.data.test_sets import load_test_set

            test_set = load_test_set(name, pair, origlang=question.origlang, subset=question.subset)
            for row in test_set.rows(question.echo):
                print(*(text.rstrip() for text in row), sep="\t", file=file)
    return True


def _print_list(pair: str | None, form: str, file: TextIO) -> None:
    from cupel.data.test_sets import list_test_sets

    rows = list_test_sets(pair)
    if form != "text":
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

    for language_pair in [pair] if pair is not None else set_pairs(name):
        part = named_part(name, language_pair)
        print(f"{part.pair}: {', '.join(part.fields)}", file=file)

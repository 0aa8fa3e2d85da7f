"""`cupel metrics`: every metric, what it is, what it needs, and whether it is ready."""

from __future__ import annotations

import sys
from inspect import Parameter
from typing import TYPE_CHECKING, Any

from cupel.cli import output
from cupel.errors import CupelError

if TYPE_CHECKING:
    from cupel.questions.metrics import Metrics
    from cupel.registry import Entry


def run(question: Metrics) -> None:
    """Print the list, or the description of one metric."""
    from cupel.registry import entries, entry_of, unknown_metric

    if question.name is not None:
        entry = entry_of(question.name)
        if entry is None:
            raise CupelError(unknown_metric(question.name))
        _describe(entry, question.format)
        return
    by_name = entries()
    rows = [
        {
            "metric": entry.name,
            "what": entry.summary,
            "languages": entry.languages,
            "package": entry.package,
            "ready": entry.unready is None,
            "needs": entry.unready or "",
        }
        for entry in by_name.values()
    ]
    if question.format != "text":
        output.records(rows, question.format, sys.stdout)
        return
    longest = max(map(len, by_name))
    for row in rows:
        languages = "" if row["languages"] == "any" else f" [{row['languages']}]"
        print(f"{row['metric']:<{longest}}  {row['what']}{languages}")
        if row["needs"]:
            print(_filled(f"not ready: {row['needs']}", " " * (longest + 2)))
    print("\nOne metric in detail: cupel metrics NAME. A function of your own: -m module:function.")


def _describe(entry: Entry, form: str) -> None:
    sentences = entry.option_sentences
    options: list[dict[str, Any]] = [
        {
            "option": option.name,
            "default": None if option.default is Parameter.empty else option.default,
            "what": sentences.get(option.name, ""),
        }
        for option in entry.options.values()
    ]
    parts = entry.parts
    if form != "text":
        texts = {heading.lower().replace(" ", "_"): text for heading, text in parts.items()}
        about = {"metric": entry.name, "what": entry.summary, "package": entry.package}
        output.records(options, form, sys.stdout, **about, ready=entry.unready is None, **texts)
        return
    print(f"{_bold(entry.name)}: {entry.summary}")
    if entry.package != "cupel":
        print(f"Metric of the package {entry.package}.")
    if parts.get("Measures") == entry.summary:
        del parts["Measures"]
    if entry.unready:
        written = [parts["Needs"]] if "Needs" in parts else []
        parts["Needs"] = "\n\n".join([*written, f"Not ready: {entry.unready}"])
    for heading in ("Measures", "Use", "Needs", "Formula"):
        _print_part(heading, parts)
    if options:
        print(f"\n{_bold('Options')}, written {entry.name}:NAME=VALUE,NAME=VALUE")
    for option in options:
        default = "" if option["default"] is None else f" (default {_shown(option['default'])})"
        what = f": {option['what']}" if option["what"] else ""
        print(_filled(f"{option['option']}{default}{what}", "  ", "      "))
    for heading in ("Paper", "Equal to"):
        _print_part(heading, parts)


def _print_part(heading: str, parts: dict[str, str]) -> None:
    """A part under its heading; indented paragraphs, which are formulas, stay as they are."""
    if heading not in parts:
        return
    print(f"\n{_bold(heading)}")
    for number, paragraph in enumerate(parts[heading].split("\n\n")):
        print(end="\n" if number else "")
        print(paragraph if paragraph.startswith("    ") else _filled(paragraph, "  "))


def _bold(text: str) -> str:
    return f"{output.BOLD}{text}{output.PLAIN}" if sys.stdout.isatty() else text


def _filled(text: str, indent: str, further: str | None = None) -> str:
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(
        text,
        min(get_terminal_size((100, 24)).columns, 100),
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shown(value: object) -> str:
    """A default as it is written on the command line."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

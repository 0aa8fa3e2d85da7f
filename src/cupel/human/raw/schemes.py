"""Weights of marked errors: published schemes by name, or your own table.

A rule has a category pattern, a severity and a weight; the most specific pattern that matches counts.
A pattern is a category or its beginning up to a slash (`Fluency` covers `Fluency/Punctuation`), or `*`
for all, whatever the case. A severity that no rule has is an error.

    google    major 5, minor 1, minor Fluency/Punctuation 0.1, major Non-translation! 25, neutral 0
              (Freitag et al. 2021a; WMT20 to WMT22, en-de and zh-en); the weights that score_mqm of
              mt-metrics-eval applies, so that errors of the source count like others
    unbabel   minor 1, major 5, critical 10 (Rei et al. 2020, without their division by length; the
              weights of en-ru in WMT21, Freitag et al. 2021b)
    mqm-2     minor 1, major 5, critical 25, neutral 0 (Lommel et al. 2024)
    mqm-2015  minor 1, major 10, critical 100 (the default severities of the MQM definition of 2015)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError
from cupel.human.raw.annotations import NO_ERROR, Judgment, Notes
from cupel.reading.jsons import read_toml
from cupel.reading.lines import display_name
from cupel.reading.rows import read_table
from cupel.reading.segments import listed

Rules = Mapping[tuple[str, str], float]
"""(severity, category pattern) -> weight, both in lower case; the pattern `*` covers all."""
_NOTHING = {(NO_ERROR, "*"): 0.0, ("neutral", "*"): 0.0}
SCHEMES: dict[str, Rules] = {
    "google": {
        **_NOTHING,
        ("major", "*"): 5.0,
        ("minor", "*"): 1.0,
        ("minor", "fluency/punctuation"): 0.1,
        ("major", "non-translation!"): 25.0,
        ("major", "non-translation"): 25.0,
        # Tests of the raters' attention in Marot's files, no errors of the translation.
        ("hotw-test", "*"): 0.0,
    },
    "unbabel": {**_NOTHING, ("minor", "*"): 1.0, ("major", "*"): 5.0, ("critical", "*"): 10.0},
    "mqm-2": {**_NOTHING, ("minor", "*"): 1.0, ("major", "*"): 5.0, ("critical", "*"): 25.0},
    "mqm-2015": {**_NOTHING, ("minor", "*"): 1.0, ("major", "*"): 10.0, ("critical", "*"): 100.0},
}
_COLUMNS = ("category", "severity", "weight")


@dataclass(frozen=True)
class Scheme:
    """A named set of rules."""

    name: str
    rules: Rules

    def weight(self, category: str, severity: str) -> float | None:
        """The weight of an error; None where no rule has its severity."""
        level = severity.strip().lower()
        parts = category.strip().lower().split("/")
        while parts:
            weight = self.rules.get((level, "/".join(parts).strip()))
            if weight is not None:
                return weight
            parts.pop()
        return self.rules.get((level, "*"))

    def score(self, judgment: Judgment, notes: Notes) -> float:
        """Minus the sum of the weights: 0 for a translation without errors."""
        total = 0.0
        for error in judgment.errors:
            weight = self.weight(error.category, error.severity)
            if weight is None:
                weight = 0.0
                severities = sorted({severity for severity, _ in self.rules})
                notes.refuse(
                    f"{judgment.where}: the severity is {error.severity!r}, and the scheme "
                    f"{self.name} has weights for {listed(severities)} only; add it to a table of "
                    "your own (--scheme FILE)",
                    "errors of a severity without weight, counted as 0",
                )
            total += weight
        return 0.0 - total


def read_scheme(name: str) -> Scheme:
    """A scheme by its name, or from a `.tsv` or `.toml` file.

    TSV: the columns category, severity and weight. TOML: a table a severity, with category patterns
    and weights, as in `[minor]`, `"*" = 1`, `"Fluency/Punctuation" = 0.1`.
    """
    if name in SCHEMES:
        return Scheme(name, SCHEMES[name])
    suffix = Path(name).suffix.lower()
    if suffix not in (".tsv", ".toml"):
        raise CupelError(
            f"There is no scheme {name!r}; there are {', '.join(SCHEMES)}, or name a .tsv or .toml file."
        )
    rules = _from_toml(name) if suffix == ".toml" else _from_tsv(name)
    return Scheme(name, {(NO_ERROR, "*"): 0.0, **rules})


def _from_tsv(path: str) -> dict[tuple[str, str], float]:
    table = read_table(path, "\t")
    categories, severities, weights = (table.column(name) for name in _COLUMNS)
    rules: dict[tuple[str, str], float] = {}
    for row, (category, severity, cell) in enumerate(
        zip(categories, severities, weights, strict=True)
    ):
        key = severity.strip().lower(), category.strip().lower()
        if key in rules:
            raise CupelError(
                f"{table.where(row)}: there is a second weight for {severity!r} and {category!r}."
            )
        rules[key] = _number(cell, table.where(row))
    if not rules:
        raise CupelError(f"{table.file} has no weights.")
    return rules


def _from_toml(path: str) -> dict[tuple[str, str], float]:
    file = display_name(path)
    rules: dict[tuple[str, str], float] = {}
    for severity, weights in read_toml(path).items():
        if not isinstance(weights, dict):
            raise CupelError(
                f"{file}: {severity!r} is not a table; write [{severity}] and below it "
                '"CATEGORY" = WEIGHT.'
            )
        for category, weight in weights.items():
            where = f"{file}, [{severity}], {category!r}"
            rules[severity.strip().lower(), category.strip().lower()] = _number(weight, where)
    if not rules:
        raise CupelError(f"{file} has no weights.")
    return rules


def _number(cell: object, where: str) -> float:
    try:
        weight = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if isinstance(cell, bool) or not math.isfinite(weight):
        raise CupelError(f"{where}: the weight is {cell!r} where a number was expected.")
    return weight

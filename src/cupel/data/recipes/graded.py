"""Writing a graded campaign in the layout of mt-metrics-eval, one language pair after another.

    sources/PAIR.txt  references/PAIR.NAME.txt  system-outputs/PAIR/SYSTEM.txt
    documents/PAIR.docs  human-scores/PAIR.HUMAN.seg.score

Every text has one line per segment, with single spaces; a score that people did not give is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cupel.errors import CupelError


@dataclass(frozen=True)
class JudgedPair:
    """The segments of one language pair; entry i of each list belongs to segment i.

    references: by name; outputs and scores: by system, in the order in which they are written;
    documents: domain and document of each segment.
    """

    pair: str
    sources: Sequence[str]
    references: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    scores: Mapping[str, Sequence[float | None]]
    documents: Sequence[tuple[str, str]]


def write_pair(folder: Path, judged: JudgedPair, human: str) -> None:
    """Write the files of a language pair; `human` names the kind of score (mqm, da)."""
    _check_lengths(judged)
    pair = judged.pair
    _write(folder / "sources" / f"{pair}.txt", map(one_line, judged.sources))
    for name, lines in judged.references.items():
        _write(folder / "references" / f"{pair}.{name}.txt", map(one_line, lines))
    for system, lines in judged.outputs.items():
        _write(folder / "system-outputs" / pair / f"{system}.txt", map(one_line, lines))
    _write(folder / "documents" / f"{pair}.docs", map("\t".join, judged.documents))
    _write(
        folder / "human-scores" / f"{pair}.{human}.seg.score",
        (f"{system}\t{score}" for system in judged.outputs for score in judged.scores[system]),
    )


def one_line(text: str) -> str:
    """The text with single spaces, whatever white space it has."""
    return " ".join(text.split())


def _check_lengths(judged: JudgedPair) -> None:
    columns = {
        "documents": judged.documents,
        **{f"reference {name}": lines for name, lines in judged.references.items()},
        **{f"output of {name}": lines for name, lines in judged.outputs.items()},
        **{f"scores of {name}": scores for name, scores in judged.scores.items()},
    }
    for what, column in columns.items():
        if len(column) != len(judged.sources):
            raise CupelError(
                f"{judged.pair}: {len(judged.sources)} segments expected, as in the sources, "
                f"but {what}: {len(column)}."
            )


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")

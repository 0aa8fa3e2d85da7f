"""Expert MQM of WMT21: news (mqm21) and TED talks (ted21), zh-en and en-de.

Freitag and others, "Results of the WMT21 Metrics Shared Task" (WMT 2021). The table of the talks has
all texts, people's translations among the systems. Of the news, the published averages are taken,
and the texts from the systems' own repository: the table has only the judged documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cupel.data.converters.annotations import judged_pair, read_annotations
from cupel.data.converters.graded import JudgedPair, write_pair
from cupel.data.converters.sources import only
from cupel.errors import CupelError
from cupel.reading import iterate_lines, read_lines

_MQM = "google/wmt-mqm-human-evaluation"
_TEXTS = "wmt-conference/wmt21-news-systems"
_PAIRS = {"zh-en": "zhen", "en-de": "ende"}


def build_mqm21(sources: Mapping[str, Path], target: Path) -> None:
    """Texts of all systems with scores, and the published scores."""
    for pair, short in _PAIRS.items():
        scores = f"newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv"
        judged = _news(pair, sources[_TEXTS] / "txt", sources[_MQM] / scores)
        write_pair(target, judged, "mqm")


def build_ted21(sources: Mapping[str, Path], target: Path) -> None:
    """Everything from the table of annotations; `ref` is the reference."""
    for pair, short in _PAIRS.items():
        path = only(sources) / f"ted/{short}/mqm_ted_{short}.tsv"
        annotations = read_annotations(str(path), iterate_lines(path))
        judged = judged_pair(pair, annotations, {"refA": "ref"}, ("ref", "refB"), "ted21")
        write_pair(target, judged, "mqm")


def _news(pair: str, texts: Path, scores: Path) -> JudgedPair:
    """The systems in the order in which the scores name them."""
    source, target = pair.split("-")
    stem = f"newstest2021.{pair}"
    lines = read_lines(texts / "sources" / f"{stem}.src.{source}")
    references = {
        f"ref{path.name.removeprefix(f'{stem}.ref.')[0]}": read_lines(path)
        for path in sorted((texts / "references").glob(f"{stem}.ref.*"))
    }
    outputs = {
        path.name.removeprefix(f"{stem}.hyp.").removesuffix(f".{target}"): path
        for path in sorted((texts / "system-outputs").glob(f"{stem}.hyp.*"))
    }
    judgments = _scores(scores, list(outputs), len(lines))
    return JudgedPair(
        pair,
        lines,
        {name: text for name, text in references.items() if len(text) == len(lines)},
        {system: read_lines(outputs[system]) for system in judgments},
        judgments,
        [("mqm21", "doc")] * len(lines),
    )


def _scores(path: Path, systems: list[str], segments: int) -> dict[str, list[float | None]]:
    """Scores of these systems: `SYSTEM<tab>SCORE SEGMENT`, without regard to case; None where none."""
    by_name = {system.lower(): system for system in systems}
    scores: dict[str, list[float | None]] = {}
    for number, line in enumerate(iterate_lines(path), start=1):
        name, score, segment = [*line.split(), "", "", ""][:3]
        if number == 1 or name.lower() not in by_name:
            continue
        column = scores.setdefault(by_name[name.lower()], [None] * segments)
        try:
            place = range(1, segments + 1).index(int(segment))
            column[place] = None if score == "None" else float(score)
        except ValueError:
            raise CupelError(
                f"{path}, line {number}: a system, a score and a segment of {segments} were expected."
            ) from None
    return {system: column for system, column in scores.items() if set(column) != {None}}

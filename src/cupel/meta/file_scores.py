"""Scores of other metrics out of files, for the systems of one language pair.

Files of the WMT metrics task and of mt-metrics-eval (`.seg.score`, `.sys.score`, ...) are read as
such; all others, [NAME=]FILE[:COLUMN], are those of `cupel score --scores`: scores of segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.human.evalset_scores import Shape, is_evalset_layout, level_of, read_score_sets
from cupel.human.score_files import read_seg_scores, read_sys_scores
from cupel.human.scores import ScoreSet
from cupel.metrics.external import Source, external_scores, read_sources
from cupel.reading.given_scores import SCORE_KINDS
from cupel.reading.lines import iterate_lines
from cupel.reading.names import kind_of

Files = Sequence[str | Path]


def check_pairs(files: Files, pairs: Sequence[str]) -> None:
    """An error where a file has the scores of one language pair, and not just one is judged."""
    for file in (file for file in files if not _is_score_file(file)):
        if len(pairs) != 1:
            raise CupelError(
                f"{file} has the scores of one language pair, but {', '.join(pairs)} are judged: "
                "choose one (--pair), or give .seg.score files of the WMT metrics task, which name it."
            )


def file_scores(
    files: Files,
    lower: Sequence[str],
    pair: str,
    shape: Shape,
    corpus: Corpus,
    needed: Sequence[str],
) -> dict[str, ScoreSet]:
    """The metrics of score files, all files of a metric joined; `needed` systems must be there.

    lower: metrics of which lower is better, as `higher_is_better` of the result says. Where a
    metric has no file of systems, their scores are the means of the segments.
    """
    sets: dict[str, ScoreSet] = {}
    for file in (file for file in files if _is_score_file(file)):
        for scores in read_scores(file, pair, shape):
            for system in needed:
                if system not in scores.systems:
                    raise CupelError(
                        f"{file} has no scores of system {system!r} by {scores.name} for {pair}."
                    )
            joined = _joined(sets.get(scores.name), scores)
            sets[scores.name] = replace(joined, higher_is_better=scores.name not in lower)
    others = read_sources([file for file in files if not _is_score_file(file)], pair)
    for name, scores in _of_segments(others, lower, pair, corpus, needed).items():
        if name in sets:
            raise CupelError(f"The metric {name!r} is asked for twice.")
        sets[name] = scores
    if files and not sets:
        raise CupelError(f"The score files have no scores of {pair}.")
    return {
        name: scores if scores.system_scores else replace(scores, system_scores=scores.means())
        for name, scores in sets.items()
    }


def _is_score_file(file: str | Path) -> bool:
    """Whether it is to be read as a score file: no NAME and no COLUMN, and several fields a line."""
    name = str(file)
    if "=" in name and not Path(name).exists():
        return False
    kind = kind_of(name, SCORE_KINDS)
    if kind == "lines" and Path(name).is_file():
        return len(next(iter(iterate_lines(name)), "").split()) > 1
    return kind == "score"


def _of_segments(
    sources: Sequence[Source],
    lower: Sequence[str],
    pair: str,
    corpus: Corpus,
    needed: Sequence[str],
) -> dict[str, ScoreSet]:
    """The metrics of all other files, matched with the systems and segments of the corpus."""
    for source in sources:
        if source.table.ordered and len(source.table.systems) > 1:
            raise CupelError(
                f"{source.table.file} does not name its systems: give an .npz file with an array "
                "for each, or an array `systems` of their names."
            )
    if not sources:
        return {}
    labels = {source.label for source in sources}
    metrics, statistics = external_scores(
        sources,
        Corpus({system: corpus.systems[system] for system in needed}),
        [name for name in lower if name in labels],
    )
    return {
        name: ScoreSet(
            name,
            pair,
            dict(zip(needed, statistics[name][:, :, 0], strict=True)),
            higher_is_better=metric.higher_is_better,
        )
        for name, metric in metrics.items()
    }


def read_scores(file: Path | str, pair: str, shape: Shape) -> list[ScoreSet]:
    """The scores of one language pair in a score file: SYSTEM SCORE, or METRIC PAIR TESTSET ..."""
    level = level_of(file) or "segment"
    if not is_evalset_layout(file):
        systems = {pair: list(shape.systems)}
        if level == "system":
            return read_sys_scores(file, systems)
        return read_seg_scores(file, systems, {pair: shape.segments})
    above = Path(file).resolve().parent.name
    if (
        "-" in above
        and above != pair
        and Path(file).resolve().parent.parent.name == "metric-scores"
    ):
        return []  # the file of another language pair, as its folder says
    sets = read_score_sets([Path(file)], pair, "", shape, missing=False)
    return list(sets.values())


def _joined(first: ScoreSet | None, second: ScoreSet) -> ScoreSet:
    if first is None:
        return second
    return replace(
        first,
        segment_scores=second.segment_scores or first.segment_scores,
        document_scores=second.document_scores or first.document_scores,
        domain_scores=second.domain_scores or first.domain_scores,
        system_scores=second.system_scores or first.system_scores,
    )

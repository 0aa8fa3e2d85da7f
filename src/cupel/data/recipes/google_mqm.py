"""Expert MQM of WMT21: news (mqm21) and TED talks (ted21), zh-en and en-de.

Freitag and others, "Results of the WMT21 Metrics Shared Task" (WMT 2021). The table of the talks has
all texts, people's translations among the systems. Of the news, the published averages are taken,
and the texts from the systems' own repository: the table has only the judged documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cupel.data.recipes.annotations import judged_pair, read_annotations
from cupel.data.recipes.copying import write_readme
from cupel.data.recipes.graded import JudgedPair, write_pair
from cupel.data.recipes.recipe import Recipe, Repository
from cupel.errors import CupelError
from cupel.reading import iterate_lines, read_lines

MQM = Repository(
    "google/wmt-mqm-human-evaluation",
    "7fadea281aff8db61cc72fc3d469a4dca78b82a6",
    archive_bytes=50_000_000,
)
_WMT21 = Repository(
    "wmt-conference/wmt21-news-systems",
    "f41750dadbf2ba6ab01ca5380347d253298a3427",
    archive_bytes=120_000_000,
)
_PAIRS = {"zh-en": "zhen", "en-de": "ende"}

_NEWS_README = """\
# mqm21
newstest2021 (WMT21), zh-en and en-de: all segments, with expert MQM scores of those that were judged
(650 of zh-en for 8 systems, 527 of en-de for 7), averaged over raters; higher is better, None where
nobody judged. Layout: mt-metrics-eval's.
Built from google/wmt-mqm-human-evaluation (scores, Apache-2.0) and wmt-conference/wmt21-news-systems
(texts, free for research).
"""
_TALKS_README = """\
# ted21
TED talks of the WMT21 metrics task, zh-en and en-de: 529 segments, 13 systems each, with expert MQM
scores (major errors 5, minor 1, of punctuation 0.1, no translation at all 25; mean over raters,
negated). The reference is a person's translation that was judged beside the systems. Layout:
mt-metrics-eval's.
Built from google/wmt-mqm-human-evaluation (Apache-2.0).
"""


def build_mqm21(sources: Mapping[str, Path], target: Path) -> None:
    """Texts of all systems with scores, and the published scores."""
    for pair, short in _PAIRS.items():
        scores = f"newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv"
        judged = _news(pair, sources[_WMT21.name] / "txt", sources[MQM.name] / scores)
        write_pair(target, judged, "mqm")
    write_readme(target, _NEWS_README)


def build_ted21(sources: Mapping[str, Path], target: Path) -> None:
    """Everything from the table of annotations; `ref` is the reference."""
    for pair, short in _PAIRS.items():
        path = sources[MQM.name] / f"ted/{short}/mqm_ted_{short}.tsv"
        annotations = list(read_annotations(str(path), iterate_lines(path)))
        judged = judged_pair(pair, annotations, {"refA": "ref"}, ("ref", "refB"), "ted21")
        write_pair(target, judged, "mqm")
    write_readme(target, _TALKS_README)


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
    given = _scores(scores, list(outputs), len(lines))
    return JudgedPair(
        pair,
        lines,
        {name: text for name, text in references.items() if len(text) == len(lines)},
        {system: read_lines(outputs[system]) for system in given},
        given,
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
        of_system = scores.setdefault(by_name[name.lower()], [None] * segments)
        try:
            place = range(1, segments + 1).index(int(segment))
            of_system[place] = None if score == "None" else float(score)
        except ValueError:
            raise CupelError(
                f"{path}, line {number}: a system, a score and a segment of {segments} were expected."
            ) from None
    return {s: of for s, of in scores.items() if any(score is not None for score in of)}


READS = {
    "mqm21": {
        MQM.name: tuple(
            f"newstest2021/{short}/mqm_newstest2021_{short}.avg_seg_scores.tsv"
            for short in _PAIRS.values()
        ),
        _WMT21.name: tuple(
            f"txt/{part}/newstest2021.{pair}.*"
            for part in ("sources", "references", "system-outputs")
            for pair in _PAIRS
        ),
    },
    "ted21": {MQM.name: tuple(f"ted/{short}/mqm_ted_{short}.tsv" for short in _PAIRS.values())},
}
RECIPES = {
    "mqm21": Recipe("mqm21", (MQM, _WMT21), build_mqm21),
    "ted21": Recipe("ted21", (MQM,), build_ted21),
}

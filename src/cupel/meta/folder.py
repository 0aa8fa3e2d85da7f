"""What is judged in a campaign folder: which systems, people's scores, and metrics, at which level.

The rules are those of mt-metrics-eval: references that are used, human translations and outlier
systems are left out unless they are asked for; systems that nobody judged always; stored metrics that
read other references than those in use, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.corpus import Corpus
from cupel.errors import CupelError
from cupel.human.evalset import EvalSet, means, read_evalset, stored_names
from cupel.human.evalset_scores import Shape, metric_and_references
from cupel.human.scores import LEVELS
from cupel.meta.export import Written
from cupel.meta.file_scores import file_scores
from cupel.meta.graded import Graded
from cupel.meta.scorecache import Groups, MetricScores
from cupel.questions.judge import Judge
from cupel.reading.segments import nearest

Scored = Callable[[Corpus, Groups | None, str], dict[str, MetricScores]]
"""A corpus, groups of its segments and its language pair -> scores."""
ALL = "all"
_FIRST = ("mqm", "esa")  # the best that a campaign usually has


class Folder:
    """A campaign folder, of which each language pair is read and scored once, whatever is asked.

    stored: metrics whose score files are read. scored: how Cupel's own metrics score a corpus.
    """

    def __init__(self, path: Path | str, stored: Sequence[str], scored: Scored) -> None:
        self.path = Path(path)
        self.stored = None if ALL in stored else list(stored)
        self.scored = scored
        self._campaigns: dict[tuple[str, tuple[str, ...]], EvalSet] = {}
        self._scores: dict[tuple[str, tuple[str, ...]], dict[str, MetricScores]] = {}

    def campaign(self, pair: str, reference: Sequence[str] = ()) -> EvalSet:
        """Texts and scores of a language pair, with these references in use."""
        key = pair, tuple(reference)
        if key not in self._campaigns:
            self._campaigns[key] = read_evalset(self.path, pair, reference or None, self.stored)
        return self._campaigns[key]

    def scores(self, campaign: EvalSet) -> dict[str, MetricScores]:
        """The scores of Cupel's metrics; as groups those of documents, then of domains."""
        key = campaign.pair, campaign.used
        if key not in self._scores:
            parts = [*campaign.groups["document"].values(), *campaign.groups["domain"].values()]
            groups = {str(number): segments for number, segments in enumerate(parts)}
            self._scores[key] = self.scored(campaign.corpus, groups, campaign.pair)
        return self._scores[key]

    def written(self, pair: str, reference: Sequence[str]) -> Written:
        """The scores of Cupel's metrics of a language pair, for score files."""
        campaign = self.campaign(pair, reference)
        return Written(
            pair,
            list(campaign.corpus.systems),
            self.scores(campaign),
            campaign.used,
            list(campaign.references),
            list(campaign.groups["document"]),
            list(campaign.groups["domain"]),
        )


def graded_pair(folder: Folder, pair: str, question: Judge) -> Graded:
    """One language pair of a campaign folder, as it was asked for."""
    campaign = folder.campaign(pair, question.reference)
    level: str = question.level
    if question.statistic == "spa":
        level = "segment"  # it is about systems, but tests them on their segments
    elif level == "system" and question.domain:
        level = "domain"
    items = list(campaign.groups[level])
    kept, segments = np.arange(len(items)), np.arange(len(campaign.corpus))
    if question.domain:
        kept = campaign.in_domain(level, question.domain)
        segments = campaign.in_domain("segment", question.domain)
    gold = gold_name(campaign, folder.path, level, question.human)
    candidates = _candidates(campaign, question)
    human = campaign.human_scores(gold, level, candidates)[:, kept]
    judged = np.asarray(~np.isnan(human).all(axis=1))
    if question.systems and not judged.all():
        system = candidates[int(np.argmin(judged))]
        raise CupelError(f"Nobody judged system {system!r} of {pair} ({gold}, {level} level).")
    systems = [system for system, seen in zip(candidates, judged, strict=True) if seen]
    if not systems:
        raise CupelError(f"Nobody judged a system of {pair} that is to be used ({gold}).")
    scores = _all_scores(folder, campaign, level, systems, question)
    judgments = campaign.human[gold]
    return Graded(
        pair,
        human[judged],
        {name: values[:, kept] for name, values in scores.items()},
        level,
        tuple(systems),
        tuple(items[place] for place in kept),
        judgments.matrix(systems)[:, segments] if judgments.segment_scores else None,
        gold,
        campaign.corpus,
    )


def _all_scores(
    folder: Folder, campaign: EvalSet, level: str, systems: Sequence[str], question: Judge
) -> dict[str, FloatArray]:
    """metric -> (systems, items): Cupel's own, the folder's, and those of files."""
    scores = _own(folder.scores(campaign), campaign, level, systems)
    _check_stored(campaign, folder.path, level, systems, question)
    for name, values in {
        **_stored(campaign, level, systems, question),
        **_from_files(campaign, level, systems, question),
    }.items():
        if name in scores:
            raise CupelError(f"The metric {name!r} is asked for twice.")
        scores[name] = values
    return scores


def gold_name(campaign: EvalSet, folder: Path | str, level: str, asked: str | None) -> str:
    """The human scores that are used: as asked, as WMT does, else mqm, esa, or the first by name."""
    usable = [
        name for name, scores in campaign.human.items() if scores.at(level) or scores.segment_scores
    ]
    first = next((name for name in (*_FIRST, *usable) if name in usable), None)
    name = asked or campaign.standard.gold.get(level) or first
    if name not in campaign.human:
        raise CupelError(
            f"{folder} has no human scores {name!r} for {campaign.pair}; it has "
            f"{', '.join(campaign.human) or 'none'}."
        )
    if name not in usable:
        raise CupelError(
            f"{folder} has no human scores {name!r} at {level} level for {campaign.pair}; "
            f"{', '.join(usable) or 'none'} can be used there."
        )
    return name


def _candidates(campaign: EvalSet, question: Judge) -> list[str]:
    """The systems that may be used, in their order."""
    everything = list(campaign.corpus.systems)
    for system in question.systems:
        if system not in everything:
            raise CupelError(
                f"{campaign.pair} has no system {system!r}{nearest(system, everything)}"
            )
    if question.systems:
        return [system for system in everything if system in question.systems]
    left_out = set(question.close_references)
    if not question.include_human:
        left_out |= set(campaign.human_translations)
    if not question.include_outliers:
        left_out |= campaign.standard.outliers
    return [system for system in everything if system not in left_out]


def _own(
    scores: Mapping[str, MetricScores], campaign: EvalSet, level: str, systems: Sequence[str]
) -> dict[str, FloatArray]:
    """metric -> (systems, items), of Cupel's metrics."""
    rows = [list(campaign.corpus.systems).index(system) for system in systems]
    tables: dict[str, FloatArray] = {}
    for name, values in scores.items():
        groups = np.zeros((len(values.systems), 0)) if values.groups is None else values.groups
        documents, domains = np.split(groups, [len(campaign.groups["document"])], axis=1)
        of_level = {
            "segment": values.segments,
            "document": documents,
            "domain": domains,
            "system": values.systems[:, None],
        }
        tables[name] = of_level[level][rows]
    return tables


def _usable(campaign: EvalSet, question: Judge) -> dict[str, str]:
    """Stored metrics that read no other reference than those in use -> how tables call them."""
    primary = campaign.standard.primary
    labels: dict[str, str] = {}
    for full in campaign.metrics:
        base, used = metric_and_references(full, list(campaign.references))
        named = not primary or base in primary
        if used <= set(campaign.used) and (named or not question.primary):
            labels[full] = f"{'' if named else '*'}{base}" + ("" if used else "[noref]")
    names = list(labels.values())
    return {full: full if names.count(name) > 1 else name for full, name in labels.items()}


def _stored(
    campaign: EvalSet, level: str, systems: Sequence[str], question: Judge
) -> dict[str, FloatArray]:
    """metric -> (systems, items), of the folder's score files that have all systems, or zeros."""
    tables: dict[str, FloatArray] = {}
    for full, name in _usable(campaign, question).items():
        scores = campaign.metrics[full]
        complete = all(system in scores.at(level) for system in systems)
        if scores.at(level) and (complete or question.like_mtme):
            table = np.nan_to_num(scores.matrix(systems, level), nan=0.0)
            tables[name] = -table if name in question.lower else table
    return tables


def _check_stored(
    campaign: EvalSet, folder: Path, level: str, systems: Sequence[str], question: Judge
) -> None:
    """Every metric that is named must be there, against the references in use, at that level.

    Each that is used must have scores of all systems.
    """
    there, usable = stored_names(folder, campaign.pair), _usable(campaign, question)
    bases = {full: metric_and_references(full, list(campaign.references))[0] for full in there}
    for full in usable:
        rows = campaign.metrics[full].at(level)
        missing = [system for system in systems if rows and system not in rows]
        if missing and not question.like_mtme:
            raise CupelError(
                f"{folder / 'metric-scores' / campaign.pair / full}.{LEVELS[level]}.score has no "
                f"scores of system {missing[0]!r}; with --like-mtme they count as 0."
            )
    if ALL in question.stored and not there:
        raise CupelError(f"{folder} has no metric-scores/{campaign.pair}/NAME.seg.score.")
    for name in (name for name in question.stored if name != ALL):
        files = [full for full, base in bases.items() if name in (full, base)]
        if not files:
            raise CupelError(
                f"{folder} has no stored scores of {name!r} for {campaign.pair}"
                f"{nearest(name, [*bases.values(), *there])}"
            )
        of_level = [full for full in files if full in usable and campaign.metrics[full].at(level)]
        if of_level or question.primary:
            continue
        if not any(full in usable for full in files):
            raise CupelError(
                f"{folder} has no scores of {name} against {'.'.join(campaign.used)} for "
                f"{campaign.pair}; it has {', '.join(files)}."
            )
        raise CupelError(f"{folder} has no scores of {name} for {campaign.pair} at {level} level.")


def _from_files(
    campaign: EvalSet, level: str, systems: Sequence[str], question: Judge
) -> dict[str, FloatArray]:
    """metric -> (systems, items), of score files; means of segments where a level has no file."""
    shape = Shape(
        [*campaign.corpus.systems, *campaign.used],
        len(campaign.corpus),
        list(campaign.groups["document"]),
        list(campaign.groups["domain"]),
    )
    sets = file_scores(
        question.score_files, question.lower, campaign.pair, shape, campaign.corpus, systems
    )
    tables: dict[str, FloatArray] = {}
    for name, values in sets.items():
        sign = 1.0 if values.higher_is_better else -1.0
        if values.at(level):
            tables[name] = sign * values.matrix(systems, level)
        elif values.segment_scores:
            tables[name] = sign * means(values.matrix(systems), campaign.groups[level])
    return tables

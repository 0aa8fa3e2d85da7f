"""What is judged in a campaign folder: which systems, people's scores, and metrics, at which level.

The rules are those of mt-metrics-eval: references that are used, human translations and outlier
systems are left out unless they are asked for; systems that nobody judged always; stored metrics that
read other references than those in use, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from cupel.reading.segments import nearest

Scored = Callable[[Corpus, Groups | None, str], dict[str, MetricScores]]
"""A corpus, groups of its segments and its language pair -> scores."""
ALL = "all"
_FIRST = ("mqm", "esa")  # the best that a campaign usually has


@dataclass(frozen=True)
class Choice:
    """What `cupel.evaluate` is asked about a campaign folder, under the same names."""

    level: str = "segment"
    domain: str | None = None
    gold: str | None = None
    reference: Sequence[str] = ()
    close_references: Sequence[str] = ()
    systems: Sequence[str] = ()
    include_human: bool = False
    include_outliers: bool = False
    stored: Sequence[str] = ()
    primary: bool = False
    score_files: Sequence[str | Path] = ()
    lower: Sequence[str] = ()
    like_mtme: bool = False


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


def graded_pair(folder: Folder, pair: str, choice: Choice) -> Graded:
    """One language pair of a campaign folder, as it was asked for."""
    campaign = folder.campaign(pair, choice.reference)
    level = "domain" if choice.level == "system" and choice.domain else choice.level
    items = list(campaign.groups[level])
    kept = np.arange(len(items))
    if choice.domain:
        kept = campaign.in_domain(level, choice.domain)
    gold = gold_name(campaign, folder.path, level, choice.gold)
    candidates = _candidates(campaign, choice)
    human = campaign.human_scores(gold, level, candidates)[:, kept]
    judged = np.asarray(~np.isnan(human).all(axis=1))
    if choice.systems and not judged.all():
        system = candidates[int(np.argmin(judged))]
        raise CupelError(f"Nobody judged system {system!r} of {pair} ({gold}, {level} level).")
    systems = [system for system, seen in zip(candidates, judged, strict=True) if seen]
    if not systems:
        raise CupelError(f"Nobody judged a system of {pair} that is to be used ({gold}).")
    scores = _all_scores(folder, campaign, level, systems, choice)
    segments = np.arange(len(campaign.corpus))
    if choice.domain:
        segments = campaign.in_domain("segment", choice.domain)
    by_segment = scores
    if level != "segment":
        by_segment = _all_scores(folder, campaign, "segment", systems, choice)
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
        segments,
        {name: by_segment[name][:, segments] for name in scores if name in by_segment},
    )


def _all_scores(
    folder: Folder, campaign: EvalSet, level: str, systems: Sequence[str], choice: Choice
) -> dict[str, FloatArray]:
    """metric -> (systems, items): Cupel's own, the folder's, and those of files."""
    scores = _own(folder.scores(campaign), campaign, level, systems)
    if level == choice.level or (level == "domain" and choice.domain):
        _check_stored(campaign, folder.path, level, systems, choice)
    for name, values in {
        **_stored(campaign, level, systems, choice),
        **_from_files(campaign, level, systems, choice),
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


def _candidates(campaign: EvalSet, choice: Choice) -> list[str]:
    """The systems that may be used, in their order."""
    everything = list(campaign.corpus.systems)
    for system in choice.systems:
        if system not in everything:
            raise CupelError(
                f"{campaign.pair} has no system {system!r}{nearest(system, everything)}"
            )
    if choice.systems:
        return [system for system in everything if system in choice.systems]
    left_out = set(choice.close_references)
    if not choice.include_human:
        left_out |= set(campaign.human_translations)
    if not choice.include_outliers:
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


def _usable(campaign: EvalSet, choice: Choice) -> dict[str, str]:
    """Stored metrics that read no other reference than those in use -> how tables call them."""
    primary = campaign.standard.primary
    labels: dict[str, str] = {}
    for full in campaign.metrics:
        base, used = metric_and_references(full, list(campaign.references))
        named = not primary or base in primary
        if used <= set(campaign.used) and (named or not choice.primary):
            labels[full] = f"{'' if named else '*'}{base}" + ("" if used else "[noref]")
    names = list(labels.values())
    return {full: full if names.count(name) > 1 else name for full, name in labels.items()}


def _stored(
    campaign: EvalSet, level: str, systems: Sequence[str], choice: Choice
) -> dict[str, FloatArray]:
    """metric -> (systems, items), of the folder's score files that have all systems, or zeros."""
    tables: dict[str, FloatArray] = {}
    for full, name in _usable(campaign, choice).items():
        scores = campaign.metrics[full]
        complete = all(system in scores.at(level) for system in systems)
        if scores.at(level) and (complete or choice.like_mtme):
            table = np.nan_to_num(scores.matrix(systems, level), nan=0.0)
            tables[name] = -table if name in choice.lower else table
    return tables


def _check_stored(
    campaign: EvalSet, folder: Path, level: str, systems: Sequence[str], choice: Choice
) -> None:
    """Every metric that is named must be there, against the references in use, at that level.

    Each that is used must have scores of all systems.
    """
    there, usable = stored_names(folder, campaign.pair), _usable(campaign, choice)
    bases = {full: metric_and_references(full, list(campaign.references))[0] for full in there}
    for full in usable:
        rows = campaign.metrics[full].at(level)
        missing = [system for system in systems if rows and system not in rows]
        if missing and not choice.like_mtme:
            raise CupelError(
                f"{folder / 'metric-scores' / campaign.pair / full}.{LEVELS[level]}.score has no "
                f"scores of system {missing[0]!r}; with --like-mtme they count as 0."
            )
    if ALL in choice.stored and not there:
        raise CupelError(f"{folder} has no metric-scores/{campaign.pair}/NAME.seg.score.")
    for name in (name for name in choice.stored if name != ALL):
        files = [full for full, base in bases.items() if name in (full, base)]
        if not files:
            raise CupelError(
                f"{folder} has no stored scores of {name!r} for {campaign.pair}"
                f"{nearest(name, [*bases.values(), *there])}"
            )
        of_level = [full for full in files if full in usable and campaign.metrics[full].at(level)]
        if of_level or choice.primary:
            continue
        if not any(full in usable for full in files):
            raise CupelError(
                f"{folder} has no scores of {name} against {'.'.join(campaign.used)} for "
                f"{campaign.pair}; it has {', '.join(files)}."
            )
        raise CupelError(f"{folder} has no scores of {name} for {campaign.pair} at {level} level.")


def _from_files(
    campaign: EvalSet, level: str, systems: Sequence[str], choice: Choice
) -> dict[str, FloatArray]:
    """metric -> (systems, items), of score files; means of segments where a level has no file."""
    shape = Shape(
        [*campaign.corpus.systems, *campaign.used],
        len(campaign.corpus),
        list(campaign.groups["document"]),
        list(campaign.groups["domain"]),
    )
    sets = file_scores(
        choice.score_files, choice.lower, campaign.pair, shape, campaign.corpus, systems
    )
    tables: dict[str, FloatArray] = {}
    for name, values in sets.items():
        sign = 1.0 if values.higher_is_better else -1.0
        if values.at(level):
            tables[name] = sign * values.matrix(systems, level)
        elif values.segment_scores:
            tables[name] = sign * means(values.matrix(systems), campaign.groups[level])
    return tables

"""What is judged in a campaign folder: which systems, people's scores, and metrics, at which level.

The rules are those of mt-metrics-eval: references that are used, human translations and outlier
systems are left out unless they are asked for; systems that nobody judged always; stored metrics that
read other references than those in use, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from cupel.arrays import FloatArray
from cupel.console import warn
from cupel.errors import CupelError
from cupel.human.evalset import EvalSet, read_evalset, stored_names
from cupel.human.evalset_scores import Shape, metric_and_references
from cupel.human.scores import LEVELS, ScoreSet
from cupel.meta.export import Written, score_sets
from cupel.meta.file_scores import file_scores
from cupel.meta.graded import TESTS, Graded
from cupel.meta.scorecache import Part
from cupel.meta.scorer import Scorer
from cupel.meta.statistic import CALIBRATED
from cupel.questions.judge import Judge
from cupel.reading.segments import nearest

ALL = "all"
_FIRST = ("mqm", "esa")  # the best that a campaign usually has


class Folder:
    """A campaign folder, of which each language pair is read and scored once, whatever is asked.

    stored: metrics whose score files are read. scorer: of Cupel's own metrics.
    """

    def __init__(self, path: Path | str, stored: Sequence[str], scorer: Scorer) -> None:
        self.path = Path(path)
        self.stored = None if ALL in stored else list(stored)
        self.scorer = scorer
        self._campaigns: dict[tuple[str, tuple[str, ...]], EvalSet] = {}
        self._scores: dict[tuple[object, ...], dict[str, ScoreSet]] = {}
        self._notes: set[str] = set()

    def campaign(self, pair: str, reference: Sequence[str] = ()) -> EvalSet:
        """Texts and scores of a language pair, with these references in use."""
        key = pair, tuple(reference)
        if key not in self._campaigns:
            self._campaigns[key] = read_evalset(self.path, pair, reference or None, self.stored)
        return self._campaigns[key]

    def scores(self, campaign: EvalSet, part: Part | None = None) -> dict[str, ScoreSet]:
        """The scores of Cupel's metrics, of all levels, or of a part alone."""
        key: tuple[object, ...] = campaign.pair, campaign.used
        part = part or Part(tuple(campaign.corpus.systems))
        key += part.systems, None if part.segments is None else part.segments.tobytes()
        if key not in self._scores:
            documents = campaign.groups["document"]
            parts = [*documents.values(), *campaign.groups["domain"].values()]
            groups = {str(number): segments for number, segments in enumerate(parts)}
            scores = self.scorer(campaign.corpus, groups, campaign.pair, part)
            self._scores[key] = score_sets(scores, campaign.pair, part.systems, list(documents))
        return self._scores[key]

    def written(self, pair: str, reference: Sequence[str]) -> Written:
        """The scores of Cupel's metrics of a language pair, for score files."""
        campaign = self.campaign(pair, reference)
        domains, sets = list(campaign.groups["domain"]), self.scores(campaign)
        return Written(pair, sets, campaign.used, list(campaign.references), domains)

    def note(self, sentence: str) -> None:
        """Say it once."""
        if sentence not in self._notes:
            self._notes.add(sentence)
            warn(sentence)


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
    human = campaign.table(campaign.human[gold], level, candidates)[:, kept]
    judged = np.asarray(~np.isnan(human).all(axis=1))
    if question.systems and not judged.all():
        system = candidates[int(np.argmin(judged))]
        raise CupelError(f"Nobody judged system {system!r} of {pair} ({gold}, {level} level).")
    systems = [system for system, seen in zip(candidates, judged, strict=True) if seen]
    if not systems:
        raise CupelError(f"Nobody judged a system of {pair} that is to be used ({gold}).")
    # Score files have all systems, and tasks ask of several: then all are scored, once.
    part = None if question.write_scores or question.task else Part(tuple(systems))
    if part and level == "segment" and not _needs_all(question):
        seen = np.zeros(len(campaign.corpus), bool)
        seen[kept] = np.isfinite(human).any(axis=0)
        part = Part(part.systems, np.flatnonzero(seen))
    scores = _tables(folder, campaign, level, systems, question, part)
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


def _needs_all(question: Judge) -> bool:
    """Whether translations that nobody judged change an answer about segments.

    mt-metrics-eval counts them in Williams' test; and a test that chooses tie thresholds anew brings
    all scores of two metrics to one scale.
    """
    renewed = question.statistic in CALIBRATED and question.compare != "perm-pair-diff"
    return question.like_mtme or (renewed and question.compare in TESTS)


def _tables(
    folder: Folder,
    campaign: EvalSet,
    level: str,
    systems: Sequence[str],
    question: Judge,
    part: Part | None,
) -> dict[str, FloatArray]:
    """metric -> (systems, items), higher is better: computed, stored in the folder, and from files."""
    sets = dict(folder.scores(campaign, part))
    stored = _stored(folder, campaign, level, systems, question)
    shape = Shape(
        [*campaign.corpus.systems, *campaign.used],
        len(campaign.corpus),
        list(campaign.groups["document"]),
        list(campaign.groups["domain"]),
    )
    files = file_scores(
        question.score_files, question.lower, campaign.pair, shape, campaign.corpus, systems
    )
    for name, scores in (*stored.items(), *files.items()):
        if name in sets:
            raise CupelError(f"The metric {name!r} is asked for twice.")
        sets[name] = scores
    tables: dict[str, FloatArray] = {}
    for name, scores in sets.items():
        if not _has(scores, level):
            folder.note(f"{name} is left out on {campaign.pair}: it has no scores of {level}s.")
            continue
        tables[name] = campaign.table(scores, level, systems)
        if question.like_mtme and name in stored:
            tables[name] = np.nan_to_num(tables[name], nan=0.0)
    if not tables:
        raise CupelError(f"{folder.path} has no scores of metrics for {campaign.pair} to judge.")
    return tables


def _has(scores: ScoreSet, level: str) -> bool:
    return bool(scores.at(level) or scores.segment_scores)


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
    folder: Folder, campaign: EvalSet, level: str, systems: Sequence[str], question: Judge
) -> dict[str, ScoreSet]:
    """The stored metrics that are used, by the names that tables call them.

    Every metric that is named must be there, against the references in use, at that level. Each that
    is used must have scores of all systems.
    """
    there, usable = stored_names(folder.path, campaign.pair), _usable(campaign, question)
    bases = {full: metric_and_references(full, list(campaign.references))[0] for full in there}
    sets: dict[str, ScoreSet] = {}
    for full, name in usable.items():
        scores = campaign.metrics[full]
        used_level = level if scores.at(level) else "segment"
        rows = scores.at(used_level)
        missing = [system for system in systems if rows and system not in rows]
        if missing and not question.like_mtme:
            raise CupelError(
                f"{folder.path / 'metric-scores' / campaign.pair / full}.{LEVELS[used_level]}.score "
                f"has no scores of system {missing[0]!r}; with --like-mtme they count as 0."
            )
        sets[name] = replace(scores, higher_is_better=name not in question.lower)
    if ALL in question.stored and not there:
        raise CupelError(f"{folder.path} has no metric-scores/{campaign.pair}/NAME.seg.score.")
    for name in (name for name in question.stored if name != ALL):
        files = [full for full, base in bases.items() if name in (full, base)]
        if not files:
            raise CupelError(
                f"{folder.path} has no stored scores of {name!r} for {campaign.pair}"
                f"{nearest(name, [*bases.values(), *there])}"
            )
        used = [full for full in files if full in usable]
        if not used and not question.primary:
            raise CupelError(
                f"{folder.path} has no scores of {name} against {'.'.join(campaign.used)} for "
                f"{campaign.pair}; it has {', '.join(files)}."
            )
        if used and not any(_has(campaign.metrics[full], level) for full in used):
            raise CupelError(
                f"{folder.path} has no scores of {name} for {campaign.pair} at {level} level."
            )
    return sets

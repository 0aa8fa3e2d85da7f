"""How the question `Score` is answered: its metrics, its texts, and their scores.

The command line takes the same steps one by one, to print notes and progress in between.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cupel.errors import CupelError
from cupel.metric import REFERENCES, SOURCES, needs_of

if TYPE_CHECKING:
    from cupel.console import Progress
    from cupel.corpus import Corpus
    from cupel.data.test_sets import TestSet
    from cupel.engines.inputs import Inputs
    from cupel.metric import Metric
    from cupel.metrics.external import Source
    from cupel.questions.score import Score
    from cupel.scores import Scores

Options = dict[str, dict[str, object]]


def answer(question: Score) -> Scores:
    """The scores that the question asks for; nothing is written, and no gate is decided."""
    return Scoring(question).scores()


class Scoring:
    """What a question is about: each part is read or made when it is asked for, and once."""

    def __init__(self, question: Score) -> None:
        self.question = question

    @cached_property
    def test_set(self) -> TestSet | None:
        """The test set, or None where files are given instead."""
        q = self.question
        if q.test_set is None:
            return None
        from cupel.data.test_sets import load_test_set

        return load_test_set(q.test_set, q.language_pair, origlang=q.origlang, subset=q.subset)

    @cached_property
    def pair(self) -> str | None:
        """The language pair."""
        return self.question.language_pair if self.test_set is None else self.test_set.pair

    @cached_property
    def sources(self) -> list[Source]:
        """The scores that other programs computed; without any, nothing is imported."""
        if not self.question.scores:
            return []
        from cupel.metrics.external import read_sources

        return read_sources(self.question.scores, self.question.language_pair)

    @cached_property
    def asked_specs(self) -> list[str]:
        """The metrics as they are asked for."""
        q = self.question
        if q.metrics:
            return list(q.metrics)
        if q.flagged:
            return ready_checks(q.source is not None or q.test_set is not None)
        return [] if q.scores else ["bleu"]

    @cached_property
    def specs(self) -> list[str]:
        """The same for the target language."""
        if self.pair is None:
            return self.asked_specs
        from cupel.metrics.by_language import for_target

        return for_target(self.asked_specs, self.pair)

    @cached_property
    def options(self) -> Options:
        """Metric -> options: of sacreBLEU, those that the target language chooses, and trees."""
        options = metric_options(self.question)
        if self.pair is not None:
            from cupel.metrics.by_language import language_options

            chosen = language_options(self.specs, self.pair)
            if self.question.tokenize is not None:  # a tokenizer that was named stays
                chosen = {n: o for n, o in chosen.items() if "tokenize" not in options.get(n, {})}
            options = _joined(options, chosen)
        if self.question.trees is not None and self.specs:
            options = _joined(options, tree_options(self.specs, self.question.trees))
        return options

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics by their labels; an error where one lacks what the question does not give."""
        if not self.specs:
            return {}
        from cupel.registry import named_metrics

        metrics = named_metrics(self.specs, self.options)
        if self.question.flagged:
            _check_some_check(metrics)
        has_references = bool(self.question.references or self.question.test_set)
        for label, metric in metrics.items():
            if not has_references and REFERENCES in needs_of(metric):
                raise CupelError(
                    f"The argument REF is missing, and {label} needs references "
                    "(see `cupel score --help`)."
                )
        return metrics

    @cached_property
    def systems(self) -> tuple[list[str], list[str] | None]:
        """The files of the systems and their names, with the baseline of a gate as the first."""
        q = self.question
        systems, names = list(q.systems) or ["-"], list(q.names) or None
        base = q.not_worse_than
        if base is None:
            return systems, names
        if base not in systems:
            systems, names = [base, *systems], names and [Path(base).name, *names]
        at = systems.index(base)
        order = [at, *(i for i in range(len(systems)) if i != at)]
        if names is not None and len(names) == len(systems):
            names = [names[i] for i in order]
        return [systems[i] for i in order], names

    @cached_property
    def corpus(self) -> Corpus:
        """The texts: of the test set, of the files, or none where there are only other scores."""
        q = self.question
        if not (self.metrics or q.systems or q.references or q.test_set):
            from cupel.metrics.external import corpus_of

            return corpus_of(self.sources)
        from cupel.reading import read_corpus, read_systems

        systems, names = self.systems
        if self.test_set is not None:
            return self.test_set.corpus(read_systems(systems, names, q.encoding))
        return read_corpus(
            q.references, systems, q.source, names=names, num_refs=q.num_refs, encoding=q.encoding
        )

    @cached_property
    def inputs(self) -> Inputs:
        """The files, to be read block by block."""
        from cupel.engines.inputs import Inputs

        q, (systems, names) = self.question, self.systems
        return Inputs.of(
            q.references, systems, q.source, names=names, num_refs=q.num_refs, encoding=q.encoding
        )

    def scores(self, progress: Progress | None = None) -> Scores:
        """All texts scored at once."""
        from cupel.scoring import score_corpus

        return score_corpus(
            self.corpus,
            self.metrics,
            external=self.sources,
            lower=self.question.lower,
            workers=self.question.workers or 1,
            progress=progress,
        )


def metric_options(question: Score) -> Options:
    """Metric -> its options, for the metrics that have options of sacreBLEU."""
    bleu: dict[str, object] = {
        "lowercase": question.lowercase,
        "tokenize": question.tokenize or "13a",
        "smooth_method": question.smooth_method,
        "smooth_value": question.smooth_value,
    }
    chrf: dict[str, object] = {
        "char_order": question.chrf_char_order,
        "beta": question.chrf_beta,
        "whitespace": question.chrf_whitespace,
        "lowercase": question.chrf_lowercase,
        "eps_smoothing": question.chrf_eps_smoothing,
    }
    return {
        "bleu": {**bleu, **segment_options(question.segments)["bleu"]},
        "sentbleu": bleu,
        "bleucomp": {key: bleu[key] for key in ("lowercase", "tokenize")},
        "chrf": {**chrf, "word_order": question.chrf_word_order},
        "chrf++": chrf,
        "ter": {
            "case_sensitive": question.ter_case_sensitive,
            "asian_support": question.ter_asian_support,
            "no_punct": question.ter_no_punct,
            "normalized": question.ter_normalized,
        },
    }


def segment_options(segments: bool) -> Options:
    """Metric -> options that differ between segments and systems: effective order, as in sacreBLEU."""
    return {"bleu": {"effective_order": segments}}


def tree_options(specs: list[str], trees: str) -> Options:
    """Metric -> its option for trees, for each metric that reads them; at least one must."""
    from cupel.registry import entries

    readers = [name for name, entry in entries().items() if "trees" in entry.options]
    names = [name for name in (spec.partition(":")[0] for spec in specs) if name in readers]
    if not names:
        raise CupelError(
            f"None of these metrics reads trees (--trees); those that do are: {', '.join(readers)}."
        )
    return {name: {"trees": trees} for name in names}


def ready_checks(has_sources: bool) -> list[str]:
    """The checks that are ready, and whose sources are there."""
    from cupel.registry import list_metrics

    return [
        entry.name
        for entry in list_metrics()
        if entry.package == "cupel"
        and not entry.compares
        and entry.unready is None
        and (has_sources or SOURCES not in getattr(entry.make, "needs", ()))
    ]


def _check_some_check(metrics: dict[str, Metric]) -> None:
    from cupel.metrics.check import Check

    if not any(isinstance(metric, Check) for metric in metrics.values()):
        names = ", ".join(ready_checks(has_sources=True))
        raise CupelError(f"--flagged needs a check among the metrics: {names}.")


def _joined(options: Options, more: Options) -> Options:
    return {n: {**options.get(n, {}), **more.get(n, {})} for n in {*options, *more}}

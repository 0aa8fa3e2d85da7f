"""Cupel assays machine translations, and the metrics that judge them.

    >>> import cupel
    >>> scores = cupel.score(["the cat sat"], ["the cat sat down"], metrics=["bleu", "ter"])
    >>> scores["ter"]
    25.0

The names of `__all__` are the stable interface; docs/python.md says what each is for. They are
loaded at their first use: `import cupel` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from cupel import adapters as adapters
    from cupel import data as data
    from cupel import mutt as mutt
    from cupel.adapters.accumulator import Accumulator as Accumulator
    from cupel.alignments import Alignment as Alignment
    from cupel.batch import Batch as Batch
    from cupel.choosing.mbr import Choice as Choice
    from cupel.choosing.mbr import mbr as mbr
    from cupel.choosing.reranking import rerank as rerank
    from cupel.corpus import Corpus as Corpus
    from cupel.diagnose.prepare import diagnosis as diagnosis
    from cupel.engines import tables as tables
    from cupel.errors import CupelError as CupelError
    from cupel.human.judges import judges as judges
    from cupel.human.rankings import wmt_rankings as wmt_rankings
    from cupel.meaning import meanings as meanings
    from cupel.meta.campaign import evaluate as evaluate
    from cupel.meta.result import Evaluation as Evaluation
    from cupel.meta.task_results import TaskEvaluation as TaskEvaluation
    from cupel.meta.task_results import evaluate_tasks as evaluate_tasks
    from cupel.metric import Metric as Metric
    from cupel.metric import Signature as Signature
    from cupel.metrics.function import batched as batched
    from cupel.mutt.checking import CheckFailed as CheckFailed
    from cupel.mutt.checking import check as check
    from cupel.mutt.checking import unit_tests as unit_tests
    from cupel.planning import plan as plan
    from cupel.questions.judge import Judge as Judge
    from cupel.questions.score import Score as Score
    from cupel.reading.assemble import read_corpus as read_corpus
    from cupel.registry import get_metric as get_metric
    from cupel.registry import list_metrics as list_metrics
    from cupel.report import charts as charts
    from cupel.report.page import html_report as html_report
    from cupel.scores import Scores as Scores
    from cupel.scoring import align as align
    from cupel.scoring import score as score
    from cupel.syntax.parser import Parser as Parser
    from cupel.text.tokenizers import Tokenizer as Tokenizer
    from cupel.training import train as train
    from cupel.tuning.run import tune as tune

_HOMES = {
    "adapters": [],
    "adapters.accumulator": ["Accumulator"],
    "alignments": ["Alignment"],
    "batch": ["Batch"],
    "choosing.mbr": ["Choice", "mbr"],
    "choosing.reranking": ["rerank"],
    "corpus": ["Corpus"],
    "data": [],
    "diagnose.prepare": ["diagnosis"],
    "engines.tables": [],
    "errors": ["CupelError"],
    "human.judges": ["judges"],
    "human.rankings": ["wmt_rankings"],
    "meaning": ["meanings"],
    "meta.campaign": ["evaluate"],
    "meta.result": ["Evaluation"],
    "meta.task_results": ["TaskEvaluation", "evaluate_tasks"],
    "metric": ["Metric", "Signature"],
    "metrics.function": ["batched"],
    "mutt": [],
    "mutt.checking": ["CheckFailed", "check", "unit_tests"],
    "planning": ["plan"],
    "questions.judge": ["Judge"],
    "questions.score": ["Score"],
    "reading.assemble": ["read_corpus"],
    "registry": ["get_metric", "list_metrics"],
    "report.charts": [],
    "report.page": ["html_report"],
    "scores": ["Scores"],
    "scoring": ["align", "score"],
    "syntax.parser": ["Parser"],
    "text.tokenizers": ["Tokenizer"],
    "training": ["train"],
    "tuning.run": ["tune"],
}
"""Modules of this package and their names that are stable here; without names, the module itself."""

_MODULES = {
    name: home for home, names in _HOMES.items() for name in names or [home.rpartition(".")[2]]
}
__all__ = ["__version__", *sorted(_MODULES)]


if not TYPE_CHECKING:  # else a misspelt name would pass every type check

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'cupel' has no attribute {name!r}")
        from importlib import import_module

        module = import_module(f"cupel.{_MODULES[name]}")
        return getattr(module, name) if _HOMES[_MODULES[name]] else module


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

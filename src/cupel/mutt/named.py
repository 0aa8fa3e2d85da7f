"""Suites and metrics by the names that `cupel mutt` takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.metrics.by_language import metrics_for
from cupel.mutt import challenge
from cupel.mutt.suites import Suite, paper_suite, read_suite, sample_suite, sick_suite
from cupel.registry import MetricLike, by_label, entries, get_metric, listed

PAPER = {
    "CIDEr": "cider:tokenize=ptb,lowercase=yes",
    "BLEU": "bleu-coco",
    "ROUGE-L": "rouge-l:tokenize=ptb,lowercase=yes",
    "METEOR": "coco:metric=meteor",
    "BADGER": "badger",
    "TERp": "terp",
    "W2V-AVG": "w2v-avg:multiple=mean",
}
"""The metrics of Tables 4 to 7, and ROUGE-L of the released results, as the authors ran them:
the first four on COCO's caption text, the others on the text as it is."""

SUITES = {"mutt": paper_suite, "sick": sick_suite, "sample": sample_suite}
_FILES = {"sick": sick_suite, "demetr": challenge.demetr, "aces": challenge.aces}


def open_suite(name: str) -> Suite:
    """A suite by its name, or from a file.

    `mutt` has the paper's own trials, `sick` those that the templates find in SICK (`sick:FILE` in
    a file like it), `sample` is a small suite inside the package; a file is read as JSON lines, and
    `demetr:PATH` and `aces:FILE` are converted (see `cupel.mutt.challenge`).
    """
    if name in SUITES:
        return SUITES[name]()
    form, colon, path = name.partition(":")
    if colon and form in _FILES:
        return _FILES[form](path)
    if Path(name).is_file():
        return read_suite(name)
    raise CupelError(
        f"There is no suite {name!r}, and no file of that name; there are {', '.join(SUITES)}, "
        "files of JSON lines, sick:FILE, demetr:PATH and aces:FILE."
    )


def mutt_metrics(
    specs: Sequence[MetricLike] | MetricLike,
    warn: Callable[[str], None] | None = None,
    pair: str | None = None,
) -> dict[str, Metric]:
    """Metrics by label. `paper` stands for those of the paper, `all` for all that are ready.

    warn: called with a sentence for each metric that `all` leaves out because it is not ready. pair:
    the language pair, whose target language chooses metrics and their words.
    """
    if not specs:
        raise CupelError("There is no metric to test: name at least one, or `paper`, or `all`.")
    pairs: list[tuple[str, Metric]] = []
    for spec in listed(specs):
        if spec == "paper":
            pairs += [(label, get_metric(form)) for label, form in PAPER.items()]
        else:
            pairs += (ready_metrics(warn) if spec == "all" else metrics_for([spec], pair)).items()
    return by_label(pairs)


def ready_metrics(warn: Callable[[str], None] | None = None) -> dict[str, Metric]:
    """Every registered metric that gives one score and lacks nothing, as it scores captions."""
    ready: dict[str, Metric] = {}
    for name, entry in entries().items():
        if not entry.in_all:
            continue
        missing = entry.unready
        if missing is None:
            try:
                metric = get_metric(f"{name}:{entry.captions}" if entry.captions else name)
                metric.signature()  # which needs weights and tables to be there
                ready[name] = metric
            except CupelError as error:
                missing = str(error)
        if missing is not None and warn:
            warn(f"{name} is left out: {missing}")
    return ready

"""Metrics by the names that `cupel mutt -m` adds: `paper` and `all`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cupel.errors import CupelError
from cupel.metric import Metric
from cupel.registry import entries, get_metric
from cupel.scoring import named_metrics

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

_FORMS = {
    "cider": PAPER["CIDEr"],
    "rouge-l": PAPER["ROUGE-L"],
}
"""What `all` means by metrics that take the text as it is given by default."""

_LEFT_OUT = ("cider-d", "coco")
"""cider-d is cider, and coco is another metric on other text."""


def mutt_metrics(
    specs: Sequence[str], warn: Callable[[str], None] | None = None
) -> dict[str, Metric]:
    """Metrics by label. `paper` stands for those of the paper, `all` for all that are ready.

    warn: called with a sentence for each metric that `all` leaves out because it is not ready.
    """
    metrics: dict[str, Metric] = {}
    for spec in specs:
        if spec == "paper":
            by_label = {label: get_metric(form) for label, form in PAPER.items()}
        elif spec == "all":
            by_label = ready_metrics(warn)
        else:
            by_label = named_metrics([spec])
        for label, metric in by_label.items():
            if label in metrics:
                raise CupelError(f"The metric {label!r} is asked for twice.")
            metrics[label] = metric
    if not metrics:
        raise CupelError("There is no metric to test: name at least one, or `paper`, or `all`.")
    return metrics


def ready_metrics(warn: Callable[[str], None] | None = None) -> dict[str, Metric]:
    """Every registered metric that gives one score and lacks nothing."""
    metrics: dict[str, Metric] = {}
    for name, entry in entries().items():
        if name in _LEFT_OUT or hasattr(entry.make, "components"):
            continue
        missing = entry.unready
        if missing is None:
            try:
                metric = get_metric(_FORMS.get(name, name))
                metric.signature()  # which needs weights and tables to be there
                metrics[name] = metric
            except CupelError as error:
                missing = str(error)
        if missing is not None and warn:
            warn(f"{name} is left out: {missing}")
    return metrics

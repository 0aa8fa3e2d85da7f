"""Cupel assays machine translations, and the metrics that judge them.

    >>> import cupel
    >>> scores = cupel.score(["the cat sat"], ["the cat sat down"], metrics=["bleu", "ter"])
    >>> scores["ter"]
    25.0

Names are loaded at their first use: `import cupel` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from cupel.corpus import Corpus
    from cupel.errors import CupelError
    from cupel.metric import Metric, Signature
    from cupel.registry import get_metric
    from cupel.scores import Scores
    from cupel.scoring import score

__all__ = [
    "Corpus",
    "CupelError",
    "Metric",
    "Scores",
    "Signature",
    "__version__",
    "get_metric",
    "score",
]

_HOMES = {
    "Corpus": "cupel.corpus",
    "CupelError": "cupel.errors",
    "Metric": "cupel.metric",
    "Scores": "cupel.scores",
    "Signature": "cupel.metric",
    "get_metric": "cupel.registry",
    "score": "cupel.scoring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cupel' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)

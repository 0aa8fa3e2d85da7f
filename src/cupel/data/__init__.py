"""Named datasets: find, verify, add and load them.

>>> from cupel.data import sample
>>> len(sample())
40
"""

from cupel.data.add import add
from cupel.data.catalog import DATASETS, Dataset
from cupel.data.find import find
from cupel.data.load import (
    Trials,
    mutt_corruptions,
    mutt_trials,
    sample,
    wmt_corpus,
    wmt_pairs,
)
from cupel.data.verify import verify

__all__ = [
    "DATASETS",
    "Dataset",
    "Trials",
    "add",
    "find",
    "mutt_corruptions",
    "mutt_trials",
    "sample",
    "verify",
    "wmt_corpus",
    "wmt_pairs",
]

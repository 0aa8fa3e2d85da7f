"""Named datasets: get, find, verify, add and load them.

>>> from cupel.data import sample
>>> len(sample())
40
"""

from cupel.data.add import add
from cupel.data.catalog import DATASETS
from cupel.data.dataset import Dataset
from cupel.data.find import find
from cupel.data.get import get
from cupel.data.load import (
    Trials,
    mutt_corruptions,
    mutt_trials,
    sample,
    wmt_corpus,
    wmt_pairs,
)
from cupel.data.test_sets import load_test_set
from cupel.data.verify import verify

__all__ = [
    "DATASETS",
    "Dataset",
    "Trials",
    "add",
    "find",
    "get",
    "load_test_set",
    "mutt_corruptions",
    "mutt_trials",
    "sample",
    "verify",
    "wmt_corpus",
    "wmt_pairs",
]

"""Test sets by name, as in sacreBLEU, from what is on this machine: `cupel score -t NAME -l PAIR`.

A name is looked for as a file (WMT's XML), in sacreBLEU's cache, and among the datasets and what was
added to them. Nothing is downloaded.
"""

from cupel.data.test_sets.lookup import (
    Listed,
    list_test_sets,
    load_test_set,
    named_part,
    set_pairs,
)
from cupel.data.test_sets.test_set import Part, TestSet

__all__ = [
    "Listed",
    "Part",
    "TestSet",
    "list_test_sets",
    "load_test_set",
    "named_part",
    "set_pairs",
]

"""Unit tests for metrics (Boag et al. 2016): corruptions, trials, suites, the pytest plugin.

>>> from cupel.mutt import check
>>> check("chrf", suite="sample", thresholds={"neg_verb": 0.5}, corruptions=["neg_verb"]).passed
True

Names are loaded at their first use, because pytest imports this package whenever it starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cupel.mutt.checking import CheckFailed, check, unit_tests
    from cupel.mutt.corruptions import CORRUPTIONS, Kind
    from cupel.mutt.generated import generated_suite
    from cupel.mutt.named import open_suite
    from cupel.mutt.suites import Suite, Trial, TrialSet, read_suite, write_suite
    from cupel.mutt.trials import Formula, Results, run

__all__ = [
    "CORRUPTIONS",
    "CheckFailed",
    "Formula",
    "Kind",
    "Results",
    "Suite",
    "Trial",
    "TrialSet",
    "check",
    "generated_suite",
    "open_suite",
    "read_suite",
    "run",
    "unit_tests",
    "write_suite",
]

_HOMES = {
    "CORRUPTIONS": "corruptions",
    "CheckFailed": "checking",
    "Formula": "trials",
    "Kind": "corruptions",
    "Results": "trials",
    "Suite": "suites",
    "Trial": "suites",
    "TrialSet": "suites",
    "check": "checking",
    "generated_suite": "generated",
    "open_suite": "named",
    "read_suite": "suites",
    "run": "trials",
    "unit_tests": "checking",
    "write_suite": "suites",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'cupel.mutt' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"cupel.mutt.{_HOMES[name]}"), name)

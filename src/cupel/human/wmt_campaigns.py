"""What WMT's organisers name for each campaign: standard reference and gold, outliers, submissions.

The facts are those of google-research/mt-metrics-eval (resources/campaigns). They apply to a folder
that is called as the campaign is there: wmt22, wmt21.news ...
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Standard:
    """What a campaign uses for one language pair where nothing else is asked for.

    reference: the name of the standard reference. gold: level -> name of the human scores. outliers:
    systems that are left out. primary, baselines: names of metrics without their references.
    """

    reference: str | None = None
    gold: Mapping[str, str] = field(default_factory=dict)
    outliers: frozenset[str] = frozenset()
    primary: frozenset[str] = frozenset()
    baselines: frozenset[str] = frozenset()


def standard(folder: Path | str, pair: str) -> Standard:
    """The facts about a campaign folder and language pair; empty where WMT names none."""
    facts = _campaigns().get(Path(folder).resolve().name, {})
    if pair not in facts.get("pairs", ()):
        return Standard()
    own = facts | facts.get(pair, {})
    return Standard(
        own["reference"],
        own["gold"],
        *(frozenset(own[key]) for key in ("outliers", "primary", "baselines")),
    )


@cache
def _campaigns() -> dict[str, dict[str, Any]]:
    text = files("cupel").joinpath("resources", "campaigns", "campaigns.toml").read_text("utf-8")
    return tomllib.loads(text)

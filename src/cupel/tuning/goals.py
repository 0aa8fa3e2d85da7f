"""What a search maximises: agreement with people on systems, on segments, or the sum of both.

The papers' own measures (RED, section 4): on systems Spearman's rho by the printed formula,
1 - 6 sum d^2 / (n (n^2 - 1)), on segments Kendall's tau = (C - D) / (C + D). Each is averaged over
the language pairs. The WMT14 paper (section 2) names its goals for what the metric is then used
for: G.sys.1 and G.sent.1 are the sum, G.sys.2 rho alone, G.sent.2 tau alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cupel.errors import CupelError
from cupel.tuning.material import Agreement


@dataclass(frozen=True)
class Goal:
    """A weighted sum of rho on systems and tau on segments."""

    name: str
    systems: float
    segments: float

    def value(self, agreements: Sequence[Agreement]) -> float:
        """The mean over language pairs; minus infinity where a setting orders nothing at all."""
        total = 0.0
        if self.systems:
            rho = np.array([one.systems for one in agreements])
            total += self.systems * float(np.mean(rho[np.isfinite(rho)]))
        if self.segments:
            total += self.segments * float(np.mean([one.segments for one in agreements]))
        return total if np.isfinite(total) else -np.inf


GOALS = {
    goal.name: goal
    for goal in (Goal("sys+seg", 1.0, 1.0), Goal("sys", 1.0, 0.0), Goal("seg", 0.0, 1.0))
}
PAPERS_NAMES = {"G.sys.1": "sys+seg", "G.sys.2": "sys", "G.sent.1": "sys+seg", "G.sent.2": "seg"}


def goal_named(name: str) -> Goal:
    """A goal by its name, or by the one that it has in the WMT14 paper."""
    goal = PAPERS_NAMES.get(name, name)
    if goal not in GOALS:
        names = ", ".join([*GOALS, *PAPERS_NAMES])
        raise CupelError(f"There is no goal {name!r} to tune for; there are: {names}.")
    return GOALS[goal]

"""Parameter search: any metric that is `Tunable`, against human rankings."""

from cupel.tuning.goals import GOALS
from cupel.tuning.run import Tuned, tune

__all__ = ["GOALS", "Tuned", "tune"]

"""Parameter search: any metric that is `Tunable`, against human rankings."""

from cupel.tune.goals import GOALS
from cupel.tune.tuning import Tuned, tune

__all__ = ["GOALS", "Tuned", "tune"]

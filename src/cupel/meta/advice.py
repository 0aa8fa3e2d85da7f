"""Which metric to trust on the judgments at hand, or that they are too few to tell.

The metric that agrees best is compared with each other one: the difference d of their values, its error e
from paired resamples of k segments, and Student's t with k - 1 degrees of freedom, with p-values
corrected for the number of comparisons (Holm). As e falls with the root of the number of judgments n, a
difference of this size would be found significant in four of five campaigns of

    n ((t + 0.84) e / d)^2

judgments, with t for 5%.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from cupel.arrays import FloatArray
from cupel.meta.graded import Graded
from cupel.records import Row
from cupel.significance import corrected, spread, student, student_p_values

SMALL = 1000
"""Below so many judgments, `cupel meta` prints advice without being asked."""
LEVEL = 0.05
FOUR_OF_FIVE = 0.8416
HOPELESS = 20
"""If so many times the judgments were needed, the two may be as good as each other."""


@dataclass(frozen=True)
class Contest:
    """The best metric against another: difference with its 95% interval, corrected p, and verdict.

    verdict: better, or too few to tell. needed: the number of judgments that would probably tell.
    """

    best: str
    other: str
    difference: float
    low: float
    high: float
    p: float
    verdict: str
    needed: int | None


@dataclass(frozen=True)
class Advice:
    """What the judgments say. agrees: whether the best metric agrees with people at all."""

    best: str
    contests: tuple[Contest, ...]
    judgments: int
    segments: int
    agrees: bool

    def rows(self) -> list[Row]:
        """Flat records: best, other, difference, low, high, p, verdict, needed."""
        return [asdict(contest) for contest in self.contests]

    @property
    def undecided(self) -> list[str]:
        return [contest.other for contest in self.contests if contest.verdict != "better"]

    def sentences(self) -> list[str]:
        """The same for people."""
        counted = f"{self.judgments:,} judgments in {self.segments:,} segments"
        if not self.agrees:
            return [
                f"Too few to tell: {counted} do not show that any of these metrics agrees with people."
            ]
        worse = [contest.other for contest in self.contests if contest.verdict == "better"]
        if not self.undecided:
            rest = f": it agrees better with people than {_listed(worse)}" if worse else ""
            return [f"Trust {self.best} here{rest} ({counted})."]
        names = _listed([self.best, *self.undecided])
        first = f"Too few to tell which is best of {names} ({counted})"
        lines = [f"{first}; {_listed(worse)} agrees less." if len(worse) == 1 else
                 f"{first}; {_listed(worse)} agree less." if worse else f"{first}."]  # fmt: skip
        lines += [_more(contest) for contest in self.contests if contest.verdict != "better"]
        return lines


def _more(contest: Contest) -> str:
    about = (
        f"{contest.best} above {contest.other} by {contest.difference:.3f} "
        f"({contest.low:+.3f} to {contest.high:+.3f})"
    )
    if contest.needed is None:
        return f"{about}: they may be as good as each other."
    return f"{about}: about {contest.needed:,} judgments would tell."


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def advise(
    metrics: Sequence[str],
    values: FloatArray,
    replicates: FloatArray,
    judged: Sequence[Graded],
) -> Advice | None:
    """values (metrics,), replicates (resamples, metrics): of each metric; None without resamples."""
    usable = np.isfinite(values) & (np.isfinite(replicates).sum(0) > 1)
    segments = sum(pair.units for pair in judged)
    judgments = sum(int(np.isfinite(pair.drawn).sum()) for pair in judged)
    if not usable.any() or segments < 2:
        return None
    best = int(np.argmax(np.where(usable, values, -np.inf)))
    others = [at for at in np.argsort(-values, kind="stable").tolist() if usable[at] and at != best]
    differences = [float(values[best] - values[at]) for at in others]
    errors = [spread(replicates[:, best] - replicates[:, at], segments) for at in others]
    p_values = corrected(student_p_values(np.array(differences), np.array(errors), segments))
    tested = zip(others, differences, errors, p_values.tolist(), strict=True)
    contests = tuple(
        _contest(metrics[best], metrics[at], d, e, p, segments, judgments) for at, d, e, p in tested
    )
    half = student(0.975, segments) * spread(replicates[:, best], segments)
    return Advice(metrics[best], contests, judgments, segments, bool(values[best] > half))


def _contest(
    best: str, other: str, difference: float, error: float, p: float, segments: int, judgments: int
) -> Contest:
    t = student(0.975, segments)
    needed: int | None = None
    if p >= LEVEL and difference > 0:
        times = ((t + FOUR_OF_FIVE) * error / difference) ** 2
        # Where only the correction for many tests stands in the way, some more are needed as well.
        needed = _rounded(judgments * max(times, 1.1)) if times < HOPELESS else None
    verdict = "better" if p < LEVEL else "too few to tell"
    bounds = difference - t * error, difference + t * error
    return Contest(best, other, difference, *bounds, p, verdict, needed)


def _rounded(number: float) -> int:
    """Two digits, upwards."""
    digits = 10 ** max(0, int(np.floor(np.log10(number))) - 1)
    return int(np.ceil(number / digits) * digits)

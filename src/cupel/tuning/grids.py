"""The values that a search tries for each parameter.

`alpha=0.1:0.9:0.1` names first, last and step, `alpha=0.3,0.5` the values themselves, and
`alpha=0.5` fixes it. For a parameter without a grid, values from 0.1 to 0.9 are tried beside the
present one. The grid search goes from coarse to fine: 0.1, 0.5 and 0.9 in the first iteration, one
step of 0.2 to either side in the second, and one of 0.1 in all others. The genetic search tries
any value of two decimals.

0 and 1 are left out unless asked for, since they switch something off: a metric that looks at less
ties more translations, and tau = (C - D) / (C + D) does not see ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from cupel.errors import CupelError

COARSE = (0.1, 0.5, 0.9)
"""The values of the first iteration, beside the present one."""
STEPS = (0.2, 0.1)
"""To either side of the present value in the iterations after it; the last one stays."""
LOWEST, HIGHEST = 0.1, 0.9
MOST_VALUES = 1_000_000
_DECIMALS = 10
_FINEST = 2


@dataclass(frozen=True)
class Grids:
    """The values of parameters that were given a grid; all others move between 0.1 and 0.9."""

    given: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def narrowed(self) -> int:
        """The iteration from which steps have their smallest size."""
        return len(STEPS)

    def values(self, name: str, present: float, iteration: int) -> list[float]:
        """What the grid search tries in an iteration, in ascending order."""
        if name in self.given:
            return list(self.given[name])
        if iteration == 0:
            return sorted({present, *COARSE})
        step = STEPS[min(iteration, self.narrowed) - 1]
        near = (_clean(present - step), _clean(present + step))
        return sorted({present, *(value for value in near if LOWEST <= value <= HIGHEST)})

    def nearest(self, name: str, value: float) -> float:
        """The value of the parameter's grid that is nearest: where a search starts."""
        return min(self.given.get(name, (value,)), key=lambda one: abs(one - value))

    def snapped(self, name: str, place: float) -> float:
        """The value at a place from 0 to 1 of the parameter's range."""
        place = min(max(float(place), 0.0), 1.0)
        if name not in self.given:
            return round(LOWEST + (HIGHEST - LOWEST) * place, _FINEST)
        values = self.given[name]
        return values[min(int(place * len(values)), len(values) - 1)]

    def place(self, name: str, value: float) -> float:
        """Where in its range a value lies."""
        if name not in self.given:
            return (value - LOWEST) / (HIGHEST - LOWEST)
        values = self.given[name]
        return (values.index(self.nearest(name, value)) + 0.5) / len(values)


def read_grids(texts: Iterable[str], start: Mapping[str, float], metric: str) -> Grids:
    """Grids as written, checked against the parameters of the metric."""
    given: dict[str, tuple[float, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals:
            raise CupelError(
                f"A grid is written parameter=first:last:step or parameter=value,value,...; found "
                f"{text!r}."
            )
        check_parameter(name, start, metric)
        if name in given:
            raise CupelError(f"There are two grids for {name!r}.")
        given[name] = _values(name, values)
    for name, value in start.items():
        if name not in given and not 0 <= value <= 1:
            raise CupelError(
                f"The parameter {name!r} is {value:g}, not between 0 and 1: say what to try with "
                f"--grid {name}=first:last:step."
            )
    return Grids(given)


def check_parameter(name: str, start: Mapping[str, float], metric: str) -> None:
    """Raise an error for a parameter that the metric does not have."""
    if name not in start:
        raise CupelError(f"{metric} has no parameter {name!r} to tune; it has: {', '.join(start)}.")


def _values(name: str, text: str) -> tuple[float, ...]:
    try:
        if ":" not in text:
            values = tuple(dict.fromkeys(float(part) for part in text.split(",")))
            if not np.isfinite(values).all():
                raise ValueError
            return values
        first, last, step = map(float, text.split(":"))
    except ValueError:
        raise CupelError(
            f"The grid of {name!r} is first:last:step, or values with commas between them; found "
            f"{text!r}."
        ) from None
    if not step > 0 or not first <= last or not np.isfinite([first, last]).all():
        raise CupelError(
            f"The grid {text!r} of {name!r} is empty: first <= last and step > 0 were expected."
        )
    count = int(min((last - first) / step, MOST_VALUES) + 1e-9) + 1
    if count > MOST_VALUES:
        raise CupelError(
            f"The grid {text!r} of {name!r} has more than {MOST_VALUES:,} values: choose a wider step."
        )
    return tuple(_clean(first + step * number) for number in range(count))


def _clean(value: float) -> float:
    return round(value, _DECIMALS)

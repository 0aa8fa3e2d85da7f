"""What every training has: settings of the same names, and one record per epoch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from queue import Queue
from threading import Event, Thread
from typing import Any, TypeVar, cast

from cupel.errors import CupelError

Settings = TypeVar("Settings")


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """Settings that all trainings share; each metric adds its own, and chooses the defaults.

    epochs  passes over the training data, at most
    batch   examples of one step
    rate    learning rate of the optimizer
    decay   weight decay
    seed    of everything that is drawn at random
    device  cpu, cuda, cuda:1, ...; auto is the first GPU where there is one
    """

    epochs: int
    batch: int
    rate: float
    decay: float
    seed: int = 12345
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise CupelError(f"{name} must be 1 or more, not {getattr(self, name)}.")

    def record(self) -> dict[str, Any]:
        """Everything that determines the result: for a card, and to compare checkpoints by."""
        return {name: value for name, value in asdict(self).items() if name != "device"}


def settings_of(kind: type[Settings], question: object, /, **more: object) -> Settings:
    """Settings of that kind with the values of a question's fields of the same names, and `more`."""
    names = [field.name for field in fields(cast(Any, kind)) if field.name not in more]
    values = {name: getattr(question, name) for name in names if hasattr(question, name)}
    return kind(**values, **more)


@dataclass(frozen=True)
class Epoch:
    """What is reported after an epoch; figures: tau, pearson, ... on the development data."""

    epoch: int
    loss: float
    figures: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def record(self) -> dict[str, Any]:
        """As a line of the log."""
        return {
            "epoch": self.epoch, "loss": self.loss, **self.figures, "seconds": self.seconds,
        }  # fmt: skip

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Epoch:
        """The epoch of a line of the log."""
        figures = {k: v for k, v in record.items() if k not in ("epoch", "loss", "seconds")}
        return cls(record["epoch"], record["loss"], figures, record["seconds"])


Report = Callable[[Epoch], object]
"""Called after every epoch."""

Value = TypeVar("Value")


def ahead(values: Iterator[Value], count: int) -> Iterator[Value]:
    """The same values; a thread makes up to `count` of them while others are used."""
    made: Queue[tuple[bool, Any]] = Queue(count)
    ended = Event()

    def make() -> None:
        try:
            for value in values:
                made.put((True, value))
                if ended.is_set():
                    return
            made.put((False, None))
        except BaseException as error:
            made.put((False, error))

    Thread(target=make, daemon=True).start()
    try:
        while True:
            there, value = made.get()
            if there:
                yield value
            elif value is None:
                return
            else:
                raise value
    finally:
        ended.set()
        while not made.empty():  # the thread may wait for a place
            made.get_nowait()

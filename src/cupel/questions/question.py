"""What every question can do: be made from values, check itself, answer, and say what was asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, Self

from cupel.errors import CupelError
from cupel.questions.field import fields_of


@dataclass(frozen=True, kw_only=True)
class Question:
    """The base of all questions. Its subclasses declare fields, and nothing else but `rules`.

    command      the words that ask it on the command line
    first        names of the fields that most people need, in the order of the help text
    answered_by  the function that answers it, MODULE:NAME, imported when it is asked
    repeatable   whether `cupel again` may ask it: it prints rows, and writes nothing else
    """

    command: ClassVar[str]
    first: ClassVar[tuple[str, ...]] = ()
    answered_by: ClassVar[str] = ""
    repeatable: ClassVar[bool] = False

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Self:
        """The question with these values, each checked and converted by the type of its field."""
        fields = {field.name: field for field in fields_of(cls)}
        for name in values:
            if name not in fields:
                raise CupelError(f"`cupel {cls.command}` has no option named {name!r}.")
        converted = {}
        for name, raw in values.items():
            try:
                converted[name] = fields[name].value(raw)
            except ValueError as error:
                raise CupelError(
                    f"{fields[name].label} cannot be {raw!r} (see `cupel {cls.command} --help`): {error}."
                ) from None
        return cls(**converted)

    def rules(self) -> None:
        """Raise an error where values do not go together. One sentence says which and what to do."""

    def answer(self) -> Any:
        """The answer, as the Python function of the same question returns it."""
        if not self.answered_by:
            raise CupelError(
                f"`cupel {self.command}` prints or writes its answer: run the command."
            )
        self.rules()
        module, _, name = self.answered_by.partition(":")
        return getattr(import_module(module), name)(self)

    def values(self) -> dict[str, Any]:
        """All values by the names of the fields."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def changed(self) -> dict[str, Any]:
        """The values that differ from the defaults, by the names of the fields."""
        defaults = {field.name: field.default for field in fields_of(type(self))}
        return {n: v for n, default in defaults.items() if (v := getattr(self, n)) != default}

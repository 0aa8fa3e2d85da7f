"""Values of options that need no conversion, or a simple one.

Typer converts the value of every option by Pydantic, also those that are not given, and importing
that takes as long as scoring 50 segments. Text, defaults and names of choices are converted here;
whatever is left, such as numbers with limits, by Typer as ever.
"""

from __future__ import annotations

from enum import Enum
from typing import Any


def convert_plainly(parameters: list[Any]) -> list[Any]:
    """The parameters of a command, which do so where this version of Typer uses Pydantic."""
    for parameter in parameters:
        if getattr(parameter, "_runtime_param", parameter) is None:
            parameter._runtime_param = _PlainValue(parameter)
    return parameters


class _PlainValue:
    """In place of the object that converts the values of one parameter."""

    def __init__(self, parameter: Any) -> None:
        self._annotation = parameter.type_descriptor.annotation
        self._default = parameter.default

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        repeated = param.multiple or param.nargs == -1
        if value is None:
            return () if repeated else None
        if repeated and self._annotation == list[str] and not isinstance(value, str):
            return list(value)
        if not repeated and (value is self._default or self._annotation is str):
            return value
        choices = self._annotation if isinstance(self._annotation, type) else object
        if issubclass(choices, Enum) and value in [choice.value for choice in choices]:
            return choices(value)
        param._runtime_param = None
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)

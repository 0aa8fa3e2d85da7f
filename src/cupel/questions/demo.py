"""What does Cupel do?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cupel.questions.question import Question


@dataclass(frozen=True, kw_only=True)
class Demo(Question):
    """Show Cupel on embedded data: scores, agreement with people, and unit tests of metrics.

    Example: cupel demo
    """

    command: ClassVar[str] = "demo"

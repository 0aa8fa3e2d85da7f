"""What metrics of dependency trees share: HWCM, RED, REDp and DEPREF."""

from __future__ import annotations

from typing import ClassVar

from cupel.metric import SegmentMean


class Parsed(SegmentMean):
    """A metric with the options `parser` and `trees`."""

    parser: str | None
    trees: str | None

    languages: ClassVar[str] = "English; others with a parser or trees"
    higher_is_better = True
    costly = True
    longest = 100_000
    decimals = 4

    @property
    def made_for(self) -> str | None:
        """English, whose parser is the default; with another parser or trees, any language."""
        return "en" if self.parser is None and self.trees is None else None

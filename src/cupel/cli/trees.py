"""`--trees`: the user's trees for every metric of a command that reads trees."""

from __future__ import annotations

from collections.abc import Sequence

from cupel.errors import CupelError


def tree_options(specs: Sequence[str], trees: str | None) -> dict[str, dict[str, object]]:
    """Metric -> its option, for each metric that reads trees; at least one must."""
    if trees is None:
        return {}
    from cupel.registry import entries

    readers = [name for name, entry in entries().items() if "trees" in entry.options]
    names = [name for name in (spec.partition(":")[0] for spec in specs) if name in readers]
    if not names:
        raise CupelError(
            f"None of these metrics reads trees (--trees); those that do are: {', '.join(readers)}."
        )
    return {name: {"trees": trees} for name in names}

"""`--trees`: the user's own trees for every metric of a command that reads trees."""

from __future__ import annotations

from collections.abc import Sequence

from cupel.errors import CupelError


def tree_options(specs: Sequence[str], trees: str | None) -> dict[str, dict[str, object]]:
    """The option by the name of each metric that takes it; at least one must."""
    if trees is None:
        return {}
    from cupel.registry import entries

    known = entries()
    names = [spec.partition(":")[0] for spec in specs]
    found = [name for name in names if name in known and "trees" in known[name].options]
    if not found:
        able = ", ".join(name for name, entry in known.items() if "trees" in entry.options)
        raise CupelError(f"No metric here reads trees (--trees); those that do are: {able}.")
    return {name: {"trees": trees} for name in found}

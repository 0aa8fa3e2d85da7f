"""The rankings of WMT15 as the pack wmt15-rankings has them: one JSON object a ranking.

Each has the reference and up to five items, (system, text, rank): no other translations, and lines
only where people judged. Equal ranks are ties; systems that wrote the same share an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from cupel.errors import CupelError
from cupel.learned.assay.data.examples import JUDGED, LINES, TIED, Builder
from cupel.learned.assay.data.graded import LineNumbers, pack_folder
from cupel.learned.language_pairs import chosen_pairs
from cupel.reading.jsons import json_lines

JSON_RANKINGS = "wmt15-rankings"


def add_json_rankings(
    builder: Builder, campaign: int, outputs: bool, pairs: Sequence[str] | None = None
) -> int:
    """Add all preferences and ties; outputs: as translations to be taught, too."""
    folder = pack_folder(JSON_RANKINGS)
    available = sorted(path.stem for path in folder.glob("*.jsonl"))
    for pair in chosen_pairs(JSON_RANKINGS, available, pairs):
        number = LineNumbers()
        for place, row in json_lines(folder / f"{pair}.jsonl"):
            try:
                reference = str(row["reference"])
                ranks = [(str(text), int(rank)) for _, text, rank in row["items"]]
            except (KeyError, TypeError, ValueError) as error:
                raise CupelError(
                    f"{place}: a reference and items of system, text and rank were expected."
                ) from error
            segment = campaign * LINES + number(reference)
            items = [(builder.item(text, reference, segment), rank) for text, rank in ranks]
            for (one, rank), (other, its_rank) in combinations(items, 2):
                if one != other:
                    ordered = (one, other) if rank <= its_rank else (other, one)
                    builder.pairs.append((*ordered, TIED if rank == its_rank else JUDGED))
            if outputs:
                builder.outputs |= {item: None for item, _ in items}
        campaign += 1
    return campaign

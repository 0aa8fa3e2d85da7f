"""What to cite for a test set, as BibTeX: the entries of `resources/datasets/citations.toml`."""

from __future__ import annotations

from cupel.data.catalog import RESOURCES
from cupel.data.test_sets.sacrebleu_sets import sacrebleu_tables
from cupel.errors import CupelError
from cupel.reading.jsons import read_toml


def citation(name: str) -> str:
    """The BibTeX entry of a test set; for additions to a set of WMT, and for sets that are not listed
    here, the one that sacreBLEU has.
    """
    entry = sacrebleu_tables().get(name)
    text = str(entry.citation).strip() if entry is not None and entry.citation else ""
    papers = read_toml(RESOURCES / "datasets" / "citations.toml").values()
    ours = next((p["bibtex"] for p in papers if name.partition("/")[0] in p["sets"]), None)
    if text and (ours is None or "/" in name):
        return text + "\n}" * (text.count("{") - text.count("}"))  # some are not closed there
    if ours is None:
        raise CupelError(
            f"There is no citation for the test set {name!r}: see where it was published."
        )
    return str(ours)

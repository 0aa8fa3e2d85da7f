"""Write the table of datasets in docs/data.md again, from the catalog.

    python tools/data_page.py

The table stands between two comments, `<!-- datasets -->` and `<!-- /datasets -->`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cupel.data import DATASETS
from cupel.data.dataset import Dataset
from cupel.folders import write_text

PAGE = Path(__file__).resolve().parent.parent / "docs" / "data.md"
START, END = "<!-- datasets -->\n", "<!-- /datasets -->"
HEADER = (
    "dataset", "languages", "systems", "judgments", "good for", "licence", "download, on disk", "from"
)  # fmt: skip


def main() -> None:
    """Rewrite the page."""
    write_text(PAGE, page())


def page() -> str:
    """The page with the table as it is now."""
    before, start, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"{PAGE} has no place for the table.")
    return f"{before}{start}{table()}{end}{after}"


def table() -> str:
    """One row per dataset."""
    rows = [HEADER, ["---"] * len(HEADER), *(cells(dataset) for dataset in DATASETS.values())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def cells(dataset: Dataset) -> Iterator[str]:
    """The cells of a dataset's row."""
    yield f"`{dataset.name}`"
    yield from (dataset.languages, dataset.systems, dataset.judgments, dataset.used_for)
    yield dataset.licence
    yield f"{megabytes(download(dataset.name))}, {megabytes(dataset.size)} MB"
    yield ", ".join(
        f"[{place.name}](https://github.com/{place.name}/tree/{place.commit})"
        for place in dataset.repositories
    )


def download(name: str) -> int:
    """Bytes that come over the network: of each repository the files, or the archive if smaller."""
    sizes: dict[str, int] = {}
    for file in DATASETS[name].artifacts:
        sizes[file.repository] = sizes.get(file.repository, 0) + file.size
    repositories = DATASETS[name].repositories
    return sum(min(sizes[place.name], place.archive_bytes) for place in repositories)


def megabytes(size: int) -> str:
    """A number of bytes in megabytes, with two digits."""
    return f"{size / 1e6:.0f}" if size > 9.95e6 else f"{size / 1e6:.1f}"


if __name__ == "__main__":
    main()

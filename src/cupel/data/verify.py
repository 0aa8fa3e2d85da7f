"""Checking a dataset: are its files there, and do those that belong together have equal lengths?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cupel.data.dataset import Dataset, Expected
from cupel.data.find import dataset as dataset_of
from cupel.data.find import find
from cupel.data.load import REFERENCE_COUNTS, trials_in, wmt_files
from cupel.errors import CupelError
from cupel.folders import cache_folder, data_folder, sweep
from cupel.reading import iterate_lines, read_lines


@dataclass(frozen=True)
class Report:
    """The result of a check: the folder, and one sentence per problem."""

    name: str
    folder: Path
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def verify(name: str) -> Report:
    """Check the dataset of that name; a missing one is an error."""
    folder = find(name)
    return Report(name, folder, tuple(problems(dataset_of(name), folder)))


def problems(dataset: Dataset, folder: Path) -> list[str]:
    """Everything that is wrong with this folder as a copy of the dataset."""
    counter = _Counter(folder)
    sentences = [*missing_files(dataset, folder), *_wrong_lines(dataset, counter)]
    sentences += _ragged(dataset, counter)
    if dataset.kind == "mutt":
        sentences += _ragged_trials(dataset, folder)
    # Files are named inside the dataset: `add` checks a temporary copy.
    sentences += counter.unreadable
    return [sentence.replace(f"{folder}{os.sep}", "") for sentence in sentences]


def sweep_copies() -> None:
    """Remove the hidden copies that killed runs left where datasets are written."""
    from cupel.data.test_sets.sacrebleu_sets import ADDED

    for folder in (data_folder(), data_folder() / ADDED, cache_folder() / "data"):
        sweep(folder)


def missing_files(dataset: Dataset, folder: Path) -> list[str]:
    """The patterns whose number of files is not the expected one."""
    return [
        f"{expected.pattern}: {_files(expected.count)} expected, {number} found."
        for expected in dataset.files
        if (number := len(_matches(expected, folder))) != expected.count
    ]


class _Counter:
    """Lines of files, each read once; a file that cannot be read is noted instead."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unreadable: list[str] = []
        self._counts: dict[Path, int | None] = {}

    def __call__(self, path: Path) -> int | None:
        if path not in self._counts:
            self._counts[path] = self._count(path) if path.is_file() else None
        return self._counts[path]

    def _count(self, path: Path) -> int | None:
        try:
            return len(read_lines(path))
        except CupelError as error:
            self.unreadable.append(str(error))
            return None

    def named(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()


def _wrong_lines(dataset: Dataset, count: _Counter) -> Iterator[str]:
    for expected in dataset.files:
        for path in _matches(expected, count.folder):
            lines = count(path)
            if lines == 0:
                yield f"{count.named(path)} is empty."
            elif lines is not None and expected.lines not in (None, lines):
                yield f"{count.named(path)}: {expected.lines} lines expected, {lines} found."


def _ragged(dataset: Dataset, count: _Counter) -> Iterator[str]:
    """Texts and documents with another number of lines than those that they belong to, and scores."""
    reported: set[str] = set()
    for pair in dataset.pairs:
        for reference, path in _together(dataset, pair, count.folder):
            sentence = _mismatch(reference, path, count)
            # Pairs share references and sources, so a mismatch may come up again.
            if sentence and sentence not in reported:
                reported.add(sentence)
                yield sentence
        if dataset.kind == "graded":
            yield from _unfit_scores(pair, count)


def _together(dataset: Dataset, pair: str, folder: Path) -> Iterator[tuple[Path, Path]]:
    """(text, another one) of which every line belongs to the same line of the other."""
    if dataset.kind == "wmt":
        parts = wmt_files(folder, dataset.name, pair)
        yield from ((parts.reference, path) for path in (parts.source, *parts.systems.values()))
    elif dataset.kind == "graded":
        texts = (
            f"references/{pair}.*.txt",
            f"system-outputs/{pair}/*.txt",
            f"documents/{pair}.docs",
        )
        paths = sorted(path for pattern in texts for path in folder.glob(pattern))
        yield from ((folder / "sources" / f"{pair}.txt", path) for path in paths)


def _unfit_scores(pair: str, count: _Counter) -> Iterator[str]:
    source = count.folder / "sources" / f"{pair}.txt"
    systems = {path.stem for path in count.folder.glob(f"system-outputs/{pair}/*.txt")}
    for path in sorted(count.folder.glob(f"human-scores/{pair}.*.seg.score")):
        yield from _wrong_scores(path, systems, source, count)


def _wrong_scores(path: Path, systems: set[str], source: Path, count: _Counter) -> Iterator[str]:
    """Each system must have an output and as many scores as the source has lines."""
    lines = count(source)
    if lines is None or count(path) is None:
        return
    scores = Counter(line.partition("\t")[0] for line in iterate_lines(path))
    for system, number in scores.items():
        if system not in systems:
            yield f"{count.named(path)}: there is no output of the system {system!r}."
        elif number != lines:
            yield (
                f"{count.named(path)}: {lines} scores of {system} expected, as in "
                f"{count.named(source)}, {number} found."
            )


def _mismatch(reference: Path, path: Path, count: _Counter) -> str | None:
    expected, lines = count(reference), count(path)
    if expected is None or lines is None or expected == lines:
        return None
    return (
        f"{count.named(path)}: {expected} lines expected, as in {count.named(reference)}, "
        f"{lines} found."
    )


def _ragged_trials(dataset: Dataset, folder: Path) -> Iterator[str]:
    for corruption, counts in dataset.parts.items():
        for references in REFERENCE_COUNTS:
            parts = ("a", "b", f"r{references}")
            if not all(
                (folder / "trials" / f"{corruption}_{part}.json").is_file() for part in parts
            ):
                continue  # already reported as a missing file
            try:
                number = len(trials_in(folder, corruption, references))
            except CupelError as error:
                yield str(error)
                continue
            if number != counts["trials"]:
                expected = f"{counts['trials']} trials expected"
                yield f"trials/{corruption}_a.json: {expected}, {number} found."


def _matches(expected: Expected, folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(expected.pattern) if path.is_file())


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"

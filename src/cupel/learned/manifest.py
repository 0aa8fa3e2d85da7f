"""What each piece of data is for: the manifest, and the gate that every training passes through.

`resources/manifest.toml` says of each dataset, language pair and document whether a model may learn
from it, be chosen on it, or be reported on it, and under which licence it is. `Gate` refuses what is
not for training, and drops what shares a text with data for reporting. The user's own folders, which
the manifest does not name, are for training.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from cupel.arrays import BoolArray
from cupel.data.catalog import DATASETS, EMBEDDED, RESOURCES
from cupel.data.find import campaign_folder, locate
from cupel.errors import CupelError
from cupel.folders import search_folders
from cupel.human.evalset import evalset_pairs
from cupel.reading import read_lines
from cupel.reading.jsons import read_toml

Use = Literal["train", "choose", "report", "accept"]
Kind = Literal["judgments", "texts", "silver"]
TRAINING: tuple[Use, ...] = ("train",)
CHOOSING: tuple[Use, ...] = ("train", "choose")
RELEASE: tuple[Use, ...] = ("train", "choose", "report")
TENTHS = 10
SHORTEST = 25
"""Letters and digits of a text that counts as the same: "Thank you very much." is in every campaign."""


@dataclass(frozen=True)
class Entry:
    """What a part of a dataset is for; `resources/manifest.toml` describes the fields."""

    dataset: str
    use: Use
    kind: Kind = "judgments"
    pairs: tuple[str, ...] = ()
    tenths: tuple[int, ...] = ()
    texts: Literal["both", "target"] = "both"
    weights: Literal["yes", "named", "no"] = "yes"
    seen: tuple[str, ...] = ()
    licence: str = ""
    source: str = ""
    why: str = ""


@cache
def entries() -> tuple[Entry, ...]:
    """All entries, in the order of the file; licence and source filled in."""
    result: list[Entry] = []
    for table in _manifest()["data"]:
        name = table["dataset"]
        earlier = next((one for one in result if one.dataset == name and one.licence), None)
        known = DATASETS.get(name) or EMBEDDED.get(name)
        given: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
        }
        if known is not None:
            given = {"licence": known.licence, "source": known.published, **given}
        elif earlier is not None:
            given = {"licence": earlier.licence, "source": earlier.source, **given}
        result.append(Entry(**given))
    return tuple(result)


@cache
def _manifest() -> dict[str, list[dict[str, Any]]]:
    return read_toml(RESOURCES / "manifest.toml")


def entry_of(dataset: str, pair: str | None = None, document: str | None = None) -> Entry | None:
    """The entry of a part of a dataset; None where it is not in the manifest, as a user's own folder.

    dataset: a name, or the path of a folder of that name. document: None for all of them, which is
    for training as soon as some of them are.
    """
    name = Path(dataset).name
    if is_kept_back(name):
        return Entry(name, "accept", why="its texts and judgments are kept back for acceptance")
    mine = [entry for entry in entries() if entry.dataset == name]
    named = [entry for entry in mine if pair in entry.pairs]
    fitting = named or [entry for entry in mine if not entry.pairs]
    if document is None:
        fitting.sort(key=lambda entry: entry.use != "train")
    else:
        tenth = tenth_of(document, pair)
        fitting = [entry for entry in fitting if not entry.tenths or tenth in entry.tenths]
    if mine and not fitting:
        raise CupelError(f"The manifest does not say what {pair} of {name} is for.")
    return fitting[0] if fitting else None


def is_kept_back(name: str) -> bool:
    """Whether data of this name is kept back for acceptance."""
    return any(re.search(one["name"], name, re.IGNORECASE) for one in _manifest()["kept_back"])


def tenth_of(document: str, pair: str | None) -> int:
    """0 to 9: the tenth of the documents that a document belongs to, the same in all language pairs."""
    name = document.removeprefix(f"{pair}_#_")
    return int(sha256(name.encode()).hexdigest(), 16) % TENTHS


def parts(name: str, pairs: Sequence[str] | None = None) -> list[tuple[str, str | None]]:
    """Dataset and language pair of what `NAME` or `NAME:PAIR,PAIR` means.

    Without pairs it means those into English, as in a training; of a folder, whatever it has.
    """
    dataset, _, listed = (name, "", "") if Path(name).is_dir() else name.partition(":")
    if listed or pairs:
        return [(dataset, pair) for pair in (listed.split(",") if listed else pairs or ())]
    known = DATASETS.get(dataset) or EMBEDDED.get(dataset)
    into_english = [pair for pair in (known.pairs if known else ()) if pair.endswith("-en")]
    return [(dataset, pair) for pair in into_english] or [(dataset, None)]


@dataclass
class Gate:
    """What a training may read.

    uses: what data may be for. dropped: dataset -> how many items were left out, because of their
    document or of a text that they share.
    """

    uses: tuple[Use, ...] = TRAINING
    dropped: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, release: bool, start: Iterable[str] = ()) -> Self:
        """The gate of a training; one that goes on from a release makes a release.

        start: what the model has learned from with which the training begins.
        """
        begun = (entry_of(*part) for name in start for part in parts(name))
        return cls(RELEASE if release or not all(map(cls().allows, begun)) else TRAINING)

    @property
    def release(self) -> bool:
        """Whether the model is called a release, and not reported on what is for reporting."""
        return "report" in self.uses

    def allows(self, entry: Entry | None) -> bool:
        """Whether a model may learn from what the entry is about."""
        return entry is None or entry.use in self.uses

    def check(self, name: str, pairs: Sequence[str] | None = None) -> None:
        """Refuse a dataset, `NAME:PAIR,PAIR`, of which nothing may be learned."""
        for dataset, pair in parts(name, pairs):
            entry = entry_of(dataset, pair)
            if entry is not None and entry.use not in self.uses:
                raise CupelError(_refusal(entry, pair))
            if entry is not None:
                self.check_model(f"The model behind {dataset}", entry.seen)

    def check_model(self, model: str, data: Iterable[str]) -> None:
        """Refuse a model as a teacher that has learned from what this training must not see."""
        for part, pair in (part for name in data for part in parts(name)):
            if not self.allows(entry_of(part, pair)):
                raise CupelError(
                    f"{model} has learned from {_part(part, pair)}, which is for reporting, and its "
                    "scores carry that on: leave them out, or train with --release a model that is "
                    "not reported on it."
                )

    def documents(self, dataset: str, pair: str, documents: Sequence[str]) -> BoolArray:
        """(documents,) whether a model may learn from each translation, by its document."""
        name = Path(dataset).name
        self.check(f"{name}:{pair}")
        allowed = {one: self.allows(entry_of(name, pair, one)) for one in set(documents)}
        mask = np.array([allowed[one] for one in documents], bool)
        if not mask.all():
            self.dropped[name] += int((~mask).sum())
        return mask

    def reserved(self) -> frozenset[bytes]:
        """The texts of what is not for this training, as `text_key` makes them, of all data that is here."""
        return frozenset(
            key for use, keys in _reserved().items() if use not in self.uses for key in keys
        )


def measured(dataset: str, pair: str, documents: Sequence[str]) -> BoolArray:
    """(documents,) which translations a model is measured on: those that are not for training, or all."""
    uses = {one: entry_of(dataset, pair, one) for one in set(documents)}
    kept = {one: entry is not None and entry.use != "train" for one, entry in uses.items()}
    mask = np.array([kept[one] for one in documents], bool)
    return mask if mask.any() else ~mask


def _refusal(entry: Entry, pair: str | None) -> str:
    because = f" ({entry.why})" if entry.why else ""
    part = _part(entry.dataset, pair)
    if entry.use == "accept":
        return f"{part} is kept back{because}: leave it out of the training."
    purpose = {"choose": "choosing", "report": "reporting"}[entry.use]
    return (
        f"{part} is for {purpose}{because}, and no model learns from it: leave it out, or train with "
        "--release a model that is not reported on it."
    )


def _part(dataset: str, pair: str | None) -> str:
    return f"{pair} of {dataset}" if pair else dataset


def text_key(text: str) -> bytes | None:
    """A short hash of a text's letters and digits, whatever their case; None where they are few."""
    letters = "".join(filter(str.isalnum, text.casefold()))
    if len(letters) < SHORTEST:
        return None
    return blake2b(letters.encode("utf-8", "surrogatepass"), digest_size=8).digest()


@cache
def _reserved() -> dict[Use, frozenset[bytes]]:
    """Use -> the texts of all that is for it, in the campaigns that are here."""
    keys: dict[Use, set[bytes]] = defaultdict(set)
    for name in _campaigns_here():
        folder = campaign_folder(name)
        if folder is not None and (folder / "sources").is_dir():
            for pair in evalset_pairs(folder):
                for use, key in _keys(folder, name, pair):
                    keys[use].add(key)
    return {use: frozenset(some) for use, some in keys.items()}


def _campaigns_here() -> Iterator[str]:
    """Campaigns of the manifest that are not all for training, and what is kept back by its name."""
    known = {**DATASETS, **EMBEDDED}
    listed = dict.fromkeys(one.dataset for one in entries() if one.use != "train")
    yield from (name for name in listed if name in known and locate(name))
    for folder in filter(Path.is_dir, search_folders()):
        names = {place.name.removesuffix(".tar.gz") for place in folder.iterdir()}
        yield from (name for name in sorted(names) if is_kept_back(name))


def _keys(folder: Path, name: str, pair: str) -> Iterator[tuple[Use, bytes]]:
    """What each text of a language pair that is not for training is for, and its key."""
    sources = folder / "sources" / f"{pair}.txt"
    documents = folder / "documents" / f"{pair}.docs"
    source = read_lines(sources) if sources.exists() else []
    names = (
        [line.partition("\t")[2] for line in read_lines(documents)] if documents.exists() else []
    )
    uses = [entry_of(name, pair, one) for one in names or [""] * len(source)]
    references = [read_lines(path) for path in sorted(folder.glob(f"references/{pair}.*.txt"))]
    for number, entry in enumerate(uses):
        if entry is None or entry.use == "train":
            continue
        for column in references if entry.texts == "target" else [source, *references]:
            if key := text_key(column[number]):
                yield entry.use, key


@dataclass(frozen=True)
class Terms:
    """Under which licence a dataset or a model is, and whether weights made of it may be passed on."""

    licence: str
    source: str
    weights: Literal["yes", "named", "no"] = "yes"


@cache
def terms() -> dict[str, Terms]:
    """Those of every dataset and model in the manifest, by name; of a dataset the strictest."""
    strict = ("no", "named", "yes")
    listed = sorted(entries(), key=lambda entry: strict.index(entry.weights), reverse=True)
    result = {one.dataset: Terms(one.licence, one.source, one.weights) for one in listed}
    for table in _manifest()["model"]:
        name = table["name"]
        result[name] = Terms(**{key: value for key, value in table.items() if key != "name"})
    return result


def licences(names: Iterable[str]) -> dict[str, str]:
    """Name -> licence of each dataset and each model that a model is made of, for its card.

    names: of datasets, with or without their language pairs; of pretrained models and teachers.
    """
    result = {}
    for path in names:
        name = Path(path if Path(path).is_dir() else path.partition(":")[0]).name
        result[name] = terms()[name].licence if name in terms() else "that of its owner"
    return result

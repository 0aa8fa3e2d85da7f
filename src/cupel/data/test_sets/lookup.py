"""From names to test sets: a file, sacreBLEU's cache, then datasets; and the list of what there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cupel.data.catalog import DATASETS, EMBEDDED
from cupel.data.find import locate
from cupel.data.test_sets.local_sets import (
    catalog_sets,
    folder_pairs,
    local_part,
    local_sets,
)
from cupel.data.test_sets.sacrebleu_sets import (
    cache_folders,
    sacrebleu_part,
    sacrebleu_sets,
    sacrebleu_tables,
)
from cupel.data.test_sets.test_set import Part, TestSet
from cupel.errors import CupelError, MissingPart
from cupel.reading.names import parse_name
from cupel.reading.segments import nearest
from cupel.reading.wmt_xml import read_wmt_xml


@dataclass(frozen=True)
class Listed:
    """A line of the list: `command` gets what is not here."""

    name: str
    what: str
    pairs: tuple[str, ...]
    place: str | None
    command: str | None = None


def load_test_set(
    names: str, pair: str | None = None, *, origlang: str | None = None, subset: str | None = None
) -> TestSet:
    """The test set of that name, or several with commas between them, in one language pair.

    names: a name of sacreBLEU or of a dataset, or a file in WMT's XML, which needs no pair. origlang: only
    segments of that original language; `non-de` for all others. subset: only documents whose domain (or
    id, where the set has no domains) matches this regular expression.
    """
    single = parse_name(names).kind == "sgm" and Path(parse_name(names).file).exists()
    parts = [named_part(name, pair) for name in ([names] if single else names.split(","))]
    if len({part.pair for part in parts}) > 1:
        raise CupelError(
            f"The test sets {names} are of several language pairs: choose one with -l."
        )
    return TestSet(parts, origlang, subset)


def named_part(name: str, pair: str | None) -> Part:
    """One test set; a name, pair or file that is not here is one sentence with what to do."""
    if parse_name(name).kind == "sgm":
        return _from_xml(name, pair)
    if pair is None:
        raise CupelError(
            f"The test set {name} needs a language pair (-l): it has {', '.join(set_pairs(name))}."
        )
    part = sacrebleu_part(name, pair) or local_part(name, pair)
    if part is None:
        raise _missing(name, pair)
    return part


def set_pairs(name: str) -> list[str]:
    """The language pairs in which a set is here."""
    pairs = _pairs_here(name)
    if not pairs:
        raise _missing(name, None)
    return pairs


def list_test_sets(pair: str | None = None) -> list[Listed]:
    """The sets that are here, and those that one command would bring; of one pair, if given."""
    rows = [*_in_caches(), *_in_folders(), *_to_get()]
    # The first place is the one that is read.
    first = {row.name: row for row in reversed(rows)}
    listed = (row for row in rows if first[row.name] is row)
    return [row for row in listed if pair is None or pair in row.pairs]


def _in_caches() -> Iterator[Listed]:
    tables = sacrebleu_tables()
    for folder in cache_folders():
        for name, pairs in sorted(sacrebleu_sets([folder]).items()):
            what = str(tables[name].description or "").strip()
            yield Listed(name, what, tuple(pairs), str(folder / name))


def _in_folders() -> Iterator[Listed]:
    for name, place in local_sets().items():
        entry = DATASETS.get(name) or EMBEDDED.get(name)
        what = entry.description if entry else "a test set that was added"
        yield Listed(name, what, tuple(_local_pairs(name, place)), str(place))


def _to_get() -> Iterator[Listed]:
    for name in catalog_sets():
        if locate(name) is None:
            entry = DATASETS[name]
            yield Listed(name, entry.description, entry.pairs, None, f"cupel data get {name}")


def _local_pairs(name: str, place: Path) -> list[str]:
    return folder_pairs(place) if place.is_dir() else list(DATASETS[name].pairs)


def _from_xml(name: str, pair: str | None) -> Part:
    given = parse_name(name)
    content = read_wmt_xml(given.file)
    if pair is not None and pair != content.pair:
        raise CupelError(f"{given.file} has the language pair {content.pair}, not {pair}.")
    references = content.references
    if given.part is not None:
        if f"ref:{given.part}" not in references:
            raise CupelError(
                f"{given.file} has no reference by {given.part!r}; it has {', '.join(references)}."
            )
        references = [f"ref:{given.part}"]
    return Part(
        Path(name).name,
        content.pair,
        given.file,
        {field: partial(list, texts) for field, texts in content.fields.items()},
        references,
        optional=True,
    )


def _pairs_here(name: str) -> list[str]:
    places, own = local_sets(), _own_name(name)
    local = _local_pairs(own, places[own]) if own in places else []
    return list(dict.fromkeys([*sacrebleu_sets().get(name, []), *local]))


def _own_name(name: str) -> str:
    """The dataset of NAME/AC, which takes some of its references; sacreBLEU's names are whole."""
    return name if name in sacrebleu_tables() else name.partition("/")[0]


def _missing(name: str, pair: str | None) -> CupelError:
    """What to do about a set, or a pair of it, that is not here."""
    own, here = _own_name(name), _pairs_here(name)
    entry = sacrebleu_tables().get(name)
    theirs = list(entry.langpairs) if entry is not None else []
    if own in catalog_sets() and not here and (pair in (None, *DATASETS[own].pairs)):
        return MissingPart(f"The test set {name} is not here: run `cupel data get {own}`.")
    if pair in theirs or (theirs and pair is None):
        what = f"{name} is not here in {pair}" if here else f"{name} is not here"
        return MissingPart(
            f"The test set {what}: run `sacrebleu --download {name} -l {pair or theirs[0]}`, which puts it "
            f"into sacreBLEU's cache ({cache_folders()[0]}), or `cupel data add` a copy of it."
        )
    if pairs := here or theirs:
        return CupelError(
            f"The test set {name} has no language pair {pair!r}; it has {', '.join(pairs)}."
        )
    return CupelError(
        f"There is no test set {name!r}; `cupel score --list` lists those that are here"
        f"{nearest(name, [row.name for row in list_test_sets()])}"
    )

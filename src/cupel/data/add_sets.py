"""Adding test sets of sacreBLEU's cache, and campaigns in the layout of mt-metrics-eval."""

from __future__ import annotations

from pathlib import Path

from cupel.corpus import counted_segments
from cupel.data.get import Added
from cupel.data.test_sets.local_sets import folder_pairs, is_test_set
from cupel.data.test_sets.sacrebleu_sets import (
    ADDED,
    cache_folders,
    sacrebleu_part,
    sacrebleu_sets,
    sacrebleu_tables,
    written_name,
)
from cupel.errors import CupelError
from cupel.folders import data_folder, writing_folder
from cupel.reading.lines import iterate_lines


def add_cache(folder: Path, source: Path, name: str | None) -> list[Added]:
    """The sets of a cache, as text files in sacreBLEU's layout; `name` picks one of them."""
    sets = sacrebleu_sets([folder])
    if not sets:  # the folder of one set
        top, folder = folder.name, folder.parent
        here = sacrebleu_sets([folder]) if top in sacrebleu_tables() else {}
        sets = {key: here[key] for key in here if key == top or key.startswith(f"{top}/")}
    if name is not None:
        sets = {key: pairs for key, pairs in sets.items() if key == name}
    if not sets:
        return []
    what = f"{source} is a cache of sacreBLEU with the test sets {', '.join(sorted(sets))}."
    if folder.resolve() == cache_folders()[0].resolve():
        place = f"{what.rstrip('.')}; it is read where it is."
        return [Added(key, folder / key, True, place) for key in sorted(sets)]
    added = []
    for key, pairs in sorted(sets.items()):
        target = data_folder() / ADDED / key.replace("/", "_")
        already = target.is_dir()
        if not already:
            with writing_folder(target) as beside:
                (beside / key).mkdir(parents=True)
                for pair in pairs:
                    _write_texts(key, pair, folder, beside / key)
        added.append(Added(key, target, already, what))
    return added


def _write_texts(name: str, pair: str, cache: Path, target: Path) -> None:
    part = sacrebleu_part(name, pair, [cache])
    assert part is not None  # `sacrebleu_sets` lists what is there
    for field in part.fields:
        lines = "".join(f"{text}\n" for text in part.texts(field))
        (target / written_name(name, pair, field)).write_text(lines, "utf-8", newline="\n")


def campaign_pairs(folder: Path) -> list[str]:
    """The language pairs of a folder in the layout of mt-metrics-eval; none where it is not one."""
    sources = folder / "sources"
    named = any(any(sources.glob(f"??*-??*{suffix}")) for suffix in (".txt", ".jsonl"))
    return folder_pairs(folder) if is_test_set(folder) and named else []


def check_campaign(folder: Path, pairs: list[str]) -> None:
    """Raise an error where texts that belong together have different numbers of segments."""
    for pair in pairs:
        source = next((folder / "sources").glob(f"{pair}.*"))
        expected = _count(source)
        texts = [
            *(folder / "references").glob(f"{pair}.*"),
            *(folder / "system-outputs" / pair).glob("*.*"),
        ]
        for path in sorted(texts):
            if path.suffix == source.suffix and (count := _count(path)) != expected:
                raise CupelError(
                    f"{source} has {counted_segments(expected)}, but {path} has {count}."
                )


def _count(path: Path) -> int:
    return sum(1 for _ in iterate_lines(path))

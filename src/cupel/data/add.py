"""Adding what people have to the data folder: recognised, checked, and put there whole or not at all.

What is recognised, in this order: a dataset as Cupel reads it; sacreBLEU's cache; a campaign in the layout
of mt-metrics-eval; a clone of a repository that a recipe reads; what the organisers of WMT publish.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cupel.data.catalog import DATASETS
from cupel.data.dataset import Dataset
from cupel.data.find import dataset
from cupel.data.get import Added, get
from cupel.data.verify import missing_files, problems
from cupel.errors import CupelError
from cupel.folders import data_folder, explained, owned, sweep_once, writing_folder

if TYPE_CHECKING:
    from cupel.data.wmt_folder import WmtFolder

_SHOWN = 3
_ARCHIVES = (".tar.gz", ".tgz", ".zip")


def add(path: Path | str, name: str | None = None) -> list[Added]:
    """Put a folder or an archive into the data folder, in the form that Cupel reads.

    path: a dataset, a clone of a repository that datasets are made from, an official WMT archive or
    folder, a campaign in the layout of mt-metrics-eval, or sacreBLEU's cache. name: the name to add it
    under; by default that of the dataset or test set, or of the folder.
    """
    source = Path(path).expanduser()
    guess = _guess(source) if name is None else name
    if guess in DATASETS and (data_folder() / guess).is_dir():
        return [Added(guess, data_folder() / guess, already=True)]
    if not source.exists():
        raise CupelError(
            f"{source} does not exist: give the folder or archive ({', '.join(_ARCHIVES)}) to add."
        )
    with _opened(source) as folders:
        for recognise in (_pack, _sacrebleu, _campaign, _clone, _official):
            for folder in folders:
                if added := recognise(folder, source, name):
                    return added
        raise _unrecognised(folders[-1], source, guess)


def _guess(source: Path) -> str:
    name = source.resolve().name
    suffix = next((suffix for suffix in _ARCHIVES if name.endswith(suffix)), "")
    return name.removesuffix(suffix)


@contextmanager
def _opened(source: Path) -> Iterator[list[Path]]:
    """The folder, or that of an archive's files; where it only wraps another one, that one too."""
    if source.is_dir():
        yield [source]
        return
    if not source.name.endswith(_ARCHIVES):
        raise CupelError(f"{source} is neither a folder nor an archive ({', '.join(_ARCHIVES)}).")
    from cupel.data.archives import unpack  # keeps `import cupel.data` quick

    base = data_folder()
    with explained(base, base):
        base.mkdir(parents=True, exist_ok=True)
        sweep_once(base)
        with TemporaryDirectory(prefix=f".{owned()}", dir=base) as temporary:
            folders = [Path(temporary)]
            unpack(source, folders[0], one_folder=False)
            while len(inside := list(folders[-1].iterdir())) == 1 and inside[0].is_dir():
                folders += inside
            try:
                yield folders
            except CupelError as error:  # it names files as they are in the archive
                sentence = str(error).replace(f"{temporary}{os.sep}", f"{source}/")
                raise CupelError(sentence) from error


def _put(name: str, what: str, fill: Callable[[Path], object]) -> Added:
    """The folder of that name, filled; one that is there stays as it is."""
    target = data_folder() / name
    already = target.is_dir()
    if not already:
        with writing_folder(target) as beside:
            fill(beside)
    return Added(name, target, already, what)


def _pack(folder: Path, source: Path, name: str | None) -> list[Added]:
    """A dataset as Cupel reads it: the named one, or any whose files are all there."""
    named = _guess(source) if name is None else name
    candidates = [DATASETS[named]] if named in DATASETS else list(DATASETS.values())
    if name is not None and named not in DATASETS:
        return []
    for entry in candidates:
        if not missing_files(entry, folder) and not problems(entry, folder):
            what = f"{source} is the dataset {entry.name}."
            return [_put(entry.name, what, lambda beside: copy_folder(folder, beside))]
    return []


def _sacrebleu(folder: Path, source: Path, name: str | None) -> list[Added]:
    from cupel.data.add_sets import add_cache

    return add_cache(folder, source, name)


def _campaign(folder: Path, source: Path, name: str | None) -> list[Added]:
    from cupel.data.add_sets import campaign_pairs, check_campaign

    pairs = campaign_pairs(folder)
    if not pairs:
        return []
    chosen = _guess(source) if name is None else name
    if chosen in DATASETS:
        raise _not_the_dataset(dataset(chosen), folder, source)
    check_name(chosen)
    check_campaign(folder, pairs)
    what = f"{source} is a campaign in the layout of mt-metrics-eval ({', '.join(pairs)})."
    return [_put(chosen, what, lambda beside: copy_folder(folder, beside))]


def _clone(folder: Path, source: Path, name: str | None) -> list[Added]:
    from cupel.data.clones import datasets_of_clone

    lacking = datasets_of_clone(folder)
    if name is not None:
        lacking = {key: others for key, others in lacking.items() if key == name}
    names = [key for key, others in lacking.items() if not others]
    if not names:
        return []
    what = f"{source} is a clone of a repository from which Cupel builds {', '.join(names)}."
    if rest := [key for key, others in lacking.items() if others]:
        need = f"{', '.join(rest)} need{'s' * (len(rest) == 1)} other repositories as well"
        command = f"`cupel data get {' '.join(rest)} --from FOLDER`"
        what = f"{what[:-1]}; {need}: put the clones into one folder and run {command}."
    return [Added(a.name, a.folder, a.already, what) for a in get(names, folder)]


def _official(folder: Path, source: Path, name: str | None) -> list[Added]:
    from cupel.data.wmt_folder import judgments_of, scan_folder, write_test_set

    official = scan_folder(folder)
    tests = official.tests
    if name is not None and len(tests) > 1:
        raise CupelError(
            f"{source} holds several test sets ({', '.join(tests)}): leave out --name."
        )
    added = []
    for test in tests:
        entry = DATASETS.get(f"wmt{test[-2:]}") if test.startswith("newstest") else None
        judged = entry is not None and bool(judgments_of(official, test))
        if name is not None and name in DATASETS and not (judged and entry is DATASETS[name]):
            continue
        reason = ""
        if entry is not None and judged and name in (None, entry.name):
            what = f"{source} is the official release of {test} with its judgments: {entry.name}."
            try:
                added.append(_put(entry.name, what, partial(_fill_dataset, official, test, entry)))
                continue
            except _Different as difference:
                reason = f"; it is not the dataset {entry.name}: {difference}".rstrip(".")
                if name is not None:
                    raise CupelError(f"{source} is not {name}: {difference}") from None
        chosen = name or test
        check_name(chosen)
        what = f"{source} holds the official test set {test}{reason}."
        added.append(_put(chosen, what, partial(write_test_set, official, test)))
    return added


def _fill_dataset(official: WmtFolder, test: str, entry: Dataset, target: Path) -> None:
    from cupel.data.wmt_folder import write_dataset

    english = all(pair.endswith("-en") for pair in entry.pairs)
    write_dataset(official, test, target, into_english=english)
    if wrong := problems(entry, target):
        raise _Different(wrong[0])


class _Different(Exception):
    """What was converted is not the dataset of the catalog."""


def check_name(name: str) -> None:
    """Raise an error where a name cannot be that of a folder in the data folder."""
    if not name or name.startswith(".") or not all(c.isalnum() or c in "-_.+" for c in name):
        raise CupelError(f"{name!r} is not a name: use letters, digits, - and _ (--name).")


def _unrecognised(folder: Path, source: Path, guess: str) -> CupelError:
    if guess in DATASETS:
        return _not_the_dataset(DATASETS[guess], folder, source)
    from cupel.data.clones import datasets_of_clone

    for name, others in datasets_of_clone(folder).items():
        return CupelError(
            f"{source} is one of the repositories from which Cupel builds {name}, which needs "
            f"{' and '.join(others)} as well: put the clones into one folder and run `cupel data get "
            f"{name} --from FOLDER`."
        )
    return CupelError(
        f"{source} is not recognised: it is no dataset ({', '.join(DATASETS)}), has no sources/ and "
        "references/ as mt-metrics-eval's folders have, no newstest files of WMT (.sgm, .xml or plain), no "
        "test set of sacreBLEU's cache, and is no clone of a repository that datasets are made from."
    )


def _not_the_dataset(entry: Dataset, folder: Path, source: Path) -> CupelError:
    wrong = [sentence.rstrip(".") for sentence in problems(entry, folder)]
    more = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
    return CupelError(f"{source} is not {entry.name}: {'; '.join(wrong[:_SHOWN])}{more}.")


def copy_folder(source: Path, target: Path) -> None:
    """Copy plain files and folders, following links, without owners or modes."""
    for entry in sorted(source.iterdir()):
        if entry.name.startswith("."):
            continue  # an editor's or a version control's, no part of the data
        try:
            if entry.is_dir():
                (target / entry.name).mkdir()
                copy_folder(entry, target / entry.name)
            else:
                shutil.copyfile(entry, target / entry.name)
        except PermissionError as error:
            raise CupelError(f"{entry} cannot be read: {error.strerror}.") from error

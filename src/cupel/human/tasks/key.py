"""The key of sheets: which system wrote what an annotator saw, and which screens were checks.

It is a JSON file beside the pages, `NAME.key.json`, which annotators do not get. It has the texts too,
so that what annotators saved can be imported without any other file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cupel.errors import CupelError
from cupel.human.tasks.sheets import PROTOCOLS, Option, Screen, Sheets
from cupel.human.tasks.task import Task
from cupel.reading.jsons import read_json
from cupel.reading.lines import display_name

SUFFIX = ".key.json"
VERSION = 1


@dataclass(frozen=True)
class Key:
    """What is behind the ids of one set of tasks. screens: part -> id -> screen."""

    id: str
    name: str
    protocol: str
    path: Path
    tasks: dict[int, Task]
    screens: dict[str, dict[str, Screen]]
    annotators: dict[str, str]

    @property
    def pair(self) -> str | None:
        """The language pair, where the tasks say it."""
        return next(iter(self.tasks.values())).pair

    @property
    def systems(self) -> list[str]:
        """In the order of the tasks."""
        return list(next(iter(self.tasks.values())).translations)


def key_text(sheets: Sheets, name: str) -> str:
    """The key as a JSON document."""
    document: dict[str, Any] = {
        "cupel": "key",
        "version": VERSION,
        "tasks": sheets.id,
        "name": name,
        "protocol": sheets.protocol,
        "segments": [_segment(task) for task in sheets.tasks],
        "parts": {
            part: {
                "annotator": sheets.annotators[part],
                "screens": {screen.id: _screen(screen) for screen in screens},
            }
            for part, screens in sheets.parts.items()
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _segment(task: Task) -> dict[str, Any]:
    return {
        "segment": task.segment,
        "pair": task.pair,
        "document": task.document,
        "source": task.source,
        "reference": task.reference,
        "translations": dict(task.translations),
    }


def _screen(screen: Screen) -> dict[str, Any]:
    options = {one.id: {"systems": list(one.systems), "text": one.text} for one in screen.options}
    shown: dict[str, Any] = {"segment": screen.segment, "kind": screen.kind, "options": options}
    return {**shown, "of": screen.of} if screen.of else shown


def read_key(path: Path | str) -> Key:
    """A key; an error if the file is none."""
    path = Path(path)
    document = read_json(path)
    if not isinstance(document, dict) or document.get("cupel") != "key":
        raise CupelError(f"{display_name(path)} is no key of tasks, which `cupel annotate` writes.")
    try:
        return _key(path, document)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise CupelError(
            f"{display_name(path)} is damaged: something is missing in it; make it again with "
            "`cupel annotate`, from the same tasks and with the same options and seed."
        ) from None


def _key(path: Path, document: Mapping[str, Any]) -> Key:
    if document["version"] != VERSION:
        raise CupelError(
            f"{display_name(path)} was written by another version of Cupel (format "
            f"{document['version']}, not {VERSION})."
        )
    if document["protocol"] not in PROTOCOLS:
        raise ValueError
    tasks = [
        Task(int(one["segment"]), str(one["source"]), dict(one["translations"]), one["reference"],
             one["pair"], str(one["document"]))
        for one in document["segments"]
    ]  # fmt: skip
    parts = document["parts"]
    return Key(
        str(document["tasks"]),
        str(document["name"]),
        str(document["protocol"]),
        path,
        {task.segment: task for task in tasks},
        {part: dict(_screens(content["screens"])) for part, content in parts.items()},
        {part: str(content["annotator"]) for part, content in parts.items()},
    )


def _screens(screens: Mapping[str, Any]) -> Iterable[tuple[str, Screen]]:
    for name, one in screens.items():
        options = tuple(
            Option(id_, str(option["text"]), tuple(option["systems"]))
            for id_, option in one["options"].items()
        )
        yield name, Screen(name, int(one["segment"]), options, str(one["kind"]), one.get("of", ""))


def find_keys(paths: Sequence[Path | str], given: Sequence[Path | str] = ()) -> dict[str, Key]:
    """The keys by the id of their tasks: those given, and else those beside the files and here."""
    if given:
        places = [Path(path) for path in given]
    else:
        folders = dict.fromkeys([*(Path(path).parent for path in paths), Path()])
        places = [path for folder in folders for path in sorted(folder.glob(f"*{SUFFIX}"))]
    keys: dict[str, Key] = {}
    for place in places:
        try:
            key = read_key(place)
        except CupelError:
            if given:
                raise
            continue  # a file of that name that nobody asked for
        keys.setdefault(key.id, key)
    return keys

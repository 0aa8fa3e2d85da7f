"""Record what command lines answer, and hold today's answers against the recording.

    python tests/cli/recorded/record.py record [TEXT]    # record new lines, and again those with TEXT
    python tests/cli/recorded/record.py compare [TEXT]   # run again, print what differs
    python tests/cli/recorded/record.py coverage         # options that no command line uses

`commands.txt` has the command lines in blocks: the lines of a block run one after the other in one
fresh folder (scratch.py), in this process, through `cupel.cli.main` alone. `options.json` says of
each command which options it had, with their values, defaults and sentences: the help is compared
by these and not by its layout. `meant.toml` lists the differences that are meant.
"""

from __future__ import annotations

import difflib
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import scratch

HERE = Path(__file__).parent
RECORDING = HERE / "recording.json.gz"
LONGEST = 4000
PARTS = ("status", "stdout", "stderr", "files", "help")
Answer = dict[str, Any]
"""status, stdout, stderr, files (name -> text or digest), as a command line leaves them."""


@dataclass(frozen=True)
class Block:
    """Command lines that share a folder.

    names: of the lines in the recording; a line that occurs again has its number behind it
    """

    lines: tuple[str, ...]
    names: tuple[str, ...]
    slow: bool = False


def blocks() -> list[Block]:
    """The blocks of commands.txt: divided by empty lines, `# slow` marks what takes seconds."""
    text = (HERE / "commands.txt").read_text(encoding="utf-8")
    seen: Counter[str] = Counter()
    result = []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = tuple(line for line in part.splitlines() if not line.startswith("#"))
        names = []
        for line in lines:
            seen[line] += 1
            names.append(line if seen[line] == 1 else f"{line} ({seen[line]})")
        if lines:
            result.append(Block(lines, tuple(names), slow="# slow" in part.splitlines()))
    return result


class Folder:
    """The scratch folder, built once and copied for each block."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.template = base / "template"
        self.template.mkdir()
        scratch.build(self.template)
        shutil.move(self.template / "data", base / "data")

    @contextmanager
    def block(self) -> Iterator[Path]:
        place = Path.cwd()
        folder = self.base / "work"
        shutil.copytree(self.template, folder)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(place)
            shutil.rmtree(folder)

    def plain(self, text: str) -> str:
        """Without what differs from run to run or from machine to machine."""
        import cupel

        for path, name in (
            (self.base / "work", "{folder}"),
            (self.base, "{base}"),
            (Path(cupel.__file__).parent, "{package}"),
            (Path(sys.prefix), "{environment}"),
        ):
            text = text.replace(str(path), name)
        text = re.sub(r"^cupel: Compiling .* for its first use.*\n", "", text, flags=re.MULTILINE)
        text = text.replace("python -m pytest.cupel", "cupel")
        # What was asked came after the recording: tests/questions/test_again.py holds it.
        text = re.sub(r'^ "question": \{\n.*?^ \},\n', "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(
            r'(version:cupel-|"version": "|^cupel )\d[\w.]*', r"\1{version}", text, flags=re.M
        )
        text = re.sub(r"\b\d+(\.\d+)? (s|ms|seconds|minutes|MiB/s|MB/s)\b", r"{time}", text)
        text = re.sub(r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?[\w.:+]*)?", "{date}", text)
        text = re.sub(r"\d+\.\d{10,}(e-\d+)?", lambda match: f"{float(match[0]):.9g}", text)
        return re.sub(r'("(?:seconds|time|pid|host|commit)": )[^,\n}]+', r"\1{machine}", text)


@contextmanager
def surroundings(base: Path) -> Iterator[None]:
    """The same environment everywhere: own folders, no terminal, a width of 100 columns."""
    before = dict(os.environ)
    os.environ.update(
        CUPEL_DATA=str(base / "data"), XDG_DATA_HOME=str(base / "home"),
        HF_HOME=str(base / "hugging-face"), COLUMNS="100", TERM="dumb", NO_COLOR="1",
        OMP_NUM_THREADS="1", no_proxy="*",
    )  # fmt: skip
    for name in ("FORCE_COLOR", "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS", "CUPEL_CACHE"):
        os.environ.pop(name, None)
    os.environ["CUPEL_CACHE"] = os.environ.get("CUPEL_TEST_CACHE") or str(base / "cache")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def answers(block: Block, folder: Folder, instead: dict[str, str] | None = None) -> list[Answer]:
    """Run a block. instead: other lines to run, by key."""
    result = []
    with folder.block() as place:
        known = _files(place, folder)
        for key, line in zip(block.names, block.lines, strict=True):
            answer = _run((instead or {}).get(key, line), folder)
            current = _files(place, folder)
            answer["files"] = {
                name: text for name, text in current.items() if known.get(name) != text
            }
            answer["files"].update({name: "(removed)" for name in known if name not in current})
            known = current
            result.append(answer)
    return result


def _run(line: str, folder: Folder) -> Answer:
    from cupel.cli import main

    command, _, source = line.partition(" < ")
    words = shlex.split(command)
    content = Path(source).read_bytes() if source else b""
    streams = sys.stdin, sys.stdout, sys.stderr, sys.argv
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.stdin = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8")
    sys.stdout, sys.stderr, sys.argv = output, errors, ["cupel", *words]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                main()
            except SystemExit as end:
                status: object = end.code or 0
            except Exception as error:
                status = f"{type(error).__name__}: {error}"
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.argv = streams
    return {"status": status, "stdout": _text(output, folder), "stderr": _text(errors, folder)}


def _text(stream: io.TextIOWrapper, folder: Folder) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return folder.plain(raw.getvalue().decode("utf-8", "replace"))


def _files(place: Path, folder: Folder) -> dict[str, str]:
    return {
        path.relative_to(place).as_posix(): _contents(path, folder)
        for path in sorted(place.rglob("*"))
        if path.is_file()
    }


def _contents(path: Path, folder: Folder) -> str:
    """A small text itself, a table's cells, and a digest of anything else.

    What was trained differs in its last digits from machine to machine, so only its name counts.
    """
    if path.suffix in (".safetensors", ".npz", ".npy") or path.name in ("card.json", "log.jsonl"):
        return "(numbers)"
    if path.suffix == ".parquet":
        import polars

        table = polars.read_parquet(path)
        return folder.plain(json.dumps(table.to_dict(as_series=False), default=str))[:LONGEST]
    data = path.read_bytes()
    try:
        text = folder.plain(data.decode("utf-8"))
    except UnicodeDecodeError:
        return "sha256 " + hashlib.sha256(data).hexdigest()
    if len(text) <= LONGEST:
        return text
    return "sha256 " + hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Meant:
    """A difference that is meant.

    command: pattern (as in a shell) of the command lines it is about
    why: the reason, for a reader
    parts: what may differ
    lines: regular expression; only changed lines in which it is found may differ
    run: the line to run in place of the recorded one, where options were renamed
    """

    command: str
    why: str
    parts: tuple[str, ...] = PARTS
    lines: str = ""
    run: str = ""

    def allows(self, line: str, part: str, change: str) -> bool:
        """Whether this changed line of this part is meant."""
        if part not in self.parts or not fnmatchcase(line, self.command):
            return False
        return re.search(self.lines, change[1:]) is not None


def meant() -> list[Meant]:
    """The differences of meant.toml."""
    table = tomllib.loads((HERE / "meant.toml").read_text(encoding="utf-8"))
    return [
        Meant(**{**entry, "parts": tuple(entry.get("parts", PARTS))})
        for entry in table.get("difference", [])
    ]


@cache
def recording() -> dict[str, Answer]:
    """What was recorded, by the key of the line."""
    with gzip.open(RECORDING, "rt", encoding="utf-8") as file:
        loaded: dict[str, Answer] = json.load(file)
    return loaded


def differences(chosen: list[Block], folder: Folder) -> Iterator[tuple[str, str]]:
    """Run blocks; each command line whose answer is another than recorded, with what differs."""
    recorded = recording()
    allowed = meant()
    for block in chosen:
        keys = block.names
        instead = {
            key: entry.run
            for key, line in zip(keys, block.lines, strict=True)
            for entry in allowed
            if entry.run and fnmatchcase(line, entry.command)
        }
        for key, line, answer in zip(
            keys, block.lines, answers(block, folder, instead), strict=True
        ):
            if key not in recorded:
                yield line, "is not in the recording."
            elif text := _difference(line, recorded[key], answer, allowed):
                yield line, text


def _difference(line: str, before: Answer, after: Answer, allowed: list[Meant]) -> str:
    shown = []
    for part, changes in _changes(line, before, after):
        left = [
            change
            for change in changes
            if not any(entry.allows(line, part, change) for entry in allowed)
        ]
        if left:
            shown += [f"--- {part}", *left]
    return "\n".join(shown)


def _changes(line: str, before: Answer, after: Answer) -> Iterator[tuple[str, list[str]]]:
    if before["status"] != after["status"]:
        yield "status", [f"-{before['status']}", f"+{after['status']}"]
    if before["stdout"].lstrip().startswith("Usage: "):
        if lost := list(help_losses(line, after["stdout"])):
            yield "help", [f"-{loss}" for loss in lost]
    elif before["stdout"] != after["stdout"]:
        yield "stdout", _diff(before["stdout"], after["stdout"])
    if before["stderr"] != after["stderr"]:
        yield "stderr", _diff(before["stderr"], after["stderr"])
    names = sorted(before["files"].keys() | after["files"].keys())
    changes = [
        f"{sign}{name}: {change[1:]}"
        for name in names
        for change in _diff(before["files"].get(name, "(none)"), after["files"].get(name, "(none)"))
        for sign in change[0]
    ]
    if changes:
        yield "files", changes


def _diff(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


@cache
def options() -> dict[str, list[dict[str, Any]]]:
    """The options of each command (`train assay`) as they were recorded."""
    loaded: dict[str, list[dict[str, Any]]] = json.loads(
        (HERE / "options.json").read_text(encoding="utf-8")
    )
    return loaded


def help_losses(line: str, text: str) -> Iterator[str]:
    """What the help of a command no longer says: names, choices, defaults, sentences."""
    command = " ".join(word for word in line.split() if not word.startswith("-"))
    words = set(re.findall(r"-{1,2}[\w-]+", text))
    for option in options()[command]:
        if option["hidden"]:
            continue
        label = "/".join(option["names"])
        for name in option["names"]:
            if name.startswith("-") and name not in words:
                yield f"{label}: the name {name}"
        for value in [*option["choices"], option["default"]]:
            if value not in (None, False, True) and str(value) not in text:
                yield f"{label}: the value {value}"
        if not _says(text, option["help"]):
            yield f"{label}: the sentence {option['help']!r}"


def _says(text: str, sentence: str) -> bool:
    """Whether the words of a sentence stand in this order, with little between them.

    What a table has in other columns may stand between two lines of the sentence.
    """
    words = re.findall(r"\w+", sentence)
    for start in (
        (match.start() for match in re.finditer(re.escape(words[0]), text)) if words else ()
    ):
        place = start
        for word in words:
            place = text.find(word, place)
            if place < 0:
                return False
            place += len(word)
        if place - start < 3 * len(sentence) + 400:
            return True
    return not words


def _command(line: str) -> str:
    """The command that a line calls, as options.json names it."""
    words = line.split()
    for length in (2, 1):
        if " ".join(words[:length]) in options():
            return " ".join(words[:length])
    return ""


def unused_options() -> Iterator[str]:
    """Options of options.json that no command line uses under any of its names."""
    used: dict[str, set[str]] = {}
    for block in blocks():
        for line in block.lines:
            words = {word.partition("=")[0] for word in shlex.split(line.partition(" < ")[0])}
            if not {"--help", "-h"} & words:
                used.setdefault(_command(line), set()).update(words)
    for command, listed in options().items():
        for option in listed:
            names = [name for name in option["names"] if name.startswith("-")]
            both = [name for name in names if f"--no-{name[2:]}" in names]
            off = [name for name in names if name.startswith(("--no-", "--train-all"))]
            groups = [names] if not both else [both, off]
            for group in groups:
                if group and not used.get(command, set()) & set(group):
                    yield f"{command}: {'/'.join(group)}"


def _record(again: str | None) -> None:
    """Record the lines that are new, and with `again` those blocks that have this text in them.

    The others stay as they were recorded, and lines that are no longer listed are dropped.
    """
    before = recording() if RECORDING.exists() else {}
    recorded: dict[str, Answer] = {}
    with tempfile.TemporaryDirectory() as base, surroundings(Path(base)):
        folder = Folder(Path(base))
        for block in blocks():
            chosen = again is not None and any(again in line for line in block.lines)
            if chosen or not before.keys() >= set(block.names):
                fresh = dict(zip(block.names, answers(block, folder), strict=True))
                kept = {} if chosen else {name: before[name] for name in fresh if name in before}
                recorded.update(fresh | kept)
                print(f"$ cupel {block.lines[-1]}", file=sys.stderr)
            else:
                recorded.update((name, before[name]) for name in block.names)
    text = json.dumps(recorded, ensure_ascii=False, indent=0)
    with RECORDING.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        file.write(text.encode())
    print(f"{len(recorded)} command lines, {len(text):,} characters")


def _compare(text: str) -> int:
    count = 0
    with tempfile.TemporaryDirectory() as base, surroundings(Path(base)):
        chosen = [block for block in blocks() if any(text in line for line in block.lines)]
        for line, difference in differences(chosen, Folder(Path(base))):
            count += 1
            print(f"$ cupel {line}\n{difference}\n")
    print(f"{count} command lines of {sum(len(block.lines) for block in chosen)} differ.")
    return 1 if count else 0


def main() -> int:
    """record, compare or coverage."""
    source = str(HERE.parents[2] / "src")  # of this tree, and for its worker processes
    sys.path.insert(0, source)
    os.environ["PYTHONPATH"] = source
    mode = sys.argv[1] if len(sys.argv) > 1 else "compare"
    if mode == "record":
        _record(sys.argv[2] if len(sys.argv) > 2 else None)
        return 0
    if mode == "coverage":
        unused = list(unused_options())
        print("\n".join(unused) or "Every option is used.")
        return 1 if unused else 0
    return _compare(sys.argv[2] if len(sys.argv) > 2 else "")


if __name__ == "__main__":
    sys.exit(main())

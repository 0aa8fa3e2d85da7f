"""What the README and docs/ show is what happens: commands and code are run as they stand.

`console` blocks are run and must print what they show; `sh` blocks are run and must succeed; a page's
`python` blocks are run one after the other, and an expression must give what its comment says. Each
block of commands starts in a folder of its own with the files that docs/tutorial.md makes. A block
that needs a dataset is skipped where that is absent. A block in NOT_RUN takes minutes: its commands
are only parsed, with their options and values, and the test is skipped with the reason. Commands in
the lab notes, docs/research/, are parsed as well.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from cupel.cli import parser as question_parser
from cupel.cli.commands import question_of
from cupel.cli.table import COMMANDS
from cupel.data import find
from cupel.data.find import locate
from cupel.errors import MissingPart

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
RESEARCH = sorted((ROOT / "docs" / "research").glob("*.md"))

NOT_RUN = {
    r"^pip (install|download)|^make ": "installs packages or runs this very test",
    r"^cupel data get": "downloads; tests/data/test_get.py runs it",
    r"^cupel models get": "downloads; tests/data/test_get_models.py runs it",
    r"^cupel serve": "runs until it is stopped; tests/adapters/test_service.py checks the examples",
    r"^cupel score .*--engine ray": "starts a cluster; tests/engines/test_ray.py runs it on a simulated one",
    r"^cupel train reval": "trains for one to two minutes after minutes of parsing",
    r"^cupel train nnrk": "computes features of 40,000 pairs or more and trains for minutes",
    r"^cupel train assay(?!.*--start assay)|^torchrun": "trains for hours on two cores",
    r"^cupel tune|^tuned = cupel\.tune": "computes REDp's features of all of wmt13, which takes minutes",
    r"^cupel mutt .*-m paper": "runs seven metrics on 2,217 trials, which takes a minute",
    r"^cupel meta .*\b(nnrk|reval|redp|assay)": "scores whole test sets, which takes minutes",
    r"^cupel reproduce (red-4|--all)": "scores whole test sets, which takes minutes",
}
EXTRAS = {
    "spacy": r"\bred|\bdepref|hwcm|reval|cupel parse|syntax|nnrk:preset=paper",
    "pycocoevalcap": r"meteor(?!:modules)|redp|terp|cupel align(?!.*-m)",
    "tokenizers": r"assay",
    "torch": r"assay|reval",
}
BLOCKS = {
    r"torchmetrics": "torchmetrics",
    r"evaluate\.load": "evaluate",
    r"Seq2SeqTrainer": "",
    r"pyspark": "",
    r"dask": "dask",
}
"""Python blocks that run where this package is installed, or never, for want of a model or of Java; the
other blocks of their page run everywhere. tests/adapters and tests/engines have each of them at work."""
DATASETS = {
    **{name: rf"\b{name}\b" for name in ("wmt12", "wmt13", "wmt14", "da13", "mqm21")},
    "sick": r"\bsick\b|reproduce mutt-fig-2",
    "mutt": r"mutt_trials|cupel mutt\b(?!.*--(?:suite|generate))",
}


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


def is_possible(block: str) -> bool:
    """Whether the package that a Python block is about is installed."""
    names = [name for pattern, name in BLOCKS.items() if re.search(pattern, block)]
    return all(name and find_spec(name) for name in names)


def named_blocks(language: str) -> list[Any]:
    """Every block of that language, named by page and number."""
    return [
        pytest.param(page, block, id=f"{page.stem}-{number}")
        for page in PAGES
        for number, block in enumerate(blocks(page, language), 1)
    ]


def commands(block: str) -> list[str]:
    """The lines of an `sh` block, continued ones joined, without comments."""
    lines = re.sub(r"\\\n\s*", "", block).splitlines()
    return [text for line in lines if (text := re.sub(r"(^|\s+)#.*", "", line).strip())]


def skip_unless_possible(text: str) -> None:
    """Skip what takes minutes, a dataset that is absent, or an extra that is not installed."""
    for pattern, reason in NOT_RUN.items():
        if match := re.search(pattern, text, re.M):
            pytest.skip(f"not run: {match[0]} ...: {reason}")
    for name, pattern in DATASETS.items():
        if re.search(pattern, text):
            try:
                find(name)
            except MissingPart as missing:
                pytest.skip(str(missing))
    for module, pattern in EXTRAS.items():
        if re.search(pattern, text):
            pytest.importorskip(module)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the files that the tutorial makes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    maker = next(b for b in blocks(ROOT / "docs" / "tutorial.md", "python") if "ref.txt" in b)
    exec(maker, {})
    return tmp_path


def cupel(words: list[str]) -> str:
    """What a command prints; it must end with 0."""
    from cupel.cli import main

    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", *words])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as end:
            main()
    assert end.value.code == 0, f"cupel {shlex.join(words)}: {err.getvalue()}"
    return out.getvalue()


def run(command: str) -> str:
    """What a line prints: in this process, which spares the imports; by the shell if it must."""
    if "|" in command:
        script = f'cupel() {{ "{sys.executable}" -m cupel "$@"; }}; {command}'
        return subprocess.run(
            ["bash", "-c", script], capture_output=True, encoding="utf-8", check=True
        ).stdout
    words = shlex.split(command)
    assert words[0] == "cupel", f"The test does not know how to run this: {command}"
    return cupel(words[1:])


@pytest.mark.parametrize(("page", "session"), named_blocks("console"))
def test_console_sessions_print_what_they_show(
    page: Path, session: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines with `$` are run, one after the other; what follows must be their output."""
    skip_unless_possible("\n".join(re.findall(r"^\$ (.*)", session, re.M)))
    joined = session.replace("\\\n", " ")
    for step in re.split(r"^\$ ", joined, flags=re.M)[1:]:
        command, _, expected = step.partition("\n")
        if command.startswith("cd "):
            monkeypatch.chdir(ROOT / command.removeprefix("cd "))
            continue
        assert run(command).rstrip("\n") == expected.rstrip("\n")


def test_the_pages_have_commands() -> None:
    """The tests below do not pass because a page is written so that they find nothing."""
    for page in PAGES:
        assert blocks(page, "sh") or page.stem in {"CHANGELOG", "choosing", "python"}, page.name


@pytest.mark.parametrize(("page", "block"), named_blocks("sh"))
def test_shell_commands_run_as_shown(page: Path, block: str, folder: Path) -> None:
    """A block's commands one after the other: some read what those before them wrote."""
    lines = commands(block)
    for line in lines:
        parse(line)
    skip_unless_possible("\n".join(lines))
    for code in blocks(page, "(?:python|toml)"):  # one that begins with a file's name is that file
        if name := re.match(r"# (\S+\.(?:py|toml))\n", code):
            (folder / name[1]).write_text(code, encoding="utf-8")
    for name in re.findall(r"[\w-]+\.txt", block):  # any other file is one of the reader's own
        if not (folder / name).exists():
            (folder / name).write_bytes((folder / "new.txt").read_bytes())
    for name in re.findall(r"[\w-]+(?=\.tar\.gz)", block):
        archive = locate(name)
        if archive is None or archive.is_dir():
            pytest.skip(f"{name} is here as a folder, not as an archive")
        shutil.copy(archive, folder)
    for line in lines:
        run(line)


@pytest.mark.parametrize("page", RESEARCH, ids=lambda page: page.stem)
def test_commands_of_the_lab_notes_are_commands(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "sh"):
        for line in commands(block):
            parse(line)


def parse(line: str) -> None:
    """Check the options and values of a line that runs `cupel`, without running it."""
    _, command, arguments = line.partition("cupel ")
    if not command or "pip install" in line:
        return
    words = shlex.split(arguments)
    for count in (2, 1):
        if " ".join(words[:count]) in COMMANDS:
            question_parser.parse(question_of(" ".join(words[:count])), words[count:])
            return
    raise AssertionError(f"There is no such command: {line}")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.stem
)
def test_python_runs_as_shown(page: Path, folder: Path) -> None:
    """A page's blocks, one after the other; an expression must give what its comment says."""
    code = "\n".join(filter(is_possible, blocks(page, "python")))
    skip_unless_possible(code)
    names: dict[str, object] = {"__name__": __name__}
    exec(code, names)
    for expression, shown in re.findall(
        r"^([^=\n]+?|\S+\[.*?\])  # ([\[({'\"\dTF].*)$", code, re.M
    ):
        with contextlib.suppress(SyntaxError):  # a comment in words
            expected = ast.literal_eval(shown)
            assert eval(expression, names) == expected, expression


def test_the_metric_of_the_extending_page() -> None:
    import cupel

    code = next(b for b in blocks(ROOT / "docs" / "extending.md", "python") if "LengthRatio" in b)
    names: dict[str, Any] = {"__name__": __name__}
    exec(code, names)
    scores = cupel.score(["a b c", "d"], [["a b"], ["d e", "d"]], [names["LengthRatio"]()])
    assert scores["length-ratio"] == 100.0
    assert scores.segment_scores("length-ratio").tolist() == [150.0, 50.0]
    assert "tok:13a" in scores.signatures["length-ratio"]


def test_links_between_pages_lead_somewhere() -> None:
    """Relative links name files that exist, and anchors name headings of those files."""
    for page in [*PAGES, *RESEARCH]:
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", prose(page)):
            path = page.parent / target if target else page
            assert path.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(path), f"{page.name}: {target}#{anchor}"


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, open_ = set(), [ROOT / "README.md"]
    while open_:
        page = open_.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            links = re.findall(r"\]\(([^)#:\s]+)", prose(page))
            open_ += [(page.parent / link).resolve() for link in links]
    assert reached >= {page.resolve() for page in [*PAGES, *RESEARCH]}


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_a_page_for_users_is_two_screens_at_most(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) <= 120


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page are linked, numbered where they repeat."""
    counts: Counter[str] = Counter()
    names = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(f"{name}-{counts[name]}" if counts[name] else name)
        counts[name] += 1
    return names

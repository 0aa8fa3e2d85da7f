"""What the README and docs/ show is what happens: commands and code are run as they stand."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cupel.data import find
from cupel.errors import CupelError

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


def sessions() -> list[tuple[str, str]]:
    return [(page.name, block) for page in PAGES for block in blocks(page, "console")]


@pytest.mark.parametrize(("page", "session"), sessions())
def test_console_sessions_print_what_they_show(page: str, session: str) -> None:
    """Lines with `$` are run, one after the other; what follows must be their output."""
    folder = ROOT
    joined = session.replace("\\\n", " ")
    for step in re.split(r"^\$ ", joined, flags=re.M)[1:]:
        command, _, expected = step.partition("\n")
        words = shlex.split(command)
        if words[0] == "cd":
            folder = folder / words[1]
            continue
        assert words[0] == "cupel"
        done = subprocess.run(
            [sys.executable, "-m", "cupel", *words[1:]],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert done.stdout.rstrip("\n") == expected.rstrip("\n")


QUICK = ("cupel score", "cupel align", "cupel report", "cupel parse", "cupel metrics", "cupel mutt")
NEEDS_MORE = re.compile(
    r"people\.json|\bmy-|cupel mutt(?!.*--suite sample)|=mine|mypackage|mypkg|ref\.sgm|\.jsonl|overlap:|DIR|FILE"
)


def shell_commands() -> list[tuple[str, str]]:
    """Commands in `sh` blocks; what takes datasets, trainings or minutes is left out."""
    return [
        (page.name, line.partition("  #")[0].strip())
        for page in PAGES
        for block in blocks(page, "sh")
        for line in re.sub(r"\\\n\s*", "", block).splitlines()
        if line.startswith(QUICK) and not NEEDS_MORE.search(line)
    ]


def test_shell_commands_run_as_shown(tmp_path: Path) -> None:
    """In one folder, one after the other: some read what those before them wrote."""
    for extra in ("spacy", "pycocoevalcap", "torch", "tokenizers"):
        pytest.importorskip(extra)
    references = ["I saw an ant with a magnifier .", "It rains .", "He left early ."]
    outputs = ["I saw an ant with magnifier .", "It rained .", "He went early ."]
    commands = shell_commands()
    assert len(commands) >= 15
    for name in {
        word for _, command in commands for word in re.findall(r"[\w-]+\.(?:txt|de)", command)
    }:
        texts = references if name.startswith("ref") else outputs
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    trees = "\n\n".join(
        "\n".join(
            f"{n}\t{w}\t_\t_\t_\t_\t{int(n > 1)}\tdep\t_\t_" for n, w in enumerate(t.split(), 1)
        )
        for t in references
    )
    for name in ("ref.conllu", "ref.de.conllu"):
        (tmp_path / name).write_text(f"{trees}\n\n", encoding="utf-8")
    for page, command in commands:
        (tmp_path / "report.html").unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "cupel", *shlex.split(command)[1:]],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{page}: {command}: {done.stderr}"


PACKS = {"meta.md": "wmt12", "data.md": "wmt14"}


@pytest.mark.parametrize(
    "name", ["README.md", "python.md", "report.md", "tutorial.md", "parse.md", *PACKS]
)
def test_python_runs_as_shown(name: str) -> None:
    """A page's blocks, one after the other; an expression must give what its remark says."""
    page = ROOT / name if name == "README.md" else ROOT / "docs" / name
    if name in PACKS:
        try:
            find(PACKS[name])
        except CupelError as error:
            pytest.skip(str(error))
    if name == "parse.md":
        pytest.importorskip("spacy")
    code = "\n".join(blocks(page, "python"))
    names: dict[str, object] = {"__name__": __name__}
    exec(code, names)
    for expression, shown in re.findall(
        r"^([^=\n]+?|\S+\[.*?\])  # ([\[({'\"\dTF].*)$", code, re.M
    ):
        with contextlib.suppress(SyntaxError):  # a remark in words
            expected = ast.literal_eval(shown)
            assert eval(expression, names) == expected, expression


def test_the_metric_of_the_extending_page() -> None:
    import cupel

    code = next(b for b in blocks(ROOT / "docs" / "extending.md", "python") if "LengthRatio" in b)
    names: dict[str, object] = {"__name__": __name__}
    exec(code, names)
    metric = names["LengthRatio"]()  # type: ignore[operator]
    scores = cupel.score(["a b c", "d"], [["a b"], ["d e", "d"]], [metric])
    assert scores["length-ratio"] == 100.0
    assert scores.segment_scores("length-ratio").tolist() == [150.0, 50.0]
    assert "tok:13a" in scores.signatures["length-ratio"]


def test_every_option_in_the_pages_exists() -> None:
    """Options of `cupel score` that the pages mention are options that it has."""
    from typer.main import get_command

    from cupel.cli import app

    command = get_command(app).commands["score"]  # type: ignore[attr-defined]
    known = {name for parameter in command.params for name in parameter.opts}
    for page in PAGES:
        for line in re.findall(r"^(?:\$ )?cupel score (.*)$", page.read_text("utf-8"), re.M):
            used = {word for word in line.split() if re.match(r"--?[a-z]", word)}
            assert used <= known, page


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        prose = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

"""What the README and docs/ show is what happens: commands and code are run as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

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


def shell_commands() -> list[tuple[str, str]]:
    """Scoring, aligning and reporting in `sh` blocks; what takes datasets or minutes is left out."""
    quick = ("cupel score", "cupel align", "cupel report")
    return [
        (page.name, line.strip())
        for page in PAGES
        if page.name in ("red.md", "report.md", "tutorial.md")
        for block in blocks(page, "sh")
        for line in re.sub(r"\\\n\s*", "", block).splitlines()
        if line.startswith(quick) and "people.json" not in line
    ]


def test_shell_commands_run_as_shown(tmp_path: Path) -> None:
    """In one folder, one after the other: some read what those before them wrote."""
    for extra in ("spacy", "pycocoevalcap"):
        pytest.importorskip(extra)
    texts = {
        "ref": ["I saw an ant with a magnifier .", "It rains .", "He left early ."],
        "system": ["I saw an ant with magnifier .", "It rained .", "He went early ."],
    }
    files = {"ref.txt": "ref", "ref.de": "ref", "system.txt": "system", "system.de": "system",
             "old.txt": "system", "new.txt": "ref"}  # fmt: skip
    for name, which in files.items():
        (tmp_path / name).write_text("\n".join(texts[which]) + "\n", encoding="utf-8")
    trees = "\n\n".join(
        "\n".join(
            f"{n}\t{w}\t_\t_\t_\t_\t{int(n > 1)}\tdep\t_\t_" for n, w in enumerate(t.split(), 1)
        )
        for t in texts["ref"]
    )
    for name in ("ref.conllu", "ref.de.conllu"):
        (tmp_path / name).write_text(f"{trees}\n\n", encoding="utf-8")
    commands = shell_commands()
    assert len(commands) >= 8
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


def test_the_readmes_python(tmp_path: Path) -> None:
    (code,) = blocks(ROOT / "README.md", "python")
    names: dict[str, object] = {}
    exec(code, names)
    for expression, shown in re.findall(r"^(scores\S*\[.*?\])\s+# ([{\[\d].*)$", code, re.M):
        assert eval(expression, names) == eval(shown)


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

"""Nothing but `cupel data get` opens a connection."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from cupel.cli import main

def refuse(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        raise AssertionError(f"{event} {arguments}")

sys.addaudithook(refuse)
statuses = []
for words in json.loads(sys.argv[1]):
    sys.argv = ["cupel", *words]
    try:
        main()
    except SystemExit as end:
        statuses.append(end.code)
    except AssertionError as opened:
        statuses.append(str(opened))
print(json.dumps(statuses), file=sys.stderr)
"""


def statuses(folder: Path, *commands: str) -> list[int | str]:
    """The exit status of each command, or the connection that it tried to open."""
    environment = {**os.environ, "CUPEL_DATA": str(folder), "XDG_DATA_HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([command.split() for command in commands])],
        cwd=folder, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    answer: list[int | str] = json.loads(done.stderr.splitlines()[-1])
    return answer


def test_no_other_command_opens_a_connection(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text("A cat sits.\nIt rains.\n")
    (tmp_path / "hyp.txt").write_text("A cat sat.\nIt is raining.\n")
    (tmp_path / "t.conllu").write_text("1\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    expected = {
        "--version": 0,
        "score ref.txt -i hyp.txt -m bleu chrf ter meteor:modules=exact --ci": 0,
        "metrics": 0,
        "metrics bleu": 0,
        "parse t.conllu --draw": 0,
        "score --list": 0,
        "score -t wmt18 -l de-en -i hyp.txt": 2,
        "data list": 0,
        "data verify": 2,
        "data add absent": 2,
        "data get sick": 2,
        "data get sick --yes --from absent": 2,
        "meta wmt14 -m bleu": 2,
        "mutt -m bleu": 0,
    }
    assert dict(zip(expected, statuses(tmp_path, *expected), strict=True)) == expected


def test_a_connection_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    (status,) = statuses(tmp_path, "data get sick --yes")
    assert isinstance(status, str)
    assert status.startswith("socket.getaddrinfo ('raw.githubusercontent.com', 443")


@pytest.mark.parametrize("name", ["http_proxy", "https_proxy"])
def test_a_proxy_of_the_environment_is_used(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in (*os.environ,):
        if variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv(name, "http://127.0.0.2:9")
    scheme = name.partition("_")[0]
    (status,) = statuses(tmp_path, f"data get sick --yes --from {scheme}://mirror.invalid/base")
    assert isinstance(status, str)
    assert "127.0.0.2" in status

"""Kill commands at random moments and look at what is left: `make soak`, or python tools/kills.py [CASE ...].

    --moments 50    for each case
    --seed 1
    --ends          send each of SIGTERM, SIGKILL, SIGHUP and SIGINT to commands with workers instead

After each SIGKILL no output is there or the whole of it, no process of the command runs on, and the
same command run again succeeds with the same result. What the killed run left beside is made three
days old and must be gone after the command has run again. A new command is one entry of `CASES`.

With `--ends`, no process of the command may be alive two seconds after the signal, whoever reads its
output has it all by then, the exit status is that of the signal, and nothing half-written is left.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

Environment = dict[str, str]


@dataclass(frozen=True)
class Case:
    """A command and what it makes.

    prepare: makes its input in an empty folder. arguments: those of `python`, in that folder. results:
    files and folders that it makes, as patterns in that folder. resumes: whether what is there after
    a kill may be part of the result, for the next run to go on with. dataset, needs: a dataset and a
    package that must be there.
    """

    prepare: Callable[[Path], None]
    arguments: Sequence[str]
    results: Sequence[str]
    resumes: bool = False
    dataset: str | None = None
    needs: str | None = None


def _texts(folder: Path) -> None:
    chance = random.Random(5)
    words = "the a cat dog sat lay on in mat house red old".split()
    for name in ("ref", "a", "b"):
        lines = (" ".join(chance.choices(words, k=12)) for _ in range(400))
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


def _rankings(folder: Path, count: int = 24) -> None:
    """A dataset `wmt13` of so many lines, three systems and their rankings, as `cupel data get` makes it."""
    chance, data = random.Random(7), folder / "data" / "wmt13"
    words = "the a man woman saw took large old house letter in of yesterday".split()
    reference = [chance.choices(words, k=9) for _ in range(count)]
    files = {"references/newstest2013-ref.en": reference, "sources/newstest2013-src.fr": reference}
    for place, name in enumerate(("good", "fair", "poor")):
        output = [[w for w in line if chance.random() > 0.15 * place] for line in reference]
        files[f"system-outputs/newstest2013/fr-en/newstest2013.fr-en.{name}"] = output
    for name, lines in files.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text("".join(" ".join(line) + "\n" for line in lines))
    columns = "srclang,trglang,srcIndex,documentId,segmentId,judgeId"
    ranked = "".join(f",system{n}Number,system{n}Id,system{n}rank" for n in (1, 2, 3))
    rows = [
        f"fra,eng,{n + 1},x,{n + 1},judge{n % 3}"
        + "".join(f",{s},newstest2013.fr-en.{name},{s}" for s, name in enumerate(("good", "fair", "poor"), 1))
        for n in range(count)
    ]  # fmt: skip
    (data / "judgments.csv").write_text("\n".join([columns + ranked, *rows]) + "\n")


def _candidates(folder: Path) -> None:
    chance = random.Random(9)
    words = "the a cat dog sat lay on in mat house red old".split()
    with (folder / "candidates.jsonl").open("w") as file:
        for _ in range(600):
            texts = [" ".join(chance.choices(words, k=9)) for _ in range(24)]
            file.write(json.dumps({"candidates": texts}) + "\n")


def _tables(folder: Path) -> None:
    import polars

    _texts(folder)
    columns = {name: (folder / name).read_text().splitlines() * 30 for name in ("ref", "a")}
    for number in range(3):
        frame = polars.DataFrame(columns).rename({"a": "mt"})
        frame.write_parquet(folder / f"part-{number}.parquet", row_group_size=2000)


def _runs(folder: Path) -> None:
    _texts(folder)
    command = [sys.executable, "-m", "cupel", "score", "ref", "-i", "a", "b", "-m", "chrf", "wer"]
    for name, more in (("scores", []), ("segments", ["-sl"])):
        arguments = [*command, *more, "-f", "json", "-o", f"{name}.json"]
        subprocess.run(arguments, cwd=folder, check=True, capture_output=True)


def _clone(folder: Path) -> None:
    """A clone of the repository that the dataset `sick` comes from, with that one file."""
    from cupel.data import DATASETS, find

    (listed,) = DATASETS["sick"].artifacts
    for file in find("sick").rglob("*"):
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == listed.sha256:
            target = folder / "clone" / listed.name
            target.parent.mkdir(parents=True)
            shutil.copy(file, target)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (["init"], ["add", "."], ["commit", "-m", "All"]):
        subprocess.run([*git, *arguments], cwd=folder / "clone", check=True, capture_output=True)


_FILL = (
    "import numpy as np; from pathlib import Path; from cupel import cache\n"
    "rows = np.arange(200_000.0)\n"
    "for n in range(12): cache.kept_array('numbers', f'n{n}', lambda: rows + n)\n"
    "for n in range(12): cache.kept_json('texts', f't{n}', lambda: ['x' * 5000] * 20)\n"
    "def fill(folder):\n"
    "    for n in range(30): (folder / f'{n}.txt').write_text('y' * 3000)\n"
    "place = cache.kept_folder('folders', 'one', fill)\n"
    "table = cache.mapped_arrays('tables', 'big', 1, 's', lambda w: w.add('a', [rows] * 5))\n"
    "total = sum(cache.load_array('numbers', f'n{n}').sum() for n in range(12))\n"
    "print(total, table['a'].sum(), sum(p.stat().st_size for p in place.iterdir()))\n"
    "Path('out.txt').write_text(str(total))\n"
)

ADDRESS = ""
"""Of the cluster that `on_cluster` started: to start one for each run takes a minute."""

RAYS_OWN = (b"IDLE", b"Agent", b"StatsActor", b"CoordinatorActor", b"ActorLocationTracker")
"""Processes of a cluster that stay when a job has ended."""

CASES: dict[str, Case] = {
    "score": Case(
        _texts,
        "-m cupel score ref -i a b -m bleu chrf ter --ci -f json -o out/scores.json".split(),
        ["out/*"],
    ),
    "score-workers": Case(
        _texts,
        "-m cupel score ref -i a b -m ter meteor:modules=exact --workers 2 -sl -f tsv -o out/s.tsv".split(),
        ["out/*"],
    ),
    "report": Case(
        _runs,
        "-m cupel report scores.json segments.json --ref ref -i a b -o out/report.html".split(),
        ["out/*"],
    ),
    "data-get": Case(
        _clone, "-m cupel data get sick --from clone --yes".split(), ["home/cupel/sick"],
        dataset="sick",
    ),
    "caches": Case(lambda _: None, ["-c", _FILL], ["cache/*/*"], resumes=True),
    "train": Case(
        _rankings,
        "-m cupel train nnrk --train wmt13 --pair fr-en --sample 30 --dev-pairs 9 --epochs 2 "
        "--features bleucomp -o model".split(),
        ["model"], resumes=True,
    ),
    "tune": Case(
        _rankings,
        "-m cupel tune redp:modules=exact --on wmt13 --pair fr-en --goal seg --iterations 1 --subset alpha "
        "--grid alpha=0.5:0.9:0.4 w_exact=0.9 w_stem=0.6 w_syn=0.6 w_par=0.6 w_1gram=0.6 --save ./mine.json".split(),
        ["mine.json"],
    ),
    "mbr-resume": Case(
        _candidates,
        "-m cupel mbr candidates.jsonl -m chrf -f tsv -o chosen.tsv --resume".split(),
        ["chosen.tsv"],
    ),
    "score-ray": Case(
        _tables,
        "-m cupel score part-*.parquet:ref -i part-*.parquet:mt -m bleu ter --keep done -f json "
        "-o out/scores.json --engine ray --address ADDRESS".split(),
        ["out/*"], needs="ray",
    ),
    "mbr-ray": Case(
        _candidates,
        "-m cupel mbr candidates.jsonl -m chrf -f tsv -o chosen.tsv --workers 2 --resume "
        "--engine ray --address ADDRESS".split(),
        ["chosen.tsv"], needs="ray",
    ),
}  # fmt: skip


_SLOW = """
import time

def wait(hypothesis, references=()):
    time.sleep(0.0005)
    return float(len(hypothesis))
"""


def _many_texts(folder: Path) -> None:
    """Enough for workers, and a metric that waits more than it computes."""
    (folder / "slow.py").write_text(_SLOW)
    chance = random.Random(5)
    words = "the a cat dog sat lay on in mat house red old".split()
    for name, count in (("ref", 4000), ("a", 4000), ("b", 4000), ("c", 4000), ("few", 600)):
        lines = (" ".join(chance.choices(words, k=12)) for _ in range(count))
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


def _many_rankings(folder: Path) -> None:
    _many_texts(folder)
    _rankings(folder, 1500)


_SCORE = "-m cupel score ref -i a b c -m slow:wait ter --workers 2 -o s.txt"

ENDS: dict[str, Case] = {
    "score": Case(_many_texts, _SCORE.split(), ["s.txt"]),
    "score --stream": Case(_many_texts, f"{_SCORE} --stream".split(), ["s.txt"]),
    "meta": Case(
        _many_rankings,
        "-m cupel meta wmt13 --pair fr-en -m slow:wait ter --workers 2 --no-cache".split(), [],
    ),
    "mutt": Case(
        _many_texts, "-m cupel mutt --generate few few -m slow:wait --workers 2".split(), []
    ),
    "mbr": Case(
        _candidates, "-m cupel mbr candidates.jsonl -m chrf ter --workers 2 -o c.txt".split(), ["c.txt"]
    ),
    "serve": Case(lambda _: None, "-m cupel serve --port 0 -m chrf --workers 2".split(), []),
}  # fmt: skip
"""Commands with workers, and the output that they begin."""
SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGHUP, signal.SIGINT)


def contents(folder: Path, patterns: Sequence[str]) -> dict[str, str]:
    """Path -> digest of all files that the patterns match, but for the time in logs."""
    digests = {}
    for pattern in patterns:
        for place in sorted(folder.glob(pattern)):
            for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
                if file.is_file() and file.name != "log.jsonl" and not file.name.startswith("."):
                    digests[str(file.relative_to(folder))] = _digest(file)
    return digests


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _left_behind(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".cupel-*") if path.exists()]


def _environment(case: Case, folder: Path) -> Environment:
    own = {}
    if "get" in case.arguments:  # else the dataset is there already
        own = {"CUPEL_DATA": ""}
    elif (folder / "data").exists():
        own = {"CUPEL_DATA": str(folder / "data")}
    return {
        **os.environ,
        "CUPEL_CACHE": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "home"),
        "PYTHONDONTWRITEBYTECODE": "1",
        **own,
    }


def _command(case: Case) -> list[str]:
    return [sys.executable, *(ADDRESS if word == "ADDRESS" else word for word in case.arguments)]


@contextlib.contextmanager
def on_cluster() -> Iterator[None]:
    """Start a cluster of one node on this machine, for the cases that need one."""
    global ADDRESS
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 2, "object_store_memory": 200 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    ADDRESS = cluster.address
    try:
        yield
    finally:
        cluster.shutdown()


def run(case: Case, folder: Path) -> str:
    """Run to the end; what was printed on standard output."""
    done = subprocess.run(
        _command(case), cwd=folder, env=_environment(case, folder), text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout.replace(str(folder), "")


def killed(case: Case, folder: Path, seconds: float) -> float | None:
    """Start, and kill after that time; None, or how long it took if it had ended before."""
    start = time.monotonic()
    process = subprocess.Popen(
        _command(case), cwd=folder, env=_environment(case, folder),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    ended = None
    try:
        process.wait(seconds)
        ended = time.monotonic() - start
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_for_session(process.pid)
    return ended


def wait_for_session(session: int, seconds: float = 180) -> None:
    """No process that the command started may run on."""
    end = time.monotonic() + seconds
    while orphans := members(session):
        assert time.monotonic() < end, f"processes run on: {[*map(_name, orphans)]}"
        time.sleep(0.05)


def _name(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path("/proc", str(process), "cmdline").read_bytes()[:80].decode(errors="replace")
    return str(process)


def members(session: int) -> list[int]:
    """The processes of a session, and workers of the cluster that are not idle."""
    members = _busy_workers() if ADDRESS else []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            members.append(int(entry.parent.name))
    return members


def _busy_workers() -> list[int]:
    commands = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            commands[int(entry.name)] = (parent, (entry / "cmdline").read_bytes())
    nodes = {n for n, (_, c) in commands.items() if b"/raylet" in c and str(ADDRESS).encode() in c}
    return [
        number
        for number, (parent, command) in commands.items()
        if parent in nodes
        and command.startswith(b"ray::")
        and not any(name in command for name in RAYS_OWN)
    ]


def check(case: Case, expected: dict[str, str], printed: str, folder: Path) -> int:
    """What must hold after a kill; how many entries were left behind and swept."""
    found = contents(folder, case.results)
    for path, digest in found.items():
        assert case.resumes or expected.get(path) == digest, f"{path} is half-written"
    if case.resumes:
        assert not [path for path in found if path in expected and path.endswith("card.json")] or (
            found == expected
        ), "a card without the rest"
    left = _left_behind(folder)
    for entry in left:
        os.utime(entry, (time.time() - 3 * 24 * 3600,) * 2)
    if found == expected:  # refused where the result is there already, or left as it is
        for pattern in case.results:
            for place in folder.glob(pattern):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
    assert run(case, folder) == printed
    assert contents(folder, case.results) == expected, "the next run gives another result"
    assert not _left_behind(folder), "what the killed run left behind is still there"
    assert not list(folder.rglob("*.part")), "what was begun is still there"
    return len(left)


def soak(name: str, moments: int, seed: int) -> str:
    """Kill a case at random moments; a line about it."""
    case, chance = CASES[name], random.Random(f"{name}{seed}")
    with tempfile.TemporaryDirectory() as base:
        template = Path(base) / "template"
        template.mkdir()
        case.prepare(template)
        whole = Path(base) / "whole"
        shutil.copytree(template, whole)
        start = time.monotonic()
        printed = run(case, whole)
        seconds = time.monotonic() - start
        expected = contents(whole, case.results)
        assert expected, "the command made nothing"
        hits = left = 0
        for moment in range(1, moments + 1):
            folder = Path(base) / "run"
            shutil.copytree(template, folder)
            ended = killed(case, folder, chance.uniform(0, seconds))
            if ended is None:
                hits += 1
            else:
                seconds = ended  # the first run had more to do, or the machine
            left += check(case, expected, printed, folder)
            print(f"{name}: {moment}, {hits} while it ran", end="\r", file=sys.stderr, flush=True)
            shutil.rmtree(folder)
    return (
        f"{name}: {moments} moments within {seconds:.1f} s, {hits} of them while it ran; "
        f"{left} temporary entries left and swept"
    )


def ended(
    case: Case, folder: Path, number: signal.Signals, seconds: float, patience: float = 2
) -> int:
    """Send a signal after that time; how many processes it met, 0 where the command had ended.

    patience: seconds after which nothing may be alive.
    """
    process = subprocess.Popen(
        _command(case), cwd=folder, env=_environment(case, folder), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    processes = len(members(process.pid))
    if process.poll() is None:
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    _, errors = process.communicate(timeout=patience)  # for ever, if a worker holds it
    wait_for_session(process.pid, patience)
    # SIGTERM and Ctrl-C stop the service as it should stop; else the shell sees 128 + number.
    expected = {0, 128 + number, -number}  # -number: before the command began
    if "init_import_site" in errors:  # nor is this: Ctrl-C in the first moments of Python itself
        expected.add(1)
    assert process.returncode in expected, f"exit status {process.returncode}: {errors}"
    assert " in main\n" not in errors, errors  # Ctrl-C while Python itself starts is Python's
    left = list(folder.glob(f".cupel-{process.pid}-*"))  # the one before may have been killed
    assert number == signal.SIGKILL or not left, "an output is left half-written"
    return 0 if process.returncode == 0 and "serve" not in case.arguments else processes


def soak_ends(name: str, moments: int, seed: int) -> str:
    """Send each signal at random moments; a line about it."""
    case, chance = ENDS[name], random.Random(f"{name}{seed}")
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base)
        case.prepare(folder)
        start = time.monotonic()
        if "serve" not in case.arguments:
            run(case, folder)
        seconds = max(time.monotonic() - start, 8)
        processes: Counter[int] = Counter()
        for number in SIGNALS:
            for _ in range(moments):
                try:
                    met = ended(case, folder, number, chance.uniform(0, seconds))
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    raise AssertionError(f"{name}, {number.name}: {error}") from error
                processes[met] += 1
                if met == 0:
                    seconds *= 0.8  # the first run had more to do, or the machine
    counts = ", ".join(f"{met} processes: {count}" for met, count in sorted(processes.items()))
    return f"{name}: {len(SIGNALS)} signals, {moments} moments each, within {seconds:.1f} s; met {counts}"


def main() -> int:
    """Soak the cases named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--ends", action="store_true")
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.ends:
        for number in (signal.SIGHUP, signal.SIGINT):  # which may be ignored here
            signal.signal(number, signal.default_int_handler)
        for name in options.cases or ENDS:
            print(soak_ends(name, options.moments, options.seed), flush=True)
        return 0
    for name in options.cases or CASES:
        case = CASES[name]
        if case.needs and find_spec(case.needs) is None:
            print(f"{name}: left out, since {case.needs} is not installed", flush=True)
            continue
        with on_cluster() if case.needs == "ray" else contextlib.nullcontext():
            print(soak(name, options.moments, options.seed), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

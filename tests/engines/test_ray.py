"""Scoring on a simulated cluster of Ray gives the numbers of one process, whatever is killed."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cupel
from cupel.engines import ray as on_ray
from cupel.engines.inputs import Inputs
from cupel.engines.jobs import Job
from cupel.errors import CupelError
from cupel.registry import named_metrics

HERE = Path(__file__).parent
METRICS = ["bleu", "chrf", "ter", "rouge-l", "nist"]
NO_RAY = "needs Ray: pip install 'cupel[ray]'"


def command(*words: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of `cupel`, in this process."""
    from cupel.cli import main

    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cupel", *words])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as end:
            main()
    return int(str(end.value.code)), out.getvalue(), err.getvalue()


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "find_spec", lambda name: None)
    status, out, err = command("score", "a.parquet", "--engine", "ray")
    assert (status, out) == (2, "")
    assert err == "cupel: --engine ray needs Ray: pip install 'cupel[ray]'.\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--address auto", "--address is for --engine ray: add that, or leave it out."),
        ("--engine ray --stream", "--engine ray does not go with --stream: leave one of them out."),
        ("--engine ray --num-refs 2", "--engine ray reads one reference per line: leave out --num-refs."),
        ("--engine ray --encoding latin1", "--engine ray reads UTF-8 only: convert the files."),
        ("--engine ray --clusters", "--engine ray does not go with --clusters: leave one of them out."),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(words: str, sentence: str) -> None:
    assert command("score", "a.parquet", *words.split()) == (2, "", f"cupel: {sentence}\n")


@pytest.fixture(scope="module")
def texts() -> pl.DataFrame:
    """Some thousand segments, each with its own number."""
    corpus = cupel.data.sample()
    rows = [
        {"mt": f"{hypothesis} {n}", "ref": f"{references[0]} {n}", "other": f"{references[-1]} x"}
        for n in range(26)
        for lines in corpus.systems.values()
        for hypothesis, references in zip(lines, corpus.references, strict=True)
    ]
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def files(texts: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for number, start in enumerate(range(0, texts.height, 1300)):
        part = texts.slice(start, 1300)
        part.write_parquet(folder / f"p-{number}.parquet", row_group_size=500)
        part.write_ndjson(folder / f"p-{number}.jsonl")
        (folder / f"ref-{number}.txt").write_text("".join(f"{t}\n" for t in part["ref"]))
        (folder / f"hyp-{number}.txt").write_text("".join(f"{t}\n" for t in part["mt"]))
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without processors, and nodes that are added and killed."""
    pytest.importorskip("ray", reason=NO_RAY)
    pytest.importorskip("pyarrow", reason=NO_RAY)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in on_ray.QUIET.items():
            patch.setenv(name, value)
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        patch.setenv("PYTHONPATH", path)
        patch.syspath_prepend(str(HERE))
        from ray.cluster_utils import Cluster

        store = {"object_store_memory": 100_000_000, "include_dashboard": False}
        simulated = Cluster(head_node_args={"num_cpus": 0, **store}, initialize_head=True)
        simulated.add_node(num_cpus=1, object_store_memory=100_000_000)
        simulated.add_node(num_cpus=1, object_store_memory=100_000_000)
        yield simulated
        simulated.shutdown()


def on_cluster(
    cluster: Any,
    files: Path,
    metrics: list[str],
    keep: Path | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Any:
    from cupel.engines.patterns import patterns_of
    from cupel.engines.ray import Settings, score_on_ray

    patterns = patterns_of([f"{files}/p-*.parquet"], None, None, None)
    settings = Settings(cluster.address, keep=keep, block=512)
    return score_on_ray(patterns, named_metrics(metrics), settings, progress=progress)


def expected(texts: pl.DataFrame, metrics: list[str]) -> cupel.Scores:
    return cupel.score({"mt": texts["mt"].to_list()}, texts["ref"].to_list(), metrics)


def test_files_of_all_kinds(cluster: Any, files: Path, texts: pl.DataFrame, tmp_path: Path) -> None:
    """Scores, intervals and segment scores are those of one process, to the last bit."""
    whole = expected(texts, METRICS)
    words = ["--engine", "ray", "--address", cluster.address, "-f", "json", "-m", *METRICS]
    status, out, err = command("score", f"{files}/p-*.parquet", *words, "--ci", "--ci-n", "50")
    assert status == 0, err
    document = json.loads(out)
    assert {row["metric"]: row["score"] for row in document["rows"]} == {
        label: whole[label] for label in METRICS
    }
    low = {row["metric"]: row["low"] for row in document["rows"]}
    assert low["ter"] == whole.intervals("ter", resamples=50)["mt"].low
    assert document["signatures"]["bleu"].startswith("nrefs:1|bs:50|seed:12345|")
    status, out, err = command(
        "score", f"{files}/ref-*.txt", "-i", f"{files}/hyp-*.txt", *words, "-sl"
    )
    assert status == 0, err
    rows = json.loads(out)["rows"]
    assert [row["segment"] for row in rows] == list(range(1, texts.height + 1))
    assert [row["ter"] for row in rows] == whole.segment_scores("ter").tolist()
    words = ["--engine", "ray", "--address", cluster.address, "-f", "tsv", "-m", "ter"]
    words += ["-sl", "--keep", str(tmp_path / "kept")]
    status, out, err = command("score", f"{files}/p-*.jsonl", *words)
    assert (status, out) == (0, f"system\tmetric\tscore\nmt\tter\t{whole['ter']!r}\n"), err
    frame = pl.read_parquet(tmp_path / "kept" / "segments" / "*.parquet")
    assert frame["ter"].to_list() == whole.segment_scores("ter").tolist()


def test_errors_come_back_as_one_sentence(cluster: Any, files: Path, tmp_path: Path) -> None:
    words = ("--engine", "ray", "--address", cluster.address)
    (tmp_path / "a.jsonl").write_text('{"mt": "a", "ref": "b"}\n{"mt": 3, "ref": "b"}\n')
    status, out, err = command("score", f"{tmp_path}/*.jsonl", *words)
    place = f"{tmp_path}/a.jsonl, line 2: 'mt'"
    assert (status, out) == (2, "")
    assert err == f"cupel: {place} holds a number where text was expected.\n"
    pl.DataFrame({"mt": ["a"]}).write_parquet(tmp_path / "b.parquet")
    pl.DataFrame({"mt": ["a"], "ref": ["b"]}).write_parquet(tmp_path / "a.parquet")
    status, out, err = command("score", f"{tmp_path}/*.parquet", *words)
    assert err == f"cupel: {tmp_path}/b.parquet has no column 'ref'; it has 'mt'.\n"


def test_a_run_that_is_killed_is_continued(
    cluster: Any, files: Path, texts: pl.DataFrame, tmp_path: Path
) -> None:
    """The driver is killed in the middle: no half file, nothing computed twice, equal results."""
    keep = tmp_path / "kept"
    code = (
        "import sys; from pathlib import Path; from types import SimpleNamespace; import test_ray\n"
        "test_ray.on_cluster(SimpleNamespace(address=sys.argv[1]), Path(sys.argv[2]), "
        "['ter', 'slow_metric:slow_length'], Path(sys.argv[3]))"
    )
    driver = subprocess.Popen(
        [sys.executable, "-c", code, cluster.address, str(files), str(keep)],
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: len(list(keep.glob("blocks/0*.parquet"))) >= 2)
        driver.send_signal(signal.SIGKILL)
    finally:
        driver.kill()
        driver.wait()
    before = {path: path.stat().st_mtime_ns for path in keep.glob("blocks/0*.parquet")}
    blocks = -(-texts.height // 512)
    assert 2 <= len(before) < blocks
    counts: list[int] = []
    scores = on_cluster(
        cluster,
        files,
        ["ter", "slow_metric:slow_length"],
        keep,
        lambda done, _: counts.append(done),
    )
    assert len(counts) == blocks - len(before)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    whole = expected(texts, ["ter", "slow_metric:slow_length"])
    assert scores.rows() == whole.rows()
    with pytest.raises(CupelError, match="has blocks of another run"):
        on_cluster(cluster, files, ["ter"], keep)


@pytest.mark.soak
@pytest.mark.parametrize("what", ["worker", "node", "node and worker"])
def test_what_is_killed_is_computed_again(
    cluster: Any, files: Path, texts: pl.DataFrame, what: str
) -> None:
    """Ray starts lost tasks and actors again elsewhere; the numbers do not change."""
    metrics = ["ter", "chrf", "slow_metric:slow_length"]
    killed: list[str] = []
    extra = cluster.add_node(num_cpus=1, object_store_memory=100_000_000)

    def kill(done: int, _all: int) -> None:
        if done > 1000 and "node" in what and "node" not in killed:
            killed.append("node")
            cluster.remove_node(extra, allow_graceful=False)
        elif done > 2000 and "worker" in what and "worker" not in killed:
            killed.append("worker")
            os.kill(workers()[0], signal.SIGKILL)

    try:
        scores = on_cluster(cluster, files, metrics, progress=kill)
    finally:
        if "node" not in killed:
            cluster.remove_node(extra)
    assert sorted(killed) == sorted(what.split(" and "))
    assert scores.rows() == expected(texts, metrics).rows()
    wait_for(lambda: not workers())


def workers() -> list[int]:
    """The processes of actors that score."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"ray::CupelActor" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def wait_for(done: Callable[[], bool], seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("signature", "version", "sentence"),
    [
        (None, "0", "install the same version everywhere."),
        ("x", cupel.__version__, "install the same packages everywhere."),
    ],
)
def test_a_node_with_another_version_says_so(
    signature: str | None, version: str, sentence: str
) -> None:
    metrics = named_metrics(["ter"])
    signatures = {"ter": signature or str(metrics["ter"].signature())}
    job = Job(Inputs({"a": "a.txt"}), metrics, 8)
    with pytest.raises(CupelError, match=sentence.replace(".", r"\.")):
        on_ray.Request(job, signatures, version=version)(3)


def test_a_cluster_that_is_not_there() -> None:
    pytest.importorskip("ray", reason=NO_RAY)
    with (
        pytest.raises(CupelError, match=r"The Ray cluster at 127\.0\.0\.1:9 cannot be reached"),
        on_ray.over_cluster("127.0.0.1:9"),
    ):
        pass

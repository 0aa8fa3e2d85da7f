"""Where a cluster computes and reads: one model for each GPU, and files in a store of S3's kind.

No GPU and no network are needed: Ray is told that a node has two GPUs, and moto's server, where it is
installed, answers as S3 does.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import cupel
from cupel.engines import ray as on_ray
from cupel.registry import named_metrics

HERE = Path(__file__).parent
S3 = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1"}
NO_RAY = "Ray is not installed"


@pytest.fixture(scope="module")
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def store(patch: pytest.MonkeyPatch) -> Iterator[str | None]:
    """The address of a store, which workers of the cluster learn from their environment."""
    server = shutil.which("moto_server")
    if server is None:
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [server, "-H", "127.0.0.1", "-p", str(port)], stdout=-3, stderr=-3, env={**os.environ, **S3}
    )
    address = f"http://127.0.0.1:{port}"
    for name, value in {**S3, "AWS_ENDPOINT_URL": address}.items():
        patch.setenv(name, value)
    try:
        _wait(port)
        yield address
    finally:
        process.kill()
        process.wait()


def _wait(port: int, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.2)


@pytest.fixture(scope="module")
def cluster(patch: pytest.MonkeyPatch, store: str | None) -> Iterator[Any]:
    pytest.importorskip("ray", reason=NO_RAY)
    pytest.importorskip("pyarrow", reason=NO_RAY)
    for name, value in on_ray.QUIET.items():
        patch.setenv(name, value)
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    patch.setenv("PYTHONPATH", path)
    patch.syspath_prepend(str(HERE))
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 2, "num_gpus": 2, "object_store_memory": 100_000_000}
    simulated = Cluster(head_node_args={**node, "include_dashboard": False}, initialize_head=True)
    yield simulated
    simulated.shutdown()


@pytest.fixture(scope="module")
def texts() -> pl.DataFrame:
    corpus = cupel.data.sample()
    rows = [
        {"mt": f"{hypothesis} {n}", "ref": f"{references[0]} {n}"}
        for n in range(20)
        for lines in corpus.systems.values()
        for hypothesis, references in zip(lines, corpus.references, strict=True)
    ]
    return pl.DataFrame(rows)


def scored(cluster: Any, pattern: str, metrics: dict[str, Any]) -> Any:
    from cupel.engines.patterns import patterns_of
    from cupel.engines.ray import Settings, score_on_ray

    patterns = patterns_of([pattern], None, None, None)
    return score_on_ray(patterns, metrics, Settings(cluster.address, block=256))


def put(address: str, content: bytes) -> None:
    """Into the store; old ones do not understand how Arrow writes."""
    headers = {
        "Authorization": "AWS4-HMAC-SHA256 Credential=x/20200101/us-east-1/s3/aws4_request, "
        "SignedHeaders=host, Signature=0",
        "Content-Type": "application/octet-stream",
    }
    request = urllib.request.Request(address, content, headers, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()


def test_each_gpu_has_one_model(cluster: Any, texts: pl.DataFrame, tmp_path: Path) -> None:
    from gpu_metric import GpuLength

    texts.write_parquet(tmp_path / "texts.parquet", row_group_size=256)
    (tmp_path / "seen").mkdir()
    metric = GpuLength(str(tmp_path / "seen"))
    scores = scored(cluster, str(tmp_path / "texts.parquet"), {"gpu-length": metric})
    (row,) = scores.rows()
    assert row["score"] == pytest.approx(texts["mt"].str.len_chars().mean())
    seen = [path.name.split("-") for path in (tmp_path / "seen").iterdir()]
    assert sorted(gpu for _, gpu in seen) == ["0", "1"]
    assert len({process for process, _ in seen}) == 2


def test_parquet_in_a_store(
    cluster: Any, store: str | None, texts: pl.DataFrame, tmp_path: Path
) -> None:
    if store is None:
        pytest.skip("moto_server is not installed")
    put(f"{store}/crawl", b"")
    for number in range(3):
        part = texts.slice(number * (texts.height // 3), texts.height // 3)
        part.write_parquet(tmp_path / "part")
        put(f"{store}/crawl/en/part-{number}.parquet", (tmp_path / "part").read_bytes())
    scores = scored(cluster, "s3://crawl/en/part-*.parquet", named_metrics(["bleu", "ter"]))
    size = 3 * (texts.height // 3)
    whole = cupel.score(
        {"mt": texts["mt"].to_list()[:size]},
        [[text] for text in texts["ref"].to_list()[:size]],
        metrics=["bleu", "ter"],
    )
    assert [row["score"] for row in scores.rows()] == [row["score"] for row in whole.rows()]


def test_relative_names_are_those_of_the_driver(
    cluster: Any, texts: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of a cluster that is there already run in other folders."""
    texts.head(600).write_parquet(tmp_path / "texts.parquet")
    monkeypatch.chdir(tmp_path)
    from cupel.engines.patterns import patterns_of
    from cupel.engines.ray import Settings, score_on_ray

    patterns = patterns_of(["text*.parquet"], None, None, None)
    settings = Settings(cluster.address, keep=Path("done"), block=256)
    scores = score_on_ray(patterns, named_metrics(["wer"]), settings)
    assert len(scores.rows()) == 1
    assert len(list((tmp_path / "done" / "blocks").iterdir())) == 3

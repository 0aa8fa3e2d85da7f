"""A function over chunks of work on a Ray cluster, with results in the order of the chunks.

`cupel mbr --engine ray` runs on this. Chunks are read only a little ahead, so memory stays flat; Ray
runs chunks of lost workers and nodes again. Worker processes stay, and with them what metrics loaded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from cupel.engines.ray_cluster import cluster
from cupel.errors import CupelError

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Sequence[Item]], list[Result]]

AHEAD = 3
"""Chunks for each processor that are under way."""
ATTEMPTS = 5
"""How often a chunk is started again when the process that worked on it is lost."""


@contextmanager
def over_cluster(
    address: str | None = None, workers: int | None = None
) -> Iterator[Callable[[Work[Item, Result], Iterator[list[Item]]], Iterator[list[Result]]]]:
    """What maps a function over chunks on the cluster at an address, or on one of this machine."""
    with cluster(address, workers) as ray:

        def spread(
            work: Work[Item, Result], chunks: Iterator[list[Item]]
        ) -> Iterator[list[Result]]:
            task = ray.remote(num_cpus=1, max_retries=ATTEMPTS)(_answered)
            shared = ray.put(work)
            most = AHEAD * max(1, workers or int(ray.cluster_resources().get("CPU", 1)))
            waiting: deque[Any] = deque()
            for chunk in chunks:
                waiting.append(task.remote(shared, chunk))
                if len(waiting) >= most:
                    yield _result(ray, waiting.popleft())
            while waiting:
                yield _result(ray, waiting.popleft())

        yield spread


def _answered(work: Work[Item, Result], chunk: Sequence[Item]) -> list[Result] | str:
    """The results, or the sentence of an error: an error itself would come back as one of Ray's."""
    try:
        return work(chunk)
    except CupelError as error:
        return str(error)


def _result(ray: Any, waiting: Any) -> Any:
    try:
        answer = ray.get(waiting)
    except ray.exceptions.RayError as error:
        line = str(error).strip().splitlines()[-1].rstrip(".")
        raise CupelError(f"The cluster failed: {line}.") from error
    if isinstance(answer, str):
        raise CupelError(answer)
    return answer

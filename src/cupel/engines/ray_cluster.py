"""A Ray cluster for the time of a run: one that is there, or one on this machine alone.

Ray is quiet here, sends no usage statistics and opens no dashboard. Where it is not installed, or
the cluster cannot be reached, one sentence says so.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from cupel.errors import CupelError, MissingPart

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing touches the network but the cluster itself
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
}


def check_ray() -> None:
    """An error with the command that installs Ray, where it is missing."""
    if find_spec("ray") is None or find_spec("pyarrow") is None:
        raise MissingPart("--engine ray needs Ray Data: pip install 'cupel[ray]'.")


@contextlib.contextmanager
def cluster(address: str | None = None, cpus: int | None = None) -> Iterator[Any]:
    """The module `ray`, connected; what was started here is stopped at the end.

    address: of a running cluster, HOST:PORT, or `auto` for that of this machine. cpus: of the
    cluster that is started where no address is given; all, if not said.
    """
    check_ray()
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    import ray

    if ray.is_initialized():  # by a program that uses Cupel, or a test
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is not None and address != "auto" and not _answers(address):
            raise ConnectionError(address)
        with _nothing_on_stderr():
            if address is None:
                ray.init(address="local", num_cpus=cpus, include_dashboard=False, **quiet)
            else:
                ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        if address is None:
            raise CupelError(f"Ray does not start on this machine: {_last_line(error)}.") from error
        raise CupelError(
            f"The Ray cluster at {address} cannot be reached: start it, or correct the address."
        ) from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _nothing_on_stderr() -> Iterator[None]:
    """Ray's core writes lines of its own to standard error when it starts."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _answers(address: str, seconds: float = 5.0) -> bool:
    """Whether something listens there; Ray itself would try for minutes."""
    import asyncio

    host, _, port = address.rpartition(":")

    async def connect() -> None:
        _, writer = await asyncio.open_connection(host, int(port))
        writer.close()

    try:
        asyncio.run(asyncio.wait_for(connect(), seconds))
    except (OSError, ValueError, TimeoutError):
        return False
    return True


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")

"""Start the service, and stop it cleanly.

On SIGTERM or Ctrl-C requests that are inside are finished, others are refused with 503 as long as that
takes, and then the process ends with 0. A second signal ends it at once.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import uvicorn

from cupel.adapters.service.app import application
from cupel.adapters.service.batching import Service
from cupel.adapters.service.counters import Counters
from cupel.adapters.service.settings import Settings, abilities_of
from cupel.console import warn
from cupel.errors import CupelError
from cupel.metrics.by_language import metrics_for

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def serve(specs: Sequence[str], settings: Settings, host: str, port: int) -> None:
    """Answer requests until the process is asked to stop. port: 0 takes any that is free."""
    offered = abilities_of(metrics_for(specs, settings.language_pair))
    with _listening(host, port) as listening:
        if host not in LOOPBACK:
            warn(
                f"At {host} other machines may reach the service, which asks nobody for a password."
            )
        asyncio.run(_serve(specs, settings, offered, listening))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends answers without waiting for more to send (TCP_NODELAY).
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise CupelError(
            f"The service cannot listen at {host}, port {port}: {error.strerror or error}."
        ) from None
    return listening


async def _serve(
    specs: Sequence[str], settings: Settings, offered: Any, listening: socket.socket
) -> None:
    service = Service(specs, settings, Counters())
    await service.start()
    config = uvicorn.Config(
        application(service, offered),
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    host, port, *_ = listening.getsockname()
    shown = f"[{host}]" if ":" in host else host
    note = f"Serving {', '.join(specs)} at http://{shown}:{port} (stop with Ctrl-C)."
    try:
        await _Server(config, service, note).serve(sockets=[listening])
    finally:
        service.end()


class _Server(uvicorn.Server):  # type: ignore[misc]
    """One that goes on listening while the service finishes what it has, to refuse the rest."""

    def __init__(self, config: Any, service: Service, note: str) -> None:
        super().__init__(config)
        self._service = service
        self._note = note
        self._loop = asyncio.get_running_loop()
        self._stopping: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        warn(self._note)

    def handle_exit(self, sig: int, frame: object) -> None:
        """A signal: stop when all is answered; at the second one, at once."""
        if self._stopping or self._service.stopping:
            self.should_exit = self.force_exit = True
        else:
            self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self._stopping = self._loop.create_task(self._finish())

    async def _finish(self) -> None:
        with suppress(OSError):  # nobody may read standard error any more
            warn(f"Stopping: {self._service.inside} requests are being finished.")
        await self._service.drain()
        self.should_exit = True

"""The addresses of the service: what is done with a request, and what everybody gets to see."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from cupel import __version__
from cupel.adapters.service import page
from cupel.adapters.service.batching import Service
from cupel.adapters.service.openapi import document
from cupel.adapters.service.requests import OPERATIONS, Refusal, task_of
from cupel.adapters.service.settings import Ability
from cupel.adapters.service.work import error

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
WORDS = {
    404: "There is nothing at this address; /docs lists what there is.",
    405: "This address does not take this method; /docs says which one it takes.",
}


def application(service: Service, offered: Mapping[str, Ability]) -> Counted:
    """The ASGI application."""
    description = document(list(offered), service.settings)
    front, docs = page.front(offered), page.docs(description)

    async def health(request: Request) -> Response:
        ready = service.workers_alive
        words = "stopping" if service.stopping else "ok" if ready else "no worker is ready"
        content = {
            "status": words,
            "version": __version__,
            "workers": ready,
            "waiting": service.waiting,
            "metrics": list(offered),
        }
        return JSONResponse(content, 200 if words == "ok" else 503, SAFE)

    async def metrics(request: Request) -> Response:
        gauges = {
            "cupel_queue_requests": ("Requests inside, waiting or computed.", service.inside),
            "cupel_queue_limit": ("Requests that may be inside.", service.settings.max_queue),
            "cupel_workers": ("Worker processes that are ready.", service.workers_alive),
        }
        kind = "text/plain; version=0.0.4"
        return PlainTextResponse(service.counters.text(gauges), headers=SAFE, media_type=kind)

    def shown(html: page.Html) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            policy = {"Content-Security-Policy": f"{html.policy}; frame-ancestors 'none'"}
            return HTMLResponse(html.text, headers=SAFE | policy)

        return endpoint

    async def openapi(request: Request) -> Response:
        return JSONResponse(description, headers=SAFE)

    routes = [
        Route("/", shown(front)),
        Route("/docs", shown(docs)),
        Route("/openapi.json", openapi),
        Route("/health", health),
        Route("/metrics", metrics),
        *(
            Route(f"/{name}", _operation(name, service, offered), methods=["POST"])
            for name in OPERATIONS
        ),
    ]
    handlers = {HTTPException: _refused_address, Exception: _failed}
    app = Starlette(routes=routes, exception_handlers=handlers)
    return Counted(app, service, {route.path for route in routes})


def _operation(
    name: str, service: Service, offered: Mapping[str, Ability]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            _check_kind(request)
            with service.admitted() as deadline:
                body = await _body(request, service.settings.max_body, deadline)
                task = task_of(name, body, offered)
                status, content = await service.answer(task, deadline)
        except Refusal as refusal:
            return _error(refusal.status, refusal.sentence)
        if status == 200:
            service.counters.task(task.metrics, task.segments)
        return Response(content, status, SAFE, "application/json")

    return endpoint


def _check_kind(request: Request) -> None:
    """A page of another site cannot send this type without asking first, and gets no permission."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refusal(
            415, f"The content type must be application/json, not {kind[:60] or 'missing'!r}."
        )


async def _body(request: Request, limit: int, deadline: float) -> bytes:
    """The bytes of a request, read no further than the limit."""
    too_large = Refusal(413, f"The body is larger than the {limit:,} bytes that are allowed.")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > limit:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout_at(deadline):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise too_large
    except TimeoutError:
        raise Refusal(408, "The body did not arrive in time.") from None
    except ClientDisconnect:
        raise Refusal(400, "The connection was closed before the body had arrived.") from None
    return bytes(body)


def _error(status: int, sentence: str) -> Response:
    headers = {**SAFE, "Retry-After": "1"} if status in (429, 503) else SAFE
    return Response(error(sentence), status, headers, "application/json")


async def _refused_address(request: Request, refusal: Any) -> Response:
    response = _error(refusal.status_code, WORDS.get(refusal.status_code, str(refusal.detail)))
    response.headers.update(refusal.headers or {})
    return response


async def _failed(request: Request, failure: Exception) -> Response:
    return _error(500, "The service failed on this request; its log has the reason.")


class Counted:
    """An ASGI application that counts the requests of another, with their status and time."""

    def __init__(self, app: Starlette, service: Service, paths: set[str]) -> None:
        self.app, self.service, self.paths = app, service, paths

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        start, status = time.perf_counter(), 500

        async def counting(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, counting)
        finally:
            path = scope["path"] if scope["path"] in self.paths else "other"
            self.service.counters.request(path, status, time.perf_counter() - start)

"""How much a request may bring: what is more is taken off the line, kept nowhere, and answered by 413."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from rori_spiders.monitor.errors import Refused, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 20
#: A manifest of 5 MB as a JSON text, whose quotes and ends of lines take two characters each.
MOST_BYTES_OF_MANIFEST = 12 << 20
_MANIFESTS = "/api/manifests"
#: A browser that is cut off while it sends shows no answer: so much is read first, and thrown away.
_DRAINED = 64 << 20


class BodyLimit:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = MOST_BYTES_OF_MANIFEST if scope["path"].startswith(_MANIFESTS) else MOST_BYTES
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > most:
            await _drain(receive)
            await answer(_too_large(most))(scope, receive, send)
            return
        await self._app(scope, _Counting(receive, most), send)


class _Counting:
    """``receive`` for a body whose length was not announced, or not truly."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._came = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._came += len(message.get("body", b""))
        if self._came > self._most:
            if message.get("more_body", False):
                await _drain(self._receive)
            raise _too_large(self._most)
        return message


async def _drain(receive: Receive) -> None:
    came, more = 0, True
    while more and came < _DRAINED:
        message = await receive()
        came += len(message.get("body", b""))
        more = message.get("more_body", False)


def _too_large(most: int) -> Refused:
    return Refused(413, "too_large", f"This is more than {most >> 20} MiB.", limit_bytes=most)

"""ASGI middleware: limit bodies, answer unforeseen errors, set security headers."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rori_spiders.monitor.rest.errors import ApiError, error_response, internal_error

MAX_BODY_BYTES = 1 << 20
#: A manifest of 5 MB as a JSON text, whose quotes and ends of lines take two characters each.
MAX_MANIFEST_BYTES = 12 << 20
_MANIFESTS_PATH = "/api/v1/manifests"
#: A browser that is cut off while it sends shows no answer: so much is read first, and thrown away.
_MAX_DRAINED_BYTES = 64 << 20


class BodyLimitMiddleware:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = MAX_MANIFEST_BYTES if scope["path"].startswith(_MANIFESTS_PATH) else MAX_BODY_BYTES
        announced = Headers(scope=scope).get("content-length", "0")
        if announced.isdecimal() and int(announced) > most:
            await _drain_body(receive)
            await error_response(_too_large_error(most))(scope, receive, send)
            return
        await self._app(scope, _CountingReceive(receive, most), send)


class _CountingReceive:
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
                await _drain_body(self._receive)
            raise _too_large_error(self._most)
        return message


async def _drain_body(receive: Receive) -> None:
    came, more = 0, True
    while more and came < _MAX_DRAINED_BYTES:
        message = await receive()
        came += len(message.get("body", b""))
        more = message.get("more_body", False)


def _too_large_error(most: int) -> ApiError:
    return ApiError(413, "too_large", f"The request is larger than {most >> 20} MiB.", limit_bytes=most)


# An unexpected error is one line in the log and one response in the usual format, never a traceback.


class UnhandledErrorMiddleware:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # it is logged, and answered
            refused = error if isinstance(error, ApiError) else internal_error(error)
            if not begun and scope["type"] == "http":
                await error_response(refused)(scope, receive, send)


# Headers of every response: run only our own files, allow no frames, store nothing.

PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer` browsers send forms with the origin `null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
}
_HSTS = "max-age=31536000"


class SecurityHeadersMiddleware:
    """ASGI middleware, outermost. A header that an answer has set itself stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                seen = scope.get("state", {}).get("visitor")
                if seen is not None and seen.https:
                    headers.setdefault("strict-transport-security", _HSTS)
            await send(message)

        await self._app(scope, receive, sent)

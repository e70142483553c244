"""HTTP/1.1 as we take it: Scrapy's lenient parser of Twisted's client, with the bounds that it lacks.

* The head of an answer, interim answers included, has at most MAX_HEAD_BYTES, and at most MAX_INTERIM interim answers.
* What does not begin with a status line of HTTP/1 with a status of 100 to 599 is not an answer.
* A body without a declared length, whose connection was lost instead of closed, is truncated.
* A body that goes on after its announced end is not the one that was meant: a Content-Length that is too small would
  make half a page of a page. What comes too much never reaches the next request on that connection.
"""

from __future__ import annotations

import re
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.utils.asyncio import CallLaterResult, call_later
from twisted.internet.defer import Deferred, gatherResults, succeed
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool, ResponseFailed

from rori_spiders.crawl.scrapy_internals.http_client import (
    DataLoss,
    IdentityTransferDecoder,
    LenientClientFactory,
    LenientClientParser,
    LenientClientProtocol,
    end_body,
)
from rori_spiders.crawl.tiers.errors import BadResponse, TooLarge
from rori_spiders.crawl.tiers.http.memory_budget import SMALL_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from twisted.internet.interfaces import IAddress
    from twisted.web._newclient import Request as TxRequest
    from twisted.web.iweb import IResponse

    BodyGate = Callable[[Callable[[], object]], bool]

#: What Chromium takes (net/http/http_stream_parser.h); Twisted bounds a line, never their number.
MAX_HEAD_BYTES = 256 * 1024
#: One or two are sent in practice (100, 103); curl 8.5 gives up for the size of the head alone.
MAX_INTERIM = 16
#: Half the least spacing (2 s): what a server sends too much, and late, is there by then.
QUIET_PERIOD_S = 1.0
_LOOK_S = 15.0
_STATUS_LINE = re.compile(rb"HTTP/1\.\d ([1-5]\d\d)(?: |$)")


class GuardedParser(LenientClientParser):
    """Parses one answer. Has no ``__init__``: it takes the place of a parser that was made already."""

    telling: ClassVar[GuardedParser | None] = None
    MAX_LENGTH = MAX_HEAD_BYTES
    head_bytes = 0
    interim = 0
    surplus = False
    body_bytes = 0
    gate: BodyGate | None = None

    def allHeadersReceived(self) -> None:  # noqa: N802
        """Scrapy's `headers_received` is sent from inside of this: whoever hears it finds the parser that tells."""
        GuardedParser.telling = self
        try:
            super().allHeadersReceived()  # type: ignore[no-untyped-call]
        finally:
            GuardedParser.telling = None

    def rawDataReceived(self, data: bytes) -> None:  # noqa: N802
        """The first bytes above SMALL ask for room; the others come when there is some."""
        before, self.body_bytes = self.body_bytes, self.body_bytes + len(data)
        if self.gate is not None and before <= SMALL_BODY_BYTES < self.body_bytes and not self.gate(self._go_on):
            self.transport.pauseProducing()  # type: ignore[union-attr]
        super().rawDataReceived(data)  # type: ignore[no-untyped-call]

    def _go_on(self) -> None:
        self.transport.resumeProducing()  # type: ignore[union-attr]

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 (Twisted's name)
        self.head_bytes += len(line) + 1
        if self.head_bytes > MAX_HEAD_BYTES:
            self.lineLengthExceeded(line)
        super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:  # noqa: N802
        raise TooLarge(f"response headers of more than {MAX_HEAD_BYTES} bytes")

    def statusReceived(self, status: bytes) -> None:  # noqa: N802
        found = _STATUS_LINE.match(status)
        if found is None:
            raise BadResponse(f"its status line is {status[:60]!r}")
        if found[1] == b"101":
            raise BadResponse("HTTP 101: the server switched to a protocol that was not requested")
        if found[1].startswith(b"1"):
            self.interim += 1
        if self.interim > MAX_INTERIM:
            raise TooLarge(f"more than {MAX_INTERIM} interim (1xx) responses")
        super().statusReceived(status)  # type: ignore[no-untyped-call]

    def _finished(self, rest: bytes) -> None:
        self.surplus = bool(rest.strip())  # old servers send an empty line too many
        super()._finished(rest)  # type: ignore[no-untyped-call]

    def connectionLost(self, reason: Failure | None = None) -> None:  # noqa: N802
        """The end of the answer, not only of the connection: Twisted calls it for both."""
        loss = self._loss(reason)
        if loss is None:
            super().connectionLost(reason)
        else:
            torn: Any = ResponseFailed
            end_body(
                self.response, _wrap_failure(torn([_wrap_failure(loss), _wrap_failure(DataLoss())], self.response))
            )

    def _loss(self, reason: Failure | None) -> Exception | None:
        if self.bodyDecoder is None:
            return None
        if self.surplus:
            return BadResponse("the body is longer than its Content-Length")
        has_no_length = isinstance(self.bodyDecoder, IdentityTransferDecoder) and self.bodyDecoder.contentLength is None
        if has_no_length and not _is_clean_close(reason):
            return ConnectionError("the connection was lost")
        return None


class GuardedProtocol(LenientClientProtocol):
    """One connection, used for one request after another."""

    def request(self, request: TxRequest) -> Deferred[IResponse]:
        answered = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = GuardedParser
        return answered

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._parser is None:  # nobody asked: it must not be taken for the answer to the next request
            self.abort()  # type: ignore[no-untyped-call]
        else:
            super().dataReceived(data)  # type: ignore[no-untyped-call]

    def _finishResponse_WAITING(self, rest: bytes) -> None:  # noqa: N802
        if self._parser is not None and self._currentRequest is not None and (rest or _asks_to_close(self._parser)):
            self._currentRequest.persistent = False
        super()._finishResponse_WAITING(rest)

    def _giveUp(self, reason: Failure) -> None:  # noqa: N802
        """A polite end (TLS) would wait for a peer that never stops sending."""
        if not _is_clean_close(reason):
            self.transport.abortConnection()  # type: ignore[union-attr]
        super()._giveUp(reason)  # type: ignore[no-untyped-call]


class GuardedFactory(LenientClientFactory):
    """Makes the connections of the pool."""

    def buildProtocol(self, addr: IAddress | None) -> GuardedProtocol:  # noqa: N802
        return GuardedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class QuietPeriodPool(HTTPConnectionPool):
    """A connection serves again only after it was silent for REST_S: what arrives meanwhile ends it.

    Keeps Twisted's limits, but looks only now and then whether they are exceeded: a timer for each connection and each
    answer costs more than all else that a pool does.
    """

    _factory = GuardedFactory

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]  # Twisted's is untyped
        self._idle: dict[Any, deque[tuple[float, GuardedProtocol]]] = {}  # by key: since when, the oldest first
        self._look: CallLaterResult | None = None

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[Any]:  # noqa: N802 (Twisted's name)
        idle = self._idle.get(key)
        while idle and idle[0][0] <= monotonic() - QUIET_PERIOD_S:
            _, connection = idle.popleft()
            if connection.state == "QUIESCENT":
                return succeed(connection)
        return self._newConnection(key, endpoint)

    def _putConnection(self, key: Any, connection: GuardedProtocol) -> None:  # noqa: N802
        self._idle.setdefault(key, deque()).append((monotonic(), connection))
        if self._look is None:
            self._look = call_later(_LOOK_S, self._close_idle)

    def _close_idle(self) -> None:
        """Close those that nobody has needed for long, and of one server those that are too many."""
        self._look = None
        now = monotonic()
        for key, idle in list(self._idle.items()):
            while idle and idle[0][0] <= now - QUIET_PERIOD_S and self._is_too_much(idle, now):
                idle.popleft()[1].transport.loseConnection()  # type: ignore[union-attr, misc]  # zope
            if not idle:
                del self._idle[key]
        if self._idle:
            self._look = call_later(_LOOK_S, self._close_idle)

    def _is_too_much(self, idle: deque[tuple[float, GuardedProtocol]], now: float) -> bool:
        since, connection = idle[0]
        is_old = since <= now - self.cachedConnectionTimeout
        return len(idle) > self.maxPersistentPerHost or is_old or connection.state != "QUIESCENT"

    def closeCachedConnections(self) -> Deferred[None]:  # noqa: N802
        if self._look is not None:
            self._look.cancel()
            self._look = None
        idle = [connection for of_key in self._idle.values() for _, connection in of_key]
        self._idle.clear()
        closed = gatherResults([connection.abort() for connection in idle])  # type: ignore[no-untyped-call]
        return closed.addCallback(lambda _: None)


def _wrap_failure(error: Exception) -> Failure:
    return Failure(error)  # type: ignore[no-untyped-call]


def _is_clean_close(reason: Failure | None) -> bool:
    return reason is None or bool(reason.check(ConnectionDone))  # type: ignore[no-untyped-call]


def _asks_to_close(parser: Any) -> bool:
    """In any case, and among other words, which Twisted overlooks; HTTP/1.0 keeps a connection only if it says so."""
    words = {
        word.strip().lower()
        for value in parser.connHeaders.getRawHeaders(b"Connection", ())
        for word in value.split(b",")
    }
    return b"close" in words or (parser.response.version[1:] == (1, 0) and b"keep-alive" not in words)

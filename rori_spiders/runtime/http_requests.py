"""One HTTP request to a server that the operator names: a whole answer within its time and its size, or a failure.

A socket's timeout begins anew with each byte, so a server that sends one now and then would be waited for for ever.
The request is made in a thread, and its connection is shut when the time is over.
"""

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_AGENT = "RORI-Collector"


class RequestFailed(Exception):
    """Raised when a server gave no whole answer; the message says why, without the URL, which may hold a secret."""


class Answer(NamedTuple):
    """The status, and the first bytes of the body."""

    status: int
    body: bytes


def send_request(
    method: str,
    url: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float,
    max_bytes: int,
) -> Answer:
    """Send one request, without redirects and retries; at most *max_bytes* of the answer's body are read.

    Raises RequestFailed when the server cannot be reached, breaks HTTP, or has not answered after *timeout_s* seconds.
    """
    import urllib3  # loaded where something is sent

    request = _Request(method, url, body, {"user-agent": _AGENT, **(headers or {})}, timeout_s, max_bytes)
    try:
        return call_within(timeout_s, request.ask)
    except TimeoutError as error:
        request.shut()
        raise RequestFailed(f"the server did not respond in full within {timeout_s:g} s") from error
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise RequestFailed(f"the server did not respond ({type(error).__name__})") from error


class _Request:
    """A request whose connection another thread can shut."""

    def __init__(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], timeout_s: float, max_bytes: int
    ) -> None:
        self._method, self._url, self._body, self._headers = method, url, body, headers
        self._timeout_s, self._max_bytes = timeout_s, max_bytes
        self._connections: list[Any] = []

    def shut(self) -> None:
        """End what is still going on: a thread that waits for the server ends too."""
        for connection in self._connections:
            with suppress(OSError, AttributeError):  # it is closed already
                connection.sock.shutdown(socket.SHUT_RDWR)

    def ask(self) -> Answer:
        import urllib3

        with urllib3.connection_from_url(self._url, timeout=urllib3.Timeout(total=self._timeout_s)) as pool:
            made = pool.ConnectionCls
            pool.ConnectionCls = type(made.__name__, (made,), {"connect": self._connect_and_note(made)})
            answer = pool.request(
                self._method,
                urllib3.util.parse_url(self._url).request_uri,
                body=self._body,
                headers=self._headers,
                redirect=False,
                retries=False,
                preload_content=False,
            )
            return Answer(answer.status, bytes(answer.read(self._max_bytes)))

    def _connect_and_note(self, made: Any) -> Any:
        def connect(connection: Any) -> None:
            made.connect(connection)
            self._connections.append(connection)

        return connect


def call_within(timeout_s: float, call: Callable[[], T]) -> T:
    """Return what *call* returns, or raise what it raises. Raises TimeoutError when it goes on after *timeout_s*,
    whatever it waits for: a library's own timeouts may begin anew with each byte.

    What goes on is left behind in a thread that does not keep the process.
    """
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # it is raised in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True, name="call with a deadline")
    thread.start()
    thread.join(timeout_s)
    if errors:
        raise errors[0]
    if results:
        return results[0]
    raise TimeoutError(f"not over within {timeout_s:g} s")

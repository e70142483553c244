"""A server that the operator named, and that answers slowly, too much, wrongly, or with a redirect."""

from __future__ import annotations

import itertools
from threading import Event
from typing import TYPE_CHECKING

import pytest

from rori_spiders.runtime.http_requests import Answer, RequestFailed, send_request
from tests.hostile.server import Endpoint, HostileServer, html
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.hostile.server import Wire

_OK = b"HTTP/1.1 200 OK\r\n"
_LONG = _OK + b"Content-Length: 100000\r\n\r\n"


class Dripping:
    """An endpoint that sends *begin*, and then a piece every twentieth of a second, until the client leaves."""

    def __init__(self, begin: bytes, pieces: Callable[[], Iterable[bytes]]) -> None:
        self.was_left = Event()
        self._begin, self._pieces = begin, pieces

    def __call__(self, wire: Wire) -> None:
        wire.send(self._begin).drip(self._pieces(), every=0.05)
        if not wire.alive:
            self.was_left.set()


DRIPPING = {
    "/status": Dripping(b"", lambda: (bytes([one]) for one in itertools.cycle(b"HTTP"))),
    "/headers": Dripping(_OK, lambda: (f"X-{number}: y\r\n".encode() for number in itertools.count())),
    "/body": Dripping(_LONG, lambda: itertools.repeat(b"x")),
}


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    endpoints = {
        **{path: Endpoint(one) for path, one in DRIPPING.items()},
        "/taken?key=1": Endpoint(html(b"thanks")),
        "/much": Endpoint(html(b"x" * 5000)),
        "/moved": Endpoint(b"HTTP/1.1 302 Found\r\nLocation: /taken?key=1\r\nContent-Length: 0\r\n\r\n"),
        "/garbage": Endpoint(b"\x00\xff nonsense\r\n\r\n"),
    }
    with HostileServer(next_address(), endpoints) as serving:
        yield serving


def _send(server: HostileServer, path: str, timeout_s: float = 30.0) -> Answer:
    return send_request("POST", server.url + path, body=b"{}", timeout_s=timeout_s, max_bytes=1000)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("path", DRIPPING)
def test_send_request_dripping_server_is_given_up(server: HostileServer, path: str) -> None:
    with pytest.raises(RequestFailed, match=r"did not respond in full within 0\.3 s"):
        _send(server, path, timeout_s=0.3)
    assert DRIPPING[path].was_left.wait(30), "its connection is shut, else each attempt would leave a thread behind"


def test_send_request_answer_is_cut_at_its_maximum(server: HostileServer) -> None:
    assert _send(server, "/taken?key=1") == (200, b"thanks")
    assert _send(server, "/much") == (200, b"x" * 1000)


def test_send_request_redirect_is_an_answer(server: HostileServer) -> None:
    before = server.hits["/taken?key=1"]
    assert _send(server, "/moved").status == 302
    assert server.hits["/taken?key=1"] == before


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/secret", "http://[::1/secret", "ftp://127.0.0.1/secret"])
def test_send_request_unreachable_server_fails_without_its_url(url: str) -> None:
    with pytest.raises(RequestFailed, match="did not respond") as failed:
        send_request("GET", url, timeout_s=30, max_bytes=1000)
    assert "secret" not in str(failed.value)


def test_send_request_broken_answer_fails(server: HostileServer) -> None:
    with pytest.raises(RequestFailed, match=r"did not respond \("):
        _send(server, "/garbage")

"""The browser's way out, spoken to as Chromium speaks to a proxy: what passes, what does not, and what is cut off."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError

from rori_spiders.crawl.tiers.browser.egress_proxy import Allowance, EgressProxy, rewrite_response_head
from rori_spiders.crawl.tiers.refusals import AddressNotPublic
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.server import Site


async def resolve(host: str, port: int) -> Sequence[str]:
    """As the program's resolver would answer, where `site.test` is public and `inside.test` is not."""
    if host == "inside.test":
        raise AddressNotPublic("inside.test (10.0.0.1) is not a public address", f"http://{host}:{port}/")
    if host == "nowhere.test":
        raise CannotResolveHostError(host)
    return ["127.0.0.1"] if host == "closed.test" else [host.removesuffix(".site.test").replace("-", ".")]


def said(sent: bytes, allowance: Allowance | None, *, then_cut: bool = False) -> bytes:
    """What a client hears that says *sent*; nothing where it is cut off."""

    async def talk() -> bytes:
        egress = EgressProxy(resolve)
        address = await egress.open()
        egress.allowance = allowance
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
        writer.write(sent)
        if then_cut:
            await asyncio.sleep(0)
            egress.cut()
        try:
            async with asyncio.timeout(20):
                return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()
            egress.close()

    return asyncio.run(talk())


def name(site: Site) -> str:
    return f"{site.host.replace('.', '-')}.site.test:{site.port}"


def plenty() -> Allowance:
    return Allowance(10, 1_000_000)


def test_proxy_passes_request_once_and_closes_connection(site: Site) -> None:
    site.page("/a", "whole")
    sent = f"GET http://{name(site)}/a?b=1 HTTP/1.1\r\nHost: {name(site)}\r\nProxy-Connection: keep-alive\r\n\r\n"
    heard = said(sent.encode(), allowance := plenty())
    assert heard.startswith(b"HTTP/1.1 200 ")
    [hit] = site.log.hits()
    assert hit.path == "/a?b=1"
    assert "proxy-connection" not in hit.headers
    assert hit.headers["connection"] == "close"
    assert allowance.peers == {(name(site).partition(":")[0], site.port): site.host}


def test_proxy_drops_what_follows_request(site: Site) -> None:
    """It may cut off the first one, which comes to the server once or not at all."""
    site.page("/a", "whole")
    first = f"GET http://{name(site)}/a HTTP/1.1\r\nHost: {name(site)}\r\n\r\n"
    second = f"GET http://{name(site)}/second HTTP/1.1\r\nHost: {name(site)}\r\n\r\n"
    heard = said((first + second).encode(), plenty())
    assert heard.startswith(b"HTTP/1.1 200 ") or heard == b""
    assert [hit.path for hit in site.log.hits()] in (["/a"], [])


def test_proxy_response_says_that_connection_closes() -> None:
    head = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nX: y\r\n\r\n"
    assert rewrite_response_head(head) == b"HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\n"


def test_proxy_tunnel_carries_bytes_unchanged(site: Site) -> None:
    site.page("/a", "whole")
    asked = f"CONNECT {name(site)} HTTP/1.1\r\n\r\nGET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    heard = said(asked.encode(), plenty())
    assert heard.startswith(b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 ")
    assert heard.endswith(b"whole")


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("inside.test", AddressNotPublic),
        ("nowhere.test", CannotResolveHostError),
        ("closed.test", DownloadConnectionRefusedError),
    ],
)
@pytest.mark.parametrize("way", ["GET http://{}/ HTTP/1.1", "CONNECT {} HTTP/1.1"])
def test_proxy_forbidden_address_gives_no_page(host: str, why: type[Exception], way: str) -> None:
    heard = said(f"{way.format(host + ':9')}\r\nHost: {host}\r\n\r\n".encode(), allowance := plenty())
    assert heard == b"" if way.startswith("GET") else heard.startswith(b"HTTP/1.1 502 ")
    assert type(allowance.failures[(host, 9)]) is why


@cases(
    "asked",
    [
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET ftp://x/ HTTP/1.1\r\n\r\n",
        "GET https://x/ HTTP/1.1\r\n\r\n",
        "CONNECT x HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
        "POST http://127-0-0-1.site.test:9/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\nX: " + "x" * 400_000 + "\r\n\r\n",
    ],
)
def test_proxy_does_not_answer_what_no_browser_sends(asked: str) -> None:
    assert said(asked.encode(), plenty()) == b""


def test_proxy_without_open_page_lets_nothing_pass(site: Site) -> None:
    assert said(f"GET http://{name(site)}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode(), None) == b""
    assert site.log.hits() == []


def test_proxy_limits_bytes_and_connections_of_page(site: Site) -> None:
    site.page("/a", "x" * 100_000)
    told: list[str] = []
    asked = f"GET http://{name(site)}/a HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    assert len(said(asked, Allowance(10, 10_000, told.append))) < 100_000
    assert said(asked, Allowance(0, 10_000, told.append)) == b""
    assert told == ["downloaded too many bytes", "opened too many connections"]


def test_proxy_aborts_transfers_of_page_that_is_left(site: Site) -> None:
    site.slow("/a", "late")
    assert said(f"GET http://{name(site)}/a HTTP/1.1\r\nHost: x\r\n\r\n".encode(), plenty(), then_cut=True) == b""

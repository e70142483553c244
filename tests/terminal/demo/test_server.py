"""The demo's server: types, validators, the clock, and the answers where there is no page."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from rori_spiders.terminal.demo.server import BUILT_FOR, serve_folder
from rori_spiders.terminal.demo.working_copy import edit_figure, packaged_site
from tools.demo_site.site import BLOCKED, GONE, MISSING
from tools.demo_site.template import BASE

if TYPE_CHECKING:
    from pathlib import Path

LIVE = "/rules-policy/regulations/1007/103/"
STILL = "/rules-policy/regulations/1006/1/"
PDF = "/documents/2014/12/29/2014-30405/adjustment-to-asset-size-exemption-threshold/2014-30405.pdf"


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        return self.body.decode()


def ask(base: str, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = HTTPConnection(urlsplit(base).netloc, timeout=20)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        (STILL, "text/html; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/sitemap.xml", "application/xml"),
        ("/data/CFR-2012-title12-vol8-part1006.xml", "application/xml"),
        (PDF, "application/pdf"),
        ("/static/site.css", "text/css"),
        ("/static/seal.svg", "image/svg+xml"),
    ],
)
def test_demo_server_files_have_content_types(base: str, path: str, content_type: str) -> None:
    answer = ask(base, path)
    assert (answer.status, answer.headers["content-type"]) == (200, content_type)
    assert answer.headers["content-length"] == str(len(answer.body))


def test_demo_server_unchanged_page_is_a_304(base: str) -> None:
    first = ask(base, STILL)
    assert ask(base, STILL, If_None_Match=first.headers["etag"]).status == 304
    assert ask(base, STILL, If_Modified_Since=first.headers["last-modified"]).status == 304
    assert ask(base, STILL, If_None_Match='"other"', If_Modified_Since=first.headers["last-modified"]).status == 200
    assert ask(base, STILL, If_Modified_Since="Mon, 02 Jan 2012 00:00:00 GMT").body == first.body


def test_demo_server_page_with_clock_is_always_sent(base: str) -> None:
    first, second = ask(base, LIVE), ask(base, LIVE, If_None_Match="*")
    assert "etag" not in first.headers
    assert "last-modified" not in first.headers
    assert re.search(r"Current time: \d\d:\d\d:\d\d<", first.text)
    token = re.compile(r'csrf_token" value="([0-9a-f]{32})"')
    tokens = [found[1] for answer in (first, second) if (found := token.search(answer.text))]
    assert len(set(tokens)) == 2
    assert "#echo" not in first.text


def test_demo_server_head_has_headers_without_body(base: str) -> None:
    answer = ask(base, STILL, method="HEAD")
    assert answer.body == b""
    assert answer.headers["content-length"] == str(len(ask(base, STILL).body))


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        (GONE, 410, "This page has been removed"),
        (MISSING, 404, "Page not found"),
        (BLOCKED, 200, "Federal Register :: Request Access"),
        ("/nothing", 404, "Page not found"),
        ("/_answers/answers.json", 404, "Page not found"),
        ("/_answers/gone.html", 404, "Page not found"),
        ("/../../etc/passwd", 404, "Page not found"),
        ("/%2e%2e/%2e%2e/etc/passwd", 404, "Page not found"),
        ("/a%00b", 404, "Page not found"),
        ("/static/site.css/", 404, "Page not found"),
        ("/" + "x" * 3000, 404, "Page not found"),
    ],
)
def test_demo_server_missing_page_is_a_404(base: str, path: str, status: int, title: str) -> None:
    answer = ask(base, path)
    assert answer.status == status
    assert f"<title>{title}" in answer.text


def test_demo_server_blocked_page_has_reason(base: str) -> None:
    text = " ".join(ask(base, BLOCKED).text.split())
    assert "programmatic access to these sites is limited to access to our extensive developer APIs" in text


def test_demo_server_folder_without_slash_redirects(base: str) -> None:
    answer = ask(base, STILL.rstrip("/"))
    assert (answer.status, answer.headers["location"]) == (301, STILL)


def test_demo_server_query_is_ignored(base: str) -> None:
    assert ask(base, f"{STILL}?utm_source=x").status == 200


def test_demo_server_pages_have_address_of_server(base: str) -> None:
    assert BASE.encode() == BUILT_FOR
    for path in ("/robots.txt", "/sitemap.xml", "/sitemaps/regulation-g.xml", STILL, GONE):
        answer = ask(base, path)
        assert BASE not in answer.text
        assert base in answer.text


def test_demo_server_published_files_are_unchanged(base: str) -> None:
    for name, body in packaged_site().items():
        if name.endswith((".pdf", ".svg")) or name.startswith("data/CFR"):
            assert ask(base, f"/{name}").body == body


def test_demo_server_edited_page_is_served_at_once(base: str, folder: Path) -> None:
    before = ask(base, LIVE).text
    change = edit_figure(folder)
    assert change.page == LIVE
    after = ask(base, LIVE).text
    assert change.before in before
    assert change.after not in before
    assert change.after in after
    assert change.before not in after


def test_demo_server_taken_port_raises_at_once(base: str, folder: Path) -> None:
    port = urlsplit(base).port
    assert port is not None
    with pytest.raises(OSError, match="in use"), serve_folder(folder, port=port):
        pass


def test_demo_server_closed_server_is_gone(folder: Path) -> None:
    with serve_folder(folder) as url:
        assert ask(url, "/").status == 200
    with pytest.raises(ConnectionRefusedError):
        ask(url, "/")


def test_demo_server_port_is_reusable_at_once(folder: Path) -> None:
    with serve_folder(folder) as url:
        port = urlsplit(url).port
        assert port is not None
        kept = HTTPConnection("127.0.0.1", port, timeout=20)
        kept.request("GET", "/")
        kept.getresponse().read()
    with serve_folder(folder, port=port) as again:
        assert again == url
        assert ask(again, "/").status == 200
    kept.close()

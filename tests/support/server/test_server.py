"""The server that judges the collector must itself be right: what it sends, what it counts, how it fails."""

from __future__ import annotations

import gzip
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from typing import TYPE_CHECKING

import pytest

from tests.support.cases import cases
from tests.support.server import Hit, Site, report
from tests.support.server.log import smallest_spacing

if TYPE_CHECKING:
    from collections.abc import Callable


class Answer:
    """A response, read to its end."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()


def ask(site: Site, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = HTTPConnection(site.host, site.port, timeout=20)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=named)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def hit(path: str, at: float, *, host: str = "a.test", in_flight: int = 1) -> Hit:
    return Hit("GET", host, path, {"user-agent": "x"}, b"", at, datetime.now(UTC), in_flight)


def test_site_page_is_served_with_headers(site: Site) -> None:
    site.page("/a", "<p>§ 1</p>", x_robots_tag="noarchive")
    answer = ask(site, "/a")
    assert (answer.status, answer.body.decode()) == (200, "<p>§ 1</p>")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-robots-tag"] == "noarchive"
    assert answer.headers["content-length"] == str(len(answer.body))


def test_site_unscripted_path_is_a_404(site: Site) -> None:
    assert ask(site, "/nothing").status == 404
    assert ask(site, "/robots.txt").status == 404


def test_site_query_may_have_its_own_page(site: Site) -> None:
    site.page("/list", "all")
    site.page("/list?page=2", "second")
    assert ask(site, "/list?page=2").body == b"second"
    assert ask(site, "/list?page=9").body == b"all"


def test_site_head_has_no_body(site: Site) -> None:
    site.page("/a", "12345")
    answer = ask(site, "/a", method="HEAD")
    assert (answer.headers["content-length"], answer.body) == ("5", b"")
    assert site.log.hits("/a")[0].method == "HEAD"


def test_site_robots_and_sitemap(site: Site) -> None:
    site.robots("User-agent: *\nDisallow: /drafts/\n", status=503, retry_after="7")
    site.sitemap(["/a?b=1&c=2", "https://elsewhere.test/x"])
    robots = ask(site, "/robots.txt")
    assert (robots.status, robots.headers["retry-after"], robots.headers["content-type"]) == (503, "7", "text/plain")
    text = ask(site, "/sitemap.xml").body.decode()
    assert f"<loc>{site.url}/a?b=1&amp;c=2</loc>" in text
    assert "<loc>https://elsewhere.test/x</loc>" in text


def test_site_redirect_goes_to_target(site: Site) -> None:
    site.redirect("/old", "http://169.254.169.254/", 308)
    answer = ask(site, "/old")
    assert (answer.status, answer.headers["location"]) == (308, "http://169.254.169.254/")


def test_site_failure_passes_after_given_times(site: Site) -> None:
    site.page("/a", "well")
    site.status("/a", 503, times=2, retry_after="1")
    assert [ask(site, "/a").status for _ in range(3)] == [503, 503, 200]
    site.status("/a", 410)
    assert [ask(site, "/a").status for _ in range(2)] == [410, 410]


@pytest.mark.parametrize("header", ["etag", "last-modified"])
def test_site_conditional_request_is_a_304_until_change(site: Site, header: str) -> None:
    condition = {"etag": "If_None_Match", "last-modified": "If_Modified_Since"}[header]
    site.page("/a", "old", validators=True)
    first = ask(site, "/a")
    known = {condition: first.headers[header]}
    again = ask(site, "/a", **known)
    assert (again.status, again.body) == (304, b"")
    assert again.headers[header] == first.headers[header]
    site.set("/a", "new")
    assert (ask(site, "/a", **known).status, ask(site, "/a").body) == (200, b"new")


def test_site_page_without_validators_is_always_sent(site: Site) -> None:
    site.page("/a", "x")
    assert "etag" not in ask(site, "/a").headers
    assert ask(site, "/a", If_None_Match='"x"', If_Modified_Since="Thu, 01 Jan 2026 00:00:00 GMT").status == 200


def test_site_validators_of_test_win(site: Site) -> None:
    site.page("/a", "x", etag='"mine"')
    assert ask(site, "/a", If_None_Match='W/"mine", "other"').status == 304


def test_site_changing_unknown_page_raises(site: Site) -> None:
    with pytest.raises(KeyError):
        site.set("/nothing", "x")


def test_site_dropped_connection_is_a_reset(site: Site) -> None:
    site.drop("/a")
    with pytest.raises(ConnectionResetError):
        ask(site, "/a")
    assert site.log.hits("/a")[0].status == 0


def test_site_truncated_page_ends_early(site: Site) -> None:
    site.truncated("/a", "x" * 1000)
    with pytest.raises(IncompleteRead) as caught:
        ask(site, "/a")
    assert len(caught.value.partial) == 500


def test_site_gzip_and_bomb(site: Site) -> None:
    site.gzip("/a", "<p>packed</p>")
    answer = ask(site, "/a")
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(answer.body) == b"<p>packed</p>"
    site.bomb("/b", 5_000_000)
    body = ask(site, "/b").body
    assert len(body) < 10_000
    assert len(gzip.decompress(body)) == 5_000_000


def test_site_endless_page_runs_until_client_leaves(site: Site) -> None:
    site.endless("/a", "again ")
    with socket.create_connection((site.host, site.port), timeout=20) as client:
        client.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        got = b""
        while got.count(b"again ") < 3:
            got += client.recv(1000)
    assert b"Content-Length" not in got


def test_site_slow_page_waits_for_test(site: Site) -> None:
    site.page("/a", "at last")
    held = site.slow("/a", times=1)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(ask, site, "/a")
        assert site.log.wait_for("/a").status == 0
        assert site.log.in_flight == 1
        held.release()
        assert asked.result(timeout=20).body == b"at last"
    assert ask(site, "/a").body == b"at last"


def test_site_close_ends_held_and_idle_connections() -> None:
    site = Site("127.0.0.1")
    site.slow("/a", "late")
    kept = HTTPConnection(site.host, site.port, timeout=20)
    kept.request("GET", "/b")
    kept.getresponse().read()
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(ask, site, "/a")
        site.log.wait_for("/a")
        site.close()
        # Answered, reset, or hung up between the headers and the body: what the client sees depends on the moment.
        assert isinstance(asked.exception(timeout=20), ConnectionError | HTTPException | None)
    assert kept.sock is not None
    assert kept.sock.recv(1) == b""
    kept.close()
    with pytest.raises(ConnectionRefusedError):
        ask(site, "/a")


def test_site_log_has_requests_in_order(site: Site) -> None:
    ask(site, "/robots.txt", User_Agent="RORI-Collector/1.0")
    ask(site, "/a?b=1", User_Agent="RORI-Collector/1.0")
    ask(site, "/a?b=1", User_Agent="curl")
    seen = site.report()
    assert seen.first == {site.netloc: "/robots.txt"}
    assert seen.hits == {"/robots.txt": 1, "/a?b=1": 2}
    assert seen.user_agents == {"RORI-Collector/1.0": 2, "curl": 1}
    assert len(seen.gaps) == 2
    assert seen.most_at_once == 1
    assert [one.status for one in site.log.hits()] == [404, 404, 404]


def test_site_concurrency_is_counted_while_replies_are_out(site: Site) -> None:
    held = [site.slow(f"/{n}", "x") for n in range(3)]
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask, site, f"/{n}") for n in range(3)]
        for n in range(3):
            site.log.wait_for(f"/{n}")
        for one in held:
            one.release()
        assert [one.result(timeout=20).status for one in asked] == [200, 200, 200]
    assert site.report().most_at_once == 3
    assert site.log.in_flight == 0


def test_site_cleared_log_starts_again(site: Site) -> None:
    ask(site, "/a")
    site.log.clear()
    assert site.report().hits == {}
    assert site.report().smallest_gap is None
    ask(site, "/b")
    assert site.report().first == {site.netloc: "/b"}


def test_site_wait_for_missing_request_raises(site: Site) -> None:
    with pytest.raises(TimeoutError, match="/never was asked 0 times"):
        site.log.wait_for("/never", timeout=0.01)


def test_site_report_spans_several_servers() -> None:
    figures = report([hit("/b", 14.0, host="b.test"), hit("/a", 10.0), hit("/c", 12.5, in_flight=2)])
    assert figures.first == {"a.test": "/a", "b.test": "/b"}
    assert figures.gaps == (2.5, 1.5)
    assert figures.smallest_gap == 1.5
    assert figures.most_at_once == 2


@cases(
    ("times", "seconds"),
    [
        ((10.0, 11.0, 12.0), 1.0),
        ((10.0, 11.9, 12.0, 13.0), 1.0),  # the second was noted late
        ((10.0, 11.0, 11.0, 12.0), 0.5),  # the second and third left together
        ((10.0, 10.1, 11.0), 0.1),
    ],
)
def test_log_smallest_spacing_allows_for_late_notes(times: tuple[float, ...], seconds: float) -> None:
    assert smallest_spacing([hit("/", at) for at in times]) == pytest.approx(seconds)


def test_site_posted_bodies_are_stored(site: Site) -> None:
    site.page("/hook", "thanks")
    connection = HTTPConnection(site.host, site.port, timeout=20)
    connection.request("POST", "/hook", body=b'{"event": "blocked"}')
    assert connection.getresponse().read() == b"thanks"
    connection.close()
    assert site.log.hits("/hook")[0].body == b'{"event": "blocked"}'


def test_site_addresses_are_separate(sites: Callable[[int], list[Site]]) -> None:
    three = sites(3)
    assert len({one.host for one in three}) == 3
    assert all(one.host.startswith("127.0.") for one in three)
    for number, one in enumerate(three):
        one.page("/", str(number))
    assert [ask(one, "/").body for one in three] == [b"0", b"1", b"2"]


def test_site_internal_fault_fails_test() -> None:
    site = Site()
    site.page("/a", "x", content_type="not\udcffascii")
    with pytest.raises(ConnectionError):
        ask(site, "/a")
    with pytest.raises(BaseExceptionGroup, match="the test server failed"):
        site.close()

"""A canary behind every spelling of a private address, in all that can lead a crawler there: it hears nothing."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from html import escape
from itertools import cycle
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from rori_spiders.urls.canonical import host_of, normalise_url
from tests.crawl.transport.canary import Canary
from tests.support.crawl_output import CrawlOutput, read_reason
from tests.support.pages import page
from tests.support.project import source
from tests.urls.private import PRIVATE, USERINFO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SCHEMES = ("file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/_x", "javascript:alert(1)", "data:text/html,x")
_STATUSES = (301, 302, 303, 307, 308)
_MANIFEST_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f]*:[0-9a-f:.]+")


class Lures:
    """One allowed server, the canary on another port of all loopback addresses, and what one job left."""

    def __init__(self, project: Project, new_site: Callable[[], Site], canary: Canary) -> None:
        self.site, self.wiki, self.canary = new_site(), new_site(), canary
        # The server's own address with the canary's port, and spelt otherwise, is as private as any other.
        own = int.from_bytes(bytes(int(part) for part in self.site.host.split(".")), "big")
        self.hosts = [*PRIVATE, self.site.host, str(own), hex(own), f"[::ffff:{self.site.host}]"]
        named = sorted({name for host in self.hosts if (name := _named(host)) is not None})
        self._script()
        self._mark_up()
        sources = [
            source("lured", self.site.at("/"), "crawl", allowed_hosts=named, scrape_config={"follow_links": True}),
            source("based", self.site.at("/based"), "crawl", allowed_hosts=named, scrape_config={"sitemaps": []}),
            *(source(f"page-{n}", self.site.at(f"/to/{n}"), allowed_hosts=named) for n in range(0, len(self.hosts), 4)),
            *self._starts(named),
            *self._wikis(),
            *self._robbed(new_site),
        ]
        own_sites = [self.site, *self.robbed]
        # One group, one lease: a job holds no more than ten. An api.php is of its wiki's group.
        lures = {name: {"group": "lures"} for name in [*named, self.wiki.host]}
        project.manifest(sources, domains=lures | {site.host: {"delay_s": 0.005} for site in own_sites})
        project.env["RORI_ALLOWED_ADDRESSES"] = ",".join(site.netloc for site in [*own_sites, self.wiki])
        self.done = project.scrapy(
            "collect", "--force", env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.01"}, timeout=300
        )
        self.left = CrawlOutput(project)

    def lure(self, host: str, path: str) -> str:
        return f"http://{host}:{self.canary.port}/{path}"

    def states(self, source_id: str, path: str, kind: str = "page") -> list[tuple[str, Reason]]:
        """State and reason of each URL of the source that ends in *path*, whatever its host."""
        rows = self.left.rows(
            "SELECT state, reason, reason_code, reason_detail FROM run_urls"
            " WHERE run_id = ? AND kind = ? AND url LIKE ?",
            self.left.last_run(source_id)["run_id"],
            kind,
            f"%{path}",
        )
        return [(row["state"], read_reason(row)) for row in rows]

    def _script(self) -> None:
        """Redirects and refreshes, one a spelling, asked for by the crawl and as pages of their own."""
        statuses = cycle(_STATUSES)
        targets = [self.lure(host, "moved") for host in self.hosts]
        for number, target in enumerate(targets):
            self.site.redirect(f"/to/{number}", target.encode().decode("latin-1"), next(statuses))
            refresh = f'<meta http-equiv="refresh" content="0; url={escape(target)}"><p>Wait</p>'
            self.site.page(f"/refresh/{number}", refresh)
        for number, target in enumerate([*SCHEMES, *(_with_port(url, self.canary.port) for url in USERINFO)]):
            self.site.redirect(f"/odd/{number}", target.encode().decode("latin-1").replace("\t", "%09"))

    def _mark_up(self) -> None:
        """Links, sitemaps, canonical links, robots.txt: each with every spelling."""
        own = [
            *(f"/refresh/{n}" for n in range(1, len(self.hosts), 2)),
            *(f"/odd/{n}" for n in range(15)),
            "/to/0",
            "/after",
        ]
        links = [self.lure(host, "linked") for host in self.hosts]
        odd = [_with_port(url, self.canary.port) for url in USERINFO]
        head = "".join(f'<link rel="canonical" href="{self.lure(host, "canonical")}">' for host in self.hosts)
        self.site.page("/", page("Start", *own, *links, *odd, *SCHEMES).replace("<head>", f"<head>{head}"))
        self.site.page("/after", page("After all of them"))
        base = f'<base href="{self.lure("127.0.0.1", "base/")}">'
        self.site.page("/based", page("Based", "one", "/two").replace("<head>", f"<head>{base}"))
        self.site.sitemap(["/after", *(self.lure(host, "listed") for host in self.hosts)])
        lines = [f"Sitemap: {self.lure(host, 'sitemap.xml')}" for host in self.hosts]
        self.site.robots("\n".join(["User-agent: *", "Disallow:", f"Sitemap: {self.site.at('/sitemap.xml')}", *lines]))

    def _starts(self, named: list[str]) -> Iterator[dict[str, Any]]:
        """Sources whose own URL is the canary's. (What a manifest cannot spell is refused by its validation.)"""
        for number, host in enumerate(named[::4]):
            url = self.lure(f"[{host}]" if ":" in host else host, "start")
            yield source(f"start-{number}", url)

    def _wikis(self) -> Iterator[dict[str, Any]]:
        for number, host in enumerate(["127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:7f00:1]"]):
            wiki = {"mediawiki": {"api_url": self.lure(host, "api.php"), "titles": ["Loan"]}}
            yield source(f"wiki-{number}", self.wiki.at(f"/wiki{number}/Loan"), "mediawiki", scrape_config=wiki)

    def _robbed(self, new_site: Callable[[], Site]) -> list[dict[str, Any]]:
        """Sites whose robots.txt is the canary's."""
        self.robbed = [new_site() for _ in range(6)]
        for site, host in zip(
            self.robbed, ("127.0.0.1", "localhost", "[::1]", "0", "0x7f.1", "017700000001"), strict=True
        ):
            site.redirect("/robots.txt", self.lure(host, "robots.txt"))
            site.page("/", page("Robbed"))
        return [source(f"robbed-{n}", site.at("/")) for n, site in enumerate(self.robbed)]


def _named(host: str) -> str | None:
    """The host as a manifest may name it."""
    with suppress(ValueError):
        name = host_of(normalise_url(f"http://{host}/"))
        return name if _MANIFEST_HOST.fullmatch(name) else None
    return None


def _with_port(url: str, port: int) -> str:
    """*url* with *port* after the last host that stands in it."""
    return re.sub(r"(127\.0\.0\.1|10\.0\.0\.1|169\.254\.169\.254|calhost)(?=[/\\#?])", rf"\1:{port}", url)


@pytest.fixture(scope="module")
def lures(shared: Project, new_site: Callable[[], Site]) -> Iterator[Lures]:
    with Canary() as canary:
        yield Lures(shared, new_site, canary)


def test_canary_receives_no_request(lures: Lures) -> None:
    assert lures.done.returncode == 1, lures.done.stderr[-3000:]
    assert lures.canary.heard == []


def test_canary_records_connections() -> None:
    with Canary() as canary:
        for host in ("127.0.0.1", "127.8.8.8", "0", "0x7f.1", *(["::1"] if canary.hears_ipv6 else [])):
            with socket.create_connection((host, canary.port), timeout=10) as connection:
                connection.sendall(b"GET")
                assert connection.recv(1) == b""
    assert len(canary.heard) == 4 + canary.hears_ipv6


@pytest.mark.parametrize(("path", "refused"), [("/linked", 105), ("/listed", 105), ("/moved", 55)])
def test_canary_each_spelling_is_found_and_refused_with_reason(lures: Lures, path: str, refused: int) -> None:
    found = lures.states("lured", path)
    assert {state for state, _ in found} <= {"failed", "excluded"}
    assert sum((reason.code == "address_not_public") for _, reason in found) >= refused
    assert {reason for state, reason in found if state == "excluded"} <= {Reason("outside_hosts")}


def test_canary_sitemaps_of_robots_txt_are_refused(lures: Lures) -> None:
    found = lures.states("lured", "/sitemap.xml", kind="sitemap")
    assert sum((reason.code == "address_not_public") for _, reason in found) >= 105


def test_canary_base_element_leads_nowhere(lures: Lures) -> None:
    assert {state for state, _ in lures.states("based", "/base/one")} == {"failed"}


def test_canary_other_schemes_lead_nowhere(lures: Lures) -> None:
    urls = lures.left.urls("lured")
    for number, scheme in enumerate(["file", "ftp", "gopher", "javascript", "data"]):
        reason = Reason("address_not_public", error=f"redirects to {scheme}: only http and https are supported")
        assert urls[f"/odd/{number}"] == ("failed", reason)


def test_canary_single_pages_start_urls_and_wikis_fail_with_reason(lures: Lures) -> None:
    """Or, where the manifest cannot spell the host, because it is no host of the source."""
    for kind in ("page", "start", "wiki"):
        runs = [run for run in lures.left.runs() if run["source_id"].startswith(f"{kind}-")]
        assert len(runs) >= 5
        for run in runs:
            assert run["state"] == "failed"
            assert re.search("Address refused: |Redirects to another site: ", run["reason"])


def test_canary_robots_txt_redirecting_there_forbids_all(lures: Lures) -> None:
    for number, site in enumerate(lures.robbed):
        (reason,) = {reason for _, reason in lures.left.urls(f"robbed-{number}").values()}
        assert reason.code == "robots_unavailable" and "not a public address" in reason.detail["error"]
        assert {hit.path for hit in site.log.hits()} == {"/robots.txt"}


def test_canary_other_pages_are_unaffected(lures: Lures) -> None:
    assert "/after" in lures.left.in_state("lured", "captured")
    lures.left.assert_sums()

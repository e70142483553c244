"""Names: judged by their whole answer, at each use, with the port that is asked; what was judged is connected to."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING

import pytest

from tests.crawl.transport.canary import Canary
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project

pytestmark = pytest.mark.crawl

#: Public, and not asked: the canary's address stands beside it.
PUBLIC = "192.0.9.9"


class Named:
    """Sites under told names, the canary, and what one job left. Nothing is kept of an answer, as after its time."""

    def __init__(self, project: Project, new_site: Callable[[], Site], canary: Canary) -> None:
        self.site, self.strict, self.canary = new_site(), new_site(), canary
        names = {
            # Allowed for robots.txt and the start page; then it is the canary's address.
            "rebinds.example": f"{self.site.host}|{self.site.host}|127.0.0.1",
            "private.example": "127.0.0.1",
            "mixed.example": f"{PUBLIC}+127.0.0.1",
            "mixed6.example": f"127.0.0.1+2001:4860:4860::{canary.port:x}",
            "mapped.example": "::ffff:127.0.0.1",
            "six.example": "::1",
            "nat64.example": "64:ff9b::7f00:1",
            "several.example": f"127.0.0.1+{self.site.host}",
            "port.example": f"{self.strict.host}",
        }
        _script(self.site, self.strict, canary)
        at = f"{self.site.port}"
        project.manifest(
            [
                source("rebinds", f"http://rebinds.example:{at}/", "crawl", scrape_config={"sitemaps": []}),
                *(
                    source(name, f"http://{name}.example:{canary.port}/")
                    for name in ("private", "mixed", "mixed6", "mapped", "six", "nat64")
                ),
                source("several", f"http://several.example:{at}/page/1"),
                source("port", f"http://port.example:{self.strict.port}/", "crawl", scrape_config={"sitemaps": []}),
                source("unknown", f"http://nobody.example:{at}/"),
            ]
        )
        env = {
            "TOLD_NAMES": ",".join(f"{name}={answer}" for name, answer in names.items()),
            "RORI_ALLOWED_ADDRESSES": f"{self.site.host}/32,port.example:{self.strict.port},nobody.example",
            "RORI_RETRY_SCALE": "0.01",
        }
        resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
        self.done = project.scrapy("collect", "--force", "-s", resolver, "-s", "DNSCACHE_ENABLED=0", env=env)
        self.left = CrawlOutput(project)
        self.runs = {run["source_id"]: run for run in self.left.runs()}


def _script(site: Site, strict: Site, canary: Canary) -> None:
    # A connection is not used twice, so that each request asks the resolver.
    site.robots("User-agent: *\nDisallow:\n", connection="close")
    site.page("/", page("Start", "/page/1"), connection="close")
    site.page("/page/1", page("One"), connection="close")
    strict.page("/", page("Start", f"http://port.example:{canary.port}/", "/next"))
    strict.page("/next", page("Next"))


@pytest.fixture(scope="module")
def named(shared: Project, new_site: Callable[[], Site]) -> Iterator[Named]:
    with Canary() as canary:
        yield Named(shared, new_site, canary)


def test_resolver_private_address_receives_no_request(named: Named) -> None:
    assert named.done.returncode == 1, named.done.stderr[-3000:]
    assert named.canary.heard == []


def test_resolver_rebinding_name_is_judged_at_each_use(named: Named) -> None:
    urls = named.left.urls("rebinds")
    assert urls["/"][0] == "captured"
    state, reason = urls["/page/1"]
    assert (state, reason.code) == ("failed", "address_not_public")
    assert reason.detail["error"].startswith("rebinds.example (127.0.0.1) is not")
    assert [hit.path for hit in named.site.log.hits() if "rebinds" in hit.host] == ["/robots.txt", "/"]


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("private", "127.0.0.1"),
        ("mixed", "127.0.0.1"),
        ("mixed6", "127.0.0.1"),
        ("mapped", "::ffff:127.0.0.1"),
        ("six", "::1"),
        ("nat64", "64:ff9b::7f00:1"),
    ],
)
def test_resolver_one_private_address_of_several_is_refused(named: Named, name: str, address: str) -> None:
    message = f"{name}.example ({address}) is not a public address"
    assert message in named.runs[name]["reason"]


def test_resolver_refused_name_is_not_resolved_again(named: Named) -> None:
    attempts = named.left.rows("SELECT attempts FROM audit WHERE manifest_id = 'private' AND kind = 'page'")
    assert [row["attempts"].count('"tier"') for row in attempts] == [1]
    assert not re.search("(private|mixed|mapped|six|nat64).*asked again", named.done.stderr)


def test_resolver_uses_only_allowed_one_of_private_addresses(named: Named) -> None:
    assert named.left.urls("several") == {"/page/1": ("captured", "")}


def test_resolver_exception_for_port_holds_for_that_port(named: Named) -> None:
    rows = named.left.rows(
        "SELECT url, run_urls.state, run_urls.reason FROM run_urls JOIN runs USING (run_id) WHERE source_id = 'port'"
    )
    reasons = {row["url"]: row["reason"] or row["state"] for row in rows}
    own = f"http://port.example:{named.strict.port}"
    assert reasons[f"{own}/"] == reasons[f"{own}/next"] == "captured"
    other = reasons[f"http://port.example:{named.canary.port}/"]
    assert (f"port.example ({named.strict.host}) is not a public address") in other


def test_resolver_name_without_address_is_failure(named: Named) -> None:
    assert "no results for hostname lookup: nobody.example" in named.runs["unknown"]["reason"]


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_resolver_allowed_names_are_reached(project: Project, crawl_output: CrawlOutput, site: Site) -> None:
    """By IPv6, by a block of addresses, by a name of this machine's own."""
    with Site("::1") as six, Site("127.0.0.1") as local:
        for one in (site, six, local):
            one.page("/", page("Start"))
        project.manifest(
            [
                source("six", six.at("/")),
                source("block", site.at("/")),
                source("name", f"http://localhost:{local.port}/"),
            ]
        )
        project.env["RORI_ALLOWED_ADDRESSES"] = f"[::1]:{six.port},{site.host}/31,localhost:{local.port}"
        done = project.scrapy("collect", "--force")
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert {run["source_id"]: run["state"] for run in crawl_output.runs()} == dict.fromkeys(
        ("six", "block", "name"), "complete"
    )
    assert {one["source"]["url"] for one in crawl_output.envelopes()} == {
        six.at("/"),
        site.at("/"),
        f"http://localhost:{local.port}/",
    }

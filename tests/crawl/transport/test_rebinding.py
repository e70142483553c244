"""A name that leads inside once it has been looked up: harmless in every tier, not only over HTTP (`test_resolver.py`).

Each name first answers the site's address and from then on 127.0.0.1, where the same port is open and must hear
nothing.
"""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import Vendor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: Asks its own origin on a new connection, again and again, as an attack by rebinding does; and by a frame.
_ATTACK = """<iframe src="/frame"></iframe><p id="told"></p><script>
(async () => { for (let n = 0; n < 12; n++) {
    await fetch('/secret?' + n, {cache: 'no-store'}).then((a) => a.text()).then(
        (text) => { document.getElementById('told').textContent += ' inside: ' + text }, () => 0)
} })()
</script>"""


class Rebound:
    """One job over two tiers, what listens inside, and what the job left."""

    def __init__(self, project: Project, site: Site, vendor: Vendor, inside: dict[str, socket.socket]) -> None:
        self.site, self.vendor, self.inside = site, vendor, inside
        company, company_port = _split(vendor.url)
        site.robots("User-agent: *\nDisallow:\n", connection="close")
        site.page("/", page("Attack").replace("</main>", f"{_ATTACK}</main>"), connection="close")
        for path in ("/frame", "/secret"):
            site.page(path, page("Own"), connection="close")
        at = {name: f"http://{name}.example:{site.port}/" for name in ("browsed", "paid", "moved", "unpaid")}
        vendor.page(at["paid"], page("Paid"))
        vendor.page(at["moved"], page("Inside"), end=f"http://127.0.0.1:{site.port}/")
        names = {
            "browsed.example": f"{site.host}|{site.host}|127.0.0.1",  # robots.txt, the page; then what its script asks
            "paid.example": f"{site.host}|127.0.0.1",  # robots.txt; the page a provider asks for, from elsewhere
            "moved.example": f"{site.host}|127.0.0.1",
            "unpaid.example": f"{site.host}|127.0.0.1",
            "company.example": "127.0.0.1",  # a provider's own name
        }
        tiers = {"browsed": "browser", "paid": "firecrawl", "moved": "firecrawl", "unpaid": "scrapingant"}
        config = {name: {"tiers": [tier], "min_content_chars": 1} for name, tier in tiers.items()}
        project.manifest([source(name, at[name], scrape_config=config[name]) for name in tiers])
        env = {
            **vendor.env("firecrawl", "scrapingant"),
            "RORI_SCRAPINGANT_URL": f"http://company.example:{company_port}",
            "RORI_FIRECRAWL_MONTHLY_CREDITS": "100",
            "RORI_SCRAPINGANT_MONTHLY_CREDITS": "100",
            "RORI_TIERS": "browser,firecrawl,scrapingant",
            "TOLD_NAMES": ",".join(f"{name}={answer}" for name, answer in names.items()),
            "RORI_ALLOWED_ADDRESSES": f"{site.host}/32,{company}/32",
            "RORI_RETRY_SCALE": "0.01",
        }
        resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
        self.done = project.scrapy("collect", "--force", "-s", resolver, "-s", "DNSCACHE_ENABLED=0", env=env)
        self.left = CrawlOutput(project)

    def has_been_inside(self) -> list[str]:
        """The listeners that somebody connected to."""
        return [name for name, listening in self.inside.items() if _has_connection(listening)]


def _split(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    return parts.hostname, parts.port


def _has_connection(listening: socket.socket) -> bool:
    """What the system accepted for *listening* waits there, as nobody takes it up."""
    listening.setblocking(False)
    try:
        listening.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@pytest.fixture(scope="module")
def rebound(shared: Project, new_site: Callable[[], Site]) -> Iterator[Rebound]:
    with ExitStack() as opened:
        site, vendor = new_site(), opened.enter_context(Vendor(next_address()))
        ports = {"the site's port": site.port, "the provider's port": _split(vendor.url)[1]}
        inside = {name: opened.enter_context(socket.create_server(("127.0.0.1", port))) for name, port in ports.items()}
        yield Rebound(shared, site, vendor, inside)


def test_rebinding_reaches_nothing_inside(rebound: Rebound) -> None:
    assert "Traceback" not in rebound.done.stderr, rebound.done.stderr[-3000:]
    assert rebound.has_been_inside() == []


def test_rebinding_listener_hears_who_connects(rebound: Rebound) -> None:
    """Else the test before this one would prove nothing."""
    with socket.create_connection(("127.0.0.1", rebound.site.port)):
        assert rebound.has_been_inside() == ["the site's port"]


def test_rebinding_page_in_browser_sees_its_own_site_only(rebound: Rebound) -> None:
    assert rebound.left.urls("browsed")["/"][0] == "captured", rebound.left.urls("browsed")
    assert [hit.path for hit in rebound.site.log.hits() if "browsed" in hit.host] == ["/robots.txt", "/"]
    bodies = [one["content"]["body"] for one in rebound.left.envelopes() if "browsed" in one["source"]["url"]]
    assert len(bodies) == 1 and "inside:" not in bodies[0]


def test_rebinding_provider_looks_names_up_elsewhere(rebound: Rebound) -> None:
    assert rebound.left.urls("paid")["/"][0] == "captured"
    assert len(rebound.vendor.requests(f"http://paid.example:{rebound.site.port}/")) == 1
    state, reason = rebound.left.urls("moved")["/"]
    assert state in {"failed", "excluded"}, "a page that a provider found inside is none of the site's"
    assert reason.code in {"redirected_off_site", "address_not_public"}


def test_rebinding_provider_of_a_private_name_is_not_asked(rebound: Rebound) -> None:
    state, _ = rebound.left.urls("unpaid")["/"]
    assert state == "failed"
    assert rebound.vendor.requests(f"http://unpaid.example:{rebound.site.port}/") == []

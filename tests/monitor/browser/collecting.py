"""A small site, collected three times, so that every screen has something to show.

That is: changes, failures, refusals, alerts, a page that waits for a person, and one that a provider was paid for in
vain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.tiers.providers.walled_site import CHALLENGE, wall
from tests.monitor.browser.editions import rule
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import Vendor

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

#: What comes from outside and would run, were it not taken for text.
HOSTILE = "<img src=x onerror=window.ran=1><script>window.ran=1</script>"
_PATHS = tuple(f"/reg/1024/{number}" for number in range(1, 8))
_EDITIONS = (1, 2, 3)


def collect(project: Project, site: Site, broken: Site) -> None:
    """Three runs of four sources: `reg-x` (a site), `guide` (a page), `broken` and `walled` (they fail)."""
    about = {
        "metadata": {"agency": "CFPB"},
        "category": "cfpb",
        "scrape_config": {"include_patterns": ["/*"], "exclude_patterns": ["/drafts/*"]},
    }
    project.manifest(
        [
            source("reg-x", site.at("/reg/1024"), "crawl", name="Regulation X", **about),
            source("guide", site.at("/guide"), name=f"Guide {HOSTILE}", scrape_config={"min_content_chars": 80}),
            source("broken", broken.at("/start"), name="A server that fails"),
            source("walled", wall(broken, "/walled"), name="A page behind a wall"),
        ],
        delay_s=0.05,
    )
    with Vendor(next_address()) as vendor:
        vendor.page(broken.at("/walled"), CHALLENGE, status=403)
        paid = {**vendor.env("firecrawl"), "RORI_TIERS": "http,firecrawl", "RORI_FIRECRAWL_MONTHLY_CREDITS": "100"}
        for edition in _EDITIONS:
            _serve(site, broken, edition)
            done = project.scrapy("collect", "--force", env=paid)
            assert done.returncode == 1, f"some of the four fail, always: {done.stdout}{done.stderr}"


def _serve(site: Site, broken: Site, edition: int) -> None:
    for one in (site, broken):
        one.robots("User-agent: *\nDisallow: /private\n")
    links = (*_PATHS, "/reg/gone", "/reg/fails", "/private/a", "/reg/drafts/a")
    site.page("/reg/1024", page("Regulation X", *links))
    for number, path in enumerate(_PATHS, start=1):
        site.page(path, page(f"Section {number}", text=f"This is section 1024.{number}."))
    site.page("/reg/1024/2", rule(edition))
    site.page("/reg/fails", f"<h1>Bad gateway {HOSTILE}</h1>", status=403)
    site.page("/guide", _guide(edition))
    broken.page("/start", "<h1>Forbidden</h1>", status=403)


def _guide(edition: int) -> str:
    """Rewritten in the second edition; of the third so little is left that a person must look at it."""
    title = f"The guide {HOSTILE}"
    if edition == len(_EDITIONS):
        return f"<title>{title}</title><main><h1>{title}</h1><p>{'The guide is being rewritten. ' * 6}</p></main>"
    return page(title, text="It was rewritten in part on 3 March 2026." if edition > 1 else "")

"""A refusal whose script lets browsers in after a while: the page behind it is what is kept, and never the refusal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_WALL = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1>"
    "<script>setTimeout(function () { document.cookie = 'passed=1'; location.reload(); }, 1500);</script></body></html>"
)

_SHELL = (
    '<!DOCTYPE html><html><head><title>App</title></head><body><div id="root"></div>'
    "<script>document.getElementById('root').innerHTML = `{}`</script></body></html>"
)


def test_wall_that_lets_browsers_in_is_waited_for(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    MarkedChromium(project)
    site.page("/act", page("Truth in Lending Act"))
    site.status("/act", 403, times=1, body=_WALL, content_type="text/html")
    project.manifest([source("a", site.at("/act"), scrape_config={"tiers": ["browser"]})], delay_s=0.05)
    done = project.scrapy("collect", timeout=300)
    assert done.returncode == 0, done.stdout
    assert crawl_output.urls("a") == {"/act": ("captured", "")}
    assert "Checking your browser" not in crawl_output.envelope("/act")["content"]["body"]
    assert len(site.log.hits("/act")) == 2


def test_walled_wiki_other_pages_skip_first_tier(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    """Its API is closed and plain HTTP shows no text: what read one of its pages is asked for others at once."""
    MarkedChromium(project, QUICK_CHROMIUM)
    site.status("/w/api.php", 403)
    for title in ("Act", "Bill"):
        site.page(f"/wiki/{title}", _SHELL.format(page(title).partition("<main>")[2].partition("</main>")[0]))

    def tried(*titles: str) -> dict[str, list[str]]:
        config = {"mediawiki": {"api_url": site.at("/w/api.php"), "titles": list(titles)}}
        project.manifest([source("a", site.at("/wiki/Act"), "mediawiki", scrape_config=config)], delay_s=0.05)
        project.scrapy("collect", "--force", timeout=300)
        run = crawl_output.last_run("a")["run_id"]
        rows = crawl_output.rows("SELECT url, attempts, engine FROM audit WHERE kind = 'page' AND run_id = ?", run)
        # An unchanged page that took one attempt has it in its row alone.
        attempts = {row["url"]: json.loads(row["attempts"] or "null") or [{"tier": row["engine"]}] for row in rows}
        return {url.rpartition("/")[2]: [one["tier"] for one in tried] for url, tried in attempts.items()}

    assert tried("Act") == {"Act": ["mediawiki", "http", "browser"]}
    assert tried("Act", "Bill") == {"Act": ["browser"], "Bill": ["browser"]}

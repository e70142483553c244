"""S0 §7.1 by the server's own log: how often each is asked for again, after how long, and who waits."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries
from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SCALE = 0.002
#: Path -> the waits of its row in seconds; the number of requests is one more.
ROWS: dict[str, tuple[float, ...]] = {
    "/429": (30, 60, 120, 300, 600),
    **{f"/{status}": (10, 30, 60) for status in (500, 501, 502, 503, 504, 505, 507, 511, 520, 525, 530, 598, 599)},
    "/408": (15, 15),
    "/timeout": (15, 15),
    "/dropped": (10, 30, 60),
    "/truncated": (10, 30, 60),
}
FINAL = (400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 418, 421, 422, 425, 426, 444, 451, 499)
NO_SITEMAP: dict[str, Any] = {"scrape_config": {"sitemaps": []}}


class Table:
    """One site that answers everything of the table, and one crawl of it."""

    def __init__(self, project: Project, site: Site) -> None:
        self.site = site
        late = site.slow("/timeout", page("Late"))
        paths = [*ROWS, *(f"/{status}" for status in FINAL), "/well"]
        site.page("/", page("Start", *paths))
        site.page("/well", page("Well"))
        for path in paths:
            if path[1:].isdigit():
                site.status(path, int(path[1:]), body=f"<h1>{path}</h1>")
        site.status("/404", 404, retry_after="3600")  # what is never retried cannot ask us to wait
        site.drop("/dropped")
        site.truncated("/truncated", page("Half a page"))
        project.manifest([source("all", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
        self.done = project.scrapy(
            "collect", "-s", "DOWNLOAD_TIMEOUT=2", env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": str(SCALE)}
        )
        late.release()
        self.left = CrawlOutput(project)


@pytest.fixture(scope="module")
def table(shared: Project, new_site: Callable[[], Site]) -> Table:
    return Table(shared, new_site())


@pytest.mark.parametrize(("path", "waits"), ROWS.items(), ids=list(ROWS))
def test_retry_follows_waits_of_table_row(table: Table, path: str, waits: tuple[float, ...]) -> None:
    times = [hit.at for hit in table.site.log.hits(path)]
    assert len(times) == len(waits) + 1
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert all(gap >= wait * SCALE - 0.02 for gap, wait in zip(gaps, waits, strict=True)), gaps
    state, reason = table.left.urls("all")[path]
    assert state == "failed"
    [row] = table.left.rows("SELECT * FROM audit WHERE url = ?", table.site.at(path))
    assert (row["retry_count"], len(json.loads(row["attempts"]))) == (len(waits), len(times)), reason


@pytest.mark.parametrize("status", FINAL)
def test_retry_final_status_is_requested_once(table: Table, status: int) -> None:
    assert len(table.site.log.hits(f"/{status}")) == 1
    assert table.left.urls("all")[f"/{status}"][0] == "failed"


def test_retry_waiting_pauses_whole_group(table: Table) -> None:
    hits = table.site.log.hits()
    refused, again = table.site.log.hits("/429")[-2:]
    # Of three at once, two may have left before the refusal was heard; all others wait to the end.
    between = [hit for hit in hits if refused.at < hit.at < again.at]
    assert len(between) <= 2, between
    assert all(hit.at - refused.at < (again.at - refused.at) / 2 for hit in between), between


def test_retry_failures_do_not_affect_other_pages(table: Table) -> None:
    assert table.left.in_state("all", "captured") == {"/", "/well"}
    table.left.assert_sums()


def test_retry_after_in_both_forms_is_obeyed_when_longer(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """Each of another site, since a wait holds the whole group; what is no wish leaves the row's own wait."""
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    wishes = {"2": 2.0, "a date": 2.0, past: 0.0, "-5": 0.0, "1.5": 0.0, "soon": 0.0, "": 0.0, "0": 0.0}
    many = sites(len(wishes))
    for number, (one, wish) in enumerate(zip(many, wishes, strict=True)):
        one.page("/", page("Start"))
        if wish == "a date":  # it has no fractions: 2.5 s at least
            one.status("/", 503, times=1, retry_after_s=3.5)
        else:
            one.status("/", 503 if number % 2 else 429, times=1, retry_after=wish)
    project.manifest([source(f"s{n}", one.at("/")) for n, one in enumerate(many)], delay_s=0.02)
    done = project.scrapy("collect", env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001"})
    assert done.returncode == 0, done.stderr
    for one, (wish, seconds) in zip(many, wishes.items(), strict=True):
        refused, again = one.log.hits("/")
        assert again.at - refused.at >= seconds, wish
    refused, again = many[1].log.hits("/")
    assert again.wall.timestamp() >= int(refused.wall.timestamp() + 3.5)


def test_retry_of_unresponsive_wiki_api_falls_back_and_rate_limited_one_waits(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """After a timeout's retries the next tier is tried (S0 §7.1); after those of a 429 nothing more is asked."""
    mute, limited = wikis = sites(2)
    held = mute.slow("/w/api.php", "{}")
    limited.status("/w/api.php", 429)
    about = json.dumps({"query": {"general": {"articlepath": "/wiki/$1"}}})
    for wiki in wikis:
        wiki.page("/wiki/Law", page("Law"))
        wiki.page(api_queries.site_info_url("/w/api.php"), about, content_type="application/json")
    project.manifest(
        [
            source(name, wiki.at("/wiki/Law"), "mediawiki", scrape_config={"mediawiki": {"titles": ["Law"]}})
            for name, wiki in zip(("mute", "limited"), wikis, strict=True)
        ],
        delay_s=0.02,
        mediawiki_sites={wiki.host: wiki.at("/w/api.php") for wiki in wikis},
    )
    project.scrapy(
        "collect", "-s", "DOWNLOAD_TIMEOUT=2", env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001"}
    )
    held.release()
    paths = [[hit.path.partition("?")[0] for hit in wiki.log.hits()][1:] for wiki in wikis]
    assert paths == [["/w/api.php"] * (1 + 3) + ["/wiki/Law"], ["/w/api.php"] * (1 + 6)]
    assert crawl_output.urls("mute")["/wiki/Law"] == ("captured", "")
    assert crawl_output.urls("limited")["/wiki/Law"] == ("failed", Reason("rate_limited", http_status=429))
    [row] = crawl_output.rows("SELECT attempts FROM audit WHERE manifest_id = 'mute' AND kind = 'page'")
    assert [attempt["tier"] for attempt in json.loads(row["attempts"])] == ["mediawiki"] * 3 + ["http"]

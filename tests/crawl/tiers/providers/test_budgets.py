"""Money: limits hold within a job and between jobs, the alert comes once, and what is refused goes on or fails."""

from __future__ import annotations

import signal
from collections import Counter
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations.costs import CALL_LIFETIME
from rori_spiders.ledger.tables import costs
from tests.crawl.tiers.providers.walled_site import walled
from tests.support.jobs import job
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import Raw, Vendor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor(next_address()) as opened:
        yield opened


def ends(crawl_output: CrawlOutput) -> Counter[str]:
    """State, or code of the reason of a failure, of all pages of all runs."""
    rows = crawl_output.rows("SELECT state, reason_code FROM run_urls WHERE kind = 'page'")
    return Counter(row["reason_code"] or row["state"] for row in rows)


def test_provider_call_beyond_limit_is_not_made(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    project.manifest([walled(site, vendor, name) for name in "abcdef"], delay_s=0.05)
    env = {**vendor.env("zyte"), "RORI_TIERS": "http,zyte", "RORI_ZYTE_MONTHLY_CREDITS": "5"}
    first = project.scrapy("collect", "--force", env=env)
    assert ends(crawl_output) == {"captured": 5, "cost_limit": 1}
    assert len(vendor.requests()) == 5
    assert "No more requests to zyte: 5 of 5 requests of zyte are spent this month" in first.stderr
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'credits'")
    assert (alert["source_id"], alert["severity"]) == ("", "warning")
    assert alert["message"].startswith("zyte: 5 of 5 requests of this month's limit are spent (100%)")
    [spent] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'credits_spent'")
    assert (spent["severity"], spent["message"].endswith("; a call for 1 more was refused")) == ("high", True)

    crawl_output.change("UPDATE alerts SET cleared_at = opened_at")
    project.scrapy("collect", "--force", env=env)
    assert len(vendor.requests()) == 5
    assert len(crawl_output.rows("SELECT * FROM alerts WHERE event = 'credits'")) == 1
    crawl_output.assert_sums()


def test_provider_usd_limit_covers_all_and_free_tier_continues(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    tier_names = {"tiers": ["http", "firecrawl", "crawl4ai"]}
    project.manifest([walled(site, vendor, name, scrape_config=tier_names) for name in "abc"], delay_s=0.05)
    env = {
        **vendor.env("firecrawl", "crawl4ai"),
        "RORI_TIERS": "http,firecrawl,crawl4ai",
        "RORI_MONTHLY_BUDGET_USD": "0.04",
    }
    done = project.scrapy("collect", "--force", env=env)
    assert done.returncode == 0, done.stderr
    assert Counter(one.company for one in vendor.requests()) == {"firecrawl": 1, "crawl4ai": 2}
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'credits'")
    assert alert["message"].startswith("all providers: 0.032 of 0.04 USD of this month's limit are spent (80%)")


def test_provider_calls_beyond_concurrency_wait(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    """What another process has reserved and not settled holds the one place, until it counts as given up."""
    project.manifest([walled(site, vendor, name) for name in "ab"], delay_s=0.05)
    free_at = datetime.now(UTC) + timedelta(seconds=8)
    theirs = {"provider": "llm", "unit": "token", "reserved": 1.0, "reserved_at": free_at - CALL_LIFETIME}
    with closing(open_ledger(str(project.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(costs.insert().values(theirs))
    env = {**vendor.env("zyte"), "RORI_TIERS": "http,zyte", "RORI_MAX_CONCURRENT_PAID_CALLS": "1"}
    project.scrapy("collect", "--force", env=env)
    assert ends(crawl_output) == {"captured": 2}
    first, second = crawl_output.rows(
        "SELECT reserved_at, settled_at FROM costs WHERE provider = 'zyte' ORDER BY cost_id"
    )
    assert f"{free_at:%Y-%m-%dT%H:%M:%S.%fZ}" < first["reserved_at"] < first["settled_at"] <= second["reserved_at"]


def test_provider_call_in_progress_does_not_delay_stop(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    project.manifest([walled(site, vendor, "slow")], delay_s=0.05)
    vendor.always(site.at("/slow"), Raw(way="hold"))
    with job(project, "crawl", "slow", env={**vendor.env("zyte"), "RORI_TIERS": "http,zyte"}) as running:
        assert vendor.wait_for(site.at("/slow"))
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=60)  # it holds for 60 s, and a page may take 90
    assert crawl_output.states("slow") == {"/slow": "pending"}, output
    [cost] = crawl_output.rows("SELECT reserved, settled FROM costs")
    assert cost == {"reserved": 1.0, "settled": 1.0}  # whether it was charged nobody knows: it counts


def test_provider_limit_holds_for_concurrent_jobs(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput, vendor: Vendor
) -> None:
    one, other = sites(2)
    names = [f"{letter}{number}" for letter in "ab" for number in range(4)]
    listed = [walled(one if name[0] == "a" else other, vendor, name) for name in names]
    project.manifest(listed, delay_s=0.05)
    env = {**vendor.env("zyte"), "RORI_TIERS": "http,zyte", "RORI_ZYTE_MONTHLY_CREDITS": "5"}
    project.scrapy("ledger", "upgrade")
    with ExitStack() as stack:
        jobs = [
            stack.enter_context(
                job(project, "crawl", "sources", "-a", f"sources={','.join(n for n in names if n[0] == a)}", env=env)
            )
            for a in "ab"
        ]
        output = [one.communicate(timeout=300)[0] for one in jobs]
    assert ends(crawl_output) == {"captured": 5, "cost_limit": 3}, output
    assert len(vendor.requests()) == 5
    assert crawl_output.rows("SELECT sum(settled) AS spent FROM costs")[0]["spent"] == 5

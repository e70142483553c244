"""The ledger on PostgreSQL, as an operator has it: every command, two visits, and a kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.job.nine_pages import PATHS, collected, nine_pages
from tests.support.jobs import job
from tests.support.pages import page

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def site_of_nine(site: Site, project: Project, postgresql: Cluster) -> Site:
    nine_pages(site, project, postgresql.empty())
    return site


def test_postgresql_from_collection_to_verify(site_of_nine: Site, project: Project, crawl_output: CrawlOutput) -> None:
    refused = project.scrapy("collect")
    assert refused.returncode == 3
    assert "has no tables yet. Run: scrapy ledger upgrade" in refused.stderr
    upgraded = project.scrapy("ledger", "upgrade")
    assert (upgraded.returncode, "before: no tables" in upgraded.stdout) == (0, True)

    held = site_of_nine.slow("/5", times=1)
    with job(project, "collect") as running:
        site_of_nine.log.wait_for("/5")
        running.kill()
        running.communicate()
    held.release()
    crawl_output.expire_claims()
    collected(project)
    assert crawl_output.states("a") == dict.fromkeys(PATHS, "captured")
    assert len(crawl_output.runs()) == 1
    crawl_output.assert_sums()

    site_of_nine.set("/3", page("Page /3", text="Section 3 was amended."))
    collected(project, "--force")
    assert crawl_output.in_state("a", "captured") == {"/3"}
    assert crawl_output.in_state("a", "unchanged") == set(PATHS) - {"/3"}

    [first, second] = crawl_output.runs()
    for asked, told in (
        (("verify",), ""),
        (("audit", "--source", "a", "--format", "csv"), site_of_nine.at("/3")),
        (("sources",), "complete"),
        (("due", "--explain", "a"), "Test source a"),
        (("runs",), first["run_id"]),
        (("runs", "show", second["run_id"]), "/3"),
        (("diff", "a", site_of_nine.at("/3")), "was amended"),
        (("pause", "a", "--reason", "a visit"), "Paused a."),
        (("resume", "a"), "Resumed a"),
    ):
        done = project.scrapy(*asked)
        assert done.returncode == 0, (asked, done.stderr)
        assert told in done.stdout, (asked, done.stdout)

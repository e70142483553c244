"""A PostgreSQL server that goes away under a job: it is waited for, and what it had is neither lost nor doubled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.job.nine_pages import PATHS, collected, nine_pages
from tests.support.jobs import job

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.postgresql import Cluster
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.fixture
def site_of_nine(site: Site, project: Project, postgresql: Cluster) -> Site:
    nine_pages(site, project, postgresql.ledger())
    return site


def test_job_survives_database_restart(
    site_of_nine: Site, project: Project, crawl_output: CrawlOutput, postgresql: Cluster
) -> None:
    with job(project, "collect") as running:
        for path in ("/0", "/3", "/6"):
            site_of_nine.log.wait_for(path)
            postgresql.restart()
        output = running.communicate(timeout=60)[0]
    assert running.returncode == 0, output
    assert "The ledger's server is unavailable; waiting up to 30 s for it" in output
    assert crawl_output.states("a") == dict.fromkeys(PATHS, "captured")
    assert len(crawl_output.index()) == len(crawl_output.files()) == len(PATHS)
    crawl_output.assert_sums()
    assert project.scrapy("verify").returncode == 0
    assert all(len(site_of_nine.log.hits(path)) == 1 for path in PATHS)


def test_job_ends_when_database_stays_away(
    site_of_nine: Site, project: Project, crawl_output: CrawlOutput, postgresql: Cluster
) -> None:
    project.env["RORI_LEDGER_TIMEOUT"] = "1"
    held = site_of_nine.slow("/5", times=1)
    with job(project, "collect") as running:
        site_of_nine.log.wait_for("/5")
        postgresql.stop()
        held.release()
        output = running.communicate(timeout=60)[0]
        postgresql.start()
    assert running.returncode == 3, output
    assert "The job stops because results cannot be stored: The ledger at postgresql://" in output
    assert "cannot be reached" in output
    assert "Traceback" not in output
    crawl_output.expire_claims()
    collected(project)
    assert crawl_output.states("a") == dict.fromkeys(PATHS, "captured")
    assert len(crawl_output.index()) == len(crawl_output.files()) == len(PATHS)
    assert project.scrapy("verify").returncode == 0

"""Pages beyond RORI_MAX_QUEUED_PAGES wait in the ledger: all are asked for, each once, in this job or the next."""

from __future__ import annotations

import re
import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.crawl.runs.queue_addon import ADDONS, MOST_OUT
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

LISTED = [f"/listed/{number}" for number in range(14)]
LINKED = [f"/linked/{number}" for number in range(6)]
PATHS = {"/", *LISTED, *LINKED}
MOST = 6
SETTINGS = ("-s", f"ADDONS={ADDONS}", "-s", f"RORI_MAX_QUEUED_PAGES={MOST}")


def serve(site: Site, project: Project) -> None:
    """Pages that a sitemap names; of these, some link the others, each of which links the next."""
    site.page("/", page("Start"))
    rows = "".join(f"<url><loc>{site.at(path)}</loc></url>" for path in LISTED)
    site.page("/sitemap.xml", f"<urlset>{rows}</urlset>", content_type="application/xml")
    for path in LISTED:
        site.page(path, page(f"Page {path}", *LINKED[:3]), validators=True)
    for path, following in zip(LINKED, [*LINKED[1:], "/"], strict=True):
        site.page(path, page(f"Page {path}", following))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.005)


def most_out(said: str) -> int:
    """The most pages that were out at once after the ledger was read."""
    return max(int(one) for one in re.findall(rf"{MOST_OUT}(\d+)", said))


def test_stored_pages_are_all_fetched_once(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    serve(site, project)
    done = project.scrapy("collect", *SETTINGS)
    assert done.returncode == 0, done.stderr
    assert 0 < most_out(done.stderr) <= MOST
    assert crawl_output.in_state("a", "captured") == PATHS
    asked = [hit.path for hit in site.log.hits() if hit.path in PATHS]
    assert sorted(asked) == sorted(PATHS)
    crawl_output.assert_sums()

    site.set(LISTED[7], page("Amended", *LINKED[:3]))
    site.page(LISTED[8], page("Not found"), status=404)
    site.log.clear()
    again = project.scrapy("collect", "--force", *SETTINGS)
    assert again.returncode == 0, again.stderr
    asked = [hit.path for hit in site.log.hits() if hit.path in PATHS]
    assert sorted(asked) == sorted(PATHS)
    assert crawl_output.in_state("a", "captured") == {LISTED[7]}
    assert crawl_output.in_state("a", "failed") == {LISTED[8]}
    crawl_output.assert_verified()


def test_stored_pages_of_interrupted_run_are_fetched_by_next_job(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    serve(site, project)
    held = site.slow(LISTED[3], times=1)
    with job(project, "collect", *SETTINGS) as running:
        site.log.wait_for(LISTED[3])
        running.send_signal(signal.SIGINT)
        held.release()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 1, said
    assert crawl_output.last_run("a")["state"] == "partial"
    before = Counter(hit.path for hit in site.log.hits())
    captured = crawl_output.in_state("a", "captured")
    assert captured < PATHS

    again = project.scrapy("collect", *SETTINGS)
    assert again.returncode == 0, again.stderr
    assert 0 < most_out(again.stderr) <= MOST
    assert len(crawl_output.runs("a")) == 1
    assert crawl_output.last_run("a")["state"] == "complete"
    assert crawl_output.in_state("a", "captured") == PATHS
    assert not captured & set(Counter(hit.path for hit in site.log.hits()) - before)
    assert len(crawl_output.files()) == len(crawl_output.index()) == len(PATHS)
    crawl_output.assert_verified()

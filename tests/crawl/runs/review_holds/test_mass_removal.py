"""Many pages that are gone at once: held, until a person accepts that they are.

Killed at any step, an acceptance is whole or nothing: test_accept_killed.py.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl_output import path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

GONE = [f"/{number}" for number in range(6)]
WHY = "the annex was repealed"
LONG_AGO = "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"


def collect(project: Project) -> subprocess.CompletedProcess[str]:
    done = project.scrapy("collect", "--force", env={"RORI_OPERATOR": "system"})
    assert "Traceback" not in done.stderr
    return done


def accept(project: Project, *args: str, code: int = 0) -> str:
    done = project.scrapy("runs", "accept", *args, "--reason", WHY)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def open_events(crawl_output: CrawlOutput) -> list[str]:
    return [
        row["event"] for row in crawl_output.rows("SELECT event FROM alerts WHERE cleared_at IS NULL ORDER BY event")
    ]


def removed(site: Site, project: Project, crawl_output: CrawlOutput, remaining: Sequence[str] = ("/6",)) -> str:
    """A site many of whose pages are missing on their second look: the id of the run that holds them."""
    site.page("/", page("Start", *GONE, *remaining))
    for path in (*GONE, *remaining):
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    collect(project)
    site.status(GONE[0], 404, body="")  # nothing but the status
    site.redirect(GONE[1], remaining[0], 301)  # another page, which was there before
    for path in GONE[2:]:
        site.status(path, 404, body="not here")
    collect(project)
    assert project.scrapy("runs").stdout.count("runs accept") == 0  # a first look says nothing yet
    crawl_output.change(LONG_AGO)
    collect(project)
    return str(crawl_output.last_run("a")["run_id"])


def test_mass_removal_is_held_until_accepted(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    run = removed(site, project, crawl_output)
    assert crawl_output.in_state("a", "failed") == set(GONE)
    command = f"scrapy runs accept {run}"
    listed = project.scrapy("runs").stdout
    assert re.search(rf"^a: 6 pages held for review: {command} --reason TEXT$", listed, re.MULTILINE)
    assert f"{command} --url {site.at('/1')} --reason TEXT" in project.scrapy("runs", "show", run).stdout
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL AND event = 'mass_removal'")
    assert f"`{command} --reason TEXT`" in alert["message"]
    found = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    assert f"`{command} --reason TEXT`" in next(one["to_do"] for one in found if one["event"] == "mass_removal")

    answer = accept(project, run)
    assert "6 of 6 pages accepted." in answer and f"accepted      {site.at('/1')}: gone, as 127." in answer
    assert "its baseline is now 2 pages" in answer
    crawl_output.assert_verified()
    assert crawl_output.in_state("a", "gone") == set(GONE)
    assert crawl_output.last_run("a")["state"] == "complete"
    assert open_events(crawl_output) == []
    deleted = {path_of(one["source"]["url"]): one for one in crawl_output.envelopes() if _type(one) == "deleted"}
    new = {path_of(one["source"]["url"]): one for one in crawl_output.envelopes() if _type(one) == "new"}
    assert set(deleted) == set(GONE)
    for path, one in deleted.items():
        assert one["integrity"]["previous_content_hash"] == new[path]["integrity"]["content_hash"]
        assert (one["content"]["body"], one["scrape"]["http_status"]) == ("", 301 if path == GONE[1] else 404)
        assert (one["page_metadata"]["title"], one["audit"]["operator"]) == (f"Page {path}", "manual")
    actions = crawl_output.rows("SELECT * FROM actions WHERE action = 'accept'")
    assert {(row["target"], row["reason"]) for row in actions} == {(run, WHY)}
    assert all(row["actor"] and row["at"] for row in actions)
    audited = crawl_output.rows("SELECT reason_detail FROM audit WHERE run_id = ? AND state = 'gone'", run)
    details = [json.loads(row["reason_detail"]) for row in audited]
    assert [(one["note"], one["before"]) for one in details] == [(WHY, "mass_removal")] * 6

    assert "holds nothing to accept: 6 pages of it were accepted before" in accept(project, run, code=2)
    site.log.clear()
    collect(project)
    assert crawl_output.states("a")["/6"] == "unchanged"
    site.page("/1", page("Page /1 once more"))
    collect(project)
    back = max((one for one in crawl_output.envelopes()), key=lambda one: one["scrape"]["timestamp"])
    assert (path_of(back["source"]["url"]), _type(back)) == ("/1", "modified")
    crawl_output.assert_verified()


def test_mass_removal_acceptance_skips_returned_and_already_accepted_pages(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    first = removed(site, project, crawl_output)
    site.page("/1", page("Page /1"))
    collect(project)
    second = str(crawl_output.last_run("a")["run_id"])
    assert f"does not hold {site.at('/1')}" in accept(project, first, "--url", site.at("/1"), code=2)
    assert "1 of 1 pages accepted" in accept(project, first, "--url", site.at("/2"))
    held = json.loads(project.scrapy("runs", "show", second, "--format", "json").stdout)["held"]
    assert {path_of(url) for url in held} == {"/0", "/3", "/4", "/5"}
    assert open_events(crawl_output) == ["mass_removal", "page_missing"]  # four of seven are still too many
    assert "4 of 4 pages accepted" in accept(project, second)
    assert open_events(crawl_output) == []
    crawl_output.assert_verified()


def _type(envelope: dict[str, Any]) -> str:
    return str(envelope["integrity"]["change_type"])

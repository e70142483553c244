"""Servers that want to be asked less: left alone when they say so, and asked half as often until all is well again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.pages import page
from tests.project import source

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.crawl.left import Left
    from tests.project import Project
    from tests.server import Site

pytestmark = pytest.mark.crawl

NO_SITEMAP: dict[str, Any] = {"scrape_config": {"sitemaps": []}}
ALONE = "rate_limited: the server asks to be left alone for 3600 s"


def collect(project: Project, *more: str) -> subprocess.CompletedProcess[str]:
    done = project.scrapy("collect", "--force", *more, env={"RORI_RETRY_SCALE": "0.001"})
    assert "Traceback" not in done.stderr, done.stderr
    return done


def a_site(site: Site, *paths: str) -> None:
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}"))


def told(project: Project, *args: str) -> Any:
    return json.loads(project.scrapy(*args, "--format", "json").stdout)


def its_time_has_come(left: Left) -> None:
    """An hour later: the pause that a server asked for is over."""
    left.change("UPDATE leases SET paused_until = '2026-01-01T00:00:00.000000Z'")


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_asks_for_an_hour_is_left_alone(
    sites: Callable[[int], list[Site]], project: Project, left: Left, status: int
) -> None:
    limited, well = sites(2)
    for one in (limited, well):
        a_site(one, "/1", "/2", "/3")
    for path in ("/1", "/2", "/3", "/single"):
        limited.status(path, status, retry_after="3600", body="<h1>Later</h1>")
    project.manifest(
        [
            source("limited", limited.at("/"), "crawl", **NO_SITEMAP),
            source("well", well.at("/"), "crawl", **NO_SITEMAP),
            source("same", limited.at("/single")),
        ],
        delay_s=1.0,
    )
    done = collect(project)
    assert done.returncode == 1

    [refused] = [hit.path for hit in limited.log.hits() if hit.status == status]
    assert limited.log.hits()[-1].path == refused
    ends = {**left.urls("limited"), **left.urls("same")}
    assert set(ends.values()) <= {("captured", ""), ("failed", ALONE)}
    assert {path for path, end in ends.items() if end[0] == "failed"} >= {refused, "/single"}
    for name in ("limited", "same"):
        run = left.last_run(name)
        assert (run["state"], run["reason"]) == ("failed", ALONE)
    answered = left.rows("SELECT * FROM audit WHERE kind = 'page' AND http_status = ?", status)
    assert [row["url"] for row in answered] == [limited.at(refused)]
    left.assert_sums()
    assert left.in_state("well", "captured") == {"/", "/1", "/2", "/3"}
    assert "left alone for 3600 s; what is left of it is not asked now" in done.stderr

    limited.log.clear()
    again = collect(project)
    assert (again.returncode, limited.log.hits()) == (1, [])
    assert "locked   limited: " in again.stdout and "asked to be left alone until 20" in again.stdout
    waits = told(project, "sources", "limited")["waits_until"]
    left_s = (datetime.fromisoformat(waits) - datetime.now(UTC)).total_seconds()
    assert 3000 < left_s <= 3600
    assert f"left alone until {waits[:10]}" in project.scrapy("due", "--explain", "limited").stdout
    its_time_has_come(left)
    a_site(limited, "/1", "/2", "/3", "/single")
    assert collect(project).returncode == 0

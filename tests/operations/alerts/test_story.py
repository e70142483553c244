"""A source that answers 403: one mail, the breaker after five scheduled runs, and a person who resumes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from tests.operations.alerts.servers import Mailbox
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_alerts_blocked_then_paused_then_resumed(site: Site, project: Project, box: Mailbox) -> None:
    crawl_output = CrawlOutput(project)
    site.status("/", 403, body="<h1>Forbidden</h1>")
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    project.env |= {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": box.url}
    assert project.scrapy("collect").returncode == 1
    assert box.titles == ["[RORI] high: a: source_blocked"]
    assert "No sources due" in project.scrapy("collect").stdout, "it rests for an hour"

    for _ in range(4):
        # A day passes: it has rested, and the last message is long ago.
        crawl_output.change("UPDATE alert_channels SET sent_at = NULL")
        crawl_output.change("UPDATE runs SET finished_at = '2026-01-01T00:00:00.000000Z'")
        project.scrapy("collect")
    assert box.titles[1:] == ["[RORI] high: a: breaker"]
    assert "the circuit breaker" in project.scrapy("due", "--explain", "a").stdout
    listed = project.scrapy("alerts").stdout
    assert "source_blocked" in listed
    assert "2 alerts." in listed
    one = project.scrapy("alerts", "show", "1").stdout
    assert "delivered" in one
    [row] = crawl_output.rows("SELECT max(audit_id) AS audit_id FROM audit WHERE kind = 'page'")
    shown = project.scrapy("audit", "--response", str(row["audit_id"]))
    assert (shown.stdout, "HTTP 403" in shown.stderr) == ("<h1>Forbidden</h1>", True)

    project.scrapy("resume", "a")
    crawl_output.change("UPDATE alert_channels SET sent_at = NULL")
    assert "sent" in project.scrapy("alerts", "send").stdout
    assert box.titles[2:] == ["[RORI] cleared: a: breaker"]

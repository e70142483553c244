"""`scrapy alerts test` through a mail server, a webhook and a wrong one; a job's end at a server that says nothing."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from tests.operations.alerts.servers import refusing, says
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from tests.operations.alerts.servers import Mailbox
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_alerts_test_reports_each_channel(site: Site, project: Project, box: Mailbox) -> None:
    none = project.scrapy("alerts", "test")
    assert (none.returncode, none.stdout.startswith("No notification channel is configured")) == (1, True)
    site.page("/hook", "<p>ok</p>")
    mail = {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": box.url}
    good = project.scrapy("alerts", "test", env={**mail, "RORI_ALERT_URLS": f"json://{site.netloc}/hook"})
    assert (good.returncode, good.stderr) == (0, "")
    assert [line.endswith(": sent") for line in good.stdout.splitlines()] == [True, True]
    assert box.titles == ["[RORI] test"]
    [hit] = site.log.hits()
    assert (hit.method, hit.path) == ("POST", "/hook")
    wrong = project.scrapy("alerts", "test", env={**mail, "RORI_ALERT_URLS": f"json://u:s3cretPassw0rd@{refusing()}/x"})
    assert wrong.returncode == 1
    assert "FAILED" in wrong.stdout
    assert "refused" in wrong.stdout
    assert "s3cretPassw0rd" not in wrong.stdout + wrong.stderr
    assert len(box.mails) == 2, "the other one was told"
    slip = project.scrapy("alerts", "test", env={"RORI_ALERT_URLS": "nonsense://s3cretPassw0rd"})
    assert (slip.returncode, "s3cretPassw0rd" in slip.stderr) == (2, False)


def test_email_channel_silent_server_keeps_no_job_and_next_sends(site: Site, project: Project, box: Mailbox) -> None:
    crawl_output = CrawlOutput(project)
    site.status("/", 403, body="<h1>Forbidden</h1>")
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    with says(b"") as hanging:
        silent = {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": f"smtp://{hanging}"}
        began = time.monotonic()
        done = project.scrapy("collect", "--force", env=silent, timeout=60)
        took = time.monotonic() - began
    assert "Alerts are still being sent; the next job sends those that fail" in done.stderr
    assert took < 25, "5 s for the round, and the server holds for 30"
    crawl_output.change("UPDATE alert_channels SET claimed_until = NULL")
    crawl_output.change("UPDATE alert_deliveries SET next_try_at = tried_at")
    project.scrapy("collect", "--force", env={**silent, "RORI_SMTP_URL": box.url})
    assert box.titles == ["[RORI] high: a: source_blocked"]
    [row] = crawl_output.rows("SELECT * FROM alert_deliveries WHERE delivered")
    assert row["what"] == "opened"


def test_alert_delivery_missing_ledger_is_sent_directly_staging_as_alert(
    site: Site, project: Project, box: Mailbox
) -> None:
    crawl_output = CrawlOutput(project)
    site.page("/", "<h1>Start</h1><p>" + "A rule. " * 200 + "</p>")
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    project.env |= {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": box.url}
    project.scrapy("ledger", "upgrade")
    project.staging.parent.mkdir(exist_ok=True)
    project.staging.write_text("no folder")
    assert project.scrapy("collect", "--force").returncode != 0
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'storage'")
    assert (alert["source_id"], alert["severity"], alert["cleared_at"]) == ("", "high", None)
    assert box.titles == ["[RORI] high: staging area: storage"]
    assert json.loads(alert["pages"]) == []
    project.staging.unlink()
    assert project.scrapy("collect", "--force").returncode == 0
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE event = 'storage'")
    assert alert["cleared_at"] is not None
    project.ledger.unlink()
    broken = project.scrapy("collect", "--force")
    assert broken.returncode == 3, broken.stderr
    assert not project.ledger.exists(), "nothing begins anew"
    assert box.titles[-1].endswith("a job could not write to the ledger"), (box.titles, broken.stderr)
    project.ledger.write_bytes(b"SQLite format 3\0" + b"\0" * 4096)
    assert project.scrapy("collect").returncode == 3
    assert len(box.titles) == 3, "cleared or not: nothing is recorded, so it is told again"
    assert "is not a database" in box.texts[-1]

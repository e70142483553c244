"""`scrapy dispatch` looks and sends beside its rounds: what hangs delays neither the queue nor a stop."""

from __future__ import annotations

import signal
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts
from tests.operations.alerts.servers import says
from tests.support.crawl_output import CrawlOutput
from tests.support.jobs import job
from tests.support.project import source

if TYPE_CHECKING:
    from tests.operations.alerts.servers import Mailbox
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def blocked(project: Project) -> None:
    ledger = open_ledger(f"sqlite:///{project.ledger}")
    with ledger.begin() as conn:
        alerts.raise_alert(
            conn,
            source_id="a",
            event="source_blocked",
            cause="review",
            severity="high",
            message="the server blocks the start URL: HTTP 403",
            now=datetime.now(UTC) - timedelta(minutes=1),
        )
    ledger.close()


def test_alert_dispatcher_hanging_server_delays_nothing(site: Site, project: Project, box: Mailbox) -> None:
    crawl_output = CrawlOutput(project)
    project.manifest([source("a", site.at("/"))], delay_s=0.1)
    project.ledger.parent.mkdir()
    blocked(project)
    project.env["RORI_ALERT_EMAIL"] = "ops@example.org"
    with says(b"") as hanging:
        project.env["RORI_SMTP_URL"] = f"smtp://{hanging}"
        with job(project, "dispatch", "-s", "RORI_DISPATCH_INTERVAL=1") as loop:
            assert loop.stdout is not None
            assert any("Queued job" in line for line in loop.stdout)
            project.manifest([source("a", site.at("/")), source("b", site.at("/b"))], delay_s=0.1)
            assert any("it now has 2 sources" in line for line in loop.stdout), "rounds go on"
            loop.send_signal(signal.SIGTERM)
            said = loop.communicate(timeout=10)[0]
        assert loop.returncode == 0, said
        assert "Alerts are still being sent" in said
        assert "Traceback" not in said
    crawl_output.change("UPDATE alert_channels SET claimed_until = NULL")
    crawl_output.change("UPDATE alert_deliveries SET next_try_at = tried_at")
    project.env["RORI_SMTP_URL"] = box.url
    done = project.scrapy("dispatch", "--once", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    assert box.titles == ["[RORI] high: a: source_blocked"]


def test_alert_dispatcher_invalid_setting_is_reported_and_queue_filled(site: Site, project: Project) -> None:
    project.manifest([source("a", site.at("/"))], delay_s=0.1)
    project.env["RORI_ALERT_EMAIL"] = "nobody"
    done = project.scrapy("dispatch", "--once")
    assert (done.returncode, done.stderr) == (
        0,
        "Alerts cannot be sent: RORI_ALERT_EMAIL: 'nobody' is not a valid e-mail address\n",
    )
    assert "Queued 1 job" in done.stdout

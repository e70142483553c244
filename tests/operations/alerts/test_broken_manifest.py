"""A manifest that cannot be used anywhere: one alert, however many rounds and jobs it stops, until a job begins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.queue import job_queue
from rori_spiders.operations.alerts.job_failure_alerts import RECENTLY, note_job_begun, note_manifest_refused
from tests.ledger.factories import at
from tests.ledger.job_factories import queued
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from tests.operations.alerts.servers import Mailbox
    from tests.support.project import Project
    from tests.support.server import Site

FAULTS = ManifestError(["m.json: a: $.url: expected a URL", "m.json: b: $.method: expected a method"])


def open_ones(ledger: Ledger) -> list[str]:
    with ledger.connect() as conn:
        return [one["message"] for one in alerts.open_alerts(conn)]


def test_manifest_alert_opens_once_until_job_starts(ledger: Ledger) -> None:
    note_job_begun(ledger, now=at())
    note_manifest_refused(ledger, FAULTS, now=at(), host="n1")
    note_manifest_refused(ledger, FAULTS, now=at(30), host="n1")
    assert open_ones(ledger) == ["no job can start on n1: m.json: a: $.url: expected a URL (and 1 more)"]
    note_job_begun(ledger, now=at(60))
    assert open_ones(ledger) == []
    note_manifest_refused(ledger, ManifestError(["m.json: no JSON"]), now=at(90), host="n1")
    assert open_ones(ledger) == ["no job can start on n1: m.json: no JSON"]


def test_manifest_alert_one_of_several_nodes_opens_none(ledger: Ledger) -> None:
    """The others do its work; its own log says what is wrong."""
    with ledger.begin() as conn:
        job_id = queued(conn, 1)
        job_queue.start_job(conn, job_id, owner=f"n_2:7:{job_id}", host="n_2", now=at(), ttl_s=60)
    note_manifest_refused(ledger, FAULTS, now=at(30), host="n_1")
    assert open_ones(ledger) == []
    note_manifest_refused(ledger, FAULTS, now=at(30), host="n_2")
    assert len(open_ones(ledger)) == 1, "this machine's own jobs began before it was broken"
    note_job_begun(ledger, now=at(31))
    note_manifest_refused(ledger, FAULTS, now=at() + RECENTLY * 1.1, host="n_1")
    assert len(open_ones(ledger)) == 1, "nobody has begun anything for long"


@pytest.mark.crawl
def test_manifest_alert_failing_rounds_and_jobs_open_once(site: Site, project: Project, box: Mailbox) -> None:
    crawl_output = CrawlOutput(project)
    site.page("/", page("Start"))
    project.env |= {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": box.url}
    file = project.manifest([source("a", site.at("/"))], delay_s=0.02)
    good = file.read_text(encoding="utf-8")
    project.ledger.parent.mkdir()
    open_ledger(f"sqlite:///{project.ledger}").close()
    file.write_text('{"version": 1, "sources": []}', encoding="utf-8")
    for words in (["collect"], ["dispatch", "--once"], ["crawl", "sources", "-a", "sources=a"], ["alerts", "send"]):
        done = project.scrapy(*words)
        assert done.returncode == 2, words
        assert "Traceback" not in done.stderr
        assert box.titles == ["[RORI] high: manifest: manifest_broken"]
    [alert] = json.loads(project.scrapy("alerts", "--format", "json").stdout)
    assert alert["event"] == "manifest_broken"
    assert str(file) in alert["message"]

    file.write_text(good, encoding="utf-8")
    crawl_output.change("UPDATE alert_channels SET sent_at = NULL")
    assert project.scrapy("collect").returncode == 0
    assert box.titles[1:] == ["[RORI] cleared: manifest: manifest_broken"]

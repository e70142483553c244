"""`scrapy doctor` on what waits, and for whom: channels of alerts, messages, jobs, a node, folders without rights."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.queue import job_queue
from rori_spiders.operations.alerts.channels import configured_channels
from tests.crawl.crashes.read_only import lock, unlock
from tests.operations.doctor.doctor_output import rows_of, told

if TYPE_CHECKING:
    from tests.operations.doctor.doctor_output import Typed
    from tests.support.project import Project

URLS = "jsons://:kX93hsecret@hooks.example.org/T0Kq9ZxP4w,slack://TokenA123/TokenB123/TokenC123456789012345678/#ops"
MASKED = "jsons://[redacted],slack://[redacted]"
SECRET = "pA55w0rd:77"  # pytest keeps the colon out of the names of folders
QUEUE = "spiderqueue = rori_spiders.nodes.spiderqueue.LedgerSpiderQueue\n"


def test_doctor_without_channels_warns(three: Project, typed: Typed) -> None:
    [row] = told(typed, code=0)["alert channels"]
    assert row["result"] == "warning"
    assert "RORI_ALERT_EMAIL" in row["do"]


def test_doctor_channels_are_counted_without_secrets(three: Project, typed: Typed) -> None:
    three.env |= {"RORI_ALERT_URLS": URLS, "RORI_ALERT_EMAIL": "ops@example.org"}
    three.env["RORI_SMTP_URL"] = "smtps://rori:pA55w0rd-77@mail.example.org"
    found = told(typed, code=0)
    [row] = found["alert channels"]
    assert row["found"].startswith("3: e-mail to ops@example.org by mail.example.org:465, webhook at hooks.example")
    assert not any(secret in str(found) for secret in ("pA55w0rd-77", "kX93hsecret", "T0Kq9ZxP4w", "TokenB"))
    assert {"setting": "RORI_ALERT_URLS", "value": MASKED, "origin": "environment"} in found["settings of"]


def test_doctor_invalid_channel_fails(three: Project, typed: Typed) -> None:
    three.env["RORI_ALERT_URLS"] = "nosuch://x"
    found = told(typed, code=1)
    assert any("RORI_ALERT_URLS" in row["found"] for rows in found.values() for row in rows if row.get("do"))


def test_doctor_late_and_failed_messages_are_reported(collected: Project, typed: Typed) -> None:
    collected.env["RORI_ALERT_URLS"] = URLS
    way, _ = configured_channels({"RORI_ALERT_URLS": URLS})
    began = datetime.now(UTC) - timedelta(days=4)
    ledger = open_ledger(f"sqlite:///{collected.ledger}")
    with ledger.begin() as conn:
        for event in ("source_blocked", "job_lost"):
            alerts.raise_alert(
                conn, source_id="a-page", event=event, cause="c", severity="high", message="m", pages=(), now=began
            )
    assert "2 alerts are more than an hour late" in told(typed)["alert messages"][0]["found"]
    with ledger.begin() as conn:
        first = alerts.alerts_to_deliver(conn, now=began)[0]["alert_id"]
        for hour in range(len(alerts.RETRY_DELAYS) + 1):
            at = began + timedelta(hours=hour)
            known = alerts.deliveries_by_channel(conn, way.name, now=at)
            alerts.record_attempts(conn, way.name, [(first, "opened")], known, at)
            alerts.record_result(conn, way.name, [(first, "opened")], error="refused", now=at)
    ledger.close()
    found = [row["found"] for row in told(typed)["alert messages"]]
    assert [one.partition(" ")[0] for one in found] == ["1", "2"]  # the other channel was never tried
    assert "given up" in found[0]


def test_doctor_jobs_unclaimed_are_reported(collected: Project, typed: Typed) -> None:
    ledger = open_ledger(f"sqlite:///{collected.ledger}")
    with ledger.begin() as conn:
        job_queue.enqueue_job(
            conn,
            job_id="7c0e6a52-93d6-4f0e-9d0a-0e1f8f8b7c11",
            spider="sources",
            sources=["a-page"],
            groups=["example.org"],
            priority=0,
            operator="system",
            arguments={},
            now=datetime.now(UTC) - timedelta(hours=1),
        )
    ledger.close()
    [row] = told(typed)["queue"]
    assert row["result"] == "warning"
    assert "1 jobs waiting, 0 under way: no node has taken one" in row["found"]


@pytest.mark.parametrize(
    ("conf", "secret", "result", "sentence"),
    [
        (QUEUE, "", "ok", "this machine is not a node"),
        (QUEUE, SECRET, "ok", "with authentication; as many jobs at once as memory allows"),
        (f"{QUEUE}max_proc = 3\n", SECRET, "ok", "3 jobs at once"),
        (f"{QUEUE}bind_address = 0.0.0.0\n", SECRET, "warning", "unencrypted"),
        ("", SECRET, "warning", "its queue is not the shared queue of the nodes"),
    ],
)
def test_doctor_node_is_checked(
    three: Project,
    typed: Typed,
    monkeypatch: pytest.MonkeyPatch,
    conf: str,
    secret: str,
    result: str,
    sentence: str,
) -> None:
    monkeypatch.setenv("SCRAPYD_USERNAME", "ops" if secret else "")
    monkeypatch.setenv("SCRAPYD_PASSWORD", secret)
    (three.folder / "scrapyd.conf").write_text(f"[scrapyd]\n{conf}", encoding="utf-8")
    [row] = told(typed, code=0)["Scrapyd"]
    assert row["result"] == result
    assert sentence in row["found"]
    assert SECRET not in str(row)


def test_doctor_unwritable_folders_fail(collected: Project) -> None:
    collected.staging.mkdir()
    locked = (collected.ledger, collected.staging)
    lock(*locked)
    try:
        with collected.start("doctor", "--format", "json", obedient=True) as process:
            out, _ = process.communicate(timeout=60)
    finally:
        unlock(*locked)
    found = rows_of(out, process.returncode, 1)
    assert "read-only for this user" in found["ledger"][0]["found"]
    assert "this user cannot write" in found["staging"][0]["found"]

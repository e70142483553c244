"""What the ledger's tests put in: times, runs, visits, audit rows, versions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit.audit_log import AuditRow
from rori_spiders.ledger.pages.page_history import NewVersion
from rori_spiders.ledger.tables import pages, runs

if TYPE_CHECKING:
    from sqlalchemy import Connection

RUN = "11111111-1111-4111-8111-111111111111"
OTHER_RUN = "22222222-2222-4222-8222-222222222222"
JOB = "33333333-3333-4333-8333-333333333333"
SOURCE = "reg-x"
START = datetime(2026, 2, 13, 14, 30, tzinfo=UTC)


def at(minutes: float = 0, *, days: float = 0) -> datetime:
    """So long after the time at which all tests start."""
    return START + timedelta(minutes=minutes, days=days)


def url(name: str) -> str:
    return f"https://www.consumerfinance.gov/rules-policy/regulations/1024/{name}/"


def a_run(conn: Connection, run_id: str, *, source_id: str = SOURCE, state: str = "running") -> None:
    conn.execute(
        runs.insert().values(
            run_id=run_id,
            source_id=source_id,
            manifest_version="1.0.0",
            method="crawl",
            state=state,
            operator="system",
            job_id=JOB,
            started_at=START,
        )
    )


def a_visit(name: str, *, kind: str = "page", depth: int = 1, run_id: str = RUN) -> FrontierUrl:
    return FrontierUrl(run_id, SOURCE, url(name), kind=kind, depth=depth, found_on=url("index"), found_by="link")


def a_row(name: str = "5", **other: Any) -> AuditRow:
    values: dict[str, Any] = {
        "run_id": RUN,
        "timestamp": START,
        "manifest_id": SOURCE,
        "url": url(name),
        "engine": "http",
        "state": "captured",
        "build": "rori-collector 1.0.0",
        "http_status": 200,
        "content_hash": "a" * 64,
        "content_changed": True,
    }
    return AuditRow(**values | other)


def a_version(text_hash: str = "a", **other: Any) -> NewVersion:
    values: dict[str, Any] = {
        "run_id": RUN,
        "captured_at": START,
        "change_type": "modified",
        "content_hash": text_hash * 64,
        "raw_object": "b" * 64,
        "body_object": text_hash * 64,
        "section_hashes": [("§ 1024.5", "c" * 64), ("§ 1024.5 > (a)", "d" * 64)],
        "converter_version": "1",
        "tier": "http",
        "title": "§ 1024.5 Coverage of RESPA",
    }
    return NewVersion(**values | other)


def mark_gone(conn: Connection, page_id: int, now: datetime) -> None:
    """The page is gone; its versions stay."""
    conn.execute(pages.update().where(pages.c.page_id == page_id).values(gone_at=now))

"""Values that behave alike on every database: UTC times, and JSON that may be absent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from sqlalchemy.exc import StatementError

from rori_spiders.ledger.dialects import insert_rows
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import actions as table
from rori_spiders.ledger.tables import fact_leaves, runs, versions
from tests.ledger.factories import RUN, at

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

_EASTERN = timezone(timedelta(hours=-5))


def _started(ledger: Ledger, when: datetime) -> datetime | None:
    with ledger.begin() as conn:
        conn.execute(runs.update().values(started_at=when, resumed_at=None))
        back: datetime | None = conn.execute(select(runs.c.started_at)).scalar_one()
        return back


@pytest.mark.parametrize(
    "when",
    [
        datetime(2026, 2, 13, 14, 30, tzinfo=UTC),
        datetime(2026, 2, 13, 14, 30, 0, 1, tzinfo=UTC),
        datetime(2026, 12, 31, 23, 30, tzinfo=_EASTERN),
    ],
)
def test_utc_time_is_stored_as_same_moment(ledger: Ledger, run_id: str, when: datetime) -> None:
    back = _started(ledger, when)
    assert back == when
    assert back is not None
    assert back.tzinfo is UTC


@pytest.mark.parametrize(
    ("when", "stored"),
    [
        ("0999-01-01T00:00:00+00:00", "0999-01-01T00:00:00+00:00"),
        ("0001-01-01T00:00:00+14:00", "0001-01-02T00:00:00+00:00"),
        ("9999-12-31T23:59:59-12:00", "9999-12-30T00:00:00+00:00"),
    ],
)
def test_utc_time_of_any_year_is_readable(ledger: Ledger, run_id: str, when: str, stored: str) -> None:
    """What an operator of the monitor sends as a time is kept; one that nothing could read would stop every screen."""
    with ledger.begin() as conn:
        conn.execute(runs.update().values(started_at=datetime.fromisoformat(when)))
        assert conn.execute(select(runs.c.started_at)).scalar_one() == datetime.fromisoformat(stored)


def test_utc_time_without_zone_is_refused(ledger: Ledger, run_id: str) -> None:
    with pytest.raises(StatementError, match="without a time zone"):
        _started(ledger, datetime(2026, 2, 13))


def test_utc_times_sort_as_text(ledger: Ledger, run_id: str) -> None:
    """With and without a fraction, before and after a conversion: SQLite compares the text."""
    _started(ledger, datetime(2026, 2, 13, 9, 30, 0, 500, tzinfo=_EASTERN))
    with ledger.connect() as conn:
        assert conn.execute(select(runs.c.run_id).where(runs.c.started_at > at())).scalars().all() == [RUN]
        assert conn.execute(select(runs.c.run_id).where(runs.c.started_at > at(1))).all() == []


def test_json_value_comes_back_as_it_was(ledger: Ledger) -> None:
    details = {"n": 2**70, "x": 1e300, "text": "§ 1024.17 \U0001f600 \ud800", "none": None, "of": [[], {}, True]}
    with ledger.begin() as conn:
        activity_log.record_action(conn, actor="a", action="b", target="c", details=details, now=at(0))
    with ledger.connect() as conn:
        assert conn.execute(select(table.c.details)).scalars().all()[-1] == details


def test_json_absent_value_is_null(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        activity_log.record_action(conn, now=at(), actor="candi", action="pause", target="reg-x")
        assert len(conn.execute(select(table).where(table.c.details.is_(None))).all()) == 1
        assert conn.exec_driver_sql("SELECT details IS NULL FROM actions").scalar() == 1


@pytest.mark.parametrize("number", [2, 40])
def test_insert_rows_gives_back_values_of_every_type(ledger: Ledger, run_id: str, number: int) -> None:
    """PostgreSQL gets many rows as an array a column, which has a type of its own."""
    made = [
        {
            "page_id": 1,
            "seq": seq,
            "run_id": run_id,
            "captured_at": at(minutes=seq),
            "section_hashes": [["§ 1", "0" * 64]] if seq % 2 else [],
            "title": None if seq % 2 else 'NUL \x00, "quotes", {braces}, a \\ and a lone \ud800',
            "converter_version": "1",
        }
        | dict.fromkeys(("change_type", "content_hash", "raw_object", "body_object", "tier"), "new")
        for seq in range(1, number + 1)
    ]
    leaves = [{"position": 1000 + seq, "kind": "x", "subject": "y", "hashes": bytes([seq, 0])} for seq in range(number)]
    with ledger.begin() as conn:
        page_history.ensure_page(conn, "reg-x", "https://agency.example/1", now=at())
        insert_rows(conn, versions, made)
        insert_rows(conn, fact_leaves, leaves)
        back = conn.execute(select(versions).order_by(versions.c.seq)).mappings().all()
        assert [{name: row[name] for name in made[0]} for row in back] == made
        logged = select(fact_leaves).where(fact_leaves.c.kind == "x").order_by(fact_leaves.c.position)
        assert list(map(dict, conn.execute(logged).mappings())) == leaves

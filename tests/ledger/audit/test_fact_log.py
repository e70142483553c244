"""The log of facts: one order for all writers, in the transaction of the row, complete from an older ledger on."""

from __future__ import annotations

import json
import threading
from collections import Counter
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, delete, event, select, text, update

from rori_spiders.ledger import database_url as urls
from rori_spiders.ledger import upgrades
from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.audit.merkle_tree import split_hashes
from rori_spiders.ledger.corpus import human_decisions
from rori_spiders.ledger.database import open_ledger, upgrade_ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.tables import (
    actions,
    alerts,
    api_tokens,
    audit,
    change_assignments,
    change_deliveries,
    change_subscriptions,
    change_totals,
    change_weights,
    changes,
    fact_leaves,
    import_withdrawals,
    imported_captures,
    imported_changes,
    imports,
    run_totals,
    runs,
)
from rori_spiders.staging.verification.fact_checks import check_facts
from tests.ledger.factories import JOB, RUN, SOURCE, a_row, a_version, at, url

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


def _open_run(conn: Connection, source_id: str = SOURCE) -> str:
    return run_records.open_run(
        conn,
        source_id=source_id,
        manifest_version="1",
        method="crawl",
        operator="system",
        job_id=JOB,
        now=at(),
        resume_after=at(),
    ).run_id


def _findings(ledger: Ledger) -> list[tuple[str, str]]:
    return [(one.kind, one.where) for one in check_facts(ledger, Counter())]


def test_facts_of_a_transaction_are_leaves_at_its_end(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run_id = _open_run(conn)
        assert fact_log.count_leaves(conn) == 0
        audit_log.append_rows(conn, [a_row(name, run_id=run_id) for name in "567"])
        activity_log.record_action(conn, now=at(), actor="ann", action="pause", target=SOURCE)
    with ledger.connect() as conn:
        assert fact_log.count_leaves(conn) == 5
        rows = conn.execute(select(fact_leaves).order_by(fact_leaves.c.position)).all()
    found = {(row.kind, row.subject): len(split_hashes(row.hashes)) for row in rows}
    assert found == {("audit", run_id): 3, ("run", run_id): 1, ("action", "pause"): 1}
    assert _findings(ledger) == []


def test_facts_of_a_transaction_that_is_rolled_back_leave_nothing(ledger: Ledger) -> None:
    def give_up(conn: Connection) -> None:
        _open_run(conn)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger.write(give_up)
    ledger.write(lambda conn: activity_log.record_action(conn, now=at(), actor="ann", action="pause", target=SOURCE))
    with ledger.connect() as conn:
        assert fact_log.count_leaves(conn) == 1
    assert _findings(ledger) == []


def test_row_written_twice_in_transaction_has_one_leaf(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run_records.close_run(conn, _open_run(conn), state="complete", reason=None, now=at(5))
    with ledger.connect() as conn:
        assert fact_log.count_leaves(conn) == 1
    assert _findings(ledger) == []


def test_removed_row_has_leaf_of_removal(ledger: Ledger) -> None:
    page = ("example.gov", "f" * 64)
    with ledger.begin() as conn:
        human_decisions.approve_text(conn, *page, raw="a" * 64, clean="b" * 64, title=None, by="ann", now=at())
    with ledger.begin() as conn:
        human_decisions.withdraw_approval(conn, *page, "a" * 64)
    with ledger.connect() as conn:
        assert fact_log.count_leaves(conn) == 2
    assert _findings(ledger) == []


def test_writers_of_several_processes_share_one_order(ledger: Ledger, database_url: str) -> None:
    others = [open_ledger(database_url) for _ in range(4)]

    def note(conn: Connection, number: int, turn: int) -> None:
        activity_log.record_action(conn, now=at(), actor=f"job {number}", action="note", target=str(turn))

    def write(number: int) -> None:
        for turn in range(10):
            others[number].write(partial(note, number=number, turn=turn))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    with ledger.connect() as conn:
        positions = [row.position for row in fact_log.stream_leaves(conn)]
    assert positions == list(range(40))
    assert _findings(ledger) == []


def test_changed_removed_and_added_rows_are_distinguished(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        run_id = _open_run(conn)
        gone = _open_run(conn, "gone")
        for who in ("ann", "bob", "eve"):
            activity_log.record_action(conn, now=at(), actor=who, action="pause", target=f"of {who}")
    with ledger.begin() as conn:
        conn.execute(update(runs).where(runs.c.run_id == run_id).values(source_id="another"))
        conn.execute(delete(runs).where(runs.c.run_id == gone))
        conn.execute(delete(actions).where(actions.c.actor == "bob"))
        conn.execute(actions.insert().values(at=at(), actor="eve", action="accept", target="of eve"))
    assert sorted(_findings(ledger)) == [
        ("fact_changed", run_id),
        ("fact_missing", gone),
        ("fact_missing", "pause"),
        ("fact_unrecorded", "of eve"),
    ]


def test_log_with_gap_is_found(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        conn.execute(fact_leaves.insert().values(position=3, kind="rumour", subject="x", hashes=b"h" * 32))
        conn.execute(fact_leaves.insert().values(position=4, kind="rumour", subject="x", hashes=b"half"))
    assert _findings(ledger) == [("log_broken", "leaf 0"), ("log_broken", "leaf 4"), ("log_broken", "rumour")]


def test_leaf_covers_every_column_of_audit_row(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        audit_log.append_row(conn, a_row(run_id=_open_run(conn)))
        row = dict(conn.execute(select(audit)).mappings().one())
    kind = FACT_KINDS["audit"]
    for name in row.keys() - {"audit_id"}:
        assert kind.hash_row(row | {name: "another"}) != kind.hash_row(row), name


@pytest.mark.parametrize("name", FACT_KINDS)
@pytest.mark.parametrize("dialect", ["sqlite"])
def test_fact_is_read_by_key_from_an_index(ledger: Ledger, name: str) -> None:
    """A ledger of a year has a million rows, and each transaction of a job reads some."""
    kind, plans = FACT_KINDS[name], list[str]()
    with ledger.connect() as conn:

        def explain(_conn: object, _cursor: object, statement: str, parameters: tuple[object, ...], *_: object) -> None:
            if not statement.startswith("EXPLAIN"):
                plans.extend(row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters))

        event.listen(conn, "before_cursor_execute", explain)
        assert kind.load_rows(conn, [tuple("1" if column.type.python_type is str else 1 for column in kind.key)]) == {}
    assert plans and all(step.startswith("SEARCH") for step in plans)


# An older ledger: its rows become leaves, and the last hashes of its chains stay.


def _chained_rows(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """As version 0027 chained them."""
    before = "0" * 64
    for row in rows:
        row["prev_hash"] = before
        covered = {name: value for name, value in row.items() if name not in {"audit_id", "reason_code"}}
        whole = dict.fromkeys(_UNSET) | covered
        before = sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        row["row_hash"] = before
    return rows


_UNSET = (
    *("content_hash", "content_changed", "response_time_ms", "error", "staged_path", "reason", "verdict", "rules"),
    *("final_url", "redirects", "ip_address", "request_headers", "response_headers", "raw_hash", "robots_object"),
    *("attempts", "http_status"),
)


@pytest.fixture
def old_url(database_url: str, dialect: str, request: pytest.FixtureRequest) -> str:
    """A ledger of version 0027 with a run of three audit rows."""
    where = database_url if dialect == "sqlite" else request.getfixturevalue("postgresql").empty()
    engine = create_engine(_location(where))
    rows: list[dict[str, object]] = [
        {
            "run_id": RUN,
            "seq": seq,
            "kind": "page",
            "timestamp": f"2026-11-0{seq}T00:00:00.000000Z",
            "manifest_id": SOURCE,
            "url": f"https://hud.gov/{seq}",
            "engine": "http",
            "credits_consumed": 0,
            "retry_count": 0,
            "url_hash": str(seq) * 64,
            "state": "captured",
            "build": "rori-collector 1",
        }
        for seq in (1, 2, 3)
    ]
    with engine.begin() as conn:
        upgrades.run_migrations(conn, to="0027")
        conn.execute(
            text(
                "INSERT INTO runs (run_id, source_id, manifest_version, method, state, operator, job_id, started_at)"
                f" VALUES ('{RUN}', '{SOURCE}', '1', 'crawl', 'complete', 'system', 'j', '2026-11-01T00:00:00.000000Z')"
            )
        )
        for row in _chained_rows(rows):
            names = ", ".join(row)
            conn.execute(text(f"INSERT INTO audit ({names}) VALUES ({', '.join(f':{name}' for name in row)})"), row)
    engine.dispose()
    return where


def _location(url: str) -> str:
    return urls.parse_database_url(url).url.render_as_string(hide_password=False)


def test_rows_of_an_older_ledger_become_leaves_at_the_upgrade(old_url: str) -> None:
    assert upgrade_ledger(old_url)[0] == "0027"
    with open_ledger(old_url) as ledger:
        assert _findings(ledger) == []
        with ledger.connect() as conn:
            assert fact_log.count_leaves(conn) == 4
            assert audit_log.verify_chain(conn, RUN) == []


def test_row_changed_before_upgrade_breaks_old_chain(old_url: str) -> None:
    engine = create_engine(_location(old_url))
    with engine.begin() as conn:
        if conn.dialect.name == "sqlite":
            trigger = conn.execute(
                text("SELECT sql FROM sqlite_master WHERE name = 'audit_refuses_update'")
            ).scalar_one()
            conn.execute(text("DROP TRIGGER audit_refuses_update"))
        else:
            trigger = "ALTER TABLE audit ENABLE TRIGGER ALL"
            conn.execute(text("ALTER TABLE audit DISABLE TRIGGER ALL"))
        conn.execute(text("UPDATE audit SET url = 'https://hud.gov/other' WHERE seq = 2"))
        conn.exec_driver_sql(trigger)
    engine.dispose()
    upgrade_ledger(old_url)
    with open_ledger(old_url) as ledger:
        assert _findings(ledger) == [("audit_chain", RUN)]
        with ledger.connect() as conn:
            assert audit_log.verify_chain(conn, RUN) == [
                f"run {RUN}: its first 3 audit rows do not give the last hash of their chain"
            ]


def _add_page(conn: Connection) -> int:
    """A page with one version."""
    page_id = page_history.ensure_page(conn, SOURCE, url("5"), now=at()).page_id
    page_history.add_version(conn, page_id, a_version(run_id=_open_run(conn)), body_chars=9)
    return page_id


def test_changes_of_an_older_ledger_become_leaves_at_the_upgrade(ledger: Ledger, database_url: str) -> None:
    with ledger.begin() as conn:
        page_id = _add_page(conn)
        initial = {"kind": "initial", "importance": 0, "details": {}, "described_at": at()}
        row = {"page_id": page_id, "seq": 1, "source_id": SOURCE, "at": at(), **initial}
        conn.execute(changes.insert().values(row))
        opened = {"event": "head_late", "severity": "high", "message": "It is late.", "opened_at": at()}
        conn.execute(alerts.insert().values(alert_id=4, source_id="", cause="", **opened))
    with ledger.connect() as conn:
        size = fact_log.count_leaves(conn)
    assert _findings(ledger) == [("fact_unrecorded", url("5")), ("fact_unrecorded", "alert 4")]
    with ledger.begin() as conn:
        for later in (
            imported_changes,
            import_withdrawals,
            imported_captures,
            imports,
            api_tokens,
            change_assignments,
            change_deliveries,
            change_subscriptions,
            change_totals,
            run_totals,
            change_weights,
        ):
            later.drop(conn)
        for table, trigger in (
            ("runs", "runs_count_insert"),
            ("runs", "runs_count_update"),
            ("versions", "versions_count_insert"),
        ):
            on = f" ON {table}" if conn.dialect.name == "postgresql" else ""
            conn.execute(text(f"DROP TRIGGER {trigger}{on}"))
            if on:
                conn.execute(text(f"DROP FUNCTION {trigger}"))
        for earlier in (
            "ALTER TABLE corpus_pages DROP COLUMN language",
            "ALTER TABLE corpus_pages DROP COLUMN published",
            "ALTER TABLE corpus_pages DROP COLUMN stated",
            "DROP INDEX ix_changes_time",
            "CREATE INDEX ix_changes_time ON changes (at, page_id)",
            "DROP INDEX ix_pages_held",
            "CREATE INDEX ix_pages_held ON pages (source_id) WHERE last_seq > 0 AND gone_at IS NULL",
            "DROP INDEX ix_pages_url",
            "DROP INDEX ix_page_aliases_url",
            "DROP INDEX ix_jobs_started",
            "DROP INDEX ix_jobs_ended",
            "DROP INDEX ix_jobs_outcome",
            "DROP INDEX ix_runs_state",
            "DROP INDEX ix_versions_run",
            "DROP INDEX ix_versions_modified",
            "CREATE INDEX ix_versions_change ON versions (change_type)",
            "DROP INDEX ix_actions_target",
            "DROP INDEX ix_run_urls_pending",
            "ALTER TABLE run_urls DROP COLUMN rank",
            "ALTER TABLE runs DROP COLUMN plugins",
            "ALTER TABLE versions DROP COLUMN screenshot_object",
        ):
            conn.execute(text(earlier))
        conn.execute(text("UPDATE alembic_version SET version_num = '0030'"))
    assert upgrade_ledger(database_url)[0] == "0030"
    assert _findings(ledger) == []
    with ledger.connect() as conn:
        assert fact_log.count_leaves(conn) == size + 2


def test_changes_that_two_processes_describe_have_one_leaf(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        page_id = _add_page(conn)
    row = {"page_id": page_id, "seq": 1, "source_id": SOURCE, "at": at(), "from_seq": None, "url": url("5")}
    for kind in ("text", "number"):
        described = {"kind": kind, "importance": 2, "details": {"rules": ["figure"]}, "described_at": at(1)}
        ledger.write(lambda conn, new=described: change_records.add_changes(conn, [row | new]))  # type: ignore[misc]
    assert _findings(ledger) == []

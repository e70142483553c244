"""PostgreSQL as it may be met: without rights, full, read-only, gone, another program's; each says what to do."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger import upgrades
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import open_ledger, upgrade_ledger
from rori_spiders.ledger.database_url import parse_database_url
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import pages, runs
from tests.ledger.factories import RUN, a_row, a_run, a_version, at
from tests.ledger.factories import url as url_of
from tests.support.postgresql import LOCKED_OUT, name_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from tests.support.postgresql import Cluster


def refused(url: str) -> str:
    """What is said when a job opens the ledger and writes its first row."""
    with pytest.raises(LedgerError) as error, closing(open_ledger(url)) as ledger, ledger.begin() as conn:
        a_run(conn, RUN)
    assert "hunter2" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("road", ["UPDATE audit SET http_status = 404", "DELETE FROM audit", "TRUNCATE audit CASCADE"])
def test_postgresql_audit_refuses_every_change(postgresql: Cluster, road: str) -> None:
    """Also by the owner of the tables, also where no row would match."""
    url = postgresql.ledger()
    with closing(open_ledger(url)) as ledger:
        with ledger.begin() as conn:
            a_run(conn, RUN)
            audit_log.append_rows(conn, [a_row("5"), a_row("6")])
        with pytest.raises(psycopg.errors.RestrictViolation, match="the audit is append-only"):
            postgresql.sql(road, database=name_of(url))
        with pytest.raises(IntegrityError, match="append-only"), ledger.begin() as conn:
            conn.exec_driver_sql(f"{road} WHERE seq = 1" if "TRUNCATE" not in road else road)
        with ledger.connect() as conn:
            assert audit_log.verify_chain(conn, RUN) == []
            assert len(list(audit_log.query_rows(conn))) == 2


def test_postgresql_database_without_tables_is_reported(postgresql: Cluster) -> None:
    assert refused(postgresql.empty()).endswith("has no tables yet. Run: scrapy ledger upgrade")


def test_postgresql_database_of_other_program_is_refused(postgresql: Cluster) -> None:
    url = postgresql.empty()
    postgresql.sql("CREATE TABLE bookmarks (url text)", database=name_of(url))
    assert "holds tables of another program" in refused(url)
    with pytest.raises(LedgerError, match="holds tables of another program"):
        upgrade_ledger(url)
    assert postgresql.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database=name_of(url)) == [(1,)]


@pytest.mark.parametrize(
    ("version", "says"),
    [("9999", "has version 9999, but this program"), ("0005", "has the older version 0005. Run: scrapy ledger")],
)
def test_postgresql_other_version_is_refused(postgresql: Cluster, version: str, says: str) -> None:
    url = postgresql.ledger()
    postgresql.sql(f"UPDATE alembic_version SET version_num = '{version}'", database=name_of(url))
    assert says in refused(url)


def test_postgresql_read_only_server_is_reported(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    postgresql.sql(f"ALTER DATABASE {name_of(url)} SET default_transaction_read_only = on")
    assert "cannot be written: the server gives it read-only" in refused(url)
    with pytest.raises(LedgerError, match="the server gives it read-only"), closing(open_ledger(url)) as ledger:
        ledger.write(lambda conn: a_run(conn, RUN))


def test_postgresql_role_without_rights_is_reported(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    postgresql.sql("DROP ROLE IF EXISTS stranger", "CREATE ROLE stranger LOGIN")
    assert "may not be used by this role" in refused(url.replace("tests@", "stranger@"))


def test_postgresql_role_with_documented_rights_works(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    postgresql.sql(
        "DROP ROLE IF EXISTS jobs",
        "CREATE ROLE jobs LOGIN",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO jobs",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO jobs",
        "REVOKE UPDATE, DELETE, TRUNCATE ON audit, alembic_version FROM jobs",
        database=name_of(url),
    )
    with closing(open_ledger(url.replace("tests@", "jobs@"))) as ledger:
        ledger.write(_a_visit)
        with ledger.connect() as conn:
            assert audit_log.verify_chain(conn, RUN) == []
    postgresql.sql("DROP OWNED BY jobs", "DROP ROLE jobs", database=name_of(url))


def _a_visit(conn: Connection) -> None:
    a_run(conn, RUN)
    leases.acquire_lease(conn, "hud.gov", owner="h:1:j", now=at())
    page = page_history.ensure_page(conn, "reg-x", url_of("5"), now=at())
    page_history.add_version(conn, page.page_id, a_version(), body_chars=9)
    audit_log.append_row(conn, a_row("5"))
    activity_log.record_action(conn, now=at(), actor="candi", action="pause", target="reg-x")


def test_postgresql_wrong_password_is_reported(postgresql: Cluster) -> None:
    postgresql.sql(f"DROP ROLE IF EXISTS {LOCKED_OUT}", f"CREATE ROLE {LOCKED_OUT} LOGIN PASSWORD 'right'")
    url = postgresql.url(name_of(postgresql.ledger()), user=LOCKED_OUT, password="hunter2")
    assert "cannot be reached: " in refused(url)
    assert "password authentication failed" in refused(url)
    assert f"{LOCKED_OUT}:***@" in refused(url)


@pytest.mark.parametrize(
    "url", ["postgresql://rori:hunter2@db.invalid/rori", "postgresql://rori:hunter2@127.0.0.1:1/rori"]
)
def test_postgresql_wrong_host_is_reported(url: str) -> None:
    assert "cannot be reached: " in refused(url)


def test_postgresql_missing_database_is_reported(postgresql: Cluster) -> None:
    assert 'database "nothing" does not exist' in refused(postgresql.url("nothing"))


def test_postgresql_too_many_connections_are_reported(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    postgresql.sql("DROP ROLE IF EXISTS one_alone", "CREATE ROLE one_alone LOGIN CONNECTION LIMIT 1")
    alone = url.replace("tests@", "one_alone@")
    with psycopg.connect(alone):
        assert "too many connections for role" in refused(alone)


def test_postgresql_full_disk_is_reported(postgresql: Cluster) -> None:
    """The server's own error, raised where it would come from: no test may fill a disk."""
    url = postgresql.ledger()
    postgresql.sql(
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION"
        " 'could not extend file \"base/1/2\": No space left on device' USING ERRCODE = 'disk_full'; END $$",
        "CREATE TRIGGER full_disk BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION full_disk()",
        database=name_of(url),
    )
    assert "cannot grow: the disk is full" in refused(url)


def test_postgresql_lock_held_too_long_is_reported(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    with psycopg.connect(url) as holder, closing(open_ledger(url, timeout_s=0.3)) as ledger:
        holder.execute("LOCK TABLE runs")
        with pytest.raises(LedgerError, match="is locked: another process is writing to it"):
            ledger.write(lambda conn: a_run(conn, RUN))


def test_postgresql_two_concurrent_upgrades_run_once(postgresql: Cluster) -> None:
    url = postgresql.empty()
    newest, answers = upgrades.known_revisions()[-1], []
    with ExitStack() as stack:
        for _ in range(3):
            thread = threading.Thread(target=lambda: answers.append(upgrade_ledger(url)))
            thread.start()
            stack.callback(thread.join)
    assert {now for _, now in answers} == {newest}
    assert len(answers) == 3
    open_ledger(url, migrate=False).close()


def test_postgresql_job_never_upgrades(postgresql: Cluster) -> None:
    url = postgresql.empty()
    refused(url)
    assert postgresql.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database=name_of(url)) == [(0,)]


def test_postgresql_lease_goes_to_one_of_two_jobs(postgresql: Cluster) -> None:
    url = postgresql.ledger()
    got: list[leases.Lease | None] = []

    def job(number: int) -> None:
        with closing(open_ledger(url)) as own:
            for group in ("hud.gov", f"{number}.gov"):
                acquire = partial(leases.acquire_lease, group=group, owner=f"h:{number}:j{number}", now=at())
                got.extend([own.write(acquire)])

    with ExitStack() as stack:
        for number in range(4):
            thread = threading.Thread(target=job, args=(number,))
            thread.start()
            stack.callback(thread.join)
    leased = [lease.group for lease in got if lease is not None]
    assert sorted(leased) == ["0.gov", "1.gov", "2.gov", "3.gov", "hud.gov"]


_HOSTILE = "NUL \x00, half a pair \ud83d, a free one \U0010ffff and U+10FFFF0000 \U0010ffff0000"


def test_postgresql_text_is_stored_unchanged(ledger: Ledger, run_id: str) -> None:
    """On both databases: in text, in JSON, under the hash of the audit, and in a search."""
    row = a_row("5", reason=_HOSTILE, error=_HOSTILE, response_headers={"X-\x00": [_HOSTILE]}, rules=[_HOSTILE])

    with ledger.begin() as conn:
        audit_log.append_row(conn, row)
        page = page_history.ensure_page(conn, "reg-x", url_of("5"), now=at())
        page_history.add_version(conn, page.page_id, a_version(title=_HOSTILE), body_chars=9)
        assert conn.execute(select(pages.c.title).where(pages.c.title == _HOSTILE)).scalar_one() == _HOSTILE
    with ledger.connect() as conn:
        [found] = audit_log.query_rows(conn)
        assert (found["reason"], found["error"], found["rules"]) == (_HOSTILE, _HOSTILE, [_HOSTILE])
        assert found["response_headers"] == {"X-\x00": [_HOSTILE]}
        assert audit_log.verify_chain(conn, run_id) == []
        assert conn.execute(select(runs.c.run_id)).scalars().all() == [RUN]


def test_postgresql_url_longer_than_index_limit_is_stored(ledger: Ledger, run_id: str) -> None:
    long = url_of("5" * 60_000)
    with ledger.begin() as conn:
        audit_log.append_row(conn, a_row("5", url=long))
        page_history.ensure_page(conn, "reg-x", long, now=at())
    with ledger.connect() as conn:
        assert [row["url"] for row in audit_log.query_rows(conn, url=long)] == [long]


def test_postgresql_behind_pgbouncer_settings_end_with_their_transaction(postgresql: Cluster) -> None:
    """Sessions are shared there: one that has read must be able to write for the next."""
    with closing(open_ledger(f"{postgresql.ledger()}&pgbouncer=transaction")) as ledger:
        with ledger.connect() as conn:
            assert conn.execute(text("SHOW transaction_read_only")).scalar_one() == "on"
            assert conn.execute(text("SHOW default_transaction_read_only")).scalar_one() == "off"
            with pytest.raises(DBAPIError):
                conn.execute(text("DELETE FROM leases"))
        with ledger.begin() as conn:
            assert conn.execute(text("SHOW lock_timeout")).scalar_one() == "30s"
            conn.execute(text("SET LOCAL lock_timeout = 0"))
            reset = text("SELECT reset_val FROM pg_settings WHERE name = 'lock_timeout'")
            assert conn.execute(reset).scalar_one() == "0"
            assert not conn.execute(text("SELECT 1 FROM pg_prepared_statements")).all()


def test_postgresql_url_with_another_mode_of_pgbouncer_is_refused() -> None:
    with pytest.raises(UsageError, match="`pgbouncer` is `transaction`"):
        parse_database_url("postgresql://u@h/rori?pgbouncer=session")


def test_postgresql_short_lock_timeout_allows_long_transactions(postgresql: Cluster) -> None:
    with closing(open_ledger(postgresql.ledger(), timeout_s=0.3)) as ledger, ledger.begin() as conn:
        allowed = "SELECT setting::int FROM pg_settings WHERE name = 'idle_in_transaction_session_timeout'"
        assert conn.execute(text(allowed)).scalar_one() >= 10_000

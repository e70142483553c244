"""`scrapy as-of`: which text was held, by four clocks, and what is not known between two looks."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.audit.facts import FACT_KINDS
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import envelopes, fact_leaves, versions
from rori_spiders.reasons import Reason
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import NOON, SITE, an_id
from tests.ledger.factories import a_version
from tests.staging.job_driver import SOURCE, Job, begin, next_run
from tests.support.databases import open_empty_ledger
from tests.terminal.commands.conftest import START, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from tests.support.project import Project

    Typed = Callable[..., Result]

DAY = timedelta(days=1)


def _look(job: Job, at: datetime, state: str, text_hash: str | None = None) -> None:
    """A look at the page without a new text."""
    run_id = begin(job, SITE)[0].run_id
    row = audit_log.AuditRow(
        run_id=run_id,
        timestamp=at,
        manifest_id=SOURCE,
        url=SITE,
        engine="http",
        state=state,
        build="tests",
        content_hash=text_hash,
        http_status=200,
    )
    with job.ledger.begin() as conn:
        audit_log.append_row(conn, row)


@pytest.fixture
def texts(project: Project) -> Project:
    """One text on the 13th, seen again on the 20th; on the 27th another; on 6 March it is removed."""
    with closing(open_empty_ledger(project.ledger)) as ledger:
        job = Job(ledger, DiskStore(project.staging), an_id(1))
        job.page(begin(job, SITE)[0], "old")
        with ledger.connect() as conn:
            page = page_history.find_page(conn, SOURCE, SITE)
        assert page is not None
        next_run(job)
        job.now = NOON + 7 * DAY
        _look(job, job.now, "unchanged", page.content_hash)
        next_run(job)
        job.now = NOON + 14 * DAY
        job.page(begin(job, SITE)[0], "new")
        next_run(job)
        job.now = NOON + 21 * DAY
        _look(job, job.now, "gone")
        run_id = begin(job, SITE)[0].run_id
        gone = a_version("c", run_id=run_id, captured_at=job.now, change_type="deleted")
        with ledger.begin() as conn:
            page_history.add_version(conn, page.page_id, gone, body_chars=0)
            conn.execute(update(versions).where(versions.c.seq == 1).values(effective="2026-01-01", published="May 2"))
            conn.execute(update(versions).where(versions.c.seq == 2).values(effective="2026-03-01"))
            for seq in (1, 2):
                fact_log.note_fact(conn, "version", page.page_id, seq)
    return project


def _row(typed: Typed, date: str, *more: str) -> dict[str, object]:
    [row] = json.loads(typed("as-of", date, "--page", SITE, "--format", "json", *more).out)
    assert isinstance(row, dict)
    return row


def test_point_in_time_between_two_looks_says_that_nobody_looked(texts: Project, typed: Typed) -> None:
    row = _row(typed, "2026-02-16")
    assert (row["state"], row["version"], row["as_of"]) == ("held", 1, "2026-02-16T23:59:59Z")
    assert row["says"] == (
        "Captured 2026-02-13 12:00:30 UTC; seen unchanged 2026-02-13 12:00:30 UTC and 2026-02-20 12:00:30 UTC, "
        "not looked at in between; another text was captured 2026-02-27 12:00:30 UTC."
    )


def test_point_in_time_before_the_calendar_of_utc_is_answered(texts: Project, typed: Typed) -> None:
    assert _row(typed, "0001-01-01T00:00:00+14:00")["state"] == "not_captured"


def test_point_in_time_keeps_four_clocks_apart(texts: Project, typed: Typed) -> None:
    row = _row(typed, "2026-02-20")
    assert (row["published"], row["effective"], row["effective_until"]) == ("May 2", "2026-01-01", "2026-03-01")
    assert (row["captured"], row["last_seen"]) == ("2026-02-13T12:00:30Z", "2026-02-20T12:00:30Z")
    assert (row["known"], row["replaced"]) == ("2026-02-13T12:00:30Z", "2026-02-27T12:00:30Z")
    said = typed("as-of", "2026-02-27", "--page", SITE)
    assert said.out.startswith("As of 2026-02-27 23:59:59 UTC (the end of the day in UTC):\n")
    lines = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in said.out.splitlines()}
    assert lines["effective (publisher)"] == "2026-03-01"
    assert lines["published (publisher)"] == "-"
    assert lines["captured"] == lines["known"] == "2026-02-27 12:00 UTC"


def test_point_in_time_text_that_was_replaced_says_that_the_moment_is_unknown(texts: Project, typed: Typed) -> None:
    says = str(_row(typed, "2026-02-24")["says"])
    assert "last seen 2026-02-20 12:00:30 UTC, then another text 2026-02-27 12:00:30 UTC, not looked at in" in says
    assert "is unknown" in says


def test_point_in_time_after_a_failed_look_does_not_say_that_nobody_looked(texts: Project, typed: Typed) -> None:
    with closing(open_ledger(str(texts.ledger))) as ledger:
        _look(Job(ledger, DiskStore(texts.staging), an_id(1)), NOON + 10 * DAY, "failed")
    says = str(_row(typed, "2026-02-24")["says"])
    assert "the look at 2026-02-23 12:00:30 UTC did not see it (failed, HTTP 200)" in says
    assert "not looked at in between" not in says


def test_point_in_time_markdown_is_the_text_alone(texts: Project, typed: Typed) -> None:
    said = typed("as-of", "2026-02-16", "--page", SITE, "--format", "markdown")
    assert (said.code, said.out) == (0, "# old\n")
    assert "As of 2026-02-16 23:59:59 UTC (the end of the day in UTC): Captured" in said.err
    for clock in (
        "published (publisher): May 2",
        "effective (publisher): 2026-01-01",
        "captured: 2026-02-13",
        "known: ",
    ):
        assert clock in said.err
    zone = typed("as-of", "2026-02-27T14:30:00+02:00", "--page", SITE, "--format", "markdown")
    assert zone.out == "# new\n"


def test_point_in_time_before_the_first_capture_and_after_the_removal_has_no_text(texts: Project, typed: Typed) -> None:
    early, late = _row(typed, "2026-02-12"), _row(typed, "2026-03-07")
    assert early["state"] == "not_captured"
    assert early["says"] == (
        "No text: not captured by then; not looked at before; first captured 2026-02-13 12:00:30 UTC."
    )
    assert late["state"] == "removed"
    assert "the publisher had removed the page, captured 2026-03-06 12:00:30 UTC" in str(late["says"])
    said = typed("as-of", "2026-02-12", "--page", SITE, "--format", "markdown")
    assert (said.code, said.out) == (1, "")
    assert typed("as-of", "2026-02-12", "--page", SITE).code == 1


def test_point_in_time_names_the_leaves_that_prove_it(texts: Project, typed: Typed) -> None:
    row = _row(typed, "2026-02-24")
    with closing(open_ledger(str(texts.ledger))) as ledger, ledger.connect() as conn:
        log = b"".join(one.hashes for one in fact_log.stream_leaves(conn))
        rows = {name: list(FACT_KINDS[name].stream_rows(conn)) for name in ("version", "envelope", "audit")}
    proving = {
        "version": next(one for one in rows["version"] if one["seq"] == 1),
        "envelope": next(one for one in rows["envelope"] if one["path"] == row["envelope"]),
        "audit": next(one for one in rows["audit"] if one["timestamp"] == NOON + 7 * DAY),
    }
    for name, leaf in (("version", "version_leaf"), ("envelope", "envelope_leaf"), ("audit", "last_seen_leaf")):
        at = int(str(row[leaf])) * 32
        assert log[at : at + 32] == FACT_KINDS[name].hash_row(proving[name])


def test_point_in_time_text_whose_row_was_changed_has_no_leaf(texts: Project, typed: Typed) -> None:
    with closing(open_ledger(str(texts.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(update(versions).where(versions.c.seq == 1).values(title="Another"))
    row = _row(typed, "2026-02-16")
    assert row["version_leaf"] is None
    assert "the log of facts has no leaf of it as it is now: run `scrapy verify`" in str(row["says"])


def test_point_in_time_pruned_envelope_keeps_its_text(texts: Project, typed: Typed) -> None:
    with closing(open_ledger(str(texts.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(update(envelopes).values(state="pruned"))
    row = _row(typed, "2026-02-16")
    assert row["envelope_state"] == "pruned"
    assert "its envelope was pruned, its text and bytes are kept as objects" in str(row["says"])


def test_point_in_time_text_recorded_later_says_so(texts: Project, typed: Typed) -> None:
    with closing(open_ledger(str(texts.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(update(envelopes).values(staged_at=NOON + 30 * DAY))
    assert "recorded only 2026-03-15 12:00:30 UTC: nobody could answer with it before" in str(
        _row(typed, "2026-02-16")["says"]
    )


def test_point_in_time_without_a_page_lists_all(texts: Project, typed: Typed) -> None:
    said = typed("as-of", "2026-02-16", "--source", SOURCE)
    assert said.code == 0
    assert said.out.startswith("As of 2026-02-16 23:59:59 UTC (the end of the day in UTC):\n")
    assert "1 of 1 page had a text then." in said.out
    for title in ("published", "effective", "captured (UTC)", "known (UTC)"):
        assert title in said.out
    said = typed("as-of", "2026-02-16", "--source", "another")
    assert (said.code, "unknown source 'another'" in said.err) == (2, True)


def test_point_in_time_page_that_only_failed_says_how(collected: Project, typed: Typed) -> None:
    said = typed("as-of", "2026-02-14", "--page", f"{START}broken")
    assert said.code == 1
    assert f"ended as failed, HTTP 503: {Reason('server_error', http_status=503)}" in said.out
    assert "No source has" in typed("as-of", "2026-02-14", "--page", "https://nobody.example/").out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["2999-01-01", "--page", SITE], "DATE is in the future"),
        (["yesterday"], "expected a date or time"),
        (["2026-02-13T14:30:00"], "a time needs its zone, such as 2026-02-13T14:30:00Z"),
        (["2026-02-13", "--format", "markdown"], "--format markdown needs --page URL"),
        ([], "DATE"),
    ],
)
def test_point_in_time_without_meaning_is_refused(texts: Project, typed: Typed, words: list[str], why: str) -> None:
    said = typed("as-of", *words)
    assert said.code == 2
    assert why in said.err


def test_load_positions_gives_the_last_of_equal_leaves(texts: Project) -> None:
    leaves = {"kind": "test", "subject": "one"}
    with closing(open_ledger(str(texts.ledger))) as ledger, ledger.begin() as conn:
        conn.execute(fact_leaves.insert().values(position=9_000, hashes=b"a" * 32 + b"b" * 32 + b"a" * 32, **leaves))
        found = fact_log.load_positions(conn, "test", "one")
    assert found == {b"a" * 32: 9_002, b"b" * 32: 9_001}

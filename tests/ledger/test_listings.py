"""What the monitor lists of a source: its pages by state, its runs, a run's URLs, what it costs. On both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit.audit_log import AuditRow, append_row
from rori_spiders.ledger.operations import costs, manifest_history
from rori_spiders.ledger.pages import page_history, page_listing
from rori_spiders.ledger.pages.page_history import NewVersion
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.runs.run_records import RunPosition, UrlPosition
from rori_spiders.manifest.loading import load_packaged, parse_manifest
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from tests.ledger.factories import mark_gone

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

AT = datetime(2026, 2, 13, 7, 0, tzinfo=UTC)
HASH = "0" * 64


def begun(conn: Connection, at: datetime) -> str:
    return run_records.open_run(
        conn,
        source_id="a",
        manifest_version="1",
        method="crawl",
        operator="system",
        job_id="j",
        now=at,
        resume_after=at,
    ).run_id


def url(path: str) -> str:
    return f"https://a.gov/{path}"


def met(
    conn: Connection,
    run_id: str,
    path: str,
    state: str,
    reason: Reason = CAPTURED,
    tier: str | None = None,
    verdict: str | None = None,
) -> None:
    visit = FrontierUrl(
        run_id=run_id, source_id="a", url=url(path), kind="page", depth=0, found_on=None, found_by="link"
    )
    frontier.add_urls(conn, run_id, [visit])
    frontier.settle_url(
        conn, run_id, url(path), state=state, reason=reason, tier=tier, verdict=verdict, attempts=1, now=AT
    )


def read(conn: Connection, run_id: str, path: str) -> int:
    page = page_history.ensure_page(conn, "a", url(path), now=AT)
    version = NewVersion(
        run_id=run_id,
        captured_at=AT,
        change_type="new",
        content_hash=HASH,
        raw_object=HASH,
        body_object=HASH,
        section_hashes=[],
        converter_version="1",
        tier="http",
        title=f"Title of {path}",
    )
    page_history.add_version(conn, page.page_id, version, body_chars=7)
    return page.page_id


@pytest.fixture
def run_id(ledger: Ledger) -> str:
    """A run that ended with a page in every state, after one that held two more; a third has just begun."""
    with ledger.begin() as conn:
        first = begun(conn, AT)
        for path in ("gone-before", "not-met", "read", "removed"):
            page_id = read(conn, first, path)
            if path == "gone-before":
                mark_gone(conn, page_id, now=AT)
            if path == "removed":
                page_history.mark_missing(conn, page_id, now=AT)
        run_records.close_run(conn, first, state="complete", reason=None, now=AT)
        last = begun(conn, AT + timedelta(days=1))
        met(conn, last, "read", "unchanged", tier="http")
        met(conn, last, "robots", "excluded", Reason(ReasonCode.ROBOTS_DISALLOWED, target_url="it"))
        met(conn, last, "walled", "failed", Reason(ReasonCode.CAPTCHA, http_status=403), tier="http", verdict="captcha")
        met(
            conn,
            last,
            "down",
            "failed",
            Reason(ReasonCode.SERVER_ERROR, http_status=500),
            tier="http",
            verdict="server_error",
        )
        met(conn, last, "shrunk", "failed", Reason(ReasonCode.SUSPECT, percent=12), tier="http")
        met(
            conn,
            last,
            "removed",
            "failed",
            Reason(ReasonCode.MASS_REMOVAL, before=Reason("not_found", http_status=404)),
            tier="http",
            verdict="not_found",
        )
        met(conn, last, "moved", "gone", Reason(ReasonCode.GONE), tier="browser")
        run_records.close_run(conn, last, state="complete", reason=None, now=AT + timedelta(days=1))
        begun(conn, AT + timedelta(days=2))
    return last


def test_listing_of_pages_filters_by_state(ledger: Ledger, run_id: str) -> None:
    with ledger.connect() as conn:
        found = {one.url.rpartition("/")[2]: one for one in page_listing.list_pages(conn, "a")}
        counted = page_listing.count_pages_by_state(conn, "a")
        assert page_listing.find_last_run(conn, "a") == run_id
        held = page_listing.list_pages(conn, "a", states=("held",), limit=1, offset=1)
        assert [one.url for one in held] == [url("shrunk")]
        assert page_listing.count_pages_by_state(conn, "a", words="TITLE OF") == {"captured": 2, "gone": 1, "held": 1}
        assert page_listing.list_pages(conn, "a", words="100%") == page_listing.list_pages(conn, "none") == []
    assert {path: one.state for path, one in found.items()} == {
        "read": "captured",
        "not-met": "captured",
        "gone-before": "gone",
        "moved": "gone",
        "robots": "excluded",
        "walled": "refused",
        "down": "failed",
        "shrunk": "held",
        "removed": "held",
    }
    assert counted == {"captured": 2, "gone": 2, "excluded": 1, "refused": 1, "failed": 1, "held": 2}
    assert (found["read"].last_changed_at, found["read"].last_checked_at, found["not-met"].run_id) == (AT, AT, None)


def test_listing_of_runs_and_urls_continues_at_cursor(ledger: Ledger, run_id: str) -> None:
    with ledger.connect() as conn:
        (newest, *others) = run_records.list_runs(conn, "a", after=None, limit=10)
        after = RunPosition(newest.started_at, newest.run_id)
        assert run_records.list_runs(conn, "a", after=after, limit=10) == others
        run = run_records.get_run(conn, run_id)
        every = [one.url for one in run_records.list_run_urls(conn, run)]
        assert len(every) == 7 == len(set(every))
        behind = run_records.list_run_urls(conn, run, after=UrlPosition(0, every[2]), limit=2)
        assert [one.url for one in behind] == every[3:5]
        assert [one.url for one in run_records.list_run_urls(conn, run, states=("gone",), words="MOVED")] == [
            url("moved")
        ]
        reasons = {(one.state, one.reason): one.number for one in run_records.count_reasons(conn, run_id)}
        assert reasons["excluded", Reason(ReasonCode.ROBOTS_DISALLOWED, target_url="it")] == 1 and len(reasons) == 6
        assert [tuple(one) for one in run_records.count_tiers(conn, run_id)] == [("http", 5), ("browser", 1)]
        assert not run_records.has_runs(conn, "none")


def test_reasons_of_run_are_counted_by_code_and_rule(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        for number in (503, 504):
            reason = Reason(ReasonCode.SERVER_ERROR, http_status=number)
            met(conn, run_id, f"down-{number}", "failed", reason, tier="http", verdict="server_error")
        for number, rule in enumerate(("/a*", "/a*", "/b*")):
            met(conn, run_id, f"out-{number}", "excluded", Reason(ReasonCode.EXCLUDE_PATTERN, rule=rule))
    with ledger.connect() as conn:
        found = {(one.reason_code, one.reason): one.number for one in run_records.count_reasons(conn, run_id)}
    assert found["server_error", f"server_error, such as: {Reason('server_error', http_status=500)}"] == 3
    assert found["exclude_pattern", Reason("exclude_pattern", rule="/a*")] == 2
    assert found["exclude_pattern", Reason("exclude_pattern", rule="/b*")] == 1


def test_listing_of_costs_is_by_month_tier_and_provider(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        for days, tier, state in ((0, "http", "captured"), (20, "http", "failed"), (20, "browser", "excluded")):
            at = AT + timedelta(days=days)
            row = AuditRow(
                run_id=run_id,
                timestamp=at,
                manifest_id="a",
                url=url("x"),
                engine=tier,
                state=state,
                build="1",
                credits_consumed=2,
            )
            append_row(conn, row)
            costs.reserve_cost(
                conn, provider="firecrawl", unit="credit", amount=3, run_id=run_id, url=url("x"), now=at, usd=0.5
            )
        costs.settle_cost(conn, 1, amount=1, usd=None, now=AT)
    with ledger.connect() as conn:
        tiers = costs.requests_by_tier(conn, "a", since=AT)
        assert [(one.month, one.engine, one.pages, one.failed, one.credits) for one in tiers] == [
            ("2026-03", "http", 1, 1, 2),
            ("2026-02", "http", 1, 0, 2),
        ]
        paid = costs.costs_by_provider(conn, "a", since=AT)
        assert [(one.month, one.calls, one.unsettled, one.amount, one.usd) for one in paid] == [
            ("2026-03", 2, 2, 6.0, 1.0),
            ("2026-02", 1, 0, 1.0, None),
        ]
        assert len(costs.paid_calls_of_url(conn, run_id, url("x"))) == 3
        assert costs.costs_by_provider(conn, "b", since=AT) == []


def test_listing_of_manifest_versions_has_no_texts(ledger: Ledger) -> None:
    first = load_packaged("fthb")
    second = parse_manifest(first.text.replace('"version": "', '"version": "9', 1), name="fthb", origin="x.json")
    with ledger.begin() as conn:
        for days, one in enumerate((first, second, first)):
            manifest_history.activate_manifests(conn, [one], actor="olga", now=AT + timedelta(days=days))
        manifest_history.activate_manifests(
            conn, [parse_manifest(first.text, name="other", origin="x.json")], actor="olga", now=AT
        )
        manifest_history.deactivate_manifest(conn, "other")
    with ledger.connect() as conn:
        listed = manifest_history.newest_activations(conn)
        assert [(one.name, one.active, number) for one, number in listed] == [("fthb", True, 3), ("other", False, 1)]
        found, total = manifest_history.list_activations(conn, "fthb", offset=1, limit=1)
        assert (total, [one.sha256 for one in found], found[0].chars) == (3, [second.sha256], len(second.text))
        assert manifest_history.find_manifest_text(conn, found[0].version_id) == ("fthb", second.text)
        assert manifest_history.find_manifest_text(conn, 99) is None

"""What the monitor lists of a source: its pages by state, its runs, a run's URLs, what it costs. On both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import Visit
from rori_spiders.ledger import costs, frontier, history, manifests, page_lists, run_lists, runs, spending
from rori_spiders.ledger.audit import AuditRow, append
from rori_spiders.ledger.history import NewVersion
from rori_spiders.ledger.holds import REMOVAL
from rori_spiders.ledger.run_lists import RunPosition, UrlPosition
from rori_spiders.manifest.loading import load_packaged, parse

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

AT = datetime(2026, 2, 13, 7, 0, tzinfo=UTC)
HASH = "0" * 64


def begun(conn: Connection, at: datetime) -> str:
    return runs.open_run(
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
    reason: str = "",
    tier: str | None = None,
    verdict: str | None = None,
) -> None:
    visit = Visit(run_id=run_id, source_id="a", url=url(path), kind="page", depth=0, found_on=None, found_by="link")
    frontier.discover(conn, run_id, [visit])
    frontier.settle(conn, run_id, url(path), state=state, reason=reason, tier=tier, verdict=verdict, attempts=1, now=AT)


def read(conn: Connection, run_id: str, path: str) -> int:
    page = history.ensure_page(conn, "a", url(path), now=AT)
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
    history.add_version(conn, page.page_id, version, body_chars=7)
    return page.page_id


@pytest.fixture
def run_id(ledger: Ledger) -> str:
    """A run that ended with a page in every state, after one that held two more; a third has just begun."""
    with ledger.begin() as conn:
        first = begun(conn, AT)
        for path in ("gone-before", "not-met", "read", "removed"):
            page_id = read(conn, first, path)
            if path == "gone-before":
                history.mark_gone(conn, page_id, now=AT)
            if path == "removed":
                history.mark_missing(conn, page_id, now=AT)
        runs.close_run(conn, first, state="complete", reason=None, now=AT)
        last = begun(conn, AT + timedelta(days=1))
        met(conn, last, "read", "unchanged", tier="http")
        met(conn, last, "robots", "excluded", "robots.txt disallows it")
        met(conn, last, "walled", "failed", "captcha: HTTP 403", tier="http", verdict="captcha")
        met(conn, last, "down", "failed", "server_error: HTTP 500", tier="http", verdict="server_error")
        met(conn, last, "shrunk", "failed", "suspect: 12 % of its last text", tier="http")
        met(conn, last, "removed", "failed", f"not_found: HTTP 404; {REMOVAL}", tier="http", verdict="not_found")
        met(conn, last, "moved", "gone", "not_found", tier="browser")
        runs.close_run(conn, last, state="complete", reason=None, now=AT + timedelta(days=1))
        begun(conn, AT + timedelta(days=2))
    return last


def test_pages_by_their_states(ledger: Ledger, run_id: str) -> None:
    with ledger.connect() as conn:
        found = {one.url.rpartition("/")[2]: one for one in page_lists.listed(conn, "a")}
        counted = page_lists.count(conn, "a")
        assert page_lists.last_run(conn, "a") == run_id
        held = page_lists.listed(conn, "a", states=("held",), limit=1, offset=1)
        assert [one.url for one in held] == [url("shrunk")]
        assert page_lists.count(conn, "a", words="TITLE OF") == {"captured": 2, "gone": 1, "held": 1}
        assert page_lists.listed(conn, "a", words="100%") == page_lists.listed(conn, "none") == []
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


def test_runs_and_urls_are_followed(ledger: Ledger, run_id: str) -> None:
    with ledger.connect() as conn:
        (newest, *others) = run_lists.of_source(conn, "a", after=None, limit=10)
        after = RunPosition(newest.started_at, newest.run_id)
        assert run_lists.of_source(conn, "a", after=after, limit=10) == others
        run = runs.run(conn, run_id)
        every = [one.url for one in run_lists.urls(conn, run)]
        assert len(every) == 7 == len(set(every))
        behind = run_lists.urls(conn, run, after=UrlPosition(0, every[2]), limit=2)
        assert [one.url for one in behind] == every[3:5]
        assert [one.url for one in run_lists.urls(conn, run, states=("gone",), words="MOVED")] == [url("moved")]
        reasons = {(one.state, one.reason): one.number for one in run_lists.reasons(conn, run_id)}
        assert reasons["excluded", "robots.txt disallows it"] == 1 and len(reasons) == 6
        assert [tuple(one) for one in run_lists.tiers(conn, run_id)] == [("http", 5), ("browser", 1)]
        assert not run_lists.has_runs(conn, "none")


def test_costs_by_month_tier_and_provider(ledger: Ledger, run_id: str) -> None:
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
            append(conn, row)
            costs.reserve(
                conn, provider="firecrawl", unit="credit", amount=3, run_id=run_id, url=url("x"), now=at, usd=0.5
            )
        costs.settle(conn, 1, amount=1, usd=None, now=AT)
    with ledger.connect() as conn:
        tiers = spending.by_tier(conn, "a", since=AT)
        assert [(one.month, one.engine, one.pages, one.failed, one.credits) for one in tiers] == [
            ("2026-03", "http", 1, 1, 2),
            ("2026-02", "http", 1, 0, 2),
        ]
        paid = spending.by_provider(conn, "a", since=AT)
        assert [(one.month, one.calls, one.unsettled, one.amount, one.usd) for one in paid] == [
            ("2026-03", 2, 2, 6.0, 1.0),
            ("2026-02", 1, 0, 1.0, None),
        ]
        assert len(spending.of_url(conn, run_id, url("x"))) == 3
        assert spending.by_provider(conn, "b", since=AT) == []


def test_versions_of_manifests_without_their_texts(ledger: Ledger) -> None:
    first = load_packaged("fthb")
    second = parse(first.text.replace('"version": "', '"version": "9', 1), name="fthb", origin="x.json")
    with ledger.begin() as conn:
        for days, one in enumerate((first, second, first)):
            manifests.activate(conn, [one], actor="olga", now=AT + timedelta(days=days))
        manifests.activate(conn, [parse(first.text, name="other", origin="x.json")], actor="olga", now=AT)
        manifests.deactivate(conn, "other")
    with ledger.connect() as conn:
        listed = manifests.newest(conn)
        assert [(one.name, one.active, number) for one, number in listed] == [("fthb", True, 3), ("other", False, 1)]
        found, total = manifests.history(conn, "fthb", offset=1, limit=1)
        assert (total, [one.sha256 for one in found], found[0].chars) == (3, [second.sha256], len(second.text))
        assert manifests.kept(conn, found[0].version_id) == ("fthb", second.text)
        assert manifests.kept(conn, 99) is None

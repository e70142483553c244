"""A ledger from before there were reason codes: its frontier gets them, its audit stays as it was hashed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from rori_spiders.ledger import database_url, upgrades
from rori_spiders.reasons import ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

AT = "2026-11-01T00:00:00.000000Z"
#: Sentence of a row -> code and details that the row gets.
OLD_REASONS: dict[str | None, tuple[str | None, dict[str, object] | None]] = {
    None: (None, None),
    "": ("captured", {}),
    "not modified (304)": ("not_modified", {}),
    "redirected to https://hud.gov/b": ("redirected", {"target_url": "https://hud.gov/b"}),
    "redirected to https://hud.gov/b (outside include_patterns)": (
        "redirected_out_of_scope",
        {"target_url": "https://hud.gov/b", "rule": "outside include_patterns"},
    ),
    "only frames; read at https://hud.gov/f": ("only_frames", {"target_url": "https://hud.gov/f"}),
    "a session id in the address; read at https://hud.gov/": (
        "address_simplified",
        {"rule": "a session id in the address", "target_url": "https://hud.gov/"},
    ),
    "redirected to other domain: https://x.org/": ("redirected_off_site", {"target_url": "https://x.org/"}),
    "robots.txt disallows https://hud.gov/x": ("robots_disallowed", {"target_url": "https://hud.gov/x"}),
    "max_pages 20 reached": ("max_pages", {"limit": 20}),
    "denied (akamai): HTTP 403": ("denied", {}),
    "timeout: 30 s": ("timeout", {}),
    "rate_limited: HTTP 429": ("rate_limited", {}),
    "rate_limited: the server asks to be left alone for 3600 s": ("cooling_down", {}),
    "suspect: 12 % of its last text; held until a person accepts it": ("suspect", {}),
    "not_found: HTTP 404; not taken for gone: too many pages of the source would go at once; held until a person "
    "accepts it": ("mass_removal", {}),
    "accepted 2026-11-02 10:00 UTC by ann: it is right (was suspect: 12 % of its last text)": ("accepted", {}),
    "TimeoutError: nobody knows": (None, None),
}


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """A database of version 0019 with a row for each sentence."""
    url = "sqlite://" if request.param == "sqlite" else request.getfixturevalue("postgresql").empty()
    engine = create_engine(database_url.parse_database_url(url).url if request.param == "postgresql" else url)
    with engine.begin() as conn:
        upgrades.run_migrations(conn, to="0019")
        conn.execute(
            text(
                "INSERT INTO runs (run_id, source_id, manifest_version, method, state, operator, job_id, started_at)"
                f" VALUES ('r', 'a', '1', 'crawl', 'complete', 'system', 'j', '{AT}')"
            )
        )
        for number, reason in enumerate(OLD_REASONS):
            conn.execute(
                text(
                    "INSERT INTO run_urls (run_id, url_hash, url, state, reason, depth, found_by)"
                    " VALUES ('r', :key, :url, :state, :reason, 0, 'link')"
                ),
                {
                    "key": f"{number:064}",
                    "url": f"https://hud.gov/{number}",
                    "state": "pending" if reason is None else "failed",
                    "reason": reason,
                },
            )
        yield conn
    engine.dispose()


def test_migration_old_url_reasons_get_codes(old: Connection) -> None:
    upgrades.run_migrations(old)
    rows = old.execute(text("SELECT reason, reason_code, reason_detail FROM run_urls")).all()
    as_stored = {row.reason: (row.reason_code, row.reason_detail) for row in rows}
    if old.dialect.name == "sqlite":
        as_stored = {key: (code, details and json.loads(details)) for key, (code, details) in as_stored.items()}
    assert as_stored == OLD_REASONS
    assert {code for code, _ in as_stored.values() if code} <= {code.value for code in ReasonCode}


def test_migration_withdrawn_words_of_rows_get_their_terms(old: Connection) -> None:
    old.execute(text("UPDATE run_urls SET found_by = 'kept' WHERE url = 'https://hud.gov/1'"))
    old.execute(
        text(
            "INSERT INTO alerts (source_id, event, cause, severity, message, opened_at)"
            f" VALUES ('', 'hook_down', 'web hook', 'high', 'no answer', '{AT}')"
        )
    )
    upgrades.run_migrations(old)
    by = old.execute(text("SELECT found_by, count(*) FROM run_urls GROUP BY found_by")).all()
    assert dict(by) == {"ledger": 1, "link": len(OLD_REASONS) - 1}
    assert old.execute(text("SELECT cause FROM alerts")).scalars().all() == ["webhook"]


#: Sentence of an old run -> code and details that the run gets.
OLD_RUN_REASONS: dict[str | None, tuple[str | None, dict[str, object] | None]] = {
    None: ("complete", {}),
    "its hours have ended; 2 of 5 URLs remain": ("window_closed", {"pending": 2, "discovered": 5}),
    "stopped by hand; 0 of 1 URL and 1 list of pages remain": (
        "stopped",
        {"error": "stopped by hand", "pending": 0, "discovered": 1, "lists": 1},
    ),
    "hud.gov is held by another job; 1 of 4 URLs remains": (
        "lease_lost",
        {"error": "hud.gov is held by another job", "pending": 1, "discovered": 4},
    ),
    "another job goes on with it (None)": ("taken_over", {"error": "None"}),
    "5 URLs discovered, 3 ended, 2 pending": ("urls_pending", {"discovered": 5, "pending": 2}),
    "1 page was not fetched in time": ("not_in_time", {"pending": 1}),
    "its job ended before it found a page": ("job_died", {}),
    "not all of its pages are known, the wiki did not show them at https://w.org/": (
        "pages_unknown",
        {"error": "the wiki did not show them at https://w.org/"},
    ),
    "the start URL failed: denied: HTTP 403": ("start_failed", {"error": "denied: HTTP 403"}),
    "the start URL may not be fetched: robots.txt disallows https://a.gov/": (
        "start_excluded",
        {"error": "robots.txt disallows https://a.gov/"},
    ),
    "3 of 5 URLs that the run tried failed": ("mostly_failed", {"failed": 3, "tried": 5}),
    "1 page where at least 2 are expected (52 sections)": ("below_min_pages", {"pages": 1, "limit": 2}),
    "3 pages where 11.5 are usual (its last complete runs: 11, 12); nothing of it is taken for gone": (
        "below_baseline",
        {"pages": 3, "rule": "11.5 are usual (its last complete runs: 11, 12)"},
    ),
    "rate_limited: the server asks to be left alone for 3600 s": (
        "cooling_down",
        {"error": "the server asks to be left alone for 3600 s"},
    ),
    "nobody knows": (None, None),
}


def test_migration_old_run_reasons_get_codes(old: Connection) -> None:
    upgrades.run_migrations(old, to="0020")
    old.execute(text("DELETE FROM run_urls"))
    old.execute(text("DELETE FROM runs"))
    for number, reason in enumerate(OLD_RUN_REASONS):
        old.execute(
            text(
                "INSERT INTO runs (run_id, source_id, manifest_version, method, state, reason, operator, job_id,"
                f" started_at) VALUES (:run, 'a', '1', 'crawl', :state, :reason, 'system', 'j', '{AT}')"
            ),
            {"run": f"{number}", "state": "complete" if reason is None else "failed", "reason": reason},
        )
    upgrades.run_migrations(old)
    rows = old.execute(text("SELECT reason, reason_code, reason_detail FROM runs")).all()
    as_stored = {row.reason: (row.reason_code, row.reason_detail) for row in rows}
    if old.dialect.name == "sqlite":
        as_stored = {key: (code, details and json.loads(details)) for key, (code, details) in as_stored.items()}
    assert as_stored == OLD_RUN_REASONS
    assert {code for code, _ in as_stored.values() if code} <= {code.value for code in ReasonCode}

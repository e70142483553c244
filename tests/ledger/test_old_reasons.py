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


def test_old_sentences_get_their_codes(old: Connection) -> None:
    upgrades.run_migrations(old)
    rows = old.execute(text("SELECT reason, reason_code, reason_detail FROM run_urls")).all()
    as_stored = {row.reason: (row.reason_code, row.reason_detail) for row in rows}
    if old.dialect.name == "sqlite":
        as_stored = {key: (code, said and json.loads(said)) for key, (code, said) in as_stored.items()}
    assert as_stored == OLD_REASONS
    assert {code for code, _ in as_stored.values() if code} <= {code.value for code in ReasonCode}

"""What is kept of a page that is held, and what is found of it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.items import ApiMetadata, Fetched, PageItem
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.runs import frontier
from rori_spiders.reasons import Reason, ReasonCode
from tests.ledger.factories import OTHER_RUN, RUN, SOURCE, a_row, a_run, a_visit, at, url

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

WHY = Reason(ReasonCode.SUSPECT, percent=12)
API_METADATA = ApiMetadata(
    published_date="2026-02-13", keywords=("escrow", "secret-word"), categories=("Housing",), revision_id=7
)


def hold(conn: Connection, name: str, reason: Reason = WHY, run_id: str = RUN) -> PageItem:
    visit = a_visit(name, run_id=run_id)
    facts = Fetched(
        visit.url, visit.url, 200, {}, b"short", at(1), "official", "ecfr/1", 12, credits=3, api_metadata=API_METADATA
    )
    item = PageItem(visit, "failed", reason, fetched=facts, links=(url("6"), url("7")))
    frontier.add_urls(conn, run_id, [visit])
    frontier.settle_url(
        conn,
        run_id,
        visit.url,
        state="failed",
        reason=reason,
        tier="official",
        verdict="content",
        attempts=1,
        now=at(2),
    )
    audit_log.append_row(conn, a_row(name, run_id=run_id, state="failed", reason=reason, raw_hash="a" * 64))
    if held_pages.is_held_item(item):
        held_pages.save_held_page(conn, item, lambda text: text.replace("secret-word", "[redacted]"), now=at(2))
    return item


def test_held_page_details_for_envelope_are_loaded(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        hold(conn, "5")
        hold(conn, "8", Reason(ReasonCode.BAD_SITEMAP, error="suspect: a failure as any other, whatever its words"))
    with ledger.connect() as conn:
        assert held_pages.list_held_urls(conn, RUN) == [url("5")]
        found = held_pages.get_held_page(conn, RUN, url("5"))
        assert held_pages.get_held_page(conn, RUN, url("8")).details is None
        with pytest.raises(LookupError):
            held_pages.get_held_page(conn, RUN, url("9"))
        assert held_pages.list_acceptances(conn, RUN) == []
    assert found.reason == WHY
    assert found.audited["raw_hash"] == "a" * 64
    assert found.details is not None
    assert (found.details["at"], found.details["engine_version"]) == (at(1).isoformat(), "ecfr/1")
    assert (found.details["credits"], found.details["links"]) == (3, [url("6"), url("7")])
    assert found.api_metadata == ApiMetadata(
        published_date="2026-02-13", keywords=("escrow", "[redacted]"), categories=("Housing",), revision_id=7
    )


def test_held_page_of_ledger_before_rename_is_loaded() -> None:
    saved = {"said": {"published_date": "2026-02-13", "keywords": ["escrow"]}}
    held = held_pages.HeldPage(url=url("1"), reason=WHY, reason_code=WHY.code, audited={}, details=saved)
    assert held.api_metadata == ApiMetadata(published_date="2026-02-13", keywords=("escrow",))


def test_held_pages_runs_with_any_are_listed(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN, state="failed")
        a_run(conn, OTHER_RUN, state="complete")
        for name in ("5", "6"):
            hold(conn, name)
    with ledger.connect() as conn:
        assert held_pages.runs_with_held_pages(conn) == [(RUN, SOURCE, 2)]

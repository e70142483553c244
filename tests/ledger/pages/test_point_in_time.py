"""What was held at an instant, and which looks prove it, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history, point_in_time
from tests.ledger.factories import RUN, SOURCE, a_row, a_run, a_version, at, url

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.ledger.database import Ledger

PAGE = url("5")


@pytest.fixture
def looked(ledger: Ledger) -> Ledger:
    """Captured on day 0, the same on day 10, failed on day 15, another text on day 20."""
    with ledger.begin() as conn:
        a_run(conn, RUN)
        page = page_history.ensure_page(conn, SOURCE, PAGE, now=at())
        looks = (
            (0, "captured", "a"),
            (10, "unchanged", "a"),
            (15, "failed", None),
            (20, "captured", "b"),
        )
        for day, state, text in looks:
            digest = text * 64 if text else None
            values: dict[str, Any] = {"state": state, "content_hash": digest, "robots_object": "9" * 64}
            audit_log.append_row(conn, a_row(timestamp=at(days=day), reason="timeout" if not text else "", **values))
            if state == "captured" and text is not None:
                page_history.add_version(conn, page.page_id, a_version(text, captured_at=at(days=day)), body_chars=9)
    return ledger


def proof(ledger: Ledger, when: datetime) -> point_in_time.VersionProof:
    with ledger.connect() as conn:
        [one] = point_in_time.find_proofs(conn, PAGE, when)
    return one


def test_point_in_time_between_two_requests_is_bounded_by_both(looked: Ledger) -> None:
    one = proof(looked, at(days=12))
    assert one.held.version.content_hash == "a" * 64
    assert one.held.confirmed_at == at(days=10)
    assert one.replaced_at == at(days=20)
    assert one.captured is not None
    assert (one.captured.at, one.captured.seq, one.captured.robots_object) == (at(), 1, "9" * 64)
    assert one.confirmed is not None
    assert (one.confirmed.at, one.confirmed.state) == (at(days=10), "unchanged")
    assert one.after is not None
    assert (one.after.at, one.after.state) == (at(days=15), "failed")


def test_point_in_time_after_failed_or_last_request_is_open(looked: Ledger) -> None:
    failed = proof(looked, at(days=16))
    assert failed.before is not None
    assert (failed.before.state, failed.held.confirmed_at) == ("failed", at(days=10))
    last = proof(looked, at(days=30))
    assert (last.held.version.content_hash, last.after, last.replaced_at) == ("b" * 64, None, None)


def test_point_in_time_before_first_request_or_of_other_url_is_none(looked: Ledger) -> None:
    with looked.connect() as conn:
        assert point_in_time.find_proofs(conn, PAGE, at(-1)) == []
        before, after = point_in_time.nearest_observations(conn, PAGE, at(-1))
        assert before is None
        assert after is not None
        assert after.at == at()
        assert point_in_time.nearest_observations(conn, url("none"), at()) == (None, None)
        assert point_in_time.find_proofs(conn, PAGE, at(days=12), "another source") == []

"""Pages over time, and the question "did we hold this text on that day?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history, page_state
from tests.ledger.factories import SOURCE, a_row, a_version, at, mark_gone, url

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_CAME_BACK = 20


@pytest.fixture
def page_id(ledger: Ledger, run_id: str) -> int:
    """A page of the source that has no version yet."""
    with ledger.begin() as conn:
        return page_history.ensure_page(conn, SOURCE, url("5"), now=at()).page_id


def _page(conn: Connection) -> page_history.PageRow:
    found = page_history.find_page(conn, SOURCE, url("5"))
    assert found is not None
    return found


def test_page_is_created_once(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        again = page_history.ensure_page(conn, SOURCE, url("5"), now=at(5))
        other = page_history.ensure_page(conn, "reg-z", url("5"), now=at(5))
        assert page_history.find_page(conn, SOURCE, url("6")) is None
    assert (again.page_id, again.first_seen_at, again.last_seq, again.content_hash) == (page_id, at(), 0, None)
    assert other.page_id != page_id


def test_page_versions_are_numbered_and_update_page(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        assert page_history.newest_version(conn, page_id) is None
        assert page_history.add_version(conn, page_id, a_version("1", change_type="new"), body_chars=900) == 1
        second = a_version("2", captured_at=at(days=7), title="Coverage", published="2026-02-19")
        assert page_history.add_version(conn, page_id, second, body_chars=950) == 2
        newest = page_history.newest_version(conn, page_id)
        versions = page_history.list_versions(conn, page_id)
        page = _page(conn)
    assert newest == versions[0]
    assert [(version.seq, version.content_hash[0]) for version in versions] == [(2, "2"), (1, "1")]
    assert versions[0].published == "2026-02-19"
    assert versions[0].section_hashes == second.section_hashes
    assert (page.last_seq, page.content_hash, page.title, page.body_chars) == (2, "2" * 64, "Coverage", 950)
    assert page.last_seen_at == at(days=7)


def test_page_version_needs_its_run(ledger: Ledger, page_id: int) -> None:
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"), ledger.begin() as conn:
        page_history.add_version(conn, page_id, a_version(run_id="nobody's"), body_chars=1)


def test_page_confirmed_is_not_missing(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        page_history.mark_missing(conn, page_id, now=at(1))
        page_history.confirm_seen(conn, {page_id: at(2)})
        page = _page(conn)
    assert (page.missing_since, page.last_seen_at) == (None, at(2))


def test_page_first_missing_time_is_preserved(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        assert page_history.mark_missing(conn, page_id, now=at(days=1)) == at(days=1)
        assert page_history.mark_missing(conn, page_id, now=at(days=2)) == at(days=1)
        mark_gone(conn, page_id, now=at(days=2))
        page = _page(conn)
    assert (page.missing_since, page.gone_at) == (at(days=1), at(days=2))


def test_page_removed_preserves_its_text_and_can_return(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        page_history.add_version(conn, page_id, a_version("1", change_type="new"), body_chars=900)
        page_history.mark_missing(conn, page_id, now=at(days=1))
        removal = a_version("0", change_type="deleted", captured_at=at(days=2), title=None)
        page_history.add_version(conn, page_id, removal, body_chars=0)
        gone = _page(conn)
        text = page_history.newest_text(conn, page_id)
        newest = page_history.newest_version(conn, page_id)
        back = a_version("1", captured_at=at(days=3))
        page_history.add_version(conn, page_id, back, body_chars=900)
        page = _page(conn)
    assert (gone.gone_at, gone.body_chars, gone.content_hash) == (at(days=2), 900, "0" * 64)
    assert gone.title == "§ 1024.5 Coverage of RESPA"
    assert text is not None
    assert newest is not None
    assert (text.content_hash, newest.change_type) == ("1" * 64, "deleted")
    assert (page.gone_at, page.missing_since, page.last_seq) == (None, None, 3)


def test_page_links_are_ordered_and_replaced(ledger: Ledger, page_id: int) -> None:
    with ledger.begin() as conn:
        for links in ((url("b"), url("a"), url("c")), (url("c"),), ()):
            page_history.set_links(conn, {page_id: links})
            assert page_state.load_links(conn, SOURCE, [url("5"), url("6")]) == {url("5"): links}


def test_set_links_same_as_before_writes_nothing(ledger: Ledger, page_id: int) -> None:
    links = (url("b"), url("a"))
    with ledger.begin() as conn:
        page_history.set_links(conn, {page_id: links})
    before = ledger.mark()
    with ledger.begin() as conn:
        page_history.set_links(conn, {page_id: links})
    assert ledger.mark() == before


def test_page_validators_are_per_tier(ledger: Ledger, page_id: int) -> None:
    stamp = "Fri, 13 Feb 2026 14:30:00 GMT"
    with ledger.begin() as conn:
        for etag in ('"1"', '"2"'):
            validators = page_history.Validators(etag, stamp, "b" * 64, at(int(etag[1])))
            page_history.set_validators(conn, {(page_id, "http"): validators})
        assert page_history.find_validators(conn, page_id, "http") == page_history.Validators(
            '"2"', stamp, "b" * 64, at(2)
        )
        assert page_history.find_validators(conn, page_id, "browser") is None


@pytest.fixture
def dated_versions(ledger: Ledger, page_id: int) -> Ledger:
    """A first text; confirmed on day 7, when ``old`` moved here; another on day 14; removed; back on day 20."""
    captures = [(0, "1", "new"), (14, "2", "modified"), (18, "0", "deleted"), (_CAME_BACK, "2", "modified")]
    with ledger.begin() as conn:
        for day, text, change in captures:
            version = a_version(text, change_type=change, captured_at=at(days=day))
            page_history.add_version(conn, page_id, version, body_chars=900)
            audit_log.append_row(conn, a_row("5", timestamp=at(days=day), content_hash=text * 64))
        for day in (7, 8):
            audit_log.append_row(conn, a_row("5", timestamp=at(days=day), content_hash="1" * 64, state="unchanged"))
        page_history.add_alias(conn, page_id, url("old"), kind="moved", now=at(days=7))
        page_history.add_alias(conn, page_id, url("old"), kind="moved", now=at(days=14))
    return ledger


@pytest.mark.parametrize(
    ("day", "text", "confirmed"),
    [
        (0, "1", at()),
        (6.5, "1", at()),
        (7, "1", at(days=7)),
        (13.9, "1", at(days=8)),
        (14, "2", at(days=14)),
        (17.9, "2", at(days=14)),
        (21, "2", at(days=_CAME_BACK)),
    ],
)
def test_page_text_on_day_is_version_of_that_day(
    dated_versions: Ledger, day: float, text: str, confirmed: datetime
) -> None:
    with dated_versions.connect() as conn:
        (held,) = page_history.held_at(conn, url("5"), at(days=day))
    assert (held.source_id, held.url, held.version.content_hash[0]) == (SOURCE, url("5"), text)
    assert held.confirmed_at == confirmed


@pytest.mark.parametrize("day", [-1, 18, 19])
def test_page_text_before_first_capture_and_after_removal_is_none(dated_versions: Ledger, day: int) -> None:
    with dated_versions.connect() as conn:
        assert page_history.held_at(conn, url("5"), at(days=day)) == []


def test_page_text_under_earlier_url_is_found(dated_versions: Ledger) -> None:
    with dated_versions.connect() as conn:
        assert page_history.held_at(conn, url("old"), at(days=6)) == []
        (held,) = page_history.held_at(conn, url("old"), at(days=8))
        assert held.url == url("5")
        assert page_history.held_at(conn, url("never"), at(days=8)) == []


def test_page_text_of_url_in_two_sources_gives_both(dated_versions: Ledger, run_id: str) -> None:
    with dated_versions.begin() as conn:
        page = page_history.ensure_page(conn, "reg-a", url("5"), now=at())
        page_history.add_version(conn, page.page_id, a_version("9", change_type="new"), body_chars=1)
        held = page_history.held_at(conn, url("5"), at(days=15))
    assert [(one.source_id, one.version.content_hash[0]) for one in held] == [("reg-a", "9"), (SOURCE, "2")]

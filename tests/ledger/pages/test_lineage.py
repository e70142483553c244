"""The history of a page that moved, under all of its addresses; two pages that were there at once stay two."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.pages.page_history import NewVersion
from rori_spiders.ledger.runs import run_records
from tests.support.runs import opened

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

BEGAN = datetime(2026, 2, 13, 7, 0, tzinfo=UTC)
A, B, C = (f"https://www.example.org/{name}" for name in "abc")


class PageRuns:
    """Runs of the source `s`, a day apart, that capture pages."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.days = 0

    def run(self, texts: dict[str, str], *, leads: dict[str, str] | None = None, kind: str = "redirect") -> None:
        """One run: what it captured, and which addresses led to which pages."""
        now = BEGAN + timedelta(days=self.days)
        self.days += 1
        run = opened(self.conn, "s", now)
        for number, (url, text) in enumerate(texts.items(), 1):
            at = now + timedelta(minutes=number)
            page = page_history.ensure_page(self.conn, "s", url, now=at)
            if page.content_hash == text * 64:
                page_history.confirm_seen(self.conn, {page.page_id: at})
                continue
            change = "deleted" if text == "-" else "modified" if page.last_seq else "new"
            version = NewVersion(
                run_id=run.run_id,
                captured_at=at,
                change_type=change,
                content_hash=text * 64,
                raw_object=text * 64,
                body_object=text * 64,
                section_hashes=[],
                converter_version="1",
                tier="http",
            )
            page_history.add_version(self.conn, page.page_id, version, body_chars=9)
        for url, to in (leads or {}).items():
            page = page_history.ensure_page(self.conn, "s", to, now=now)
            page_history.add_alias(self.conn, page.page_id, url, kind=kind, now=now)
        run_records.close_run(self.conn, run.run_id, state="complete", reason=None, now=now + timedelta(hours=1))

    def texts(self, url: str) -> str:
        page = page_history.find_page(self.conn, "s", url)
        assert page is not None
        found = page_history.list_versions_with_former(self.conn, page_history.page_addresses(self.conn, page))
        return "".join(one.content_hash[0] for one in found)


def test_lineage_page_is_followed_from_each_of_its_urls(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        pages = PageRuns(conn)
        pages.run({A: "1"})
        pages.run({A: "2"})
        pages.run({B: "3"}, leads={A: B})
        pages.run({C: "4"}, leads={A: C, B: C})
        assert {pages.texts(url) for url in (A, B, C)} == {"4321"}
        assert page_history.page_urls(conn, B) == [B, C, A]
        assert page_history.page_urls(conn, B, "another") == [B]


def test_lineage_later_fate_of_former_url_is_not_of_page(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        pages = PageRuns(conn)
        pages.run({A: "1"})
        pages.run({B: "2"}, leads={A: B}, kind="moved")
        pages.run({A: "-"})  # it answers 404 on its second look
        assert pages.texts(A) == pages.texts(B) == "21"


def test_lineage_two_pages_with_later_redirect_stay_two(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        pages = PageRuns(conn)
        pages.run({A: "1", B: "2"})
        pages.run({B: "2"}, leads={A: B})
        assert (pages.texts(A), pages.texts(B)) == ("1", "2")
        assert page_history.page_urls(conn, A) == [A]


def test_lineage_merged_page_follows_the_one_with_its_text(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        pages = PageRuns(conn)
        pages.run({A: "1", B: "2"})
        pages.run({C: "1"}, leads={A: C, B: C})
        assert (pages.texts(A), pages.texts(B), pages.texts(C)) == ("11", "12", "11")


def test_lineage_page_that_returned_is_separate(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        pages = PageRuns(conn)
        pages.run({A: "1"})
        pages.run({B: "2"}, leads={A: B})
        pages.run({A: "3", B: "2"})
        assert (pages.texts(A), pages.texts(B)) == ("31", "2")

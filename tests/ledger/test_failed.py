"""Lists of failures: newest first, by words, one list after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger import audit, failed
from rori_spiders.ledger.failed import Position, failures
from tests.ledger.made import OTHER_RUN, SOURCE, a_row, a_run, at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def failing(ledger: Ledger, run_id: str) -> Ledger:
    """Ten failures of one source, two at each instant; one of another source; a page and a robots.txt beside them."""
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="hud")
        audit.append_all(
            conn,
            [a_row(f"p{i}", state="failed", reason=f"Server_Error: {i}", timestamp=at(i // 2)) for i in range(10)],
        )
        audit.append(conn, a_row("other", run_id=OTHER_RUN, manifest_id="hud", state="failed", timestamp=at(60)))
        audit.append(conn, a_row("well", timestamp=at(70)))
        audit.append(conn, a_row("robots", kind="robots", state="failed", timestamp=at(80)))
    return ledger


def _names(conn: Connection, limit: int, words: str = "", source_id: str | None = None) -> list[list[str]]:
    """Of all lists, one after the other."""
    lists: list[list[str]] = []
    before: Position | None = None
    while True:
        page = failures(conn, words=words, source_id=source_id, before=before, limit=limit)
        lists.append([one.url.split("/")[-2] for one in page.found])
        before = page.further
        if before is None:
            return lists


def test_each_failure_is_in_one_list_newest_first(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert _names(conn, 4) == [["other", "p9", "p8", "p7"], ["p6", "p5", "p4", "p3"], ["p2", "p1", "p0"]]
        assert _names(conn, 5, source_id=SOURCE) == [
            [f"p{i}" for i in (9, 8, 7, 6, 5)],
            ["p4", "p3", "p2", "p1", "p0"],
            [],
        ]


def test_words_are_found_in_either_case_in_address_and_reason(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert _names(conn, 50, "server_error: 7") == [["p7"]]
        assert _names(conn, 50, "/OTHER/") == [["other"]]
        assert _names(conn, 50, "100 %_") == [[]]


def test_an_answer_tells_how_far_back_it_looked(failing: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failed, "LOOKED_AT", 5)
    with failing.connect() as conn:
        first = failures(conn, words=": 2")
        assert first.found == []
        assert first.further is not None
        assert first.further.at == at(3)  # p6: the fifth that was looked at
        assert _names(conn, 50, ": 2") == [[], ["p2"], []]


def test_failures_since_a_time(failing: Ledger) -> None:
    with failing.connect() as conn:
        assert len(failures(conn, since=at(4)).found) == 3

"""S0 §7.1 as one table."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders.crawl.tiers.errors import BadResponse, DamagedEncoding, NoApi, RenderTimeout, TlsFailed, TooLarge
from rori_spiders.crawl.tiers.refusals import AddressNotPublic
from rori_spiders.downloadermiddlewares.retry_errors import retry_row_for_error
from rori_spiders.politeness.retries import (
    DROPPED,
    MAX_RETRY_AFTER_S,
    RATE_LIMITED,
    RETRY_TABLE,
    TIMEOUT,
    UNAVAILABLE,
    RetryRow,
    parse_retry_after,
    retry_row_for_status,
    wait_before_retry,
)

NOW = datetime(2026, 2, 13, 14, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "waits"),
    [
        (RATE_LIMITED, [30, 60, 120, 300, 600]),
        (UNAVAILABLE, [10, 30, 60]),
        (TIMEOUT, [15, 15]),
        (DROPPED, [10, 30, 60]),
    ],
)
def test_the_waits_of_each_row(row: RetryRow, waits: list[float]) -> None:
    assert [wait_before_retry(row, done) for done in range(len(waits))] == waits
    assert wait_before_retry(row, len(waits)) is None
    assert wait_before_retry(row, len(waits) + 5) is None


def test_answers_that_are_final() -> None:
    finals = [status for status in (*range(100, 500), *range(600, 1000)) if status not in {408, 429}]
    assert not [status for status in finals if retry_row_for_status(status) is not None]


def test_servers_in_trouble_are_asked_again() -> None:
    assert {retry_row_for_status(status) for status in range(500, 600)} == {UNAVAILABLE}


def test_statuses_with_rows_of_their_own() -> None:
    assert retry_row_for_status(429) is RATE_LIMITED
    assert retry_row_for_status(408) is TIMEOUT


def test_failures_without_an_answer_have_rows_too() -> None:
    assert (RETRY_TABLE["timeout"], RETRY_TABLE["dropped"]) == (TIMEOUT, DROPPED)


@pytest.mark.parametrize(
    ("error", "row"),
    [
        (DownloadTimeoutError(), TIMEOUT),
        (DownloadConnectionRefusedError(), DROPPED),
        (DownloadFailedError(), DROPPED),
        (ResponseDataLossError(), DROPPED),
        (BadResponse(), DROPPED),
        (DamagedEncoding(), DROPPED),
        (TlsFailed("expired"), None),
        (NoApi(), None),
        (RenderTimeout(), None),
        (CannotResolveHostError(), None),
        (AddressNotPublic("10.0.0.1", "http://a.example/"), None),
    ],
)
def test_an_error_has_the_same_row_for_pages_and_robots(error: Exception, row: RetryRow | None) -> None:
    assert retry_row_for_error(error) is row
    assert retry_row_for_error(error, otherwise=UNAVAILABLE) is row


def test_an_error_that_the_table_does_not_know_is_for_the_caller_to_place() -> None:
    assert retry_row_for_error(TooLarge("more than 5 bytes")) is None
    assert retry_row_for_error(TooLarge("more than 5 bytes"), otherwise=DROPPED) is DROPPED


@pytest.mark.parametrize(
    ("done", "asked", "wait"),
    [
        (0, None, 30),
        (0, 0, 30),
        (0, 5, 30),
        (0, 45, 45),
        (1, 45, 60),
        (4, 900, 900),
        (0, MAX_RETRY_AFTER_S, 900),
        (0, MAX_RETRY_AFTER_S + 1, None),
        (5, 5, None),
    ],
)
def test_a_longer_retry_after_is_obeyed(done: int, asked: float | None, wait: float | None) -> None:
    assert wait_before_retry(RATE_LIMITED, done, asked) == wait


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120),
        (" 120 ", 120),
        ("0", 0),
        ("00012", 12),
        ("Fri, 13 Feb 2026 14:31:00 GMT", 60),
        ("Fri, 13 Feb 2026 14:31:00 +0000", 60),
        ("Fri, 13 Feb 2026 09:31:00 -0500", 60),
        ("Fri, 13 Feb 2026 14:31:00", 60),
        ("Fri, 13 Feb 2026 14:00:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("-5", None),
        ("1.5", None),
        ("1e3", None),
        ("²", None),
        ("\u0661\u0662", None),
        ("soon", None),
        ("Fri, 99 Feb 2026 14:31:00 GMT", None),
        ("Fri, 13 Feb 2026 99:31:00 GMT", None),
        ("Fri, 13 Feb 2026 14:31:00 +9999", None),
        ("Fri, 13 Feb 2026 14:31:00 -99999999999", None),
        ("0 0 0 0 0 0", None),
    ],
)
def test_what_a_retry_after_header_asks_for(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


def test_a_number_beyond_all_bounds_ends_the_retries() -> None:
    asked = parse_retry_after("9" * 400, NOW)
    assert asked is not None
    assert wait_before_retry(RATE_LIMITED, 0, asked) is None

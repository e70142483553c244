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
from tests.support.cases import cases

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
def test_retry_waits_follow_table_row(row: RetryRow, waits: list[float]) -> None:
    assert [wait_before_retry(row, done) for done in range(len(waits))] == waits
    assert wait_before_retry(row, len(waits)) is None
    assert wait_before_retry(row, len(waits) + 5) is None


def test_retry_final_statuses_have_no_row() -> None:
    finals = [status for status in (*range(100, 500), *range(600, 1000)) if status not in {408, 429}]
    assert not [status for status in finals if retry_row_for_status(status) is not None]


def test_retry_server_errors_have_row_unavailable() -> None:
    assert {retry_row_for_status(status) for status in range(500, 600)} == {UNAVAILABLE}


def test_retry_special_statuses_have_own_rows() -> None:
    assert retry_row_for_status(429) is RATE_LIMITED
    assert retry_row_for_status(408) is TIMEOUT


def test_retry_failures_without_response_have_rows() -> None:
    assert (RETRY_TABLE["timeout"], RETRY_TABLE["dropped"]) == (TIMEOUT, DROPPED)


@cases(
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
def test_retry_error_row_is_same_for_pages_and_robots(error: Exception, row: RetryRow | None) -> None:
    assert retry_row_for_error(error) is row
    assert retry_row_for_error(error, otherwise=UNAVAILABLE) is row


def test_retry_error_outside_table_gets_row_of_caller() -> None:
    assert retry_row_for_error(TooLarge("more than 5 bytes")) is None
    assert retry_row_for_error(TooLarge("more than 5 bytes"), otherwise=DROPPED) is DROPPED


@cases(
    ("done", "retry_after", "wait"),
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
def test_retry_longer_retry_after_is_obeyed(done: int, retry_after: float | None, wait: float | None) -> None:
    assert wait_before_retry(RATE_LIMITED, done, retry_after) == wait


@cases(
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
def test_retry_after_header_is_parsed_to_seconds(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


def test_retry_after_beyond_limit_ends_retries() -> None:
    retry_after = parse_retry_after("9" * 400, NOW)
    assert retry_after is not None
    assert wait_before_retry(RATE_LIMITED, 0, retry_after) is None

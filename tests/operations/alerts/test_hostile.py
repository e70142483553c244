"""Words from the web in a mail, in a webhook's JSON and at a terminal: one line each, harmless, cut with the count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reviews import EVENTS
from rori_spiders.terminal import alerts as shown
from rori_spiders.terminal.listing import write_listing

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness
    from tests.support.server import Site

EVIL = "\r\nBcc: victim@example.org\r\n\r\n<b onclick=x>&amp;</b>"
EVIL += "\x1b]0;owned\x07\x1b[2J\u202e\u2066 \U0001f6a8 \u2028end\0"
BAD = "\r\x1b\x07\x00\u202e\u2066\u2028"


@pytest.fixture
def evil(harness: AlertHarness) -> AlertHarness:
    pages = [f"https://www.example.org/{number}" for number in range(10_000)]
    harness.opens("s1", "page_missing", f"{EVIL}{'T' * 5000}", pages=pages)
    harness.opens("s2", "source_blocked", EVIL, pages=[f"https://www.example.org/{EVIL}"])
    return harness


def test_hostile_words_in_mail_are_text(evil: AlertHarness) -> None:
    evil.round()
    [mail] = evil.box.mails
    assert mail["Bcc"] is None
    assert mail["Subject"] == "[RORI] high: 2 alerts: source_blocked (1), page_missing (1)"
    assert mail.get_content_type() == "text/plain"
    text = mail.get_content().replace("\r\n", "\n")  # as SMTP ends lines
    assert not set(BAD) & set(text)
    assert [line for line in text.splitlines() if line.startswith(("Bcc", "<b"))] == []
    assert "\U0001f6a8" in text
    assert "and 9995 more: scrapy alerts show 1" in text
    assert max(map(len, text.splitlines())) < 800


def test_hostile_words_in_webhook_json_are_text(evil: AlertHarness, site: Site, path: object) -> None:
    site.page("/hook", "<p>ok</p>")
    evil.settings["RORI_ALERT_URLS"] = f"json://{site.netloc}/hook"
    assert [one.error for one in evil.round().sent] == [None, None]
    [hit] = site.log.hits()
    told = json.loads(hit.body)
    assert told["title"].startswith("[RORI] high: 2 alerts")
    assert not set(BAD) & set(told["message"])
    assert "<b onclick=x>&amp;</b>" in told["message"]


def test_hostile_words_in_title_stay_one_line(harness: AlertHarness, path: object) -> None:
    name = f"s1{EVIL}{'x' * 3000}"
    harness.catalog.sources[0].id = name
    harness.opens(name, "source_blocked")
    harness.round()
    [title] = harness.box.titles
    assert not set(BAD) & set(title)
    assert len(title) < 600


@pytest.mark.parametrize("event", EVENTS)
def test_hostile_words_at_terminal_are_text(
    event: str, harness: AlertHarness, path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "alert_id": 1,
        "source_id": EVIL,
        "event": event,
        "severity": EVENTS[event].severity,
        "opened_at": None,
        "cleared_at": None,
        "pages": [EVIL] * 10_000,
        "message": EVIL,
        "cause": EVIL,
    }
    write_listing([shown.alert_row(row, is_watched=True)], shown.ALERT_COLUMNS, "table")
    written = capsys.readouterr().out
    assert not set(BAD) & set(written)
    assert "10000" in written or "10,000" in written
    assert len(written.splitlines()) == 3


def test_alert_message_wall_of_one_host_is_named_once(harness: AlertHarness, path: object) -> None:
    for number in range(3):
        harness.opens(f"s{number}", "source_blocked", pages=[f"https://www.example.org/{number}"])
    harness.opens("s1", "source_moved", pages=["https://www.example.org/"])
    harness.opens("s2", "source_moved", pages=["https://www.example.com/"])
    harness.round()
    assert [line for line in harness.box.texts[0].splitlines() if line.startswith("  all ")] == [
        "  all 3 at www.example.org"
    ]

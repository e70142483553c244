"""Lines of the index and of the errors, as the specification (§5.3) shows them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from rori_spiders.crawl.envelope import build_envelope
from rori_spiders.envelope import render_error_line, render_index_line
from rori_spiders.envelope.log_lines import format_wire_time, parse_wire_time
from tests.envelope.factories import NOON, SITE, a_change, a_conversion, an_id, an_origin


def test_index_line_has_specified_form() -> None:
    envelope = build_envelope(converted=a_conversion(), change=a_change(), **an_origin())
    assert render_index_line(envelope, path="d/2026-02-13/n.json", staged_at=NOON) == (
        f'{{"envelope_id":"{an_id(1)}","manifest_id":"cfpb-reg-x","url":"{SITE}5/",'
        '"staged_at":"2026-02-13T12:00:30Z","path":"d/2026-02-13/n.json","content_changed":true}'
    )


@pytest.mark.parametrize("resolved", [False, True])
def test_error_line_has_specified_form(resolved: bool) -> None:
    line = render_error_line(
        timestamp=NOON,
        manifest_id="hud-9902",
        url="https://x.gov/",
        error="HTTP 503",
        retry_count=3,
        engine="http",
        resolved=resolved,
    )
    assert line == (
        '{"timestamp":"2026-02-13T12:00:30Z","manifest_id":"hud-9902","url":"https://x.gov/",'
        f'"error":"HTTP 503","retry_count":3,"engine":"http","resolved":{str(resolved).lower()}}}'
    )


def test_error_line_with_control_characters_is_one_ascii_line() -> None:
    text = "a\nb\r\u2028\x85\0\ud800 §"
    line = render_error_line(timestamp=NOON, manifest_id="s", url=text, error=text, retry_count=0, engine=None)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["error"] == text


def test_wire_time_is_utc_to_the_second_and_needs_zone() -> None:
    assert parse_wire_time(format_wire_time(NOON)) == NOON.replace(microsecond=0)
    assert parse_wire_time(format_wire_time(NOON)).tzinfo == UTC
    with pytest.raises(ValueError, match="time zone"):
        format_wire_time(datetime(2026, 2, 13))

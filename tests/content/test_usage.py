"""What publishers ask of those who use their pages: headers, meta elements, robots.txt."""

from __future__ import annotations

from lxml import html

from rori_spiders.content.convert import convert
from rori_spiders.content.metadata.usage_directives import (
    DIRECTIVES,
    Signal,
    in_headers,
    in_page,
    in_robots,
    x_robots_tag,
)
from tests.support.cases import cases


def header(*words: str) -> tuple[Signal, ...]:
    return tuple(Signal(word, None, "header") for word in words)


@cases(
    ("lines", "words"),
    [
        (["noindex"], ["noindex"]),
        (["noindex, noarchive"], ["noindex", "noarchive"]),
        (["NoIndex,NOAI"], ["noindex", "noai"]),
        (["noindex", "noai, noimageai", "noindex"], ["noindex", "noai", "noimageai"]),
        (["none"], ["none"]),
        (["all"], []),
        (["index, follow, max-snippet: -1"], []),
        (["googlebot: noindex, noai"], []),
        (["googlebot: noindex", "noarchive"], ["noarchive"]),
        (["noarchive, googlebot: noindex"], ["noarchive"]),
        (["RORI-Collector: noindex, noai"], ["noindex", "noai"]),
        (["rori-collector/1.0: noindex"], ["noindex"]),
        (["rori: noindex"], []),
        (["googlebot: noindex, rori-collector: noai"], ["noai"]),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive"], ["noarchive"]),
        (["max-snippet: 50, noarchive"], ["noarchive"]),
        (["googlebot: max-snippet: 50, noarchive"], []),
        (["noindex noarchive"], ["noindex", "noarchive"]),
        (["", " , "], []),
        (["a:" * 100_000], []),
        (["a" * 200_000], []),
    ],
)
def test_usage_x_robots_tag_directives_are_read(lines: list[str], words: list[str]) -> None:
    assert in_headers({"x-robots-TAG": lines}) == header(*words)


def test_usage_x_robots_tag_is_stored_for_any_agent() -> None:
    assert x_robots_tag({"X-Robots-Tag": ["googlebot:  noindex", "noai"]}) == "googlebot: noindex\nnoai"
    assert x_robots_tag({"X-Robots-Tag": [" "]}) is None
    assert x_robots_tag({"Content-Type": ["text/html"]}) is None


def test_usage_headers_with_signal_as_value_are_read() -> None:
    headers = {
        "TDM-Policy": ["https://www.hud.gov/policy.json"],
        "tdm-reservation": ["1"],
        "Content-Signal": ["search=yes", " ai-train=no "],
        "X-Robots-Tag": ["noai"],
    }
    assert in_headers(headers) == (
        Signal("noai", None, "header"),
        Signal("content-signal", "search=yes, ai-train=no", "header"),
        Signal("tdm-reservation", "1", "header"),
        Signal("tdm-policy", "https://www.hud.gov/policy.json", "header"),
    )


def meta(text: str) -> tuple[tuple[str, str | None], ...]:
    found = in_page(html.document_fromstring(f"<head>{text}</head><body>text"))
    assert all(signal.source == "meta" for signal in found)
    return tuple((signal.signal, signal.value) for signal in found)


@cases(
    ("text", "signals"),
    [
        ('<meta name="robots" content="noai, noimageai">', [("noai", None), ("noimageai", None)]),
        ('<META NAME=" Robots " CONTENT="NOINDEX,NOFOLLOW">', [("noindex", None)]),
        ('<meta name="robots" content="index, follow">', []),
        ('<meta name="robots">', []),
        ('<meta name="rori-collector" content="noarchive">', [("noarchive", None)]),
        ('<meta name="RORI-Collector" content="noarchive">', [("noarchive", None)]),
        ('<meta name="googlebot" content="noindex"><meta name="rori" content="noai">', []),
        (
            '<meta name="robots" content="noindex"><meta name="robots" content="noai noindex">',
            [("noindex", None), ("noai", None)],
        ),
        (
            '<meta name="tdm-reservation" content="1"><meta name="tdm-policy" content="/p.json">',
            [("tdm-reservation", "1"), ("tdm-policy", "/p.json")],
        ),
        ('<meta name="tdm-reservation" content=" ">', []),
    ],
)
def test_usage_meta_elements_are_read(text: str, signals: list[tuple[str, str | None]]) -> None:
    assert meta(text) == tuple(signals)


def test_usage_content_signal_of_robots_txt_is_read() -> None:
    assert in_robots(None) == ()
    assert in_robots("ai-train=no") == (Signal("content-signal", "ai-train=no", "robots.txt"),)


def test_usage_signals_leave_text_unchanged() -> None:
    text = "<p>A creditor shall disclose the finance charge clearly and conspicuously in writing.</p>"
    asks = (
        f'<html><head><title>t</title><meta name="robots" content="{", ".join(sorted(DIRECTIVES))}"></head><body>{text}'
    )
    page = convert(asks.encode(), url="https://www.hud.gov/a", content_type="text/html")
    quiet = convert(f"<html><head><title>t</title></head><body>{text}".encode(), url="https://www.hud.gov/a")
    assert page.markdown == quiet.markdown
    assert {signal.signal for signal in page.metadata.signals} == DIRECTIVES
    assert quiet.metadata.signals == ()

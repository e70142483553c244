"""Addresses without end are told from those of laws, which repeat their numbers too."""

from __future__ import annotations

import pytest

from rori_spiders.traps import MAX_CHARS, MAX_DEPTH, MAX_SEGMENTS, trap_in, without_session

SITE = "https://www.example.gov"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/a/a/a/a/a", "repeats itself: /a"),
        ("/about/about/about/", "repeats itself: /about"),
        ("/news/a/b/a/b/a/b", "repeats itself: /a/b"),
        ("/x/calendar/2026/calendar/2026/calendar/2026", "repeats itself: /calendar/2026"),
        ("/x" + "".join(f"/{n}" for n in range(MAX_SEGMENTS)), "folders"),
        ("/?q=" + "x" * MAX_CHARS, "characters"),
    ],
)
def test_addresses_without_end_are_told(path: str, words: str) -> None:
    assert words in (trap_in(SITE + path) or "")


@pytest.mark.parametrize(
    "path",
    [
        "/rules-policy/regulations/1024/1024/",
        "/12/1024/1024/1024/",
        "/statutes/1/1/1/1/1",
        "/part/100/part/200/part/300",
        "/code/A/A/A/",
        "/about/about/",
        "/laws/laws-and-rules/laws/",
        "/title-12/chapter-x/part-1026/subpart-e/section-1026.43/paragraph-c/1/i/A",
        "/a/aa/aaa/aaaa",
    ],
)
def test_addresses_of_laws_are_no_traps(path: str) -> None:
    assert trap_in(SITE + path, depth=MAX_DEPTH) is None


def test_what_only_next_leads_to_ends() -> None:
    assert "links from the start" in (trap_in(f"{SITE}/calendar?month=101", depth=MAX_DEPTH + 1) or "")


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("/law;jsessionid=0A1B2C.node1?id=5", "/law?id=5"),
        ("/law;JSESSIONID=0A1B2C", "/law"),
        ("/law?PHPSESSID=abcdef&id=5", "/law?id=5"),
        ("/law?id=5&phpsessid=abcdef", "/law?id=5"),
        ("/law?sid=0123456789abcdef01234567", "/law"),
        ("/law?sid=0123456789abcdef01234567&id=5", "/law?id=5"),
        ("/(S(abcdefghijklmnopqrstuvwx))/law.aspx", "/law.aspx"),
    ],
)
def test_session_ids_are_taken_out(url: str, plain: str) -> None:
    assert without_session(SITE + url) == SITE + plain


@pytest.mark.parametrize(
    "url",
    [
        "/law",
        "/law?",
        "/law?sid=1026",
        "/law?session=2025",
        "/law?session=89R",
        "/law?id=5&cfid=",
        "/(a)/law",
        "/?x=;y=2",
    ],
)
def test_other_addresses_stay_as_they_are(url: str) -> None:
    assert without_session(SITE + url) is None

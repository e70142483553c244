"""Addresses without end are told from those of laws, which repeat their numbers too."""

from __future__ import annotations

from rori_spiders.manifest.vocabulary import MEANINGS
from rori_spiders.urls.canonical import normalise_url
from rori_spiders.urls.crawler_traps import (
    COPY_RULES,
    MAX_CHARS,
    MAX_DEPTH,
    MAX_SEGMENTS,
    find_copy,
    find_trap,
    is_same_version,
    strip_session,
    strip_session_and_tracking,
    undated_urls,
)
from tests.support.cases import cases

SITE = "https://www.example.gov"


@cases(
    ("path", "words"),
    [
        ("/a/a/a/a/a", "repeating path: /a"),
        ("/about/about/about/", "repeating path: /about"),
        ("/news/a/b/a/b/a/b", "repeating path: /a/b"),
        ("/x/calendar/2026/calendar/2026/calendar/2026", "repeating path: /calendar/2026"),
        ("/x" + "".join(f"/{n}" for n in range(MAX_SEGMENTS)), "segments"),
        ("/?q=" + "x" * MAX_CHARS, "characters"),
        ("/about/a/about/b/about/c/about/d/about/", "repeating path: /about"),
        ("/list?page=1&page=1&page=1", "repeating query: page=1"),
        ("/list?back=1&back=2&back=3&back=4&back=5", "repeating query: back"),
        ("/go?to=%25252525252Fa", "escaped repeatedly"),
        ("/%7B%7Bitem.url%7D%7D", "placeholder"),
        ("/search?q=$%7Bterm%7D", "placeholder"),
        ("/a/%3C%25=%20link%20%25%3E", "placeholder"),
        (normalise_url(f"{SITE}/a/<%= link %>").removeprefix(SITE), "placeholder"),
        (normalise_url(f"{SITE}/a/${{link}}").removeprefix(SITE), "placeholder"),
        (normalise_url(f"{SITE}/[object Object]").removeprefix(SITE), "placeholder"),
        ("/a/[[slug]]", "placeholder"),
        ("/a/[object%20Object]", "placeholder"),
        ("/calendar/2031/05", "calendar"),
        ("/events/calendar/2031-05-17/", "calendar"),
        ("/calendar/month/1970/jan/", "calendar"),
        ("/calendar?view=month&month=2031-05", "calendar"),
        ("/calendar/list/?tribe-bar-date=2044-12-01", "calendar"),
        ("/index.php?/calendar/2031-05", "calendar"),
        ("/calendar/board?view=list&start=2031-05-17", "calendar"),
        ("/events/2031-05-17/", "calendar"),
        ("/events/month/2031-05/?shortcode=588d7eac", "calendar"),
        ("/about-us/upcomingevents/?month=nov&yr=2031", "calendar"),
        ("/events/board-meeting/?ajaxCalendar=1&mo=11&yr=2031", "calendar"),
        ("/events/month/?outlook-ical=1", "calendar"),
        ("/search?f[0]=topic:1&f[1]=year:2020&f[2]=type:rule", "facets"),
        ("/search?f%5B0%5D=a&f%5B1%5D=b&f%5B2%5D=c", "facets"),
    ],
)
def test_trap_endless_urls_are_reported(path: str, words: str) -> None:
    assert words in (find_trap(SITE + path) or "")


@cases(
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
        "/title/1/part/2/part/3/part/4",
        "/calendar",
        "/calendar/2026",
        "/compliance-calendar/2026/05",
        "/event/regular-meeting/2026-05-17/",
        "/events/hearing-2026-05-17",
        "/events/event/3434/2026/02/24",
        "/events/2026/",
        "/opinions?month=5&year=2026",
        "/eventual/2026-05",
        "/calendar/2026/05/17/hearing-on-rule-7",
        "/rules/2026/05/17/final-rule",
        "/news?date=2026-05-17",
        "/documents/search?conditions%5Bagencies%5D%5B%5D=cfpb&conditions%5Btype%5D%5B%5D=RULE",
        "/list?id=1&id=2&id=3",
        "/50%25_rule",
        "/a%252Fb",
        "/law[1]",
    ],
)
def test_trap_urls_of_laws_are_none(path: str) -> None:
    assert find_trap(SITE + path, depth=MAX_DEPTH) is None


def test_trap_chain_of_next_links_ends() -> None:
    assert "links from the start" in (find_trap(f"{SITE}/calendar?month=101", depth=MAX_DEPTH + 1) or "")


@cases(
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
def test_session_ids_are_removed(url: str, plain: str) -> None:
    assert strip_session(SITE + url) == SITE + plain


@cases(
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
def test_session_ids_other_urls_are_unchanged(url: str) -> None:
    assert strip_session(SITE + url) is None


@cases(
    ("url", "plain"),
    [
        ("/law?utm_source=news&utm_medium=email&id=5", "/law?id=5"),
        ("/law?id=5&UTM_Campaign=x&part=2", "/law?id=5&part=2"),
        ("/law?fbclid=abc", "/law"),
        ("/law?gclid=a&msclkid=b", "/law"),
        ("/law?mc_cid=a&mc_eid=b&_hsenc=c", "/law"),
    ],
)
def test_tracking_parameters_are_removed(url: str, plain: str) -> None:
    assert strip_session_and_tracking(SITE + url) == (SITE + plain, "tracking parameter removed")


def test_tracking_and_session_are_removed_together() -> None:
    given = f"{SITE}/law?phpsessid=abc&utm_source=x&id=5"
    assert strip_session_and_tracking(given) == (f"{SITE}/law?id=5", "session ID removed")


@cases("url", ["/law", "/law?utm=5", "/law?q=utm_source=x", "/law?ref=a", "/utm_source=x", "/?"])
def test_tracking_other_parameters_stay(url: str) -> None:
    assert strip_session_and_tracking(SITE + url) is None


@cases(
    ("path", "rule"),
    [
        ("/rules-policy/regulations/1024/2020-01-01/5/", "dated_version"),
        ("/on/2020-01-01/title-12/part-1024", "dated_version"),
        ("/guide/versions/2020-01-01", "dated_version"),
        ("/title-12/2020-01-01/", "dated_version"),
        ("/current/title-12/part-1024", None),
        ("/rules-policy/regulations/1024/5/", None),
        ("/news/2024/2024-05-01/rates", None),
        ("/news/2024-05-01/rates", None),
        ("/circulars/2022-03/", None),
        ("/1024/versions/", "version_list"),
        ("/1024/conversions/", None),
        ("/1024/revisions/3", "version_list"),
        ("/handbook/revisions/", None),
        ("/w/index.php?title=Lien&oldid=735386036", "version_list"),
        ("/w/index.php?title=Lien&action=history", "version_list"),
        ("/our-history?action=historyofus", None),
        ("/print/pdf/node/679890", "print_view"),
        ("/print/2507.html", "print_view"),
        ("/printpdf/8997", "print_view"),
        ("/committee-print/117/house/48144", None),
        ("/print/order-a-copy", None),
        ("/page?print=1", "print_view"),
        ("/page?a=b&view=print", "print_view"),
        ("/page/print", "print_view"),
        ("/printing-office", None),
        ("/page?print_id=4", None),
        ("/search?q=loan", "search_results"),
        ("/search/?q=loan", "search_results"),
        ("/search-results.aspx?k=loan", "search_results"),
        ("/search/", None),
        ("/research?year=2024", None),
        ("/search/node/loan", "search_results"),
        ("/search/forms-library", None),
        ("/?s=loan", "search_results"),
        ("/fhfa/?s=home+loan&lang=en", "search_results"),
        ("/forum/?s=22c09551c71c1a6b64e4364ca45cbf28", None),
        ("/forms/?s=11", None),
        ("/employers/?signin_tab=0&s=cdd", None),
        ("/payment.aspx?s=loan", None),
        ("/job-search-tips?x=1", None),
    ],
)
def test_duplicate_url_rules_are_named(path: str, rule: str | None) -> None:
    assert find_copy(SITE + path) == rule


@cases(
    ("path", "current"),
    [
        ("/1024/2020-01-01/5/", {"/1024/5/"}),
        ("/on/2020-01-01/title-12/part-5", {"/on/title-12/part-5", "/title-12/part-5", "/current/title-12/part-5"}),
        ("/1024/2020-01-01/", set()),  # of a version's first page: that of all versions
        ("/1024/2020-01-01", set()),
        ("/1024/5/", set()),
    ],
)
def test_undated_urls_page_of_a_version_names_where_its_current_text_may_be(path: str, current: set[str]) -> None:
    assert set(undated_urls(SITE + path)) == {SITE + one for one in current}


def test_is_same_version_other_dates_are_others() -> None:
    assert is_same_version(f"{SITE}/1024/2020-01-01/5/", f"{SITE}/1024/2020-01-01/")
    assert not is_same_version(f"{SITE}/1024/2019-01-01/5/", f"{SITE}/1024/2020-01-01/")
    assert not is_same_version(f"{SITE}/1024/5/", f"{SITE}/1024/")


def test_duplicate_url_rules_are_words_of_manifest() -> None:
    assert set(COPY_RULES) == set(MEANINGS["allowed_copies"])

"""What a robots.txt means for us: RFC 9309, case by case."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from rori_spiders.politeness.robots_policy import MAX_BYTES, RobotsFile, read_robots_txt, unreachable_robots_txt
from tests.support.cases import cases

AT = datetime(2026, 2, 13, tzinfo=UTC)
ORIGIN = "https://www.hud.gov"
CLOSED = "User-agent: *\nDisallow: /x"


def robots_file(text: str | bytes, status: int = 200) -> RobotsFile:
    body = text if isinstance(text, bytes) else text.encode()
    return read_robots_txt(ORIGIN, status=status, body=body, at=AT)


@dataclass(frozen=True)
class Case:
    """A file, and the paths that it closes and leaves open."""

    text: str | bytes
    closed: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


CASES = {
    # how lines end, and what stands before them
    "line feeds": Case(CLOSED, ("/x", "/x/1", "/xy"), ("/", "/y")),
    "CRLF": Case("User-agent: *\r\nDisallow: /x\r\n", ("/x",), ("/y",)),
    "CR": Case("User-agent: *\rDisallow: /x\r", ("/x",), ("/y",)),
    "UTF-8 BOM": Case(b"\xef\xbb\xbf" + CLOSED.encode(), ("/x",), ("/y",)),
    "UTF-16": Case(CLOSED.encode("utf-16"), ("/x",), ("/y",)),
    "UTF-16 without the usual order": Case(b"\xfe\xff" + CLOSED.encode("utf-16-be"), ("/x",), ("/y",)),
    "bytes that are no UTF-8": Case(b"User-agent: *\nDisallow: /\xe9\nDisallow: /x", ("/x",), ("/y",)),
    "NUL bytes": Case(b"User-agent: *\x00\nDis\x00allow: /x", ("/x",), ("/y",)),
    "blanks around": Case("  User-agent : *  \n\tDisallow :   /x  ", ("/x",), ("/y",)),
    "no blanks": Case("User-agent:*\nDisallow:/x", ("/x",), ("/y",)),
    "comments": Case("# ours\nUser-agent: * # all\nDisallow: /x # not this", ("/x",), ("/y",)),
    "keys in any case": Case("USER-AGENT: *\ndisALLOW: /x", ("/x",), ("/y",)),
    "unknown keys": Case("User-agent: *\nNoindex: /y\nClean-param: a\nDisallow: /x", ("/x",), ("/y",)),
    "nothing": Case("", (), ("/", "/x")),
    "prose": Case("There is no such file.", (), ("/", "/x")),
    # paths
    "nothing disallowed": Case("User-agent: *\nDisallow:", (), ("/", "/x")),
    "all disallowed": Case("User-agent: *\nDisallow: /", ("/", "/x")),
    "the longer rule wins": Case("User-agent: *\nDisallow: /\nAllow: /x", ("/", "/y"), ("/x", "/x/1")),
    "the longer rule wins, in any order": Case("User-agent: *\nAllow: /x/open\nDisallow: /x", ("/x",), ("/x/open",)),
    "of equals, allow wins": Case("User-agent: *\nDisallow: /x\nAllow: /x", (), ("/x",)),
    "case matters": Case("User-agent: *\nDisallow: /X", ("/X",), ("/x",)),
    "a star": Case("User-agent: *\nDisallow: /a/*/z", ("/a/b/z", "/a/b/c/z/1"), ("/a/z", "/a/b")),
    "a star first": Case("User-agent: *\nDisallow: *.pdf", ("/a.pdf", "/a.pdf?b"), ("/a.html",)),
    "an end": Case("User-agent: *\nDisallow: /*.pdf$", ("/a.pdf",), ("/a.pdf?b", "/a.pdfx")),
    "a dollar within": Case("User-agent: *\nDisallow: /a$b", ("/a$b",), ("/a",)),
    "a query": Case("User-agent: *\nDisallow: /*?sort=", ("/a?sort=up",), ("/a", "/a?page=2")),
    "escapes in lower case": Case("User-agent: *\nDisallow: /a%3Cd", ("/a%3cd", "/a%3Cd"), ("/ad",)),
    "letters beyond ASCII": Case("User-agent: *\nDisallow: /é", ("/%C3%A9", "/é"), ("/e",)),
    "an escaped slash is none": Case("User-agent: *\nDisallow: /a%2Fb", ("/a%2Fb",), ("/a/b",)),
    # groups
    "our own group alone counts": Case(
        "User-agent: *\nDisallow: /\n\nUser-agent: RORI-Collector\nDisallow: /x", ("/x",), ("/", "/y")
    ),
    "our own group may stand first": Case(
        "User-agent: RORI-Collector\nAllow: /\n\nUser-agent: *\nDisallow: /", (), ("/", "/x")
    ),
    "our token in any case": Case("User-agent: rori-COLLECTOR\nDisallow: /x", ("/x",), ("/y",)),
    "our token with a version": Case(
        "User-agent: *\nAllow: /\n\nUser-agent: RORI-Collector/1.0\nDisallow: /x", ("/x",), ("/y",)
    ),
    "our whole User-Agent": Case(
        "User-agent: RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)\nDisallow: /x", ("/x",)
    ),
    "two groups of ours are one": Case(
        "User-agent: RORI-Collector\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nUser-agent: RORI-Collector\n"
        "Disallow: /x",
        ("/a", "/x"),
        ("/y",),
    ),
    "several names, one group": Case(
        "User-agent: a\nUser-agent: RORI-Collector\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "blank lines end no group": Case("User-agent: a\n\nUser-agent: RORI-Collector\n\nDisallow: /x", ("/x",), ("/y",)),
    "a sitemap ends no group": Case(
        "User-agent: RORI-Collector\nSitemap: https://www.hud.gov/s.xml\nDisallow: /x", ("/x",), ("/y",)
    ),
    "groups of others": Case(
        "User-agent: Googlebot\nDisallow: /\n\nUser-agent: collector\nDisallow: /", (), ("/", "/x")
    ),
    "a name that ours begins": Case("User-agent: RORI-Collector-News\nDisallow: /", (), ("/", "/x")),
    "rules before any group": Case("Disallow: /\nUser-agent: *\nDisallow: /x", ("/x",), ("/y",)),
    "a name that begins ours": Case("User-agent: rori\nDisallow: /\n\nUser-agent: *\nDisallow: /x", ("/x",), ("/y",)),
    "a name that ends ours": Case(
        "User-agent: Collector\nDisallow: /\n\nUser-agent: *\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a token ends where its letters end": Case("User-agent: RORI-Collector2 beta\nDisallow: /x", ("/x",), ("/y",)),
    "everyone, and words": Case("User-agent: * Disallow: /a\nDisallow: /x", ("/x",), ("/a",)),
    "a star within a name is not everyone": Case("User-agent: *bot\nDisallow: /x", (), ("/x",)),
    "groups of everyone are one": Case(
        "User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: *\nDisallow: /x",
        ("/a", "/x"),
        ("/y",),
    ),
    "a group of ours without rules": Case("User-agent: *\nDisallow: /\n\nUser-agent: RORI-Collector", (), ("/", "/x")),
    "a group of ours that disallows nothing": Case(
        "User-agent: RORI-Collector\nDisallow:\nUser-agent: *\nDisallow: /", (), ("/", "/x")
    ),
    # what does not end a run of names (RFC 9309 §2.2.4)
    "a crawl delay between names": Case(
        "User-agent: RORI-Collector\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a crawl delay between everyone and another": Case(
        "User-agent: *\nCrawl-delay: 2\nUser-Agent: Googlebot\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a request rate between names": Case(
        "User-agent: RORI-Collector\nRequest-rate: 1/5\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a signal between names": Case(
        "User-agent: RORI-Collector\nContent-Signal: ai-train=no\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "an unknown record between names": Case(
        "User-agent: RORI-Collector\nNoindex: /y\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a sitemap between names": Case(
        "User-agent: RORI-Collector\nSitemap: /s.xml\nUser-agent: b\nDisallow: /x", ("/x",), ("/y",)
    ),
    "an empty rule ends a run of names": Case(
        "User-agent: *\nDisallow:\nUser-agent: b\nDisallow: /x", (), ("/x", "/y")
    ),
    "a crawl delay ends no group": Case(
        "User-agent: *\nDisallow: /a\nCrawl-delay: 9\nDisallow: /x", ("/a", "/x"), ("/y",)
    ),
    # as people write them
    "names of records in variants": Case("useragent: *\nDissallow: /a\nDisalow: /x", ("/a", "/x"), ("/y",)),
    "user agent in two words": Case("User agent: *\nDisallow: /x", ("/x",), ("/y",)),
    "no colon": Case("User-agent *\nDisallow /x", ("/x",), ("/y",)),
    "prose that begins like a record": Case(
        "User-agent: *\nUser-agent strings are listed below\nAllow us to explain\nDisallow: /x", ("/x",), ("/y",)
    ),
    "a BOM between files put together": Case("# a\n\ufeffUser-agent: *\n\ufeffDisallow: /x", ("/x",), ("/y",)),
    "separators that are no line ends": Case(
        "User-agent: *\nDisallow: /a\x0bAllow: /\x85Allow: /\nDisallow: /", ("/x",)
    ),
    "UTF-16 without a mark": Case(CLOSED.encode("utf-16-le"), ("/x",), ("/y",)),
    # which of two rules is the longer
    "a query mark is one octet": Case("User-agent: *\nDisallow: /find\nAllow: /*?q", ("/find?q", "/find"), ("/?q",)),
    "an ampersand is one octet": Case("User-agent: *\nDisallow: /finder\nAllow: /*&a", ("/finder?b&a",), ("/?b&a",)),
    "an index is a page, not its folder": Case(
        "User-agent: *\nDisallow: /\nAllow: /a/index.html", ("/a/", "/"), ("/a/index.html",)
    ),
    "letters beyond ASCII and their escapes are as long": Case(
        "User-agent: *\nDisallow: /\u30c4\nAllow: /%E3%83%84", (), ("/%E3%83%84",)
    ),
    "a letter in Latin-1": Case(b"User-agent: *\nDisallow: /caf\xe9", ("/caf%E9", "/caf%e9/x"), ("/caf", "/caf%C3%A9")),
    "an escaped star is a star": Case("User-agent: *\nDisallow: /a%2Ab", ("/a*b", "/a%2ab"), ("/axb",)),
    "an escaped dollar is no end": Case("User-agent: *\nDisallow: /a%24", ("/a$", "/a$b", "/a%24"), ("/a",)),
    "escapes that change nothing": Case("User-agent: *\nDisallow: /a%3Db", ("/a=b", "/a%3db"), ("/a",)),
    "stars side by side": Case("User-agent: *\nDisallow: /a**b$", ("/ab", "/axb"), ("/a", "/abx")),
    "a star at the end": Case("User-agent: *\nDisallow: /a*", ("/a", "/ab"), ("/b",)),
    "a star before the end": Case("User-agent: *\nDisallow: /a*$", ("/a", "/ab"), ("/b",)),
    "an end that overlaps": Case("User-agent: *\nDisallow: /ab*bc$", ("/abbc",), ("/abc",)),
    "a rule without a slash is none": Case(
        "User-agent: *\nDisallow: about\nDisallow: $\nDisallow: /x", ("/x",), ("/about",)
    ),
    "a rule that is a URL of this host": Case(
        "User-agent: *\nDisallow: https://www.hud.gov/x\nDisallow: http://HUD.gov/z*q", ("/x", "/zaq"), ("/", "/y")
    ),
    "a rule that is a URL of another host": Case("User-agent: *\nDisallow: https://apps.hud.gov/x", (), ("/x",)),
    "a rule that is the URL of this host": Case("User-agent: *\nDisallow: https://www.hud.gov", (), ("/", "/x")),
    "a permission that is a URL": Case("User-agent: *\nDisallow: /\nAllow: https://www.hud.gov/x", ("/x",)),
    "only the root": Case("User-agent: *\nDisallow: /$", ("/",), ("/x", "/?x")),
    "robots.txt itself is open": Case(
        "User-agent: *\nDisallow: /", ("/robots.txt?x", "/a/robots.txt"), ("/robots.txt",)
    ),
    # size
    "500 KiB are read": Case("#" * (MAX_BYTES - 100) + "\n" + CLOSED, ("/x",), ("/y",)),
    "no more than 500 KiB": Case(CLOSED + "\n" + "#\n" * MAX_BYTES + "Disallow: /y", ("/x",), ("/y",)),
}


@cases("case", CASES.values(), ids=CASES)
def test_robots_rules_allow_and_disallow_paths(case: Case) -> None:
    file = robots_file(case.text)
    assert file.outcome == "rules"
    for path in case.closed:
        assert not file.allows(ORIGIN + path), path
    for path in case.open:
        assert file.allows(ORIGIN + path), path


def test_robots_rule_cut_off_at_size_limit_is_ignored() -> None:
    head = "User-agent: *\nDisallow: /private\n"
    last = "Allow: /private/press"
    padding = "#" * (MAX_BYTES - len(head) - len("Allow: /private") - 1) + "\n"
    file = robots_file(head + padding + last)
    assert not file.allows(f"{ORIGIN}/private/papers")


@cases("status", [400, 401, 403, 404, 405, 410, 418, 451])
def test_robots_4xx_has_no_rules(status: int) -> None:
    file = robots_file("User-agent: *\nDisallow: /", status)
    assert (file.outcome, file.delay_s, file.sitemaps) == ("no_rules", None, ())
    assert file.allows(f"{ORIGIN}/x")
    assert str(status) in file.reason


@cases("status", [301, 302, 304, 307, 429, 500, 502, 503, 504, 520, 599])
def test_robots_unavailable_status_closes_site(status: int) -> None:
    file = robots_file("", status)
    assert file.outcome == "unavailable"
    assert not file.allows(f"{ORIGIN}/")
    assert str(status) in file.reason


@pytest.mark.parametrize("status", [200, 203, 206])
def test_robots_2xx_is_read(status: int) -> None:
    assert not robots_file(CLOSED, status).allows(f"{ORIGIN}/x")


@cases(
    "page",
    [
        "<!DOCTYPE html><html>",
        "\n\t <!doctype HTML>",
        "\ufeff<html>",
        "<HTML lang=en>",
        "<head><title>Request Access</title>",
        "<!-- cached --><html>",
        "<script>location='/'</script>",
        '<?xml version="1.0"?><html/>',
        '<meta name="viewport" content="width=device-width">',
        "<h1>Not found</h1>",
        "Please wait...\n<html><body>User agents are checked</body></html>",
    ],
)
def test_robots_html_page_closes_site(page: str) -> None:
    file = robots_file(page)
    assert file.outcome == "unavailable"
    assert not file.allows(f"{ORIGIN}/")
    assert "HTML" in file.reason


def test_robots_unreachable_closes_site() -> None:
    file = unreachable_robots_txt(ORIGIN, "timeout", AT)
    assert not file.allows(f"{ORIGIN}/")
    assert (file.outcome, file.status, file.body) == ("unavailable", None, b"")
    assert "timeout" in file.reason


@cases(
    ("lines", "seconds"),
    [
        ("", None),
        ("Crawl-delay: 0,5", 0.5),
        ("Crawl-delay: 10 s", 10),
        ("Crawl-delay: 2 minutes", 120),
        ("Crawl-delay: 10ms", None),
        ("Crawl-delay: 1_0", None),
        ("Crawl-delay: 1e400", None),
        (f"Crawl-delay: {'9' * 400}", None),
        ("Crawl-delay: 5\nCrawl-delay: 20\nCrawl-delay: 10", 20),
        ("Crawl delay: 10", 10),
        ("Request-rate: 1/10s", 10),
        ("Request-rate: 1/1m", 60),
        ("Request-rate: 30/1h", 120),
        ("Request-rate: 1 / 2 d", 172800),
        ("Request-rate: 1/10 0600-0845", 10),
        ("Request-rate: 1/10m 1300-1659 UTC", 600),
        ("Request-rate: 1/0", None),
        ("Request-rate: 10", None),
        (f"Request-rate: 1/{'1' * 5000}", None),
        (f"Request-rate: 1/1{' ' * 200_000}x", None),
        ("Crawl-delay: 10", 10),
        ("Crawl-delay: 0.5", 0.5),
        ("crawl-delay:10", 10),
        ("Crawl-delay: 10 # please", 10),
        ("Crawl-delay: ten", None),
        ("Crawl-delay: -3", None),
        ("Crawl-delay: nan", None),
        ("Crawl-delay: inf", None),
        ("Crawl-delay:", None),
        ("Request-rate: 1/10", 10),
        ("Request-rate: 2/10", 5),
        ("Request-rate: 1/2m", 120),
        ("Request-rate: 0/10", None),
        ("Request-rate: often", None),
        ("Crawl-delay: 3\nRequest-rate: 1/10", 10),
        ("Crawl-delay: 30\nRequest-rate: 1/10", 30),
    ],
)
def test_robots_crawl_delay_and_request_rate_are_parsed(lines: str, seconds: float | None) -> None:
    assert robots_file(f"User-agent: *\n{lines}\nDisallow: /x").delay_s == seconds


def test_robots_delay_of_own_group_takes_precedence() -> None:
    file = robots_file("User-agent: *\nCrawl-delay: 20\n\nUser-agent: RORI-Collector\nCrawl-delay: 5\nAllow: /")
    assert file.delay_s == 5


def test_robots_delay_of_everyone_applies_without_own_delay() -> None:
    file = robots_file("User-agent: *\nCrawl-delay: 20\nDisallow: /\n\nUser-agent: RORI-Collector\nDisallow: /x")
    assert file.delay_s == 20
    assert file.allows(f"{ORIGIN}/y")


@cases(
    "text",
    [
        "Crawl-delay: 7\n\nUser-agent: *\nDisallow: /x",
        "User-agent: other\nCrawl-delay: 7\nUser-agent: RORI-Collector\nDisallow: /x",
        "User-agent: RORI-Collector\nCrawl-delay: 7\nUser-agent: other\nDisallow: /x",
        "User-agent: RORI-Collector/1.0 (+https://rori.dev/collector)\nCrawl-delay: 7\nDisallow: /x",
        "User-agent: *\nDisallow: /x\nCrawl-delay: 7\n\nUser-agent: other\nDisallow: /\nCrawl-delay: 90",
    ],
)
def test_robots_delay_of_other_groups_is_ignored(text: str) -> None:
    assert robots_file(text).delay_s == 7


@cases(
    ("text", "signal"),
    [
        ("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /", "search=yes, ai-train=no"),
        ("User-agent: *\ncontent-signal:ai-train=no # ours\nDisallow:", "ai-train=no"),
        ("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /", "ai-train=no"),
        (
            "User-agent: *\nContent-Signal: a=no\n\nUser-agent: RORI-Collector\nContent-Signal: a=yes\nAllow: /",
            "a=yes",
        ),
        ("User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n\nUser-agent: RORI-Collector\nAllow: /", "ai-train=no"),
        ("User-agent: *\nContent-Signal: search=yes\nContent-Signal: ai-train=no\nAllow: /", "search=yes, ai-train=no"),
        ("User-agent: other\nContent-Signal: ai-train=no\nDisallow: /", None),
        ("User-agent: *\nContent-Signal:\nDisallow: /x", None),
        (CLOSED, None),
    ],
)
def test_robots_content_signal_is_stored_as_written(text: str, signal: str | None) -> None:
    assert robots_file(text).content_signal == signal


def test_robots_sitemaps_are_read_from_any_group() -> None:
    file = robots_file("Sitemap: https://www.hud.gov/a.xml\nUser-agent: other\nDisallow: /\nsitemap: /b.xml\nSitemap:")
    assert file.sitemaps == ("https://www.hud.gov/a.xml", "/b.xml")


def test_robots_bytes_are_stored_as_received() -> None:
    body = b"\xef\xbb\xbfUser-agent: *\r\n" + b"#" * MAX_BYTES
    assert robots_file(body).body == body


@pytest.mark.slow
@cases(
    "text",
    [
        "User-agent: *\n" + "Disallow: /*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n" * 8_000,
        "User-agent: *\nDisallow: /" + "*a" * 250_000 + "b$",
        "User-agent: *\n" + "".join(f"Disallow: /a{n}\n" for n in range(30_000)),
        "User-agent: RORI-Collector\n"
        + "".join(f"User-agent: b{n}\n" for n in range(15_000))
        + "Disallow: /\n" * 15_000,
        "User-agent: *\nCrawl-delay: 5\n" * 17_000,
        "allow" + " " * MAX_BYTES,
        "User-agent" + "\t \x0b" * 160_000 + "x y",
        "\r" * 600_000,
        "User-agent: *\nDisallow: /" + "%" * 500_000,
    ],
    ids=["stars", "one of many stars", "many", "many names", "many groups", "blanks", "tabs", "line ends", "escapes"],
)
def test_robots_parser_time_is_bounded(text: str) -> None:
    """The rules are asked in the event loop. A pattern that is tried again at each star would not end today."""
    file = robots_file(text)
    for _ in range(10):
        file.allows(ORIGIN + "/" + "a" * 2_000)

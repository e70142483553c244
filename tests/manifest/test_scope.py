"""Which URLs belong to a source: hosts, globs, depth."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

from rori_spiders.manifest.scope import Glob, Scope
from rori_spiders.reasons import Reason
from tests.manifest.examples import load, source
from tests.support.cases import cases


def scope(**changes: Any) -> Scope:
    return Scope(load(source(**changes)).manifest.sources[0])


@cases(
    ("pattern", "target", "matches"),
    [
        # begins at any / of the path
        ("/1024/*", "/1024/", True),
        ("/1024/*", "/rules-policy/regulations/1024/5/", True),
        ("/1024/*", "/rules-policy/regulations/1024", False),
        ("/1024/*", "/x1024/5", False),
        ("/1024/*", "/1024x/5", False),
        ("/1024", "/regulations/1024", True),
        ("/1024", "/regulations/1024/", False),
        ("/1024", "/regulations/1024?x=1", False),
        ("/", "/", True),
        ("/", "/a/", True),
        ("/", "/a", False),
        ("/*", "/anything?at=all", True),
        # * spans /, stands for nothing too, and may stand several times
        ("/1024/*/interp*", "/1024/5/interp-1", True),
        ("/1024/*/interp*", "/1024/a/b/c/interp", True),
        ("/1024/*/interp*", "/1024/interp-1", False),
        ("/a*b*c", "/abc", True),
        ("/a*b*c", "/a-b-b-c", True),
        ("/a*b*c", "/a-c-b", False),
        ("/a*b*c", "/ab-c-", False),
        ("/a**c", "/abc", True),
        ("/aa*aa", "/aaa", False),
        ("/aa*aa", "/aaaa", True),
        ("/a*a", "/a", False),
        # reaches the end
        ("*.pdf", "/files/a.pdf", True),
        ("*.pdf", "/files/a.pdf?download=1", False),
        ("*.pdf*", "/files/a.pdf?download=1", True),
        ("*.pdf", "/files/a.pdfx", False),
        ("/files/*.pdf", "/deep/files/x/y.pdf", True),
        # path and query; ? is a plain character; a / of the query begins nothing
        ("*?*", "/a?b=c", True),
        ("*?*", "/a", False),
        ("*?page=*", "/list?page=2", True),
        ("*?page=*", "/list?sort=a&page=2", False),
        ("*page=*", "/list?sort=a&page=2", True),
        ("/prelim*", "/view.xhtml?path=/prelim@title12", False),
        ("*/prelim*", "/view.xhtml?path=/prelim@title12", True),
        ("/view.xhtml?path=*", "/view.xhtml?path=/prelim@title12", True),
        ("/b", "/a?x=/b", False),
        ("/a?x=/b", "/z/a?x=/b", True),
        # nothing else is special
        ("/a.b", "/axb", False),
        ("/[ab]", "/a", False),
        ("/[ab]", "/[ab]", True),
        ("/a+", "/aa", False),
        ("/(a|b)", "/(a|b)", True),
        ("/a$", "/a", False),
        # case counts, the spelling of escapes does not
        ("/Login*", "/login", False),
        ("/caf%c3%a9/*", "/caf%C3%A9/menu", True),
        ("/café/*", "/caf%C3%A9/menu", True),
    ],
)
def test_glob_examples(pattern: str, target: str, matches: bool) -> None:
    assert Glob(pattern).matches(target) is matches


def _by_definition(pattern: str, target: str) -> bool:
    """The rule as it is written down, by a regular expression: slow, but plain."""
    expression = re.compile("".join(".*" if char == "*" else re.escape(char) for char in pattern), re.DOTALL)
    path = target.partition("?")[0]
    starts = [0] if pattern.startswith("*") else [place for place, char in enumerate(path) if char == "/"]
    return any(expression.fullmatch(target[start:]) for start in starts)


def test_glob_small_cases_match_definition() -> None:
    patterns = [first + "".join(rest) for first in "/*" for size in range(4) for rest in product("/a*?", repeat=size)]
    targets = ["/" + "".join(rest) for size in range(5) for rest in product("/a?", repeat=size)]
    for pattern in patterns:
        glob = Glob(pattern)
        wrong = [target for target in targets if glob.matches(target) is not _by_definition(pattern, target)]
        assert not wrong, pattern


def test_glob_adversarial_pattern_takes_linear_time() -> None:
    # A backtracking matcher takes longer than the age of the universe here.
    assert not Glob("*" + "a*" * 200 + "b").matches("/" + "a" * 50_000)
    assert Glob("*" + "a*" * 200 + "b").matches("/" + "a" * 50_000 + "b")


def test_scope_hosts_are_start_domain_www_and_allowed() -> None:
    one = scope(url="https://files.hud.gov/a", domain="hud.gov", allowed_hosts=["www.huduser.gov"])
    assert one.hosts == {"files.hud.gov", "www.files.hud.gov", "hud.gov", "www.hud.gov", "www.huduser.gov"}
    assert one.host_in("https://www.hud.gov/x")
    assert one.host_in("http://hud.gov:8080/")
    assert not one.host_in("https://other.hud.gov/")
    assert not one.host_in("https://huduser.gov/")
    assert not one.host_in("https://hud.gov.evil.example/")


def test_scope_ip_address_has_no_www_variant() -> None:
    assert scope(url="http://127.0.0.7:8080/", domain="127.0.0.7").hosts == {"127.0.0.7"}
    assert scope(url="http://[::1]/", domain="::1").hosts == {"::1"}


SITE = "https://www.consumerfinance.gov"
START = f"{SITE}/rules-policy/regulations/1024/"


@cases(
    ("url", "depth", "reason"),
    [
        (START, 99, None),
        (f"{SITE}/rules-policy/regulations/1024/5/", 3, None),
        (f"{SITE}/rules-policy/regulations/1024/5/", 4, Reason("max_depth", limit=3)),
        ("https://consumerfinance.gov/rules-policy/regulations/1024/5/", 0, None),
        ("https://files.consumerfinance.gov/1024/5/", 0, Reason("outside_hosts")),
        (f"{SITE}/rules-policy/regulations/1026/", 0, Reason("outside_include_patterns")),
        (f"{SITE}/1024/5/interp-1", 0, Reason("exclude_pattern", rule="/1024/*/interp*")),
        (f"{SITE}/1024/5/?print=1", 0, Reason("exclude_pattern", rule="*?*")),
        (f"{SITE}/1026/?print=1", 9, Reason("exclude_pattern", rule="*?*")),
    ],
)
def test_scope_exclusion_reasons(url: str, depth: int, reason: str | None) -> None:
    config = {"include_patterns": ["/1024/*"], "exclude_patterns": ["/1024/*/interp*", "*?*"], "max_depth": 3}
    assert scope(scrape_config=config).excludes(url, depth) == reason


def test_scope_start_url_is_always_included() -> None:
    assert scope(scrape_config={"exclude_patterns": ["/*"], "max_depth": 0}).excludes(START, 5) is None
    assert scope(scrape_config={"exclude_patterns": ["/*"]}).excludes(f"{SITE}/other") == Reason(
        "exclude_pattern", rule="/*"
    )


def test_scope_start_url_is_canonical() -> None:
    config = {"include_patterns": ["/never"]}
    one = scope(url="https://WWW.ConsumerFinance.gov:443/a/../b#part", scrape_config=config)
    assert one.excludes("https://www.consumerfinance.gov/b") is None


def test_scope_openapi_file_elsewhere_is_included_its_host_is_not() -> None:
    one = scope(swagger="https://api.example.gov/openapi.json")
    assert one.excludes("https://api.example.gov/openapi.json") is None
    assert one.excludes("https://api.example.gov/") == Reason("outside_hosts")


def test_scope_pattern_for_whole_host() -> None:
    assert scope(scrape_config={"include_patterns": ["/*"]}).excludes(f"{SITE}/any/thing?x=1", 1000) is None


FOLDER = Reason("outside_start_folder", rule="/guide/")


@cases(
    ("url", "reason"),
    [
        ("https://www.hud.gov/guide/a/b", None),
        ("https://hud.gov/guide/a", None),
        ("https://www.hud.gov/guide/", None),
        ("https://www.hud.gov/guide?page=2", FOLDER),
        ("https://www.hud.gov/guides/a", FOLDER),
        ("https://www.hud.gov/", FOLDER),
        ("https://archives.hud.gov/a", None),  # named in allowed_hosts
    ],
)
def test_scope_crawl_without_patterns_stays_in_start_folder(url: str, reason: Reason | None) -> None:
    start = {"url": "https://www.hud.gov/guide/index.html", "domain": "hud.gov", "allowed_hosts": ["archives.hud.gov"]}
    assert scope(**start, method="crawl").excludes(url) == reason
    assert scope(**start, method="crawl", scrape_config={"include_patterns": ["/*"]}).excludes(url) is None


def test_scope_redirected_start_folder_is_included() -> None:
    crawl = scope(url="https://www.hud.gov/guide/", domain="hud.gov", method="crawl")
    assert crawl.excludes("https://www.hud.gov/en/guide/a") == FOLDER
    crawl.widen("https://www.hud.gov/en/guide/index")
    assert crawl.excludes("https://www.hud.gov/en/guide/a") is None


def test_scope_single_page_has_no_folder() -> None:
    page = scope(url="https://www.hud.gov/guide/", domain="hud.gov", method="scrape")
    assert page.excludes("https://hud.gov/a") is None


@cases(
    ("url", "may_hold"),
    [
        ("https://www.hud.gov/other#part", True),
        ("https://api.example.gov/openapi.json", True),  # a start URL
        ("https://www.example.com/a", False),
        ("https://www.example.com", False),
        ("HTTPS://www.example.com/a", True),  # to be normalised first, as the last two
        ("https://www.example.com:443/a", False),
        ("https://user@www.example.com/a", True),
        (" https://www.example.com/a", True),
    ],
)
def test_scope_may_hold_is_false_for_other_hosts_alone(url: str, may_hold: bool) -> None:
    one = scope(url="https://www.hud.gov/guide/", domain="hud.gov", swagger="https://api.example.gov/openapi.json")
    assert one.may_hold(url) is may_hold

"""One spelling for each URL, and nothing that is no URL."""

from __future__ import annotations

import re
from random import Random
from urllib.parse import urlsplit

import pytest

from rori_spiders.urls import canonical
from rori_spiders.urls.canonical import (
    duplicate_key,
    escape_wiki_title,
    host_of,
    index_folder,
    likely_duplicates,
    non_document_suffix,
    normalise_url,
    origin_of,
    path_and_query,
    plain_host_of,
    registrable_domain,
    url_hash,
)
from tests.support.cases import cases

SPELLINGS = [
    ("https://www.hud.gov", "https://www.hud.gov/"),
    ("HTTPS://WWW.HUD.GOV/Program", "https://www.hud.gov/Program"),
    ("  https://www.hud.gov/a \n", "https://www.hud.gov/a"),
    ("https://www.hud.gov:443/a", "https://www.hud.gov/a"),
    ("http://www.hud.gov:80/a", "http://www.hud.gov/a"),
    ("http://www.hud.gov:443/a", "http://www.hud.gov:443/a"),
    ("https://www.hud.gov:8443/a", "https://www.hud.gov:8443/a"),
    ("https://www.hud.gov./a", "https://www.hud.gov/a"),
    ("https://someone:secret@www.hud.gov/a", "https://www.hud.gov/a"),
    ("https://www.hud.gov/a#part-2", "https://www.hud.gov/a"),
    ("https://www.hud.gov/a?b=2&a=1", "https://www.hud.gov/a?b=2&a=1"),
    ("https://www.hud.gov/a?", "https://www.hud.gov/a"),
    ("https://www.hud.gov?q=1", "https://www.hud.gov/?q=1"),
    ("https://www.hud.gov/a b", "https://www.hud.gov/a%20b"),
    ("https://www.hud.gov/é", "https://www.hud.gov/%C3%A9"),
    ("https://www.hud.gov/%7Ea", "https://www.hud.gov/~a"),
    ("https://www.hud.gov/a%2db%2fc?q=%e9%41", "https://www.hud.gov/a-b%2Fc?q=%E9A"),
    ("https://www.hud.gov/a/./b", "https://www.hud.gov/a/b"),
    ("https://www.hud.gov/a/../b", "https://www.hud.gov/b"),
    ("https://www.hud.gov/a/%2e%2e/b", "https://www.hud.gov/b"),
    ("https://www.hud.gov/a/%2E./b", "https://www.hud.gov/b"),
    ("https://www.hud.gov/../../b", "https://www.hud.gov/b"),
    ("https://www.hud.gov/a/..", "https://www.hud.gov/"),
    ("https://www.hud.gov/a/.", "https://www.hud.gov/a/"),
    ("https://www.hud.gov/a//b", "https://www.hud.gov/a//b"),
    ("https://www.hud.gov/a%2Fb", "https://www.hud.gov/a%2Fb"),
    ("https://bücher.example.org/", "https://xn--bcher-kva.example.org/"),
    ("http://[2606:4700::1]:80/a", "http://[2606:4700::1]/a"),
    ("https://my_agency.example.gov/", "https://my_agency.example.gov/"),
]


@cases(("given", "spelling"), SPELLINGS)
def test_canonical_url_examples(given: str, spelling: str) -> None:
    assert normalise_url(given) == spelling


@cases(
    ("given", "base", "spelling"),
    [
        ("../6/", "https://www.hud.gov/1024/5/", "https://www.hud.gov/1024/6/"),
        ("/x", "https://www.hud.gov/1024/5/", "https://www.hud.gov/x"),
        ("//www.va.gov/x", "https://www.hud.gov/", "https://www.va.gov/x"),
        ("?page=2", "https://www.hud.gov/list?page=1", "https://www.hud.gov/list?page=2"),
        ("", "https://www.hud.gov/list", "https://www.hud.gov/list"),
    ],
)
def test_canonical_url_relative_to_base(given: str, base: str, spelling: str) -> None:
    assert normalise_url(given, base) == spelling


@cases(
    "given",
    [
        "",
        "www.hud.gov/a",
        "/a",
        "ftp://www.hud.gov/a",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "mailto:info@hud.gov",
        "data:text/html,x",
        "http://",
        "https:///a",
        "https://./",
        "https://../",
        "https://:443/",
        "https://user@/",
        "https://www.hud.gov:port/",
        "https://www.hud.gov:99999/",
        "https://[::1",
        "https://[1.2.3.4]/",
        "https://www..gov/",
        "https://%77ww.hud.gov/",
        "https://www.hud.gov%00.example.org/",
        "https://www.hud.gov%2f.example.org/",
        "https://a b.gov/",
    ],
)
def test_canonical_url_invalid_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        normalise_url(given)


@pytest.mark.slow
def test_canonical_url_of_plain_link_is_what_all_steps_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most links are spelled as they should be, and take a short way."""
    random = Random(2027)
    pieces = [
        *("a", "B", "Z9", "_", "-", "~", ".", "..", "/", "//", "/a/", "?", "=", "&", "#", "#b", "%41", "%2f", " "),
        *(":80", ":443", ":8080", ":0", ":65536", "@", "+", ";", ",", "é", "xn--", ".gov", "1.2"),
    ]
    starts = ["http://a.gov", "https://www.a.gov/", "http://127.0.0.1:8080/a", "https://a", "HTTP://a.gov/", "/", ""]
    given = [random.choice(starts) + "".join(random.choices(pieces, k=random.randint(0, 5))) for _ in range(40_000)]

    def normalise_all() -> list[str | None]:
        normalise_url.cache_clear()
        return [_normalise_or_none(url) for url in given]

    short = normalise_all()
    assert sum(bool(canonical._NORMALISED.fullmatch(url)) for url in given) > 3_000
    monkeypatch.setattr(canonical, "_NORMALISED", re.compile(r"(?!)"))
    assert normalise_all() == short


def _normalise_or_none(url: str) -> str | None:
    try:
        return normalise_url(url)
    except ValueError:
        return None


def test_canonical_url_is_idempotent() -> None:
    """Whatever a page throws at it: a ValueError, or a URL that is not changed by a second look."""
    random = Random(2026)
    pieces = [
        *("http://", "https://", "a.gov", "[::1]", "Ä.gov", "/", "..", ".", "%2e", "%2E%2e", "%2f", "//", "?", "#"),
        *("a=b", "&", " ", "%", "%zz", "é", "\t", "\\", "@", "u:p@", ":80", ":443", ":x", "%00", "\x00", "\ud800"),
        *("\ufeff", "。", ";", "|", '"', "<", "[", "]", "{", "%25", "%252e"),
    ]
    seen = 0
    for _ in range(20_000):
        start = random.choice(["http://a.gov", "https://", "http://", ""])
        given = start + "".join(random.choices(pieces, k=random.randint(1, 7)))
        try:
            once = normalise_url(given)
        except ValueError:
            continue
        seen += 1
        assert normalise_url(once) == once, given
        assert host_of(once), given
    assert seen > 1_000


@cases(
    ("host", "domain"),
    [
        ("www.consumerfinance.gov", "consumerfinance.gov"),
        ("files.consumerfinance.gov", "consumerfinance.gov"),
        ("hud.gov", "hud.gov"),
        ("www.dfi.wa.gov", "wa.gov"),
        ("www.gov.uk", "www.gov.uk"),
        ("a.b.co.uk", "b.co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "::1"),
        ("0:0::1", "::1"),
        ("gov", "gov"),
        ("someone.github.io", "github.io"),
    ],
)
def test_registrable_domain_of_host(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


def test_canonical_url_parts() -> None:
    url = "https://www.hud.gov:8443/a/b?c=d"
    assert host_of(url) == "www.hud.gov"
    assert host_of("https://[::1]:80/") == "::1"
    assert host_of("http://www.hud.gov:8080/a") == plain_host_of("http://www.hud.gov:8080/a") == "www.hud.gov"
    assert host_of("no url") == ""
    assert origin_of(url) == "https://www.hud.gov:8443"
    assert path_and_query(url) == "/a/b?c=d"
    assert path_and_query("https://www.hud.gov") == "/"
    odd = (
        "/a?",
        "/a??",
        "/a?b#c",
        "/a#b?c",
        "//a;b?c;d",
        "?a/b",
        "/a b?c d",
        "/a\tb?c\n",
        "/a\x1f?\xa0",
        "/%3f?%23",
        "/[a",
    )
    for rest in odd:
        parts = urlsplit(f"https://www.hud.gov{rest}")
        assert path_and_query(f"https://www.hud.gov{rest}") == (parts.path or "/") + (parts.query and f"?{parts.query}")


def test_url_hash_is_sha256_of_canonical_url() -> None:
    assert url_hash("https://www.hud.gov/") == "590b34c3af85cbbe7faa51f0374b2abffbc6e5a604fd490cb254e72564016cc9"


def test_readable_path_of_title() -> None:
    assert escape_wiki_title("Fair Housing Act (1968)") == "Fair_Housing_Act_(1968)"
    assert escape_wiki_title("50% rule/Überblick?") == "50%25_rule/%C3%9Cberblick%3F"


@cases(
    ("url", "ending"),
    [
        ("https://www.hud.gov/a.PNG", ".png"),
        ("https://www.hud.gov/a.tar.gz", ".gz"),
        ("https://www.hud.gov/site.css?v=3", ".css"),
        ("https://www.hud.gov/a.pdf", None),
        ("https://www.hud.gov/a.xml", None),
        ("https://www.hud.gov/1024/5/", None),
        ("https://www.hud.gov/png", None),
        ("https://www.hud.gov/a.png/text", None),
        ("https://www.hud.gov/?f=a.png", None),
    ],
)
def test_non_document_extensions(url: str, ending: str | None) -> None:
    assert non_document_suffix(url) == ending


@cases(
    ("url", "others"),
    [
        ("https://www.hud.gov/a/", {"/a/index.html", "/a/index.htm", "/a"}),
        ("https://www.hud.gov/a/index.html", {"/a/", "/a/index.htm", "/a"}),
        ("https://www.hud.gov/a/b.html", {"/a/b.html/"}),
        ("https://www.hud.gov/", {"/index.html", "/index.htm"}),
        ("https://www.hud.gov/a/?b=c", set()),
    ],
)
def test_duplicate_urls_of_page_are_likely(url: str, others: set[str]) -> None:
    assert set(likely_duplicates(url)) == {f"https://www.hud.gov{other}" for other in others}


@pytest.mark.parametrize(
    "other",
    [
        "http://www.hud.gov/Forms/Form%20(1)",
        "https://hud.gov/forms/Form%20%281%29/",
        "https://www.hud.gov/FORMS/Form%20(1)/Default.aspx",
    ],
)
def test_duplicate_urls_answered_with_same_page(other: str) -> None:
    assert duplicate_key(other) == duplicate_key("https://www.hud.gov/forms/form%20(1)")


@pytest.mark.parametrize("other", ["/forms/form2", "/forms/form?x=1", "/forms", "/forms/form/a.html"])
def test_duplicate_urls_unlikely_are_not_listed(other: str) -> None:
    assert duplicate_key(f"https://www.hud.gov{other}") != duplicate_key("https://www.hud.gov/forms/form")


@cases(
    "name",
    ["", "index.html", "index.htm", "index.en.html", "index.html.pt-BR", "Default.aspx", "index.php", "index.xhtml"],
)
def test_folder_index_urls(name: str) -> None:
    assert index_folder(f"https://www.hud.gov/a/{name}") == "https://www.hud.gov/a/"


@cases("name", ["b.html", "index-of-rules.html", "index.pdf", "index.php?id=3", "?next=/b/", "index"])
def test_folder_index_other_urls(name: str) -> None:
    assert index_folder(f"https://www.hud.gov/a/{name}") is None

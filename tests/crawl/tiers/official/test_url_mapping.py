"""The `official` tier's steps: which URLs its publishers' APIs have, what they are asked, what their answers mean."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.tiers.official.api import NoFullText, PageNotFound
from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_url, render_contents
from rori_spiders.crawl.tiers.official.federal_register import document_path, parse_document_page, parse_search
from rori_spiders.crawl.tiers.official.registry import (
    OFFICIAL_APIS,
    has_official_api,
    official_api_for,
    permitted_by_documentation,
)
from rori_spiders.crawl.tiers.order import OFFICIAL, restore_page
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import load_packaged
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.crawl.tiers.official.api import ApiRequest

ECFR = "https://www.ecfr.gov"
FR = "https://www.federalregister.gov"
ECFR_API = f"{ECFR}/api/versioner/v1"
FR_API = f"{FR}/api/v1"
KNOWN = {"titles": "known", "title-12": "2026-11-19", "title-26": "2026-11-19", "amended": "2024-01-01"}


def ask(url: str, known: Mapping[str, str] = KNOWN) -> ApiRequest:
    publisher = official_api_for(url)
    assert publisher is not None
    return publisher.ask(url, ECFR_API if "ecfr" in url else FR_API, known)


# --- eCFR: what a URL names ------------------------------------------------------------------------------------------


@cases(
    ("path", "query"),
    [
        ("/current/title-12/chapter-X/part-1024", "chapter=X&part=1024"),
        ("/current/title-12/part-1024/", "part=1024"),
        ("/current/title-12/part-1024?toc=1", "part=1024"),
        ("/current/title-12/part-1024/subpart-C", "part=1024&subpart=C"),
        ("/current/title-12/section-1024.37", "part=1024&section=1024.37"),
        ("/current/title-12/part-1024/subpart-C/section-1024.37", "part=1024&subpart=C&section=1024.37"),
        ("/current/title-26/section-1.263(a)-3", "part=1&section=1.263%28a%29-3"),
        (
            "/current/title-12/part-1026/appendix-Supplement%20I%20to%20Part%201026",
            "part=1026&appendix=Supplement%20I%20to%20Part%201026",
        ),
        ("/current/title-12/part-1024/subject-group-ECFR0/section-1024.1", "part=1024&section=1024.1"),
        ("/cgi-bin/text-idx?SID=0&mc=true&node=pt12.9.1026&rgn=div5", "part=1026"),
        ("/cgi-bin/text-idx?node=se12.9.1026_132&rgn=div8", "part=1026&section=1026.32"),
        ("/cgi-bin/retrieveECFR?gp=&n=sp12.8.1024.c&r=SUBPART", "part=1024&subpart=C"),
    ],
)
def test_ecfr_url_is_requested_as_of_day_of_title(path: str, query: str) -> None:
    title = "26" if "title-26" in path else "12"
    assert ask(ECFR + path).url == f"{ECFR_API}/full/2026-11-19/title-{title}.xml?{query}"


def test_ecfr_day_in_url_is_used() -> None:
    assert ask(f"{ECFR}/on/2024-01-01/title-12/part-1024", {"amended": ""}).url == (
        f"{ECFR_API}/full/2024-01-01/title-12.xml?part=1024"
    )


@cases(
    "path",
    [
        "/",
        "/search?search%5Bquery%5D=mortgage",
        "/recent-changes",
        "/reader-aids",
        "/compare/2024-01-01/to/2023-01-01/title-12/part-1024",
        "/current",
        "/current/title-0",
        "/current/title-123/part-1",
        "/current/title-12/part-1024/part-1026",
        "/current/title-12/section-37",
        "/current/title-12/subpart-A",
        "/current/title-12/appendix-A",
        "/current/title-12/part-1024/subject-group-ECFR0",
        "/current/title-12/part-1024/anything",
        "/current/title-12/part-1024?compare=2024-01-01",
        "/on/yesterday/title-12/part-1024",
        "/cgi-bin/text-idx?tpl=/index.tpl",
        "/cgi-bin/text-idx?node=12:8.0.2.13",
        "/cgi-bin/text-idx?node=se12.9.1026",
        "/cgi-bin/text-idx?node=pt12.9.1026.c",
        "/sitemaps/sitemap.xml.gz",
        "/robots.txt",
    ],
)
def test_ecfr_url_outside_cfr_is_not_served(path: str) -> None:
    assert not has_official_api(ECFR + path)
    assert permitted_by_documentation(ECFR + path) is None


def test_ecfr_text_needs_day_of_title_and_amendments_first() -> None:
    url = f"{ECFR}/current/title-12/section-1024.37"
    titles = ask(url, {})
    assert (titles.url, titles.shared) == (f"{ECFR_API}/titles.json", True)
    versions = ask(url, {"titles": "known", "title-12": "2026-11-19"})
    assert versions.url == (
        f"{ECFR_API}/versions/title-12.json?issue_date%5Blte%5D=2026-11-19&part=1024&section=1024.37"
    )
    assert not versions.needed
    assert ask(url).names_page


def test_ecfr_title_without_day_is_missing() -> None:
    with pytest.raises(PageNotFound):
        ask(f"{ECFR}/current/title-35/part-1")


# --- eCFR: what answers mean -----------------------------------------------------------------------------------------


def learnt(answer: object, step_of: Mapping[str, str]) -> dict[str, str]:
    url = f"{ECFR}/current/title-12/part-1024"
    publisher = official_api_for(url)
    assert publisher is not None
    return publisher.learn(ask(url, step_of), json.dumps(answer).encode())


def amended(answer: object) -> str:
    return learnt(answer, {"titles": "known", "title-12": "2026-11-19"})["amended"]


def test_ecfr_days_of_all_titles_are_learnt_at_once() -> None:
    titles = [{"number": 12, "up_to_date_as_of": "2026-11-19"}, {"number": 35, "up_to_date_as_of": None}]
    assert learnt({"titles": titles}, {}) == {"titles": "known", "title-12": "2026-11-19"}


@cases("answer", [{}, {"titles": []}, {"titles": "none"}, {"error": "down"}, [], "text", None])
def test_ecfr_invalid_titles_list_is_refused(answer: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        learnt(answer, {})


def test_ecfr_last_amendment_is_newest_of_all() -> None:
    days = [{"amendment_date": day} for day in ("2017-01-01", "2024-03-01", "2020-01-01")]
    assert amended({"content_versions": days}) == "2024-03-01"
    more = {"latest_amendment_date": "2025-06-01", "total_pages": "2"}
    assert amended({"content_versions": days, "meta": more}) == "2025-06-01"


@pytest.mark.parametrize("answer", [{"content_versions": []}, {"content_versions": [{"amendment_date": 7}]}, {}, []])
def test_ecfr_without_amendments_has_no_date(answer: object) -> None:
    assert amended(answer) == ""


STRUCTURE: dict[str, Any] = {
    "type": "title",
    "identifier": "12",
    "label": "Title 12—Banks & Banking",
    "children": [
        {
            "type": "chapter",
            "identifier": "X",
            "label": " Chapter X—Bureau",
            "children": [
                {"type": "part", "identifier": "1024", "label": "Part 1024—<X>", "children": [{"type": "section"}]},
                {"type": "part", "identifier": "1025", "label": "Part 1025 [Reserved]", "reserved": True},
            ],
        }
    ],
}


@pytest.mark.parametrize("path", ["/current/title-12", "/current/title-12/chapter-X"])
def test_ecfr_table_of_contents_links_parts_with_text(path: str) -> None:
    place = parse_cfr_url(ECFR + path)
    assert place is not None
    page = render_contents(json.dumps(STRUCTURE).encode(), place)
    assert '<a href="/current/title-12/chapter-X/part-1024">Part 1024—&lt;X&gt;</a>' in page
    assert "part-1025" not in page
    assert "<li>Part 1025 [Reserved]" in page


def test_ecfr_chapter_missing_in_title_is_not_found() -> None:
    place = parse_cfr_url(f"{ECFR}/current/title-12/chapter-XI")
    assert place is not None
    with pytest.raises(PageNotFound):
        render_contents(json.dumps(STRUCTURE).encode(), place)
    with pytest.raises(ValueError, match="not the structure"):
        render_contents(json.dumps(STRUCTURE | {"identifier": "24"}).encode(), place)


# --- the Federal Register --------------------------------------------------------------------------------------------

RULE = {
    "document_number": "2014-25503",
    "publication_date": "2014-11-03",
    "html_url": f"{FR}/documents/2014/11/03/2014-25503/rule",
    "full_text_xml_url": f"{FR}/documents/full_text/xml/2014/11/03/2014-25503.xml",
}


@cases(
    "path",
    [
        "/documents/2014/11/03/2014-25503/amendments-to-the-2013-mortgage-rules",
        "/documents/2014/11/03/2014-25503",
        "/articles/2014/11/03/2014-25503/amendments",
        "/d/2014-25503",
        "/d/2014-25503/p-12",
    ],
)
def test_federal_register_document_is_requested_by_number_then_text(path: str) -> None:
    first = ask(FR + path, {})
    assert (first.url, first.names_page) == (f"{FR_API}/documents/2014-25503.json", True)
    then = ask(FR + path, {"document": json.dumps(RULE)})
    assert (then.url, then.last) == (RULE["full_text_xml_url"], True)
    assert not then.names_page  # its 404 would not say that the document is gone


@cases(
    "path",
    [
        "/",
        "/documents/2014/11/03",
        "/documents/current",
        "/citation/79-FR-65299",
        "/public-inspection/current",
        "/agencies",
        "/documents/search?fields[]=title",
        "/reader-aids/recent-updates",
    ],
)
def test_federal_register_document_unknown_to_api_is_not_served(path: str) -> None:
    assert not has_official_api(FR + path)


def test_federal_register_text_is_requested_only_at_origin_of_api() -> None:
    for named in ("https://elsewhere.example/documents/full_text/xml/a.xml", f"{FR}/my/account", None):
        with pytest.raises(NoFullText):
            ask(f"{FR}/d/2014-25503", {"document": json.dumps(RULE | {"full_text_xml_url": named})})


def test_federal_register_other_document_is_refused() -> None:
    url = f"{FR}/documents/2014/11/03/2014-25503/rule"
    for other in ({"document_number": "2014-1"}, {"publication_date": "2009-11-03"}):
        with pytest.raises(ValueError, match="another"):
            ask(url, {"document": json.dumps(RULE | other)})


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (
            "/agencies/consumer-financial-protection-bureau?page=2",
            "conditions%5Bagencies%5D%5B%5D=consumer-financial-protection-bureau&order=newest&per_page=1000",
        ),
        (
            "/documents/search?conditions%5Bterm%5D=mortgage&order=relevant",
            "conditions%5Bterm%5D=mortgage&order=newest&per_page=1000",
        ),
        (
            "/api/v1/documents.json?conditions[cfr][title]=12&conditions[cfr][part]=1026&order=oldest&per_page=20",
            "conditions%5Bcfr%5D%5Btitle%5D=12&conditions%5Bcfr%5D%5Bpart%5D=1026&order=oldest&per_page=20",
        ),
        ("/api/v1/documents?per_page=5000&fields[]=title", "order=newest&per_page=1000"),
    ],
)
def test_federal_register_search_requests_conditions_and_fields(path: str, query: str) -> None:
    search = parse_search(FR + path)
    assert search is not None
    assert search.url(FR_API).startswith(f"{FR_API}/documents.json?{query}&fields%5B%5D=abstract&")
    assert "fields%5B%5D=full_text_xml_url" in search.url(FR_API)


def test_federal_register_other_urls_are_not_searches() -> None:
    for path in ("/api/v1/documents/2014-25503.json", "/api/v1/agencies", "/documents/search?fields[]=title", "/"):
        assert parse_search(FR + path) is None
    assert parse_search("https://elsewhere.example/api/v1/documents.json") is None


@pytest.mark.parametrize(("order", "bound"), [("newest", "lte"), ("oldest", "gte")])
def test_federal_register_search_beyond_api_limit_continues_by_days(order: str, bound: str) -> None:
    search = parse_search(f"{FR}/api/v1/documents.json?conditions[term]=a&order={order}")
    assert search is not None
    further = search.beyond("2020-01-02").beyond("2019-01-02")
    assert further.conditions[-1] == (f"conditions[publication_date][{bound}]", "2019-01-02")
    assert len(further.conditions) == 2


def test_federal_register_answer_names_documents_and_next_page() -> None:
    answer = {"count": 3, "results": [RULE], "next_page_url": f"{FR}/api/v1/documents?conditions%5Bterm%5D=a&page=2"}
    found = parse_document_page(json.dumps(answer).encode(), FR_API)
    assert (found.count, len(found.documents)) == (3, 1)
    assert found.next_url == f"{FR_API}/documents.json?conditions%5Bterm%5D=a&page=2"
    assert parse_document_page(b'{"count": 0}', FR_API).next_url is None
    for other in (b"{}", b'{"count": 2}', b'{"count": "2", "results": []}', b"[]"):
        with pytest.raises(ValueError, match=r"."):
            parse_document_page(other, FR_API)


def test_federal_register_document_is_identified_by_path_or_number() -> None:
    assert document_path(RULE) == "/documents/2014/11/03/2014-25503/rule"
    assert document_path(RULE | {"html_url": f"{FR}/my/account"}) == "/d/2014-25503"
    assert document_path({"html_url": RULE["html_url"]}) is None


def test_federal_register_without_xml_uses_html_then_plain_text() -> None:
    text = f"{FR}/documents/full_text/text/2014/11/03/2014-25503.txt"
    old = RULE | {"full_text_xml_url": None, "body_html_url": None, "raw_text_url": text}
    assert ask(f"{FR}/d/2014-25503", {"document": json.dumps(old)}).url == text
    old |= {"raw_text_url": text.replace("25503", "25504")}
    with pytest.raises(ValueError, match="of 2014-25503 is that of another document"):
        ask(f"{FR}/d/2014-25503", {"document": json.dumps(old)})


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        f"{ECFR_API}/titles.json",
        f"{FR_API}/documents.json?per_page=20&order=newest",
        f"{FR}/documents/full_text/xml/2014/11/03/2014-25503.xml",
    ],
)
def test_official_api_url_is_requested_unchanged(url: str) -> None:
    assert ask(url, {}).url == url
    assert ask(url, {}).last


def test_official_permission_cites_documentation_of_publisher() -> None:
    assert permitted_by_documentation(f"{ECFR}/current/title-12/part-1024") == f"{ECFR}/developers/documentation/api/v1"
    assert permitted_by_documentation(f"{FR}/d/2014-25503") == f"{FR}/developers/documentation/api/v1"
    for url in ("https://ecfr.gov.example/current/title-12/part-1024", "https://www.consumerfinance.gov/d/2014-25503"):
        assert permitted_by_documentation(url) is None


def test_official_page_is_rebuilt_from_received_bytes() -> None:
    structure, chapter = json.dumps(STRUCTURE).encode(), f"{ECFR}/current/title-12/chapter-X"
    publisher = official_api_for(chapter)
    assert publisher is not None
    made = publisher.page(chapter, structure, "application/json", KNOWN)
    assert made.raw == structure
    assert restore_page(OFFICIAL, structure, "text/html", chapter) == (made.body, made.content_type)
    xml = (b"<DIV5/>", "application/xml")
    assert restore_page(OFFICIAL, *xml, f"{ECFR}/current/title-12/part-1024") == xml


def test_official_hosts_are_fenced_to_api_and_http() -> None:
    wikis = Catalog([load_packaged("wikis")])  # which says nothing of them
    for publisher in OFFICIAL_APIS:
        for host in publisher.hosts:
            assert wikis.rules(host).tiers == ("official", "http")

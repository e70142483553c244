"""The built site: reproducible, faithful to the XML, and furnished like the pages of an agency."""

from __future__ import annotations

import gzip
import io
import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import urljoin

import pytest
from lxml import etree, html
from pypdf import PdfReader

from rori_spiders.terminal.demo.working_copy import packaged_site
from tests.support.cases import cases
from tools.demo_site import __main__ as build
from tools.demo_site import gpo_xml
from tools.demo_site.site import BLOCKED, GONE, MISSING, build_site_files

SOURCES = Path(build.__file__).parent / "sources"
SITE = packaged_site()
PAGES = sorted(name for name in SITE if name.endswith("index.html"))
PARTS = {"1006": "CFR-2012-title12-vol8-part1006", "1007": "CFR-2012-title12-vol8-part1007"}


def main_of(name: str) -> html.HtmlElement:
    return next(html.fromstring(SITE[name].decode()).iter("main"))


def found(page: html.HtmlElement, path: str) -> list[str]:
    """The attribute values or texts at *path*."""
    values = page.xpath(path)
    assert isinstance(values, list)
    return [str(value) for value in values]


def links_of(name: str) -> list[str]:
    """Where the links of a page lead, without fragments."""
    hrefs = found(html.fromstring(SITE[name].decode()), "//a/@href")
    return [urljoin(f"/{name.removesuffix('index.html')}", href).partition("#")[0] for href in hrefs]


def words_of(element: html.HtmlElement | etree._Element) -> list[str]:
    return " ".join(map(str, element.itertext())).split()


def test_demo_build_equals_packaged_site() -> None:
    built = build_site_files()
    assert sorted(built) == sorted(SITE)
    assert [name for name in built if built[name] != SITE[name]] == [], "run python -m tools.demo_site again"


def test_demo_build_is_deterministic() -> None:
    assert build_site_files() == build_site_files()


def test_demo_build_command_writes_site_once(tmp_path: Path) -> None:
    out = tmp_path / "site"
    assert build.main([str(out)]) == 0
    assert {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()} == set(SITE)
    assert build.main([str(out)]) == 2
    assert build.main([]) == 2


def test_demo_build_size_is_bounded() -> None:
    assert len(PAGES) >= 15
    assert sum(map(len, SITE.values())) < 1_500_000


def test_demo_build_sources_are_those_of_readme() -> None:
    readme = (SOURCES / "README.md").read_text(encoding="utf-8")
    named = dict(re.findall(r"`([\w-]+\.xml\.gz)`.*`([0-9a-f]{64})`", readme))
    there = {path.name: sha256(gzip.decompress(path.read_bytes())).hexdigest() for path in SOURCES.glob("*.xml.gz")}
    assert there == named


@pytest.mark.parametrize("number", PARTS)
def test_demo_build_sections_keep_every_word_of_xml(number: str) -> None:
    part = gpo_xml.read_part(PARTS[number])
    assert part.number == number
    for leaf in part.leaves:
        page = main_of(f"rules-policy/regulations/{number}/{leaf.key}/index.html")
        shown = "".join(words_of(page))
        texts = [element for element in leaf.body if element.tag != "EAR"]  # EAR: the running head of the printed page
        assert [text for element in texts if (text := "".join(words_of(element))) not in shown] == []
        assert page.xpath("string(h1)") == leaf.heading


def test_demo_build_register_document_keeps_every_paragraph() -> None:
    root = gpo_xml.read_document("FR-2014-18838").root
    (name,) = [name for name in PAGES if "2014-18838" in name]
    shown = "".join(words_of(main_of(name)))
    assert [text for p in root.iter("P") if (text := "".join(words_of(p))) not in shown] == []


def test_demo_build_joined_words_are_split() -> None:
    (name,) = [name for name in PAGES if "2013-27337" in name]
    text = " ".join(words_of(main_of(name)))
    assert "published in the Federal Register . See the" in text
    assert re.search(r"\w(Federal Register|SUPPLEMENTARY)", text) is None


def test_demo_build_paragraphs_have_levels() -> None:
    page = main_of("rules-policy/regulations/1007/103/index.html")
    levels = {p.get("id"): p.get("class") for p in page.iter("p") if p.get("id")}
    assert levels["b-1-ii-A"] == "level-4"
    assert levels["d-1-i"] == "level-3"
    assert levels["d-1-v-A"] == "level-4"


@cases("name", PAGES)
def test_demo_build_ids_are_unique(name: str) -> None:
    ids = found(html.fromstring(SITE[name].decode()), "//@id")
    assert len(ids) == len(set(ids))


def test_demo_build_table_keeps_every_cell() -> None:
    part = gpo_xml.read_part("CFR-2012-title12-vol8-part1024")
    entries = [gpo_xml.text_of(entry) for element in part.leaf("e").body for entry in element.iter("ENT")]
    page = main_of("rules-policy/regulations/1024/e/index.html")
    assert len(page.xpath(".//table")) == 6
    assert ["".join(words_of(cell)) for cell in page.xpath(".//tbody//th | .//tbody//td")] == [
        "".join(entry.split()) for entry in entries
    ]


def test_demo_build_table_headings_span_their_columns() -> None:
    for table in main_of("rules-policy/regulations/1024/e/index.html").xpath(".//table"):
        columns = len(table.xpath("./tbody/tr[1]/*"))
        assert sum(int(cell.get("colspan", "1")) for cell in table.xpath("./thead/tr[1]/th")) == columns
        assert {len(row) for row in table.xpath("./tbody/tr")} == {columns}


def test_demo_build_internal_links_resolve() -> None:
    refused = {GONE, MISSING, BLOCKED, "/search/"}
    paths = {f"/{name.removesuffix('index.html')}" for name in SITE}
    inside = {(name, link) for name in PAGES for link in links_of(name) if not re.match(r"[a-z]+:", link)}
    assert [(name, link) for name, link in inside if link not in paths | refused] == []


def test_demo_build_disallowed_pages_are_linked() -> None:
    links = {link for name in PAGES for link in links_of(name)}
    assert {GONE, MISSING, BLOCKED, "/drafts/regulations/1007/106/"} <= links


def test_demo_build_pages_have_boilerplate_of_their_kind() -> None:
    for name in PAGES:
        page = html.fromstring(SITE[name].decode())
        assert page.xpath("//a[@class='skip-link']")
        assert page.xpath("//section[@class='gov-banner']")
        assert page.xpath("//form[@role='search']")
        assert page.xpath("//footer")
        assert page.xpath("//div[@class='cookie-notice']")
        assert page.xpath("//p[@class='page-stamp']")
        assert page.xpath("string(//link[@rel='canonical']/@href)") == (
            f"http://127.0.0.1:8799/{name.removesuffix('index.html')}"
        )
        named = set(found(page, "//meta/@name"))
        assert {"description", "author", "robots", "dcterms.issued", "dcterms.modified"} <= named
        assert "og:title" in found(page, "//meta/@property")


def test_demo_build_part_with_sitemap_has_clocks() -> None:
    clocks = {name for name in PAGES if b'<!--#echo var="CLOCK"-->' in SITE[name]}
    assert clocks == {name for name in PAGES if "/1007/" in name and not name.startswith("drafts/")} | {"index.html"}


def test_demo_build_sitemaps_are_named_in_robots() -> None:
    robots = SITE["robots.txt"].decode()
    assert "Disallow: /drafts/" in robots
    assert "Crawl-delay" not in robots
    assert "Sitemap: http://127.0.0.1:8799/sitemap.xml" in robots
    name = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
    index = [loc.text for loc in etree.fromstring(SITE["sitemap.xml"]).iter(name)]
    assert index == ["http://127.0.0.1:8799/sitemaps/regulation-g.xml"]
    listed = [str(loc.text) for loc in etree.fromstring(SITE["sitemaps/regulation-g.xml"]).iter(name)]
    assert len(listed) == len(set(listed)) == 8
    assert f"http://127.0.0.1:8799{GONE}" in listed


def test_demo_build_pdf_is_text_of_its_page() -> None:
    (pdf,) = [name for name in SITE if name.endswith(".pdf")]
    reader = PdfReader(io.BytesIO(SITE[pdf]), strict=True)
    text = "".join("".join(page.extract_text().split()) for page in reader.pages)
    main = main_of(f"{pdf.rpartition('/')[0]}/index.html")
    page_numbers = re.compile(r"-[1-9]-")
    shown = page_numbers.sub("", text)
    paragraphs = ["".join(words_of(p)) for p in main.xpath("./p | ./div/p")][:-1]
    assert [paragraph for paragraph in paragraphs if page_numbers.sub("", paragraph) not in shown] == []
    assert reader.metadata is not None
    assert reader.metadata.title == main.xpath("string(h1)")


def test_demo_build_xml_is_unchanged() -> None:
    for name in PARTS.values():
        assert SITE[f"data/{name}.xml"] == gpo_xml.read_source(name)


def test_demo_build_nothing_is_restricted() -> None:
    """Build rules of git and Python packaging that would drop files must not match any of the site's."""
    assert [name for name in SITE if re.search(r"(^|/)(build|dist|collect|__pycache__)/", name)] == []

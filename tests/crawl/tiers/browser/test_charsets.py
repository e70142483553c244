"""Charsets that servers name wrongly or not at all: what plain HTTP read rightly stays so behind the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

WEST = "§ 1024.5 “Coverage” – the café’s naïve Ünïon pays 3,500 € each year"
JAPAN = "第5条 この法律は三千円を超えてはならない。"
CHINA = "第五条 不得超过 3,500 元，镕基"
RUSSIA = "Статья 5. Не более 3500 рублей"
KOREA = "제5조 3,500원을 초과하지 아니한다"
#: The text, its bytes' charset, the header's, the meta tag's ("": none), and a BOM.
PAGES: dict[str, tuple[str, str, str, str, bytes]] = {
    "latin1-header": (WEST, "utf-8", "iso-8859-1", "", b""),
    "1252-header": (WEST, "utf-8", "windows-1252", "utf-8", b""),
    "1251-header": (WEST, "utf-8", "windows-1251", "", b""),
    "ascii-header": (WEST, "utf-8", "us-ascii", "", b""),
    "latin1-meta": (WEST, "utf-8", "", "iso-8859-1", b""),
    "header-beats-meta": (WEST, "cp1252", "windows-1252", "utf-8", b""),
    "1252-as-utf8": (WEST, "cp1252", "utf-8", "", b""),
    "1252-as-utf8-meta": (WEST, "cp1252", "", "utf-8", b""),
    "1252-undeclared": (WEST, "cp1252", "", "", b""),
    "1252-as-latin1": (WEST, "cp1252", "iso-8859-1", "", b""),
    "bom-other-header": (WEST, "utf-8", "windows-1252", "windows-1252", b"\xef\xbb\xbf"),
    "unknown-charset": (WEST, "utf-8", "x-agency", "", b""),
    "python-codec": (WEST, "utf-8", "unicode_escape", "", b""),
    "utf16-meta": (WEST, "utf-8", "", "utf-16", b""),
    "utf16le-no-bom": (WEST, "utf-16-le", "", "", b""),
    "utf16be-no-bom": (WEST, "utf-16-be", "", "", b""),
    "utf16-bom": (WEST, "utf-16-le", "utf-8", "", b"\xff\xfe"),
    "utf16-header-utf8": (WEST, "utf-8", "utf-16", "", b""),
    "iso2022jp": (JAPAN, "iso2022_jp", "iso-2022-jp", "", b""),
    "iso2022jp-undeclared": (JAPAN, "iso2022_jp", "", "", b""),
    "shift-jis-meta": (JAPAN, "cp932", "", "shift_jis", b""),
    "gb18030": (CHINA, "gb18030", "gb2312", "", b""),
    "koi8": (RUSSIA, "koi8-r", "", "koi8-r", b""),
    "euc-kr": (KOREA, "cp949", "euc-kr", "", b""),
}


def served(text: str, charset: str, meta: str, bom: bytes, *, repeat: int) -> bytes:
    tag = f'<meta charset="{meta}">' if meta else ""
    body = "".join(f"<p>{number}: {text}.</p>" for number in range(repeat))
    html = f"<!DOCTYPE html><html lang=en><head>{tag}<title>Rule</title></head><body><main>{body}</main></body></html>"
    return bom + html.encode(charset)


def content_type(charset: str) -> str:
    return f"text/html; charset={charset}" if charset else "text/html"


def bodies_by_path(crawl_output: CrawlOutput) -> dict[str, str]:
    staged = crawl_output.envelopes()
    return {one["source"]["url"].rpartition("/")[2]: one["content"]["body"] for one in staged}


def test_charsets_that_servers_name_wrongly_are_read_rightly(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", "<main>" + "".join(f"<p><a href='/{name}'>{name}</a> of rules</p>" for name in PAGES) + "</main>")
    for name, (text, charset, header, meta, bom) in PAGES.items():
        site.page(f"/{name}", served(text, charset, meta, bom, repeat=9), content_type=content_type(header))
    config = {"min_content_chars": 20, "sitemaps": []}
    project.manifest([source("a", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
    project.scrapy("collect", "--force", env={"RORI_TIERS": "http"})
    bodies = bodies_by_path(crawl_output)
    wrong = [name for name, (text, *_) in PAGES.items() if f"8: {text}." not in bodies.get(name, "")]
    assert not wrong, {name: bodies.get(name, "")[:120] for name in wrong}


def test_charsets_of_pages_that_the_browser_asks_first_are_read_from_their_bytes(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", "<main>" + "".join(f"<p><a href='/{name}'>{name}</a> of rules</p>" for name in PAGES) + "</main>")
    for name, (text, charset, header, meta, bom) in PAGES.items():
        site.page(f"/{name}", served(text, charset, meta, bom, repeat=9), content_type=content_type(header))
    config = {"min_content_chars": 20, "sitemaps": [], "browser_budget": 99}
    project.manifest([source("a", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
    project.scrapy("collect", "--force", env={"RORI_TIERS": "browser", "RORI_CHROMIUM": QUICK_CHROMIUM})
    bodies = bodies_by_path(crawl_output)
    wrong = [name for name, (text, *_) in PAGES.items() if f"8: {text}." not in bodies.get(name, "")]
    assert not wrong, {name: bodies.get(name, "")[:120] for name in wrong}


def test_charsets_of_short_pages_go_with_them_to_the_browser(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    names = ("latin1-header", "1252-as-utf8", "utf16le-no-bom")
    for name in names:
        text, charset, header, meta, bom = PAGES[name]
        site.page(f"/{name}", served(text, charset, meta, bom, repeat=6), content_type=content_type(header))
    sources = [source(f"s{number}", site.at(f"/{name}")) for number, name in enumerate(names)]
    project.manifest(sources, delay_s=0.02)
    project.scrapy("collect", "--force", env={"RORI_TIERS": "http,browser", "RORI_CHROMIUM": QUICK_CHROMIUM})
    bodies = bodies_by_path(crawl_output)
    for name in names:
        assert f"5: {PAGES[name][0]}." in bodies[name]
        [row] = crawl_output.rows("SELECT attempts FROM audit WHERE kind = 'page' AND url = ?", site.at(f"/{name}"))
        assert "same_rendered" in row["attempts"]

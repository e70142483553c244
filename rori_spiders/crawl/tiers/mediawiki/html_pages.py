"""A wiki's HTML, for where its api.php is closed: where a title redirects, whether a page is a disambiguation, and
the lists of special pages and categories. Steps: nothing is requested here.  Markup of MediaWiki 1.24 and later,
the same in all languages: https://www.mediawiki.org/wiki/Help:Special_pages and Help:Categories. The next page
of a list is read from the wiki's own links.
"""

import re
from collections.abc import Iterable
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from lxml.html import HtmlElement

from rori_spiders.content.html.tree import parse
from rori_spiders.crawl.tiers.mediawiki.api_answers import query_parameters
from rori_spiders.crawl.tiers.mediawiki.titles import NotAPage, parse_page_url, title_url
from rori_spiders.exceptions import UnreadableDocument
from rori_spiders.urls.canonical import normalise_url, origin_of

_REDIRECTED = re.compile(rb'class="mw-redirectedfrom"|"wgRedirectedFrom":\s*"')
_LINK_TAG = re.compile(rb"<link\s[^>]*")
_CANONICAL = re.compile(rb'\brel="canonical"')
_HREF = re.compile(rb'\bhref="([^"]+)"')
#: Where the title that a redirect leads to redirects itself, its stub is shown.
_STUB_LINK = re.compile(rb'<ul class="redirectText">\s*<li><a [^>]*\bhref="([^"]+)"')
#: From the stub's beginning to the end of its link.
_STUB_BYTES = 4_000
_IS_STUB = re.compile(rb'<div class="redirectMsg">')
#: As wikis in English file and mark them; what other wikis call them nothing in their HTML tells.
_DISAMBIGUATION = re.compile(rb'\bid="disambig(?:box)?"|\bclass="[^"]{0,200}\bdmbox-disambig\b')
_CATEGORIES = re.compile(rb'"wgCategories":\s*\[([^\]]*)')
_DISAMBIGUATION_CATEGORY = re.compile(rb'"(?:All )?(?:[Aa]rticle )?[Dd]isambiguation(?: pages)?"')


#: The head of a page, and the line below its title.
_HEAD_BYTES = 262_144


class PageHtmlFacts(NamedTuple):
    """``leads_to``: the URL of the page that the title redirects to; "" where it does, and nobody can say where to.

    ``is_stub``: what is shown is not a page, but the place where it would be.
    """

    leads_to: str | None
    is_stub: bool
    is_disambiguation: bool


def read_page_html(body: bytes, url: str, prefix: str) -> PageHtmlFacts:
    """What *body*, the page shown at *url*, says."""
    head = body[:_HEAD_BYTES]
    return PageHtmlFacts(
        _redirect_target(head, url, prefix), _IS_STUB.search(head) is not None, _is_disambiguation(body)
    )


def _is_disambiguation(body: bytes) -> bool:
    categories = (found[1] for found in _CATEGORIES.finditer(body))
    return _DISAMBIGUATION.search(body) is not None or any(map(_DISAMBIGUATION_CATEGORY.search, categories))


def _redirect_target(body: bytes, url: str, prefix: str) -> str | None:
    if (stub := _IS_STUB.search(body)) is not None:
        link = _STUB_LINK.search(body, stub.end(), stub.end() + _STUB_BYTES)
        return _resolve_page_link(link, url, prefix) or ""
    if _REDIRECTED.search(body) is None:
        return None
    return _resolve_page_link(_canonical_link(body), url, prefix)


def _canonical_link(body: bytes) -> re.Match[bytes] | None:
    """The address of the first canonical link: of several in one tag, the last."""
    for tag in _LINK_TAG.finditer(body):
        if (canonical := _CANONICAL.search(body, *tag.span())) is not None:
            links = list(_HREF.finditer(body, canonical.end(), tag.end()))
            if links:
                return links[-1]
    return None


def _resolve_page_link(link: re.Match[bytes] | None, url: str, prefix: str) -> str | None:
    """The page that a link names, as its wiki's pages are known to us; the link's own host says nothing of ours."""
    if link is None:
        return None
    try:
        reference = parse_page_url(urljoin(url, unescape(link[1].decode("utf-8", "replace"))), prefix)
        return (
            normalise_url(title_url(reference.value, url, prefix))
            if reference is not None and reference.by == "page"
            else None
        )
    except (NotAPage, ValueError):
        return None


# Lists of special pages and categories. No next page is asked for that the list does not show.


def _class_predicate(name: str) -> str:
    return f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"


_CHUNKS = "//*[self::ul or self::table][{}]".format(
    " or ".join(
        _class_predicate(name)[1:-1]
        for name in ("mw-allpages-chunk", "mw-allpages-table-chunk", "mw-prefixindex-list", "mw-prefixindex-list-table")
    )
)
_ENTRIES = f"{_CHUNKS}//*[self::li or self::td]"
_NEXT_LINKS = (
    f"//*[{_class_predicate('mw-allpages-nav')[1:-1]} or {_class_predicate('mw-prefixindex-nav')[1:-1]}]//a/@href"
)
_CATEGORY = f"//div{_class_predicate('mw-category-generated')} | //div[@id='mw-pages'] | //div[@id='mw-subcategories']"
#: Parts of a category's page, and the parameter by which each goes on.
_PAGES, _SUBCATEGORIES = ("mw-pages", "pagefrom"), ("mw-subcategories", "subcatfrom")


class HtmlList(NamedTuple):
    """The titles of pages and sub-categories on one page; ``more``: the URLs of its continuation."""

    pages: tuple[str, ...]
    categories: tuple[str, ...]
    more: tuple[str, ...]


def category_page_url(title: str, like: str, prefix: str, *, apart_from_page: bool = False) -> str:
    """The page of a category; *apart_from_page*: as another address than the one at which its own text is collected."""
    url = title_url(title, like, prefix)
    return _add_query(url, {"pagefrom": ""}) if apart_from_page else url


def all_pages_url(number: int, begins: str | None, like: str, prefix: str) -> str:
    """The list of a namespace's pages, without redirects; *begins*: only titles that begin so."""
    query = {"namespace": str(number), "hideredirects": "1"}
    if begins is None:
        return _add_query(title_url("Special:AllPages", like, prefix), query)
    return _add_query(title_url("Special:PrefixIndex", like, prefix), {"prefix": begins, **query})


def _add_query(url: str, query: dict[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"


def describe_html_list(url: str) -> str:
    """What *url* lists, for people."""
    query = query_parameters(url)
    if "hideredirects" in query:
        begins = f" that begin with {query['prefix']!r}" if "prefix" in query else ""
        return f"the pages of namespace {query.get('namespace', '0')}{begins}"
    return f"the members of {category_of_page(url) or url}"


def category_of_page(url: str) -> str | None:
    """The category that *url* lists, with its ``Category:``."""
    reference = None if "hideredirects" in query_parameters(url) else parse_page_url(url)
    return None if reference is None else reference.value


def is_first_all_pages_url(url: str) -> bool:
    """Whether *url* is where the list of a namespace, or of a prefix, begins."""
    query = query_parameters(url)
    return "hideredirects" in query and "from" not in query


def list_key(url: str) -> str:
    """What all addresses of one list share: of a category its pages and its sub-categories go on apart."""
    at = query_parameters(url)
    part = next((name for _, name in (_PAGES, _SUBCATEGORIES) if at.get(name)), "")
    return f"{describe_html_list(url)}/{part}"


def read_html_list(body: bytes, url: str, prefix: str, is_deep: bool) -> HtmlList:
    """What the page at *url* names; *is_deep*: sub-categories count. Raises ValueError for what shows no such list."""
    try:
        root = parse(body.decode("utf-8", "replace"))
    except UnreadableDocument as error:
        raise ValueError(str(error)) from error
    if root.xpath(_CHUNKS):
        titles = _entry_titles(root.xpath(_ENTRIES), url, prefix)
        return HtmlList(titles, (), _all_pages_next_link(root, url, titles))
    if not root.xpath(_CATEGORY):
        raise ValueError("the page has no wiki list")
    below = _entry_titles(root.xpath("//div[@id='mw-subcategories']//li"), url, prefix) if is_deep else ()
    parts = (_PAGES, _SUBCATEGORIES) if is_deep else (_PAGES,)
    # A page on which one part has gone on shows the other from its beginning again.
    here = [part for part in parts if query_parameters(url).get(part[1])] or parts
    more = [link for part in here for link in _category_next_links(root, url, *part)]
    pages = _entry_titles(root.xpath("//div[@id='mw-pages']//li"), url, prefix, with_redirects=True)
    return HtmlList(pages, below, tuple(dict.fromkeys(more)))


def _entry_titles(
    entries: Iterable[HtmlElement], url: str, prefix: str, *, with_redirects: bool = False
) -> tuple[str, ...]:
    """The titles that *entries* link to. Raises ValueError where one of them names nothing: it would be lost."""
    found: list[str] = []
    for entry in entries:
        links = entry.xpath(".//a[@href]")
        is_redirect = "mw-redirect" in "".join(one.get("class", "") for one in (entry, *links))
        if not links and entry.tag == "td" and not entry.text_content().strip():
            continue  # what fills up the last row of a table
        if (is_redirect or "allpagesredirect" in entry.get("class", "")) and not with_redirects:
            continue
        named = [
            title for link in links if (title := _linked_title(urljoin(url, link.get("href")), url, prefix)) is not None
        ]
        if not named:
            raise ValueError(f"an entry of the wiki's list has no page link: {entry.text_content().strip()[:80]!r}")
        found.append(named[0])
    return tuple(dict.fromkeys(found))


def _linked_title(link: str, url: str, prefix: str) -> str | None:
    if urlsplit(link).scheme not in {"http", "https"} or origin_of(link) != origin_of(url):
        return None
    try:
        reference = parse_page_url(link, prefix)
    except NotAPage:
        return None
    return reference.value if reference is not None and reference.by == "page" else None


def _category_next_links(root: HtmlElement, url: str, part: str, name: str) -> list[str]:
    links = (urljoin(url, href) for href in root.xpath(f"//div[@id='{part}']//a/@href"))
    own = query_parameters(url).get(name)
    return [link for link in links if query_parameters(link).get(name, own or "") not in {"", own}]


def _all_pages_next_link(root: HtmlElement, url: str, titles: tuple[str, ...]) -> tuple[str, ...]:
    """The link to what follows; the one to what came before has the same form: it names an earlier title."""
    links = dict.fromkeys(urljoin(url, href) for href in root.xpath(_NEXT_LINKS))
    links = {link: None for link in links if query_parameters(link).get("from")}
    last = max((_title_sort_key(_strip_namespace(title, url)) for title in titles), default=b"")
    later = [link for link in links if _title_sort_key(query_parameters(link)["from"]) > last]
    if links and not later and not query_parameters(url).get("from"):
        raise ValueError("the list continues, but its next page cannot be found")
    return tuple(later[:1])


def _strip_namespace(title: str, url: str) -> str:
    return title if query_parameters(url).get("namespace", "0") == "0" else title.partition(":")[2]


def _title_sort_key(title: str) -> bytes:
    """Titles in the order in which wikis list them: by the bytes of their names with underscores."""
    return title.replace(" ", "_").encode()

"""Lists of a wiki's pages as it shows them to people: for where its api.php is closed. Steps; nothing is asked.

https://www.mediawiki.org/wiki/Help:Special_pages and Help:Categories, in the markup of MediaWiki 1.24 and later, which
is the same in all languages. Where a list goes on is read off the wiki's own links: none is asked for that it does not
show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from rori_spiders.content.tree import parse
from rori_spiders.exceptions import UnreadableDocument
from rori_spiders.urls import origin_of
from rori_spiders.wikis.query import asked_in
from rori_spiders.wikis.titles import NotAPage, asked_by, url_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement


def _of_class(name: str) -> str:
    return f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"


_CHUNKS = "//*[self::ul or self::table][{}]".format(
    " or ".join(
        _of_class(name)[1:-1]
        for name in ("mw-allpages-chunk", "mw-allpages-table-chunk", "mw-prefixindex-list", "mw-prefixindex-list-table")
    )
)
_ENTRIES = f"{_CHUNKS}//*[self::li or self::td]"
_ONWARD = f"//*[{_of_class('mw-allpages-nav')[1:-1]} or {_of_class('mw-prefixindex-nav')[1:-1]}]//a/@href"
_CATEGORY = f"//div{_of_class('mw-category-generated')} | //div[@id='mw-pages'] | //div[@id='mw-subcategories']"
#: Parts of a category's page, and the parameter by which each goes on.
_PAGES, _BELOW = ("mw-pages", "pagefrom"), ("mw-subcategories", "subcatfrom")


class Shown(NamedTuple):
    """What one page names: titles of pages and of sub-categories; ``more``: the addresses at which it goes on."""

    pages: tuple[str, ...]
    categories: tuple[str, ...]
    more: tuple[str, ...]


def category_url(title: str, like: str, prefix: str, *, beside_its_page: bool = False) -> str:
    """The page of a category; *beside_its_page*: as another address than the one at which its own text is collected."""
    url = url_of(title, like, prefix)
    return _with(url, {"pagefrom": ""}) if beside_its_page else url


def namespace_url(number: int, begins: str | None, like: str, prefix: str) -> str:
    """The list of a namespace's pages, without redirects; *begins*: only titles that begin so."""
    asked = {"namespace": str(number), "hideredirects": "1"}
    if begins is None:
        return _with(url_of("Special:AllPages", like, prefix), asked)
    return _with(url_of("Special:PrefixIndex", like, prefix), {"prefix": begins, **asked})


def _with(url: str, query: dict[str, str]) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"


def words(url: str) -> str:
    """What *url* lists, for people."""
    query = asked_in(url)
    if "hideredirects" in query:
        begins = f" that begin with {query['prefix']!r}" if "prefix" in query else ""
        return f"the pages of namespace {query.get('namespace', '0')}{begins}"
    return f"the members of {category_of(url) or url}"


def category_of(url: str) -> str | None:
    """The category that *url* lists, with its ``Category:``."""
    asked = None if "hideredirects" in asked_in(url) else asked_by(url)
    return None if asked is None else asked.value


def is_of_namespace(url: str) -> bool:
    """Whether *url* is where the list of a namespace, or of a prefix, begins."""
    query = asked_in(url)
    return "hideredirects" in query and "from" not in query


def chain_of(url: str) -> str:
    """What all addresses of one list share: of a category its pages and its sub-categories go on apart."""
    at = asked_in(url)
    part = next((name for _, name in (_PAGES, _BELOW) if at.get(name)), "")
    return f"{words(url)}/{part}"


def read(body: bytes, url: str, prefix: str, is_deep: bool) -> Shown:
    """What the page at *url* names; *is_deep*: sub-categories count. Raises ValueError for what shows no such list."""
    try:
        root = parse(body.decode("utf-8", "replace"))
    except UnreadableDocument as error:
        raise ValueError(str(error)) from error
    if root.xpath(_CHUNKS):
        titles = _titles(root.xpath(_ENTRIES), url, prefix)
        return Shown(titles, (), _onward(root, url, titles))
    if not root.xpath(_CATEGORY):
        raise ValueError("the page shows no list of a wiki")
    below = _titles(root.xpath("//div[@id='mw-subcategories']//li"), url, prefix) if is_deep else ()
    parts = (_PAGES, _BELOW) if is_deep else (_PAGES,)
    # A page on which one part has gone on shows the other from its beginning again.
    here = [part for part in parts if asked_in(url).get(part[1])] or parts
    more = [link for part in here for link in _goes_on(root, url, *part)]
    pages = _titles(root.xpath("//div[@id='mw-pages']//li"), url, prefix, with_redirects=True)
    return Shown(pages, below, tuple(dict.fromkeys(more)))


def _titles(entries: Iterable[HtmlElement], url: str, prefix: str, *, with_redirects: bool = False) -> tuple[str, ...]:
    """The titles that *entries* link to. Raises ValueError where one of them names nothing: it would be lost."""
    found: list[str] = []
    for entry in entries:
        links = entry.xpath(".//a[@href]")
        is_redirect = "mw-redirect" in "".join(one.get("class", "") for one in (entry, *links))
        if not links and entry.tag == "td" and not entry.text_content().strip():
            continue  # what fills up the last row of a table
        if (is_redirect or "allpagesredirect" in entry.get("class", "")) and not with_redirects:
            continue
        named = [title for link in links if (title := _title(urljoin(url, link.get("href")), url, prefix)) is not None]
        if not named:
            raise ValueError(f"an entry of the wiki's list names no page: {entry.text_content().strip()[:80]!r}")
        found.append(named[0])
    return tuple(dict.fromkeys(found))


def _title(link: str, url: str, prefix: str) -> str | None:
    if urlsplit(link).scheme not in {"http", "https"} or origin_of(link) != origin_of(url):
        return None
    try:
        asked = asked_by(link, prefix)
    except NotAPage:
        return None
    return asked.value if asked is not None and asked.by == "page" else None


def _goes_on(root: HtmlElement, url: str, part: str, name: str) -> list[str]:
    links = (urljoin(url, href) for href in root.xpath(f"//div[@id='{part}']//a/@href"))
    own = asked_in(url).get(name)
    return [link for link in links if asked_in(link).get(name, own or "") not in {"", own}]


def _onward(root: HtmlElement, url: str, titles: tuple[str, ...]) -> tuple[str, ...]:
    """The link to what follows; the one to what came before has the same form: it names an earlier title."""
    links = dict.fromkeys(urljoin(url, href) for href in root.xpath(_ONWARD))
    links = {link: None for link in links if asked_in(link).get("from")}
    last = max((_key(_bare(title, url)) for title in titles), default=b"")
    later = [link for link in links if _key(asked_in(link)["from"]) > last]
    if links and not later and not asked_in(url).get("from"):
        raise ValueError("the list goes on, and it cannot be told where")
    return tuple(later[:1])


def _bare(title: str, url: str) -> str:
    return title if asked_in(url).get("namespace", "0") == "0" else title.partition(":")[2]


def _key(title: str) -> bytes:
    """Titles in the order in which wikis list them: by the bytes of their names with underscores."""
    return title.replace(" ", "_").encode()

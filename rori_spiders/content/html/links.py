"""The links of a page: in page order, absolute, each once."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.html.main_content.lists_in_part import sign_of_rest
from rori_spiders.exceptions import ConversionError
from rori_spiders.urls.canonical import route_of

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
# What templates leave behind when nobody rendered them: no page has such an address.
_UNRENDERED = re.compile(r"\{\{|\}\}|%7B%7B|\$\{|<%|\[\[")
#: A `link` of this kind is what the browser noted of the page.
_FIND_ROUTES = etree.XPath(
    "(//a | //link[@rel='section'])/@href[contains(., '#/') or contains(., '#!/')]", smart_strings=False
)
_ORIGIN = re.compile(r"(https?:)//[a-z0-9.:_@%-]+(?=[/?#]|$)", re.IGNORECASE | re.ASCII)
# With a host of its own a link takes the scheme alone from its base; from the root, scheme and host.
_HAS_HOST = re.compile(r"https?://[^/?#\s\\]", re.IGNORECASE)
_FROM_ROOT = re.compile(r"/[^/\\\s]")
# What joining leaves as it is, but for a fragment: of 110,000 different links of saved pages four in five.
_PLAIN_LINK = re.compile(
    r"((?:https?://[a-z0-9][a-z0-9.-]*(?::\d+)?)?/"
    r"(?:[\w~%-][\w.~%,+()@-]*(?:/(?=[\w~?#%-]|\Z)|(?=[?#]|\Z)))*(?:\?[\w.~/:%,;@+()!?=&-]+)?)(?:#[\w.~/=&-]*)?",
    re.ASCII,
)
_PLAIN_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::\d+)?(?=[/?#]|\Z)")
# Of which nothing is to be cut but the scheme and a port: no user, no fragment, no empty query.
_PLAIN_URL = re.compile(
    r"https?://([a-z0-9][a-z0-9.-]*[a-z0-9])(?::\d{1,5})?(/[\w.~/%+,=-]*(?:\?[\w.~/%+,=&-]+)?)", re.ASCII
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
#: Link types of HTML 4.01 §6.12, and the one that Sphinx and DocBook write.
CONTENTS = {"contents", "toc"}
#: Media types of feeds, in a page's head.
FEEDS = {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
#: Link types by which a head names the pages before, above and below it, of HTML 4.01 and XHTML: `next` apart.
_AROUND = {"prev", "previous", "first", "last", "start", "up", "chapter", "section", "subsection", "appendix"}
#: What a link to the next page of a list says where it has no `rel`, and how such a page's address ends.
_NEXT_TEXTS = {"next", "next page"}
_NUMBERED_PAGE = re.compile(
    r"[?&](?:page|paged|p|pg|pageno|pagenum|start|offset)=\d+(?:[&#]|$)|/page[/-]?\d+/?$", re.IGNORECASE
)
_NEXT_IN_HEADER = re.compile(r"<([^<>]*)>\s*;[^<>]*?\brel\s*=\s*(?:next\b|\"(?:[^\"<>]*\s)?next[\s\"])", re.IGNORECASE)
_PDF = re.compile(r"\.pdf(?:$|[?#])", re.IGNORECASE)
_SCRIPT_SCHEME = re.compile(r"\s{0,9}javascript:", re.IGNORECASE)
_ON_CLICK = etree.XPath("descendant::*/@onclick", smart_strings=False)
_ADDRESS = r"([\"'])(?P<address>[^\"'\s]{1,2000})\1(?!\s{0,9}[+.])"
# Where a script goes. To the DOM any string is an address; what a script joins of parts is not known.
_GOES_TO = re.compile(
    r"(?:\blocation(?:\.href)?\s{0,9}=|\blocation\.(?:assign|replace)\s{0,9}\(|(?:\bwindow\.|(?<![\w.$]))open\s{0,9}\()"
    rf"\s{{0,9}}{_ADDRESS}",
    re.IGNORECASE,
)
# A function of the page's own that is named for windows, as Dreamweaver's and those of agendas are: what it is given
# may be an id, too.
_CALLS = re.compile(
    r"(?:open|popup|window|goto|gotourl|show)\s{0,9}\(\s{0,9}(?:[\"'](?:parent|_?self|_blank|window|document)[\"']\s{0,9},\s{0,9})?"
    rf"(?=.(?:(?:https?:/|\.{{0,2}})/|[\w/-]{{1,200}}\.(?:html?|aspx?|php|pdf|cfm|jsp)\b)){_ADDRESS}",
    re.IGNORECASE,
)
#: What both of them have a word of; most clicks open a menu or send a form.
_GOING = ("location", "open", "popup", "window", "goto", "show")
# The next pages of an ASP.NET GridView: sent back by a form, so that none has an address.
_PAGER = re.compile(r"__doPostBack\(\s{0,9}[\"'][^\"']{1,300}[\"']\s{0,9},\s{0,9}[\"'](Page(?:\$|%24)\w{1,20})[\"']")
#: How the route of such a page begins.
PAGER_ROUTE = "#/Page$"
#: How the route begins that names the rest of a list; by what the page shows that there is more follows.
REST_ROUTE = "#/more/"
_MAX_SIGN_CHARS = 60
#: A choice of a list that is an address, and not a value of its form.
_CHOICE = re.compile(r"(?:https?:/)?/[^/\s]")


class Discovered(NamedTuple):
    """The links of a page.

    ``links`` are absolute, without fragments, in page order, each once; ``nofollow`` holds those of them that the page
    asks robots not to follow (by ``rel`` or by its robots meta); ``next`` and ``canonical`` are absolute, or None.
    ``unrendered``: absolute too, what would be links if a template had been filled in; they are not among ``links``.
    ``routes``: absolute, with what follows ``#``, by which a single-page application knows its pages; so is the next
    page of a list whose pages only a script turns, and the rest of a list that is shown in part.
    ``contents``: what the page names as its book's table of contents; ``frames``: the pages that are shown within it;
    ``feeds``: the feeds and sitemaps that it names as its own; ``around``: pages before, above and below it.
    ``indirect``: where a click's script goes, the choices of a list that are addresses, and embedded documents.
    """

    links: tuple[str, ...]
    canonical: str | None = None
    nofollow: frozenset[str] = frozenset()
    next: str | None = None
    unrendered: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    indirect: tuple[str, ...] = ()
    title: str | None = None


class Links(NamedTuple):
    """Links by where they lead: ``outbound`` absolute, ``internal`` root-relative (S0's page_metadata)."""

    outbound: tuple[str, ...]
    internal: tuple[str, ...]


def discover(body: bytes, *, url: str, content_type: str | None = None) -> Discovered:
    """The links of an HTML body fetched from *url*; none when it cannot be read. One parse.

    Their queries are in the page's own charset, as browsers send them.
    """
    decoded = decode(body, content_type)
    try:
        root = tree.parse(decoded.text)
    except ConversionError:
        return Discovered(())
    return complete_links(root, discover_in(root, url), url=url, encoding=decoded.encoding)


def complete_links(root: HtmlElement, found: Discovered, *, url: str, encoding: str) -> Discovered:
    """*found* in the tree of a page, with what else a walk goes by, as browsers send it from a page in *encoding*."""
    base, next_page = base_of(root, url), found.next
    clicks: Any = _ON_CLICK(root)
    scripts, hrefs = list[str](clicks), list[str | None]()
    for element in root.iter("a", "option", "embed", "object"):
        href = element.get("href")
        if element.tag != "a":
            hrefs.append(_address_of(element))
        elif href is None:
            hrefs.append(element.get("xlink:href"))
        elif _SCRIPT_SCHEME.match(href):
            scripts.append(href)
        elif next_page is None and _says_next(element, href):
            next_page = absolute(href, base)
    hrefs += (href for script in dict.fromkeys(scripts) for href in _iter_script_addresses(script))
    indirect = dict.fromkeys(target for href in hrefs if href and (target := absolute(href, base)) is not None)
    found = found._replace(next=next_page, around=tuple(_iter_around(root, base)), indirect=tuple(indirect))
    found = found._replace(routes=(*found.routes, *_routes_of_lists(root, found, scripts, url)))
    if encoding.startswith("utf"):
        return found

    def sent(links: Iterable[str]) -> tuple[str, ...]:
        return tuple(as_sent(link, encoding) for link in links)

    return found._replace(
        links=sent(found.links),
        nofollow=frozenset(sent(found.nofollow)),
        next=as_sent(found.next, encoding) if found.next else None,
        contents=sent(found.contents),
        around=sent(found.around),
        frames=sent(found.frames),
        indirect=sent(found.indirect),
    )


def _routes_of_lists(root: HtmlElement, found: Discovered, scripts: list[str], url: str) -> tuple[str, ...]:
    """The next page of a list that scripts turn, or else the rest of one that the page shows in part."""
    if pager := next(filter(None, map(_PAGER.search, scripts)), None):
        return (f"{urldefrag(url).url}#/{unquote(pager[1])}",)
    if found.next or any(map(_NUMBERED_PAGE.search, found.links)) or any(REST_ROUTE in one for one in found.routes):
        return ()  # an address leads on, or the browser has seen that there is more
    sign = sign_of_rest(root)
    return (rest_route(url, sign),) if sign else ()


def rest_route(url: str, sign: str) -> str:
    """By which the rest of a list is named that the page at *url* shows in part."""
    return f"{urldefrag(url).url}{REST_ROUTE}{quote(sign[:_MAX_SIGN_CHARS], safe='')}"


def as_sent(url: str, encoding: str) -> str:
    """*url* as browsers send it from a page in *encoding*: characters of its query escaped in that (URL standard)."""

    def escaped(char: re.Match[str]) -> str:
        return quote(char[0].encode(encoding, "xmlcharrefreplace"), safe="")

    before, mark, query = url.partition("?")
    return f"{before}{mark}{_NOT_ASCII.sub(escaped, query)}"


def discover_in(root: HtmlElement, url: str) -> Discovered:
    """As `discover`, of a tree that was parsed already. The tree stays as it is."""
    base = base_of(root, url)
    links: dict[str, None] = {}
    nofollow: set[str] = set()
    next_page = None
    unrendered: dict[str, None] = {}
    contents: dict[str, None] = {}
    frames: dict[str, None] = {}
    page_nofollow = "nofollow" in (robots_of(root) or "").lower()
    for element in root.iter("a", "area", "link", "frame", "iframe"):
        if element.tag in {"frame", "iframe"}:
            if (shown := absolute(element.get("src"), base)) is not None:
                frames.setdefault(shown)
            continue
        rel = (element.get("rel") or "").lower().split()
        target = absolute(element.get("href"), base)
        if target is not None and not CONTENTS.isdisjoint(rel):
            contents.setdefault(target)
        if element.tag == "link" and "next" not in rel:
            continue
        if target is None:
            if element.tag != "link" and (left := _unfilled(element.get("href"), base)) is not None:
                unrendered.setdefault(left)
            continue
        links.setdefault(target)
        if "nofollow" in rel or page_nofollow:
            nofollow.add(target)
        if "next" in rel and next_page is None:
            next_page = target
    return Discovered(
        tuple(links),
        canonical_of(root, url),
        frozenset(nofollow),
        next_page,
        tuple(unrendered),
        tuple(contents),
        tuple(frames),
        tuple(_iter_feeds(root, base)),
        routes=tuple(dict.fromkeys(_iter_routes(root, base))),
        title=next((text for one in root.iter("title") if (text := " ".join((one.text or "").split()))), None),
    )


def _iter_routes(root: HtmlElement, base: str) -> Iterator[str]:
    found: Any = _FIND_ROUTES(root)
    for href in map(str.strip, found):
        if (route := route_of(href)) and not _UNRENDERED.search(route):
            yield f"{absolute(href.removesuffix(route), base) or base}{route}"


def _says_next(element: HtmlElement, href: str) -> bool:
    """Whether the link says that it leads to the next page of a list, and has the address of one."""
    if not ("=" in href or "page" in href.lower()) or not _NUMBERED_PAGE.search(href):
        return False
    text = "".join(element.itertext()) or element.get("aria-label") or ""
    return " ".join(text.split()).lower().strip(" <>«»‹›←→.") in _NEXT_TEXTS


def _iter_script_addresses(script: str) -> Iterator[str]:
    lowered = script.lower()
    if not any(word in lowered for word in _GOING):
        return
    for pattern in (_GOES_TO, _CALLS):
        for found in pattern.finditer(script):
            address = found["address"].replace("\\/", "/")
            if "\\" not in address:  # another escape
                yield address


def _address_of(element: HtmlElement) -> str | None:
    """What a choice of a list, or an embedded document, leads to."""
    if element.tag == "option":
        value: str = element.get("value") or ""
        return value if _CHOICE.match(value) else None
    is_document = _is_pdf(element) or (element.get("type") or "").lower() == "text/html"
    address: str | None = element.get("src") or element.get("data")
    return address if is_document else None


def _iter_around(root: HtmlElement, base: str) -> Iterator[str]:
    for element in root.iter("link"):
        if not _AROUND.isdisjoint((element.get("rel") or "").lower().split()):
            target = absolute(element.get("href"), base)
            if target is not None:
                yield target


def next_in_header(link_header: str, url: str) -> str | None:
    """The next page of a list that the header ``Link`` of the response from *url* names (RFC 8288)."""
    named = _NEXT_IN_HEADER.search(link_header)
    return None if named is None else absolute(named[1], url)


def _iter_feeds(root: HtmlElement, base: str) -> Iterator[str]:
    for element in root.iter("link"):
        media = (element.get("type") or "").partition(";")[0].strip().lower()
        rel = (element.get("rel") or "").lower().split()
        if "sitemap" in rel or (media in FEEDS and "alternate" in rel):
            target = absolute(element.get("href"), base)
            if target is not None:
                yield target


def by_place(links: tuple[str, ...], url: str) -> Links:
    """*links* apart by host: those of the page's own host (with or without ``www.``) are internal."""
    own = _host(url)
    outbound, internal = [], []
    for link in links:
        host, from_root = _host_and_rest(link)
        if own and host == own:
            internal.append(from_root)
        else:
            outbound.append(link)
    return Links(tuple(dict.fromkeys(outbound)), tuple(dict.fromkeys(internal)))


def _host_and_rest(link: str) -> tuple[str, str]:
    """The host of *link* without ``www.``, and what follows from the root on."""
    if plain := _PLAIN_URL.fullmatch(link):
        return plain[1].removeprefix("www."), plain[2]
    return _split_host(link)


@lru_cache(maxsize=4096)
def _split_host(link: str) -> tuple[str, str]:
    if not (host := _host(link)):
        return "", ""
    parts = urlsplit(link)
    return host, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def base_of(root: HtmlElement, url: str) -> str:
    """The address that relative links of the page start from: its first ``base``, else its own."""
    for base in root.iter("base"):
        if (href := (base.get("href") or "").strip()) and not _UNRENDERED.search(href):
            try:
                joined = urljoin(url, href)
            except ValueError:
                continue
            return joined if urlsplit(joined).scheme in {"http", "https", ""} else url
    return url


def absolute(href: str | None, base: str) -> str | None:
    """*href* as an absolute http(s) URL without fragment; None for mail, scripts, fragments and templates."""
    href = (href or "").strip()
    return None if _UNRENDERED.search(href) else _joined(href, base)


def _unfilled(href: str | None, base: str) -> str | None:
    """*href* as an absolute URL where a template left a placeholder in it."""
    href = (href or "").strip()
    return _joined(href, base) if _UNRENDERED.search(href) else None


def _joined(href: str, base: str) -> str | None:
    if not href or href.startswith("#"):
        return None
    if plain := _PLAIN_LINK.fullmatch(href):
        if not href.startswith("/"):
            return plain[1]
        if origin := _PLAIN_ORIGIN.match(base):
            return origin[0] + plain[1]
    return _join(href, _base_that_counts(href, base))


def _base_that_counts(href: str, base: str) -> str:
    """What of *base* decides where *href* leads: pages of one site share most of their links."""
    found = _ORIGIN.match(base)
    if found is None:
        return base
    if _HAS_HOST.match(href):
        return f"{found[1]}//a/"
    return f"{found[0]}/" if _FROM_ROOT.match(href) else base


@lru_cache(maxsize=4096)
def _join(href: str, base: str) -> str | None:
    if (scheme := _SCHEME.match(href)) and scheme[0].lower() not in {"http:", "https:"}:
        return None
    try:
        joined = urldefrag(urljoin(base, re.sub(r"[\t\r\n]", "", href).replace("\\", "/"))).url
        parts = urlsplit(joined)
        reachable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return None
    return joined if reachable else None


def canonical_of(root: HtmlElement, url: str) -> str | None:
    """The canonical URL that the page declares, absolute."""
    for link in root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            return absolute(link.get("href"), base_of(root, url))
    return None


def robots_of(root: HtmlElement) -> str | None:
    """The page's robots meta, as written; of several, all of them."""
    metas = (meta for meta in root.iter("meta") if (meta.get("name") or "").strip().lower() == "robots")
    return ", ".join(text for meta in metas if (text := " ".join((meta.get("content") or "").split()))) or None


def has_pdf(root: HtmlElement, links: tuple[str, ...]) -> bool:
    """Whether the page embeds or links a PDF, by the address's ending or the declared media type."""
    return any(_PDF.search(link) for link in links) or any(map(_is_pdf, root.iter("embed", "object", "iframe", "a")))


def _is_pdf(element: HtmlElement) -> bool:
    address = element.get("src") or element.get("data") or ""
    return (element.get("type") or "").lower() == "application/pdf" or bool(_PDF.search(address))


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


# What a page says of itself and of the pages that it links: title, description, link texts, contents, what is next.
# For people who want to see a site before it is collected; a collection walks by ``content/html/links.py`` alone.

#: A link's text beyond this says no more: the longest titles of regulations have some 250 characters.
MAX_CHARS = 300
#: What links between pages say of the way, and nothing of where it leads.
_GUIDING = {"next", "next page", "previous", "previous page", "prev", "back", "up", "home", "continue"}


class Linked(NamedTuple):
    """``texts`` by absolute URL without fragment: the longest of its links' ("next" says less than a heading).

    A link to a part of the page names that part: it counts only where no link that leads to the page itself names it.
    """

    title: str | None = None
    description: str | None = None
    texts: tuple[tuple[str, str], ...] = ()
    contents: tuple[str, ...] = ()
    next: str | None = None


def read(body: bytes, *, url: str, content_type: str | None = None) -> Linked:
    """What the HTML *body* fetched from *url* says; nothing when it cannot be read."""
    try:
        root = tree.parse(decode(body, content_type).text)
    except ConversionError:
        return Linked()
    base = base_of(root, url)
    texts: dict[str, str] = {}
    of_parts: dict[str, str] = {}
    contents: dict[str, None] = {}
    following = None
    for element in root.iter("a", "area", "link"):
        target = absolute(element.get("href"), base)
        if target is None:
            continue
        rel = set((element.get("rel") or "").lower().split())
        if element.tag != "link":
            text = _text(element)
            names_it = "#" not in (element.get("href") or "") and text.lower().strip(" <>«»‹›←→.") not in _GUIDING
            to = texts if names_it else of_parts
            to[target] = max(text, to.get(target, ""), key=len)
        if rel & CONTENTS:
            contents.setdefault(target)
        if "next" in rel and following is None:
            following = target
    text_by_target = {target: texts.get(target) or of_parts.get(target) for target in (*texts, *of_parts)}
    named = tuple((target, text) for target, text in text_by_target.items() if text)
    return Linked(_title(root), _description(root), named, tuple(contents), following)


def _text(element: HtmlElement) -> str:
    text = "".join(element.itertext()) or element.get("title") or element.get("aria-label") or ""
    return " ".join(text.split())[:MAX_CHARS]


def _title(root: HtmlElement) -> str | None:
    return next((text for one in root.iter("title") if (text := _text(one))), None)


def _description(root: HtmlElement) -> str | None:
    metas = (one.get("content") or "" for one in root.iter("meta") if (one.get("name") or "").lower() == "description")
    return next((text[:MAX_CHARS] for meta in metas if (text := " ".join(meta.split()))), None)

"""Sitemaps and feeds in every form: urlset, index, gzip, plain text, RSS, Atom, JSON Feed. A step."""

import json
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from html.entities import html5
from itertools import islice
from urllib.parse import urljoin

from lxml import etree

#: sitemaps.org: at most 50 MB (52,428,800 bytes) uncompressed; what unpacks to more is a bomb.
MAX_BYTES = 52_428_800
#: sitemaps.org: at most 50,000 URLs; twice that is still read.
MAX_URLS = 100_000
#: sitemaps.org knows one index above its sitemaps; publishers put one above that (by year, by language). One more.
MAX_LEVELS = 4
#: Sitemaps of one run: at one request in two seconds these take a quarter of an hour, and may name 25 million pages.
MAX_SITEMAPS = 500
#: Raised when the same bytes name other URLs than before, or in another order: what was counted by an older reader is
#: then not counted anew (ledger/runs/listed_urls.py).
READER_VERSION = 2
_GZIP = b"\x1f\x8b"
#: Files of gzip in one: each costs a copy of those behind it, so that a million of empty ones would take hours.
_MAX_GZIP_MEMBERS = 100

#: How sitemaps, RSS, and feeds with Dublin Core name the time of an entry's last change.
_CHANGED = ("lastmod", "pubDate", "date")

_ENTRIES = frozenset({"url", "sitemap", "item", "entry"})
#: What libxml2 says of a document that ends in the middle of something.
_TORN = frozenset(
    {etree.ErrorTypes.ERR_TAG_NOT_FINISHED, etree.ErrorTypes.ERR_GT_REQUIRED, etree.ErrorTypes.ERR_LTSLASH_REQUIRED}
)
#: An address with an "&" that nobody escaped would lose it, and the name of a parameter, and be another one; and so
#: would one with a character by its name in HTML (`&eacute;`), which XML does not know.
_BARE = re.compile(rb"&(?!#\w{1,20};)(?:(\w{1,20});)?")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CDATA = b"<![CDATA["
#: The tags of entries: behind the end of the root they begin another list, which the parser does not read.
_ENTRY_TAG = re.compile(rb"<(?:[\w.-]+:)?(?:url|sitemap|item|entry)[\s>]")
#: What https://www.jsonfeed.org/version/1.1/ asks for at the top of a JSON Feed.
_JSON_FEED = re.compile(rb'\A\s*\{[^{}\[\]]*"version"\s*:\s*"https?:\\?/\\?/(?:www\.)?jsonfeed\.org\\?/version\\?/')
_DECLARATION = re.compile(rb"\A\s*<\?xml[^>]*\?>")
#: Atomic (`(?>`, `*+`): what stands before the root is split in one way only, not in each of exponentially many.
_ROOT = re.compile(rb"\A(?>\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^>]*>)*+<(?:[\w.-]+:)?(\w+)([^>]*)", re.DOTALL)
#: Of roots whose name alone does not tell what they are: their namespaces.
_FEED_NAMESPACES = {b"feed": (b"/Atom", b"/atom/"), b"RDF": (b"purl.org/rss/",)}
#: The root of a document stands here, behind its declaration and comments.
_HEAD_BYTES = 8192
_ATOM = "{http://www.w3.org/2005/Atom}"
_LINE_BREAK = re.compile(r"(?<!\s)\s*[\r\n\t]\s*")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap names. ``lastmods``: of its pages, when each changed last, in the publisher's own words."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    lastmods: Mapping[str, str] = field(default_factory=dict)
    is_torn: bool = False  # it breaks off: what it would have named after that nobody knows
    further: tuple[str, ...] = ()  # of a feed that is split (RFC 5005): where it goes on


def sitemap_weight(body: bytes) -> int:
    """The bytes that reading *body* may take: what is packed counts as all that it may unpack to."""
    return MAX_BYTES if body.startswith(_GZIP) else len(body)


def is_url_list(body: bytes) -> bool:
    """Whether *body* is a sitemap, a sitemap index, or a feed, by its root: a list of pages, and none itself."""
    head = body[:_HEAD_BYTES]
    if head.startswith(_GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
        except zlib.error:
            return False
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        head = head.decode("utf-16", "ignore").encode()
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _JSON_FEED.match(head):
        return True
    if (root := _ROOT.match(head)) is None:
        return False
    name, attributes = root[1], root[2]
    if name in _FEED_NAMESPACES:
        return any(namespace in attributes for namespace in _FEED_NAMESPACES[name])
    return name in {b"rss", b"urlset", b"sitemapindex"}


def read_sitemap(body: bytes, url: str) -> Sitemap:
    """The addresses that a sitemap names, absolute. Raises ValueError for what is none."""
    is_cut_off = False
    if body.startswith(_GZIP):
        body, is_cut_off = _unpack_gzip(body)
    if body.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        body = _DECLARATION.sub(b"", body.decode("utf-16", "replace").encode())
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if _JSON_FEED.match(text[:_HEAD_BYTES]):
        return _read_json_feed(text, url)
    if text[:1] != b"<":
        lines = [line.strip() for line in text.decode("utf-8", "replace").splitlines()]
        pages = tuple(line for line in lines if line[:8].lower().startswith(("http://", "https://")))
        if not pages:
            raise ValueError("not a sitemap: no line of it is a URL" if text else "not a sitemap: it is empty")
        return Sitemap(pages[:MAX_URLS], is_torn=is_cut_off)
    found = _read_xml(text, url)
    return replace(found, is_torn=found.is_torn or is_cut_off)


def _unpack_gzip(body: bytes) -> tuple[bytes, bool]:
    """What can be unpacked of *body*, and whether it was cut off: it still names what it named until there.

    It may be several files of gzip, one behind the other.
    """
    unpacked: list[bytes] = []
    is_cut_off = False
    while body.startswith(_GZIP):
        if len(unpacked) == _MAX_GZIP_MEMBERS:
            return b"".join(unpacked), True
        unpacker = zlib.decompressobj(wbits=31)
        left = MAX_BYTES - sum(map(len, unpacked))
        try:
            text = unpacker.decompress(body, left + 1)
        except zlib.error as error:
            raise ValueError(f"not a sitemap: its gzip data are broken ({error})") from error
        if len(text) > left:
            raise ValueError(f"not a sitemap: it unpacks to more than the maximum of {MAX_BYTES} bytes")
        if not text and not unpacker.eof:
            raise ValueError("not a sitemap: its gzip data are cut off")
        unpacked.append(text)
        body, is_cut_off = unpacker.unused_data, not unpacker.eof
    return b"".join(unpacked), is_cut_off


def _read_json_feed(text: bytes, url: str) -> Sitemap:
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a feed: its JSON is broken ({error})") from error
    items = feed.get("items")
    if not isinstance(items, list):
        raise ValueError("not a feed: it has no items")  # noqa: TRY004  # as all else that cannot be read
    pages: list[tuple[str, str | None]] = []
    for item in items:
        named, changed = (item.get(key) for key in ("url", "date_modified")) if isinstance(item, dict) else (None, None)
        if isinstance(named, str) and (address := _absolute_url(named, url)) is not None:
            pages.append((address, changed if isinstance(changed, str) else None))
    following = feed.get("next_url")
    address = _absolute_url(following, url) if isinstance(following, str) else None
    return replace(_collect_pages(pages), further=(address,) if address else ())


def _read_xml(text: bytes, url: str) -> Sitemap:
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    if b"\0" not in text[:4]:  # in UTF-16 it is two bytes
        # text with each "&" outside of CDATA as XML wants it.
        first, *others = text.split(_CDATA)
        escaped = [_BARE.sub(_escape_ampersand, first)]
        for part in others:
            inside, end, outside = part.partition(b"]]>")
            escaped.append(inside + end + _BARE.sub(_escape_ampersand, outside))
        text = _CDATA.join(escaped)
    try:
        root = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"not a sitemap: {error}") from error
    name = "" if root is None else etree.QName(root).localname
    is_torn = any(error.type in _TORN for error in parser.error_log)
    behind = text[text.rfind(b">") + 1 :].strip()
    if root is not None and is_torn and behind and not behind.startswith(b"<"):
        # Take out the entry in whose text a document breaks off: half an address is another one, which nobody
        # named.
        last = deque(root.iter(etree.Element), maxlen=1)[0]
        entries = [one for one in (last, *last.iterancestors()) if etree.QName(one).localname in _ENTRIES]
        for entry in entries[:1]:
            if (parent := entry.getparent()) is not None:
                parent.remove(entry)
    has_second_root = _ENTRY_TAG.search(text.partition(f"</{name}>".encode())[2]) is not None
    return replace(_parse_root(root, name, url), is_torn=is_torn or has_second_root)


def _escape_ampersand(found: re.Match[bytes]) -> bytes:
    if found[1] is None:
        return b"&amp;"
    name = found[1].decode("ascii", "replace")
    chars = html5.get(f"{name};") if name not in _XML_ENTITIES else None
    return found[0] if chars is None else "".join(f"&#{ord(char)};" for char in chars).encode()


def _parse_root(root: etree._Element, name: str, url: str) -> Sitemap:
    if name in {"sitemapindex", "urlset"}:  # some write entries of the other kind into one of them
        sitemaps = tuple(address for address, _ in _iter_entries(root, url, "sitemap"))
        return replace(_collect_pages(_iter_entries(root, url, "url")), sitemaps=sitemaps)
    if name in {"rss", "RDF"}:
        return replace(_collect_pages(_iter_items(root, url)), further=_further_pages(root, url))
    if name == "feed":
        return replace(_collect_pages(_iter_feed_links(root, url)), further=_further_pages(root, url))
    raise ValueError(f"not a sitemap: its root is <{name}>" if name else "not a sitemap: no element can be read")


def _collect_pages(entries: Iterable[tuple[str, str | None]]) -> Sitemap:
    pages: dict[str, str | None] = {}
    for address, lastmod in entries:
        if len(pages) == MAX_URLS:
            break
        pages[address] = lastmod or pages.get(address)
    return Sitemap(tuple(pages), lastmods={address: lastmod for address, lastmod in pages.items() if lastmod})


def _iter_entries(root: etree._Element, url: str, entry_name: str) -> Iterator[tuple[str, str | None]]:
    """Each entry's own ``<loc>``: not those of image or news extensions, which are deeper.

    Its versions in other languages (``xhtml:link hreflang``) follow it: they are pages too, of which no date is said.
    """
    for entry in islice(root.iter(f"{{*}}{entry_name}"), MAX_URLS):
        if (address := _absolute_url(_child_text(entry, "loc"), url)) is not None:
            yield address, _child_text(entry, *_CHANGED)
        for node in entry.iterchildren("{http://www.w3.org/1999/xhtml}link"):
            if node.get("hreflang") and (address := _absolute_url(node.get("href"), url)) is not None:
                yield address, None


def _iter_items(root: etree._Element, url: str) -> Iterator[tuple[str, str | None]]:
    """Of each item of RSS its link; without one, its guid, an Atom link, or the file that is all it has."""
    for entry in islice(root.iter("{*}item"), MAX_URLS):
        linked = (node.get("href") for node in entry.iterchildren(f"{_ATOM}link") if _is_alternate(node))
        files = (node.get("url") for node in entry.iterchildren("{*}enclosure"))
        named = (_child_text(entry, "link"), _permanent_link(entry), *linked, *files)
        if (address := _absolute_url(next(filter(None, named), None), url)) is not None:
            yield address, _child_text(entry, *_CHANGED)


def _permanent_link(entry: etree._Element) -> str | None:
    """The guid of an RSS item as its address, unless it is a mere name."""
    for guid in entry.iterchildren("{*}guid"):
        named = (guid.text or "").strip()
        if guid.get("isPermaLink", "true") == "true" and named.startswith(("http://", "https://")):
            return named
    return None


def _iter_feed_links(root: etree._Element, url: str) -> Iterator[tuple[str, str | None]]:
    """Of each entry of Atom its links; without any, where its content is, or its id where that is an address."""
    for entry in root.iter("{*}entry"):
        linked = [(node, node.get("href")) for node in entry.iterchildren("{*}link") if _is_alternate(node)]
        if not linked:
            linked = [(node, node.get("src")) for node in entry.iterchildren("{*}content") if node.get("src")]
        if not linked and (named := _child_text(entry, "id") or "").startswith(("http://", "https://")):
            linked = [(entry, named)]
        for node, target in linked:
            if (address := _absolute_url(target, _base_of(node, url))) is not None:
                yield address, _child_text(entry, "updated")


def _further_pages(root: etree._Element, url: str) -> tuple[str, ...]:
    """Where a feed goes on: its next page, or its archive (RFC 5005 §3 and §4)."""
    of_channel = (node for one in (root, *root.iterchildren("{*}channel")) for node in one.iterchildren("{*}link"))
    found = (
        _absolute_url(node.get("href"), _base_of(node, url))
        for node in of_channel
        if node.get("rel") in {"next", "prev-archive"}
    )
    return tuple(dict.fromkeys(address for address in found if address is not None))


def _is_alternate(node: etree._Element) -> bool:
    return node.get("rel", "alternate") == "alternate"


def _base_of(node: etree._Element, url: str) -> str:
    """The address that links of *node* start from: by its ``xml:base``, else that of the document."""
    return _absolute_url(node.base, url) or url


def _child_text(entry: etree._Element, *wanted: str) -> str | None:
    """The text of the entry's first child of these names that has one."""
    for node in entry.iterchildren(*(f"{{*}}{name}" for name in wanted)):
        if node.text and node.text.strip():
            return node.text.strip()
    return None


def _absolute_url(text: str | None, url: str) -> str | None:
    """The text as a URL; one that is none costs only itself, not the whole sitemap."""
    if not text or not text.strip():
        return None
    try:
        return urljoin(url, _LINE_BREAK.sub("", text.strip()))
    except ValueError:
        return None


# What a sitemap says of a page's last change: a hint for the order of asking. A step: text in, a time out. A
# ``lastmod`` never spares a request. It is the publisher's claim about a page, not a look at it: an audit row that
# rested on it would say that a page was seen which nobody asked for. It would save little besides: a page that did
# not change costs one conditional request. So what it says is used where a wrong claim costs nothing: pages that
# changed since they were last seen are asked for first, and a run whose night ends has the newest text.

_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")
#: The last place on Earth where a day ends is 12 hours behind UTC.
_LAST_ZONE = timedelta(hours=12)


def parse_lastmod(lastmod: str) -> datetime | None:
    """The last moment (UTC) that *lastmod* may mean; None if it is not a date.

    ``2024-05-01``, which names no zone, means the whole day, wherever the publisher is. Times are those of W3C's
    profile of ISO 8601 (sitemaps.org, Atom) or of RFC 822 (RSS); one without a zone is taken as the westernmost.
    """
    if (day := _DAY.match(lastmod)) is not None:
        try:
            return datetime.fromisoformat(day.group()).replace(tzinfo=UTC) + timedelta(days=1) + _LAST_ZONE
        except (ValueError, OverflowError):
            return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(lastmod)
            return at.astimezone(UTC) if at.tzinfo is not None else at.replace(tzinfo=UTC) + _LAST_ZONE
        except (ValueError, OverflowError):
            continue
    return None
